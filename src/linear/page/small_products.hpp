// SPDX-License-Identifier: BSD-3-Clause
// Products and inverses of small dense matrices, stored by columns.
//
//   add_product        out = from + A B
//   negative_inverse   A := -A^-1 of a symmetric positive matrix: Goodnight 1979, "A tutorial on the SWEEP operator"
//
// Columns have whole `k_block_rows`; where a matrix has fewer rows, A has zeros behind them. Sums of four columns and
// two registers of rows stay in registers while the columns of A go past.
// Cost of a product 2 m n k, of an inverse 2 n^3. Allocates nothing.
#pragma once
#include <cstddef>

#include "zwang/core/side_by_side.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

inline constexpr Index k_block_rows = 8;
inline constexpr Index whole_blocks(Index rows) { return (rows + k_block_rows - 1) / k_block_rows * k_block_rows; }

template <class S> inline constexpr int k_product_lanes = std::is_same_v<S, double> ? native_lanes<double> : 1;
template <class S> using ProductRegister = SideOf<S, k_product_lanes<S>>;
template <class S> ZWANG_INLINE ProductRegister<S> load_register(const S* x) {
  if constexpr (k_product_lanes<S> == 1)
    return *x;
  else
    return ProductRegister<S>::load(x);
}
template <class S> ZWANG_INLINE void store_register(S* to, const ProductRegister<S>& x) {
  if constexpr (k_product_lanes<S> == 1)
    *to = x;
  else
    x.store(to);
}

/// A matrix by columns, `stride` numbers apart.
template <class S> struct ByColumns {
  S* data;
  std::ptrdiff_t stride;
  ZWANG_INLINE S* column(Index k) const { return data + k * stride; }
};

/// The columns of A that count, and the rows of B: list[0], ..., or all of them where there is no list.
struct InnerList {
  const Index* list;
  Index count;
};

/// P registers of rows, from `r` on, of C columns, from `c` on.
template <int P, int C, bool listed, bool minus, class S>
ZWANG_INLINE void add_block(Index r, Index c, InnerList inner, ByColumns<const S> A, ByColumns<const S> B,
                            ByColumns<const S> from, ByColumns<S> out, ProductRegister<S>& unbounded) {
  using V = ProductRegister<S>;
  constexpr int L = k_product_lanes<S>;
  V sum[P * C];
#pragma GCC unroll 16
  for (int m = 0; m < P * C; ++m)
    sum[m] = from.data == nullptr ? V(S(0)) : load_register<S>(from.column(c + m / P) + r + m % P * L);
  const S* b[C];
#pragma GCC unroll 4
  for (int j = 0; j < C; ++j) b[j] = B.column(c + j);
  for (Index x = 0; x < inner.count; ++x) {
    const Index i = listed ? inner.list[x] : x;
    const S* const a = A.column(i) + r;
#pragma GCC unroll 16
    for (int m = 0; m < P * C; ++m) {
      if constexpr (minus)
        sum[m] -= load_register<S>(a + m % P * L) * b[m / P][i];
      else
        sum[m] += load_register<S>(a + m % P * L) * b[m / P][i];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < P * C; ++m) {
    store_register<S>(out.column(c + m / P) + r + m % P * L, sum[m]);
    unbounded += sum[m] * S(0);
  }
}

/// C columns, from `c` on, of from + A B or, with `minus`, from - A B. The last rows come first.
template <int C, bool listed, bool minus, class S>
ZWANG_INLINE void add_columns(Index rows, Index c, InnerList inner, ByColumns<const S> A, ByColumns<const S> B,
                              ByColumns<const S> from, ByColumns<S> out, ProductRegister<S>& unbounded) {
  constexpr Index L = k_product_lanes<S>;
  Index r = (rows + L - 1) / L * L;
  if (r / L % 2 == 1) add_block<1, C, listed, minus>(r -= L, c, inner, A, B, from, out, unbounded);
  while (r > 0) add_block<2, C, listed, minus>(r -= 2 * L, c, inner, A, B, from, out, unbounded);
}

/// out = from + A B or from - A B, without a `from` 0; out may be `from`, where columns have whole blocks. Rows are
/// rounded up to those of registers: what is written behind the last row is that of the next column, or up to
/// `k_block_rows` numbers behind the last one. Returns whether all that was written is finite.
template <bool listed, bool minus, class S> bool add_product(Index rows, Index columns, InnerList inner,
                                                             ByColumns<const S> A, ByColumns<const S> B,
                                                             ByColumns<const S> from, ByColumns<S> out) {
  ProductRegister<S> unbounded(S(0));
  Index c = 0;
  for (; c + 4 <= columns; c += 4) add_columns<4, listed, minus>(rows, c, inner, A, B, from, out, unbounded);
  if (c + 2 <= columns) {
    add_columns<2, listed, minus>(rows, c, inner, A, B, from, out, unbounded);
    c += 2;
  }
  if (c < columns) add_columns<1, listed, minus>(rows, c, inner, A, B, from, out, unbounded);
  return sum(unbounded) == S(0);
}

/// A := -A^-1, n x n. False where a pivot is not positive: A is lost then.
template <class S> bool negative_inverse(Index n, ByColumns<S> A) {
  constexpr Index L = k_product_lanes<S>;
  for (Index k = 0; k < n; ++k) {
    S* const pivot = A.column(k);
    if (!(pivot[k] > S(0))) return false;
    const S d = S(1) / pivot[k];
    for (Index j = 0; j < n; ++j) {
      if (j == k) continue;
      S* const x = A.column(j);
      const S factor = x[k] * d;
      for (Index r = 0; r < n; r += L)
        store_register<S>(x + r, load_register<S>(x + r) - load_register<S>(pivot + r) * factor);
      x[k] = factor;
    }
    for (Index r = 0; r < n; r += L) store_register<S>(pivot + r, load_register<S>(pivot + r) * d);
    pivot[k] = -d;
  }
  return true;
}

/// to = from^T, rows x columns of `from`, in whole blocks: `from` has whole blocks of columns, too.
template <class S> void transpose(Index rows, Index columns, ByColumns<const S> from, ByColumns<S> to) {
  constexpr Index L = side_lanes<S>;
  for (Index r = 0; r < rows; r += L)
    for (Index c = 0; c < columns; c += L) {
      Side<S> tile[L];
#pragma GCC unroll 8
      for (Index l = 0; l < L; ++l) tile[l] = load_side<S>(from.column(c + l) + r);
      if constexpr (L > 1) zwang::transpose(tile);
#pragma GCC unroll 8
      for (Index l = 0; l < L; ++l) store_side<S>(to.column(r + l) + c, tile[l]);
    }
}

/// Columns one behind the other. What is written behind a column is that of the next one, or up to `k_block_rows`
/// numbers behind the last one. Returns whether all of it is finite.
template <class S> bool put_columns(Index rows, Index columns, ByColumns<const S> from, S* to) {
  constexpr Index L = k_product_lanes<S>;
  ProductRegister<S> unbounded(S(0));
  for (Index c = 0; c < columns; ++c, to += rows)
    for (Index r = 0; r < rows; r += L) {
      const ProductRegister<S> x = load_register<S>(from.column(c) + r);
      store_register<S>(to + r, x);
      unbounded += x * S(0);
    }
  return sum(unbounded) == S(0);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
