// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of all bodies: Featherstone 2008, ch. 3 and 4; positions, velocities, accelerations by one outward pass.
// DIFFERS: world axes about the branch's centre instead of body axes, so that no transform stands between bodies;
// gravity enters as the ground's acceleration -g and is taken off again by body_acceleration().
// Reads q (v, a). Writes position (velocity, acceleration). Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> void kinematics(BasicData<S>& data, const S* q) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  enter_ground(data);
  if constexpr (bodies_in_lanes<S>)
    enter_bodies<Enter::poses>(data, in, q);
  else
    for (Index i = 1; i <= tree.n; ++i) enter_position(tree.body[i], i, in, data);
  data.stages = stage_position;
}

template <class S> void kinematics(BasicData<S>& data, const S* q, const S* v) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  const S* vs = spanning_v(tree, v, data.v_spanning);
  enter_ground(data);
  if constexpr (bodies_in_lanes<S>) {
    enter_bodies<Enter::velocities>(data, in, vs);
  } else {
    for (Index i = 1; i <= tree.n; ++i) {
      enter_position(tree.body[i], i, in, data);
      enter_velocity(tree.body[i], i, in, vs, data);
    }
  }
  data.stages = stage_position | stage_velocity | stage_columns;
}

template <class S> void kinematics(BasicData<S>& data, const S* q, const S* v, const S* a) {
  kinematics(data, q, v);
  const auto& tree = data.tree();
  const S* as = spanning_v(tree, a, data.a_spanning);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    StoredMotion<S>& x = data.acceleration.joint[i];
    x = data.acceleration.joint[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k) x += data.articulated.column[k].s * as[k];
  }
  data.stages |= stage_acceleration;
}

/// The columns alone, where the positions of q are there already.
template <class S> void columns_of_positions(BasicData<S>& data, const S* q) {
  const auto& tree = data.tree();
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  for (Index i = 1; i <= tree.n; ++i) enter_columns(tree.body[i], i, in, data);
  data.stages |= stage_columns;
}
/// Positions, and columns of the joints without velocities: what Jacobians and the mass matrix need.
template <class S> void columns(BasicData<S>& data, const S* q) {
  if constexpr (bodies_in_lanes<S>) {
    const SweepInput<S> in = prepare(data, q);
    enter_ground(data);
    enter_bodies<Enter::columns>(data, in, q);
    data.stages = stage_position | stage_columns;
  } else {
    kinematics(data, q);
    columns_of_positions(data, q);
  }
}

/// Spatial acceleration of a body, gravity not counted: world axes about the branch's centre.
template <class S> ZWANG_INLINE Motion<S> body_acceleration(const BasicData<S>& data, Index i) {
  Motion<S> a = data.acceleration.joint[i] + data.velocity.bias[i];
  a.v += widen<S>(data.gravity);
  return a;
}

/// A frame fixed to a body: its axes in the world, and its origin about the branch's centre.
template <class S, class T>
ZWANG_INLINE Transform<S> frame_about_centre(const BasicData<S>& data, Index body, const Transform<T>& in_body) {
  return data.position.placement[body] * in_body;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
