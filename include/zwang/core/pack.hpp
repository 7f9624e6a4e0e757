// SPDX-License-Identifier: BSD-3-Clause
// Pack<T, N>: N numbers in one SIMD register, by the compilers' vector extension.
//
// N is the native width (`native_lanes<T>`): wider packs are lowered through
// memory by g++ and cost 3 to 8 times as much.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "zwang/core/scalar.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif
template <class T> inline constexpr int native_lanes = register_bytes / static_cast<int>(sizeof(T));

namespace impl {
template <class T> struct IntegerOf;
template <> struct IntegerOf<double> { using type = std::int64_t; };
template <> struct IntegerOf<float> { using type = std::int32_t; };
// The vector types stand outside Pack: g++ 12 takes a dependent vector typedef inside a class template for plain T.
template <class T, int N> struct VectorOf {
  typedef T Lanes __attribute__((vector_size(N * sizeof(T))));
  typedef typename IntegerOf<T>::type Bits __attribute__((vector_size(N * sizeof(T))));
};
}  // namespace impl

template <class T, int N> struct Pack;
namespace impl {
template <class V, int... L> ZWANG_INLINE auto halves_added(const V& a, std::integer_sequence<int, L...>) {
  constexpr int n = sizeof...(L);
  using T = std::remove_cvref_t<decltype(a[0])>;
  return Pack<T, n>(__builtin_shufflevector(a, a, L...) + __builtin_shufflevector(a, a, (n + L)...));
}
template <int K, class V, int... L> ZWANG_INLINE V spread_lane(const V& a, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(a, a, (L * 0 + K)...);
}
}  // namespace impl

template <class T, int N> struct Pack {
  using Lanes = typename impl::VectorOf<T, N>::Lanes;
  using Bits = typename impl::VectorOf<T, N>::Bits;
  struct Mask {
    Bits bits;  ///< all ones where true
    friend ZWANG_INLINE Mask operator&(const Mask& a, const Mask& b) { return {a.bits & b.bits}; }
    friend ZWANG_INLINE Mask operator|(const Mask& a, const Mask& b) { return {a.bits | b.bits}; }
    friend ZWANG_INLINE Mask operator!(const Mask& a) { return {~a.bits}; }
  };
  Lanes lanes;

  Pack() = default;
  ZWANG_INLINE Pack(Lanes l) : lanes(l) {}
  ZWANG_INLINE Pack(T uniform) : lanes(uniform - Lanes{}) {}
  static ZWANG_INLINE Pack load(const T* p) {
    Pack r;
    std::memcpy(&r.lanes, p, sizeof(Lanes));
    return r;
  }
  ZWANG_INLINE void store(T* p) const { std::memcpy(p, &lanes, sizeof(Lanes)); }
  ZWANG_INLINE T operator[](int lane) const { return lanes[lane]; }
  ZWANG_INLINE void set(int lane, T x) { lanes[lane] = x; }

  friend ZWANG_INLINE Pack operator+(const Pack& a, const Pack& b) { return a.lanes + b.lanes; }
  friend ZWANG_INLINE Pack operator-(const Pack& a, const Pack& b) { return a.lanes - b.lanes; }
  friend ZWANG_INLINE Pack operator*(const Pack& a, const Pack& b) { return a.lanes * b.lanes; }
  friend ZWANG_INLINE Pack operator/(const Pack& a, const Pack& b) { return a.lanes / b.lanes; }
  friend ZWANG_INLINE Pack operator+(const Pack& a, T b) { return a.lanes + b; }
  friend ZWANG_INLINE Pack operator-(const Pack& a, T b) { return a.lanes - b; }
  friend ZWANG_INLINE Pack operator*(const Pack& a, T b) { return a.lanes * b; }
  friend ZWANG_INLINE Pack operator/(const Pack& a, T b) { return a.lanes / b; }
  friend ZWANG_INLINE Pack operator+(T a, const Pack& b) { return a + b.lanes; }
  friend ZWANG_INLINE Pack operator-(T a, const Pack& b) { return a - b.lanes; }
  friend ZWANG_INLINE Pack operator*(T a, const Pack& b) { return a * b.lanes; }
  friend ZWANG_INLINE Pack operator/(T a, const Pack& b) { return a / b.lanes; }
  ZWANG_INLINE Pack operator-() const { return -lanes; }
  ZWANG_INLINE Pack& operator+=(const Pack& b) {
    lanes += b.lanes;
    return *this;
  }
  ZWANG_INLINE Pack& operator-=(const Pack& b) {
    lanes -= b.lanes;
    return *this;
  }
  ZWANG_INLINE Pack& operator*=(const Pack& b) {
    lanes *= b.lanes;
    return *this;
  }
  ZWANG_INLINE Pack& operator/=(const Pack& b) {
    lanes /= b.lanes;
    return *this;
  }

  friend ZWANG_INLINE Mask less(const Pack& a, const Pack& b) { return {Bits(a.lanes < b.lanes)}; }
  friend ZWANG_INLINE Pack select(const Mask& m, const Pack& a, const Pack& b) {
    return Lanes(m.bits ? a.lanes : b.lanes);
  }
  friend ZWANG_INLINE bool any(const Mask& m) {
    if constexpr (sizeof(Bits) > 16) {  // halves first: one lane after the other costs more than the test is worth
      typename Pack<T, N / 2>::Mask half[2];
      std::memcpy(static_cast<void*>(half), &m.bits, sizeof(Bits));
      return any(half[0] | half[1]);
    } else {
      std::uint64_t words[2];
      std::memcpy(words, &m.bits, sizeof words);
      return (words[0] | words[1]) != 0;
    }
  }
  friend ZWANG_INLINE bool all(const Mask& m) { return !any(!m); }
  friend ZWANG_INLINE Pack abs(const Pack& a) {
    constexpr auto all_but_sign = std::numeric_limits<typename impl::IntegerOf<T>::type>::max();
    return Lanes(Bits(a.lanes) & all_but_sign);
  }
  friend ZWANG_INLINE Pack min(const Pack& a, const Pack& b) { return select(less(b, a), b, a); }
  friend ZWANG_INLINE Pack max(const Pack& a, const Pack& b) { return select(less(a, b), b, a); }
  friend ZWANG_INLINE Pack fma(const Pack& a, const Pack& b, const Pack& c) { return a.lanes * b.lanes + c.lanes; }
  friend ZWANG_INLINE Pack sqrt(const Pack& a) {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = std::sqrt(a.lanes[i]);
    return r;
  }
  friend ZWANG_INLINE Pack atan2(const Pack& y, const Pack& x) {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = std::atan2(y.lanes[i], x.lanes[i]);
    return r;
  }
  /// All lanes are neither infinite nor NaN.
  friend ZWANG_INLINE bool is_finite(const Pack& a) {
    return all(less(abs(a), Pack(std::numeric_limits<T>::infinity())));
  }
  friend ZWANG_INLINE T sum(const Pack& a) {
    if constexpr (N <= 2) {
      T s = a.lanes[0];
      for (int i = 1; i < N; ++i) s += a.lanes[i];
      return s;
    } else {  // halves first: fewer dependent additions
      return sum(impl::halves_added(a.lanes, std::make_integer_sequence<int, N / 2>()));
    }
  }
};

namespace impl {
template <class P, class F, int... L> ZWANG_INLINE P from_lanes(F& f, std::integer_sequence<int, L...>) {
  return P(typename P::Lanes{f(L)...});
}
}  // namespace impl
/// f(0), f(1), ... side by side: by shuffles of registers, not by narrow stores that a wide load would wait for.
template <class T, int N, class F> ZWANG_INLINE Pack<T, N> pack_of(F&& f) {
  return impl::from_lanes<Pack<T, N>>(f, std::make_integer_sequence<int, N>());
}

/// Lane K everywhere, without a way through memory.
template <int K, class T, int N> ZWANG_INLINE Pack<T, N> spread(const Pack<T, N>& a) {
  return impl::spread_lane<K>(a.lanes, std::make_integer_sequence<int, N>());
}

template <class T, int N> struct ScalarTraits<Pack<T, N>> {
  using Uniform = T;
  static constexpr int lanes = N;
};
template <class T, int N> ZWANG_INLINE double value_of(const Pack<T, N>& a) { return static_cast<double>(a[0]); }

/// A pack that fills one register of the instruction set.
template <class T> using NativePack = Pack<T, native_lanes<T>>;

}  // namespace ZWANG_ISA
}  // namespace zwang
