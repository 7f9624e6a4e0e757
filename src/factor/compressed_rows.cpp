// SPDX-License-Identifier: BSD-3-Clause
#include "factor/compressed_rows.hpp"

#include <algorithm>
#include <cmath>

namespace zwang {
namespace {

constexpr double k_clear = 1e-4;  // smallest rest of a row that counts: below it the rows nearly depend
constexpr double k_alike = 1e3;   // largest ratio of the sizes of the rows
constexpr double k_closed = 4 * epsilon_of<double>;  // a relation that is open by less is closed up to rounding
constexpr double k_balanced2 = 1e-26;                // of the wrenches on both bodies, as squares

}  // namespace

CompressedRows::CompressedRows(const Problem& problem)
    : system_(problem.state.data.tree().spanning_nv, most),
      complement_(most, most),
      W_(most * problem.state.data.tree().spanning_nv),
      bound_(most),
      column_(problem.state.data.tree().spanning_nv),
      which_(problem.state.data.tree().spanning_nv),
      turn_(most * problem.layout.capacity),
      carried_(problem.layout.capacity),
      at_(problem.layout.constraint_capacity) {
  blocks_.reserve(static_cast<std::size_t>(problem.layout.part_capacity));
}

/// Hard rows of a relation on one or two bodies.
bool CompressedRows::may_depend(const Problem& problem, std::size_t entry) {
  const Rows& rows = problem.rows;
  const Constraint& x = problem.layout.constraint(rows.constraint[entry]);
  return rows.part[entry] == 0 && x.relation != nullptr && x.relation->bodies().size() <= 2 && x.size() > 1 &&
         x.size() <= most && rows.active[entry].compliance == nullptr && rows.active[entry].count == x.size();
}

bool CompressedRows::must_depend(const Problem& problem) {
  for (std::size_t e = 0; e < problem.rows.active.size(); ++e) {
    const Constraint& x = problem.layout.constraint(problem.rows.constraint[e]);
    if (!may_depend(problem, e)) continue;
    list_columns(problem, x);
    if (columns_ < x.size()) return true;
  }
  return false;
}

bool CompressedRows::find(const Problem& problem, bool all) {
  const Rows& rows = problem.rows;
  blocks_.clear();
  std::fill_n(at_.data(), at_.size(), Index(-1));
  Index first = 0, carried = 0;
  for (std::size_t e = 0; e < rows.active.size(); ++e) {
    if (rows.part[e] > 0) continue;
    const Constraint& x = problem.layout.constraint(rows.constraint[e]);
    const Index size = rows.active[e].count;
    Block b{first, size, carried, size, nullptr};
    if (may_depend(problem, e)) {
      const Index ancestor = list_columns(problem, x);
      if ((all || columns_ < b.size) && (ancestor == 0 || is_balanced(problem, b)) && compress(problem, b))
        at_[rows.constraint[e]] = static_cast<Index>(blocks_.size());
    }
    for (Index i = 0; i < b.size; ++i) carried_[first + i] = b.turn != nullptr ? -1 : carried + i;
    blocks_.push_back(b);
    first += b.size;
    carried += b.rank;
  }
  dropped_ = first - carried;
  return dropped_ > 0;
}

/// The free columns on the paths from the bodies of a relation to their lowest common ancestor, which is returned.
Index CompressedRows::list_columns(const Problem& problem, const Constraint& x) {
  const Tree<double>& tree = problem.state.data.tree();
  Index body[2] = {first_body(x), part_count(x) > 1 ? body_of_part(x, 1) : 0};
  columns_ = 0;
  while (body[0] != body[1]) {
    const int deeper = body[0] > body[1] ? 0 : 1;
    Index& i = body[deeper];
    for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
      if (problem.state.prescribed.any && problem.state.prescribed.is[tree.column[k].v]) continue;
      column_[columns_] = k;
      which_[columns_++] = static_cast<unsigned char>(deeper);
    }
    i = tree.body[i].parent;
  }
  return body[0];
}

/// Whether the wrenches of the rows on both bodies cancel, so that no joint beyond the common ancestor feels them.
bool CompressedRows::is_balanced(const Problem& problem, const Block& b) const {
  for (Index k = b.first; k < b.first + b.size; ++k) {
    Force<double> sum = Force<double>::zero();
    double force2 = 0, moment2 = 0;
    page::for_each_part(problem.rows, k, [&](Index body, const Force<double>& K) {
      const Vec3<double>& p = problem.state.data.position.placement[body].p;
      sum += K;
      force2 += dot(K.f, K.f);
      moment2 += dot(K.n, K.n) + dot(K.f, K.f) * dot(p, p);
    });
    if (!(dot(sum.f, sum.f) <= k_balanced2 * force2 && dot(sum.n, sum.n) <= k_balanced2 * moment2)) return false;
  }
  return true;
}

/// J of the rows on the columns of the loop, and the sums of the squares of the terms of each row.
void CompressedRows::write_rows(const Problem& problem, const Block& b) {
  const Data& data = problem.state.data;
  for (Index r = 0; r < b.size; ++r) {
    const Index k = b.first + r, further = problem.rows.last_further[k];
    Force<double> K[2] = {page::attached_row(problem.rows, k), Force<double>::zero()};
    double force[2] = {norm(K[0].f), 0}, moment[2] = {0, 0};
    moment[0] = norm(K[0].n) + force[0] * norm(data.position.placement[problem.rows.body[k]].p);
    if (further >= 0) {
      K[1] = page::row_at(problem.rows, problem.rows.further_place[further]);
      force[1] = norm(K[1].f);
      moment[1] = norm(K[1].n) + force[1] * norm(data.position.placement[problem.rows.further_body[further]].p);
    }
    double* const w = &W_[r * columns_];
    bound_[r] = 0;
    for (Index c = 0; c < columns_; ++c) {
      const Motion<double> s = data.articulated.column[column_[c]].s;
      const int part = which_[c];
      w[c] = dot(s, K[part]);
      const double terms = norm(s.v) * force[part] + norm(s.w) * moment[part];
      bound_[r] += terms * terms;
    }
  }
}

/// True if rows of the relation depend on others by rounding and no row nearly depends.
bool CompressedRows::compress(const Problem& problem, Block& b) {
  write_rows(problem, b);
  for (Index i = 0; i < b.size; ++i)
    if (!(bound_[i] > 0)) return false;
  system_.gather(b.size, columns_, W_.data(), bound_.data());
  constexpr double k_gross_ratio = 1;  // J has no inertia that could cancel
  constexpr double k_rounding = 0;     // the tolerance of the policy acts on the rows that are carried
  if (system_.factor_regular(k_gross_ratio, k_rounding)) return false;
  MassWeightedRows& ranked = system_.ranked;
  ranked.begin(columns_, 0, b.size);
  double open[most], smallest = 0, largest = 0, violation = 0;
  for (Index i = 0; i < b.size; ++i)
    violation = std::max(violation, std::fabs(problem.rows.phi[problem.rows.row_of[b.first + i]]));
  for (Index i = 0; i < b.size; ++i) {
    std::copy_n(&W_[i * columns_], columns_, ranked.hard_row(i));
    open[i] = violation > k_closed ? problem.openness(b.first + i) * system_.root_bound(i) : 0.0;
  }
  system_.doubt();
  system_.factor_ranked(open, nullptr, nullptr, k_rounding);
  const Index rank = system_.rank();
  for (Index i = 0; i < b.size; ++i) {
    if (!ranked.counts(i)) continue;
    smallest = smallest > 0 ? std::min(smallest, ranked.size(i)) : ranked.size(i);
    largest = std::max(largest, ranked.size(i));
  }
  if (rank == b.size || ranked.smallest_counted() < k_clear || largest > k_alike * smallest) return false;
  double* const turn = &turn_[most * b.first];
  b.rank = rank;
  b.turn = turn;
  write_turn(b, turn);
  return true;
}

/// Y, an orthonormal basis of what is orthogonal to all relations of the rows,
/// and the circuits in the order of their last rows.
void CompressedRows::write_turn(Block& b, double* turn) {
  const Index left = b.size - b.rank;
  for (Index j = 0; j < left; ++j)
    for (Index i = 0; i < b.size; ++i) complement_.column(j)[i] = system_.relation(i, j);
  complement_.factor_in_order(b.size, left);
  for (Index j = 0; j < b.rank; ++j) {
    double y[most] = {};
    y[left + j] = 1;
    complement_.apply(y);
    for (Index i = 0; i < b.size; ++i) turn[i * b.size + j] = y[i];
  }
  static constexpr Index k_order[most] = {0, 1, 2, 3, 4, 5, 6, 7};
  b.circuits = system_.circuits(k_order);
  for (Index j = 0; j < b.circuits; ++j)
    for (Index i = 0; i < b.size; ++i)
      turn[i * b.size + b.rank + j] = system_.circuit(b.circuits - 1 - j).c[i * system_.capacity()];
}

}  // namespace zwang
