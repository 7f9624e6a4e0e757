// SPDX-License-Identifier: BSD-3-Clause
// HardRows: Lambda lambda = b of the hard rows that no earlier step has eliminated: their rank, their multipliers, and
// their indices in the problem.
#pragma once
#include "linear/rank_revealing.hpp"
#include "rows/problem.hpp"

namespace zwang {

/// How dependent and nearly dependent rows are solved.
struct RowPolicy {
  RowPolicy() = default;
  explicit RowPolicy(const SolverSettings& s);
  /// The tolerance for methods that decide on pivots of Lambda, which are squares.
  double pivot_tolerance(Index rows) const;
  /// Neither damped nor an iteration: W may answer, and an answer may be refined.
  bool is_exact() const { return singularity == Singularity::truncation || singularity == Singularity::weighted; }
  RowPolicy with_W() const;               ///< W answers
  RowPolicy with_soft_rows_in_W() const;  ///< and nothing is divided by a compliance
  Singularity singularity = Singularity::truncation;
  double tolerance = 0;  ///< of the rank rule (linear/mass_weighted_rows.hpp)
  double feasibility = 1e-9, regularisation = 0;
  int max_iterations = 200;
  bool levels = true;         ///< false: all rows on one level
  bool by_W = false;          ///< W answers even where the cheap test passes
  bool soft_travels = false;  ///< soft rows go to the root and into W: nothing is divided by a compliance
};

struct HardRows {
  /// Rows of W have up to `coordinates` entries. `stop`: as in RankRevealing.
  HardRows(Index coordinates, Index capacity, const Interruption* stop);

  /// Takes all hard rows of the problem, in the order of the sweep. Done once for every reading of the set.
  void take_all(const Problem& problem);
  /// Takes these rows of the problem.
  void take(const Problem& problem, const Index* rows, Index number);
  /// Takes combinations of rows that are not rows of the set: the remainder at the root after early elimination.
  void take_combinations(const Problem& problem, Index number);
  /// Takes priorities and weights as the set has them now. True if they have changed, so that a new factor is needed.
  bool take_ranks(const Problem& problem, Singularity singularity);

  /// Factors the Lambda that `system` has gathered. Where the cheap test fails, write_W(MassWeightedRows&) is asked for
  /// the rows; `ratio`: g^2 of that test.
  template <class WriteW> void factor(const Problem& problem, const RowPolicy& policy, double ratio, WriteW&& write_W) {
    tolerance = policy.tolerance;
    gross_ratio = ratio;
    by_W = false;
    energy = -1;
    ranked_by_level = policy.levels && many_levels;
    if (system.factor_regular(gross_ratio, tolerance) && !policy.by_W) return;
    if (is_asked(stop_)) return;
    system.doubt();
    write_W(system.ranked);
    find_openness(problem);
    system.factor_ranked(open.data(), weighed ? weight.data() : nullptr, ranked_by_level ? level.data() : nullptr,
                         tolerance);
  }
  /// Whether the factor was made for these settings.
  bool is_for(const RowPolicy& policy) const {
    return tolerance == policy.tolerance && ranked_by_level == (policy.levels && many_levels);
  }
  /// answer = lambda for `right`, and for `soft_right` of the soft rows in W. False if an iterative method has not
  /// converged; counts its iterations.
  bool solve(const RowPolicy& policy, const double* soft_right, const double* right, double* answer, int& iterations);
  /// The motion of solve() will be z of `system.ranked`, not that of the multipliers.
  bool has_motion(const RowPolicy& policy) const {
    return (count > 0 || system.ranked.soft_rows() > 0) && !system.by_cheap_test() && policy.is_exact();
  }
  Index rank() const { return count > 0 ? system.rank() : 0; }
  bool is_regular() const { return rank() == count; }
  /// Every row counts beyond doubt, by the cheap test.
  bool beyond_doubt() const { return count == 0 || system.by_cheap_test(); }
  bool is_named() const { return named_; }  ///< they are rows of the set, not combinations

  RankRevealing system;
  Index count = 0;
  Buffer<Index> of_row;            ///< [m] index here of a row of the problem; -1: not here
  Buffer<Index> row;               ///< [count] row of the problem
  Buffer<Index> order;             ///< [count] in the user's order
  Buffer<int> level;               ///< [count]
  Buffer<double> weight;           ///< [count]
  Buffer<double> b, lambda, size;  ///< [count] of the problem's own right-hand side; size: magnitude of the terms of b
  double free_motion = 0;          ///< |q''|_M without these rows
  Buffer<double> open;             ///< [count] how far open relations turn the row, in units of W
  double tolerance = 0;            ///< of the rank rule, as they were factored
  double gross_ratio = 0;          ///< g^2 of the cheap test
  bool by_W = false;               ///< the answer is z of `system.ranked`
  double energy = -1;              ///< 1/2 |z|^2, where z has gone since and its motion stays; else negative
  bool weighed = false;            ///< the factor is of weighted rows
  bool many_levels = false, ranked_by_level = false;

 private:
  void put_in_order(const Problem& problem);
  void find_openness(const Problem& problem);
  enum class Taken { nothing, all, some };
  Taken taken_ = Taken::nothing;
  unsigned reading_ = 0, ranked_reading_ = 0;  ///< of the rows taken; of level and weight
  bool named_ = false;
  const Interruption* stop_;
};

}  // namespace zwang
