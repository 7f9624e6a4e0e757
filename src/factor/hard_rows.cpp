// SPDX-License-Identifier: BSD-3-Clause
#include "factor/hard_rows.hpp"

#include <algorithm>

namespace zwang {
namespace {

/// Angles between rows below the accuracy of a robot's description: its constants are rounded, often at 12 digits,
/// and snapped to 0 and 1 within 1e-12.
constexpr double k_default_tolerance = 1e-11;

}  // namespace

RowPolicy::RowPolicy(const SolverSettings& s)
    : singularity(s.singularity),
      tolerance(s.tolerance > 0 ? s.tolerance : k_default_tolerance),
      feasibility(s.feasibility),
      regularisation(s.regularisation),
      max_iterations(s.max_iterations) {}

double RowPolicy::pivot_tolerance(Index rows) const {
  return std::max(tolerance * tolerance, 64 * epsilon_of<double> * rows);
}

RowPolicy RowPolicy::with_W() const {
  RowPolicy better = *this;
  better.by_W = true;
  return better;
}

RowPolicy RowPolicy::with_soft_rows_in_W() const {
  RowPolicy better = with_W();
  better.soft_travels = true;
  return better;
}

HardRows::HardRows(Index coordinates, Index capacity, const Interruption* stop)
    : system(coordinates, capacity, stop),
      of_row(capacity),
      row(capacity),
      order(capacity),
      level(capacity),
      weight(capacity),
      b(capacity),
      lambda(capacity),
      size(capacity),
      open(capacity),
      stop_(stop) {}

void HardRows::take_all(const Problem& problem) {
  named_ = true;
  if (taken_ == Taken::all && reading_ == problem.rows.reading) return;
  count = 0;
  for (Index k = 0; k < problem.rows.m; ++k) {
    of_row[k] = problem.is_hard(k) ? count : -1;
    if (problem.is_hard(k)) row[count++] = k;
  }
  put_in_order(problem);
  taken_ = Taken::all;
}

void HardRows::take(const Problem& problem, const Index* rows, Index number) {
  for (Index k = 0; k < problem.rows.m; ++k) of_row[k] = -1;
  for (count = 0; count < number; ++count) {
    row[count] = rows[count];
    of_row[rows[count]] = count;
    level[count] = 0;
  }
  named_ = true;
  put_in_order(problem);
  taken_ = Taken::some;
}

void HardRows::take_combinations(const Problem& problem, Index number) {
  take(problem, nullptr, 0);
  count = number;
  named_ = false;
}

void HardRows::put_in_order(const Problem& problem) {
  Index n = 0;
  for (Index r = 0; r < problem.layout.rows(); ++r) {
    const Index k = problem.rows.sweep_row[r];
    if (k >= 0 && of_row[k] >= 0) order[n++] = of_row[k];
  }
  reading_ = problem.rows.reading;
  ranked_reading_ = 0;  // readings count from 1
}

bool HardRows::take_ranks(const Problem& problem, Singularity singularity) {
  const bool before = weighed;
  const RowTraits& traits = problem.rows.traits;
  many_levels = traits.levels;
  if (ranked_reading_ == problem.rows.reading && !traits.weights) {  // unchanged
    weighed = false;
    return before;
  }
  bool other = false, other_level = ranked_reading_ != problem.rows.reading;
  weighed = false;
  for (Index i = 0; i < count && named_; ++i) {
    const Constraint& x = problem.constraint_of(row[i]);
    const double w = x.weight.empty() ? 1.0 : x.weight[problem.row_in_constraint(row[i])];
    other_level = other_level || level[i] != x.priority.value();
    level[i] = x.priority;
    other = other || weight[i] != w;
    weight[i] = w;
    weighed = weighed || !x.weight.empty();
  }
  ranked_reading_ = problem.rows.reading;
  weighed = weighed && singularity == Singularity::weighted;
  return other_level || weighed != before || (weighed && other);
}

void HardRows::find_openness(const Problem& problem) {
  for (Index i = 0; i < count; ++i) open[i] = named_ ? problem.openness(row[i]) * system.root_bound(i) : 0.0;
}

bool HardRows::solve(const RowPolicy& policy, const double* soft_right, const double* right, double* answer,
                     int& iterations) {
  const bool proximal = policy.singularity == Singularity::proximal;
  const double mu = policy.regularisation > 0 ? policy.regularisation : proximal ? 1e-8 : 1e-6;
  if (policy.singularity == Singularity::damping)
    system.solve_damped(right, mu, answer);
  else if (proximal)
    return system.solve_proximal(right, mu, policy.max_iterations, answer, iterations);
  else
    system.solve(soft_right, right, answer);
  by_W = has_motion(policy);
  energy = -1;
  return true;
}

}  // namespace zwang
