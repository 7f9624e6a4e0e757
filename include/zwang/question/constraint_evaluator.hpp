// SPDX-License-Identifier: BSD-3-Clause
// ConstraintEvaluator: the rows of a set at a state, without a solve: no mass matrix is needed, so that it also works
// where M is singular.
#pragma once
#include "zwang/core/owned.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang {

struct EvaluatorImpl;

/// The active rows, in order of insertion: J q'' = gamma is what the set requires of accelerations (soft rows:
/// J q'' + R lambda = gamma), gamma = beta - J' v - feedback of the errors (Stabilisation).
/// Allocates at construction; evaluate() does not. Follows the set: switches, targets and beta are used from the next
/// evaluate() on. After a move the source may only be assigned to.
class ConstraintEvaluator {
 public:
  /// Throws WorkspaceMismatch where the set was made for another model.
  ConstraintEvaluator(const Model& model, const ConstraintSet& constraints);
  ConstraintEvaluator(ConstraintEvaluator&&) noexcept;
  ConstraintEvaluator& operator=(ConstraintEvaluator&&) noexcept;
  ~ConstraintEvaluator();

  /// Throws std::invalid_argument naming the argument for wrong sizes and entries that are not finite, and what the set
  /// throws where it is not valid. After a throw there are no values.
  void evaluate(VectorIn q, VectorIn v);

  Index rows() const;  ///< active rows at the last evaluate()
  /// phi - target; NaN where a row has no position error: a frame without a target, or a velocity row.
  VectorView position_error() const;
  VectorView velocity_error() const;  ///< J v - target_velocity
  VectorView gamma() const;
  void jacobian(MatrixOut out) const;        ///< J, rows x nv
  std::string_view row_name(Index k) const;  ///< as the report names it: `tool:linear.x`
  std::string_view constraint_name(Index k) const;

 private:
  Owned<EvaluatorImpl> impl_;
};

}  // namespace zwang
