// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of one state of double: the sweep of inverse_dynamics.hpp in world axes, each vector about its own
// body's origin. Same numbers; a test holds both equal.
//
//   outward   w += s v,  al += s a + w x s v,  a += al x r + w x (w x r)      r: from the parent's origin
//             f = m a + E h,  n = I al + w x I w + h x a        four bodies side by side, I in their own axes
//   inward    f and n + r x f go to the parent;  tau = S^T (f, n)
//
// DIFFERS: no vector is rotated from body to body: the passes outward and inward are sums, in registers where the
// parent is the body before. Only the contribution of a joint is rotated: R R^T is 1 up to the roundings of all joints
// before, which would otherwise add up a second time. Unlike in the sweeps about a centre no lever is longer than a
// link: errors do not grow with the distance from the root.
// Reads force.external. Writes lanes.inverse. Cost 295 flops a revolute joint, four at once. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"
#include "zwang/spatial/vec4.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// What the joint transmits, in body axes.
ZWANG_INLINE Force<double> joint_force(const WorldBody& x) {
  return {transpose_times(x.R, x.f), transpose_times(x.R, x.n)};
}

/// The acceleration at r from the origin.
ZWANG_INLINE Vec4 acceleration_at(const WorldMotion& x, const Vec4& r) {
  const Vec4 w1 = turned(x.w), r1 = turned(r), wr = turned(x.w * r1 - w1 * r);
  return x.a + turned((x.al * r1 - turned(x.al) * r) + (x.w * turned(wr) - w1 * wr));
}

/// From the parent's motion to the body's.
ZWANG_INLINE void enter_world(const Body<double>& b, const SweepInput<double>& in, const double* v, const double* a,
                              WorldMotion& x, Vec4& r) {
  const WorldMotion up = x;
  if (b.kind == kind_of<Revolute>) {
    r = up.R * b.placement.p;
    x.R = turn_z(up.R * b.placement.R, in.cos[b.angle], in.sin[b.angle]);
    x.w += x.R.z * v[b.v];
    x.al += x.R.z * a[b.v] + cross(up.w, x.R.z) * v[b.v];
    x.a = acceleration_at(up, r);
  } else if (b.kind == kind_of<Prismatic>) {
    x.R = up.R * b.placement.R;
    r = up.R * b.placement.p + x.R.z * in.q[b.q];
    x.a = acceleration_at(up, r) + x.R.z * a[b.v] + cross(up.w, x.R.z) * (v[b.v] + v[b.v]);
  } else {
    Transform<double> J;
    place(b, in, J);
    r = up.R * J.p;
    x.R = up.R * J.R;
    const Vec3<double> w = transpose_times(x.R, up.w), o = Vec3<double>::zero();
    LocalMotion<double> m{w, o, o};
    advance(b, in, v + b.v, a + b.v, m);
    x.w += x.R * (m.w - w);
    x.al += x.R * m.al;
    x.a = acceleration_at(up, r) + x.R * m.a;
  }
}

/// f and n of the four bodies that begin with body i: the wrenches that cause their motion.
ZWANG_INLINE void enter_forces(Index i, BasicData<double>& data) {
  constexpr Index stride = sizeof(WorldBody) / sizeof(double);
  const auto load = [](const Vec4& a) ZWANG_LAMBDA { return load_lanes(reinterpret_cast<const double*>(&a), stride); };
  const auto store = [](const Vec3<Vec4>& a, Vec4& to)
                         ZWANG_LAMBDA { store_lanes(a, reinterpret_cast<double*>(&to), stride); };
  WorldBody& x = data.lanes.inverse[i];
  const Mat3<Vec4> R = from_columns(load(x.R.x), load(x.R.y), load(x.R.z));
  const Inertia<Vec4>& I = data.lanes.inertia[i / LaneStage<double>::lanes];
  const Vec3<Vec4> w = load(x.w), al = load(x.al), a = load(x.a), h = R * I.h;
  const Vec3<Vec4> w_own = transpose_times(R, w), al_own = transpose_times(R, al);
  Force<Vec4> f{a * I.m + acceleration_field(w, al) * h, cross(h, a)};
  Vec3<Vec4> n_own = I.I * al_own + cross(w_own, I.I * w_own);
  if (data.force.has_external) {
    Force<Vec4> external;
    for (Index k = 0; k < 6; ++k)
      external[k] = Vec4::of([&](int l) ZWANG_LAMBDA { return data.force.external[i + l][k]; });
    f.f -= R * external.f;
    n_own -= external.n;
  }
  store(f.f, x.f);
  store(f.n + R * n_own, x.n);
}

/// tau without the rotors' part.
inline void inverse_dynamics_lanes(BasicData<double>& data, const SweepInput<double>& in, const double* v,
                                   const double* a, double* tau) {
  constexpr Index lanes = LaneStage<double>::lanes;
  const Tree<double>& tree = data.tree();
  const Vec4 o(0.0);
  WorldBody* const x = data.lanes.inverse.data();
  WorldMotion m{identity4(), o, o, vec4(-data.gravity)};
  static_cast<WorldMotion&>(x[0]) = m;
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.parent != i - 1) m = x[b.parent];
    enter_world(b, in, v, a, m, x[i].r);
    static_cast<WorldMotion&>(x[i]) = m;
    if (i % lanes == 0) enter_forces(i - lanes + 1, data);
  }
  if (tree.n % lanes != 0) enter_forces(tree.n / lanes * lanes + 1, data);
  Vec4 f = o, n = o;
  for (Index i = tree.n; i > 0; --i) {
    const Body<double>& b = tree.body[i];
    f += x[i].f;
    n += x[i].n;
    x[i].f = f;
    x[i].n = n;
    if (b.kind == kind_of<Revolute>)
      tau[b.v] = sum(n * x[i].R.z);
    else if (b.kind == kind_of<Prismatic>)
      tau[b.v] = sum(f * x[i].R.z);
    else
      project(b, in, joint_force(x[i]), tau + b.v);
    n += cross(x[i].r, f);
    if (b.parent == i - 1) continue;
    if (b.parent != 0) {
      x[b.parent].f += f;
      x[b.parent].n += n;
    }
    f = n = o;
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
