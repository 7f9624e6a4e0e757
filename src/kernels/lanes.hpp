// SPDX-License-Identifier: BSD-3-Clause
// Numbers of neighbouring states into lanes and back (core/kernel_table.hpp says how arrays of states lie in memory).
#pragma once
#include "core/kernel_table.hpp"
#include "zwang/core/transpose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// The first number of a state.
template <class T> ZWANG_INLINE T* of_state(const StateArray<T>& a, long state) {
  constexpr long tile = StateArray<T>::k_tile;
  return a.data + state / tile * a.tile + state % tile * a.lane;
}

/// x[k] = number k of the states first, first + 1, ...; lanes beyond `states` repeat the last one. x has room for N
/// numbers at least: those beyond the size of a state become anything.
template <class T, int N>
ZWANG_INLINE void load_states(const StateArray<const T>& a, long first, long states, Pack<T, N>* x) {
  using P = Pack<T, N>;
  if (a.lane == 1 && first + N <= states) {
    const T* const p = of_state(a, first);
    for (Index k = 0; k < a.size; ++k) x[k] = P::load(p + k * a.number);
    return;
  }
  const T* row[N];
  for (int l = 0; l < N; ++l) row[l] = of_state(a, first + l < states ? first + l : states - 1);
  // Fewer numbers than lanes: whole registers are read as long as they end before the array does.
  const bool short_rows = a.size < N;
  const bool beyond = short_rows && (a.lane < 0 || row[N - 1] + N > of_state(a, states - 1) + a.size);
  if (a.number != 1 || beyond) {
    for (Index k = 0; k < a.size; ++k)
      for (int l = 0; l < N; ++l) x[k].set(l, row[l][k * a.number]);
    return;
  }
  const auto load_block = [&](Index k) ZWANG_LAMBDA {
    P block[N];
    for (int l = 0; l < N; ++l) block[l] = P::load(row[l] + k);
    transpose(block);
    for (int l = 0; l < N; ++l) x[k + l] = block[l];
  };
  for (Index k = 0; k < a.size - N; k += N) load_block(k);
  load_block(short_rows ? 0 : a.size - N);  // overlaps the block before
}

/// A whole register in one piece, from memory to memory as well, where compilers copy a structure in halves.
template <class T, int N> ZWANG_INLINE void put(T* p, const Pack<T, N>& x) {
  using Lanes = typename Pack<T, N>::Lanes;
  typedef Lanes Anywhere __attribute__((aligned(alignof(T)), may_alias));
  *reinterpret_cast<Anywhere*>(p) = x.lanes;
}
/// Numbers [k, k + W) of x to rows, W <= N. Indices into `block` are constants: it stays in registers.
template <int W, class T, int N>
ZWANG_INLINE void store_block(const Pack<T, N>* x, Index k, T* p, long lane, int lanes) {
  Pack<T, N> block[N];
#pragma GCC unroll 16
  for (int l = 0; l < N; ++l) block[l].lanes = x[k + (l < W ? l : W - 1)].lanes;
  transpose(block);
#pragma GCC unroll 16
  for (int l = 0; l < N; ++l) {
    if (l >= lanes) return;
    if constexpr (W == N)
      put(p + l * lane + k, block[l]);
    else
      std::memcpy(p + l * lane + k, &block[l], W * sizeof(T));
  }
}
/// Rows shorter than a register, in pieces of W = N/2, N/4, ... numbers; the last piece overlaps the one before.
template <int W, class T, int N>
ZWANG_INLINE void store_short(const Pack<T, N>* x, Index size, T* p, long lane, int lanes) {
  if constexpr (W > 1)
    if (size < W) return store_short<W / 2>(x, size, p, lane, lanes);
  store_block<W>(x, 0, p, lane, lanes);
  if (size > W) store_block<W>(x, size - W, p, lane, lanes);
}

/// The other way; lanes beyond `states` are not written.
template <class T, int N>
ZWANG_INLINE void store_states(const Pack<T, N>* x, const StateArray<T>& a, long first, long states) {
  const int lanes = first + N <= states ? N : static_cast<int>(states - first);
  T* const p = of_state(a, first);
  if (a.lane == 1 && lanes == N) {
    for (Index k = 0; k < a.size; ++k) put(p + k * a.number, x[k]);
    return;
  }
  if (a.number != 1) {
    for (Index k = 0; k < a.size; ++k)
      for (int l = 0; l < lanes; ++l) p[l * a.lane + k * a.number] = x[k][l];
    return;
  }
  if (a.size == 0) return;
  if (a.size < N) return store_short<N / 2>(x, a.size, p, a.lane, lanes);
  for (Index k = 0; k < a.size - N; k += N) store_block<N>(x, k, p, a.lane, lanes);
  store_block<N>(x, a.size - N, p, a.lane, lanes);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
