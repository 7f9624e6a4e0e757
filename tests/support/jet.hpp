// SPDX-License-Identifier: BSD-3-Clause
// Jet<S>: a number with two nilpotent units, a + b e1 + c e2 + d e1 e2 (e1^2 = e2^2 = 0): exact first and mixed second
// derivatives. The reference differentiates poses with it: e1 along one coordinate, e2 along the velocity.
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <type_traits>

namespace zwang::reference {

using Real = long double;

template <class S> struct Jet {
  S a{0}, b{0}, c{0}, d{0};
  Jet() = default;
  Jet(const S& value) : a(value) {}
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::is_same_v<N, S>) Jet(N value) : a(static_cast<Real>(value)) {}
  Jet(const S& value, const S& e1, const S& e2, const S& e12) : a(value), b(e1), c(e2), d(e12) {}
  static Jet first(const S& x) { return {S(0), x, S(0), S(0)}; }   ///< x e1
  static Jet second(const S& x) { return {S(0), S(0), x, S(0)}; }  ///< x e2

  Jet& operator+=(const Jet& y) { return *this = {a + y.a, b + y.b, c + y.c, d + y.d}; }
  Jet& operator-=(const Jet& y) { return *this = {a - y.a, b - y.b, c - y.c, d - y.d}; }
  Jet& operator*=(const Jet& y) {
    return *this = {a * y.a, a * y.b + b * y.a, a * y.c + c * y.a, a * y.d + b * y.c + c * y.b + d * y.a};
  }
  friend Jet operator+(Jet x, const Jet& y) { return x += y; }
  friend Jet operator-(Jet x, const Jet& y) { return x -= y; }
  friend Jet operator*(Jet x, const Jet& y) { return x *= y; }
  friend Jet operator-(const Jet& x) { return {-x.a, -x.b, -x.c, -x.d}; }
};

/// f(x) from f, f' and f'' at the value of x.
template <class S> Jet<S> extend(const Jet<S>& x, const S& f, const S& df, const S& ddf) {
  return {f, df * x.b, df * x.c, df * x.d + ddf * x.b * x.c};
}
template <class S> Jet<S> sin(const Jet<S>& x) {
  using std::cos, std::sin;
  return extend(x, sin(x.a), cos(x.a), -sin(x.a));
}
template <class S> Jet<S> cos(const Jet<S>& x) {
  using std::cos, std::sin;
  return extend(x, cos(x.a), -sin(x.a), -cos(x.a));
}

}  // namespace zwang::reference

namespace Eigen {
template <class S> struct NumTraits<zwang::reference::Jet<S>> : GenericNumTraits<zwang::reference::Jet<S>> {
  using Real = zwang::reference::Jet<S>;
  using NonInteger = Real;
  using Literal = Real;
  using Nested = Real;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 4,
    MulCost = 16
  };
};
}  // namespace Eigen
