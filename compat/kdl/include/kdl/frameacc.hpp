// SPDX-License-Identifier: BSD-3-Clause
// Geometry with velocities and accelerations: VectorAcc (p, v, dv), RotationAcc (R, w, dw), FrameAcc (M, p), TwistAcc.
//
// Accelerations are time derivatives in the base's axes: the classical ones, of the origin that moves.
#pragma once
#include "frames.hpp"
#include "utilities/rall2d.h"
#include "utilities/rated.hpp"

namespace KDL {

typedef Rall2d<double> doubleAcc;

class VectorAcc : public detail::Compared<VectorAcc, Vector> {
 public:
  Vector p;
  Vector v;   ///< dp/dt
  Vector dv;  ///< dv/dt

  VectorAcc() = default;
  explicit VectorAcc(const Vector& position) : p(position) {}
  VectorAcc(const Vector& position, const Vector& velocity) : p(position), v(velocity) {}
  VectorAcc(const Vector& position, const Vector& velocity, const Vector& acceleration)
      : p(position),
        v(velocity),
        dv(acceleration) {}

  Vector value() const { return p; }
  Vector deriv() const { return v; }
  Vector dderiv() const { return dv; }
  VectorAcc& operator=(const Vector& position) { return *this = VectorAcc(position); }
  VectorAcc& operator+=(const VectorAcc& b) {
    p += b.p;
    v += b.v;
    dv += b.dv;
    return *this;
  }
  VectorAcc& operator-=(const VectorAcc& b) {
    p -= b.p;
    v -= b.v;
    dv -= b.dv;
    return *this;
  }
  static VectorAcc Zero() { return VectorAcc(); }
  void ReverseSign() {
    p.ReverseSign();
    v.ReverseSign();
    dv.ReverseSign();
  }
  /// The length and its rates, which are 0 at length 0.
  doubleAcc Norm(double eps = epsilon) const;
};

inline VectorAcc operator+(const VectorAcc& a, const VectorAcc& b) { return VectorAcc(a) += b; }
inline VectorAcc operator-(const VectorAcc& a, const VectorAcc& b) { return VectorAcc(a) -= b; }
inline VectorAcc operator+(const VectorAcc& a, const Vector& b) { return VectorAcc(a.p + b, a.v, a.dv); }
inline VectorAcc operator+(const Vector& a, const VectorAcc& b) { return b + a; }
inline VectorAcc operator-(const VectorAcc& a, const Vector& b) { return VectorAcc(a.p - b, a.v, a.dv); }
inline VectorAcc operator-(const Vector& a, const VectorAcc& b) { return VectorAcc(a - b.p, -b.v, -b.dv); }
inline VectorAcc operator-(const VectorAcc& a) { return VectorAcc(-a.p, -a.v, -a.dv); }
/// The vector product.
inline VectorAcc operator*(const VectorAcc& a, const VectorAcc& b) {
  return VectorAcc(a.p * b.p, a.p * b.v + a.v * b.p, a.p * b.dv + 2 * (a.v * b.v) + a.dv * b.p);
}
inline VectorAcc operator*(const VectorAcc& a, const Vector& b) { return VectorAcc(a.p * b, a.v * b, a.dv * b); }
inline VectorAcc operator*(const Vector& a, const VectorAcc& b) { return VectorAcc(a * b.p, a * b.v, a * b.dv); }
inline VectorAcc operator*(const VectorAcc& a, double s) { return VectorAcc(a.p * s, a.v * s, a.dv * s); }
inline VectorAcc operator*(double s, const VectorAcc& a) { return a * s; }
inline VectorAcc operator*(const VectorAcc& a, const doubleAcc& s) {
  return VectorAcc(a.p * s.t, a.v * s.t + a.p * s.d, a.dv * s.t + 2 * s.d * a.v + a.p * s.dd);
}
inline VectorAcc operator*(const doubleAcc& s, const VectorAcc& a) { return a * s; }
inline VectorAcc operator/(const VectorAcc& a, double s) { return VectorAcc(a.p / s, a.v / s, a.dv / s); }
inline VectorAcc operator/(const VectorAcc& a, const doubleAcc& s) { return a * (1.0 / s); }
inline VectorAcc operator*(const Rotation& R, const VectorAcc& x) { return VectorAcc(R * x.p, R * x.v, R * x.dv); }
inline doubleAcc dot(const VectorAcc& a, const VectorAcc& b) {
  return doubleAcc(dot(a.p, b.p), dot(a.p, b.v) + dot(a.v, b.p), dot(a.p, b.dv) + 2 * dot(a.v, b.v) + dot(a.dv, b.p));
}
inline doubleAcc dot(const VectorAcc& a, const Vector& b) { return doubleAcc(dot(a.p, b), dot(a.v, b), dot(a.dv, b)); }
inline doubleAcc dot(const Vector& a, const VectorAcc& b) { return dot(b, a); }
inline void SetToZero(VectorAcc& v) { v = VectorAcc(); }
inline bool Equal(const VectorAcc& a, const VectorAcc& b, double eps = epsilon) {
  return Equal(a.p, b.p, eps) && Equal(a.v, b.v, eps) && Equal(a.dv, b.dv, eps);
}

class TwistAcc : public detail::TwistWithRates<TwistAcc, VectorAcc, doubleAcc> {
 public:
  using TwistWithRates::TwistWithRates;
  TwistAcc(const Twist& t) : TwistWithRates(VectorAcc(t.vel), VectorAcc(t.rot)) {}
};

class RotationAcc : public detail::Compared<RotationAcc, Rotation> {
 public:
  Rotation R;
  Vector w;   ///< angular velocity in the base's axes
  Vector dw;  ///< dw/dt

  RotationAcc() = default;
  explicit RotationAcc(const Rotation& rotation) : R(rotation) {}
  RotationAcc(const Rotation& rotation, const Vector& angular, const Vector& acceleration)
      : R(rotation),
        w(angular),
        dw(acceleration) {}

  Rotation value() const { return R; }
  Vector deriv() const { return w; }
  Vector dderiv() const { return dw; }
  RotationAcc& operator=(const Rotation& rotation) { return *this = RotationAcc(rotation); }
  VectorAcc UnitX() const { return carried(R.UnitX()); }
  VectorAcc UnitY() const { return carried(R.UnitY()); }
  VectorAcc UnitZ() const { return carried(R.UnitZ()); }
  static RotationAcc Identity() { return RotationAcc(); }
  RotationAcc Inverse() const { return RotationAcc(R.Inverse(), -R.Inverse(w), -R.Inverse(dw)); }
  VectorAcc Inverse(const VectorAcc& x) const {
    const Vector v = x.v - w * x.p;  // rate seen in the moving axes
    return VectorAcc(R.Inverse(x.p), R.Inverse(v), R.Inverse(x.dv - dw * x.p - w * x.v - w * v));
  }
  VectorAcc Inverse(const Vector& x) const { return Inverse(VectorAcc(x)); }
  TwistAcc Inverse(const TwistAcc& t) const { return TwistAcc(Inverse(t.vel), Inverse(t.rot)); }
  TwistAcc Inverse(const Twist& t) const { return Inverse(TwistAcc(t)); }
  VectorAcc operator*(const VectorAcc& x) const {
    const Vector p = R * x.p, v = R * x.v, turn = w * p;
    return VectorAcc(p, v + turn, R * x.dv + 2 * (w * v) + dw * p + w * turn);
  }
  VectorAcc operator*(const Vector& x) const { return *this * VectorAcc(x); }
  TwistAcc operator*(const TwistAcc& t) const { return TwistAcc(*this * t.vel, *this * t.rot); }
  TwistAcc operator*(const Twist& t) const { return *this * TwistAcc(t); }
  /// About a fixed axis of unit length.
  static RotationAcc Rot2(const Vector& axis, const doubleAcc& angle) {
    return RotationAcc(Rotation::Rot2(axis, angle.t), axis * angle.d, axis * angle.dd);
  }
  static RotationAcc Rot(const Vector& rotvec, const doubleAcc& angle) {
    Vector axis(rotvec);
    axis.Normalize();
    return Rot2(axis, angle);
  }
  static RotationAcc RotX(const doubleAcc& angle) { return Rot2(Vector(1, 0, 0), angle); }
  static RotationAcc RotY(const doubleAcc& angle) { return Rot2(Vector(0, 1, 0), angle); }
  static RotationAcc RotZ(const doubleAcc& angle) { return Rot2(Vector(0, 0, 1), angle); }
  void DoRotX(const doubleAcc& angle);
  void DoRotY(const doubleAcc& angle);
  void DoRotZ(const doubleAcc& angle);

 private:
  VectorAcc carried(const Vector& x) const { return VectorAcc(x, w * x, dw * x + w * (w * x)); }
};

inline RotationAcc operator*(const RotationAcc& a, const RotationAcc& b) {
  const Vector w = a.R * b.w;
  return RotationAcc(a.R * b.R, a.w + w, a.dw + a.w * w + a.R * b.dw);
}
inline RotationAcc operator*(const Rotation& a, const RotationAcc& b) {
  return RotationAcc(a * b.R, a * b.w, a * b.dw);
}
inline RotationAcc operator*(const RotationAcc& a, const Rotation& b) { return RotationAcc(a.R * b, a.w, a.dw); }
inline void RotationAcc::DoRotX(const doubleAcc& angle) { *this = *this * RotX(angle); }
inline void RotationAcc::DoRotY(const doubleAcc& angle) { *this = *this * RotY(angle); }
inline void RotationAcc::DoRotZ(const doubleAcc& angle) { *this = *this * RotZ(angle); }
inline bool Equal(const RotationAcc& a, const RotationAcc& b, double eps = epsilon) {
  return Equal(a.R, b.R, eps) && Equal(a.w, b.w, eps) && Equal(a.dw, b.dw, eps);
}

class FrameAcc : public detail::FrameWithRates<FrameAcc, RotationAcc, VectorAcc, TwistAcc> {
 public:
  using FrameWithRates::FrameWithRates;
  explicit FrameAcc(const Frame& F) : FrameWithRates(RotationAcc(F.M), VectorAcc(F.p)) {}
  FrameAcc(const Frame& F, const Twist& velocity, const Twist& acceleration)
      : FrameWithRates({F.M, velocity.rot, acceleration.rot}, {F.p, velocity.vel, acceleration.vel}) {}
  Twist dderiv() const { return Twist(p.dderiv(), M.dderiv()); }
  /// The time derivative of GetTwist(): the classical acceleration of the origin, and dw/dt.
  Twist GetAccTwist() const { return dderiv(); }
  FrameAcc& operator=(const Frame& F) { return *this = FrameAcc(F); }
};

}  // namespace KDL

template <> struct std::hash<KDL::doubleAcc> {
  std::size_t operator()(const KDL::doubleAcc& x) const noexcept {
    return KDL::detail::hash_of(x.t + 0.0, x.d + 0.0, x.dd + 0.0);
  }
};
template <> struct std::hash<KDL::VectorAcc> {
  std::size_t operator()(const KDL::VectorAcc& v) const noexcept { return KDL::detail::hash_of(v.p, v.v, v.dv); }
};
template <> struct std::hash<KDL::TwistAcc> {
  std::size_t operator()(const KDL::TwistAcc& t) const noexcept { return KDL::detail::hash_of(t.vel, t.rot); }
};
template <> struct std::hash<KDL::RotationAcc> {
  std::size_t operator()(const KDL::RotationAcc& R) const noexcept { return KDL::detail::hash_of(R.R, R.w, R.dw); }
};
template <> struct std::hash<KDL::FrameAcc> {
  std::size_t operator()(const KDL::FrameAcc& F) const noexcept { return KDL::detail::hash_of(F.M, F.p); }
};
