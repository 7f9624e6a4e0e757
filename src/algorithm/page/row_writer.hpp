// SPDX-License-Identifier: BSD-3-Clause
// Matrices of a tree, whose entry (r, k) is a product of what column_blocks.hpp has of columns r and k.
//
//   column k in the subtree of column r:   S_r . above_k
//   row r in the subtree of column k:      F_r . below_k + b_r . moment_k + W_r . S_k       else 0
//
// DIFFERS: no walk along paths. Rows that fill a register are held there and columns go past, whose numbers are
// operands; along them each row is first below the column, then above it, and then in no subtree with it. Every entry
// is written once, zeros included.
// Reads derivative.variation. Cost O(n^2), divided by the numbers of a register. Allocates nothing.
#pragma once
#include <cstddef>

#include "algorithm/page/column_blocks.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Where the numbers of columns begin that a matrix is made of; without a moment: -1.
struct MatrixForm {
  int above, below, moment;
  bool turned;
};

/// Rows that are written at once.
template <class S> inline constexpr int k_rows = std::is_same_v<S, double> ? native_lanes<double> : 1;
template <class S> using RowSide = SideOf<S, k_rows<S>>;

/// x . (the numbers at c and after).
template <int n, class S> ZWANG_INLINE RowSide<S> product(const RowSide<S>* x, const S* c) {
  RowSide<S> sum = x[0] * c[0];
#pragma GCC unroll 6
  for (int i = 1; i < n; ++i) sum += x[i] * c[i * ColumnBlocks<S>::width];
  return sum;
}

/// The rows r, r + 1, ... of all matrices.
template <class S, bool turned> struct HeldRows {
  static constexpr Index count = k_rows<S>, width = ColumnBlocks<S>::width;
  static_assert(width % count == 0);
  using V = RowSide<S>;
  V s[6], F[6], b[3], W[6], end;

  ZWANG_INLINE explicit HeldRows(const S* row) {
    const auto number = [=](int i) ZWANG_LAMBDA {
      if constexpr (count == 1)
        return row[i];
      else
        return V::load(row + i * width);
    };
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      s[i] = number(k_s + i);
      F[i] = number(k_F + i);
      if (i < 3) b[i] = number(k_b + i);
      if constexpr (turned) W[i] = number(k_W + i);
    }
    end = number(k_end);
  }
  /// Entries of column c as if it were in the subtree of every row; as if every row were in its subtree.
  template <MatrixForm form> ZWANG_INLINE V above(const S* c) const { return product<6>(s, c + form.above * width); }
  template <MatrixForm form> ZWANG_INLINE V below(const S* c) const {
    V x = product<6>(F, c + form.below * width);
    if constexpr (form.moment >= 0) x += product<3>(b, c + form.moment * width);
    if constexpr (form.turned) x += product<6>(W, c + k_s * width);
    return x;
  }
};

/// Rows r, r + 1, ... of each matrix.
template <MatrixForm... form, class S, class... View> ZWANG_INLINE void write_rows_at(const Tree<Uniform<S>>& tree,
                                                                                      const ColumnBlocks<S>& blocks,
                                                                                      Index r, const View&... out) {
  using Held = HeldRows<S, (form.turned || ...)>;
  using V = typename Held::V;
  using T = Uniform<S>;
  constexpr Index R = Held::count;
  const Index n = tree.nv, rows = n - r < R ? n - r : R;
  const Held held(blocks.at(r));
  const V zero(S(T(0))), lane = side_of<S, R>([](int l) ZWANG_LAMBDA { return S(T(l)); });
  S* to[] = {out.data + r...};
  const std::ptrdiff_t next[] = {out.column_stride...};
  Index k = 0;
  const auto put = [&](const auto&... entries) ZWANG_LAMBDA {  // of column k
    int m = 0;
    const auto store = [&](const V& x) ZWANG_LAMBDA {
      if constexpr (R == 1)
        *to[m] = x;
      else if (rows == R || (next[m] == n && (n - 1 - k) * n >= R)) [[likely]]
        x.store(to[m]);
      else
        store_first(to[m], x, rows);
      to[m] += next[m];
      ++m;
    };
    (store(entries), ...);
  };
  const auto first = [&](Index count, const V& x, const V& y)
                         ZWANG_LAMBDA { return where_less(lane, V(S(T(count))), x, y); };
  const auto of_subtree = [&](const V& x) ZWANG_LAMBDA { return where_less(V(S(T(k))), held.end, x, zero); };
  Index all = n, reach = 0;  // columns before `all` are in the subtrees of all rows, none from `reach` on
  for (Index l = r; l < r + rows; ++l) {
    const Index end = tree.column[l].end;
    all = end < all ? end : all;
    reach = end > reach ? end : reach;
  }
  for (; k < r; ++k) {
    const S* const c = blocks.at(k);
    const Index last = tree.column[k].end;
    if (last <= r)
      put((static_cast<void>(form), zero)...);
    else if (last >= r + R)
      put(held.template below<form>(c)...);
    else
      put(first(last - r, held.template below<form>(c), zero)...);
  }
  for (; k < r + rows; ++k) {
    const S* const c = blocks.at(k);
    const Index last = tree.column[k].end - r;
    put(first(k - r, of_subtree(held.template above<form>(c)), first(last, held.template below<form>(c), zero))...);
  }
  for (; k < all; ++k) put(held.template above<form>(blocks.at(k))...);
  for (; k < reach; ++k) put(of_subtree(held.template above<form>(blocks.at(k)))...);
  for (; k < n; ++k) put((static_cast<void>(form), zero)...);
}

/// Every entry of the matrices: a form and a view for each. Blocks of rows go from the last to the first: where columns
/// follow each other without gaps the last block may reach below the matrix, into rows of the next columns, which are
/// written later.
template <MatrixForm... form, class S, class... View> void write_rows(BasicData<S>& data, const View&... out) {
  if constexpr (k_rows<S> == 1 && sizeof...(form) > 1) {  // one by one: compiled once for all sets of matrices
    (write_rows<form>(data, out), ...);
  } else {
    const auto& tree = data.tree();
    const ColumnBlocks<S> blocks(data);
    for (Index r = (tree.nv + k_rows<S> - 1) / k_rows<S> * k_rows<S> - k_rows<S>; r >= 0; r -= k_rows<S>)
      write_rows_at<form...>(tree, blocks, r, out...);
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
