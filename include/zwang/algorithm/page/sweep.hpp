// SPDX-License-Identifier: BSD-3-Clause
// Shared by all sweeps over the tree: the order of bodies, the coordinates of the spanning tree, sines and cosines, and
// the calls to joints. Besides the joint files this is the only place that knows joint types.
#pragma once
#include "zwang/model/joint_types.hpp"
#include "zwang/model/stages.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// Enters a body after its parent and leaves it when its subtree is complete. Without recursion.
template <class T, class Enter, class Leave>
ZWANG_INLINE void depth_first(const Tree<T>& tree, Enter&& enter, Leave&& leave) {
  for (Index i = 1; i <= tree.n; ++i) {
    enter(tree.body[i], i);
    const Index resume = i < tree.n ? tree.body[i + 1].parent : 0;
    for (Index j = i; j != resume; j = tree.body[j].parent) leave(tree.body[j], j);
  }
}

/// The state as the sweeps read it: coordinates of the spanning tree, and sines and cosines of its angles.
template <class S> struct SweepInput {
  const S* q;
  const S* sin;
  const S* cos;
  template <class T> ZWANG_INLINE JointInput<S> of(const Body<T>& b) const {
    return {q + b.q, sin + b.angle, cos + b.angle, b.parameters, b.user};
  }
};

/// How many columns from k on, `most` at most, are of single-column joints in a row,
/// or of the one joint that column k belongs to.
template <class T> ZWANG_INLINE Index columns_alike(const Tree<T>& tree, Index k, Index most) {
  const Index i = tree.column[k].body, rest = tree.body[i].v + tree.body[i].nv - k;
  if (tree.body[i].nv != 1) return rest < most ? rest : most;
  Index count = 1;
  while (count < most && i + count <= tree.n && tree.body[i + count].nv == 1) ++count;
  return count;
}

/// Coordinates of mimicking joints follow their leaders: q_s = m q + q_0.
template <class S> ZWANG_INLINE const S* spanning_q(BasicData<S>& data, const S* q) {
  const auto& t = data.tree();
  if (!t.mimic) return q;
  for (Index k = 0; k < t.spanning_nq; ++k) data.q_spanning[k] = q[t.q_source[k]] * t.q_multiplier[k] + t.q_offset[k];
  return data.q_spanning.data();
}
/// v_s = G v, also for accelerations (G is constant).
template <class S> ZWANG_INLINE const S* spanning_v(const Tree<Uniform<S>>& t, const S* v, Buffer<S>& out) {
  if (!t.mimic) return v;
  for (Index k = 0; k < t.spanning_nv; ++k) out[k] = v[t.column[k].v] * t.column[k].multiplier;
  return out.data();
}
/// tau = G^T tau_s
template <class S> ZWANG_INLINE void gather_tau(const Tree<Uniform<S>>& t, const S* spanning, S* tau) {
  for (Index k = 0; k < t.nv; ++k) tau[k] = S(0);
  for (Index k = 0; k < t.spanning_nv; ++k) tau[t.column[k].v] += spanning[k] * t.column[k].multiplier;
}

/// Sines and cosines of the angles in a whole pack of slots, from slot i on.
template <class S> ZWANG_INLINE void enter_angles(const Tree<Uniform<S>>& t, const S* q, Index i, S* sn, S* cs) {
  constexpr Index L = native_lanes<S>;
  const auto angle = [&](int k) ZWANG_LAMBDA { return q[t.angle_q[i + k < t.angles ? i + k : i]]; };
  const SinCos<Pack<S, L>> r = sincos(pack_of<S, L>(angle));
  r.sin.store(sn + i);
  r.cos.store(cs + i);
}
/// Sines and cosines of every angle before the sweep: in lanes over joints for one state, per coordinate otherwise.
template <class S> ZWANG_INLINE SweepInput<S> prepare(BasicData<S>& data, const S* q_model) {
  const auto& t = data.tree();
  const S* q = spanning_q(data, q_model);
  S* const sn = data.sin.data();
  S* const cs = data.cos.data();
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, float>) {
    for (Index i = 0; i < t.angles; i += native_lanes<S>)  // sin and cos are padded to whole packs
      enter_angles(t, q, i, sn, cs);
  } else {
    for (Index i = 0; i < t.angles; ++i) {
      const SinCos<S> r = sincos(q[t.angle_q[i]]);
      sn[i] = r.sin;
      cs[i] = r.cos;
    }
  }
  return {q, sn, cs};
}

// --- questions to a joint, each one small switch ----------------------------------------------------------

/// X = the body in its parent.
template <class S, class T> ZWANG_INLINE void place(const Body<T>& b, const SweepInput<S>& in, Transform<S>& X) {
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA { decltype(joint)::place(b, in.of(b), X); });
}

/// s = the joint's columns in the axes that X maps into, about their origin.
template <class J, class S, class T>
ZWANG_INLINE void joint_world_columns(const Body<T>& b, const SweepInput<S>& in, const Transform<S>& X, Motion<S>* s) {
  if constexpr (requires { J::world_columns(X, in.of(b), s); }) {
    J::world_columns(X, in.of(b), s);
  } else {
    J::columns(in.of(b), s);
    for (Index k = 0; k < b.nv; ++k) s[k] = X * s[k];
  }
}
template <class S, class T>
ZWANG_INLINE void world_columns(const Body<T>& b, const SweepInput<S>& in, const Transform<S>& X, Motion<S>* s) {
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA { joint_world_columns<decltype(joint)>(b, in, X, s); });
}

/// The body's motion in its own axes from its parent's (already turned into them), the joint's v and a.
template <class S, class T>
ZWANG_INLINE void advance(const Body<T>& b, const SweepInput<S>& in, const S* v, const S* a, LocalMotion<S>& m) {
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (requires { J::advance(in.of(b), v, a, m); }) {
      J::advance(in.of(b), v, a, m);
    } else {
      Motion<S> s[max_joint_columns], vJ = Motion<S>::zero(), aJ = Motion<S>::zero();
      J::columns(in.of(b), s);
      for (Index k = 0; k < b.nv; ++k) {
        vJ += s[k] * v[k];
        aJ += s[k] * a[k];
      }
      if constexpr (!J::constant_columns) {
        Motion<S> r[max_joint_columns];
        J::rates(in.of(b), v, r);
        for (Index k = 0; k < b.nv; ++k) aJ += r[k] * v[k];
      }
      add_relative(m, vJ, aJ);
    }
  });
}

/// tau = S^T f, in body axes.
template <class S, class T>
ZWANG_INLINE void project(const Body<T>& b, const SweepInput<S>& in, const Force<S>& f, S* tau) {
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (requires { J::project(in.of(b), f, tau); }) {
      J::project(in.of(b), f, tau);
    } else {
      Motion<S> s[max_joint_columns];
      J::columns(in.of(b), s);
      for (Index k = 0; k < b.nv; ++k) tau[k] = dot(s[k], f);
    }
  });
}

/// f of a body that moves with m, in its own axes; E = [al] + [w][w].
template <class S, class T>
ZWANG_INLINE void force_of_motion(const Inertia<T>& I, const LocalMotion<S>& m, const Mat3<S>& E, Force<S>& f) {
  f.f = m.a * I.m + E * I.h;
  f.n = I.I * m.al + cross(m.w, I.I * m.w) + cross(I.h, m.a);
}

// --- steps of the sweeps in world axes --------------------------------------------------------------------

/// The ground: identity, at rest, accelerated by -g.
template <class S> ZWANG_INLINE void enter_ground(BasicData<S>& data) {
  data.position.placement[0] = Transform<S>::identity();
  data.position.centre[0] = Vec3<S>::zero();
  data.velocity.twist[0] = Motion<S>::zero();
  data.velocity.bias[0] = {widen<S>(-data.gravity), Vec3<S>::zero()};
  data.acceleration.joint[0] = Motion<S>::zero();
}

/// The body in world axes. A body on the ground becomes the centre of its branch.
template <class S, class T>
ZWANG_INLINE void enter_position(const Body<T>& b, Index i, const SweepInput<S>& in, BasicData<S>& data) {
  const Transform<S>& up = data.position.placement[b.parent];
  Transform<S>& X = data.position.placement[i];
  Transform<S> J;
  place(b, in, J);
  if (b.parent == 0) {
    X.R = J.R;
    X.p = Vec3<S>::zero();
    data.position.centre[i] = J.p;
  } else {
    X.R = up.R * J.R;
    X.p = up.p + up.R * J.p;
  }
}

/// Columns, twist and bias: v = v_p + S v_J,  bias = bias_p + v_p x S v_J + (dS/dt) v_J.
template <class S, class T>
ZWANG_INLINE void enter_velocity(const Body<T>& b, Index i, const SweepInput<S>& in, const S* v, BasicData<S>& data) {
  const Transform<S>& X = data.position.placement[i];
  const Motion<S>& up = data.velocity.twist[b.parent];
  Motion<S>& twist = data.velocity.twist[i];
  Motion<S>& bias = data.velocity.bias[i];
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    constexpr Index k_columns = J::nv > 0 ? J::nv : 1;
    Motion<S> s[k_columns], vJ = Motion<S>::zero();
    joint_world_columns<J>(b, in, X, s);
    const Index nv = std::is_same_v<J, User> ? b.nv : J::nv;
    for (Index k = 0; k < nv; ++k) {
      data.articulated.column[b.v + k].s = s[k];
      if (k == 0)
        vJ = s[k] * v[b.v];
      else
        vJ += s[k] * v[b.v + k];
    }
    twist = up + vJ;
    bias = data.velocity.bias[b.parent] + cross(up, vJ);
    if constexpr (!J::constant_columns) {
      Motion<S> r[k_columns], local = Motion<S>::zero();
      J::rates(in.of(b), v + b.v, r);
      for (Index k = 0; k < nv; ++k) local += r[k] * v[b.v + k];
      bias += X * local;
    }
  });
}

/// Only the columns: for sweeps without velocities.
template <class S, class T>
ZWANG_INLINE void enter_columns(const Body<T>& b, Index i, const SweepInput<S>& in, BasicData<S>& data) {
  Motion<S> s[max_joint_columns];
  world_columns(b, in, data.position.placement[i], s);
  for (Index k = 0; k < b.nv; ++k) data.articulated.column[b.v + k].s = s[k];
}

/// The inertia of a column as the sum of the magnitudes that D is the difference of.
template <class S> ZWANG_INLINE S gross_inertia(const Level<S>& x, const Motion<S>& s) {
  return x.gross_mass * dot(s.v, s.v) + x.gross_moment * dot(s.w, s.w);
}

/// U = I_A s of column k, and D = s^T U + armature, which it returns. THE step from an articulated inertia to a column:
/// all that eliminate columns one by one begin with it. Faster forms for one state stand in forward_dynamics_lanes.hpp.
template <class S> ZWANG_INLINE S enter_column(BasicData<S>& data, Index k, const Level<S>& x) {
  Eliminated<S>& e = data.articulated.column[k];
  e.U = x.IA * e.s;
  return dot(e.s, e.U) + column_inertia(data, k);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
