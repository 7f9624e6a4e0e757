// SPDX-License-Identifier: BSD-3-Clause
// Stores that bypass the caches: for results larger than the caches, whose lines then need not be read first.
#pragma once
#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// *p = x; p is aligned to x.
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
/// To be called after the last store, before another thread may read.
ZWANG_INLINE void end_stream() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

}  // namespace ZWANG_ISA
}  // namespace zwang
