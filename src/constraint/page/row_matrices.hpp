// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of rows by the coordinates of a tree, from the parts of rows on bodies (row_part.hpp) and what
// algorithm/page/column_blocks.hpp has of the columns on their paths:
//
//   J          S . K                                    by a, and of J v by v
//   by v       (psi' + S') . K + S . P
//   by q       psi'' . K + psi' . P + S . N             stabilised residual, at fixed a
//   rate       psi' . K + S . R                         of J v by q
//
// DIFFERS: rows side by side in registers, whose columns are in no order of theirs but that of the tree; a part counts
// where the last column of its body is in the subtree of the column.
// Reads derivative.variation as blocks: joints that share coordinates have none. Cost O(rows nv). Allocates nothing.
#pragma once
#include "algorithm/page/row_writer.hpp"
#include "constraint/page/row_part.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Columns of `height` numbers, a whole number of registers; by rows in the order of place[row].
template <class S> struct RowMatricesView {
  S *by_q, *by_v, *J, *rate;
  Index height;
  unsigned char* moves;  ///< [nv] set where a column of them may have other numbers than zeros
};

/// Parts of rows that are side by side in a register of the matrices, no two of them of the same row.
template <class S> struct PartsInLanes {
  static constexpr Index count = k_rows<S>;
  RowSide<S> K[6], P[6], N[6], R[6];
  RowSide<S> last;  ///< column of the body; -1: none
  Index first_last, last_last;
  Index block;
  unsigned taken;  ///< lanes

  void begin(Index of_block) {
    block = of_block;
    taken = 0;
    first_last = 1 << 30;
    last_last = -1;
    const RowSide<S> zero(S(Uniform<S>(0)));
    for (int i = 0; i < 6; ++i) K[i] = P[i] = N[i] = R[i] = zero;
    last = RowSide<S>(S(Uniform<S>(-1)));
  }
  void set(Index lane, Index column, const BasicRowPart<S>& part) {
    const auto put = [lane](RowSide<S>& x, const S& y) ZWANG_LAMBDA {
      if constexpr (count == 1)
        x = y;
      else
        x.set(lane, y);
    };
    for (Index i = 0; i < 6; ++i) {
      put(K[i], part.K[i]);
      put(P[i], part.P[i]);
      put(N[i], part.N[i]);
      put(R[i], part.R[i]);
    }
    put(last, S(Uniform<S>(column)));
    taken |= 1U << lane;
    first_last = column < first_last ? column : first_last;
    last_last = column > last_last ? column : last_last;
  }
};

/// Adds what a group of parts has of column k.
template <class S> ZWANG_INLINE void add_parts(const PartsInLanes<S>& x, const S* c, Index k, Index end, Index at,
                                               const RowMatricesView<S>& out) {
  using V = RowSide<S>;
  using T = Uniform<S>;
  constexpr Index width = ColumnBlocks<S>::width;
  V q{S(T(0))}, v = q, J = q, rate = q;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    const S s = c[(k_s + i) * width], first = c[(k_first + i) * width];
    J += x.K[i] * s;
    q += x.K[i] * c[(k_second + i) * width] + x.P[i] * first + x.N[i] * s;
    v += x.K[i] * c[(k_sum + i) * width] + x.P[i] * s;
    rate += x.K[i] * first + x.R[i] * s;
  }
  const V zero{S(T(0))}, before{S(T(k - 1))}, behind{S(T(end))};
  const auto add = [&](S* to, const V& y) ZWANG_LAMBDA {
    const V counted = where_less(x.last, behind, where_less(before, x.last, y, zero), zero);
    if constexpr (PartsInLanes<S>::count == 1)
      to[at] += counted;
    else
      (V::load(to + at) + counted).store(to + at);
  };
  add(out.by_q, q);
  add(out.by_v, v);
  add(out.J, J);
  add(out.rate, rate);
}

template <class S> void row_matrices(BasicData<S>& data, const BasicRowPart<S>* parts, Index count, const Index* place,
                                     const RowMatricesView<S>& out) {
  constexpr Index L = PartsInLanes<S>::count, most = 8;
  const auto& tree = data.tree();
  const ColumnBlocks<S> blocks(data);
  for (S* const x : {out.by_q, out.by_v, out.J, out.rate})
    for (Index k = 0; k < tree.nv * out.height; ++k) x[k] = S(Uniform<S>(0));
  for (Index k = 0; k < tree.nv; ++k) out.moves[k] = 0;
  PartsInLanes<S> group[most];
  Index groups = 0;
  const auto add = [&] {
    for (Index k = 0; k < tree.nv; ++k) {
      const Index end = tree.column[k].end;
      for (Index g = 0; g < groups; ++g) {
        if (group[g].last_last < k || group[g].first_last >= end) continue;
        out.moves[k] = 1;
        add_parts(group[g], blocks.at(k), k, end, k * out.height + group[g].block * L, out);
      }
    }
    groups = 0;
  };
  for (const BasicRowPart<S>* part = parts; part < parts + count; ++part) {
    Index body = part->body;
    while (body > 0 && tree.body[body].nv == 0) body = tree.body[body].parent;
    if (body == 0) continue;
    const Index block = place[part->row] / L, lane = place[part->row] % L;
    Index g = 0;
    while (g < groups && (group[g].block != block || (group[g].taken >> lane & 1) != 0)) ++g;
    if (g == most) {
      add();
      g = 0;
    }
    if (g == groups) group[groups++].begin(block);
    group[g].set(lane, tree.body[body].v + tree.body[body].nv - 1, *part);
  }
  add();
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
