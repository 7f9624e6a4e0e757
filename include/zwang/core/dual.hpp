// SPDX-License-Identifier: BSD-3-Clause
// Dual<T>: v + d e with e^2 = 0. One forward derivative, exact to rounding.
// Nested once more for every further derivative.
#pragma once
#include "zwang/core/scalar.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class T> struct Dual;
namespace impl {
template <class T> inline constexpr bool is_dual = false;
template <class T> inline constexpr bool is_dual<Dual<T>> = true;
struct NoNumber {};
}  // namespace impl

template <class T> struct Dual {
  T v, d;
  Dual() = default;
  ZWANG_INLINE Dual(const T& value, const T& derivative = T(0)) : v(value), d(derivative) {}
  /// A constant, however deep the numbers are nested.
  explicit ZWANG_INLINE Dual(const Uniform<T>& value) requires(impl::is_dual<T>) : v(value), d(Uniform<T>(0)) {}
  friend ZWANG_INLINE Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
  friend ZWANG_INLINE Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
  friend ZWANG_INLINE Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
  friend ZWANG_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const T i = T(1) / b.v, q = a.v * i;
    return {q, (a.d - q * b.d) * i};
  }
  friend ZWANG_INLINE Dual operator+(const Dual& a, const T& b) { return {a.v + b, a.d}; }
  friend ZWANG_INLINE Dual operator-(const Dual& a, const T& b) { return {a.v - b, a.d}; }
  friend ZWANG_INLINE Dual operator*(const Dual& a, const T& b) { return {a.v * b, a.d * b}; }
  friend ZWANG_INLINE Dual operator/(const Dual& a, const T& b) { return {a.v / b, a.d / b}; }
  friend ZWANG_INLINE Dual operator+(const T& a, const Dual& b) { return {a + b.v, b.d}; }
  friend ZWANG_INLINE Dual operator-(const T& a, const Dual& b) { return {a - b.v, -b.d}; }
  friend ZWANG_INLINE Dual operator*(const T& a, const Dual& b) { return {a * b.v, a * b.d}; }
  friend ZWANG_INLINE Dual operator/(const T& a, const Dual& b) {
    const T i = T(1) / b.v, q = a * i;
    return {q, -q * b.d * i};
  }
  // Numbers with nested ones: no chain of conversions leads from double to the innermost.
  using U = std::conditional_t<impl::is_dual<T>, Uniform<T>, impl::NoNumber>;
  friend ZWANG_INLINE Dual operator+(const Dual& a, const U& b) requires(impl::is_dual<T>) { return {a.v + b, a.d}; }
  friend ZWANG_INLINE Dual operator-(const Dual& a, const U& b) requires(impl::is_dual<T>) { return {a.v - b, a.d}; }
  friend ZWANG_INLINE Dual operator*(const Dual& a, const U& b) requires(impl::is_dual<T>) {
    return {a.v * b, a.d * b};
  }
  friend ZWANG_INLINE Dual operator/(const Dual& a, const U& b) requires(impl::is_dual<T>) {
    return {a.v / b, a.d / b};
  }
  friend ZWANG_INLINE Dual operator+(const U& a, const Dual& b) requires(impl::is_dual<T>) { return {a + b.v, b.d}; }
  friend ZWANG_INLINE Dual operator-(const U& a, const Dual& b) requires(impl::is_dual<T>) { return {a - b.v, -b.d}; }
  friend ZWANG_INLINE Dual operator*(const U& a, const Dual& b) requires(impl::is_dual<T>) {
    return {a * b.v, a * b.d};
  }
  friend ZWANG_INLINE Dual operator/(const U& a, const Dual& b) requires(impl::is_dual<T>) { return Dual(a) / b; }
  ZWANG_INLINE Dual operator-() const { return {-v, -d}; }
  ZWANG_INLINE Dual& operator+=(const Dual& b) {
    v += b.v;
    d += b.d;
    return *this;
  }
  ZWANG_INLINE Dual& operator-=(const Dual& b) {
    v -= b.v;
    d -= b.d;
    return *this;
  }
  ZWANG_INLINE Dual& operator*=(const Dual& b) { return *this = *this * b; }
  ZWANG_INLINE Dual& operator/=(const Dual& b) { return *this = *this / b; }
  ZWANG_INLINE Dual& operator+=(const T& b) {
    v += b;
    return *this;
  }
  ZWANG_INLINE Dual& operator-=(const T& b) {
    v -= b;
    return *this;
  }
  ZWANG_INLINE Dual& operator*=(const T& b) {
    v *= b;
    d *= b;
    return *this;
  }
  ZWANG_INLINE Dual& operator/=(const T& b) {
    v /= b;
    d /= b;
    return *this;
  }
};

template <class T> struct ScalarTraits<Dual<T>> {
  using Uniform = zwang::Uniform<T>;
  static constexpr int lanes = lanes_of<T>;
};

template <class T> ZWANG_INLINE auto less(const Dual<T>& a, const Dual<T>& b) { return less(a.v, b.v); }
// A bool mask takes the plain select; this one is for the masks of lanes.
template <class M, class T>
requires(!std::is_convertible_v<M, bool>) ZWANG_INLINE Dual<T> select(const M& m, const Dual<T>& a, const Dual<T>& b) {
  return {select(m, a.v, b.v), select(m, a.d, b.d)};
}
template <class T> ZWANG_INLINE Dual<T> abs(const Dual<T>& a) { return select(less(a.v, T(0)), -a, a); }
template <class T> ZWANG_INLINE Dual<T> min(const Dual<T>& a, const Dual<T>& b) { return select(less(b.v, a.v), b, a); }
template <class T> ZWANG_INLINE Dual<T> max(const Dual<T>& a, const Dual<T>& b) { return select(less(a.v, b.v), b, a); }
template <class T> ZWANG_INLINE Dual<T> fma(const Dual<T>& a, const Dual<T>& b, const Dual<T>& c) { return a * b + c; }
template <class T> ZWANG_INLINE Dual<T> sqrt(const Dual<T>& a) {
  const T r = sqrt(a.v);
  return {r, a.d / (r + r)};
}
template <class T> ZWANG_INLINE Dual<T> atan2(const Dual<T>& y, const Dual<T>& x) {
  return {atan2(y.v, x.v), (y.d * x.v - x.d * y.v) / (x.v * x.v + y.v * y.v)};
}
template <class T> ZWANG_INLINE double value_of(const Dual<T>& a) { return value_of(a.v); }
template <class T> ZWANG_INLINE bool is_finite(const Dual<T>& a) { return is_finite(a.v) && is_finite(a.d); }

}  // namespace ZWANG_ISA
}  // namespace zwang
