// SPDX-License-Identifier: BSD-3-Clause
// Forces by which links' own scales of gravity (LinkDescription::gravity_scale) differ from gravity: m g times
// gravity_scale - 1 at the centre of mass of each link. They count as external wrenches whose axes are the world's, so
// that every page that takes these takes them. Of a body with excess (m, h), mc = m p + R h being its first moment
// about the centre:
//
//   f = m g,  n = h x R^T g                    body axes, about its origin
//   W = [0, -[m g]; 0, -[mc][g]]               how they turn with the body (turning.hpp)
//   V = -mc.g                                  potential energy
//   s.f = g.(m s.v + s.w x mc)                 power against a motion s
// Reads the position stage, excess, gravity. Writes force.external, derivative.outside. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/turning.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The first moment of the excess of body i about the branch's centre, world axes.
template <class S> ZWANG_INLINE Vec3<S> excess_moment(const BasicData<S>& data, Index i) {
  const Transform<S>& X = data.position.placement[i];
  return X.R * data.excess[i].h + X.p * data.excess[i].m;
}
/// The force on body i, world axes about the branch's centre.
template <class S> ZWANG_INLINE Force<S> excess_force(const BasicData<S>& data, Index i) {
  const Vec3<S> g = widen<S>(data.gravity);
  return {g * data.excess[i].m, cross(excess_moment(data, i), g)};
}

/// Adds the forces to those on the bodies.
template <class S> void add_excess_gravity(BasicData<S>& data) {
  data.force.has_excess = true;
  for (Index i = 1; i <= data.tree().n; ++i) {
    const Vec3<S> g = transpose_times(data.position.placement[i].R, widen<S>(data.gravity));
    data.force.external[i] += Force<S>{g * data.excess[i].m, cross(widen<S>(data.excess[i].h), g)};
  }
}

/// How the force on body i turns with it.
template <class S> Turning<S> excess_turning(const BasicData<S>& data, Index i) {
  const Vec3<S> g = widen<S>(data.gravity), mc = excess_moment(data, i);
  Mat3<S> lower = Mat3<S>::zero();
  subtract_outer(lower, g, mc);
  const S along = dot(mc, g);
  lower.r0.x += along;
  lower.r1.y += along;
  lower.r2.z += along;
  return {g * data.excess[i].m, Vec3<S>::zero(), lower};
}
/// Adds W of all bodies.
template <class S> void add_excess_turning(BasicData<S>& data) {
  for (Index i = 1; i <= data.tree().n; ++i) add_turning(data, i, excess_turning(data, i));
}

/// The potential energy of the forces; zero at the world's origin.
template <class S> S excess_energy(const BasicData<S>& data) {
  const auto& tree = data.tree();
  S V(0);
  for (Index i = 1; data.excess.size() > 0 && i <= tree.n; ++i) {
    if (!moves(tree, i)) continue;
    const Vec3<S> mc = excess_moment(data, i) + data.position.centre[tree.body[i].root] * data.excess[i].m;
    V -= dot(mc, widen<S>(data.gravity));
  }
  return V;
}

/// What multiplies g in the power of body i's force against the motion s, world axes about the centre.
template <class S> ZWANG_INLINE Vec3<S> excess_power(const BasicData<S>& data, Index i, const Motion<S>& s) {
  return s.v * data.excess[i].m + cross(s.w, excess_moment(data, i));
}
/// to[4] += x times the derivatives of a link's power against s by its (m, h): s and gravity in link axes.
template <class S> ZWANG_INLINE void add_excess_row(const Vec3<S>& g, const Motion<S>& s, const S& x, S* to) {
  const Vec3<S> h = cross(g, s.w);
  to[0] += x * dot(s.v, g);
  for (Index k = 0; k < 3; ++k) to[1 + k] += x * h[k];
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
