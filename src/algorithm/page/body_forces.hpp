// SPDX-License-Identifier: BSD-3-Clause
// Inertias and wrenches of single bodies at the state in Data, in world axes about the branch's centre, and the torques
// J^T f of wrenches on bodies.
#pragma once
#include "algorithm/page/excess_gravity.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A body's inertia in world axes about the branch's centre.
template <class S> Inertia<S> world_inertia(const BasicData<S>& data, Index i) {
  const Transform<S>& X = data.position.placement[i];
  const auto& J = data.inertia[i];
  const Vec3<S> h = X.R * J.h, mc = X.p * J.m + h;
  return {S(J.m), mc, shifted(congruence(X.R, J.I), X.p, h, mc)};
}
/// The external wrench on a body, world axes about the branch's centre.
template <class S> Force<S> external_force(const BasicData<S>& data, Index i) {
  if (!data.force.has_external) return Force<S>::zero();
  return data.position.placement[i] * data.force.external[i];
}
/// Wrench that keeps a body's motion at zero joint acceleration, after a sweep: I a + v x* I v - f_ext, world axes
/// about the branch's centre.
template <class S> Force<S> inertial_force(const BasicData<S>& data, Index i) {
  const Inertia<S> I = world_inertia(data, i);
  const Motion<S>& v = data.velocity.twist[i];
  return I * (data.acceleration.joint[i] + data.velocity.bias[i]) + cross(v, I * v) - external_force(data, i);
}

/// out += J^T f for wrenches on bodies (world axes about the branch's centre); `force` is overwritten.
template <class S> void add_joint_forces(const BasicData<S>& data, Buffer<Force<S>>& force, S* out) {
  const auto& tree = data.tree();
  for (Index i = tree.n; i > 0; --i) {
    const auto& b = tree.body[i];
    for (Index k = b.v; k < b.v + b.nv; ++k)
      out[tree.column[k].v] += dot(data.articulated.column[k].s, force[i]) * tree.column[k].multiplier;
    if (b.parent > 0) force[b.parent] += force[i];
  }
}

/// The causes of motion that a right-hand side includes.
struct Drivers {
  bool velocity = true, gravity = true, external = true;
};

/// Wrench that keeps a body's motion at zero joint acceleration, for the causes given: I bias + v x* I v - f_ext. What
/// links' own scales of gravity add belongs to gravity.
template <class S> Force<S> starting_force(const BasicData<S>& data, Index i, const Drivers& drivers) {
  const Motion<S> gravity{-data.gravity, Vec3<S>::zero()};
  Force<S> f = Force<S>::zero();
  const Inertia<S> I = world_inertia(data, i);
  if (drivers.velocity) {
    const Motion<S>& v = data.velocity.twist[i];
    f += I * (data.velocity.bias[i] - gravity) + cross(v, I * v);
  }
  if (drivers.gravity) f += I * gravity;
  if (drivers.external) f -= external_force(data, i);
  if (drivers.gravity != drivers.external && data.force.has_external && data.force.has_excess)  // part of gravity
    f -= drivers.gravity ? excess_force(data, i) : -excess_force(data, i);
  return f;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
