// SPDX-License-Identifier: BSD-3-Clause
// A ball or a wheel on a plane. Derivation: types/rolling.hpp.
#pragma once
#include "zwang/constraint/page/pose_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

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
    const auto stands = less(S(Uniform<S>(k_no_direction<S>)), square);  // false: it lies flat
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

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
