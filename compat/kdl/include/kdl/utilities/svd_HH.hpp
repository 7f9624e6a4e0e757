// SPDX-License-Identifier: BSD-3-Clause
// Singular values of a Jacobian.
#pragma once
#include <vector>

#include "../jacobian.hpp"
#include "../jntarray.hpp"
#include "svd_eigen_HH.hpp"

namespace KDL {

class SVD_HH {
 public:
  explicit SVD_HH(const Jacobian& jac) : a_(jac.rows(), jac.columns()), u_(jac.rows(), jac.columns()) {}

  /// jac = U diag(w) v^T: U has a JntArray for each row of jac, v one for each column. 0, or -2 where maxiter sweeps
  /// were too few; -4 where sizes do not fit.
  int calculate(const Jacobian& jac, std::vector<JntArray>& U, JntArray& w, std::vector<JntArray>& v, int maxiter) {
    const unsigned int m = jac.rows(), n = jac.columns();
    const auto fits = [n](const JntArray& array) { return array.rows() == n; };
    if (U.size() != m || v.size() != n || w.rows() != n || !std::all_of(U.begin(), U.end(), fits) ||
        !std::all_of(v.begin(), v.end(), fits))
      return -4;
    a_ = jac.data;
    const int code = svd_eigen_HH(a_, u_, s_, v_, s_, maxiter);
    for (unsigned int j = 0; j < n; ++j) {
      w(j) = s_[j];
      for (unsigned int i = 0; i < m; ++i) U[i](j) = u_(i, j);
      for (unsigned int i = 0; i < n; ++i) v[i](j) = v_(i, j);
    }
    return code;
  }

 private:
  Eigen::MatrixXd a_, u_, v_;
  Eigen::VectorXd s_;
};

}  // namespace KDL
