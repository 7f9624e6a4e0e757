// SPDX-License-Identifier: BSD-3-Clause
// Instructions that compilers do not choose by themselves, under their names on each architecture. Kernels call them
// from here, so that no word of an architecture stands in their pages.
#pragma once
#include <cstdint>
#include <type_traits>

#include "zwang/core/pack.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace zwang {
inline namespace ZWANG_ISA {

/// Unsigned integers of 64 bits in one register, and how many there are.
inline constexpr int k_whole_lanes = register_bytes / 8;
using WholeLanes [[gnu::vector_size(register_bytes)]] = std::uint64_t;

/// In each lane the product of the low 32 bits of a and b, all 64 bits of it.
ZWANG_INLINE WholeLanes product_of_low_halves(const WholeLanes& a, const WholeLanes& b) {
#if defined(__AVX512F__)
  return WholeLanes(_mm512_maskz_mul_epu32(0xFF, __m512i(a), __m512i(b)));  // GCC 12 warns of the one without a mask
#elif defined(__AVX2__)
  return WholeLanes(_mm256_mul_epu32(__m256i(a), __m256i(b)));
#elif defined(__SSE2__) && !defined(__AVX__)
  return WholeLanes(_mm_mul_epu32(__m128i(a), __m128i(b)));
#elif defined(__ARM_NEON)
  return WholeLanes(vmull_u32(vmovn_u64(uint64x2_t(a)), vmovn_u64(uint64x2_t(b))));
#else
  return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

/// *p = x past the caches, for results larger than these, whose lines then need not be read first; p is aligned to x.
template <class T, int N> ZWANG_INLINE void stream(T* p, const Pack<T, N>& x) {
#if defined(__clang__)
  __builtin_nontemporal_store(x.lanes, reinterpret_cast<typename Pack<T, N>::Lanes*>(p));
#else
  constexpr bool k_double = std::is_same_v<T, double>;
  if constexpr (register_bytes == 64 && k_double)
    __builtin_ia32_movntpd512(p, x.lanes);
  else if constexpr (register_bytes == 64)
    __builtin_ia32_movntps512(p, x.lanes);
  else if constexpr (register_bytes == 32 && k_double)
    __builtin_ia32_movntpd256(p, x.lanes);
  else if constexpr (register_bytes == 32)
    __builtin_ia32_movntps256(p, x.lanes);
  else
    x.store(p);
#endif
}
/// To be called after the last store by `stream`, before another thread may read.
ZWANG_INLINE void end_stream() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

}  // namespace ZWANG_ISA
}  // namespace zwang
