// SPDX-License-Identifier: BSD-3-Clause
// Singular values of matrices of Eigen, under the second name that programs call.
#pragma once
#include "svd_eigen_HH.hpp"

namespace KDL {

/// As svd_eigen_HH() with singular values below `threshold` zero. B, tempi and toggle, which carried an iteration from
/// one call to the next, are not used: each call stands alone.
inline int svd_eigen_Macie(const Eigen::MatrixXd& A, Eigen::MatrixXd& U, Eigen::VectorXd& S, Eigen::MatrixXd& V,
                           Eigen::MatrixXd& B, Eigen::VectorXd& tempi, double threshold, bool toggle) {
  (void)B;
  (void)toggle;
  constexpr int enough_sweeps = 150;
  return svd_eigen_HH(A, U, S, V, tempi, enough_sweeps, threshold);
}

}  // namespace KDL
