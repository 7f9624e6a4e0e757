// SPDX-License-Identifier: BSD-3-Clause
// Two strips of numbers in memory: y -= a x, and x . y. Plain numbers go eight, four, two at a time.
#pragma once
#include "zwang/core/wide.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace impl {
template <class S> inline constexpr bool has_strips = std::is_same_v<S, double> || std::is_same_v<S, float>;

template <int N, class S> ZWANG_INLINE void subtract_multiple_by(int& i, int n, const S& a, const S* x, S* y) {
  using W = Wide<S, N>;
  const W wide_a(a);
  for (; i + N <= n; i += N) (W::load(y + i) - W::load(x + i) * wide_a).store(y + i);
}
}  // namespace impl

/// y -= a x, n numbers; x and y do not overlap.
template <class S> ZWANG_INLINE void subtract_multiple(int n, const S& a, const S* x, S* y) {
  int i = 0;
  if constexpr (impl::has_strips<S>) {
    impl::subtract_multiple_by<8>(i, n, a, x, y);
    impl::subtract_multiple_by<4>(i, n, a, x, y);
    impl::subtract_multiple_by<2>(i, n, a, x, y);
  }
  for (; i < n; ++i) y[i] -= a * x[i];
}

/// x . y, n numbers.
template <class S> ZWANG_INLINE S dot(int n, const S* x, const S* y) {
  int i = 0;
  S s(0);
  if constexpr (impl::has_strips<S>) {
    using W = Wide<S, 8>;
    if (n >= 8) {
      W a(S(0)), b(S(0));
      for (; i + 16 <= n; i += 16) {
        a += W::load(x + i) * W::load(y + i);
        b += W::load(x + i + 8) * W::load(y + i + 8);
      }
      if (i + 8 <= n) {
        a += W::load(x + i) * W::load(y + i);
        i += 8;
      }
      s = sum(a + b);
    }
  }
  for (; i < n; ++i) s += x[i] * y[i];
  return s;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
