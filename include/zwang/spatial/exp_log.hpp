// SPDX-License-Identifier: BSD-3-Clause
// Exponential and logarithm of rotations and poses, and their Jacobians. Linear first, as everywhere.
//
// exp: R = exp([phi]),  X = exp(xi) with xi = [rho; phi] a Motion held for one second in the axes that move along.
// Left and right Jacobian: exp(xi + d) = exp(Jl(xi) d) exp(xi) = exp(xi) exp(Jr(xi) d) to first order, Jr(xi) =
// Jl(-xi). All are built from Stumpff's functions c_k(x) = sum_j (-x)^j / (k + 2 j)!  of x = |phi|^2, which are entire:
// x = 0 needs no special case, not for derivatives either. Inverses and logarithms are singular where the maps are: at
// |phi| = 2 pi.
// Sources: Barfoot, State Estimation for Robotics (2017), section 7.1; Sola, Deray & Atchuthan, A micro Lie theory
// (2018), appendices B and D; Chirikjian, Stochastic Models, Information Theory, and Lie Groups 2 (2011), section 10.6.
#pragma once
#include <utility>

#include "zwang/spatial/force.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
/// c1 = sin(t)/t, c2 = (1 - cos t)/t^2, c3 = (t - sin t)/t^3, c4 = (1/2 - c2)/t^2, c5 = (1/6 - c3)/t^2 with t^2 = x.
template <class S> struct Stumpff { S c1, c2, c3, c4, c5; };

/// 1 / (k + 2 j)!
template <class C> consteval C stumpff_coefficient(int k, int j) {
  long double factorial = 1;
  for (int i = 2; i <= k + 2 * j; ++i) factorial *= static_cast<long double>(i);
  return static_cast<C>(1 / factorial);
}
/// c_k by its series to x^12: for 0 <= x <= 4 the remainder is below 4^13 / (k + 26)!, 1e-20 of c_k.
template <int k, class S, int... j> ZWANG_INLINE S stumpff_series(const S& x, std::integer_sequence<int, j...>) {
  using C = Coefficient<S>;
  S r(stumpff_coefficient<C>(k, 12));
  ((r = stumpff_coefficient<C>(k, 11 - j) - x * r), ...);
  return r;
}
/// Series up to |phi| = 2, closed forms beyond, where their subtractions cost at most a digit.
template <class S> ZWANG_INLINE Stumpff<S> stumpff(const S& x) {
  using C = Coefficient<S>;
  const auto near = less(x, S(4));
  const S xs = select(near, x, S(0)), xf = select(near, S(4), x);
  const std::make_integer_sequence<int, 12> steps;
  const S n4 = stumpff_series<4>(xs, steps), n5 = stumpff_series<5>(xs, steps);
  const S n2 = C(0.5) - xs * n4, n3 = C(1.0L / 6) - xs * n5;
  const S angle = sqrt(xf), r = C(1) / xf;
  const SinCos<S> h = sincos(S(angle * C(0.5)));  // 1 - cos t = 2 sin(t/2)^2 keeps its digits near full turns
  const S f1 = h.sin * h.cos * C(2) / angle, f2 = h.sin * h.sin * C(2) * r;
  const S f3 = (C(1) - f1) * r, f4 = (C(0.5) - f2) * r, f5 = (C(1.0L / 6) - f3) * r;
  return {select(near, S(C(1) - xs * n3), f1), select(near, n2, f2), select(near, n3, f3), select(near, n4, f4),
          select(near, n5, f5)};
}
/// 1 + b [a] + c [a][a]
template <class S> ZWANG_INLINE Mat3<S> skew_polynomial(const Vec3<S>& a, const S& b, const S& c) {
  const Uniform<S> one(1);
  const S cx = c * a.x, cy = c * a.y, cz = c * a.z, bx = b * a.x, by = b * a.y, bz = b * a.z;
  const S xx = cx * a.x, yy = cy * a.y, zz = cz * a.z, xy = cx * a.y, xz = cx * a.z, yz = cy * a.z;
  return {
      {one - (yy + zz), xy - bz, xz + by}, {xy + bz, one - (xx + zz), yz - bx}, {xz - by, yz + bx, one - (xx + yy)}};
}
/// The derivative of the left Jacobian Jl(phi) in the direction rho: from c_k' = (k c_(k+2) - c_(k+1)) / 2,
/// [c2 rho + (2 c4 - c3) s phi] + c3 ([phi][rho] + [rho][phi]) + (3 c5 - c4) s [phi][phi],  s = phi . rho.
template <class S>
ZWANG_INLINE Mat3<S> left_jacobian_derivative(const Stumpff<S>& f, const Vec3<S>& phi, const Vec3<S>& rho) {
  const S s = dot(phi, rho), k = (f.c5 * Uniform<S>(3) - f.c4) * s;
  const Vec3<S> a = rho * f.c2 + phi * ((f.c4 + f.c4 - f.c3) * s), g = rho * f.c3, h = phi * k;
  const S two_xx = (g.x + g.x) * phi.x, two_yy = (g.y + g.y) * phi.y, two_zz = (g.z + g.z) * phi.z;
  const S xx = two_xx + h.x * phi.x, yy = two_yy + h.y * phi.y, zz = two_zz + h.z * phi.z;
  const S xy = g.x * phi.y + g.y * phi.x + h.x * phi.y, xz = g.x * phi.z + g.z * phi.x + h.x * phi.z;
  const S yz = g.y * phi.z + g.z * phi.y + h.y * phi.z;
  return {{-(yy + zz), xy - a.z, xz + a.y}, {xy + a.z, -(xx + zz), yz - a.x}, {xz - a.y, yz + a.x, -(xx + yy)}};
}
}  // namespace impl

// --- rotations --------------------------------------------------------------------------------------------

/// exp([phi]) = 1 + c1 [phi] + c2 [phi][phi] (Rodrigues; Sola et al. 2018, eq. 134), through the quaternion.
template <class S> ZWANG_INLINE Mat3<S> exp_so3(const Vec3<S>& phi) { return rotation(from_rotation_vector(phi)); }

/// The rotation vector of a quaternion, |phi| <= pi: phi = u 2 atan2(|u|, w) / |u|, u = (x, y, z), with the sign of q
/// for which w >= 0 (Sola et al. 2018, eq. 114). Accurate up to half turns; the series of atan(t)/t, t = |u|/w, is used
/// for t < 0.01.
template <class S> ZWANG_INLINE Vec3<S> log_so3(const Quat<S>& unit) {
  using C = impl::Coefficient<S>;
  const Quat<S> q = select(less(unit.w, S(0)), -unit, unit);
  const Vec3<S> u = q.vec();
  const S uu = dot(u, u);
  const auto near = less(uu, S(q.w * q.w * Uniform<S>(1e-4)));
  const S w = select(near, q.w, S(1)), tt = select(near, uu, S(0)) / (w * w), n = sqrt(select(near, S(1), uu));
  const S series =
      C(1) - tt * (C(1.0L / 3) - tt * (C(1.0L / 5) - tt * (C(1.0L / 7) - tt * (C(1.0L / 9) - tt * C(1.0L / 11)))));
  const S k = select(near, S(series / w), S(atan2(n, q.w) / n));
  return u * (k + k);
}
/// The rotation vector of a rotation matrix.
template <class S> ZWANG_INLINE Vec3<S> log_so3(const Mat3<S>& R) { return log_so3(from_rotation(R)); }

/// Jl(phi) = 1 + c2 [phi] + c3 [phi][phi] (Barfoot 2017, eq. 7.77; Sola et al. 2018, eq. 145).
template <class S> ZWANG_INLINE Mat3<S> left_jacobian(const Vec3<S>& phi) {
  const impl::Stumpff<S> f = impl::stumpff(S(dot(phi, phi)));
  return impl::skew_polynomial(phi, f.c2, f.c3);
}
/// Jr(phi) = Jl(-phi) (Sola et al. 2018, eq. 143): the body rate of exp([phi]) is Jr(phi) dphi/dt.
template <class S> ZWANG_INLINE Mat3<S> right_jacobian(const Vec3<S>& phi) { return left_jacobian(Vec3<S>(-phi)); }

/// Jl^-1 = 1 - [phi]/2 + g [phi][phi], g = (1 - (t/2) cot(t/2)) / t^2 (Sola et al. 2018, eq. 146), here (c3 - 2 c4) /
/// (2 c2), which is free of cancellation. Singular at |phi| = 2 pi.
template <class S> ZWANG_INLINE Mat3<S> left_jacobian_inverse(const Vec3<S>& phi) {
  const impl::Stumpff<S> f = impl::stumpff(S(dot(phi, phi)));
  return impl::skew_polynomial(phi, S(Uniform<S>(-0.5)), S((f.c3 - f.c4 - f.c4) / (f.c2 + f.c2)));
}
/// Jr^-1(phi) = Jl^-1(-phi)
template <class S> ZWANG_INLINE Mat3<S> right_jacobian_inverse(const Vec3<S>& phi) {
  return left_jacobian_inverse(Vec3<S>(-phi));
}

// --- poses ------------------------------------------------------------------------------------------------

/// exp of a twist: R = exp([phi]), p = Jl(phi) rho (Barfoot 2017, eq. 7.84; Sola et al. 2018, eq. 172).
template <class S> ZWANG_INLINE Transform<S> exp_se3(const Motion<S>& xi) {
  return {exp_so3(xi.w), left_jacobian(xi.w) * xi.v};
}

/// The twist of a pose: phi = log R, rho = Jl^-1(phi) p (Sola et al. 2018, eq. 173).
template <class S> ZWANG_INLINE Motion<S> log_se3(const Transform<S>& X) {
  const Vec3<S> phi = log_so3(X.R);
  return {left_jacobian_inverse(phi) * X.p, phi};
}

/// A Jacobian of the exponential of poses, [J, Q; 0, J], acting on motions.
template <class S> struct MotionJacobian { Mat3<S> J, Q; };
template <class A, class B> ZWANG_INLINE auto operator*(const MotionJacobian<A>& a, const Motion<B>& m) {
  return Motion<Product<A, B>>{a.J * m.v + a.Q * m.w, a.J * m.w};
}
template <class A, class B> ZWANG_INLINE auto operator*(const MotionJacobian<A>& a, const MotionJacobian<B>& b) {
  return MotionJacobian<Product<A, B>>{a.J * b.J, a.J * b.Q + a.Q * b.J};
}
/// [J, Q; 0, J]^T f: maps a force dual to the output motions to the force dual to the input motions.
template <class A, class B> ZWANG_INLINE auto transpose_times(const MotionJacobian<A>& a, const Force<B>& f) {
  return Force<Product<A, B>>{transpose_times(a.J, f.f), transpose_times(a.Q, f.f) + transpose_times(a.J, f.n)};
}

/// J = Jl(phi), and Q of Barfoot 2017, eq. 7.86, which is the derivative of Jl(phi) in the direction rho.
template <class S> ZWANG_INLINE MotionJacobian<S> left_jacobian(const Motion<S>& xi) {
  const impl::Stumpff<S> f = impl::stumpff(S(dot(xi.w, xi.w)));
  return {impl::skew_polynomial(xi.w, f.c2, f.c3), impl::left_jacobian_derivative(f, xi.w, xi.v)};
}
/// Jr(xi) = Jl(-xi): the body twist of exp(xi) is Jr(xi) dxi/dt.
template <class S> ZWANG_INLINE MotionJacobian<S> right_jacobian(const Motion<S>& xi) {
  return left_jacobian(Motion<S>(-xi));
}

/// [J, Q; 0, J]^-1 = [J^-1, -J^-1 Q J^-1; 0, J^-1] (Barfoot 2017, eq. 7.95). Singular at |phi| = 2 pi.
template <class S> ZWANG_INLINE MotionJacobian<S> left_jacobian_inverse(const Motion<S>& xi) {
  const Mat3<S> inverse = left_jacobian_inverse(xi.w);
  const impl::Stumpff<S> f = impl::stumpff(S(dot(xi.w, xi.w)));
  const Mat3<S> P = inverse * impl::left_jacobian_derivative(f, xi.w, xi.v) * inverse;
  return {inverse, {-P.r0, -P.r1, -P.r2}};
}
template <class S> ZWANG_INLINE MotionJacobian<S> right_jacobian_inverse(const Motion<S>& xi) {
  return left_jacobian_inverse(Motion<S>(-xi));
}

}  // namespace ZWANG_ISA
}  // namespace zwang
