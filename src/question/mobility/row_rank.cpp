// SPDX-License-Identifier: BSD-3-Clause
#include "question/mobility/row_rank.hpp"

#include <algorithm>

#include "zwang/core/strips.hpp"

namespace zwang {

RowRank::RowRank(EvaluatedRows& rows)
    : rows_(rows),
      problem_(rows.problem),
      sweep_(problem_),
      answer_(problem_),
      released_(rows.problem.layout.capacity),
      counts_(rows.problem.layout.capacity),
      of_set_(rows.problem.layout.capacity),
      at_(rows.problem.layout.capacity),
      bound_(rows.problem.layout.capacity) {}

bool RowRank::find(const unsigned char* out, double tolerance) {
  std::fill_n(released_.data(), released_.size(), static_cast<unsigned char>(0));
  for (Index i = 0; i < rows_.rows; ++i) released_[rows_.row_of_set(i)] = out[i] != 0 || rows_.compliance(i) > 0;
  problem_.read(k_evaluation);  // after a change of the set no row is left out
  problem_.reader.release(released_.data(), problem_.rows);
  problem_.read(k_evaluation);
  problem_.rows.at_state = false;
  RowPolicy policy;
  policy.tolerance = tolerance;
  sweep_.plan(problem_, method_at(Place::root));
  sweep_.solve(problem_, policy, answer_);
  if (answer_.outcome != Outcome::solved) return false;
  for (Index i = 0; i < rows_.rows; ++i) of_set_[rows_.row_of_set(i)] = i;
  std::fill_n(at_.data(), at_.size(), Index(-1));
  for (Index h = 0; h < answer_.hard.count; ++h) at_[of_set_[problem_.rows.row_of[answer_.hard.row[h]]]] = h;
  take();
  return true;
}

void RowRank::find(const Index* listed, Index count, const double* rows, const double* terms, double tolerance) {
  HardRows& hard = answer_.hard;
  const Index n = rows_.nv;
  hard.take_combinations(problem_, count);
  std::fill_n(at_.data(), at_.size(), Index(-1));
  for (Index h = 0; h < count; ++h) {
    at_[listed[h]] = h;
    hard.order[h] = h;
    bound_[h] = dot(n, terms + h * n, terms + h * n);
  }
  hard.system.gather(count, n, rows, bound_.data());
  hard.system.doubt();
  hard.system.ranked.begin(n, 0, count);
  for (Index h = 0; h < count; ++h) {
    std::copy_n(rows + h * n, n, hard.system.ranked.hard_row(h));
    hard.open[h] = rows_.openness(listed[h]) * hard.system.root_bound(h);
  }
  hard.system.factor_ranked(hard.open.data(), nullptr, nullptr, tolerance);
  take();
}

void RowRank::take() {
  const HardRows& hard = answer_.hard;
  rank_ = hard.rank();
  for (Index i = 0; i < rows_.rows; ++i)
    counts_[i] = at_[i] >= 0 && (hard.is_regular() || hard.system.ranked.counts(at_[i]));
}

Index RowRank::find_circuits() {
  HardRows& hard = answer_.hard;
  circuits_ = hard.rank() < hard.count ? hard.system.circuits(hard.order.data()) : 0;
  return circuits_;
}

double RowRank::coefficient(Index k, Index i) const {
  return at_[i] < 0 ? 0.0 : circuit(k).c[at_[i] * answer_.hard.system.capacity()];
}

}  // namespace zwang
