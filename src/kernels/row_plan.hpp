// SPDX-License-Identifier: BSD-3-Clause
// The paths of the rows that are carried to the root in lanes (carried_rows.hpp), computed once for the rows of a call.
//
// Rows of a body, or of a relation between bodies, travel in triples. Rows on one body have one path. Rows of a
// relation have a strand from each of its bodies, and strands that meet go on as one:
//
//   a ---- lowest common ancestor ---- root          segments, deepest first: [b], [a], [ancestor]
//   b ----/
//
// The columns of all segments are listed from the root outward: two triples couple where their lists share columns.
#pragma once
#include "core/kernel_table.hpp"
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// A row as attached, and its result.
template <class S> struct AttachedRow {
  Force<S> K;           ///< world axes about the branch's centre; of a relation see `LaneRelation`
  S l;                  ///< residual at zero joint acceleration
  S lambda;             ///< of a row that is carried to the root
  S stiffness;          ///< 1/R of a soft row that stays at its body
  S softness;           ///< R of one that is carried; 0: hard
  S phi;                ///< of a relation: its position
  Index body, hard;     ///< hard: 3 * triple + index of a row that is carried, or -1
  Index relation = -1;  ///< its relation, or -1
};

/// Rows of a relation, in this call.
template <class S> struct LaneRelation {
  const RelationTask* task;
  const S *beta, *activity, *compliance;  ///< nullptr, except for beta: always active; hard
  Index first;                            ///< of its rows
  Index K;                                ///< of its wrenches, [bodies x rows]
};

/// A chain of columns that strands of a triple pass together.
struct Segment {
  Index begin, count;  ///< in the triple's list of columns
  Index up;            ///< the next segment towards the root, counted from the triple's first; -1: the root
  Index part;          ///< index of the relation's body at its end, or -1: strands meet there
};
/// Columns that two triples have in common, by their indices in both lists.
struct Run {
  Index a, b, count;
};

/// Up to three rows of one body or of one relation.
template <class S> struct Triple {
  Index body, row[3];       ///< of AttachedRow, or -1
  Index relation;           ///< -1: rows of one body
  Index path, columns;      ///< where its columns are listed from the root on, and their number
  Index segment, segments;  ///< of a relation
  Index w;                  ///< first of its columns * 3 numbers
  S force2[3], moment2[3];  ///< squares of |k_lin| and of |k_ang|, |p| |k_lin|: the scale of K's rounding
  S bound[3];               ///< Lambda_ii without cancellation
  S l[3], lambda[3];        ///< at the root
};

/// Sums of strands at the point where they meet.
template <class S> struct Met {
  Force<S> K[3];
  S force2[3], moment2[3];
};

template <class S> struct CarriedRows {
  using T = Uniform<S>;
  CarriedRows(const Tree<T>& tree, const ConstrainedRoom& room)
      : row(room.rows),
        triple(room.rows / 3 + room.constraints + 1),
        path(triple.size() * tree.spanning_nv),
        run_begin(triple.size() * triple.size() + 1),
        run(room.tips == 0 ? triple.size() * (triple.size() + 1) / 2
                           : (triple.size() + 1) * (triple.size() + room.tips)),
        relation(room.constraints),
        relation_K(room.parts),
        phi(room.rows),
        gamma(room.rows),
        segment(2 * room.tips),
        met(2 * room.tips),
        tip(room.tips == 0 ? 0 : tree.n + 1),
        w(3 * path.size()),
        Lambda(9 * triple.size() * (triple.size() + 1) / 2),
        scratch(12 * triple.size()),
        diagonal(3 * triple.size()),
        pushed(tree.spanning_nv) {}
  Index count = 0, triples = 0, relations = 0;
  Buffer<AttachedRow<S>> row;
  Buffer<Triple<S>> triple;
  Buffer<Index> path, run_begin;  ///< run_begin: for a pair of triples, by rows of the lower triangle
  Buffer<Run> run;
  Buffer<LaneRelation<S>> relation;
  Buffer<Force<S>> relation_K;
  Buffer<S> phi, gamma;
  Buffer<Segment> segment;
  Buffer<Met<S>> met;  ///< of each segment of a triple
  Buffer<Index> tip;   ///< [n+1] scratch of the plan
  Buffer<S> w, Lambda, scratch;
  Buffer<S> diagonal;  ///< [3 triples] Lambda_ii; 1 for a row that is not there
  Buffer<S> pushed;
  Index columns = 0, segments = 0;
  const S *q = nullptr, *v = nullptr;  ///< of the states of this call

  /// Tile (a, b) of Lambda, b <= a, then of L; the diagonal tile of L holds 1/D on its diagonal.
  ZWANG_INLINE S* tile(Index a, Index b) { return Lambda.data() + 9 * (a * (a + 1) / 2 + b); }
  /// f(body, K) for every body that a row acts on.
  template <class F> ZWANG_INLINE void for_each_part(const AttachedRow<S>& x, F&& f) const {
    if (x.relation < 0) return f(x.body, x.K);
    const LaneRelation<S>& r = relation[x.relation];
    const Force<S>* K = &relation_K[r.K + static_cast<Index>(&x - &row[r.first])];
    for (Index t = 0; t < r.task->body_count; ++t, K += r.task->count) f(r.task->bodies[t], *K);
  }
};

/// A triple for the next row of this body or relation: the last one if it has room, or a new one.
template <class S> void put_in_triple(CarriedRows<S>& r, Index body, Index relation) {
  AttachedRow<S>& x = r.row[r.count];
  Triple<S>* t = r.triples > 0 ? &r.triple[r.triples - 1] : nullptr;
  if (t == nullptr || t->body != body || t->relation != relation || t->row[2] >= 0) {
    t = &r.triple[r.triples++];
    t->body = body;
    t->relation = relation;
    t->row[0] = t->row[1] = t->row[2] = -1;
  }
  const Index at = t->row[0] < 0 ? 0 : t->row[1] < 0 ? 1 : 2;
  t->row[at] = r.count;
  x.hard = 3 * (r.triples - 1) + at;
}

/// The columns on the path from a body to the root, listed from the root on.
template <class S> void list_path(CarriedRows<S>& r, const Tree<Uniform<S>>& tree, Triple<S>& t) {
  for (Index i = t.body; i > 0; i = tree.body[i].parent) t.columns += tree.body[i].nv;
  Index at = t.path + t.columns;
  for (Index i = t.body; i > 0; i = tree.body[i].parent)
    for (Index k = tree.body[i].nv; k-- > 0;) r.path[--at] = tree.body[i].v + k;
}

/// The same from the bodies of a relation, and the segments. Bodies are numbered depth first, so that the columns of a
/// segment are contiguous.
template <class S> void list_strands(CarriedRows<S>& r, const Tree<Uniform<S>>& tree, Triple<S>& t) {
  const RelationTask& task = *r.relation[t.relation].task;
  // Not on any path. Other values: the segment that a body is on; -1: of a body on a path but not yet visited.
  constexpr Index k_off = -2;
  Index* const on = r.tip.data();
  for (Index i = 0; i <= tree.n; ++i) on[i] = k_off;
  Index part = task.body_count;
  for (Index i = tree.n; i > 0; --i) {
    const bool acts = part > 0 && task.bodies[part - 1] == i;
    if (acts) --part;
    if (acts || on[i] == -1) {  // a segment begins; those that end here have their numbers in on[]
      Segment& g = r.segment[t.segment + t.segments];
      g = {0, 0, -1, acts ? part : -1};
      for (Index k = i + 1; k <= tree.n; ++k)
        if (on[k] != k_off && tree.body[k].parent == i) r.segment[t.segment + on[k]].up = t.segments;
      on[i] = t.segments++;
    }
    if (on[i] == k_off) continue;
    Index& up = on[tree.body[i].parent];
    if (tree.body[i].parent > 0) up = up == k_off ? on[i] : -1;
  }
  for (Index i = 1; i <= tree.n; ++i) {
    if (on[i] == k_off) continue;
    Segment& g = r.segment[t.segment + on[i]];
    if (g.count == 0) g.begin = t.columns;
    for (Index k = 0; k < tree.body[i].nv; ++k) r.path[t.path + t.columns++] = tree.body[i].v + k;
    g.count += tree.body[i].nv;
  }
}

/// Finds the columns that two triples have in common.
template <class S> void list_runs(CarriedRows<S>& r, const Triple<S>& a, const Triple<S>& b, Index& runs) {
  const Index *const x = &r.path[a.path], *const y = &r.path[b.path];
  for (Index i = 0, j = 0; i < a.columns && j < b.columns;) {
    if (x[i] != y[j]) {
      ++(x[i] < y[j] ? i : j);
      continue;
    }
    Run& run = r.run[runs++];
    run = {i, j, 0};
    for (; i < a.columns && j < b.columns && x[i] == y[j]; ++i, ++j) ++run.count;
  }
}

/// [first, last) are sorted by body; rows of relations follow them.
template <class S> void plan_rows(CarriedRows<S>& r, const Tree<Uniform<S>>& tree, const page::ActiveRows<S>* first,
                                  const page::ActiveRows<S>* last) {
  r.count = r.triples = r.columns = r.segments = 0;
  for (const page::ActiveRows<S>* c = first; c != last; ++c)
    for (Index i = 0; i < page::AttachRows<S>::row_count(*c); ++i, ++r.count) {
      AttachedRow<S>& x = r.row[r.count];
      x.body = c->rows->body;
      x.hard = x.relation = -1;
      x.softness = S(Uniform<S>(0));
      if (c->compliance == nullptr) put_in_triple(r, x.body, Index(-1));
    }
  for (Index k = 0, parts = 0; k < r.relations; ++k) {
    LaneRelation<S>& relation = r.relation[k];
    relation.first = r.count;
    relation.K = parts;
    parts += relation.task->count * relation.task->body_count;
    for (Index i = 0; i < relation.task->count; ++i, ++r.count) {
      AttachedRow<S>& x = r.row[r.count];
      x.body = relation.task->bodies[0];
      x.relation = k;
      x.softness = relation.compliance != nullptr ? relation.compliance[i] : S(Uniform<S>(0));
      put_in_triple(r, x.body, k);
    }
  }
  for (Index a = 0, runs = 0; a < r.triples; ++a) {
    Triple<S>& t = r.triple[a];
    t.path = r.columns;
    t.w = 3 * r.columns;
    t.columns = t.segments = 0;
    t.segment = r.segments;
    if (t.relation < 0)
      list_path(r, tree, t);
    else
      list_strands(r, tree, t);
    r.columns += t.columns;
    r.segments += t.segments;
    for (Index b = 0; b <= a; ++b) {
      r.run_begin[a * (a + 1) / 2 + b] = runs;
      list_runs(r, t, r.triple[b], runs);
      r.run_begin[a * (a + 1) / 2 + b + 1] = runs;
    }
  }
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
