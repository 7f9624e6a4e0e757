// SPDX-License-Identifier: BSD-3-Clause
// HardRows: Lambda lambda = b of the hard rows that no earlier step has eliminated: their rank, their multipliers, and
// their indices in the problem.
#pragma once
#include "dynamics/problem/problem.hpp"
#include "dynamics/root/rank_revealing.hpp"

namespace zwang {

/// How dependent and nearly dependent rows are solved.
struct RowPolicy {
  RowPolicy() = default;
  explicit RowPolicy(const SolverSettings& s);
  double rank_tolerance(Index rows) const;  ///< relative, on equilibrated rows
  Singularity singularity = Singularity::truncation;
  double tolerance = 0, feasibility = 1e-9, regularisation = 0;
  int max_iterations = 200;
  bool levels = true;  ///< false: all rows on one level
};

struct HardRows {
  explicit HardRows(Index capacity);

  /// Takes all hard rows of the problem, in the order of the sweep. Done once for every reading of the set.
  void take_all(const Problem& problem);
  /// Takes these rows of the problem.
  void take(const Problem& problem, const Index* rows, Index number);
  /// Takes combinations of rows that are not rows of the set: the remainder at the root after early elimination.
  void take_combinations(const Problem& problem, Index number);
  /// Takes priorities and weights as the set has them now. True if weights have changed, so that a new factor is
  /// needed.
  bool take_ranks(const Problem& problem, Singularity singularity);

  /// Factors the Lambda that `system` has gathered.
  void factor(const RowPolicy& policy, Index rows_of_problem);
  /// answer = lambda for `right`, scaled by `magnitude` and |q''_free|_M = free. False if an iterative method has not
  /// converged; counts its iterations.
  bool solve(const RowPolicy& policy, const double* right, const double* magnitude, double free, double* answer,
             int& iterations);
  Index rank() const { return count > 0 ? system.rank() : 0; }
  bool is_regular() const { return rank() == count; }
  bool is_named() const { return named_; }  ///< they are rows of the set, not combinations
  /// The largest acceleration of row k of the problem that a motion of |q''|_M = 1 can cause; 0 if not known.
  double scale_of(Index k) const { return of_row[k] >= 0 ? system.row_scale(of_row[k]) : 0.0; }

  RankRevealing system;
  Index count = 0;
  Buffer<Index> of_row;            ///< [m] index here of a row of the problem; -1: not here
  Buffer<Index> row;               ///< [count] row of the problem
  Buffer<Index> order;             ///< [count] in the user's order
  Buffer<int> level;               ///< [count]
  Buffer<double> weight;           ///< [count]
  Buffer<double> b, lambda, size;  ///< [count] of the problem's own right-hand side; size: magnitude of the terms of b
  double free_motion = 0;          ///< |q''|_M without these rows
  double tolerance = 0;            ///< relative, of the rank, as they were factored
  bool weighed = false;            ///< the factor is of weighted rows
  bool many_levels = false;

 private:
  void put_in_order(const Problem& problem);
  enum class Taken { nothing, all, some };
  Taken taken_ = Taken::nothing;
  unsigned reading_ = 0, ranked_reading_ = 0;  ///< of the rows taken; of level and weight
  bool named_ = false;
};

}  // namespace zwang
