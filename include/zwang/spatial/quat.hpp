// SPDX-License-Identifier: BSD-3-Clause
// Quat<S>: a quaternion x, y, z, w (scalar last) as the attitude of a child frame in its parent. Its direction alone
// counts: rotation(), rotate() and log_so3() are those of q / |q|.
//
// q = [u sin(t/2); cos(t/2)] turns by t about the unit axis u; q and -q are the same attitude. Products
// compose as rotation matrices do: rotation(a * b) = rotation(a) rotation(b). Hamilton's convention
// (Sola, Deray & Atchuthan 2018, example 3).
#pragma once
#include "zwang/core/sincos.hpp"
#include "zwang/spatial/mat3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Quat {
  S x, y, z, w;
  Quat() = default;
  ZWANG_INLINE Quat(const S& x_, const S& y_, const S& z_, const S& w_) : x(x_), y(y_), z(z_), w(w_) {}
  template <EigenQuaternion E> Quat(const E& q) : x(S(q.x())), y(S(q.y())), z(S(q.z())), w(S(q.w())) {}
  /// Needs <Eigen/Geometry>.
  auto eigen() const { return typename EigenTypes<S>::Quaternion(w, x, y, z); }
  static ZWANG_INLINE Quat identity() { return {S(0), S(0), S(0), S(1)}; }
  ZWANG_INLINE Vec3<S> vec() const { return {x, y, z}; }
};

/// Hamilton's product: first b, then a.
template <class A, class B> ZWANG_INLINE auto operator*(const Quat<A>& a, const Quat<B>& b) {
  return Quat<Product<A, B>>{
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class S> ZWANG_INLINE Quat<S> operator-(const Quat<S>& q) { return {-q.x, -q.y, -q.z, -q.w}; }
/// Of a unit quaternion: the inverse rotation.
template <class S> ZWANG_INLINE Quat<S> conjugate(const Quat<S>& q) { return {-q.x, -q.y, -q.z, q.w}; }
template <class A, class B> ZWANG_INLINE auto dot(const Quat<A>& a, const Quat<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
/// The length.
template <class S> ZWANG_INLINE S norm(const Quat<S>& q) { return sqrt(dot(q, q)); }
/// q / |q|; the zero quaternion has no direction and yields NaN.
template <class S> ZWANG_INLINE Quat<S> normalized(const Quat<S>& q) {
  const S r = Uniform<S>(1) / norm(q);
  return {q.x * r, q.y * r, q.z * r, q.w * r};
}
template <class S, class A> ZWANG_INLINE Quat<S> widen(const Quat<A>& q) { return {S(q.x), S(q.y), S(q.z), S(q.w)}; }
template <class M, class S>
requires(!std::is_convertible_v<M, bool>) ZWANG_INLINE Quat<S> select(const M& m, const Quat<S>& a, const Quat<S>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z), select(m, a.w, b.w)};
}

/// The rotation matrix of a quaternion's direction q / |q|, whatever its length is:
/// R = 1 + (2 w [u] + 2 [u][u]) / |q|^2 with u = (x, y, z).
template <class S> ZWANG_INLINE Mat3<S> rotation(const Quat<S>& q) {
  const S s = Uniform<S>(2) / dot(q, q);
  const S x2 = q.x * s, y2 = q.y * s, z2 = q.z * s;
  const S xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const S wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const Uniform<S> one(1);
  return {
      {one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx}, {xz - wy, yz + wx, one - (xx + yy)}};
}
/// rotation(q) v without the matrix: v + w t + u x t, t = 2 u x v / |q|^2.
template <class A, class B> ZWANG_INLINE auto rotate(const Quat<A>& q, const Vec3<B>& v) {
  const Vec3<A> u = q.vec();
  const auto t = cross(u, v) * A(Uniform<A>(2) / dot(q, q));
  return v + t * q.w + cross(u, t);
}

/// The unit quaternion of a rotation matrix: of four ways to divide the one with the largest divisor (Shepperd 1978),
/// taken by selection, so that one square root serves all lanes. The divisor is at least 1, also at half turns.
template <class S> ZWANG_INLINE Quat<S> from_rotation(const Mat3<S>& R) {
  const Uniform<S> one(1);
  const S tw = one + R.r0.x + R.r1.y + R.r2.z, tx = one + R.r0.x - R.r1.y - R.r2.z;
  const S ty = one + R.r1.y - R.r0.x - R.r2.z, tz = one + R.r2.z - R.r0.x - R.r1.y;
  const S ax = R.r2.y - R.r1.z, ay = R.r0.z - R.r2.x, az = R.r1.x - R.r0.y;
  const S sx = R.r2.y + R.r1.z, sy = R.r0.z + R.r2.x, sz = R.r1.x + R.r0.y;
  const auto y_over_x = less(tx, ty), w_over_z = less(tz, tw);
  const S txy = select(y_over_x, ty, tx), tzw = select(w_over_z, tw, tz);
  const Quat<S> xy = select(y_over_x, Quat<S>{sz, ty, sx, ay}, Quat<S>{tx, sz, sy, ax});
  const Quat<S> zw = select(w_over_z, Quat<S>{ax, ay, az, tw}, Quat<S>{sy, sx, tz, az});
  const auto second = less(txy, tzw);
  const Quat<S> q = select(second, zw, xy);
  const S r = Uniform<S>(0.5) / sqrt(select(second, tzw, txy));
  return {q.x * r, q.y * r, q.z * r, q.w * r};
}

namespace impl {
/// The plain type that holds a series coefficient to the precision of S.
template <class S> struct CoefficientOf { using type = Uniform<S>; };
template <> struct CoefficientOf<long double> { using type = long double; };
template <class S> using Coefficient = typename CoefficientOf<S>::type;

template <class S> struct CosineSinc { S cos, sinc; };
/// cos(sqrt(x)) and sin(sqrt(x)) / sqrt(x), entire functions of x >= 0: by series below 0.01 (remainder 0.01^7 / 14!,
/// below long double's rounding), where a square root would have no derivative at 0.
template <class S> ZWANG_INLINE CosineSinc<S> cosine_sinc(const S& x) {
  using C = Coefficient<S>;
  const auto near = less(x, S(Uniform<S>(0.01)));
  const S t = select(near, x, S(0)), angle = sqrt(select(near, S(1), x));
  const S c =
      C(1) - t * (C(1.0L / 2) -
                  t * (C(1.0L / 24) - t * (C(1.0L / 720) -
                                           t * (C(1.0L / 40320) - t * (C(1.0L / 3628800) - t * C(1.0L / 479001600))))));
  const S s =
      C(1) -
      t * (C(1.0L / 6) -
           t * (C(1.0L / 120) - t * (C(1.0L / 5040) -
                                     t * (C(1.0L / 362880) - t * (C(1.0L / 39916800) - t * C(1.0L / 6227020800.0L))))));
  const SinCos<S> far = sincos(angle);
  return {select(near, c, far.cos), select(near, s, far.sin / angle)};
}
}  // namespace impl

/// The unit quaternion of a rotation vector (axis times angle), [phi sin(t/2)/t; cos(t/2)], t = |phi|
/// (Sola, Deray & Atchuthan 2018, eq. 112). Smooth at 0.
template <class S> ZWANG_INLINE Quat<S> from_rotation_vector(const Vec3<S>& phi) {
  const Uniform<S> quarter(0.25), half(0.5);
  const impl::CosineSinc<S> f = impl::cosine_sinc<S>(dot(phi, phi) * quarter);
  const S k = f.sinc * half;
  return {phi.x * k, phi.y * k, phi.z * k, f.cos};
}

/// Roll, pitch, yaw about the fixed axes x, y, z in this order, R = Rz(yaw) Ry(pitch) Rx(roll):
/// the `rpy` of robot files.
template <class S> ZWANG_INLINE Mat3<S> rotation_from_rpy(const Vec3<S>& rpy) {
  const SinCos<S> r = sincos(rpy.x), p = sincos(rpy.y), y = sincos(rpy.z);
  const S cysp = y.cos * p.sin, sysp = y.sin * p.sin;
  return {{y.cos * p.cos, cysp * r.sin - y.sin * r.cos, cysp * r.cos + y.sin * r.sin},
          {y.sin * p.cos, sysp * r.sin + y.cos * r.cos, sysp * r.cos - y.cos * r.sin},
          {-p.sin, p.cos * r.sin, p.cos * r.cos}};
}
/// The quaternion of rotation_from_rpy(rpy).
template <class S> ZWANG_INLINE Quat<S> from_rpy(const Vec3<S>& rpy) {
  const Uniform<S> half(0.5);
  const SinCos<S> r = sincos(S(rpy.x * half)), p = sincos(S(rpy.y * half)), y = sincos(S(rpy.z * half));
  return {y.cos * p.cos * r.sin - y.sin * p.sin * r.cos, y.cos * p.sin * r.cos + y.sin * p.cos * r.sin,
          y.sin * p.cos * r.cos - y.cos * p.sin * r.sin, y.cos * p.cos * r.cos + y.sin * p.sin * r.sin};
}
/// Roll, pitch in [-pi/2, pi/2] and yaw of a rotation matrix. The roll is read after the yaw has been undone, so that
/// the angles give R back also at pitch = +-pi/2, where roll and yaw turn about one axis and yaw = 0 is chosen.
template <class S> ZWANG_INLINE Vec3<S> rpy_from_rotation(const Mat3<S>& R) {
  const S hh = R.r0.x * R.r0.x + R.r1.x * R.r1.x;  // cos(pitch)^2
  const Uniform<S> tiny = Uniform<S>(16) * epsilon_of<S>;
  const auto locked = less(hh, S(tiny * tiny));
  const S h = sqrt(select(locked, S(1), hh));
  const S cy = select(locked, S(1), S(R.r0.x / h)), sy = select(locked, S(0), S(R.r1.x / h));
  return {atan2(S(sy * R.r0.z - cy * R.r1.z), S(cy * R.r1.y - sy * R.r0.y)),
          atan2(S(-R.r2.x), S(cy * R.r0.x + sy * R.r1.x)), atan2(sy, cy)};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
