// SPDX-License-Identifier: BSD-3-Clause
// SingularValues: A = L S R', by one-sided rotations (Hestenes 1958; Demmel & Veselic 1992: small singular values keep
// their digits).
#pragma once
#include <Eigen/Core>

namespace KDL::detail {

class SingularValues {
 public:
  /// Of matrices of this size. The only call that allocates.
  void resize(Eigen::Index rows, Eigen::Index columns);
  /// Fill it, then call decompose().
  Eigen::MatrixXd& matrix() { return matrix_; }
  /// False where `max_sweeps` were too few, or entries are not finite.
  bool decompose(int max_sweeps);

  Eigen::Index count() const { return values_.size(); }      ///< min(rows, columns)
  double value(Eigen::Index i) const { return values_[i]; }  ///< largest first
  /// Columns of unit length, zero where value(i) is.
  auto left(Eigen::Index i) const { return is_tall_ ? long_.col(i) : short_.col(i); }
  auto right(Eigen::Index i) const { return is_tall_ ? short_.col(i) : long_.col(i); }

 private:
  bool rotate(Eigen::Index i, Eigen::Index j, double tiny);
  void sort();

  bool is_tall_ = true;
  Eigen::MatrixXd matrix_, long_, short_;  ///< vectors of the longer and of the shorter side
  Eigen::VectorXd values_;
};

}  // namespace KDL::detail
