// SPDX-License-Identifier: BSD-3-Clause
// One state of double with eight bodies side by side: what is the same map for every body (products with its pose, its
// inertia, its velocity) is done for eight at once by the very functions that other pages use, with lanes for numbers;
// what is a recursion (poses, velocities) goes from body to body. Transposes lead from the one form to the other.
//
// The numbers are those of the steps in sweep.hpp, which stay the readable form; a test holds both equal.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Whether sweeps of one state work on bodies in lanes.
template <class S> inline constexpr bool bodies_in_lanes = std::is_same_v<S, double>;

using Lanes8 = LaneStage<double>::Lanes;
inline constexpr Index k_lane_bodies = LaneStage<double>::lanes;

// --- between bodies and lanes
// ---------------------------------------------------------------------------------------------

/// Eight padded vectors, one body each, as one vector of lanes.
template <class M, template <class> class V> ZWANG_INLINE void load_lanes(const Padded<M>* body, V<Lanes8>& x) {
  Lanes8 r[8];
#pragma GCC unroll 8
  for (int l = 0; l < 8; ++l) r[l] = body[l].six().x;
  transpose(r);
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) x[k] = r[k];
}
ZWANG_INLINE void store_lanes(const Lanes8& a, const Lanes8& b, const Lanes8& c, const Lanes8& d, const Lanes8& e,
                              const Lanes8& f, const Lanes8& g, const Lanes8& h, double* to, Index stride) {
  Lanes8 r[8] = {a, b, c, d, e, f, g, h};
  transpose(r);
#pragma GCC unroll 8
  for (int l = 0; l < 8; ++l) r[l].store(to + l * stride);
}
ZWANG_INLINE void load_lanes(const BodyAxes* body, Transform<Lanes8>& X) {
  Lanes8 r[8], s[8];
#pragma GCC unroll 8
  for (int l = 0; l < 8; ++l) {
    const double* const numbers = reinterpret_cast<const double*>(body + l);
    r[l] = Lanes8::load(numbers);
    s[l] = Lanes8::load(numbers + 8);
  }
  transpose(r);
  transpose(s);
  X.R = {{r[0], r[4], s[0]}, {r[1], r[5], s[1]}, {r[2], r[6], s[2]}};
  X.p = {s[4], s[5], s[6]};
}

// --- poses
// ----------------------------------------------------------------------------------------------------------------

/// The pose X_up X_J.
template <class T> ZWANG_INLINE void compose(const BodyAxes& up, const Mat3<T>& R, const Vec3<T>& p, BodyAxes& X) {
  X.p = up.p + up.x * p.x + up.y * p.y + up.z * p.z;
  X.x = up.x * R.r0.x + up.y * R.r1.x + up.z * R.r2.x;
  X.y = up.x * R.r0.y + up.y * R.r1.y + up.z * R.r2.y;
  X.z = up.x * R.r0.z + up.y * R.r1.z + up.z * R.r2.z;
}
/// The rows of a pose to its place among the Transforms; one number too many, which the next body overwrites.
ZWANG_INLINE void store_rows(const BodyAxes& X, Transform<double>* to) {
  Wide<double, 4> r[4] = {X.x, X.y, X.z, Wide<double, 4>(0.0)};
  transpose(r);
  double* const p = reinterpret_cast<double*>(to);
  r[0].store(p);
  r[1].store(p + 3);
  r[2].store(p + 6);
  X.p.store(p + 9);
}
ZWANG_INLINE Transform<double> transform_of(const BodyAxes& X) {
  return {from_columns(Vec3<double>{X.x[0], X.x[1], X.x[2]}, Vec3<double>{X.y[0], X.y[1], X.y[2]},
                       Vec3<double>{X.z[0], X.z[1], X.z[2]}),
          {X.p[0], X.p[1], X.p[2]}};
}
ZWANG_INLINE void enter_ground_in_lanes(BasicData<double>& data) {
  const auto unit = [](double x, double y, double z) {
    const double u[4] = {x, y, z, 0};
    return Wide<double, 4>::load(u);
  };
  data.lanes.axes[0] = {unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1), unit(0, 0, 0)};
}

/// Poses of all bodies: lanes.axes, and position.placement where `rows`.
template <bool rows> ZWANG_INLINE void enter_positions(BasicData<double>& data, const SweepInput<double>& in) {
  const Tree<double>& tree = data.tree();
  enter_ground_in_lanes(data);
  BodyAxes* const axes = data.lanes.axes.data();
  BodyAxes X = axes[0];
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.parent != i - 1) X = axes[b.parent];
    BodyAxes Y;
    if (b.kind == kind_of<Revolute>) {
      compose(X, b.placement.R, b.placement.p, Y);
      const double c = in.cos[b.angle], s = in.sin[b.angle];
      X.x = Y.x * c + Y.y * s;
      X.y = Y.y * c - Y.x * s;
      X.z = Y.z;
      X.p = Y.p;
    } else {
      Transform<double> J;
      place(b, in, J);
      compose(X, J.R, J.p, Y);
      X = Y;
    }
    if (b.parent == 0) {
      data.position.centre[i] = {X.p[0], X.p[1], X.p[2]};
      X.p = Wide<double, 4>(0.0);
    }
    axes[i] = X;
    if constexpr (rows) store_rows(X, &data.position.placement[i]);
  }
}

// --- inertias
// -------------------------------------------------------------------------------------------------------------

/// I a + v x* I v of block k.
ZWANG_INLINE Force<Lanes8> body_forces(const Inertia<Lanes8>& I, const Motion<Lanes8>& v, const Motion<Lanes8>& a) {
  return I * a + cross(v, I * v);
}
/// The wrench from outside on a body, where there are any: world axes about the branch's centre.
ZWANG_INLINE Force<double> outside_force(const BasicData<double>& data, Index i) {
  return transform_of(data.lanes.axes[i]) * data.force.external[i];
}

/// lanes.own: inertias and bias forces of all bodies.
ZWANG_INLINE void enter_inertias(BasicData<double>& data) {
  constexpr Index stride = sizeof(BodyInertia) / sizeof(double);
  for (Index i = 1, k = 0; i <= data.tree().n; i += k_lane_bodies, ++k) {
    BodyInertia* const x = &data.lanes.own[i];
    Transform<Lanes8> X;
    load_lanes(&data.lanes.axes[i], X);
    const Inertia<Lanes8> I = X * data.lanes.inertia[k];
    const Lanes8 o(0.0);
    store_lanes(I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz, I.m, trace(I.I), x->I, stride);
    store_lanes(I.h.x, I.h.y, I.h.z, -I.h.x, -I.h.y, -I.h.z, o, o, x->h, stride);
    Motion<Lanes8> v, a;
    load_lanes(&data.velocity.twist[i], v);
    load_lanes(&data.velocity.bias[i], a);
    const Force<Lanes8> p = body_forces(I, v, a);
    store_lanes(p.f.x, p.f.y, p.f.z, p.n.x, p.n.y, p.n.z, o, o, &x->p.f.x, stride);
  }
  if (data.force.has_external)
    for (Index i = 1; i <= data.tree().n; ++i) data.lanes.own[i].p -= PaddedForce(outside_force(data, i)).six();
}
/// The columns of a body's own inertia, [m 1, -[h]; [h], I].
ZWANG_INLINE void pick_columns(const BodyInertia& x, ColumnInertia& IA) {
  // Numbers 0 to 5: I, 6: m, 8 to 10: h, 11 to 13: -h, 14: zero.
  IA.c0 = pick<6, 14, 14, 14, 10, 12, 14, 14>(x.I);
  IA.c1 = pick<14, 6, 14, 13, 14, 8, 14, 14>(x.I);
  IA.c2 = pick<14, 14, 6, 9, 11, 14, 14, 14>(x.I);
  IA.c3 = pick<14, 13, 9, 0, 1, 2, 14, 14>(x.I);
  IA.c4 = pick<10, 14, 11, 1, 3, 4, 14, 14>(x.I);
  IA.c5 = pick<12, 8, 14, 2, 4, 5, 14, 14>(x.I);
}
/// What enter_articulated does.
ZWANG_INLINE void enter_level(const BodyInertia& own, Level<double>& x) {
  pick_columns(own, x.IA);
  x.pA = own.p;
  x.gross_mass = own.m;
  x.gross_moment = own.trace;
}

/// All that a sweep of forward dynamics does when it enters a body, for all bodies.
ZWANG_INLINE void enter_all(BasicData<double>& data, const SweepInput<double>& in, const double* v) {
  enter_positions<true>(data, in);
  for (Index i = 1; i <= data.tree().n; ++i) enter_velocity(data.tree().body[i], i, in, v, data);
  enter_inertias(data);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
