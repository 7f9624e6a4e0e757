// SPDX-License-Identifier: BSD-3-Clause
// RowsAt: the active rows of a set at a configuration, for assembly: phi, J,
// and the sizes that residuals are measured by.
//
//   size_i      sum over the row's bodies of max(|f| L, |n|)   f, n: wrench on the body about its origin for lambda = 1
//               of angles that are held: f, n at the pose where they are 0, since K grows with the angle
//   rounding_i  8 eps |f| times the distances that cancel between branches, or between a branch and the ground
// Rows of one constraint with forces of equal length have the largest size of them, so that least squares do not depend
// on axes. L: the largest distance of a body from the origin of its branch, 1 where all are 0.
#pragma once
#include "rows/problem.hpp"

namespace zwang {

class RowsAt {
 public:
  RowsAt(const Model& model, const ConstraintSet& set);

  /// Follows the set. Throws where it is not valid.
  void read();
  /// phi, J and sizes of all active hard rows at q, in the order of the set. False where a number is not finite.
  bool evaluate(const double* q);

  Index rows() const { return count_; }
  double phi(Index i) const { return phi_[i]; }                   ///< phi - target; NaN: the row has no position error
  const double* jacobian(Index i) const { return &J_[i * nv_]; }  ///< [nv]
  /// [nv] sums of the magnitudes of the terms of J.
  const double* terms(Index i) const { return &terms_[i * nv_]; }
  double size(Index i) const { return size_[i]; }
  double growth(Index i) const { return growth_[i]; }  ///< of its moment with the angle that it holds, >= 1
  double rounding(Index i) const { return rounding_[i]; }
  double target_velocity(Index i) const;
  /// Whether a value of phi is wanted.
  bool has_position(Index i) const;
  /// 1: at least, -1: at most its target; 0: equal.
  int side(Index i) const;
  bool has_sides() const;  ///< of some row that was read
  std::string_view name(Index i) const { return problem.row_name(row_[i]); }
  double length() const { return length_; }  ///< L

  OwnProblem problem;

 private:
  void jacobian_of(Index i, Index k);
  void size_of(Index i, Index k);
  bool moments_of_angles(Index k, Index* on, Vec3<double>* here, Vec3<double>* there) const;
  Index nv_, count_ = 0;
  Buffer<Index> row_;  ///< [rows] in the sweep
  Buffer<double> rest_, phi_, J_, terms_, size_, rounding_, force_, growth_;
  double length_ = 1;
};

}  // namespace zwang
