// SPDX-License-Identifier: BSD-3-Clause
// The configuration groups that joints derive from: how a configuration q moves by a tangent increment d, and back.
//
//   q (+) d = q exp(d)     integrate     d is a body increment: what v, held for one second, does to q
//   q1 (-) q0 = log(q0^-1 q1)            difference: q0 (+) (q1 (-) q0) = q1, by the shortest rotation
//   integrate_jacobians    Jq = Ad(exp(-d)),  Jd = Jr(d)             nv x nv, row by row, of increments at q (+) d
//   difference_jacobians   J0 = -Jl(d)^-1,    J1 = Jr(d)^-1          with respect to increments at q0 and q1
//
// A group is a struct of static functions, templated on the scalar; nothing branches on values and out may be q.
// A quaternion and a point of a circle are read as directions. Results have unit length to rounding, however often they
// are integrated: each product is scaled by a series of 1/|q|.
// Jl, Jr: left and right Jacobians of exp (spatial/exp_log.hpp; Sola, Deray & Atchuthan 2018, appendices A to D).
#pragma once
#include "zwang/core/random.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
template <class S> ZWANG_INLINE Quat<S> read_quat(const S* q) { return {q[0], q[1], q[2], q[3]}; }
template <class S> ZWANG_INLINE void write_quat(const Quat<S>& a, S* q) {
  q[0] = a.x;
  q[1] = a.y;
  q[2] = a.z;
  q[3] = a.w;
}
template <class S> ZWANG_INLINE Vec3<S> read_vec(const S* p) { return {p[0], p[1], p[2]}; }
template <class S> ZWANG_INLINE void write_vec(const Vec3<S>& a, S* p) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}
/// The 3x3 block at (row, column) of a row-major matrix with `width` columns.
template <class S> ZWANG_INLINE void write_block(const Mat3<S>& m, S* J, int width, int row, int column) {
  for (int i = 0; i < 3; ++i) write_vec(m[i], J + (row + i) * width + column);
}
template <class S> ZWANG_INLINE void write_diagonal(const S& value, S* J, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) J[i * n + j] = i == j ? value : S(0);
}
/// [J, Q; 0, J]
template <class S> ZWANG_INLINE void write_motion_jacobian(const Mat3<S>& J, const Mat3<S>& Q, S* out) {
  write_block(J, out, 6, 0, 0);
  write_block(Q, out, 6, 0, 3);
  write_block(Mat3<S>::zero(), out, 6, 3, 0);
  write_block(J, out, 6, 3, 3);
}
template <class S> ZWANG_INLINE Mat3<S> negative(const Mat3<S>& m) { return {-m.r0, -m.r1, -m.r2}; }
/// The factor that brings a number of squared length nn back to length 1: the series of 1 / sqrt(nn) with an error of
/// 5/16 (nn - 1)^3, which is below rounding for every length that check_configuration accepts.
template <class S> ZWANG_INLINE S renormalising(const S& nn) {
  const S e = Uniform<S>(1) - nn;
  return Uniform<S>(1) + e * (Uniform<S>(0.5) + e * Uniform<S>(0.375));
}

/// a b, kept at unit length.
template <class S> ZWANG_INLINE Quat<S> unit_product(const Quat<S>& a, const Quat<S>& b) {
  const Quat<S> q = a * b;
  const S k = renormalising(dot(q, q));
  return {q.x * k, q.y * k, q.z * k, q.w * k};
}

inline constexpr double k_pi = 3.14159265358979323846;
/// A number between two limits. A limit that is unknown (NaN) or infinite is replaced by that of [-range, range],
/// moved where the other limit leaves less than half of it.
ZWANG_INLINE double random_within(Random& random, double lower, double upper, double range) {
  const bool low = std::isfinite(lower), high = std::isfinite(upper);
  const double a = low ? lower : high ? std::fmin(-range, upper - range) : -range;
  const double b = high ? upper : low ? std::fmax(range, lower + range) : range;
  const double u = random.uniform(), x = a * (1 - u) + b * u;  // no overflow for limits of any size
  return x < a ? a : x > b ? b : x;
}
}  // namespace impl

/// R^N: q (+) d = q + d.
template <int N> struct Additive {
  static constexpr int nq = N, nv = N;

  template <class S> static ZWANG_INLINE void neutral(S* q) {
    for (int i = 0; i < N; ++i) q[i] = S(0);
  }
  template <class S> static ZWANG_INLINE void normalize(S*) {}
  template <class S> static ZWANG_INLINE void integrate(const S* q, const S* d, S* out) {
    for (int i = 0; i < N; ++i) out[i] = q[i] + d[i];
  }
  template <class S> static ZWANG_INLINE void difference(const S* q0, const S* q1, S* d) {
    for (int i = 0; i < N; ++i) d[i] = q1[i] - q0[i];
  }
  template <class S> static ZWANG_INLINE void integrate_jacobians(const S*, const S*, S* Jq, S* Jd) {
    impl::write_diagonal(S(1), Jq, N);
    impl::write_diagonal(S(1), Jd, N);
  }
  template <class S> static ZWANG_INLINE void difference_jacobians(const S*, const S*, S* J0, S* J1) {
    impl::write_diagonal(S(-1), J0, N);
    impl::write_diagonal(S(1), J1, N);
  }
  static inline void random(Random& random, const double* lower, const double* upper, double* q) {
    for (int i = 0; i < N; ++i) q[i] = impl::random_within(random, lower[i], upper[i], impl::k_pi);
  }
};

/// SO(2) as a point of the unit circle: q = (cos, sin), d an angle [rad]. Limits have no meaning here.
struct UnitCircle {
  static constexpr int nq = 2, nv = 1;

  template <class S> static ZWANG_INLINE void neutral(S* q) {
    q[0] = S(1);
    q[1] = S(0);
  }
  template <class S> static ZWANG_INLINE void normalize(S* q) {
    const S r = Uniform<S>(1) / sqrt(S(q[0] * q[0] + q[1] * q[1]));
    q[0] *= r;
    q[1] *= r;
  }
  template <class S> static ZWANG_INLINE void integrate(const S* q, const S* d, S* out) {
    const SinCos<S> t = sincos(d[0]);
    const S c = q[0] * t.cos - q[1] * t.sin, s = q[1] * t.cos + q[0] * t.sin;
    const S k = impl::renormalising(S(c * c + s * s));
    out[0] = c * k;
    out[1] = s * k;
  }
  template <class S> static ZWANG_INLINE void difference(const S* q0, const S* q1, S* d) {
    d[0] = atan2(S(q0[0] * q1[1] - q0[1] * q1[0]), S(q0[0] * q1[0] + q0[1] * q1[1]));
  }
  template <class S> static ZWANG_INLINE void integrate_jacobians(const S*, const S*, S* Jq, S* Jd) {
    Jq[0] = Jd[0] = S(1);
  }
  template <class S> static ZWANG_INLINE void difference_jacobians(const S*, const S*, S* J0, S* J1) {
    J0[0] = S(-1);
    J1[0] = S(1);
  }
  static inline void random(Random& random, const double*, const double*, double* q) {
    const double angle = random.uniform(-impl::k_pi, impl::k_pi);
    q[0] = std::cos(angle);
    q[1] = std::sin(angle);
  }
};

/// SO(3): q = unit quaternion (x, y, z, w), d a rotation vector in body axes. Limits have no meaning here.
struct Rotations {
  static constexpr int nq = 4, nv = 3;

  template <class S> static ZWANG_INLINE void neutral(S* q) { impl::write_quat(Quat<S>::identity(), q); }
  template <class S> static ZWANG_INLINE void normalize(S* q) { impl::write_quat(normalized(impl::read_quat(q)), q); }
  template <class S> static ZWANG_INLINE void integrate(const S* q, const S* d, S* out) {
    impl::write_quat(impl::unit_product(impl::read_quat(q), from_rotation_vector(impl::read_vec(d))), out);
  }
  template <class S> static ZWANG_INLINE void difference(const S* q0, const S* q1, S* d) {
    impl::write_vec(log_so3(Quat<S>(conjugate(impl::read_quat(q0)) * impl::read_quat(q1))), d);
  }
  template <class S> static void integrate_jacobians(const S*, const S* d, S* Jq, S* Jd) {
    const Vec3<S> phi = impl::read_vec(d);
    impl::write_block(transpose(exp_so3(phi)), Jq, 3, 0, 0);
    impl::write_block(right_jacobian(phi), Jd, 3, 0, 0);
  }
  template <class S> static void difference_jacobians(const S* q0, const S* q1, S* J0, S* J1) {
    S d[3];
    difference(q0, q1, d);
    const Mat3<S> J = right_jacobian_inverse(impl::read_vec(d));
    impl::write_block(J, J1, 3, 0, 0);
    impl::write_block(impl::negative(transpose(J)), J0, 3, 0, 0);  // Jl = Jr^T
  }
  static inline void random(Random& random, const double*, const double*, double* q) {
    const std::array<double, 4> a = random.unit_quaternion();
    for (int i = 0; i < 4; ++i) q[i] = a[static_cast<std::size_t>(i)];
  }
};

/// SE(2): q = (x, y [m], angle [rad]), d a body twist (v_x, v_y, w) held for one second.
///   exp: w turns while (v_x, v_y) goes along an arc, whose chord points half way: R(angle + w/2) (v_x, v_y) sinc(w/2)
/// Integrating counts the angle on, beyond pi, too. The difference takes the shorter way round, |w| <= pi: angles that
/// differ by whole turns are one attitude.
struct PlanarMotions {
  static constexpr int nq = 3, nv = 3;

  template <class S> static ZWANG_INLINE void neutral(S* q) { q[0] = q[1] = q[2] = S(0); }
  template <class S> static ZWANG_INLINE void normalize(S*) {}
  template <class S> static ZWANG_INLINE void integrate(const S* q, const S* d, S* out) {
    const Uniform<S> half(0.5);
    const S h = d[2] * half, k = impl::cosine_sinc<S>(h * h).sinc;
    const SinCos<S> chord = sincos(S(q[2] + h));
    const S x = q[0] + k * (chord.cos * d[0] - chord.sin * d[1]), y = q[1] + k * (chord.sin * d[0] + chord.cos * d[1]);
    out[2] = q[2] + d[2];
    out[0] = x;
    out[1] = y;
  }
  template <class S> static ZWANG_INLINE void difference(const S* q0, const S* q1, S* d) {
    const Uniform<S> half(0.5);
    const S x = q1[0] - q0[0], y = q1[1] - q0[1], w = shorter_way(S(q1[2] - q0[2]));
    const S h = w * half, k = Uniform<S>(1) / impl::cosine_sinc<S>(h * h).sinc;
    const SinCos<S> chord = sincos(S(q0[2] + h));
    d[0] = k * (chord.cos * x + chord.sin * y);
    d[1] = k * (chord.cos * y - chord.sin * x);
    d[2] = w;
  }
  /// Jq = Ad(exp(-d)): with R(w)^T, t the translation of exp(d):  [R^T, R^T (-t_y, t_x); 0, 1]
  template <class S> static void integrate_jacobians(const S*, const S* d, S* Jq, S* Jd) {
    const S origin[3] = {S(0), S(0), S(0)}, o(0), e(1);
    S t[3];
    integrate(origin, d, t);
    const SinCos<S> w = sincos(d[2]);
    const S q_rows[9] = {w.cos, w.sin, w.sin * t[0] - w.cos * t[1], -w.sin, w.cos, w.sin * t[1] + w.cos * t[0], o,
                         o,     e};
    for (int i = 0; i < 9; ++i) Jq[i] = q_rows[i];
    right_jacobian_rows(d, Jd);
  }
  template <class S> static void difference_jacobians(const S* q0, const S* q1, S* J0, S* J1) {
    S d[3];
    difference(q0, q1, d);
    right_jacobian_inverse_rows(d, J1);
    const S back[3] = {-d[0], -d[1], -d[2]};
    right_jacobian_inverse_rows(back, J0);  // Jl(d) = Jr(-d)
    for (int i = 0; i < 9; ++i) J0[i] = -J0[i];
  }
  static inline void random(Random& random, const double* lower, const double* upper, double* q) {
    Additive<3>::random(random, lower, upper, q);
  }

 private:
  /// The angle within half a turn that differs from w by whole turns; w itself where it is one.
  template <class S> static ZWANG_INLINE S shorter_way(const S& w) {
    const SinCos<S> t = sincos(w);
    return select(less(S(Uniform<S>(impl::k_pi)), S(abs(w))), S(atan2(t.sin, t.cos)), w);
  }
  /// Jr(d) = [V, c; 0, 1], V = [c1, w c2; -w c2, c1], c = (v_x w c3 - v_y c2, v_x c2 + v_y w c3), c_k(w^2) of
  /// exp_log.hpp (Sola, Deray & Atchuthan 2018, eq. 163).
  template <class S> static void right_jacobian_rows(const S* d, S* J) {
    const impl::Stumpff<S> f = impl::stumpff(S(d[2] * d[2]));
    const S wc2 = d[2] * f.c2, wc3 = d[2] * f.c3, o(0);
    const S rows[9] = {f.c1, wc2, d[0] * wc3 - d[1] * f.c2, -wc2, f.c1, d[0] * f.c2 + d[1] * wc3, o, o, S(1)};
    for (int i = 0; i < 9; ++i) J[i] = rows[i];
  }
  /// [V^-1, -V^-1 c; 0, 1] with det V = c1^2 + w^2 c2^2 = 2 c2.
  template <class S> static void right_jacobian_inverse_rows(const S* d, S* J) {
    const impl::Stumpff<S> f = impl::stumpff(S(d[2] * d[2]));
    const Uniform<S> half(0.5);
    const S a = f.c1 * half / f.c2, b = d[2] * half, wc3 = d[2] * f.c3, o(0);
    const S cx = d[0] * wc3 - d[1] * f.c2, cy = d[0] * f.c2 + d[1] * wc3;
    const S rows[9] = {a, -b, b * cy - a * cx, b, a, -(b * cx) - a * cy, o, o, S(1)};
    for (int i = 0; i < 9; ++i) J[i] = rows[i];
  }
};

/// SE(3): q = (position [m], unit quaternion x y z w), d a body twist (linear, angular) held for one second.
struct RigidMotions {
  static constexpr int nq = 7, nv = 6;

  template <class S> static ZWANG_INLINE void neutral(S* q) {
    impl::write_vec(Vec3<S>::zero(), q);
    Rotations::neutral(q + 3);
  }
  template <class S> static ZWANG_INLINE void normalize(S* q) { Rotations::normalize(q + 3); }
  /// (p, q) (v, w) -> (p + R(q) Jl(w) v, q exp(w))
  template <class S> static ZWANG_INLINE void integrate(const S* q, const S* d, S* out) {
    const Vec3<S> w = impl::read_vec(d + 3);
    const Quat<S> turn = impl::read_quat(q + 3);
    const Vec3<S> step = rotate(turn, Vec3<S>(left_jacobian(w) * impl::read_vec(d)));
    impl::write_vec(Vec3<S>(impl::read_vec(q) + step), out);
    impl::write_quat(impl::unit_product(turn, from_rotation_vector(w)), out + 3);
  }
  template <class S> static ZWANG_INLINE void difference(const S* q0, const S* q1, S* d) {
    const Quat<S> back = conjugate(impl::read_quat(q0 + 3));
    const Vec3<S> p = rotate(back, Vec3<S>(impl::read_vec(q1) - impl::read_vec(q0)));
    const Vec3<S> w = log_so3(Quat<S>(back * impl::read_quat(q1 + 3)));
    impl::write_vec(Vec3<S>(left_jacobian_inverse(w) * p), d);
    impl::write_vec(w, d + 3);
  }
  /// Ad(exp(-d)) = [R^T, -R^T [t]; 0, R^T] with (R, t) = exp(d)
  template <class S> static void integrate_jacobians(const S*, const S* d, S* Jq, S* Jd) {
    const Motion<S> xi{impl::read_vec(d), impl::read_vec(d + 3)};
    const Transform<S> X = exp_se3(xi);
    const Mat3<S> back = transpose(X.R);
    impl::write_motion_jacobian(back, Mat3<S>(back * skew(Vec3<S>(-X.p))), Jq);
    const MotionJacobian<S> J = right_jacobian(xi);
    impl::write_motion_jacobian(J.J, J.Q, Jd);
  }
  template <class S> static void difference_jacobians(const S* q0, const S* q1, S* J0, S* J1) {
    S d[6];
    difference(q0, q1, d);
    const Motion<S> xi{impl::read_vec(d), impl::read_vec(d + 3)};
    const MotionJacobian<S> l = left_jacobian_inverse(xi), r = right_jacobian_inverse(xi);
    impl::write_motion_jacobian(impl::negative(l.J), impl::negative(l.Q), J0);
    impl::write_motion_jacobian(r.J, r.Q, J1);
  }
  /// A free position without limits is drawn from [-1, 1]^3, the attitude from all attitudes.
  static inline void random(Random& random, const double* lower, const double* upper, double* q) {
    for (int i = 0; i < 3; ++i) q[i] = impl::random_within(random, lower[i], upper[i], 1.0);
    Rotations::random(random, lower, upper, q + 3);
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
