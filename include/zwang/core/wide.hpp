// SPDX-License-Identifier: BSD-3-Clause
// Wide<T, N>: N numbers side by side in as many native registers as they need.
//
// Its bytes are the same at every instruction set (N numbers, aligned to their own size), so that it may live in
// workspaces that ordinary code and kernels of every level share. One state uses it for what comes in sixes and eights:
// rows of constraints, spatial vectors padded to eight, one quantity of eight bodies.
#pragma once
#include "zwang/core/transpose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
template <class F, int... I> ZWANG_INLINE void for_constants(F& f, std::integer_sequence<int, I...>) { (f(I), ...); }
}  // namespace impl

template <class T, int N> struct alignas(N * sizeof(T)) Wide {
  static constexpr int part_lanes = N < native_lanes<T> ? N : native_lanes<T>;
  static constexpr int parts = N / part_lanes;
  using Part = Pack<T, part_lanes>;
  Part part[parts];

  Wide() = default;
  ZWANG_INLINE Wide(T uniform) {
    each([&](int i) ZWANG_LAMBDA { part[i] = Part(uniform); });
  }
  // Copies go register by register.
  ZWANG_INLINE Wide(const Wide& o) {
    each([&](int i) ZWANG_LAMBDA { part[i] = o.part[i]; });
  }
  ZWANG_INLINE Wide& operator=(const Wide& o) {
    each([&](int i) ZWANG_LAMBDA { part[i] = o.part[i]; });
    return *this;
  }
  static ZWANG_INLINE Wide load(const T* p) {
    Wide r;
    each([&](int i) ZWANG_LAMBDA { r.part[i] = Part::load(p + i * part_lanes); });
    return r;
  }
  ZWANG_INLINE void store(T* p) const {
    each([&](int i) ZWANG_LAMBDA { part[i].store(p + i * part_lanes); });
  }
  /// f(0), f(1), ... side by side.
  template <class F> static ZWANG_INLINE Wide of(F&& f) {
    Wide r;
    each([&](int i) ZWANG_LAMBDA {
      r.part[i] = pack_of<T, part_lanes>([&](int l) ZWANG_LAMBDA { return f(i * part_lanes + l); });
    });
    return r;
  }
  ZWANG_INLINE T operator[](int lane) const { return part[lane / part_lanes][lane % part_lanes]; }
  ZWANG_INLINE void set(int lane, T x) { part[lane / part_lanes].set(lane % part_lanes, x); }

  friend ZWANG_INLINE Wide operator+(const Wide& a, const Wide& b) {
    return map([&](int i) ZWANG_LAMBDA { return a.part[i] + b.part[i]; });
  }
  friend ZWANG_INLINE Wide operator-(const Wide& a, const Wide& b) {
    return map([&](int i) ZWANG_LAMBDA { return a.part[i] - b.part[i]; });
  }
  friend ZWANG_INLINE Wide operator*(const Wide& a, const Wide& b) {
    return map([&](int i) ZWANG_LAMBDA { return a.part[i] * b.part[i]; });
  }
  friend ZWANG_INLINE Wide operator/(const Wide& a, const Wide& b) {
    return map([&](int i) ZWANG_LAMBDA { return a.part[i] / b.part[i]; });
  }
  friend ZWANG_INLINE Wide operator+(const Wide& a, T b) { return a + Wide(b); }
  friend ZWANG_INLINE Wide operator-(const Wide& a, T b) { return a - Wide(b); }
  friend ZWANG_INLINE Wide operator*(const Wide& a, T b) { return a * Wide(b); }
  friend ZWANG_INLINE Wide operator/(const Wide& a, T b) { return a / Wide(b); }
  friend ZWANG_INLINE Wide operator+(T a, const Wide& b) { return Wide(a) + b; }
  friend ZWANG_INLINE Wide operator-(T a, const Wide& b) { return Wide(a) - b; }
  friend ZWANG_INLINE Wide operator*(T a, const Wide& b) { return Wide(a) * b; }
  friend ZWANG_INLINE Wide operator/(T a, const Wide& b) { return Wide(a) / b; }
  ZWANG_INLINE Wide operator-() const {
    return map([&](int i) ZWANG_LAMBDA { return -part[i]; });
  }
  ZWANG_INLINE Wide& operator+=(const Wide& b) { return *this = *this + b; }
  ZWANG_INLINE Wide& operator-=(const Wide& b) { return *this = *this - b; }
  ZWANG_INLINE Wide& operator*=(const Wide& b) { return *this = *this * b; }
  ZWANG_INLINE Wide& operator/=(const Wide& b) { return *this = *this / b; }

  friend ZWANG_INLINE T sum(const Wide& a) {
    Part s = a.part[0];
    for (int i = 1; i < parts; ++i) s += a.part[i];
    return sum(s);
  }

 private:
  // Indices that are constants from the start: with a loop g++ keeps the parts in memory.
  template <class F> static ZWANG_INLINE void each(F&& f) {
    impl::for_constants(f, std::make_integer_sequence<int, parts>());
  }
  template <class F> static ZWANG_INLINE Wide map(F&& f) {
    Wide r;
    each([&](int i) ZWANG_LAMBDA { r.part[i] = f(i); });
    return r;
  }
};

/// Lane K everywhere.
template <int K, class T, int N> ZWANG_INLINE Wide<T, N> spread(const Wide<T, N>& a) {
  constexpr int L = Wide<T, N>::part_lanes;
  const auto part = spread<K % L>(a.part[K / L]);
  Wide<T, N> r;
#pragma GCC unroll 16
  for (int i = 0; i < Wide<T, N>::parts; ++i) r.part[i] = part;
  return r;
}

/// Lanes picked from the 2 N numbers at p. For lists of lanes known when compiling.
template <int... L, class T> ZWANG_INLINE auto pick(const T* p) {
  constexpr int N = sizeof...(L);
  Wide<T, N> r;
  if constexpr (Wide<T, N>::parts == 1) {
    using Part = typename Wide<T, N>::Part;
    r.part[0] = __builtin_shufflevector(Part::load(p).lanes, Part::load(p + N).lanes, L...);
  } else {
    int lane = 0;
    (r.set(lane++, p[L]), ...);
  }
  return r;
}

/// r[i][j] becomes r[j][i], one square of native lanes after the other.
template <class T, int N> ZWANG_INLINE void transpose(Wide<T, N> (&r)[N]) {
  constexpr int L = Wide<T, N>::part_lanes, parts = N / L;
  using Part = typename Wide<T, N>::Part;
#pragma GCC unroll 16
  for (int i = 0; i < parts; ++i)
#pragma GCC unroll 16
    for (int j = 0; j <= i; ++j) {
      Part a[L], b[L];
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) {
        a[l] = r[i * L + l].part[j];
        b[l] = r[j * L + l].part[i];
      }
      transpose(a);
      if (i != j) transpose(b);
#pragma GCC unroll 16
      for (int l = 0; l < L; ++l) {
        r[j * L + l].part[i] = a[l];
        if (i != j) r[i * L + l].part[j] = b[l];
      }
    }
}

template <class T, int N> struct ScalarTraits<Wide<T, N>> {
  using Uniform = T;
  static constexpr int lanes = N;
};

}  // namespace ZWANG_ISA
}  // namespace zwang
