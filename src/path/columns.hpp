// SPDX-License-Identifier: BSD-3-Clause
// Columns: vectors of equal length, one after the other, in memory of the library (ARCHITECTURE.md,
// Eigen at the border).
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/borrowed.hpp"

namespace zwang {

using Numbers = std::vector<double>;

inline BorrowedVector view_of(const Numbers& x) { return vector_in(x.data(), static_cast<Index>(x.size())); }
inline Eigen::Map<Eigen::VectorXd> map_of(Numbers& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
inline std::size_t at_index(Index k) { return static_cast<std::size_t>(k); }
inline double largest_of(const Numbers& x) {
  double most = 0;
  for (const double one : x)
    if (!(std::abs(one) <= most)) most = std::abs(one);
  return most;
}

struct Columns {
  Columns() = default;
  Columns(Index rows_, Index count_) : rows(rows_), count(count_), numbers(at_index(rows_ * count_)) {}
  double* column(Index k) { return numbers.data() + rows * k; }
  const double* column(Index k) const { return numbers.data() + rows * k; }
  void set(Index k, const double* x) { std::copy_n(x, rows, column(k)); }
  Index rows = 0, count = 0;
  Numbers numbers;
};

}  // namespace zwang
