// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of one state of double without shared coordinates: the sweep of forward_dynamics.hpp with two
// changes. Values passed from a body to its parent stay in registers where the parent is the body before, as on every
// chain. Inertias in world axes are computed one block of bodies ahead, while the eliminations wait for their
// divisions. Same results, same stages; a test holds both equal.
//
//   IA, pA of body i + what its subtree left;   U = I_A s,  D = s^T U + armature,  u = (tau - s^T p_A) / D;
//   I_A -= U U^T / D,  p_A += U u;   to the parent.   Outward:  q'' = u - U^T a / D,  a += s q''
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// What a subtree passes to its parent: IA and pA before the last column was eliminated, and that column. The next
/// column computes its D before the last one has been subtracted from IA, so that a chain waits for one division per
/// body and little else.
struct Carried {
  ColumnInertia IA;
  Six pA;
  double gross_mass, gross_moment;
  Six U;
  double inv_D, u;
  double motion2 = 0;  ///< sum of D u^2 of all columns so far

  ZWANG_INLINE void clear() {
    U.x = pA.x = IA.c0 = IA.c1 = IA.c2 = IA.c3 = IA.c4 = IA.c5 = Wide<double, 8>(0.0);
    inv_D = u = gross_mass = gross_moment = 0;
  }
  /// Takes the last column off.
  ZWANG_INLINE void settle() {
    subtract_outer(IA, U * inv_D, U);
    pA = pA + U * u;
    inv_D = u = 0;
  }
  ZWANG_INLINE void add_inertia(const Level<double>& x) {
    IA += x.IA;
    gross_mass += x.gross_mass;
    gross_moment += x.gross_moment;
  }
  ZWANG_INLINE void add(const Level<double>& x) {
    add_inertia(x);
    pA = pA + x.pA.six();
  }
  ZWANG_INLINE void store(Level<double>& x) const {
    x.IA = IA;
    x.pA = pA;
    x.gross_mass = gross_mass;
    x.gross_moment = gross_moment;
  }
};

/// Bodies that wait for more children, the deepest last, with their sums so far.
struct WaitingParents {
  Index* const body;
  Level<double>* const level;
  Index count = 0;

  /// The sums that other children have passed to body i.
  ZWANG_INLINE void take(Index i, Carried& x) {
    if (count > 0 && body[count - 1] == i) x.add(level[--count]);
  }
  ZWANG_INLINE void leave(Index parent, Carried& x) {
    take(parent, x);
    body[count] = parent;
    x.store(level[count++]);
  }
};

/// Eliminates column k of I = IA - U U^T / D, p = pA + U u, with the U, D, u of the column before it:
///   U_k = I s,  D_k = s^T I s + armature,  u_k = (tau - s^T p) / D_k
ZWANG_INLINE void eliminate_column(Index k, double tau, BasicData<double>& data, Carried& x) {
  Eliminated<double>& e = data.articulated.column[k];
  const Six s = e.s.six(), Is = x.IA * e.s;
  const double c = dot(s, x.U), c_D = c * x.inv_D;
  const double D = (dot(s, Is) + column_inertia(data, k)) - c * c_D, inv_D = 1 / D;
  note_inertia(data.articulated, k, x.gross_mass * dot(e.s.v, e.s.v) + x.gross_moment * dot(e.s.w, e.s.w), D, inv_D);
  const Six U = Is - x.U * c_D;
  const double f = (tau - dot(s, x.pA)) - c * x.u, u = f * inv_D;
  x.motion2 += f * u;
  x.settle();
  e.U = x.U = U;
  e.inv_D = x.inv_D = inv_D;
  e.u = x.u = u;
}

/// No rows. Others (kernels/path_rows.hpp) do their part of the sweep in these functions.
struct NoPathRows {
  static constexpr bool root_at_once = true;  ///< a free root may be solved at once, without its columns
  /// Positions and velocities of all bodies are known.
  ZWANG_INLINE void attach() {}
  /// The subtree of body i is complete, its own columns come next.
  ZWANG_INLINE void leave(Index, Carried&) {}
  ZWANG_INLINE bool leaves_root_free() const { return true; }
  /// A free root has been solved at once, with this inertia.
  ZWANG_INLINE void root_solved(const ColumnInertia&) {}
  /// Only the ground is left. motion2: sum of D u^2 over the eliminated columns.
  ZWANG_INLINE void ground(double) {}
  /// The acceleration of body i is known.
  ZWANG_INLINE void descend(Index, const Motion<double>&) {}
  /// w^T lambda of a column.
  ZWANG_INLINE double push(Index) const { return 0; }
};

/// The accelerations of all bodies from `first` on.
template <class Rows>
ZWANG_INLINE void push_accelerations(Index first, BasicData<double>& data, Rows& rows, double* qdd) {
  const Tree<double>& tree = data.tree();
  PaddedMotion* const joint = data.acceleration.joint.data();
  for (Index i = 0; i < first; ++i) rows.descend(i, joint[i]);
  Motion<double> a = joint[first - 1];
  for (Index i = first; i <= tree.n; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.parent != i - 1) a = joint[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const Eliminated<double>& e = data.articulated.column[k];
      const double x = e.u - (along(a, e.U) - rows.push(k)) * e.inv_D;
      a.v += e.s.v * x;
      a.w += e.s.w * x;
      qdd[k] = x;
    }
    joint[i] = a;
    rows.descend(i, a);
  }
}

// --- a free root, solved at once: I_A a = S^-T tau - p_A and q'' = S^-1 a, where S is a rotation in world axes

/// Six equations with a symmetric matrix by its columns, A = L D L^T from the last column to the first.
struct SixEquations {
  Wide<double, 8> c[6], y;
  alignas(64) double L[6][8];
  double x[6];

  /// Column k goes. False where its pivot is not above the bound.
  template <int k> ZWANG_INLINE bool eliminate(const double (&bound)[2]) {
    const double D = c[k][k], inv_D = 1 / D;
    const Wide<double, 8> l = c[k] * inv_D, yk = spread<k>(y);
    l.store(L[k]);
    x[k] = yk[0] * inv_D;
    y -= l * yk;
    [&]<int... j>(std::integer_sequence<int, j...>) ZWANG_LAMBDA { ((c[j] -= l * spread<j>(c[k])), ...); }
    (std::make_integer_sequence<int, k>());
    return less(bound[k / 3], D);
  }
  ZWANG_INLINE void substitute() {
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j)
#pragma GCC unroll 6
      for (int k = j + 1; k < 6; ++k) x[k] -= L[k][j] * x[j];
  }
};

/// False where the root has a column with next to no inertia.
ZWANG_INLINE bool solve_free_root(Index i, const double* tau, BasicData<double>& data, const Carried& x, double* qdd) {
  const Body<double>& b = data.tree().body[i];
  Axes4 R;
  Vec4 p;
  load_rows(&data.position.placement[i].R.r0.x, R, p);
  PaddedMotion g;
  g.rest[1] = 0;
  store_parts(R * Vec3<double>{tau[b.v], tau[b.v + 1], tau[b.v + 2]},
              R * Vec3<double>{tau[b.v + 3], tau[b.v + 4], tau[b.v + 5]}, g);
  SixEquations e{{x.IA.c0, x.IA.c1, x.IA.c2, x.IA.c3, x.IA.c4, x.IA.c5}, g.six().x - x.pA.x, {}, {}};
  const double noise = 1e6 * epsilon_of<double>;  // regular beyond doubt: columns in the joint's axes judge the others
  const double bound[2] = {x.gross_mass * noise, x.gross_moment * noise};
  const bool regular = e.eliminate<5>(bound) && e.eliminate<4>(bound) && e.eliminate<3>(bound) &&
                       e.eliminate<2>(bound) && e.eliminate<1>(bound) && e.eliminate<0>(bound);
  if (!regular) return false;
  e.substitute();
  const Motion<double> a{{e.x[0], e.x[1], e.x[2]}, {e.x[3], e.x[4], e.x[5]}};
  data.acceleration.joint[i] = a;
  const Transform<double>& X = data.position.placement[i];
  const Vec3<double> linear = transpose_times(X.R, a.v), angular = transpose_times(X.R, a.w);
  for (Index k = 0; k < 3; ++k) {
    qdd[b.v + k] = linear[k];
    qdd[b.v + 3 + k] = angular[k];
  }
  return true;
}

/// A floating body whose joint has no passive effects.
ZWANG_INLINE bool is_free_root(const Body<double>& b, const BasicData<double>& data) {
  if (b.kind != kind_of<Free> || b.parent != 0) return false;
  for (Index k = b.v; k < b.v + b.nv; ++k)
    if (column_inertia(data, k) != 0) return false;
  return true;
}

// --- the sweep --------------------------------------------------------------------------------------------

/// `rows`: see NoPathRows.
template <class Rows> ZWANG_INLINE bool sweep_lanes(BasicData<double>& data, const double* q, const double* v,
                                                    const double* tau, double* qdd, Rows& rows) {
  const Tree<double>& tree = data.tree();
  const SweepInput<double> in = prepare(data, q);
  data.articulated.singular_column = -1;
  data.articulated.singular = data.articulated.gross_ratio = 0;
  enter_ground(data);
  enter_bodies<Enter::velocities>(data, in, v);
  rows.attach();
  WaitingParents waiting{data.lanes.waiting.data(), data.level.data()};
  Carried x;
  x.clear();
  Index block = (tree.n - 1) / k_lane_bodies * k_lane_bodies + 1, first = 1;
  if (tree.n > 0) enter_inertias(data, block);
  for (Index i = tree.n; i > 0; --i) {
    const Body<double>& b = tree.body[i];
    if (i < block + k_lane_bodies && block > 1) enter_inertias(data, block -= k_lane_bodies);  // one ahead
    x.add(data.lanes.own[own_place(i)]);
    waiting.take(i, x);
    rows.leave(i, x);
    if (Rows::root_at_once && i == 1 && rows.leaves_root_free() && is_free_root(b, data)) {
      x.settle();
      if (solve_free_root(i, tau, data, x, qdd)) {
        rows.root_solved(x.IA);
        first = 2;
        break;
      }
    }
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) eliminate_column(k, tau[k], data, x);
    if (b.parent == i - 1) continue;
    x.settle();
    if (b.parent > 0) waiting.leave(b.parent, x);
    x.clear();
  }
  rows.ground(x.motion2);
  push_accelerations(first, data, rows, qdd);
  data.stages = stage_position | stage_velocity | stage_acceleration | stage_columns;
  return data.articulated.singular_column < 0;
}

/// Forward dynamics without rows whose columns are wanted too.
struct NoRowsButColumns : NoPathRows {
  static constexpr bool root_at_once = false;
};
/// `columns`: every eliminated column is wanted; otherwise only the accelerations are.
template <bool columns>
bool forward_dynamics_lanes(BasicData<double>& data, const double* q, const double* v, const double* tau, double* qdd) {
  std::conditional_t<columns, NoRowsButColumns, NoPathRows> nothing;
  return sweep_lanes(data, q, v, tau, qdd, nothing);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
