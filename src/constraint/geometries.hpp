// SPDX-License-Identifier: BSD-3-Clause
// Geometries of relations between two frames A and B: basic errors e and what their rates ask of the frames,
//
//   e' = K . (V_B - V_A)   in world axes        template <class S> operator()(A, B, S* e, Force<S>* K)
//
// with S a dual number (pose_rows.hpp) of one state or of states in lanes: values are selected, not branched on.
#pragma once
#include <limits>

#include "zwang/core/dual.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Squared sines below which directions are not there at all; and what their rows are then. Of float, where rounding
/// comes first, the solver of one state decides, in double: NaN sends it there.
template <class S> inline constexpr double k_no_direction = std::is_same_v<Uniform<S>, float> ? 1e-9 : 1e-24;
template <class S> ZWANG_INLINE S without_direction() {
  return S(std::is_same_v<Uniform<S>, float> ? std::numeric_limits<Uniform<S>>::quiet_NaN() : Uniform<S>(0));
}
template <class M, class S> ZWANG_INLINE Force<S> select(const M& m, const Force<S>& a, const S& otherwise) {
  Force<S> k;
  for (int i = 0; i < 6; ++i) k[i] = select(m, a[i], otherwise);
  return k;
}

/// Linear errors, seen from A.
template <class S> ZWANG_INLINE void point_errors(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) {
  const Vec3<S> p = transpose_times(A.R, B.p - A.p), axis[3] = {column_x(A.R), column_y(A.R), column_z(A.R)};
  for (int i = 0; i < 3; ++i) {
    e[i] = p[i];
    K[i] = {axis[i], cross(B.p, axis[i])};
  }
}

/// The origin of B seen from A.
struct PointGeometry {
  static constexpr Index errors = 3;
  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    point_errors(A, B, e, K);
  }
};

/// Three linear errors, three angular ones; see types/loop.hpp.
struct LoopGeometry {
  static constexpr Index errors = 6;
  int held = 3;                                        ///< angular directions; 0: no row asks for an angle
  Vec3<double> first = {0, 0, 1}, second = {0, 0, 1};  ///< one held: u1, u2; two held: u is `first`

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    point_errors(A, B, e, K);
    if (held > 0) turned(A.R, B.R, e + 3, K + 3);
  }

  template <class S> void turned(const Mat3<S>& A, const Mat3<S>& B, S* e, Force<S>* K) const {
    Vec3<S> psi;
    Mat3<S> rate;  // of psi per angular velocity, both in a's axes
    if (held == 3) {
      psi = log_so3(transpose(A) * B);
      rate = left_jacobian_inverse(psi);
    } else if (held == 2) {  // -[u][y] = (u . y) 1 - y u^T
      const Vec3<S> y = transpose_times(A, B * widen<Uniform<S>>(first));
      const S cosine = dot(first, y);
      psi = cross(first, y);
      for (int i = 0; i < 3; ++i) {
        rate[i] = first * -y[i];
        rate[i][i] += cosine;
      }
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
};

/// Of the origins; see types/distance.hpp.
struct DistanceGeometry {
  static constexpr Index errors = 1;
  double length = 0;
  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    const Vec3<S> d = B.p - A.p;
    const S square = dot(d, d);
    const auto apart = less(S(0), square);
    const S distance = sqrt(select(apart, square, S(1)));
    const Vec3<S> u = d * (S(1) / distance);
    e[0] = select(apart, distance, S(0)) - Uniform<S>(length);
    K[0] = select(apart, Force<S>{u, cross(B.p, u)}, without_direction<S>());
  }
};

/// Frames: the plane's A, the wheel's B; errors tangent 1, tangent 2, normal. See types/rolling.hpp.
struct RollingGeometry {
  static constexpr Index errors = 3;
  double radius = 0;
  bool wheel = false;
  Vec3<double> axis = Vec3<double>::zero();        ///< of the wheel, in its frame
  Vec3<double> normal{0, 0, 1}, tangent{1, 0, 0};  ///< of the plane, tangent 1 of a ball: in A

  template <class S> void operator()(const Transform<S>& A, const Transform<S>& B, S* e, Force<S>* K) const {
    const Vec3<S> n = A.R * widen<S>(normal);
    if (!wheel) {
      rows(A, B, n, A.R * widen<S>(tangent), -n, e, K);
      return;
    }
    const Vec3<S> u = B.R * widen<S>(axis), along = cross(u, n);
    const S square = dot(along, along);                                  // sin^2 of the angle between axis and normal
    const auto stands = less(S(Uniform<S>(k_no_direction<S>)), square);  // else it lies flat
    const Vec3<S> t1 = along * (S(1) / sqrt(select(stands, square, S(1))));
    rows(A, B, n, t1, cross(u, t1), e, K);
    for (int i = 0; i < 3; ++i) K[i] = select(stands, K[i], without_direction<S>());
    e[2] = select(stands, e[2], S(dot(n, B.p - A.p)));
  }
  template <class S> void rows(const Transform<S>& A, const Transform<S>& B, const Vec3<S>& n, const Vec3<S>& t1,
                               const Vec3<S>& down, S* e, Force<S>* K) const {
    const Vec3<S> c = B.p + down * Uniform<S>(radius), axes[3] = {t1, cross(n, t1), n};
    for (int i = 0; i < 3; ++i) K[i] = {axes[i], cross(c, axes[i])};
    e[0] = e[1] = S(std::numeric_limits<Uniform<S>>::quiet_NaN());
    e[2] = dot(n, c - A.p);
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
