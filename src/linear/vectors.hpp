// SPDX-License-Identifier: BSD-3-Clause
// Vector operations on plain numbers, one register at a time. The memory must extend to a multiple of eight numbers.
#pragma once
#include <cmath>

#include "core/all_finite.hpp"

namespace zwang {

using Numbers = NativePack<double>;

/// f(i) for the first index i of every register that holds some of the n numbers.
template <class F> ZWANG_INLINE void each_pack(Index n, F&& f) {
  for (Index i = 0; i < n; i += native_lanes<double>) f(i);
}
/// x -= a y
ZWANG_INLINE void subtract(Index n, double a, const double* y, double* x) {
  each_pack(n, [&](Index i) ZWANG_LAMBDA { (Numbers::load(x + i) - Numbers::load(y + i) * a).store(x + i); });
}
/// sum of x_i y_i
ZWANG_INLINE double product(Index n, const double* x, const double* y) {
  Numbers s(0.0);
  each_pack(n, [&](Index i) ZWANG_LAMBDA { s += Numbers::load(x + i) * Numbers::load(y + i); });
  return sum(s);
}
/// |x|
inline double norm(Index n, const double* x) { return std::sqrt(product(n, x, x)); }
/// True if no entry of x is infinite or NaN. Any length of memory.
inline bool all_finite(Index n, const double* x) { return all_finite(x, static_cast<long>(n)); }

}  // namespace zwang
