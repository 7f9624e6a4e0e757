// SPDX-License-Identifier: BSD-3-Clause
// Rall2d: a value, its first and its second derivative. T: the value, V: derivatives, S: plain scalars.
#pragma once
#include "utility.h"

namespace KDL {

template <class T, class V = T, class S = T> class Rall2d {
 public:
  T t{};   ///< value
  V d{};   ///< first derivative
  V dd{};  ///< second derivative

  Rall2d() = default;
  Rall2d(const T& value) : t(value) {
    SetToZero(d);
    SetToZero(dd);
  }
  Rall2d(const T& value, const V& first) : t(value), d(first) { SetToZero(dd); }
  Rall2d(const T& value, const V& first, const V& second) : t(value), d(first), dd(second) {}

  T value() const { return t; }
  V deriv() const { return d; }
  V dderiv() const { return dd; }

  Rall2d& operator=(const S& c) { return *this = Rall2d(T(c)); }
  Rall2d& operator+=(const Rall2d& b) { return *this = *this + b; }
  Rall2d& operator-=(const Rall2d& b) { return *this = *this - b; }
  Rall2d& operator*=(const Rall2d& b) { return *this = *this * b; }
  Rall2d& operator/=(const Rall2d& b) { return *this = *this / b; }
  Rall2d& operator+=(const S& c) { return *this = *this + c; }
  Rall2d& operator-=(const S& c) { return *this = *this - c; }
  Rall2d& operator*=(const S& c) { return *this = *this * c; }
  Rall2d& operator/=(const S& c) { return *this = *this / c; }

  static Rall2d Zero() { return Rall2d(T(0)); }
  static Rall2d Identity() { return Rall2d(T(1)); }
  void ReverseSign() { *this = -*this; }

  friend Rall2d operator+(const Rall2d& a, const Rall2d& b) { return Rall2d(a.t + b.t, a.d + b.d, a.dd + b.dd); }
  friend Rall2d operator-(const Rall2d& a, const Rall2d& b) { return Rall2d(a.t - b.t, a.d - b.d, a.dd - b.dd); }
  friend Rall2d operator*(const Rall2d& a, const Rall2d& b) {
    return Rall2d(a.t * b.t, a.t * b.d + a.d * b.t, a.t * b.dd + S(2) * a.d * b.d + a.dd * b.t);
  }
  /// (a / b)' and (a / b)'' follow from a = (a / b) b.
  friend Rall2d operator/(const Rall2d& a, const Rall2d& b) {
    const T f = a.t / b.t;
    const V f1 = (a.d - f * b.d) / b.t;
    return Rall2d(f, f1, (a.dd - S(2) * f1 * b.d - f * b.dd) / b.t);
  }
  friend Rall2d operator-(const Rall2d& a) { return Rall2d(-a.t, -a.d, -a.dd); }
  friend Rall2d operator+(const Rall2d& a, S c) { return Rall2d(a.t + c, a.d, a.dd); }
  friend Rall2d operator+(S c, const Rall2d& a) { return a + c; }
  friend Rall2d operator-(const Rall2d& a, S c) { return Rall2d(a.t - c, a.d, a.dd); }
  friend Rall2d operator-(S c, const Rall2d& a) { return Rall2d(c - a.t, -a.d, -a.dd); }
  friend Rall2d operator*(const Rall2d& a, S c) { return Rall2d(a.t * c, a.d * c, a.dd * c); }
  friend Rall2d operator*(S c, const Rall2d& a) { return a * c; }
  friend Rall2d operator/(const Rall2d& a, S c) { return Rall2d(a.t / c, a.d / c, a.dd / c); }
  friend Rall2d operator/(S c, const Rall2d& a) { return Rall2d(T(c)) / a; }

  friend Rall2d exp(const Rall2d& a) {
    const T e = exp(a.t);
    return chain(a, e, e, e);
  }
  friend Rall2d log(const Rall2d& a) { return chain(a, log(a.t), S(1) / a.t, S(-1) / (a.t * a.t)); }
  friend Rall2d sin(const Rall2d& a) { return chain(a, sin(a.t), cos(a.t), -sin(a.t)); }
  friend Rall2d cos(const Rall2d& a) { return chain(a, cos(a.t), -sin(a.t), -cos(a.t)); }
  friend Rall2d tan(const Rall2d& a) {
    const T f = tan(a.t), f1 = S(1) + f * f;
    return chain(a, f, f1, S(2) * f * f1);
  }
  friend Rall2d sinh(const Rall2d& a) { return chain(a, sinh(a.t), cosh(a.t), sinh(a.t)); }
  friend Rall2d cosh(const Rall2d& a) { return chain(a, cosh(a.t), sinh(a.t), cosh(a.t)); }
  friend Rall2d tanh(const Rall2d& a) {
    const T f = tanh(a.t), f1 = S(1) - f * f;
    return chain(a, f, f1, S(-2) * f * f1);
  }
  friend Rall2d sqr(const Rall2d& a) { return chain(a, a.t * a.t, S(2) * a.t, T(2)); }
  friend Rall2d sqrt(const Rall2d& a) {
    const T f = sqrt(a.t), f1 = S(0.5) / f;
    return chain(a, f, f1, S(-0.5) * f1 / a.t);
  }
  friend Rall2d pow(const Rall2d& a, double m) {
    const T f1 = m == 0 ? T(0) : m * pow(a.t, m - 1), f2 = m * (m - 1) == 0 ? T(0) : m * (m - 1) * pow(a.t, m - 2);
    return chain(a, pow(a.t, m), f1, f2);
  }
  friend Rall2d asin(const Rall2d& a) {
    const T f1 = S(1) / sqrt(S(1) - a.t * a.t);
    return chain(a, asin(a.t), f1, a.t * f1 * f1 * f1);
  }
  friend Rall2d acos(const Rall2d& a) {
    const T f1 = S(-1) / sqrt(S(1) - a.t * a.t);
    return chain(a, acos(a.t), f1, a.t * f1 * f1 * f1);
  }
  friend Rall2d atan(const Rall2d& a) {
    const T f1 = S(1) / (S(1) + a.t * a.t);
    return chain(a, atan(a.t), f1, S(-2) * a.t * f1 * f1);
  }
  /// w = (x y' - y x') / r^2, with r = |(x, y)|; its derivative likewise.
  friend Rall2d atan2(const Rall2d& y, const Rall2d& x) {
    const T r2 = x.t * x.t + y.t * y.t;
    const V w = (x.t * y.d - y.t * x.d) / r2;
    return Rall2d(atan2(y.t, x.t), w, (x.t * y.dd - y.t * x.dd - S(2) * w * (x.t * x.d + y.t * y.d)) / r2);
  }
  friend Rall2d hypot(const Rall2d& y, const Rall2d& x) { return sqrt(x * x + y * y); }
  friend Rall2d abs(const Rall2d& a) { return a.t < T(0) ? -a : a; }
  friend S Norm(const Rall2d& a) { return Norm(a.t); }

  friend Rall2d LinComb(S alfa, const Rall2d& a, const T& beta, const Rall2d& b) {
    return Rall2d(LinComb(alfa, a.t, beta, b.t), LinComb(alfa, a.d, beta, b.d), LinComb(alfa, a.dd, beta, b.dd));
  }
  friend void LinCombR(S alfa, const Rall2d& a, const T& beta, const Rall2d& b, Rall2d& out) {
    out = LinComb(alfa, a, beta, b);
  }

  friend void SetToZero(Rall2d& a) { a = Zero(); }
  friend void SetToIdentity(Rall2d& a) { a = Identity(); }
  friend bool Equal(const Rall2d& a, const Rall2d& b, double eps = epsilon) {
    return Equal(a.t, b.t, eps) && Equal(a.d, b.d, eps) && Equal(a.dd, b.dd, eps);
  }
  friend bool operator==(const Rall2d& a, const Rall2d& b) { return Equal(a, b); }
  friend bool operator!=(const Rall2d& a, const Rall2d& b) { return !Equal(a, b); }

 private:
  /// f(a), from f and its derivatives at a.t.
  static Rall2d chain(const Rall2d& a, const T& f, const T& f1, const T& f2) {
    return Rall2d(f, f1 * a.d, f2 * a.d * a.d + f1 * a.dd);
  }
};

}  // namespace KDL
