// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers into lanes and back: an N x N transpose of packs in log2(N) steps (Eklundh 1972).
#pragma once
#include <utility>

#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
// Lane l of the pair (a, b) after the step that exchanges blocks of H lanes.
template <int H, class V, int... L>
ZWANG_INLINE V upper_of_pair(const V& a, const V& b, std::integer_sequence<int, L...>) {
  constexpr int n = sizeof...(L);
  return __builtin_shufflevector(a, b, ((L & H) ? n + L - H : L)...);
}
template <int H, class V, int... L>
ZWANG_INLINE V lower_of_pair(const V& a, const V& b, std::integer_sequence<int, L...>) {
  constexpr int n = sizeof...(L);
  return __builtin_shufflevector(a, b, ((L & H) ? n + L : L + H)...);
}
template <int H, class T, int N> ZWANG_INLINE void transpose_step(Pack<T, N> (&r)[N]) {
  if constexpr (H < N) {
    using Lanes = std::make_integer_sequence<int, N>;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) {
      if (i & H) continue;
      const auto a = r[i].lanes, b = r[i + H].lanes;
      r[i] = upper_of_pair<H>(a, b, Lanes());
      r[i + H] = lower_of_pair<H>(a, b, Lanes());
    }
    transpose_step<2 * H>(r);
  }
}
}  // namespace impl

/// r[i][j] becomes r[j][i].
template <class T, int N> ZWANG_INLINE void transpose(Pack<T, N> (&r)[N]) { impl::transpose_step<1>(r); }

}  // namespace ZWANG_ISA
}  // namespace zwang
