// SPDX-License-Identifier: BSD-3-Clause
// The distance between two points. Derivation: types/distance.hpp.
#pragma once
#include "zwang/constraint/page/pose_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Distance of the origins; see types/distance.hpp.
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

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
