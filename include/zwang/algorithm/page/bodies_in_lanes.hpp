// SPDX-License-Identifier: BSD-3-Clause
// One state of double. Recursions (poses, velocities) go from body to body, one vector per operation, and keep it in
// registers where the parent is the body before. Maps that are the same for every body (its inertia and bias force in
// world axes) are computed for four bodies at once, by the functions that other pages use, with lanes as scalars.
// Transposes convert between the two forms.
//
// The results are those of the steps in sweep.hpp, which remain the readable form; a test holds both equal.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"
#include "zwang/spatial/vec4.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Whether sweeps of one state work on bodies in lanes.
template <class S> inline constexpr bool bodies_in_lanes = std::is_same_v<S, double>;

inline constexpr Index k_lane_bodies = LaneStage<double>::lanes;

// --- recursions -------------------------------------------------------------------------------------------

template <bool moving> ZWANG_INLINE void load_entered(const BasicData<double>& data, Index i, EnteredBody& x) {
  load_rows(&data.position.placement[i].R.r0.x, x.R, x.p);
  if constexpr (moving) {
    const Motion<double>&twist = data.velocity.twist[i], &bias = data.velocity.bias[i];
    x.v = Vec4::load(&twist.v.x);
    x.w = Vec4::load(&twist.w.x);
    x.b_v = Vec4::load(&bias.v.x);
    x.b_w = Vec4::load(&bias.w.x);
  }
  x.body = i;
}
template <bool moving> ZWANG_INLINE void copy_entered(const EnteredBody& x, EnteredBody& to) {
  to.R = x.R;
  to.p = x.p;
  if constexpr (moving) {
    to.v = x.v;
    to.w = x.w;
    to.b_v = x.b_v;
    to.b_w = x.b_w;
  }
}

/// enter_velocity for a joint that turns about z: s = [p x z; z], v += s v_J, bias += v x s v_J.
ZWANG_INLINE void turn_about_z(Index i, Index k, double rate, BasicData<double>& data, EnteredBody& x) {
  const Vec4 &z = x.R.z, s = cross(x.p, z);
  const Vec4 z1 = turned(z), s1 = turned(s), v1 = turned(x.v), w1 = turned(x.w);
  x.b_v += turned((x.w * s1 - w1 * s) + (x.v * z1 - v1 * z)) * rate;
  x.b_w += turned(x.w * z1 - w1 * z) * rate;
  x.v += s * rate;
  x.w += z * rate;
  store_parts(s, z, data.articulated.column[k].s);
  store_parts(x.v, x.w, data.velocity.twist[i]);
  store_parts(x.b_v, x.b_w, data.velocity.bias[i]);
}

/// enter_columns.
ZWANG_INLINE void enter_columns(const Body<double>& b, Index i, const SweepInput<double>& in, const EnteredBody& x,
                                BasicData<double>& data) {
  Eliminated<double>* const column = &data.articulated.column[b.v];
  const auto turn = [&](const Vec4& axis, PaddedMotion& s) ZWANG_LAMBDA { store_parts(cross(x.p, axis), axis, s); };
  if (b.kind == kind_of<Revolute>) {
    turn(x.R.z, column->s);
  } else if (b.kind == kind_of<Free>) {
    const Vec4 o(0.0);
    store_parts(x.R.x, o, column[0].s);
    store_parts(x.R.y, o, column[1].s);
    store_parts(x.R.z, o, column[2].s);
    turn(x.R.x, column[3].s);
    turn(x.R.y, column[4].s);
    turn(x.R.z, column[5].s);
  } else {
    enter_columns(b, i, in, data);
  }
}

/// What is entered of each body besides its pose.
enum class Enter { poses, columns, velocities };

/// enter_position, and enter_columns or enter_velocity, for all bodies.
template <Enter what>
ZWANG_INLINE void enter_bodies(BasicData<double>& data, const SweepInput<double>& in, const double* v) {
  constexpr bool moving = what == Enter::velocities;
  const Tree<double>& tree = data.tree();
  EnteredBody x, *open = data.lanes.entered.data();  // the deepest body with children to come
  load_entered<moving>(data, 0, x);
  load_entered<moving>(data, 0, *open);
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.parent != i - 1) {
      while (open->body != b.parent) --open;
      copy_entered<moving>(*open, x);
    }
    const bool turns = b.kind == kind_of<Revolute>;
    if (turns) {
      x.p += x.R * b.placement.p;
      x.R = turn_z(x.R * b.placement.R, in.cos[b.angle], in.sin[b.angle]);
    } else {
      Transform<double> J;
      place(b, in, J);
      x.p += x.R * J.p;
      x.R = x.R * J.R;
    }
    if (b.parent == 0) {
      data.position.centre[i] = vec3(x.p);
      x.p = Vec4(0.0);
    }
    store_rows(x.R, x.p, &data.position.placement[i].R.r0.x);
    if constexpr (what == Enter::columns) enter_columns(b, i, in, x, data);
    if constexpr (moving) {
      if (turns) {
        turn_about_z(i, b.v, v[b.v], data, x);
      } else {
        enter_velocity(b, i, in, v, data);
        load_entered<true>(data, i, x);
      }
    }
    if (i + 1 < b.last && tree.body[i + 1].last < b.last) {
      copy_entered<moving>(x, *++open);
      open->body = i;
    }
  }
}

// --- inertias ---------------------------------------------------------------------------------------------

/// I a + v x* I v of four bodies.
ZWANG_INLINE Force<Vec4> body_forces(const Inertia<Vec4>& I, const Motion<Vec4>& v, const Motion<Vec4>& a) {
  return I * a + cross(v, I * v);
}
ZWANG_INLINE Motion<Vec4> load_motions(const PaddedMotion* body) {
  constexpr Index stride = sizeof(PaddedMotion) / sizeof(double);
  return {load_lanes(&body->v.x, stride), load_lanes(&body->w.x, stride)};
}
ZWANG_INLINE Transform<Vec4> load_poses(const Transform<double>* body) {
  constexpr Index stride = sizeof(Transform<double>) / sizeof(double);
  return {{load_lanes(&body->R.r0.x, stride), load_lanes(&body->R.r1.x, stride), load_lanes(&body->R.r2.x, stride)},
          load_lanes(&body->p.x, stride)};
}

/// The place of a body in lanes.own, which holds two blocks: the current one and the one before or after it.
ZWANG_INLINE Index own_place(Index i) { return (i - 1) % (2 * k_lane_bodies); }

/// Inertias and bias forces of the block that begins with body `first`, as enter_articulated computes them. `x`: the
/// first of its levels, of which all are written.
ZWANG_INLINE void enter_inertias(const BasicData<double>& data, Index first, Level<double>* x) {
  constexpr Index stride = sizeof(Level<double>) / sizeof(double);
  const Inertia<Vec4> J = load_poses(&data.position.placement[first]) * data.lanes.inertia[first / k_lane_bodies];
  const Force<Vec4> p =
      body_forces(J, load_motions(&data.velocity.twist[first]), load_motions(&data.velocity.bias[first]));
  const Sym3<Vec4>& I = J.I;
  const Vec3<Vec4>& h = J.h;
  const Vec4 o(0.0);
  const auto store = [&](const Vec4(&a)[8], auto& to)
                         ZWANG_LAMBDA { store_lanes(a, reinterpret_cast<double*>(&to), stride); };
  // The columns of [m 1, -[h]; [h], I].
  store({J.m, o, o, o, h.z, -h.y, o, o}, x->IA.c0);
  store({o, J.m, o, -h.z, o, h.x, o, o}, x->IA.c1);
  store({o, o, J.m, h.y, -h.x, o, o, o}, x->IA.c2);
  store({o, -h.z, h.y, I.xx, I.xy, I.xz, o, o}, x->IA.c3);
  store({h.z, o, -h.x, I.xy, I.yy, I.yz, o, o}, x->IA.c4);
  store({-h.y, h.x, o, I.xz, I.yz, I.zz, o, o}, x->IA.c5);
  store({p.f.x, p.f.y, p.f.z, p.n.x, p.n.y, p.n.z, o, o}, x->pA);
  store({J.m, trace(I), o, o, o, o, o, o}, x->gross_mass);
  if (data.force.has_external)
    for (Index l = 0; l < k_lane_bodies && first + l <= data.tree().n; ++l)
      x[l].pA -= PaddedForce(data.position.placement[first + l] * data.force.external[first + l]).six();
}
/// The same, to their places in lanes.own.
ZWANG_INLINE void enter_inertias(BasicData<double>& data, Index first) {
  enter_inertias(data, first, &data.lanes.own[own_place(first)]);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
