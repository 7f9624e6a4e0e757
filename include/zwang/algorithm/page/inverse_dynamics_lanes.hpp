// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of one state of double with eight bodies side by side: Newton and Euler in world axes about the
// branch's centre, tau = S^T sum over the subtree of (I a + v x* I v - f_ext). The same numbers as the page of
// inverse_dynamics.hpp, in other axes; a test holds both equal.
//
// Reads q, v, a, force.external. Writes tau; joint forces in world axes (lanes.force), which joint_force() turns into
// body axes when asked. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Bodies from which on lanes win over the readable page.
inline constexpr Index k_fewest_in_lanes = 4;

/// lanes.force: what moves each body, I a + v x* I v - f_ext.
ZWANG_INLINE void enter_forces(BasicData<double>& data) {
  for (Index i = 1, k = 0; i <= data.tree().n; i += k_lane_bodies, ++k) {
    const Inertia<Lanes8> I = data.lanes.X[k] * data.lanes.inertia[k];
    Motion<Lanes8> a;
    load_lanes(&data.lanes.acceleration[i], a);
    const Force<Lanes8> f = body_forces(I, data.lanes.twist[k], a);
    store_lanes(f.f, f.n, &data.lanes.force[i]);
  }
  if (data.force.has_external)
    for (Index i = 1; i <= data.tree().n; ++i) data.lanes.force[i] -= PaddedForce(external_force(data, i)).six();
}

/// What each joint transmits, summed inward, and tau = S^T f.
ZWANG_INLINE void project_forces(BasicData<double>& data, double* tau) {
  const Tree<double>& tree = data.tree();
  PaddedForce* const force = data.lanes.force.data();
  Six x{Lanes8(0.0)};
  for (Index i = tree.n; i > 0; --i) {
    const Body<double>& b = tree.body[i];
    x = x + force[i].six();
    force[i] = x;
    if (b.kind == kind_of<Revolute>)
      tau[b.v] = dot(data.lanes.turn[i].six(), x);
    else
      for (Index k = b.v; k < b.v + b.nv; ++k) tau[k] = dot(data.articulated.column[k].s.six(), x);
    if (b.parent == i - 1) continue;
    if (b.parent > 0) force[b.parent] += x;
    x = {Lanes8(0.0)};
  }
}

inline void inverse_dynamics_lanes(BasicData<double>& data, const double* q, const double* v, const double* a,
                                   double* tau) {
  const Tree<double>& tree = data.tree();
  const SweepInput<double> in = prepare(data, q);
  const double* const vs = spanning_v(tree, v, data.v_spanning);
  const double* const as = spanning_v(tree, a, data.a_spanning);
  double* const out = tree.mimic ? data.tau_spanning.data() : tau;
  enter_ground(data);
  data.lanes.acceleration[0] = data.velocity.bias[0];
  enter_positions<false>(data, in);
  enter_twists<false>(data, in, vs);
  enter_accelerations<true>(data, in, vs, as, data.lanes.acceleration.data());
  enter_forces(data);
  project_forces(data, out);
  for (Index k = 0; k < tree.spanning_nv; ++k) out[k] += as[k] * (tree.column[k].armature * data.armature_factor);
  if (tree.mimic) gather_tau(tree, out, tau);
  data.force.in_lanes = true;
  data.stages = stage_force;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
