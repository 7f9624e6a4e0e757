// SPDX-License-Identifier: BSD-3-Clause
// all_finite: is there no NaN and no infinity among many numbers? Before every public call and after it.
#pragma once
#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// x 0 is NaN where x is not finite, and a sum with NaN in it is NaN.
template <class T> bool all_finite(const T* x, long size) {
  constexpr int lanes = 16 / sizeof(T);
  using Lanes = Pack<T, lanes>;
  Lanes a(T(0)), b(T(0)), c(T(0)), d(T(0));
  long i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    a += Lanes::load(x + i) * T(0);
    b += Lanes::load(x + i + lanes) * T(0);
    c += Lanes::load(x + i + 2 * lanes) * T(0);
    d += Lanes::load(x + i + 3 * lanes) * T(0);
  }
  for (; i + lanes <= size; i += lanes) a += Lanes::load(x + i) * T(0);
  for (; i < size; ++i) b += Lanes(x[i]) * T(0);
  return sum((a + b) + (c + d)) == T(0);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
