// SPDX-License-Identifier: BSD-3-Clause
// Rows on the centre of mass of everything that moves, of one state or of states in lanes; see types/centre_of_mass.hpp.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct CentreRows {
  const Vec3<double>* direction;  ///< [rows]
  Index rows;
  const Index* bodies;  ///< that move; the ground alone where none does
  Index body_count;
};

template <class S> void evaluate_rows(const BasicData<S>& data, const CentreRows& x, S* phi, S* gamma, Force<S>* K) {
  using T = Uniform<S>;
  const T mass = page::moving_mass(data), inv = mass > 0 ? 1 / mass : 0;
  const auto direction = [&](Index r) ZWANG_LAMBDA { return widen<T>(x.direction[r]); };
  Vec3<S> c = Vec3<S>::zero(), a = Vec3<S>::zero();
  for (Index t = 0; t < x.body_count; ++t) {
    const Index i = x.bodies[t];
    if (i == 0) {
      for (Index r = 0; r < x.rows; ++r) K[r] = Force<S>::zero();
      continue;
    }
    const Inertia<S> I = data.position.placement[i] * data.inertia[i];
    const S share = I.m * inv;
    const Vec3<S> arm = I.h * inv;
    c += arm + data.position.centre[data.tree().body[i].root] * share;
    const Motion<S> twist = data.velocity.twist[i];
    a += cross(twist.w, twist.v * share + cross(twist.w, arm));
    for (Index r = 0; r < x.rows; ++r) {
      const Vec3<T> d = direction(r);
      K[t * x.rows + r] = {widen<S>(d) * share, cross(arm, d)};
    }
  }
  for (Index r = 0; r < x.rows; ++r) {
    phi[r] = dot(c, direction(r));
    gamma[r] = dot(a, direction(r));
  }
}

}  // namespace ZWANG_ISA
}  // namespace zwang
