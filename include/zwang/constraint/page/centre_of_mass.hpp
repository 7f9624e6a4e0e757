// SPDX-License-Identifier: BSD-3-Clause
// The centre of mass of all moving bodies. Derivation: types/centre_of_mass.hpp.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/constraint/page/row_values.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The bodies are all moving ones, or the ground alone if none moves.
struct CentreOfMassRows {
  static constexpr bool position_is_free = true;  ///< without a target any position is allowed
  ConstArray<Vec3<double>> direction;             ///< [rows]

  template <class F> void for_each_array(F&& f) { f(direction); }

  template <class S> void operator()(const BasicData<S>& data, const S*, const S*, const RelationShape& on,
                                     const BasicRowValues<S>& out) const {
    using T = Uniform<S>;
    const T mass = moving_mass(data), inv = mass > 0 ? 1 / mass : 0;
    const auto along = [&](Index r) ZWANG_LAMBDA { return widen<T>(direction[r]); };
    Vec3<S> c = Vec3<S>::zero(), a = Vec3<S>::zero();
    for (Index t = 0; t < on.body_count; ++t) {
      const Index i = on.bodies[t];
      if (i == 0) {
        for (Index r = 0; r < on.rows; ++r) out.K[r] = Force<S>::zero();
        continue;
      }
      const Inertia<S> I = data.position.placement[i] * data.inertia[i];
      const S share = I.m * inv;
      const Vec3<S> arm = I.h * inv;
      c += arm + data.position.centre[data.tree().body[i].root] * share;
      const Motion<S> twist = data.velocity.twist[i];
      a += cross(twist.w, twist.v * share + cross(twist.w, arm));
      for (Index r = 0; r < on.rows; ++r) {
        const Vec3<T> d = along(r);
        out.K[t * on.rows + r] = {widen<S>(d) * share, cross(arm, d)};
      }
    }
    for (Index r = 0; r < on.rows; ++r) {
      out.phi[r] = dot(c, along(r));
      out.gamma[r] = dot(a, along(r));
      for (int k = 0; k < 6 && out.as_given != nullptr; ++k) out.as_given[6 * r + k] = S(k < 3 ? along(r)[k] : T(0));
    }
  }
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
