// SPDX-License-Identifier: BSD-3-Clause
#include "factor/compressed_factor.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"

namespace zwang {
namespace {

constexpr unsigned k_carried = 1U << 31;  // readings of carried rows are not those of the set

}  // namespace

CompressedFactor::CompressedFactor(const Problem& problem)
    : rows_(problem),
      carried_(problem.layout),
      rank_(problem.layout.constraint_capacity) {}

bool CompressedFactor::allows(const Problem& problem, const RowPolicy& policy) {
  const RowTraits& t = problem.rows.traits;
  return policy.singularity == Singularity::truncation && !policy.by_W && t.relation && t.hard && !t.leaves_out &&
         !t.weights;
}

bool CompressedFactor::finds(Problem& problem, const RowPolicy& policy) {
  if (!allows(problem, policy)) return false;
  const unsigned reading = problem.rows.reading;
  if (expected_ != reading && !problem.state.prescribed.any) {
    may_depend_ = rows_.must_depend(problem);
    expected_ = reading;
  }
  const bool all = examined_ == reading;
  const bool some = problem.state.prescribed.any ? rows_.must_depend(problem) : may_depend_;  // fewer columns are free
  if (!some && !all) return false;
  page::kinematics(problem.state.data, problem.state.q.data(), problem.state.v.data());
  problem.attach();
  if (!rows_.find(problem, all)) {
    examined_ = 0;
    return false;
  }
  arrange(problem.layout, problem.rows);
  fill(problem.rows);
  return true;
}

bool CompressedFactor::is_arranged(const Rows& rows) const {
  bool same = arranged_ == rows.reading;
  for (std::size_t n = 0; same && n < rows_.blocks().size(); ++n)
    same = rank_[static_cast<Index>(n)] == rows_.blocks()[n].rank;
  return same;
}

/// The order of the carried rows. Entries of relations without a row that counts are left out.
void CompressedFactor::arrange(const RowLayout& layout, const Rows& rows) {
  if (is_arranged(rows)) return;
  Rows& to = carried_;
  to.RowOrder::clear();
  to.traits = rows.traits;
  std::copy_n(rows.released.data(), rows.released.size(), to.released.data());
  Index numbers = 0, block = 0;
  for (std::size_t e = 0; e < rows.active.size(); ++e) {
    const Index c = rows.constraint[e], set_row = rows.first_kept(layout, c);
    const CompressedRows::Block* const b = rows_.block_of(c);
    const Index first = rows.sweep_row[set_row];
    Index count = rows.active[e].count;
    if (b != nullptr) count = b->rank;
    if (rows.part[e] == 0) rank_[block++] = count;
    if (count == 0) continue;
    page::ActiveRows<double> a = rows.active[e];
    if (a.rejoins > 0) a.rejoins = 1 + to.sweep_row[set_row];
    if (b != nullptr) {
      a.count = count;
      a.columns = &to.numbers[numbers];
      numbers += 7 * (count + 2 * Rows::k_lanes);
    }
    to.active.push_back(a);
    to.constraint.push_back(c);
    to.part.push_back(rows.part[e]);
    for (Index i = 0; rows.part[e] == 0 && i < count; ++i, ++to.count) {
      const Index row = rows.row_of[first + i];
      to.row_of[to.count] = row;
      to.sweep_row[row] = to.count;
      to.constraint_of[to.count] = c;
      to.role[to.count] = rows.role[first + i];
    }
  }
  arranged_ = rows.reading;
  to.reading = k_carried | ++arrangements_;
}

/// The numbers of the state: K' = Y^T K and beta' = Y^T beta of the compressed relations.
void CompressedFactor::fill(Rows& rows) {
  Index numbers = 0;
  for (std::size_t e = 0; e < rows.active.size(); ++e) {
    const CompressedRows::Block* const b = rows_.block_of(rows.constraint[e]);
    if (b == nullptr || b->rank == 0) continue;
    for (Index d = 0; d < 7; ++d, numbers += b->rank + 2 * Rows::k_lanes) {
      double* const column = &carried_.numbers[numbers];
      std::fill_n(column, b->rank + 2 * Rows::k_lanes, 0.0);
      for (Index i = 0; i < b->size; ++i) {
        const double x = rows.number(e, d, i, b->size);
        for (Index j = 0; j < b->rank; ++j) column[Rows::k_lanes + j] += b->row_of_turn(i)[j] * x;
      }
    }
  }
  std::copy_n(rows.phi.data(), rows.phi.size(), carried_.phi.data());
  std::copy_n(rows.rate.data(), rows.rate.size(), carried_.rate.data());
  carried_.shock = rows.shock;
  carried_.at_state = true;
}

void CompressedFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  Problem of_carried = carried(problem);
  used_->solve(of_carried, policy, answer);
  if (answer.outcome == Outcome::to_root) {
    used_ = at_root_;
    used_->solve(of_carried, policy, answer);
  }
  if (answer.outcome == Outcome::solved && (answer.stiffened || !answer.hard.beyond_doubt()))
    answer.outcome = Outcome::to_root;
  if (answer.outcome != Outcome::solved) return;
  answer.compressed = &rows_;
  rows_.expand(answer.lambda.data());
  expand_scale(answer);
}

/// A combination of rows has no scale that its rows have.
void CompressedFactor::expand_scale(Answer& answer) const {
  rows_.expand(answer.scale.data());
  for (const CompressedRows::Block& b : rows_.blocks())
    if (b.turn != nullptr) std::fill_n(&answer.scale[b.first], b.size, 0.0);
}

bool CompressedFactor::serves(const Problem& problem, const RowPolicy& policy) const {
  return allows(problem, policy) && arranged_ == problem.rows.reading;
}

bool CompressedFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  rows_.contract(sides.b.data());
  Problem of_carried = carried(problem);
  const bool solved = used_->apply(of_carried, policy, answer, sides);
  rows_.expand(sides.lambda.data());
  expand_scale(answer);  // the factor has written it anew, or it is 0 everywhere
  return solved;
}

}  // namespace zwang
