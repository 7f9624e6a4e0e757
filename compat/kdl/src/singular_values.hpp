// SPDX-License-Identifier: BSD-3-Clause
// SingularValues: A = L S R', with the vectors of the smaller side alone: svd_eigen_HH() of A or of A'.
#pragma once
#include <kdl/utilities/svd_eigen_HH.hpp>

namespace KDL::detail {

class SingularValues {
 public:
  /// Of matrices of this size. The only call that allocates.
  void resize(Eigen::Index rows, Eigen::Index columns) {
    is_tall_ = rows >= columns;
    matrix_.setZero(rows, columns);
    decompose(0);
  }
  /// Fill it, then call decompose().
  Eigen::MatrixXd& matrix() { return matrix_; }
  /// False where `max_sweeps` were too few, or entries are not finite.
  bool decompose(int max_sweeps) {
    if (is_tall_) return svd_eigen_HH(matrix_, long_, values_, short_, unused_, max_sweeps) == 0;
    transposed_ = matrix_.transpose();
    return svd_eigen_HH(transposed_, long_, values_, short_, unused_, max_sweeps) == 0;
  }

  Eigen::Index count() const { return values_.size(); }      ///< min(rows, columns)
  double value(Eigen::Index i) const { return values_[i]; }  ///< largest first
  /// Columns of unit length, zero where value(i) is.
  auto left(Eigen::Index i) const { return is_tall_ ? long_.col(i) : short_.col(i); }
  auto right(Eigen::Index i) const { return is_tall_ ? short_.col(i) : long_.col(i); }

 private:
  bool is_tall_ = true;
  Eigen::MatrixXd matrix_, transposed_, long_, short_;  ///< vectors of the longer and of the shorter side
  Eigen::VectorXd values_, unused_;
};

}  // namespace KDL::detail
