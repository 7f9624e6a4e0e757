// SPDX-License-Identifier: BSD-3-Clause
// One point less another along fixed directions of the world. Derivation: types/loop.hpp, `local_world_aligned`.
#pragma once
#include "zwang/constraint/page/pose_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// phi = d . (p_B - p_A); the wrenches are [d; p_B x d] on b's body and -[d; p_A x d] on a's, each about the centre of
/// the body's branch: they balance only where the points meet along d.
struct PointPairRows {
  static constexpr bool position_is_free = false;
  BodyFrame a, b;
  ConstArray<Vec3<double>> direction;  ///< [rows] d

  template <class F> void for_each_array(F&& f) { f(direction); }

  template <class S> void operator()(const BasicData<S>& data, const S*, const S*, const RelationShape& on,
                                     const BasicRowValues<S>& out) const {
    using T = Uniform<S>;
    const FramePair<S> pair = frame_pair(data, a, b);
    const auto turning = [](const Motion<S>& V, const Vec3<S>& p)
                             ZWANG_LAMBDA { return cross(V.w, V.v + cross(V.w, p)); };
    const Vec3<S> apart = pair.B.p - pair.A.p, drift = turning(pair.VB, pair.B.p) - turning(pair.VA, pair.A.p);
    for (Index r = 0; r < on.rows; ++r) {
      const Vec3<S> d = widen<S>(widen<T>(direction[r]));
      out.phi[r] = dot(apart, d);
      out.gamma[r] = dot(drift, d);
      for (int k = 0; k < 6 && out.as_given != nullptr; ++k) out.as_given[6 * r + k] = k < 3 ? d[k] : S(T(0));
      for (Index t = 0; t < on.body_count; ++t) {
        Force<S> K = Force<S>::zero();
        if (on.bodies[t] == b.body) K += Force<S>{d, cross(pair.B.p - pair.to_b, d)};
        if (on.bodies[t] == a.body) K -= Force<S>{d, cross(pair.A.p - pair.to_a, d)};
        out.K[t * on.rows + r] = K;
      }
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
