// SPDX-License-Identifier: BSD-3-Clause
// Where `automatic` eliminates rows: estimates the sweep's time for each place
// from the length of the path of every row.
//
//   T = a N + sum over columns of (b s + c r s^2 / 2) + e m + f m^2 + g m^3       s strands carried past the column,
//   r rows in a strand, m rows at the root, N columns; early: + per strand and joint the search for stiff directions
//   loop_aba: T = h N + i m for m rows
// Of a relation no more rows count than there are columns on its loop.
// The constants are nanoseconds of `bench_scaling` and `zwang solve --method all` on one core. Only their ratios
// matter: they decide where the times differ by a factor, for m in the tens.
#include "factor/place_of_rows.hpp"

#include <algorithm>

namespace zwang {
namespace {

constexpr double k_column = 85, k_strand = 20, k_tile_row = 0.6;            // a, b, c
constexpr double k_root_row = 20, k_root_square = 1.5, k_root_cube = 0.06;  // e, f, g
constexpr double k_search = 40, k_search_square = 12, k_eliminate = 150;    // strand at a joint; row
constexpr double k_loop_column = 500, k_loop_row = 470;                     // h, i
constexpr double k_energy = 30;                                             // per column, for Z by a second sweep
constexpr double k_worth = 0.85;  // another place must be faster by more than the uncertainty of the estimate
constexpr Index k_lanes = page::RowNumbers<double>::lanes;

bool contains(const Tree<double>& tree, Index body, Index other) {
  return body == 0 || (body <= other && other < tree.body[body].last);
}
/// A body on the ground has no parent to take over rows: rows that come this far go to the root.
bool is_last(const Tree<double>& tree, Index body) { return body == 0 || tree.body[body].parent == 0; }

/// Number of strands that pass each joint, as sums over its subtree.
struct Carried {
  const Tree<double>& tree;
  Index* strands;  ///< [n + 1] strands that begin at the body minus strands that end there
  double root_rows = 0, early = 0, rows = 0, count = 0;

  /// The lowest body whose subtree contains both.
  Index meet(Index a, Index b) const {
    while (!contains(tree, a, b)) a = tree.body[a].parent;
    return a;
  }
  /// The most rows of x that can count.
  Index counting(const Constraint& x) const {
    if (x.relation == nullptr || part_count(x) > 2) return x.size();
    Index columns = 0, a = first_body(x), b = part_count(x) > 1 ? body_of_part(x, 1) : 0;
    for (; a != b; (a > b ? a : b) = tree.body[std::max(a, b)].parent) columns += tree.body[std::max(a, b)].nv;
    return std::min(x.size(), columns);
  }
  /// Adds the rows of x. `gone`: they are eliminated at the joint of their bodies' common ancestor, or `columns_needed`
  /// columns further in.
  void add(const Constraint& x, bool gone, Index columns_needed) {
    const Index size = counting(x), blocks = (size + k_lanes - 1) / k_lanes;
    Index at = first_body(x);
    strands[at] += blocks;
    for (std::size_t p = 1; p < part_count(x); ++p) {
      const Index other = body_of_part(x, static_cast<Index>(p));
      strands[other] += blocks;
      at = meet(at, other);
      strands[at] -= blocks;
    }
    rows += size;
    count += blocks;
    Index joints = 1;
    for (Index columns = tree.body[at].nv; gone && columns < columns_needed && !is_last(tree, at); ++joints) {
      at = tree.body[at].parent;
      columns += tree.body[at].nv;
    }
    if (!gone || is_last(tree, at)) {
      root_rows += size;
      return;
    }
    strands[tree.body[at].parent] -= blocks;
    const double r = std::min<double>(size, k_lanes);
    early += blocks * joints * (k_search + k_search_square * r * r) + k_eliminate * size;
  }
  double time(double energy) {
    const double row_count = count > 0 ? rows / count : 0;
    double t = early;
    for (Index i = tree.n; i > 0; --i) {
      const double s = strands[i];
      t += tree.body[i].nv * (k_column + energy + k_strand * s + k_tile_row * row_count * s * (s + 1) / 2);
      strands[tree.body[i].parent] += strands[i];
    }
    return t + root_rows * (k_root_row + root_rows * (k_root_square + root_rows * k_root_cube));
  }
};

}  // namespace

void estimate_places(Problem& problem, bool all, PlaceOfRows& p) {
  const Tree<double>& tree = problem.state.data.tree();
  RowLayout& layout = problem.layout;
  double* const time[] = {&p.root, &p.where_met, &p.early};
  for (int plan = 0; plan < 3; ++plan) {
    Carried x{tree, layout.scratch.data()};
    std::fill_n(x.strands, tree.n + 1, 0);
    for (Index k = 0; k < layout.count; ++k) {
      const Constraint& c = layout.constraint(k);
      if (!(c.active || all) || c.policy == Policy::soft) continue;
      const bool relation = c.relation != nullptr;
      x.add(c, plan == 2 || (plan == 1 && relation), relation ? 1 : c.size());
    }
    if (plan == 0) p.loops = 1e-3 * (tree.spanning_nv * k_loop_column + x.rows * k_loop_row);
    *time[plan] = 1e-3 * x.time(plan > 0 ? k_energy : 0);
  }
  p.reason = problem.layout.room.early ? PlaceOfRows::Reason::estimated : PlaceOfRows::Reason::few_rows;
}

Place fastest_place(const PlaceOfRows& p) {
  if (p.reason != PlaceOfRows::Reason::estimated) return Place::root;
  if (p.early < k_worth * p.root && p.early < p.where_met) return Place::early;
  return p.where_met < k_worth * p.root ? Place::where_met : Place::root;
}

bool prefers_loops(const PlaceOfRows& p) {
  return p.reason == PlaceOfRows::Reason::estimated && p.loops < k_worth * std::min({p.root, p.where_met, p.early});
}

}  // namespace zwang
