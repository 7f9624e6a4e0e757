// SPDX-License-Identifier: BSD-3-Clause
// Twist and Wrench: velocity of and force on a body, linear part first, at a reference point and in the axes of a base
// that the program keeps in mind.
#pragma once
#include "vector.hpp"

namespace KDL {

class Twist {
 public:
  Vector vel;  ///< of the reference point
  Vector rot;

  Twist() = default;
  Twist(const Vector& linear, const Vector& angular) : vel(linear), rot(angular) {}

  /// 0..2 linear, 3..5 angular.
  double operator()(int i) const { return i < 3 ? vel(i) : rot(i - 3); }
  double& operator()(int i) { return i < 3 ? vel(i) : rot(i - 3); }
  double operator[](int i) const { return (*this)(i); }
  double& operator[](int i) { return (*this)(i); }

  Twist& operator+=(const Twist& b) {
    vel += b.vel;
    rot += b.rot;
    return *this;
  }
  Twist& operator-=(const Twist& b) {
    vel -= b.vel;
    rot -= b.rot;
    return *this;
  }
  static Twist Zero() { return Twist(); }
  void ReverseSign() {
    vel.ReverseSign();
    rot.ReverseSign();
  }
  /// The same motion at another point of the body, v_base_AB from the old point to the new one: vel + rot x v.
  Twist RefPoint(const Vector& v_base_AB) const { return Twist(vel + rot * v_base_AB, rot); }
};

class Wrench {
 public:
  Vector force;
  Vector torque;  ///< about the reference point

  Wrench() = default;
  Wrench(const Vector& f, const Vector& t) : force(f), torque(t) {}

  /// 0..2 force, 3..5 torque.
  double operator()(int i) const { return i < 3 ? force(i) : torque(i - 3); }
  double& operator()(int i) { return i < 3 ? force(i) : torque(i - 3); }
  double operator[](int i) const { return (*this)(i); }
  double& operator[](int i) { return (*this)(i); }

  Wrench& operator+=(const Wrench& b) {
    force += b.force;
    torque += b.torque;
    return *this;
  }
  Wrench& operator-=(const Wrench& b) {
    force -= b.force;
    torque -= b.torque;
    return *this;
  }
  static Wrench Zero() { return Wrench(); }
  void ReverseSign() {
    force.ReverseSign();
    torque.ReverseSign();
  }
  /// The same force about another point, v_base_AB from the old point to the new one: torque + force x v.
  Wrench RefPoint(const Vector& v_base_AB) const { return Wrench(force, torque + force * v_base_AB); }
};

inline Twist operator+(const Twist& a, const Twist& b) { return Twist(a) += b; }
inline Twist operator-(const Twist& a, const Twist& b) { return Twist(a) -= b; }
inline Twist operator-(const Twist& a) { return Twist(-a.vel, -a.rot); }
inline Twist operator*(const Twist& a, double s) { return Twist(a.vel * s, a.rot * s); }
inline Twist operator*(double s, const Twist& a) { return a * s; }
inline Twist operator/(const Twist& a, double s) { return Twist(a.vel / s, a.rot / s); }
inline Wrench operator+(const Wrench& a, const Wrench& b) { return Wrench(a) += b; }
inline Wrench operator-(const Wrench& a, const Wrench& b) { return Wrench(a) -= b; }
inline Wrench operator-(const Wrench& a) { return Wrench(-a.force, -a.torque); }
inline Wrench operator*(const Wrench& a, double s) { return Wrench(a.force * s, a.torque * s); }
inline Wrench operator*(double s, const Wrench& a) { return a * s; }
inline Wrench operator/(const Wrench& a, double s) { return Wrench(a.force / s, a.torque / s); }

/// a x b of spatial motions at one point: how b changes where it is carried along by a.
inline Twist operator*(const Twist& a, const Twist& b) { return Twist(a.rot * b.vel + a.vel * b.rot, a.rot * b.rot); }
/// a x* b of a motion and a force at one point.
inline Wrench operator*(const Twist& a, const Wrench& b) {
  return Wrench(a.rot * b.force, a.rot * b.torque + a.vel * b.force);
}
/// Power [W], both at one point and in one base.
inline double dot(const Twist& a, const Wrench& b) { return dot(a.vel, b.force) + dot(a.rot, b.torque); }
inline double dot(const Wrench& a, const Twist& b) { return dot(b, a); }

inline void SetToZero(Twist& t) { t = Twist(); }
inline void SetToZero(Wrench& w) { w = Wrench(); }
inline bool Equal(const Twist& a, const Twist& b, double eps = epsilon) {
  return Equal(a.vel, b.vel, eps) && Equal(a.rot, b.rot, eps);
}
inline bool Equal(const Wrench& a, const Wrench& b, double eps = epsilon) {
  return Equal(a.force, b.force, eps) && Equal(a.torque, b.torque, eps);
}
inline bool operator==(const Twist& a, const Twist& b) { return Equal(a, b); }
inline bool operator!=(const Twist& a, const Twist& b) { return !(a == b); }
inline bool operator==(const Wrench& a, const Wrench& b) { return Equal(a, b); }
inline bool operator!=(const Wrench& a, const Wrench& b) { return !(a == b); }

}  // namespace KDL
