// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors, for loops and frames with a target. Derivation: types/loop.hpp.
#pragma once
#include "zwang/constraint/page/point.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Three linear errors, three angular ones; see types/loop.hpp.
struct LoopGeometry {
  static constexpr Index errors = 6;
  enum class Angles {
    none,     ///< no row holds an angle
    vector,   ///< entries of the rotation vector
    axis,     ///< of the turn that brings u = `first` to R u
    between,  ///< of u1 = `first` in a and u2 = `second` in b, less a quarter turn
  };
  Angles angles = Angles::vector;
  Vec3<double> first = {0, 0, 1}, second = {1, 0, 0};  ///< perpendicular to each other

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    point_errors(A, B, e, K);
    if (angles != Angles::none) turned(A.R, B.R, e + 3, K + 3);
  }

  template <class S> void turned(const Mat3<S>& A, const Mat3<S>& B, S* e, Force<S>* K) const {
    Vec3<S> psi;
    Mat3<S> rate;  // of psi per angular velocity, both in a's axes
    if (angles == Angles::vector) {
      psi = log_so3(transpose(A) * B);
      rate = left_jacobian_inverse(psi);
    } else if (angles == Angles::axis) {
      apart(Vec3<S>(transpose_times(A, B * widen<Uniform<S>>(first))), psi, rate);
    } else {
      const Vec3<S> y = transpose_times(A, B * widen<Uniform<S>>(second)), m = cross(first, y);
      const Vec3<double> k = cross(first, second);
      const S cosine = dot(first, y);
      for (int i = 0; i < 3; ++i) {
        psi[i] = cosine * Uniform<S>(-k[i]);
        rate[i] = m * k[i];
      }
    }
    for (int i = 0; i < 3; ++i) {
      e[i] = psi[i];
      K[i] = {Vec3<S>::zero(), A * rate[i]};
    }
  }

  /// psi = (t / sin t) u x y, y = R u, cos t = u . y: the rotation vector of the quaternion (u x y, 1 + u . y). Its
  /// rate is f (cos t 1 - y u^T) + k psi psi^T with f = t / sin t, k = (1 - t cot t) / t^2. Where y = -u, psi is
  /// `second` half a turn long; nearer to it than k_least [rad], where f grows without bound, f is that of k_least.
  template <class S> void apart(const Vec3<S>& y, Vec3<S>& psi, Mat3<S>& rate) const {
    using U = Uniform<S>;
    constexpr double k_pi = 3.14159265358979323846, k_least = 1e-6;
    const S most(static_cast<U>((k_pi - k_least) * (k_pi - k_least))), one(U(1));
    const Vec3<S> w = cross(first, y);
    const S cosine = dot(first, y), square = dot(w, w);
    const auto blunt = less(cosine, S(U(0)));
    const S more = select(blunt, -cosine, cosine) + U(1),
            rest = select(blunt, S(square / more), more);  // 1 + cos t without cancellation
    const auto opposed = less(S(square + rest * rest), S(U(1e-24)));
    Quat<S> turn{};
    turn.w = select(opposed, S(U(0)), rest);
    turn.x = select(opposed, S(static_cast<U>(second.x)), w.x);
    turn.y = select(opposed, S(static_cast<U>(second.y)), w.y);
    turn.z = select(opposed, S(static_cast<U>(second.z)), w.z);
    psi = log_so3(turn);
    const S length = dot(psi, psi);
    const auto beyond = less(most, length);
    const S bounded = select(beyond, most, length);
    const auto c = zwang::ZWANG_ISA::impl::stumpff(bounded);
    const S f = U(1) / c.c1, k = (c.c2 - c.c3) * f * select(beyond, S(most / select(beyond, length, one)), one);
    for (int i = 0; i < 3; ++i) {
      rate[i] = first * S(y[i] * -f) + psi * S(psi[i] * k);
      rate[i][i] += cosine * f;
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
