// SPDX-License-Identifier: BSD-3-Clause
// PathFactor: hard rows on bodies and relations between two bodies, eliminated at the ends of their own
// paths (kernels/path_rows.hpp). It solves; what it keeps is no factorisation. SweepFactor makes one at
// the same state when it is first asked for.
#pragma once
#include "factor/path_plan.hpp"
#include "factor/sweep_factor.hpp"

namespace zwang {

class PathFactor final : public Factor {
 public:
  PathFactor(const Problem& problem, SweepFactor& sweep);

  void forget() { doubted_ = 0; }  ///< what was found at earlier states
  /// Plans the active rows where they are others than those of the last plan. False where rows cannot go this way:
  /// the method or the policy does not allow it, or the rows do not fit (try_plan_paths).
  bool try_plan(Problem& problem, const Method& method, const RowPolicy& policy);
  /// Leaves Outcome::to_root where the rows are not independent beyond doubt or an answer is not certain:
  /// a sweep to the root can decide.
  void solve(Problem& problem, const RowPolicy& policy, Answer& answer) override;
  bool serves(const Problem& problem, const RowPolicy& policy) const override;
  bool apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) override;
  /// One right-hand side by what the solve has left, without a factorisation: for rows that are those of the solve.
  /// False where a factorisation has been made, or the answer is not certain; apply() can decide.
  bool respond(const Problem& problem, RightHandSides& sides);
  /// What the solve has left is still there: no factorisation has been begun since, and no other rows have been read.
  bool is_as_solved(const Problem& problem) const {
    return columns_are_mine_ && problem.rows.in_path_blocks && planned_ == problem.rows.reading;
  }
  bool holds(const Problem& problem, const RowPolicy& policy, const Answer& answer) override;

  void leave_drivers_out(Problem& problem, Answer& answer) override;
  void leave_drivers_out(Problem& problem, RightHandSides& sides) override;

  /// The solve before was another one: inactive rows may hold its numbers.
  bool is_fresh() const { return fresh_; }
  const PathStage& stage() const { return stage_; }        ///< numbers of the rows, after a solve
  const double* torque() const { return torque_.data(); }  ///< [nv] J^T lambda
  double energy() const { return energy_; }                ///< Z

 private:
  bool make_factor(Problem& problem, Answer& answer);
  void keep(const Problem& problem, const Answer& answer);
  void restore(Problem& problem, Answer& answer);

  SweepFactor& sweep_;
  const Method* method_ = nullptr;
  RowPolicy policy_;  ///< of the last solve
  PathStage stage_;
  Buffer<double> torque_;
  Buffer<double> kept_;  ///< [2 nv] of the answer, while a factorisation is made; tau and x of a response
  Buffer<double> kept_lambda_, kept_row_;  ///< [rows] likewise: lambda and l; lambda and b of a response
  double energy_ = 0;
  unsigned reading_ = 0;  ///< of the plan
  unsigned doubted_ = 0;  ///< the reading whose rows were not independent: of relations these seldom become so
  unsigned planned_ = 0;  ///< the same of the places of the problem's rows
  bool fits_ = false, fresh_ = true;
  bool factored_ = false;          ///< the sweep holds the factorisation of this state
  bool columns_are_mine_ = false;  ///< columns of Data are those that the solve has left
};

}  // namespace zwang
