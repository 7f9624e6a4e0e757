// SPDX-License-Identifier: BSD-3-Clause
// What the quantities with rates have in common, with velocities (framevel.hpp) or accelerations, too (frameacc.hpp):
// they are compared with their kind and with what has no rates; a twist is two vectors, a frame a rotation and a point.
#pragma once
#include "../frames.hpp"

namespace KDL {
namespace detail {

/// Comparisons of a T with a T, and with its value, which is at rest, by Equal() below.
template <class T, class Value> class Compared {
  friend bool operator==(const T& a, const T& b) { return Equal(a, b, epsilon); }
  friend bool operator!=(const T& a, const T& b) { return !(a == b); }
  friend bool operator==(const Value& a, const T& b) { return T(a) == b; }
  friend bool operator!=(const Value& a, const T& b) { return !(T(a) == b); }
  friend bool operator==(const T& a, const Value& b) { return a == T(b); }
  friend bool operator!=(const T& a, const Value& b) { return !(a == T(b)); }
};

/// A twist T of two vectors V; S: a number with rates.
template <class T, class V, class S> class TwistWithRates : public Compared<T, Twist> {
 public:
  V vel;
  V rot;

  TwistWithRates() = default;
  TwistWithRates(const V& linear, const V& angular) : vel(linear), rot(angular) {}

  Twist value() const { return Twist(vel.value(), rot.value()); }
  Twist deriv() const { return Twist(vel.deriv(), rot.deriv()); }
  Twist GetTwist() const { return value(); }
  Twist GetTwistDot() const { return deriv(); }
  T& operator+=(const T& b) {
    vel += b.vel;
    rot += b.rot;
    return static_cast<T&>(*this);
  }
  T& operator-=(const T& b) {
    vel -= b.vel;
    rot -= b.rot;
    return static_cast<T&>(*this);
  }
  static T Zero() { return T(); }
  void ReverseSign() {
    vel.ReverseSign();
    rot.ReverseSign();
  }
  T RefPoint(const V& v_base_AB) const { return T(vel + rot * v_base_AB, rot); }

  friend T operator+(const T& a, const T& b) { return T(a) += b; }
  friend T operator-(const T& a, const T& b) { return T(a) -= b; }
  friend T operator-(const T& a) { return T(-a.vel, -a.rot); }
  friend T operator*(const T& a, double s) { return T(a.vel * s, a.rot * s); }
  friend T operator*(double s, const T& a) { return a * s; }
  friend T operator/(const T& a, double s) { return T(a.vel / s, a.rot / s); }
  friend T operator*(const T& a, const S& s) { return T(a.vel * s, a.rot * s); }
  friend T operator*(const S& s, const T& a) { return a * s; }
  friend T operator/(const T& a, const S& s) { return T(a.vel / s, a.rot / s); }
};

/// A frame F of a rotation R and a vector V, which carries twists T.
template <class F, class R, class V, class T> class FrameWithRates : public Compared<F, Frame> {
 public:
  R M;
  V p;

  FrameWithRates() = default;
  FrameWithRates(const R& rotation, const V& position) : M(rotation), p(position) {}

  Frame value() const { return Frame(M.value(), p.value()); }
  Twist deriv() const { return Twist(p.deriv(), M.deriv()); }
  Frame GetFrame() const { return value(); }
  /// Base axes, the moving origin as reference point.
  Twist GetTwist() const { return deriv(); }
  static F Identity() { return F(); }
  F Inverse() const { return F(M.Inverse(), -M.Inverse(p)); }
  V Inverse(const V& x) const { return M.Inverse(x - p); }
  V Inverse(const Vector& x) const { return M.Inverse(x - p); }
  T Inverse(const T& t) const { return T(M.Inverse(t.vel - p * t.rot), M.Inverse(t.rot)); }
  T Inverse(const Twist& t) const { return Inverse(T(t)); }
  V operator*(const V& x) const { return M * x + p; }
  V operator*(const Vector& x) const { return M * x + p; }
  T operator*(const T& t) const {
    const V rot = M * t.rot;
    return T(M * t.vel + p * rot, rot);
  }
  T operator*(const Twist& t) const { return *this * T(t); }

  friend F operator*(const F& a, const F& b) { return F(a.M * b.M, a.M * b.p + a.p); }
  friend F operator*(const F& a, const Frame& b) { return F(a.M * b.M, a.M * b.p + a.p); }
  friend F operator*(const Frame& a, const F& b) { return F(a.M * b.M, a.M * b.p + a.p); }
};

}  // namespace detail

// Functions of the namespace, which programs also call as KDL::Equal(a, b). Equal(T, T) of vectors and of rotations is
// written for each T.
template <class T, class Value> bool Equal(const Value& a, const detail::Compared<T, Value>& b, double eps = epsilon) {
  return Equal(T(a), static_cast<const T&>(b), eps);
}
template <class T, class Value> bool Equal(const detail::Compared<T, Value>& a, const Value& b, double eps = epsilon) {
  return Equal(static_cast<const T&>(a), T(b), eps);
}
template <class T, class V, class S>
bool Equal(const detail::TwistWithRates<T, V, S>& a, const detail::TwistWithRates<T, V, S>& b, double eps = epsilon) {
  return Equal(a.vel, b.vel, eps) && Equal(a.rot, b.rot, eps);
}
template <class F, class R, class V, class T> bool Equal(const detail::FrameWithRates<F, R, V, T>& a,
                                                         const detail::FrameWithRates<F, R, V, T>& b,
                                                         double eps = epsilon) {
  return Equal(a.M, b.M, eps) && Equal(a.p, b.p, eps);
}
template <class T, class V, class S> void SetToZero(detail::TwistWithRates<T, V, S>& t) { static_cast<T&>(t) = T(); }

}  // namespace KDL
