// SPDX-License-Identifier: BSD-3-Clause
#include "factor/compressed_factor.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"

namespace zwang {
namespace {

constexpr Index k_lanes = RowReader::k_lanes;
constexpr unsigned k_carried = 1U << 31;  // readings of carried rows are not those of the set

}  // namespace

/// The problem with the carried rows, as long as this lives.
class CompressedFactor::AsCarried {
 public:
  AsCarried(CompressedFactor& factor, Problem& problem) : factor_(factor), problem_(problem) {
    swap();
    problem.relations_known = true;
  }
  ~AsCarried() {
    swap();
    problem_.relations_known = false;
  }
  AsCarried(const AsCarried&) = delete;
  AsCarried& operator=(const AsCarried&) = delete;

 private:
  void swap() {
    std::swap(problem_.rows, factor_.stage_);
    std::swap(static_cast<RowOrder&>(problem_.reader), factor_.order_);
  }
  CompressedFactor& factor_;
  Problem& problem_;
};

CompressedFactor::CompressedFactor(const Problem& problem)
    : rows_(problem),
      order_(problem.layout),
      stage_(problem.layout.room),
      numbers_(problem.reader.numbers.size()),
      rank_(problem.layout.constraint_capacity) {}

bool CompressedFactor::allows(const Problem& problem, const RowPolicy& policy) {
  const RowTraits& t = problem.reader.traits;
  return policy.singularity == Singularity::truncation && !policy.by_W && t.relation && t.hard && !t.leaves_out &&
         !t.weights;
}

bool CompressedFactor::finds(Problem& problem, const RowPolicy& policy) {
  if (!allows(problem, policy)) return false;
  const unsigned reading = problem.reader.reading;
  if (expected_ != reading && !problem.prescribed.any) {
    may_depend_ = rows_.must_depend(problem);
    expected_ = reading;
  }
  const bool all = suspected_ == reading;
  const bool some = problem.prescribed.any ? rows_.must_depend(problem) : may_depend_;  // fewer columns are free
  if (!some && !all) return false;
  if (!has_attached_) std::swap(problem.rows, stage_);
  has_attached_ = true;
  page::kinematics(problem.data, problem.q.data(), problem.v.data());
  problem.attach();
  if (rows_.find(problem, all)) {
    arrange(problem);
    fill(problem);
    return true;
  }
  suspected_ = 0;
  release(problem);
  return false;
}

void CompressedFactor::release(Problem& problem) {
  if (!has_attached_) return;
  std::swap(problem.rows, stage_);
  has_attached_ = false;
}

bool CompressedFactor::is_arranged(const Problem& problem) const {
  bool same = arranged_ == problem.reader.reading;
  for (std::size_t n = 0; same && n < rows_.blocks().size(); ++n)
    same = rank_[static_cast<Index>(n)] == rows_.blocks()[n].rank;
  return same;
}

/// The order of the carried rows. Entries of relations without a row that counts are left out.
void CompressedFactor::arrange(const Problem& problem) {
  if (is_arranged(problem)) return;
  const RowReader& reader = problem.reader;
  for (std::vector<Index>* x : {&order_.constraint, &order_.part}) x->clear();
  order_.active.clear();
  std::fill_n(order_.sweep_row.data(), problem.layout.rows(), Index(-1));
  order_.rows = 0;
  Index numbers = 0, block = 0;
  for (std::size_t e = 0; e < reader.active.size(); ++e) {
    const Index c = reader.constraint[e], set_row = reader.first_kept(problem.layout, c);
    const CompressedRows::Block* const b = rows_.block_of(c);
    const Index first = reader.sweep_row[set_row];
    Index count = reader.active[e].count;
    if (b != nullptr) count = b->rank;
    if (reader.part[e] == 0) rank_[block++] = count;
    if (count == 0) continue;
    page::ActiveRows<double> a = reader.active[e];
    if (a.rejoins > 0) a.rejoins = 1 + order_.sweep_row[set_row];
    if (b != nullptr) {
      a.count = count;
      a.columns = &numbers_[numbers];
      numbers += 7 * (count + 2 * k_lanes);
    }
    order_.active.push_back(a);
    order_.constraint.push_back(c);
    order_.part.push_back(reader.part[e]);
    for (Index i = 0; reader.part[e] == 0 && i < count; ++i, ++order_.rows) {
      const Index row = reader.row_of[first + i];
      order_.row_of[order_.rows] = row;
      order_.sweep_row[row] = order_.rows;
      order_.constraint_of[order_.rows] = c;
    }
  }
  arranged_ = reader.reading;
  order_.reading = k_carried | ++arrangements_;
}

/// K' = Y^T K and beta' = Y^T beta of the compressed relations.
void CompressedFactor::fill(Problem& problem) {
  RowReader& reader = problem.reader;
  Index numbers = 0;
  for (std::size_t e = 0; e < reader.active.size(); ++e) {
    const CompressedRows::Block* const b = rows_.block_of(reader.constraint[e]);
    if (b == nullptr || b->rank == 0) continue;
    for (Index d = 0; d < 7; ++d, numbers += b->rank + 2 * k_lanes) {
      double* const column = &numbers_[numbers];
      std::fill_n(column, b->rank + 2 * k_lanes, 0.0);
      for (Index i = 0; i < b->size; ++i) {
        const double x = reader.number(e, d, i, b->size);
        for (Index j = 0; j < b->rank; ++j) column[k_lanes + j] += b->row_of_turn(i)[j] * x;
      }
    }
  }
}

void CompressedFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  {
    const AsCarried carried(*this, problem);
    used_->solve(problem, policy, answer);
    if (answer.outcome == Outcome::to_root) {
      used_ = at_root_;
      used_->solve(problem, policy, answer);
    }
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
  return allows(problem, policy) && arranged_ == problem.reader.reading;
}

bool CompressedFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  rows_.contract(sides.b.data());
  bool solved = false;
  {
    const AsCarried carried(*this, problem);
    solved = used_->apply(problem, policy, answer, sides);
  }
  rows_.expand(sides.lambda.data());
  expand_scale(answer);  // the factor has written it anew, or it is 0 everywhere
  return solved;
}

}  // namespace zwang
