// SPDX-License-Identifier: BSD-3-Clause
// Copies a matrix between any two storage orders. A transposition goes through tiles, which read and write few cache
// lines at a time, and in these through squares of 2 x 2.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "zwang/core/config.hpp"

namespace zwang {

/// A matrix in memory: entry (r, c) stands at data[r * down + c * right].
template <class T> struct Strided {
  T* data;
  std::ptrdiff_t down, right;
  T* row(Index r) const { return data + r * down; }
};

namespace detail {
using TwoDoubles = double __attribute__((vector_size(16)));  // a register
/// to(r, c) = from(c, r) of 2 x 2: rows of `from` stand `step` apart, those of `to` `to_step`.
inline void transpose_square(const double* from, std::ptrdiff_t step, double* to, std::ptrdiff_t to_step) {
  TwoDoubles x, y;
  std::memcpy(&x, from, sizeof x);
  std::memcpy(&y, from + step, sizeof y);
  const TwoDoubles first = {x[0], y[0]}, second = {x[1], y[1]};
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + to_step, &second, sizeof second);
}
}  // namespace detail

/// to(r, c) = from(r, c).
template <class From, class To>
void copy_matrix(const Strided<const From>& from, const Strided<To>& to, Index rows, Index columns) {
  const auto one_by_one = [&](Index r0, Index r1, Index c0, Index c1) {
    for (Index r = r0; r < r1; ++r) {
      const From* x = from.row(r) + c0 * from.right;
      To* y = to.row(r) + c0 * to.right;
      for (Index c = c0; c < c1; ++c, x += from.right, y += to.right) *y = static_cast<To>(*x);
    }
  };
  if (from.right == 1 && to.right == 1) {
    const bool closed = from.down == columns && to.down == columns;  // no gaps: as one row
    const Index runs = closed ? std::min<Index>(rows, 1) : rows, length = closed ? rows * columns : columns;
    for (Index r = 0; r < runs; ++r)
      std::transform(from.row(r), from.row(r) + length, to.row(r), [](From x) { return static_cast<To>(x); });
    return;
  }
  if constexpr (std::is_same_v<From, double> && std::is_same_v<To, double>) {
    if (from.down == 1 && to.right == 1) {
      constexpr Index k_tile = 32;
      const Index even_rows = rows - rows % 2, even_columns = columns - columns % 2;
      for (Index c0 = 0; c0 < even_columns; c0 += k_tile)
        for (Index r = 0; r < even_rows; r += 2)
          for (Index c = c0; c < std::min<Index>(c0 + k_tile, even_columns); c += 2)
            detail::transpose_square(from.data + r + c * from.right, from.right, to.row(r) + c, to.down);
      one_by_one(0, even_rows, even_columns, columns);
      return one_by_one(even_rows, rows, 0, columns);
    }
  }
  one_by_one(0, rows, 0, columns);
}

}  // namespace zwang
