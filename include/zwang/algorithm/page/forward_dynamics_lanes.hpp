// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of one state of double without riders and shared coordinates: the sweep of forward_dynamics.hpp with
// what goes from a body to its parent in registers where the parent is the body before, which it is on every chain.
// Same numbers, same stages; a test holds both equal.
//
//   IA, pA of body i + what its subtree left;   U = I_A s,  D = s^T U + armature,  u = (tau - s^T p_A) / D;
//   I_A -= U U^T / D,  p_A += U u;   to the parent.   Outward:  q'' = u - U^T a / D,  a += s q''
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// What a subtree leaves to its parent.
struct Carried {
  ColumnInertia IA;
  Six pA;
  double gross_mass, gross_moment;

  ZWANG_INLINE void clear() {
    pA.x = IA.c0 = IA.c1 = IA.c2 = IA.c3 = IA.c4 = IA.c5 = Wide<double, 8>(0.0);
    gross_mass = gross_moment = 0;
  }
  ZWANG_INLINE void add_inertia(const BodyInertia& x) {
    ColumnInertia own;
    pick_columns(x, own);
    IA += own;
    gross_mass += x.m;
    gross_moment += x.trace;
  }
  ZWANG_INLINE void add(const BodyInertia& x) {
    add_inertia(x);
    pA = pA + x.p.six();
  }
  ZWANG_INLINE void add(const Level<double>& x) {
    IA += x.IA;
    pA = pA + x.pA.six();
    gross_mass += x.gross_mass;
    gross_moment += x.gross_moment;
  }
  /// To a parent that waits for more children; `joined`: one has been there before.
  ZWANG_INLINE void join(Level<double>& x, unsigned char& joined) {
    if (joined) add(x);
    joined = 1;
    x.IA = IA;
    x.pA = pA;
    x.gross_mass = gross_mass;
    x.gross_moment = gross_moment;
  }
};

/// Eliminates column k: U, 1/D and u from x. What this leaves to others is for the caller to take off x.
ZWANG_INLINE Six eliminate_column(Index k, double tau, BasicData<double>& data, const Carried& x) {
  Eliminated<double>& e = data.articulated.column[k];
  const Six s = e.s.six(), U = x.IA * e.s;
  e.U = U;
  const double D = dot(s, U) + column_inertia(data, k);
  const double bound = x.gross_mass * dot(e.s.v, e.s.v) + x.gross_moment * dot(e.s.w, e.s.w);
  note_singular(data.articulated, k, !less(bound * (32 * epsilon_of<double>), D));
  e.inv_D = 1 / D;
  e.u = (tau - dot(s, x.pA)) * e.inv_D;
  return U;
}

ZWANG_INLINE void push_accelerations(BasicData<double>& data, double* qdd) {
  const Tree<double>& tree = data.tree();
  PaddedMotion* const joint = data.acceleration.joint.data();
  Motion<double> a = joint[0];
  for (Index i = 1; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.parent != i - 1) a = joint[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const Eliminated<double>& e = data.articulated.column[k];
      const double x = e.u - along(a, e.U) * e.inv_D;
      a.v += e.s.v * x;
      a.w += e.s.w * x;
      qdd[k] = x;
    }
    joint[i] = a;
  }
}

inline bool forward_dynamics_lanes(BasicData<double>& data, const double* q, const double* v, const double* tau,
                                   double* qdd) {
  const Tree<double>& tree = data.tree();
  const SweepInput<double> in = prepare(data, q);
  data.articulated.singular_column = -1;
  data.articulated.singular = 0;
  enter_ground(data);
  enter_all(data, in, v);
  unsigned char* const joined = data.lanes.joined.data();
  for (Index i = 1; i <= tree.n; ++i) joined[i] = 0;
  Carried x;
  x.clear();
  for (Index i = tree.n; i > 0; --i) {
    const Body<double>& b = tree.body[i];
    x.add(data.lanes.own[i]);
    if (joined[i]) x.add(data.level[i]);
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
      const Six U = eliminate_column(k, tau[k], data, x);
      subtract_outer(x.IA, U * data.articulated.column[k].inv_D, U);
      x.pA = x.pA + U * data.articulated.column[k].u;
    }
    if (b.parent == i - 1) continue;
    if (b.parent > 0) x.join(data.level[b.parent], joined[b.parent]);
    x.clear();
  }
  push_accelerations(data, qdd);
  data.stages = stage_position | stage_velocity | stage_acceleration | stage_columns;
  return data.articulated.singular_column < 0;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
