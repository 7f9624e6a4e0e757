// SPDX-License-Identifier: BSD-3-Clause
// Sums, differences and products of numbers of joints.
#include <kdl/jacobian.hpp>
#include <kdl/jntarrayacc.hpp>
#include <kdl/jntspaceinertiamatrix.hpp>
#include <stdexcept>

namespace KDL {

namespace {

[[noreturn]] void refuse(const char* function, Eigen::Index rows, Eigen::Index other) {
  throw std::invalid_argument(std::string("KDL::") + function + ": arrays of " + std::to_string(rows) + " and " +
                              std::to_string(other) + " rows");
}
/// What has no element for each element of the other would be read behind its end.
void need_same(const char* function, Eigen::Index rows, Eigen::Index other) {
  if (rows != other) refuse(function, rows, other);
}

template <class Storage> bool equal(const Storage& a, const Storage& b, double eps) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      if (!Equal(a(i, j), b(i, j), eps)) return false;
  return true;
}

}  // namespace

void JntArray::resize(unsigned int newSize) { data.conservativeResizeLike(VectorStorage::Zero(newSize)); }
void JntSpaceInertiaMatrix::resize(unsigned int newSize) {
  data.conservativeResizeLike(MatrixStorage::Zero(newSize, newSize));
}

void Add(const JntArray& src1, const JntArray& src2, JntArray& dest) {
  need_same("Add", src1.data.rows(), src2.data.rows());
  dest.data = src1.data + src2.data;
}
void Subtract(const JntArray& src1, const JntArray& src2, JntArray& dest) {
  need_same("Subtract", src1.data.rows(), src2.data.rows());
  dest.data = src1.data - src2.data;
}
void Multiply(const JntArray& src, const double& factor, JntArray& dest) { dest.data = factor * src.data; }
void Divide(const JntArray& src, const double& factor, JntArray& dest) { dest.data = src.data / factor; }
void MultiplyJacobian(const Jacobian& jac, const JntArray& src, Twist& dest) {
  need_same("MultiplyJacobian", jac.data.cols(), src.data.rows());
  Eigen::Matrix<double, 6, 1, Eigen::DontAlign> product;
  product.noalias() = jac.data.lazyProduct(src.data);
  for (int i = 0; i < 6; ++i) dest(i) = product(i);
}
void SetToZero(JntArray& array) { array.data.setZero(); }
bool Equal(const JntArray& src1, const JntArray& src2, double eps) { return equal(src1.data, src2.data, eps); }

JntArrayVel::JntArrayVel(const JntArray& position, const JntArray& velocity) : q(position), qdot(velocity) {
  assert(q.rows() == qdot.rows());
}
void Add(const JntArrayVel& src1, const JntArrayVel& src2, JntArrayVel& dest) {
  Add(src1.q, src2.q, dest.q);
  Add(src1.qdot, src2.qdot, dest.qdot);
}
void Add(const JntArrayVel& src1, const JntArray& src2, JntArrayVel& dest) {
  Add(src1.q, src2, dest.q);
  dest.qdot = src1.qdot;
}
void Subtract(const JntArrayVel& src1, const JntArrayVel& src2, JntArrayVel& dest) {
  Subtract(src1.q, src2.q, dest.q);
  Subtract(src1.qdot, src2.qdot, dest.qdot);
}
void Subtract(const JntArrayVel& src1, const JntArray& src2, JntArrayVel& dest) {
  Subtract(src1.q, src2, dest.q);
  dest.qdot = src1.qdot;
}
void Multiply(const JntArrayVel& src, const double& factor, JntArrayVel& dest) {
  Multiply(src, doubleVel(factor), dest);
}
/// (q f)' = q' f + q f'
void Multiply(const JntArrayVel& src, const doubleVel& factor, JntArrayVel& dest) {
  need_same("Multiply", src.q.data.rows(), src.qdot.data.rows());
  dest.qdot.data = src.qdot.data * factor.t + src.q.data * factor.grad;
  Multiply(src.q, factor.t, dest.q);
}
void Divide(const JntArrayVel& src, const double& factor, JntArrayVel& dest) {
  Divide(src.q, factor, dest.q);
  Divide(src.qdot, factor, dest.qdot);
}
void Divide(const JntArrayVel& src, const doubleVel& factor, JntArrayVel& dest) { Multiply(src, 1.0 / factor, dest); }
void SetToZero(JntArrayVel& array) {
  SetToZero(array.q);
  SetToZero(array.qdot);
}
bool Equal(const JntArrayVel& src1, const JntArrayVel& src2, double eps) {
  return Equal(src1.q, src2.q, eps) && Equal(src1.qdot, src2.qdot, eps);
}

JntArrayAcc::JntArrayAcc(const JntArray& position, const JntArray& velocity, const JntArray& acceleration)
    : q(position),
      qdot(velocity),
      qdotdot(acceleration) {
  assert(q.rows() == qdot.rows() && q.rows() == qdotdot.rows());
}
JntArrayAcc::JntArrayAcc(const JntArray& position, const JntArray& velocity)
    : q(position),
      qdot(velocity),
      qdotdot(position.rows()) {
  assert(q.rows() == qdot.rows());
}
void Add(const JntArrayAcc& src1, const JntArrayAcc& src2, JntArrayAcc& dest) {
  Add(src1.q, src2.q, dest.q);
  Add(src1.qdot, src2.qdot, dest.qdot);
  Add(src1.qdotdot, src2.qdotdot, dest.qdotdot);
}
void Add(const JntArrayAcc& src1, const JntArrayVel& src2, JntArrayAcc& dest) {
  Add(src1.q, src2.q, dest.q);
  Add(src1.qdot, src2.qdot, dest.qdot);
  dest.qdotdot = src1.qdotdot;
}
void Add(const JntArrayAcc& src1, const JntArray& src2, JntArrayAcc& dest) {
  Add(src1.q, src2, dest.q);
  dest.qdot = src1.qdot;
  dest.qdotdot = src1.qdotdot;
}
void Subtract(const JntArrayAcc& src1, const JntArrayAcc& src2, JntArrayAcc& dest) {
  Subtract(src1.q, src2.q, dest.q);
  Subtract(src1.qdot, src2.qdot, dest.qdot);
  Subtract(src1.qdotdot, src2.qdotdot, dest.qdotdot);
}
void Subtract(const JntArrayAcc& src1, const JntArrayVel& src2, JntArrayAcc& dest) {
  Subtract(src1.q, src2.q, dest.q);
  Subtract(src1.qdot, src2.qdot, dest.qdot);
  dest.qdotdot = src1.qdotdot;
}
void Subtract(const JntArrayAcc& src1, const JntArray& src2, JntArrayAcc& dest) {
  Subtract(src1.q, src2, dest.q);
  dest.qdot = src1.qdot;
  dest.qdotdot = src1.qdotdot;
}
void Multiply(const JntArrayAcc& src, const double& factor, JntArrayAcc& dest) {
  Multiply(src, doubleAcc(factor), dest);
}
void Multiply(const JntArrayAcc& src, const doubleVel& factor, JntArrayAcc& dest) {
  Multiply(src, doubleAcc(factor.t, factor.grad, 0), dest);
}
/// (q f)'' = q'' f + 2 q' f' + q f''
void Multiply(const JntArrayAcc& src, const doubleAcc& factor, JntArrayAcc& dest) {
  need_same("Multiply", src.q.data.rows(), src.qdot.data.rows());
  need_same("Multiply", src.q.data.rows(), src.qdotdot.data.rows());
  dest.qdotdot.data = src.qdotdot.data * factor.t + src.qdot.data * (2 * factor.d) + src.q.data * factor.dd;
  dest.qdot.data = src.qdot.data * factor.t + src.q.data * factor.d;
  Multiply(src.q, factor.t, dest.q);
}
void Divide(const JntArrayAcc& src, const double& factor, JntArrayAcc& dest) {
  Divide(src.q, factor, dest.q);
  Divide(src.qdot, factor, dest.qdot);
  Divide(src.qdotdot, factor, dest.qdotdot);
}
void Divide(const JntArrayAcc& src, const doubleVel& factor, JntArrayAcc& dest) {
  Multiply(src, 1.0 / doubleAcc(factor.t, factor.grad, 0), dest);
}
void Divide(const JntArrayAcc& src, const doubleAcc& factor, JntArrayAcc& dest) { Multiply(src, 1.0 / factor, dest); }
void SetToZero(JntArrayAcc& array) {
  SetToZero(array.q);
  SetToZero(array.qdot);
  SetToZero(array.qdotdot);
}
bool Equal(const JntArrayAcc& src1, const JntArrayAcc& src2, double eps) {
  return Equal(src1.q, src2.q, eps) && Equal(src1.qdot, src2.qdot, eps) && Equal(src1.qdotdot, src2.qdotdot, eps);
}

void Jacobian::resize(unsigned int newNrOfColumns) {
  data.conservativeResizeLike(JacobianStorage::Zero(6, newNrOfColumns));
}
bool Jacobian::operator==(const Jacobian& arg) const { return Equal(*this, arg); }
void Jacobian::changeRefPoint(const Vector& base_AB) { KDL::changeRefPoint(*this, base_AB, *this); }
void Jacobian::changeBase(const Rotation& rot) { KDL::changeBase(*this, rot, *this); }
void Jacobian::changeRefFrame(const Frame& frame) { KDL::changeRefFrame(*this, frame, *this); }

void SetToZero(Jacobian& jac) { jac.data.setZero(); }
bool changeRefPoint(const Jacobian& src1, const Vector& base_AB, Jacobian& dest) {
  if (src1.columns() != dest.columns()) return false;
  for (unsigned int i = 0; i < src1.columns(); ++i) dest.setColumn(i, src1.getColumn(i).RefPoint(base_AB));
  return true;
}
bool changeBase(const Jacobian& src1, const Rotation& rot, Jacobian& dest) {
  if (src1.columns() != dest.columns()) return false;
  for (unsigned int i = 0; i < src1.columns(); ++i) dest.setColumn(i, rot * src1.getColumn(i));
  return true;
}
bool changeRefFrame(const Jacobian& src1, const Frame& frame, Jacobian& dest) {
  if (src1.columns() != dest.columns()) return false;
  for (unsigned int i = 0; i < src1.columns(); ++i) dest.setColumn(i, frame * src1.getColumn(i));
  return true;
}
bool Equal(const Jacobian& a, const Jacobian& b, double eps) { return equal(a.data, b.data, eps); }

void Add(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, JntSpaceInertiaMatrix& dest) {
  need_same("Add", src1.data.rows(), src2.data.rows());
  dest.data = src1.data + src2.data;
}
void Subtract(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, JntSpaceInertiaMatrix& dest) {
  need_same("Subtract", src1.data.rows(), src2.data.rows());
  dest.data = src1.data - src2.data;
}
void Multiply(const JntSpaceInertiaMatrix& src, const double& factor, JntSpaceInertiaMatrix& dest) {
  dest.data = factor * src.data;
}
void Divide(const JntSpaceInertiaMatrix& src, const double& factor, JntSpaceInertiaMatrix& dest) {
  dest.data = src.data / factor;
}
/// By rows, without memory for a product: dest may not be vec.
void Multiply(const JntSpaceInertiaMatrix& src, const JntArray& vec, JntArray& dest) {
  need_same("Multiply", src.data.cols(), vec.data.rows());
  if (&vec == &dest) {
    const JntArray copy(vec);
    Multiply(src, copy, dest);
    return;
  }
  dest.data.resize(src.data.rows());
  for (Eigen::Index i = 0; i < src.data.rows(); ++i) dest.data(i) = src.data.row(i).dot(vec.data);
}
void SetToZero(JntSpaceInertiaMatrix& matrix) { matrix.data.setZero(); }
bool Equal(const JntSpaceInertiaMatrix& src1, const JntSpaceInertiaMatrix& src2, double eps) {
  return equal(src1.data, src2.data, eps);
}

}  // namespace KDL
