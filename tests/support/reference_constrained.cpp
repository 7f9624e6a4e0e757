// SPDX-License-Identifier: BSD-3-Clause
// Gauss' principle by dense linear algebra in long double.
#include "support/reference_constrained.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <stdexcept>

namespace zwang::reference {

namespace {
struct Free {
  Eigen::LLT<MatrixX<Real>> factor;  // M = L L^T
  VectorX<Real> acceleration;
  MatrixX<Real> Y;  // A L^-T, so that A a - A a_free = Y x with x = L^T (a - a_free), |x|^2 = |a - a_free|^2_M
};
Free free_motion(const MatrixX<Real>& M, const VectorX<Real>& h, const VectorX<Real>& tau, const MatrixX<Real>& A) {
  if (A.cols() != M.cols() || h.size() != M.cols() || tau.size() != M.cols())
    throw std::invalid_argument("reference: sizes of M, h, tau and A differ");
  Free f{Eigen::LLT<MatrixX<Real>>(M), {}, {}};
  if (f.factor.info() != Eigen::Success) throw std::domain_error("reference: the mass matrix is not positive definite");
  f.acceleration = f.factor.solve(tau - h);
  f.Y = f.factor.matrixL().solve(A.transpose()).transpose();
  return f;
}
void finish(const Free& f, const MatrixX<Real>& A, const VectorX<Real>& b, const VectorX<Real>& x, Constrained& out) {
  out.free = f.acceleration;
  out.acceleration = f.acceleration + f.factor.matrixU().solve(x);
  out.residual = A * out.acceleration - b;
  out.zwang = x.squaredNorm() / 2;
  out.delassus = f.Y * f.Y.transpose();
}
}  // namespace

Constrained constrained_motion(const MatrixX<Real>& M, const VectorX<Real>& h, const VectorX<Real>& tau,
                               const MatrixX<Real>& A, const VectorX<Real>& b, Real tolerance) {
  const Free f = free_motion(M, h, tau, A);
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(M.rows());
  Constrained out;
  // Rank on rows of unit length: no matter in which units the user wrote them.
  const MatrixX<Real> L = f.factor.matrixL();
  const MatrixX<Real> inverse = L.triangularView<Eigen::Lower>().solve(MatrixX<Real>::Identity(n, n));
  const MatrixX<Real> bound = A.cwiseAbs() * inverse.transpose().cwiseAbs();
  MatrixX<Real> E = MatrixX<Real>::Zero(m, n);
  for (int i = 0; i < m; ++i) {
    const Real size = f.Y.row(i).norm();
    if (size > tolerance * bound.row(i).norm()) E.row(i) = f.Y.row(i) / size;
  }
  VectorX<Real> x = VectorX<Real>::Zero(n);
  out.multipliers = VectorX<Real>::Zero(m);
  if (m > 0 && n > 0) {
    const Eigen::JacobiSVD<MatrixX<Real>> svd(E, Eigen::ComputeThinU | Eigen::ComputeThinV);
    out.singular_values = svd.singularValues();
    while (out.rank < out.singular_values.size() && out.singular_values(out.rank) > tolerance * out.singular_values(0))
      ++out.rank;
    if (out.rank > 0) {
      // Within the row space V of that rank, the user's rows are Y V = U S W^T, of full column rank.
      const MatrixX<Real> V = svd.matrixV().leftCols(out.rank);
      const Eigen::JacobiSVD<MatrixX<Real>> rows(f.Y * V, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const VectorX<Real> s = rows.singularValues();
      const VectorX<Real> along = rows.matrixU().transpose() * (b - A * f.acceleration);
      const VectorX<Real> step = along.cwiseQuotient(s);
      x = V * (rows.matrixV() * step);                           // least squares, then shortest
      out.multipliers = rows.matrixU() * step.cwiseQuotient(s);  // shortest lambda with Y^T lambda = x
    }
  }
  finish(f, A, b, x, out);
  return out;
}

Constrained compliant_motion(const MatrixX<Real>& M, const VectorX<Real>& h, const VectorX<Real>& tau,
                             const MatrixX<Real>& A, const VectorX<Real>& b, const VectorX<Real>& R) {
  const Free f = free_motion(M, h, tau, A);
  Constrained out;
  MatrixX<Real> G = f.Y * f.Y.transpose();
  G.diagonal() += R;
  out.rank = static_cast<int>(A.rows());
  out.multipliers = G.ldlt().solve(b - A * f.acceleration);
  finish(f, A, b, f.Y.transpose() * out.multipliers, out);
  return out;
}

}  // namespace zwang::reference
