// SPDX-License-Identifier: BSD-3-Clause
// Order by minimum degree (Tinney & Walker 1967) among the leaves; fill by the elimination tree (Liu 1990): the
// couplings that the elimination of a body creates are passed on by the first of the bodies concerned.
#include "factor/tree/joint_graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace zwang {
namespace {

/// With more pairs than this, the rows at the root are faster and need less memory.
Index most_pairs(Index n) { return 16 * n + 2048; }

}  // namespace

JointOrder::JointOrder(const Tree<double>& tree, const CoupledBodies& all, Index max_rows, Index max_parts)
    : tree_(&tree) {
  const Index n = graph_.n = tree.n;
  graph_.node = Buffer<page::JointGraph::Node>(n + 1);
  position_ = Buffer<Index>(n + 1);
  child_ = sibling_ = mark_ = Buffer<Index>(n + 1);
  graph_.part_row = graph_.part_of_row = graph_.part_position = graph_.part_key = Buffer<Index>(max_parts);
  graph_.row_part = Buffer<Index>(max_rows + 1);
  graph_.neighbour = graph_.pair_slot = free_ = Buffer<Index>(most_pairs(n));
  find_order(all);
  too_dense_ = !fill(all);
  const Index pairs = too_dense_ ? most_pairs(n) : graph_.node[n].neighbour;
  couplings_ = too_dense_ ? 6 * pairs : graph_.node[n].coupling;
  graph_.neighbour = graph_.pair_slot = free_ = Buffer<Index>(pairs);
  fill(all);
}

void JointOrder::find_order(const CoupledBodies& all) {
  const Tree<double>& tree = *tree_;
  const Index n = tree.n;
  std::vector<std::vector<Index>> near(static_cast<std::size_t>(n) + 1);  // by body, ascending
  std::vector<Index> children(static_cast<std::size_t>(n) + 1, 0);
  const auto of = [&](Index body) -> std::vector<Index>& { return near[static_cast<std::size_t>(body)]; };
  long pairs = 0;
  const auto couple = [&](Index a, Index b) {
    if (a == b || a == 0 || b == 0) return;
    const auto add = [&](std::vector<Index>& list, Index x) {
      const auto at = std::lower_bound(list.begin(), list.end(), x);
      if (at == list.end() || *at != x) {
        list.insert(at, x);
        ++pairs;
      }
    };
    add(of(a), b);
    add(of(b), a);
  };
  for (Index i = 0; i < all.parts() && pairs < 4L * most_pairs(n); ++i)
    for (Index j = i; j-- > 0 && all.row_of(j) == all.row_of(i);) couple(all.body_of(i), all.body_of(j));
  for (Index i = 1; i <= n; ++i) ++children[static_cast<std::size_t>(tree.body[i].parent)];
  std::set<std::pair<Index, Index>> leaves;  // number of neighbours, minus the body: deep ones first
  const auto key = [&](Index body) { return std::pair(static_cast<Index>(of(body).size()), -body); };
  const auto is_leaf = [&](Index body) { return children[static_cast<std::size_t>(body)] == 0; };
  for (Index i = 1; i <= n; ++i)
    if (is_leaf(i)) leaves.insert(key(i));
  for (Index e = 0; e < n; ++e) {
    const Index body = -leaves.begin()->second, parent = tree.body[body].parent;
    leaves.erase(leaves.begin());
    position_[body] = e;
    graph_.node[e].body = body;
    const std::vector<Index> gone = std::move(of(body));
    for (const Index j : gone)
      if (is_leaf(j)) leaves.erase(key(j));
    for (const Index j : gone) {
      std::vector<Index>& list = of(j);
      list.erase(std::lower_bound(list.begin(), list.end(), body));
    }
    for (std::size_t j = 0; j < gone.size() && pairs < 4L * most_pairs(n); ++j) {
      if (parent > 0) couple(parent, gone[j]);
      for (std::size_t k = 0; k < j; ++k) couple(gone[j], gone[k]);
    }
    for (const Index j : gone)
      if (is_leaf(j)) leaves.insert(key(j));
    --children[static_cast<std::size_t>(parent)];
    if (parent > 0 && is_leaf(parent)) leaves.insert(key(parent));
  }
  position_[0] = n;
  graph_.node[n].body = 0;
  graph_.node[n].parent = n;
  Index column = 0;
  for (Index e = 0; e <= n; ++e) {
    page::JointGraph::Node& x = graph_.node[e];
    x.column = column;
    if (e == n) break;
    x.parent = position_[tree.body[x.body].parent];
    column += tree.body[x.body].nv;
  }
}

/// Sorts parts of rows by the body that they are on, and by row.
void JointOrder::take_parts(const CoupledBodies& rows) {
  page::JointGraph& g = graph_;
  for (Index e = 0; e <= g.n; ++e) g.node[e].part = 0;
  g.parts = 0;
  for (Index i = 0; i < rows.parts(); ++i) {
    const Index e = position_[rows.body_of(i)];
    if (e == g.n) continue;  // the ground does not move
    ++g.node[e + 1].part;
    ++g.parts;
  }
  for (Index e = 0; e < g.n; ++e) {
    g.node[e + 1].part += g.node[e].part;
    mark_[e] = g.node[e].part;  // the next free index
  }
  for (Index i = 0; i < rows.parts(); ++i) {
    const Index e = position_[rows.body_of(i)];
    if (e == g.n) continue;
    const Index at = mark_[e]++;
    g.part_row[at] = rows.row_of(i);
    g.part_key[at] = i;
    g.part_position[at] = e;
  }
  for (Index k = 0; k <= rows.rows; ++k) g.row_part[k] = 0;
  for (Index p = 0; p < g.parts; ++p) ++g.row_part[g.part_row[p] + 1];
  for (Index k = 0; k < rows.rows; ++k) g.row_part[k + 1] += g.row_part[k];
  for (Index p = 0; p < g.parts; ++p) g.part_of_row[g.row_part[g.part_row[p]]++] = p;
  for (Index k = rows.rows; k > 0; --k) g.row_part[k] = g.row_part[k - 1];
  g.row_part[0] = 0;
}

/// The later bodies that its own rows or the couplings of earlier bodies couple it with.
bool JointOrder::take_neighbours(Index e) {
  page::JointGraph& g = graph_;
  const Index first = g.node[e].neighbour, room = g.neighbour.size();
  Index top = first;
  bool fits = true;
  const auto take = [&](Index x) {
    if (x <= e || x == g.n || mark_[x] == e) return;
    mark_[x] = e;
    if (top < room)
      g.neighbour[top++] = x;
    else
      fits = false;
  };
  for (Index p = g.node[e].part; p < g.node[e + 1].part; ++p)
    for (Index i = g.row_part[g.part_row[p]]; i < g.row_part[g.part_row[p] + 1]; ++i)
      take(g.part_position[g.part_of_row[i]]);
  for (Index c = child_[e]; c >= 0; c = sibling_[c]) {
    take(g.node[c].parent);
    for (Index k = g.node[c].neighbour; k < g.node[c + 1].neighbour; ++k) take(g.neighbour[k]);
  }
  std::sort(g.neighbour.data() + first, g.neighbour.data() + top);
  g.node[e + 1].neighbour = top;
  if (top == first) return fits;
  Index next = g.neighbour[first];
  if (g.node[e].parent < next) next = g.node[e].parent;
  sibling_[e] = child_[next];
  child_[next] = e;
  return fits;
}

bool JointOrder::fill(const CoupledBodies& rows) {
  page::JointGraph& g = graph_;
  if (rows.rows + 1 > g.row_part.size() || rows.parts() > g.part_row.size()) return false;
  take_parts(rows);
  for (Index e = 0; e < g.n; ++e) {
    child_[e] = mark_[e] = -1;
    g.node[e].carries = false;
  }
  g.node[0].neighbour = g.node[0].coupling = g.max_neighbours = 0;
  for (Index e = 0; e < g.n; ++e) {
    if (!take_neighbours(e)) return false;
    page::JointGraph::Node& x = g.node[e];
    const Index count = g.node[e + 1].neighbour - x.neighbour, columns = g.node[e + 1].column - x.column;
    g.node[e + 1].coupling = x.coupling + count * columns;
    g.max_neighbours = std::max(g.max_neighbours, count);
    x.carries = x.carries || g.node[e + 1].part > x.part;
    if (x.carries && x.parent < g.n) g.node[x.parent].carries = true;
  }
  take_slots();
  return true;
}

Index JointOrder::slot_of_pair(Index place) {
  Index& slot = graph_.pair_slot[place];
  if (slot < 0) slot = free_count_ > 0 ? free_[--free_count_] : pair_slots_++;
  return slot;
}

/// Assigns slots to sums. A slot is in use from its first part until its body is eliminated: few are in use at a time.
void JointOrder::take_slots() {
  page::JointGraph& g = graph_;
  for (Index e = 0; e < g.n; ++e) g.node[e].slot = -1;
  for (Index k = 0; k < g.node[g.n].neighbour; ++k) g.pair_slot[k] = -1;
  Index slots = 0, waiting = -1;  // free slots of bodies: a list through child_
  const auto open = [&](Index e) {
    if (g.node[e].slot >= 0) return;
    if (waiting >= 0) {
      g.node[e].slot = waiting;
      waiting = child_[waiting];
    } else {
      g.node[e].slot = slots++;
    }
  };
  free_count_ = pair_slots_ = 0;
  for (Index e = 0; e < g.n; ++e) {
    const page::JointGraph::Node& x = g.node[e];
    open(e);
    if (x.parent < g.n) open(x.parent);
    const Index begin = x.neighbour, end = g.node[e + 1].neighbour;
    for (Index k = begin; k < end; ++k) {
      const Index j = g.neighbour[k];
      open(j);
      slot_of_pair(k);
      if (x.parent < g.n && j != x.parent) slot_of_pair(g.find(std::min(x.parent, j), std::max(x.parent, j)));
      for (Index l = k + 1; l < end; ++l) slot_of_pair(g.find(j, g.neighbour[l]));
    }
    for (Index k = end; k-- > begin;) free_[free_count_++] = g.pair_slot[k];
    child_[x.slot] = waiting;
    waiting = x.slot;
  }
}

}  // namespace zwang
