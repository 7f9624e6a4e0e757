// SPDX-License-Identifier: BSD-3-Clause
// Solves with a symmetric positive definite matrix.
#pragma once
#include <Eigen/Core>

#include "../solveri.hpp"

namespace KDL {

/// A = L diag(D) L^T, A q = v. A [n, n] positive definite; L gets a unit diagonal, vtmp the solution of L vtmp = v.
/// 0; -2 where a pivot is not above 0: q is as it was. Matrices of the right sizes are not allocated again.
inline int ldl_solver_eigen(const Eigen::MatrixXd& A, const Eigen::VectorXd& v, Eigen::MatrixXd& L, Eigen::VectorXd& D,
                            Eigen::VectorXd& vtmp, Eigen::VectorXd& q) {
  const Eigen::Index n = A.rows();
  if (n <= 0 || A.cols() != n || v.size() != n) return -2;
  L.setIdentity(n, n);
  D.resize(n);
  vtmp.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    double pivot = A(j, j);
    for (Eigen::Index k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k) * D[k];
    if (!(pivot > 0)) return -2;
    D[j] = pivot;
    for (Eigen::Index i = j + 1; i < n; ++i) {
      double entry = A(i, j);
      for (Eigen::Index k = 0; k < j; ++k) entry -= L(i, k) * L(j, k) * D[k];
      L(i, j) = entry / pivot;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    vtmp[i] = v[i];
    for (Eigen::Index k = 0; k < i; ++k) vtmp[i] -= L(i, k) * vtmp[k];
  }
  q.resize(n);
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    q[i] = vtmp[i] / D[i];
    for (Eigen::Index k = i + 1; k < n; ++k) q[i] -= L(k, i) * q[k];
  }
  return 0;
}

}  // namespace KDL
