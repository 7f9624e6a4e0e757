// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics: Luh, Walker & Paul 1980, with the acceleration field E = [al] + [w][w] (Balafoutis,
// Patel & Misra 1988).
//
//   outward   w, al, a of each body in its own axes
//             f = m a + E h,  n = I al + w x I w + h x a,  minus external wrenches
//   inward    tau = S^T (f, n) + armature * a;  (f, n) goes to the parent
//
// DIFFERS: gravity enters as the ground's acceleration -g; bodies have any joint, not only one revolute axis.
// One state of double uses inverse_dynamics_lanes.hpp; a test holds both equal.
// Reads q, v, a, force.external. Writes tau, and the input of joint_force.
// Cost 218 flops a revolute joint. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"
#include "zwang/algorithm/page/inverse_dynamics_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S, class T> ZWANG_INLINE void enter_local(const Body<T>& b, const SweepInput<S>& in, const S* v,
                                                          const S* a, const Inertia<T>& I, const LocalLevel<S>& up,
                                                          LocalLevel<S>& x) {
  place(b, in, x.X);
  x.m.w = transpose_times(x.X.R, up.m.w);
  x.m.al = transpose_times(x.X.R, up.m.al);
  x.m.a = transpose_times(x.X.R, up.m.a + up.E * x.X.p);
  advance(b, in, v + b.v, a + b.v, x.m);
  x.E = acceleration_field(x.m.w, x.m.al);
  force_of_motion(I, x.m, x.E, x.f);
}

template <class S>
void inverse_dynamics_sweep(BasicData<S>& data, const SweepInput<S>& in, const S* v, const S* a, S* tau) {
  const auto& tree = data.tree();
  LocalLevel<S>* const level = data.local.data();
  level[0].m = {Vec3<S>::zero(), Vec3<S>::zero(), widen<S>(-data.gravity)};
  level[0].E = Mat3<S>::zero();
  level[0].f = Force<S>::zero();
  depth_first(
      tree,
      [&](const auto& b, Index i) ZWANG_LAMBDA {
        LocalLevel<S>& x = level[b.depth];
        enter_local(b, in, v, a, data.inertia[i], level[b.depth - 1], x);
        if (data.force.has_external) x.f -= data.force.external[i];
      },
      [&](const auto& b, Index i) ZWANG_LAMBDA {
        const LocalLevel<S>& x = level[b.depth];
        LocalLevel<S>& up = level[b.depth - 1];
        data.force.joint[i] = x.f;
        project(b, in, x.f, tau + b.v);
        const Vec3<S> f = x.X.R * x.f.f;
        up.f.f += f;
        up.f.n += x.X.R * x.f.n + cross(x.X.p, f);
      });
}

template <class S> void inverse_dynamics(BasicData<S>& data, const S* q, const S* v, const S* a, S* tau) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  const S* const vs = spanning_v(tree, v, data.v_spanning);
  const S* const as = spanning_v(tree, a, data.a_spanning);
  S* const out = tree.mimic ? data.tau_spanning.data() : tau;
  if constexpr (bodies_in_lanes<S>)
    inverse_dynamics_lanes(data, in, vs, as, out);
  else
    inverse_dynamics_sweep(data, in, vs, as, out);
  for (Index k = 0; data.has_armature && k < tree.spanning_nv; ++k)
    out[k] += as[k] * (tree.column[k].armature * data.armature_factor);
  if (tree.mimic) gather_tau(tree, out, tau);
  data.stages = stage_force;
}

/// The wrench that the joint of body i transmits to it: body axes, about the body's origin.
/// Reads the last inverse dynamics.
template <class S> ZWANG_INLINE Force<S> joint_force(const BasicData<S>& data, Index i) {
  if constexpr (bodies_in_lanes<S>)
    return joint_force(data.lanes.inverse[i]);
  else
    return data.force.joint[i];
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
