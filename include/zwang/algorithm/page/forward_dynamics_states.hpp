// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of many states in lanes: the sweep of forward_dynamics.hpp for packs, without shared coordinates and
// prescribed columns. Same elimination, same columns; memory traffic limits its speed, hence two changes:
//
//   own inertia   of a body is computed when the body is left, and is added to what its last child has passed on: along
//                 a chain one articulated inertia is updated, instead of one per body
//   free root     six equations at once:  I_A a = S^-T tau - p_A,  q'' = S^-1 a,  S a rotation in world axes;
//                 I_A = L D L^T from the last column to the first
//
// `riders` are rows of constraints that are met on the way (kernels/early_rows.hpp), or nobody:
//   enter(i)        the body's placement and velocity are known
//   arrive(i, x)    all children of body i have been left, its own columns not yet; at the end once more for the ground
//   known(i, a)     outward: the acceleration of body i is known, those of its children are not
//   push(k)         w^T lambda of a column
// Writes q'', position, velocity, the acceleration of bodies with children and of those that a rider reads, columns
// except a free root's.
#pragma once
#include "zwang/algorithm/page/sweep.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Nobody rides on the sweep of many states.
template <class S> struct NoStateRiders {
  ZWANG_INLINE void enter(Index) {}
  ZWANG_INLINE void arrive(Index, Level<S>&) {}
  ZWANG_INLINE void known(Index, const Motion<S>&) {}
  ZWANG_INLINE bool reads(Index) const { return false; }
  ZWANG_INLINE S push(Index) const { return S(0); }
  static constexpr bool pushes = false;
};

/// Inertia and bias force of body i alone: set in x, or added to what x holds.
template <class S, class T>
ZWANG_INLINE void take_body(Index i, const BasicData<S>& data, const Inertia<T>& J, bool alone, Level<S>& x) {
  const Transform<S>& X = data.position.placement[i];
  const Motion<S>& v = data.velocity.twist[i];
  const Vec3<S> h = X.R * J.h, mc = X.p * J.m + h;
  const Inertia<S> I{S(J.m), mc, shifted(congruence(X.R, J.I), X.p, h, mc)};
  Force<S> p = I * data.velocity.bias[i] + cross(v, I * v);
  if (data.force.has_external) {
    const Force<S>& f = data.force.external[i];
    const Vec3<S> g = X.R * f.f;
    p.f -= g;
    p.n -= X.R * f.n + cross(X.p, g);
  }
  if (alone) {
    x.IA = articulated(I);
    x.pA = p;
    x.gross_mass = I.m;
    x.gross_moment = trace(I.I);
    return;
  }
  x.IA.M.xx += I.m;
  x.IA.M.yy += I.m;
  x.IA.M.zz += I.m;
  x.IA.Ht += skew(mc);
  x.IA.I += I.I;
  x.pA += p;
  x.gross_mass += I.m;
  x.gross_moment += trace(I.I);
}
template <class S> ZWANG_INLINE void add(Level<S>& x, const Level<S>& y) {
  x.IA += y.IA;
  x.pA += y.pA;
  x.gross_mass += y.gross_mass;
  x.gross_moment += y.gross_moment;
}

/// A floating body whose joint has no passive effects.
template <class S, class T> ZWANG_INLINE bool is_whole_root(const Body<T>& b, const BasicData<S>& data) {
  if (b.parent != 0 || b.kind != kind_of<Free>) return false;
  for (Index k = b.v; k < b.v + b.nv; ++k)
    if (column_inertia(data, k) != T(0)) return false;
  return true;
}

/// The accelerations of a free root. A pivot that is small next to its terms is noted like that of any column.
template <class S, class T> ZWANG_INLINE void solve_whole_root(const Body<T>& b, Index i, const S* tau,
                                                               BasicData<S>& data, const Level<S>& x, S* qdd) {
  const Mat3<S>& R = data.position.placement[i].R;
  const Vec3<S> f = R * Vec3<S>{tau[b.v], tau[b.v + 1], tau[b.v + 2]} - x.pA.f,
                n = R * Vec3<S>{tau[b.v + 3], tau[b.v + 4], tau[b.v + 5]} - x.pA.n;
  const ArticulatedInertia<S>& A = x.IA;
  S L[6][6] = {{A.M.xx},
               {A.M.xy, A.M.yy},
               {A.M.xz, A.M.yz, A.M.zz},
               {A.Ht.r0.x, A.Ht.r0.y, A.Ht.r0.z, A.I.xx},
               {A.Ht.r1.x, A.Ht.r1.y, A.Ht.r1.z, A.I.xy, A.I.yy},
               {A.Ht.r2.x, A.Ht.r2.y, A.Ht.r2.z, A.I.xz, A.I.yz, A.I.zz}};
  S y[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) {
    const S inv = T(1) / L[k][k];
    note_inertia(data.articulated, b.v + k, k < 3 ? x.gross_mass : x.gross_moment, L[k][k], inv);
    L[k][k] = inv;
#pragma GCC unroll 6
    for (int r = 0; r < k; ++r) {
      const S g = L[k][r] * inv;
#pragma GCC unroll 6
      for (int c = 0; c <= r; ++c) L[r][c] -= g * L[k][c];
      y[r] -= g * y[k];
    }
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
#pragma GCC unroll 6
    for (int c = 0; c < k; ++c) y[k] -= L[k][c] * y[c];
    y[k] = y[k] * L[k][k];
  }
  const Motion<S> a{{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  data.acceleration.joint[i] = a;
  const Vec3<S> linear = transpose_times(R, a.v), angular = transpose_times(R, a.w);
  for (Index k = 0; k < 3; ++k) {
    qdd[b.v + k] = linear[k];
    qdd[b.v + 3 + k] = angular[k];
  }
}

/// Eliminates the columns of a joint, each from what the one before has left.
template <class S, class T>
ZWANG_INLINE void take_columns(const Body<T>& b, const S* tau, BasicData<S>& data, Level<S>& x) {
  for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
    Eliminated<S>& e = data.articulated.column[k];
    const Force<S> U = x.IA * e.s;
    const S D = dot(e.s, U) + column_inertia(data, k), inv = T(1) / D;
    note_inertia(data.articulated, k, gross_inertia(x, e.s), D, inv);
    const S u = (tau[k] - dot(e.s, x.pA)) * inv;
    e.U = U;
    e.inv_D = inv;
    e.u = u;
    subtract_outer(x.IA, U * inv, U);
    x.pA += U * u;
  }
}

template <class S, class Riders> ZWANG_INLINE void push_states(BasicData<S>& data, S* qdd, Riders& riders) {
  const auto& tree = data.tree();
  Motion<S> a = Motion<S>::zero();
  riders.known(0, a);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    if (b.parent != i - 1) a = data.acceleration.joint[b.parent];
    if (is_whole_root(b, data)) {
      a = data.acceleration.joint[i];
    } else {
      for (Index k = b.v; k < b.v + b.nv; ++k) {
        const Eliminated<S>& e = data.articulated.column[k];
        const S pushed = Riders::pushes ? along(a, e.U) - riders.push(k) : along(a, e.U);
        const S x = e.u - pushed * e.inv_D;
        qdd[k] = x;
        a += e.s * x;
      }
      if (b.last > i + 1 || riders.reads(i)) data.acceleration.joint[i] = a;
    }
    riders.known(i, a);
  }
}

template <class S, class Riders>
ZWANG_INLINE bool sweep_states(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd, Riders& riders) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  Level<S>* const level = data.level.data();
  data.articulated.singular = data.articulated.gross_ratio = S(Uniform<S>(0));
  enter_ground(data);
  riders.enter(0);
  for (Index i = 1; i <= tree.n; ++i) {
    enter_position(tree.body[i], i, in, data);
    enter_velocity(tree.body[i], i, in, v, data);
    riders.enter(i);
    const Index resume = i < tree.n ? tree.body[i + 1].parent : 0;
    if (resume == i) continue;
    Level<S> x;  // what the body's subtree passes on
    for (Index j = i;;) {
      const auto& b = tree.body[j];
      take_body(j, data, data.inertia[j], j == i, x);
      if (j != i && tree.body[j + 1].last != b.last) add(x, level[b.depth]);  // what its other children have left
      riders.arrive(j, x);
      if (is_whole_root(b, data)) {
        solve_whole_root(b, j, tau, data, x, qdd);
        break;
      }
      take_columns(b, tau, data, x);
      if (b.parent != resume) {
        j = b.parent;
        continue;
      }
      if (resume > 0 && j == resume + 1)
        level[b.depth - 1] = x;
      else if (resume > 0)
        add(level[b.depth - 1], x);
      break;
    }
  }
  Level<S> nothing;
  riders.arrive(0, nothing);
  push_states(data, qdd, riders);
  data.stages = stage_position | stage_velocity;
  return is_regular(data.articulated);
}

template <class S>
ZWANG_INLINE bool forward_dynamics_states(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd) {
  NoStateRiders<S> none;
  return sweep_states(data, q, v, tau, qdd, none);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
