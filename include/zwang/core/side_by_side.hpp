// SPDX-License-Identifier: BSD-3-Clause
// Several bodies, columns or rows of one state side by side: four doubles or eight floats are one Side<S>. (Wider sides
// would be half empty: arms and legs have six or seven joints.) For other scalars (lanes full of states, dual, complex)
// Side<S> is one S.
#pragma once
#include "zwang/core/wide.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> inline constexpr int side_lanes = std::is_same_v<S, double> ? 4 : std::is_same_v<S, float> ? 8 : 1;
template <class S> inline constexpr bool has_sides = side_lanes<S> != 1;
/// How many columns of an inverse are computed side by side: what they share is loaded once for all.
template <class S> inline constexpr int inverse_lanes = has_sides<S> ? 16 : 1;
template <class T, int L> using SideOf = std::conditional_t<L == 1, T, Wide<T, L>>;
template <class S> using Side = SideOf<S, side_lanes<S>>;

/// How many numbers keep `size` of them apart for whole Sides: no power of two, so that rows do not share cache sets.
template <class S> constexpr int side_stride(int size) {
  constexpr int L = side_lanes<S>;
  return L == 1 ? size : ((size + 2 * L - 1) / L * L) | L;
}

template <class S> ZWANG_INLINE Side<S> load_side(const S* p) {
  if constexpr (!has_sides<S>)
    return *p;
  else
    return Side<S>::load(p);
}
template <class S> ZWANG_INLINE void store_side(S* p, const Side<S>& x) {
  if constexpr (!has_sides<S>)
    *p = x;
  else
    x.store(p);
}

/// Lane l is at(l).
template <class T, int L, class At> ZWANG_INLINE SideOf<T, L> side_of(At&& at) {
  if constexpr (L == 1)
    return at(0);
  else
    return Wide<T, L>::of(at);
}

/// Rows of numbers into lanes: lane l of x[r] becomes number r of row l, whose L numbers from r on are at(l, r). Asks
/// for numbers up to the next multiple of L.
template <int count, class T, int L, class At> ZWANG_INLINE void rows_to_lanes(At&& at, SideOf<T, L>* x) {
  if constexpr (L == 1) {
    for (int r = 0; r < count; ++r) x[r] = at(0, r);
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < count; r += L) {
      Wide<T, L> tile[L];
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) tile[l] = at(l, r);
      transpose(tile);
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l)
        if (r + l < count) x[r + l] = tile[l];
    }
  }
}
/// Lanes into rows of memory, row(l) being where row l begins. `count` is a multiple of L.
template <int count, class T, int L, class Row> ZWANG_INLINE void lanes_to_rows(const SideOf<T, L>* x, Row&& row) {
  static_assert(count % L == 0);
  if constexpr (L == 1) {
    for (int r = 0; r < count; ++r) row(0)[r] = x[r];
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < count; r += L) {
      Wide<T, L> tile[L];
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) tile[l] = x[r + l];
      transpose(tile);
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) tile[l].store(row(l) + r);
    }
  }
}

/// Where a is less than b, x, else y; number by number.
template <class W> ZWANG_INLINE W where_less(const W& a, const W& b, const W& x, const W& y) {
  if constexpr (requires { W::parts; }) {
    W r;
#pragma GCC unroll 16
    for (int i = 0; i < W::parts; ++i) r.part[i] = select(less(a.part[i], b.part[i]), x.part[i], y.part[i]);
    return r;
  } else {
    return select(less(a, b), x, y);
  }
}

/// 1 in one lane, 0 in the others; 0 where there is no such lane.
template <class T, int L> ZWANG_INLINE SideOf<T, L> one_in_lane(int lane) {
  return side_of<T, L>([=](int l) ZWANG_LAMBDA { return T(Uniform<T>(l == lane ? 1 : 0)); });
}

/// x in the first `count` lanes, y in the others.
template <class S> ZWANG_INLINE Side<S> first_lanes(const Side<S>& x, int count, const Side<S>& y) {
  if constexpr (!has_sides<S>) {
    return count > 0 ? x : y;
  } else {
    using W = Side<S>;
    const W lane = W::of([](int l) ZWANG_LAMBDA { return S(l); });
    W r;
#pragma GCC unroll 16
    for (int i = 0; i < W::parts; ++i)
      r.part[i] = select(less(lane.part[i], typename W::Part(S(count))), x.part[i], y.part[i]);
    return r;
  }
}

/// x in the lanes where `sign` is not negative, 0 in the others.
template <class S> ZWANG_INLINE Side<S> where_not_negative(const Side<S>& sign, const Side<S>& x) {
  const S zero(Uniform<S>(0));
  if constexpr (!has_sides<S>) {
    return select(less(sign, zero), zero, x);
  } else {
    Side<S> r;
    for (int i = 0; i < Side<S>::parts; ++i) {
      using Part = typename Side<S>::Part;
      r.part[i] = select(less(sign.part[i], Part(zero)), Part(zero), x.part[i]);
    }
    return r;
  }
}
/// Whether `x` is negative in all lanes. Of plain numbers side by side.
template <class S> ZWANG_INLINE bool all_negative(const Side<S>& x) {
  for (int i = 0; i < Side<S>::parts; ++i)
    if (!all(less(x.part[i], typename Side<S>::Part(S(0))))) return false;
  return true;
}

/// Stores the first `count` lanes, of as many as W has.
template <class S, class W> ZWANG_INLINE void store_first(S* p, const W& x, int count) {
  if constexpr (std::is_same_v<S, W>) {
    if (count > 0) *p = x;
  } else {
    if (count >= W::parts * W::part_lanes) return x.store(p);
    for (int l = 0; l < W::parts * W::part_lanes - 1; ++l)
      if (l < count) p[l] = x[l];
  }
}

// --- tiles of a symmetric matrix: L Sides are L rows, `stride` apart, and their mirror image

template <class S> using Tile = Side<S>[side_lanes<S>];

/// A tile within the matrix and off the diagonal, at `row`; its mirror image at `image`.
template <class S> ZWANG_INLINE void put_tile(Tile<S>& tile, S* row, S* image, int stride) {
#pragma GCC unroll 16
  for (int i = 0; i < side_lanes<S>; ++i) store_side(row + i * stride, tile[i]);
  if constexpr (has_sides<S>) transpose(tile);
#pragma GCC unroll 16
  for (int i = 0; i < side_lanes<S>; ++i) store_side(image + i * stride, tile[i]);
}
/// A tile of which only the first columns are within the matrix.
template <class S> ZWANG_INLINE void put_edge(Tile<S>& tile, S* row, S* image, int stride, int columns) {
  if (columns >= side_lanes<S>) return put_tile<S>(tile, row, image, stride);
#pragma GCC unroll 16
  for (int i = 0; i < side_lanes<S>; ++i) store_first(row + i * stride, tile[i], columns);
  if constexpr (has_sides<S>) transpose(tile);
  for (int i = 0; i < columns; ++i) store_side(image + i * stride, tile[i]);
}
/// A tile on the diagonal: what it holds below the diagonal is not looked at.
/// Only the first rows are within the matrix.
template <class S> ZWANG_INLINE void put_diagonal(Tile<S>& tile, S* row, int stride, int rows) {
  if constexpr (has_sides<S>) {
    Side<S> mirror[side_lanes<S>];
#pragma GCC unroll 16
    for (int i = 0; i < side_lanes<S>; ++i) mirror[i] = tile[i];
    transpose(mirror);
#pragma GCC unroll 16
    for (int i = 0; i < side_lanes<S>; ++i) tile[i] = first_lanes<S>(mirror[i], i, tile[i]);
  }
  if (rows >= side_lanes<S>) {
#pragma GCC unroll 16
    for (int i = 0; i < side_lanes<S>; ++i) store_side(row + i * stride, tile[i]);
  } else {
    for (int i = 0; i < rows; ++i) store_first(row + i * stride, tile[i], rows);
  }
}

/// The same where the image is not that of `tile`, but of `below`: entry (i, k) of `below` belongs to row k, column i.
template <class S>
ZWANG_INLINE void put_edge(Tile<S>& tile, Tile<S>& below, S* row, S* image, int stride, int columns) {
  for (int i = 0; i < side_lanes<S>; ++i) store_first(row + i * stride, tile[i], columns);
  if constexpr (has_sides<S>) transpose(below);
  for (int i = 0; i < side_lanes<S> && i < columns; ++i) store_side(image + i * stride, below[i]);
}
template <class S> ZWANG_INLINE void put_diagonal(Tile<S>& tile, Tile<S>& below, S* row, int stride, int rows) {
  if constexpr (has_sides<S>) {
    transpose(below);
    for (int i = 0; i < side_lanes<S>; ++i) tile[i] = first_lanes<S>(below[i], i, tile[i]);
  }
  for (int i = 0; i < side_lanes<S> && i < rows; ++i) store_first(row + i * stride, tile[i], rows);
}

/// Copies what is above the diagonal of an n x n matrix to below it.
template <class S> ZWANG_INLINE void mirror_upper(S* M, int stride, int n) {
  constexpr int L = side_lanes<S>;
  Tile<S> tile;
  for (int j = 0; j < n; j += L) {
    int k = j + L;
    for (int i = j; i < k && i < n; ++i)
      for (int l = j; l < i; ++l) M[i * stride + l] = M[l * stride + i];
    for (; k + L <= n; k += L) {
#pragma GCC unroll 16
      for (int i = 0; i < L; ++i) tile[i] = load_side(M + (j + i) * stride + k);
      if constexpr (has_sides<S>) transpose(tile);
#pragma GCC unroll 16
      for (int i = 0; i < L; ++i) store_side(M + (k + i) * stride + j, tile[i]);
    }
    for (; k < n; ++k)
      for (int i = 0; i < L; ++i) M[k * stride + j + i] = M[(j + i) * stride + k];
  }
}

}  // namespace ZWANG_ISA
}  // namespace zwang
