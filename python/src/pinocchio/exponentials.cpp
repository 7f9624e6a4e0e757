// SPDX-License-Identifier: BSD-3-Clause
// Exponentials and logarithms of rotations and displacements, with their Jacobians (zwang/spatial/exp_log.hpp).
#include "zwang/spatial/exp_log.hpp"

#include <cmath>

#include "spatial.hpp"

namespace zwang::python::pinocchio {
namespace {

void check_finite(const char* function, const char* name, const double* x, int size) {
  for (int k = 0; k < size; ++k)
    if (!std::isfinite(x[k])) detail::throw_not_finite(function, name, k, x[k]);
}
void check_rotation(const char* function, const char* name, const Mat3<double>& R) {
  if (!is_rotation(R, k_rotation_tolerance))
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name +
                                "' has a matrix that is no rotation, expected one to 1e-6");
}
void read_finite(nb::handle x, int size, const char* function, const char* name, double* out) {
  read(x, size, name, out);
  check_finite(function, name, out, size);
}
Motion<double> twist_of(nb::handle v, const char* function) {
  double x[6];
  if (const Six* const six = six_of(v); six != nullptr && !is_force(v)) {
    check_finite(function, "v", six->at, 6);
    return motion_of(six->at);
  }
  read_finite(v, 6, function, "v", x);
  return motion_of(x);
}
/// Three finite numbers w.
Vec3<double> given_vector(nb::handle w, const char* function) {
  double x[3];
  read_finite(w, 3, function, "w", x);
  return vector_of(x);
}
/// A 3 x 3 matrix, an object like Quaternion, or its four numbers x y z w.
Mat3<double> rotation_of(nb::handle R, const char* function) {
  double x[9];
  if (!is_array(R, 3, 3)) {
    if (nb::hasattr(R, "normalized")) return rotation_of(nb::object(R.attr("normalized")().attr("matrix")()), function);
    if (count(R) == 4) {
      read_finite(R, 4, function, "R", x);
      return rotation(quaternion_at(x));
    }
  }
  read(R, 3, 3, "R", x, 3);
  check_finite(function, "R", x, 9);
  const Mat3<double> matrix{vector_of(x), vector_of(x + 3), vector_of(x + 6)};
  check_rotation(function, "R", matrix);
  return matrix;
}
Motion<double> log_of(nb::handle M, const char* function) {
  double x[16];
  const Pose* const pose = pose_of(M);
  if (pose == nullptr && count(M) == 7) {
    read_finite(M, 7, function, "M", x);
    return log_se3(Transform<double>{rotation(quaternion_at(x + 3)), vector_of(x)});
  }
  if (pose == nullptr) read(M, 4, 4, "M", x, 4);
  const double* const at = pose != nullptr ? pose->at : x;
  check_finite(function, "M", at, 16);
  const Transform<double> X = transform_of(at);
  check_rotation(function, "M", X.R);
  return log_se3(X);
}

void put_block(const Mat3<double>& M, double* out, int row, int column, int columns) {
  for (int i = 0; i < 3; ++i) put(M[i], out + (row + i) * columns + column);
}
nb::object array_of(const MotionJacobian<double>& J) {
  const Fresh out = fresh_rows(6, 6);
  put_block(J.J, out.numbers, 0, 0, 6);
  put_block(J.Q, out.numbers, 0, 3, 6);
  put_block(Mat3<double>::zero(), out.numbers, 3, 0, 6);
  put_block(J.J, out.numbers, 3, 3, 6);
  return out.array;
}

}  // namespace

void bind_exponentials(nb::module_& m) {
  m.def(
      "exp3", [](nb::handle w) { return array_of(exp_so3(given_vector(w, "exp3"))); }, nb::arg("w"),
      "The rotation by the vector w, 3 x 3.");
  m.def(
      "log3",
      [](nb::handle R, nb::handle theta) {
        const Fresh out = fresh(3);
        const Vec3<double> phi = log_so3(rotation_of(R, "log3"));
        put(phi, out.numbers);
        static PyObject* array;
        if (!theta.is_none() && PyObject_IsInstance(theta.ptr(), kept(array, "numpy", "ndarray").ptr()) == 1)
          theta.attr("fill")(std::sqrt(dot(phi, phi)));
        return out.array;
      },
      nb::arg("R"), nb::arg("theta").none() = nb::none(),
      "The rotation vector of a 3 x 3 matrix or a quaternion, at most pi long; theta: an array that receives the "
      "angle.");
  m.def(
      "Jexp3", [](nb::handle w) { return array_of(right_jacobian(given_vector(w, "Jexp3"))); }, nb::arg("w"),
      "exp3(w + dw) = exp3(w) exp3(J dw) to first order: the right Jacobian, 3 x 3.");
  m.def(
      "exp6", [](nb::handle v) { return new_pose(exp_se3(twist_of(v, "exp6"))); }, nb::arg("v"),
      "The displacement by the twist v, a Motion or six numbers.");
  m.def(
      "Jlog3", [](nb::handle R) { return array_of(right_jacobian_inverse(log_so3(rotation_of(R, "Jlog3")))); },
      nb::arg("R"), "log3(R exp3(dw)) = log3(R) + J dw to first order, 3 x 3.");
  m.def(
      "log6", [](nb::handle M) { return new_motion(log_of(M, "log6")); }, nb::arg("M"),
      "The twist whose displacement is M, an SE3, a 4 x 4 matrix, or a position and a quaternion (7,).");
  m.def(
      "Jexp6", [](nb::handle v) { return array_of(right_jacobian(twist_of(v, "Jexp6"))); }, nb::arg("v"),
      "exp6(v + dv) = exp6(v) exp6(J dv) to first order, 6 x 6.");
  m.def(
      "Jlog6", [](nb::handle M) { return array_of(right_jacobian_inverse(log_of(M, "Jlog6"))); }, nb::arg("M"),
      "log6(M exp6(dv)) = log6(M) + J dv to first order, 6 x 6.");
}

}  // namespace zwang::python::pinocchio
