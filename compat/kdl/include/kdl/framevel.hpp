// SPDX-License-Identifier: BSD-3-Clause
// Geometry with velocities: VectorVel (p, v), RotationVel (R, w), FrameVel (M, p), TwistVel.
//
// w and v are in the base's axes; the reference point of FrameVel::GetTwist() is the moving origin.
#pragma once
#include "frames.hpp"
#include "utilities/rall1d.h"
#include "utilities/rated.hpp"
#include "utilities/traits.h"

namespace KDL {

typedef Rall1d<double> doubleVel;

class TwistVel;
class VectorVel;
class FrameVel;
class RotationVel;

inline doubleVel diff(const doubleVel& a, const doubleVel& b, double dt = 1.0) {
  return doubleVel((b.t - a.t) / dt, (b.grad - a.grad) / dt);
}
inline doubleVel addDelta(const doubleVel& a, const doubleVel& da, double dt = 1.0) {
  return doubleVel(a.t + da.t * dt, a.grad + da.grad * dt);
}
inline void random(doubleVel& x) {
  random(x.t);
  random(x.grad);
}
inline void posrandom(doubleVel& x) {
  posrandom(x.t);
  posrandom(x.grad);
}

class VectorVel : public detail::Compared<VectorVel, Vector> {
 public:
  Vector p;
  Vector v;  ///< dp/dt

  VectorVel() = default;
  VectorVel(const Vector& position, const Vector& velocity) : p(position), v(velocity) {}
  explicit VectorVel(const Vector& position) : p(position) {}

  Vector value() const { return p; }
  Vector deriv() const { return v; }
  VectorVel& operator=(const Vector& position) { return *this = VectorVel(position); }
  VectorVel& operator+=(const VectorVel& b) {
    p += b.p;
    v += b.v;
    return *this;
  }
  VectorVel& operator-=(const VectorVel& b) {
    p -= b.p;
    v -= b.v;
    return *this;
  }
  static VectorVel Zero() { return VectorVel(); }
  void ReverseSign() {
    p.ReverseSign();
    v.ReverseSign();
  }
  /// The length and its rate, which is 0 at length 0.
  doubleVel Norm(double eps = epsilon) const;
};

inline VectorVel operator+(const VectorVel& a, const VectorVel& b) { return VectorVel(a) += b; }
inline VectorVel operator-(const VectorVel& a, const VectorVel& b) { return VectorVel(a) -= b; }
inline VectorVel operator+(const VectorVel& a, const Vector& b) { return VectorVel(a.p + b, a.v); }
inline VectorVel operator+(const Vector& a, const VectorVel& b) { return b + a; }
inline VectorVel operator-(const VectorVel& a, const Vector& b) { return VectorVel(a.p - b, a.v); }
inline VectorVel operator-(const Vector& a, const VectorVel& b) { return VectorVel(a - b.p, -b.v); }
inline VectorVel operator-(const VectorVel& a) { return VectorVel(-a.p, -a.v); }
inline void SetToZero(VectorVel& v) { v = VectorVel(); }
/// The vector product.
inline VectorVel operator*(const VectorVel& a, const VectorVel& b) {
  return VectorVel(a.p * b.p, a.p * b.v + a.v * b.p);
}
inline VectorVel operator*(const VectorVel& a, const Vector& b) { return VectorVel(a.p * b, a.v * b); }
inline VectorVel operator*(const Vector& a, const VectorVel& b) { return VectorVel(a * b.p, a * b.v); }
inline VectorVel operator*(const VectorVel& a, double s) { return VectorVel(a.p * s, a.v * s); }
inline VectorVel operator*(double s, const VectorVel& a) { return a * s; }
inline VectorVel operator*(const VectorVel& a, const doubleVel& s) {
  return VectorVel(a.p * s.t, a.v * s.t + a.p * s.grad);
}
inline VectorVel operator*(const doubleVel& s, const VectorVel& a) { return a * s; }
inline VectorVel operator*(const Vector& a, const doubleVel& s) { return VectorVel(a * s.t, a * s.grad); }
inline VectorVel operator*(const doubleVel& s, const Vector& a) { return a * s; }
inline VectorVel operator/(const VectorVel& a, double s) { return VectorVel(a.p / s, a.v / s); }
inline VectorVel operator/(const VectorVel& a, const doubleVel& s) {
  return VectorVel(a.p / s.t, (a.v - a.p * (s.grad / s.t)) / s.t);
}
inline VectorVel operator*(const Rotation& R, const VectorVel& x) { return VectorVel(R * x.p, R * x.v); }
inline doubleVel dot(const VectorVel& a, const VectorVel& b) {
  return doubleVel(dot(a.p, b.p), dot(a.p, b.v) + dot(a.v, b.p));
}
inline doubleVel dot(const VectorVel& a, const Vector& b) { return doubleVel(dot(a.p, b), dot(a.v, b)); }
inline doubleVel dot(const Vector& a, const VectorVel& b) { return dot(b, a); }
inline bool Equal(const VectorVel& a, const VectorVel& b, double eps = epsilon) {
  return Equal(a.p, b.p, eps) && Equal(a.v, b.v, eps);
}

class TwistVel : public detail::TwistWithRates<TwistVel, VectorVel, doubleVel> {
 public:
  using TwistWithRates::TwistWithRates;
  TwistVel(const Twist& t) : TwistWithRates(VectorVel(t.vel), VectorVel(t.rot)) {}
  TwistVel(const Twist& t, const Twist& rate) : TwistWithRates({t.vel, rate.vel}, {t.rot, rate.rot}) {}
};

class RotationVel : public detail::Compared<RotationVel, Rotation> {
 public:
  Rotation R;
  Vector w;  ///< angular velocity in the base's axes

  RotationVel() = default;
  explicit RotationVel(const Rotation& rotation) : R(rotation) {}
  RotationVel(const Rotation& rotation, const Vector& angular) : R(rotation), w(angular) {}

  Rotation value() const { return R; }
  Vector deriv() const { return w; }
  RotationVel& operator=(const Rotation& rotation) { return *this = RotationVel(rotation); }
  VectorVel UnitX() const { return VectorVel(R.UnitX(), w * R.UnitX()); }
  VectorVel UnitY() const { return VectorVel(R.UnitY(), w * R.UnitY()); }
  VectorVel UnitZ() const { return VectorVel(R.UnitZ(), w * R.UnitZ()); }
  static RotationVel Identity() { return RotationVel(); }
  RotationVel Inverse() const { return RotationVel(R.Inverse(), -R.Inverse(w)); }
  VectorVel Inverse(const VectorVel& x) const { return VectorVel(R.Inverse(x.p), R.Inverse(x.v - w * x.p)); }
  VectorVel Inverse(const Vector& x) const { return VectorVel(R.Inverse(x), R.Inverse(-(w * x))); }
  TwistVel Inverse(const TwistVel& t) const { return TwistVel(Inverse(t.vel), Inverse(t.rot)); }
  TwistVel Inverse(const Twist& t) const { return TwistVel(Inverse(t.vel), Inverse(t.rot)); }
  VectorVel operator*(const VectorVel& x) const {
    const Vector p = R * x.p;
    return VectorVel(p, R * x.v + w * p);
  }
  VectorVel operator*(const Vector& x) const { return *this * VectorVel(x); }
  TwistVel operator*(const TwistVel& t) const { return TwistVel(*this * t.vel, *this * t.rot); }
  TwistVel operator*(const Twist& t) const { return TwistVel(*this * t.vel, *this * t.rot); }

  void DoRotX(const doubleVel& angle) { turn(Rotation::RotX(angle.t), R.UnitX(), angle.grad); }
  void DoRotY(const doubleVel& angle) { turn(Rotation::RotY(angle.t), R.UnitY(), angle.grad); }
  void DoRotZ(const doubleVel& angle) { turn(Rotation::RotZ(angle.t), R.UnitZ(), angle.grad); }
  static RotationVel RotX(const doubleVel& a) { return RotationVel(Rotation::RotX(a.t), Vector(a.grad, 0, 0)); }
  static RotationVel RotY(const doubleVel& a) { return RotationVel(Rotation::RotY(a.t), Vector(0, a.grad, 0)); }
  static RotationVel RotZ(const doubleVel& a) { return RotationVel(Rotation::RotZ(a.t), Vector(0, 0, a.grad)); }
  /// About a fixed axis, of any length, respectively of unit length.
  static RotationVel Rot(const Vector& rotvec, const doubleVel& angle) {
    Vector axis(rotvec);
    axis.Normalize();
    return Rot2(axis, angle);
  }
  static RotationVel Rot2(const Vector& axis, const doubleVel& angle) {
    return RotationVel(Rotation::Rot2(axis, angle.t), axis * angle.grad);
  }

 private:
  void turn(const Rotation& by, const Vector& axis, double rate) {
    w += axis * rate;
    R = R * by;
  }
};

inline RotationVel operator*(const RotationVel& a, const RotationVel& b) {
  return RotationVel(a.R * b.R, a.w + a.R * b.w);
}
inline RotationVel operator*(const Rotation& a, const RotationVel& b) { return RotationVel(a * b.R, a * b.w); }
inline RotationVel operator*(const RotationVel& a, const Rotation& b) { return RotationVel(a.R * b, a.w); }
inline bool Equal(const RotationVel& a, const RotationVel& b, double eps = epsilon) {
  return Equal(a.w, b.w, eps) && Equal(a.R, b.R, eps);
}

class FrameVel : public detail::FrameWithRates<FrameVel, RotationVel, VectorVel, TwistVel> {
 public:
  using FrameWithRates::FrameWithRates;
  explicit FrameVel(const Frame& F) : FrameWithRates(RotationVel(F.M), VectorVel(F.p)) {}
  FrameVel(const Frame& F, const Twist& t) : FrameWithRates({F.M, t.rot}, {F.p, t.vel}) {}
  FrameVel& operator=(const Frame& F) { return *this = FrameVel(F); }
};

inline VectorVel diff(const VectorVel& a, const VectorVel& b, double dt = 1.0) {
  return VectorVel(diff(a.p, b.p, dt), diff(a.v, b.v, dt));
}
inline VectorVel addDelta(const VectorVel& a, const VectorVel& da, double dt = 1.0) {
  return VectorVel(addDelta(a.p, da.p, dt), addDelta(a.v, da.v, dt));
}
inline VectorVel diff(const RotationVel& a, const RotationVel& b, double dt = 1.0) {
  return VectorVel(diff(a.R, b.R, dt), diff(a.w, b.w, dt));
}
inline RotationVel addDelta(const RotationVel& a, const VectorVel& da, double dt = 1.0) {
  return RotationVel(addDelta(a.R, da.p, dt), addDelta(a.w, da.v, dt));
}
inline TwistVel diff(const FrameVel& a, const FrameVel& b, double dt = 1.0) {
  return TwistVel(diff(a.p, b.p, dt), diff(a.M, b.M, dt));
}
inline FrameVel addDelta(const FrameVel& a, const TwistVel& da, double dt = 1.0) {
  return FrameVel(addDelta(a.M, da.rot, dt), addDelta(a.p, da.vel, dt));
}

void random(VectorVel& v);
void random(TwistVel& t);
void random(RotationVel& R);
void random(FrameVel& F);
void posrandom(VectorVel& v);
void posrandom(TwistVel& t);
void posrandom(RotationVel& R);
void posrandom(FrameVel& F);

}  // namespace KDL

template <> struct std::hash<KDL::doubleVel> {
  std::size_t operator()(const KDL::doubleVel& x) const noexcept {
    return KDL::detail::hash_of(x.t + 0.0, x.grad + 0.0);
  }
};
template <> struct std::hash<KDL::VectorVel> {
  std::size_t operator()(const KDL::VectorVel& v) const noexcept { return KDL::detail::hash_of(v.p, v.v); }
};
template <> struct std::hash<KDL::TwistVel> {
  std::size_t operator()(const KDL::TwistVel& t) const noexcept { return KDL::detail::hash_of(t.vel, t.rot); }
};
template <> struct std::hash<KDL::RotationVel> {
  std::size_t operator()(const KDL::RotationVel& R) const noexcept { return KDL::detail::hash_of(R.R, R.w); }
};
template <> struct std::hash<KDL::FrameVel> {
  std::size_t operator()(const KDL::FrameVel& F) const noexcept { return KDL::detail::hash_of(F.M, F.p); }
};
