// SPDX-License-Identifier: BSD-3-Clause
// Roll, pitch, yaw and the angular velocity: R = Rz(yaw) Ry(pitch) Rx(roll), as rotation_from_rpy() in quat.hpp.
//
//   w = J(rpy) d(rpy)/dt, in world axes or, J_body = R^T J, in those of the body:
//   J = [cy cp, -sy, 0;  sy cp, cy, 0;  -sp, 0, 1]      J_body = [1, 0, -sp;  0, cr, sr cp;  0, -sr, cr cp]
// det J = cos(pitch): the inverse grows without bound towards pitch = +-pi/2, where roll and yaw turn about one axis.
// Sources: Diebel, Representing Attitude (2006), section 5.6; Siciliano et al., Robotics (2009), section 3.6.
#pragma once
#include "zwang/spatial/quat.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// J with angular velocity = J d(rpy)/dt, in world axes.
template <class S> ZWANG_INLINE Mat3<S> rpy_jacobian(const Vec3<S>& rpy) {
  const SinCos<S> p = sincos(rpy.y), y = sincos(rpy.z);
  const S o(0);
  return {{y.cos * p.cos, -y.sin, o}, {y.sin * p.cos, y.cos, o}, {-p.sin, o, S(1)}};
}
/// The same in the axes of the body.
template <class S> ZWANG_INLINE Mat3<S> rpy_body_jacobian(const Vec3<S>& rpy) {
  const SinCos<S> r = sincos(rpy.x), p = sincos(rpy.y);
  const S o(0);
  return {{S(1), o, -p.sin}, {o, r.cos, r.sin * p.cos}, {o, -r.sin, r.cos * p.cos}};
}

/// dJ/dt while the angles move with `rate` [rad/s]; world axes.
template <class S> ZWANG_INLINE Mat3<S> rpy_jacobian_dot(const Vec3<S>& rpy, const Vec3<S>& rate) {
  const SinCos<S> p = sincos(rpy.y), y = sincos(rpy.z);
  const S o(0);
  return {{-(y.sin * p.cos) * rate.z - y.cos * p.sin * rate.y, -(y.cos * rate.z), o},
          {y.cos * p.cos * rate.z - y.sin * p.sin * rate.y, -(y.sin * rate.z), o},
          {-(p.cos * rate.y), o, o}};
}
/// The same in the axes of the body.
template <class S> ZWANG_INLINE Mat3<S> rpy_body_jacobian_dot(const Vec3<S>& rpy, const Vec3<S>& rate) {
  const SinCos<S> r = sincos(rpy.x), p = sincos(rpy.y);
  const S o(0);
  return {{o, o, -(p.cos * rate.y)},
          {o, -(r.sin * rate.x), r.cos * p.cos * rate.x - r.sin * p.sin * rate.y},
          {o, -(r.cos * rate.x), -(r.sin * p.cos) * rate.x - r.cos * p.sin * rate.y}};
}

/// J^-1: d(rpy)/dt of an angular velocity in world axes. Not finite at pitch = +-pi/2.
template <class S> ZWANG_INLINE Mat3<S> rpy_jacobian_inverse(const Vec3<S>& rpy) {
  const SinCos<S> p = sincos(rpy.y), y = sincos(rpy.z);
  const S o(0), cy = y.cos / p.cos, sy = y.sin / p.cos;
  return {{cy, sy, o}, {-y.sin, y.cos, o}, {cy * p.sin, sy * p.sin, S(1)}};
}
/// The same of an angular velocity in the axes of the body.
template <class S> ZWANG_INLINE Mat3<S> rpy_body_jacobian_inverse(const Vec3<S>& rpy) {
  const SinCos<S> r = sincos(rpy.x), p = sincos(rpy.y);
  const S o(0), sr = r.sin / p.cos, cr = r.cos / p.cos;
  return {{S(1), sr * p.sin, cr * p.sin}, {o, r.cos, -r.sin}, {o, sr, cr}};
}

/// Whether the first two rows are orthonormal and the third is their cross product, but for `tolerance` in each number.
template <class S> bool is_rotation(const Mat3<S>& R, double tolerance) {
  const Vec3<S> normal = cross(R.r0, R.r1) - R.r2;
  const S errors[] = {dot(R.r0, R.r0) - S(1), dot(R.r1, R.r1) - S(1), dot(R.r0, R.r1), normal.x, normal.y, normal.z};
  for (const S& e : errors)
    if (!(e < tolerance && e > -tolerance)) return false;
  return true;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
