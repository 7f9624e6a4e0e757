// SPDX-License-Identifier: BSD-3-Clause
// Strands of rows walk inward together. Where the two strands of a block meet they are one. Where several blocks are at
// a body, those with as many columns behind them as rows end there; one of the others may walk on. At a free root all
// that can end do so.
#include "factor/path_plan.hpp"

#include <utility>

namespace zwang {
namespace {

constexpr Index k_most = page::RowNumbers<double>::lanes;

/// The block of a relation whose first strand was read before; nullptr: there is none.
PathBlock* block_with_row(PathStage& t, Index row) {
  for (Index k = 0; k < t.blocks; ++k)
    if (t.block[k].row == row) return &t.block[k];
  return nullptr;
}

/// One block for each body with rows of its own, and one for each relation.
bool find_blocks(const Problem& problem, PathStage& t) {
  const Rows& rows = problem.rows;
  t.blocks = 0;
  t.relations = false;
  Index row = 0, groups = 0;
  const auto strand_at = [&](Index e, Index body) {
    PathStrand s;
    s.body = body;
    s.group = groups++;
    s.entry = e;
    s.entries = 1;
    return s;
  };
  Index last = -1;  // body of the last block if that is one of rows on a body
  for (Index e = 0; e < static_cast<Index>(rows.active.size()); ++e) {
    const page::ActiveRows<double>& x = rows.active[static_cast<std::size_t>(e)];
    if (x.compliance != nullptr) return false;
    const bool relation = x.rows == nullptr;
    const Index body = page::AttachRows<double>::body_of(x), count = page::AttachRows<double>::row_count(x);
    if (count > k_most || (!relation && body == 0) || groups == problem.rows.K.size()) return false;
    if (relation && x.rejoins > 0) {
      PathBlock* const b = block_with_row(t, x.rejoins - 1);
      if (b == nullptr || b->strands > 1) return false;
      b->strand[b->strands++] = strand_at(e, body);
      last = -1;
      continue;
    }
    if (!relation && last == body) {
      PathBlock& b = t.block[t.blocks - 1];
      b.strand[0].entries += 1;
      b.count += count;
      row += count;
      if (b.count > k_most) return false;
      continue;
    }
    if (t.blocks == t.block.size()) return false;
    PathBlock& b = t.block[t.blocks++] = PathBlock{};
    b.strand[0] = strand_at(e, body);
    b.count = count;
    b.row = row;
    row += count;
    last = relation ? -1 : body;
    t.relations = t.relations || relation;
  }
  return t.blocks > 0;
}

/// Walks all strands inward. `at` [blocks]: where each strand is; -1 once its block has
/// ended or the strand has met the other one.
bool find_ends(const Tree<double>& tree, PathStage& t) {
  const auto at = [&](Index k, Index s) -> Index& { return t.walk[2 * k + s]; };
  for (Index k = 0; k < t.blocks; ++k) {
    PathBlock& b = t.block[k];
    b.end = -1;
    b.columns = 0;
    for (Index s = 0; s < 2; ++s) at(k, s) = s < b.strands ? b.strand[s].body : -1;
  }
  const auto whole = [&](Index k) { return at(k, 0) < 0 || at(k, 1) < 0 || at(k, 0) == at(k, 1); };
  const auto is_at = [&](Index k, Index i) { return at(k, 0) == i || at(k, 1) == i; };
  for (Index i = tree.n; i >= 0; --i) {
    const Body<double>& body = tree.body[i];
    Index here = 0;
    for (Index k = 0; k < t.blocks; ++k) here += is_at(k, i);
    const bool free_root = i > 0 && body.parent == 0 && body.kind == kind_of<Free>;
    Index walking = 0;
    for (Index k = 0; k < t.blocks; ++k) {
      if (!is_at(k, i)) continue;
      PathBlock& b = t.block[k];
      if (whole(k)) {
        if (at(k, 0) < 0) at(k, 0) = at(k, 1);
        at(k, 1) = -1;
        if ((here > 1 || free_root || i == 0) && b.columns >= b.count) {
          b.end = i;
          at(k, 0) = -1;
          continue;
        }
      }
      if (i == 0) return false;
      if (++walking > 1) return false;
      const Index s = at(k, 0) == i ? 0 : 1;
      if (at(k, 0) >= 0 && at(k, 1) >= 0) b.strand[s].columns += body.nv;
      b.columns += body.nv;
      at(k, s) = body.parent;
    }
  }
  return true;
}

/// The columns of each path: those of each strand from its body inward, then what they have in common.
void list_paths(const Tree<double>& tree, PathStage& t) {
  Index top = 0;
  for (Index k = 0; k < t.blocks; ++k) {
    PathBlock& b = t.block[k];
    b.first = top;
    if (b.strands == 1) b.strand[0].columns = b.columns;
    Index i = 0;
    const auto list = [&](Index from, Index columns) {
      for (i = from; columns > 0; i = tree.body[i].parent)
        for (Index c = tree.body[i].v + tree.body[i].nv; c-- > tree.body[i].v; --columns) t.path[top++] = c;
    };
    for (Index s = 0; s < b.strands; ++s) list(b.strand[s].body, b.strand[s].columns);
    if (b.strands > 1) list(i, b.columns - b.strand[0].columns - b.strand[1].columns);
  }
}

/// Finds blocks that are worked on side by side.
void list_fours(PathStage& t) {
  Index fours = 0;
  for (Index k = 0; k < t.blocks; k += t.block[k].together) {
    PathBlock& b = t.block[k];
    const auto fits = [&](const PathBlock& x) {
      return x.end == b.end && x.end > 0 && x.count <= 3 && x.strands == 1 && x.columns == b.columns &&
             x.columns <= PathFour::most_columns;
    };
    b.together = 1;
    while (fits(b) && b.together < 4 && k + b.together < t.blocks && fits(t.block[k + b.together])) ++b.together;
    if (b.together == 1) continue;
    b.four = fours++;
    for (Index r = 0; r < 3; ++r)
      for (Index i = 0; i < 4; ++i)
        t.four[b.four].absent[r].set(i, i < b.together && r < t.block[k + i].count ? 0.0 : 1.0);
  }
}

/// The bodies inward of the ends, and what a sweep needs of these.
void list_inward(const Tree<double>& tree, PathStage& t) {
  for (unsigned char& x : t.ends) x = 0;
  for (double& x : t.pushed) x = 0;
  t.inward_bodies = 0;
  t.root_is_free = true;
  for (Index k = 0; k < t.blocks; ++k) {
    const PathBlock& b = t.block[k];
    t.ends[b.end] = 1;
    for (Index s = 0; s < b.strands && b.end == 0; ++s) {
      const bool in_first_branch = b.strand[s].body > 0 && b.strand[s].body < tree.body[1].last;
      t.root_is_free = t.root_is_free && !in_first_branch;
    }
  }
  for (Index i = tree.n; i > 0; --i) {
    bool is_inward = false;
    for (Index k = 0; k < t.blocks; ++k)
      is_inward = is_inward || (i <= t.block[k].end && t.block[k].end < tree.body[i].last);
    if (is_inward) t.inward[t.inward_bodies++] = i;
  }
}

}  // namespace

void arrange_rows(const PathStage& t, page::RowNumbers<double>& rows) {
  rows.clear();
  for (Index k = 0; k < t.blocks; ++k) {
    const PathBlock& b = t.block[k];
    for (Index s = 0; s < b.strands; ++s) rows.body_of[b.strand[s].group] = b.strand[s].body;
    rows.groups += b.strands;
    rows.m += b.count;
    for (Index i = 0; i < b.count; ++i) {
      const Index r = b.row + i;
      rows.place[r] = b.strand[0].group * k_most + i;
      rows.body[r] = b.strand[0].body;
      rows.compliance[r] = 0;
      rows.local[r] = 0;
      rows.last_further[r] = -1;
    }
  }
  for (Index group = 0; group < rows.groups; ++group)  // groups are in the order of the bodies
    for (Index k = 0; k < t.blocks; ++k) {
      const PathBlock& b = t.block[k];
      if (b.strands < 2 || b.strand[1].group != group) continue;
      for (Index i = 0; i < b.count; ++i, ++rows.further) {
        rows.last_further[b.row + i] = rows.further;
        rows.before_further[rows.further] = -1;
        rows.further_row[rows.further] = b.row + i;
        rows.further_place[rows.further] = group * k_most + i;
        rows.further_body[rows.further] = b.strand[1].body;
      }
    }
  rows.in_path_blocks = true;
}

bool try_plan_paths(const Problem& problem, PathStage& t) {
  const Tree<double>& tree = problem.state.data.tree();
  if (tree.mimic || !find_blocks(problem, t) || !find_ends(tree, t)) return false;
  // Insertion keeps blocks in order that end at the same body, and does not allocate.
  for (Index k = 1; k < t.blocks; ++k)
    for (Index j = k; j > 0 && t.block[j].end > t.block[j - 1].end; --j) std::swap(t.block[j], t.block[j - 1]);
  list_paths(tree, t);
  list_fours(t);
  list_inward(tree, t);
  return true;
}

}  // namespace zwang
