// SPDX-License-Identifier: BSD-3-Clause
// Rall1d: a value and its derivative (a dual number; Rall 1981). T: the value, V: the derivative, S: plain scalars.
#pragma once
#include "utility.h"

namespace KDL {

template <typename T, typename V = T, typename S = T> class Rall1d {
 public:
  typedef T valuetype;
  typedef V gradienttype;
  typedef S scalartype;

  T t{};     ///< value
  V grad{};  ///< derivative

  Rall1d() = default;
  Rall1d(const T& value) : t(value) { SetToZero(grad); }
  Rall1d(const T& value, const V& derivative) : t(value), grad(derivative) {}

  T value() const { return t; }
  V deriv() const { return grad; }

  Rall1d& operator=(S c) {
    t = c;
    SetToZero(grad);
    return *this;
  }
  Rall1d& operator+=(const Rall1d& b) {
    t += b.t;
    grad += b.grad;
    return *this;
  }
  Rall1d& operator-=(const Rall1d& b) {
    t -= b.t;
    grad -= b.grad;
    return *this;
  }
  Rall1d& operator*=(const Rall1d& b) {
    grad = LinComb(b.t, grad, t, b.grad);
    t *= b.t;
    return *this;
  }
  Rall1d& operator/=(const Rall1d& b) { return *this = *this / b; }
  Rall1d& operator+=(const S& c) {
    t += c;
    return *this;
  }
  Rall1d& operator-=(const S& c) {
    t -= c;
    return *this;
  }
  Rall1d& operator*=(const S& c) {
    t *= c;
    grad *= c;
    return *this;
  }
  Rall1d& operator/=(const S& c) {
    t /= c;
    grad /= c;
    return *this;
  }

  static Rall1d Zero() { return Rall1d(T(0)); }
  static Rall1d Identity() { return Rall1d(T(1)); }
  void ReverseSign() {
    t = -t;
    grad = -grad;
  }

  friend Rall1d operator+(const Rall1d& a, const Rall1d& b) { return Rall1d(a.t + b.t, a.grad + b.grad); }
  friend Rall1d operator-(const Rall1d& a, const Rall1d& b) { return Rall1d(a.t - b.t, a.grad - b.grad); }
  friend Rall1d operator*(const Rall1d& a, const Rall1d& b) { return Rall1d(a.t * b.t, b.t * a.grad + a.t * b.grad); }
  friend Rall1d operator/(const Rall1d& a, const Rall1d& b) {
    const T quotient = a.t / b.t;
    return Rall1d(quotient, (a.grad - quotient * b.grad) / b.t);
  }
  friend Rall1d operator-(const Rall1d& a) { return Rall1d(-a.t, -a.grad); }
  friend Rall1d operator+(const Rall1d& a, S c) { return Rall1d(a.t + c, a.grad); }
  friend Rall1d operator+(S c, const Rall1d& a) { return Rall1d(c + a.t, a.grad); }
  friend Rall1d operator-(const Rall1d& a, S c) { return Rall1d(a.t - c, a.grad); }
  friend Rall1d operator-(S c, const Rall1d& a) { return Rall1d(c - a.t, -a.grad); }
  friend Rall1d operator*(const Rall1d& a, S c) { return Rall1d(a.t * c, a.grad * c); }
  friend Rall1d operator*(S c, const Rall1d& a) { return Rall1d(c * a.t, c * a.grad); }
  friend Rall1d operator/(const Rall1d& a, S c) { return Rall1d(a.t / c, a.grad / c); }
  friend Rall1d operator/(S c, const Rall1d& a) { return Rall1d(T(c)) / a; }

  // f(a): {f, f' a'}
  friend Rall1d exp(const Rall1d& a) {
    const T e = exp(a.t);
    return Rall1d(e, e * a.grad);
  }
  friend Rall1d log(const Rall1d& a) { return Rall1d(log(a.t), a.grad / a.t); }
  friend Rall1d sin(const Rall1d& a) { return Rall1d(sin(a.t), cos(a.t) * a.grad); }
  friend Rall1d cos(const Rall1d& a) { return Rall1d(cos(a.t), -sin(a.t) * a.grad); }
  friend Rall1d tan(const Rall1d& a) {
    const T f = tan(a.t);
    return Rall1d(f, (S(1) + f * f) * a.grad);
  }
  friend Rall1d sinh(const Rall1d& a) { return Rall1d(sinh(a.t), cosh(a.t) * a.grad); }
  friend Rall1d cosh(const Rall1d& a) { return Rall1d(cosh(a.t), sinh(a.t) * a.grad); }
  friend Rall1d tanh(const Rall1d& a) {
    const T f = tanh(a.t);
    return Rall1d(f, (S(1) - f * f) * a.grad);
  }
  friend Rall1d sqr(const Rall1d& a) { return Rall1d(a.t * a.t, S(2) * a.t * a.grad); }
  friend Rall1d sqrt(const Rall1d& a) {
    const T f = sqrt(a.t);
    return Rall1d(f, a.grad / (S(2) * f));
  }
  friend Rall1d pow(const Rall1d& a, double m) {
    return Rall1d(pow(a.t, m), (m == 0 ? T(0) : S(m) * pow(a.t, m - 1)) * a.grad);
  }
  friend Rall1d asin(const Rall1d& a) { return Rall1d(asin(a.t), a.grad / sqrt(S(1) - a.t * a.t)); }
  friend Rall1d acos(const Rall1d& a) { return Rall1d(acos(a.t), -(a.grad / sqrt(S(1) - a.t * a.t))); }
  friend Rall1d atan(const Rall1d& a) { return Rall1d(atan(a.t), a.grad / (S(1) + a.t * a.t)); }
  friend Rall1d atan2(const Rall1d& y, const Rall1d& x) {
    return Rall1d(atan2(y.t, x.t), (x.t * y.grad - y.t * x.grad) / (y.t * y.t + x.t * x.t));
  }
  friend Rall1d hypot(const Rall1d& y, const Rall1d& x) {
    const T h = hypot(y.t, x.t);
    return Rall1d(h, x.t / h * x.grad + y.t / h * y.grad);
  }
  friend Rall1d abs(const Rall1d& a) { return a.t < T(0) ? -a : a; }
  friend S Norm(const Rall1d& a) { return Norm(a.t); }

  friend Rall1d LinComb(S alfa, const Rall1d& a, const T& beta, const Rall1d& b) {
    return Rall1d(LinComb(alfa, a.t, beta, b.t), LinComb(alfa, a.grad, beta, b.grad));
  }
  friend void LinCombR(S alfa, const Rall1d& a, const T& beta, const Rall1d& b, Rall1d& out) {
    out = LinComb(alfa, a, beta, b);
  }

  friend void SetToZero(Rall1d& a) { a = Zero(); }
  friend void SetToIdentity(Rall1d& a) { a = Identity(); }
  friend bool Equal(const Rall1d& a, const Rall1d& b, double eps = epsilon) {
    return Equal(a.t, b.t, eps) && Equal(a.grad, b.grad, eps);
  }
  friend bool operator==(const Rall1d& a, const Rall1d& b) { return Equal(a, b); }
  friend bool operator!=(const Rall1d& a, const Rall1d& b) { return !Equal(a, b); }
};

}  // namespace KDL
