// SPDX-License-Identifier: BSD-3-Clause
// all_finite: is there no NaN and no infinity among many numbers? Before every public call and after it.
#pragma once
#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
/// The sum of f(x), in lanes.
template <class T, class F> ZWANG_INLINE T sum_of(const T* x, long size, F&& f) {
  constexpr int lanes = 16 / sizeof(T);
  using Lanes = Pack<T, lanes>;
  Lanes a(T(0)), b(T(0)), c(T(0)), d(T(0));
  long i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    a += f(Lanes::load(x + i));
    b += f(Lanes::load(x + i + lanes));
    c += f(Lanes::load(x + i + 2 * lanes));
    d += f(Lanes::load(x + i + 3 * lanes));
  }
  for (; i + lanes <= size; i += lanes) a += f(Lanes::load(x + i));
  for (; i < size; ++i) b += f(Lanes(x[i]));
  return sum((a + b) + (c + d));
}
}  // namespace impl

/// A sum with NaN or infinity in it is not finite. The sum of finite numbers may overflow, but not that of x 0.
template <class T> bool all_finite(const T* x, long size) {
  constexpr long many = 64;  // worth a look of half the work first
  if (size > many && impl::sum_of(x, size, [](const auto& y) { return y; }) * T(0) == T(0)) return true;
  return impl::sum_of(x, size, [](const auto& y) { return y * T(0); }) == T(0);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
