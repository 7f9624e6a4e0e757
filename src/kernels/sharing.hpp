// SPDX-License-Identifier: BSD-3-Clause
// Rows where joints mimic each other: they travel with the bodies, as page/row_riders.hpp takes them, one row of all
// lanes per register. Those between bodies are found before the sweep, since it takes their wrenches body by body.
#pragma once
#include "kernels/relations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

template <class S> struct SharingRows {
  using T = Uniform<S>;
  SharingRows() = default;
  SharingRows(const Tree<T>& tree, const ConstrainedRoom& room)
      : numbers(room_for(tree, room)),
        stage(tree, room_for(tree, room)),
        entry(room.constraints + room.parts),
        first_row(entry.size()),
        part(entry.size()),
        columns(21 * room.parts),
        Lambda(room.rows * room.rows),
        b(room.rows),
        diagonal(room.rows) {}
  static page::RowRoom room_for(const Tree<T>& tree, const ConstrainedRoom& room) {
    page::RowRoom r = page::SweepStage<S>::anywhere(tree, room.rows, room.constraints);
    r.groups += room.parts;
    r.further = room.parts;
    return r;
  }
  page::RowNumbers<S> numbers;
  page::SweepStage<S> stage;
  Buffer<page::ActiveRows<S>> entry;  ///< constraints of one body and parts of relations, in the order of the sweep
  Buffer<Index> first_row;            ///< of each entry in CarriedRows
  Buffer<Index> part;                 ///< which of its relation's bodies an entry is on
  Buffer<S> columns;                  ///< what entries of relations read
  Buffer<S> Lambda, b, diagonal;      ///< at the root; the diagonal of Lambda
  Index entries = 0;
};

/// One more entry; rows on further bodies come before those that begin at a body.
template <class S>
ZWANG_INLINE void insert(SharingRows<S>& x, const page::ActiveRows<S>& entry, Index first_row, Index part) {
  const auto rank = [](const page::ActiveRows<S>& y, Index which)
                        ZWANG_LAMBDA { return 2 * page::AttachRows<S>::body_of(y) + (which == 0 ? 1 : 0); };
  Index at = x.entries++;
  for (; at > 0 && rank(x.entry[at - 1], x.part[at - 1]) > rank(entry, part); --at) {
    x.entry[at] = x.entry[at - 1];
    x.first_row[at] = x.first_row[at - 1];
    x.part[at] = x.part[at - 1];
  }
  x.entry[at] = entry;
  x.first_row[at] = first_row;
  x.part[at] = part;
}

/// The order of the rows of a call, after plan_rows().
template <class S> void plan_sharing(SharingRows<S>& x, const CarriedRows<S>& rows, const page::ActiveRows<S>* first,
                                     const page::ActiveRows<S>* last) {
  x.entries = 0;
  Index row = 0;
  for (const page::ActiveRows<S>* c = first; c != last; row += page::AttachRows<S>::row_count(*c++))
    insert(x, *c, row, Index(0));
  Index at = 0;
  for (Index k = 0; k < rows.relations; ++k) {
    const LaneRelation<S>& r = rows.relation[k];
    for (Index t = 0; t < r.task->body_count; ++t) {
      page::ActiveRows<S> a{};
      a.compliance = r.compliance;
      a.columns = &x.columns[at];
      a.body = r.task->bodies[t];
      a.count = r.task->count;
      a.further = r.task->body_count - 1;
      insert(x, a, r.first, t);
      at += 7 * (a.count + 2);
    }
  }
  x.stage.joined = rows.relations > 0;
  for (Index i = 0, m = 0; i < x.entries; ++i) {  // the rows' numbers in the sweep
    if (x.part[i] > 0) continue;
    for (Index k = i + 1; k < x.entries; ++k)
      if (x.part[k] > 0 && x.first_row[k] == x.first_row[i]) x.entry[k].rejoins = m + 1;
    m += page::AttachRows<S>::row_count(x.entry[i]);
  }
}

/// Relations at these states, where their entries read them.
template <class S> void attach_relations(SharingRows<S>& x, BasicData<S>& data, CarriedRows<S>& rows) {
  if (rows.relations == 0) return;
  page::kinematics(data, rows.q, rows.v);
  for (Index k = 0; k < rows.relations; ++k) attach_relation(data, rows, k);
  for (Index i = 0; i < x.entries; ++i) {
    const page::ActiveRows<S>& a = x.entry[i];
    if (a.rows != nullptr) continue;
    const LaneRelation<S>& r = rows.relation[rows.row[x.first_row[i]].relation];
    S* const column = x.columns.data() + (a.columns - x.columns.data()) + 1;
    for (Index j = 0; j < a.count; ++j) {
      const Force<S>& K = rows.relation_K[r.K + x.part[i] * a.count + j];
      for (int d = 0; d < 6; ++d) column[d * (a.count + 2) + j] = K[d];
      column[6 * (a.count + 2) + j] = -rows.row[x.first_row[i] + j].l;
    }
  }
}

/// What the sweep has made of the rows.
template <class S> void read_rows(const SharingRows<S>& x, CarriedRows<S>& rows) {
  Index at = 0;
  for (Index i = 0; i < x.entries; ++i) {
    if (x.part[i] > 0) continue;
    for (Index j = 0; j < page::AttachRows<S>::row_count(x.entry[i]); ++j, ++at) {
      AttachedRow<S>& row = rows.row[x.first_row[i] + j];
      row.hard = x.stage.slot[at];
      row.lambda = row.hard >= 0 ? x.stage.block.lambda[row.hard] : S(Uniform<S>(0));
      row.stiffness = x.stage.stiffness[at];
      if (row.relation >= 0) continue;
      row.K = page::attached_row(x.numbers, at);
      row.l = page::attached_residual(x.numbers, at);
    }
  }
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
