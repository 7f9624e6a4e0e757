// SPDX-License-Identifier: BSD-3-Clause
// Singular values of matrices of Eigen, under the names that programs call.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace KDL {

/// A = U S V^T of A [m, n]: U [m, n], S [n] the largest first, V [n, n]; columns of U that belong to zeros are zero. By
/// one-sided rotations (Hestenes 1958; Demmel & Veselic 1992: small singular values keep their digits). `maxiter`
/// sweeps at most; singular values below `smallest` become zero. 0, or -2 where the sweeps were too few. Matrices of
/// the right sizes are not allocated again; `tmp` is not used.
inline int svd_eigen_HH(const Eigen::MatrixXd& A, Eigen::MatrixXd& U, Eigen::VectorXd& S, Eigen::MatrixXd& V,
                        Eigen::VectorXd& tmp, int maxiter = 150, double smallest = 1e-300) {
  (void)tmp;
  const Eigen::Index n = A.cols();
  U = A;
  V.setIdentity(n, n);
  S.resize(n);
  const double eps = std::numeric_limits<double>::epsilon(), rounding = eps * A.norm();
  const auto rotate = [](Eigen::MatrixXd& M, Eigen::Index i, Eigen::Index j, double c, double s) {
    for (Eigen::Index k = 0; k < M.rows(); ++k) {
      const double x = M(k, i), y = M(k, j);
      M(k, i) = c * x - s * y;
      M(k, j) = s * x + c * y;
    }
  };
  bool is_moving = true;
  for (int sweep = 0; is_moving && sweep < maxiter; ++sweep) {
    is_moving = false;
    for (Eigen::Index i = 0; i + 1 < n; ++i)
      for (Eigen::Index j = i + 1; j < n; ++j) {
        const double aa = U.col(i).squaredNorm(), bb = U.col(j).squaredNorm(), ab = U.col(i).dot(U.col(j));
        if (aa <= rounding * rounding || bb <= rounding * rounding || std::abs(ab) <= 4 * eps * std::sqrt(aa * bb))
          continue;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        rotate(U, i, j, c, c * t);
        rotate(V, i, j, c, c * t);
        is_moving = true;
      }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    S[i] = U.col(i).norm();
    if (S[i] <= std::max(rounding, smallest)) S[i] = 0;
    U.col(i) *= S[i] > 0 ? 1 / S[i] : 0;
  }
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    Eigen::Index largest = 0;
    S.tail(n - i).maxCoeff(&largest);
    if (largest == 0) continue;
    std::swap(S[i], S[i + largest]);
    U.col(i).swap(U.col(i + largest));
    V.col(i).swap(V.col(i + largest));
  }
  return is_moving || !std::isfinite(rounding) ? -2 : 0;
}

}  // namespace KDL
