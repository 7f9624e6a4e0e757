// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics by articulated bodies: Featherstone 2008, ch. 7; Popov, Vereshchagin & Zenkevich 1978.
//
//   enter   v, bias of each body;  I_A = I,  p_A = I bias + v x* I v - f_ext
//   leave   U = I_A s,  D = s^T U + armature,  u = (tau - s^T p_A) / D
//           I_A -= U U^T / D,  p_A += U u;  both are added to the parent's
//   push    q'' = u - U^T a / D,  a += s q''
//
// DIFFERS: world axes about the branch's centre; velocity products are summed outward as `bias`, so that no I_a c
// appears; a joint of k columns is k eliminations of one column (the same numbers as one k x k elimination); a
// coordinate that several joints share is eliminated where their subtrees meet (shared.hpp); a column whose
// acceleration is prescribed has an infinite D: it leaves I_A as it is, p_A += U q'' (Featherstone 2008, sec. 9.2).
// `riders` travel with the sweep: rows of constraints (factor/page/row_riders.hpp), or none.
// Reads q, v, tau, force.external. Writes q'', position, velocity, acceleration, articulated. Cost 604 flops a revolute
// joint.
#pragma once
#include <limits>

#include "zwang/algorithm/page/careful_columns.hpp"
#include "zwang/algorithm/page/forward_dynamics_lanes.hpp"
#include "zwang/algorithm/page/forward_dynamics_states.hpp"
#include "zwang/algorithm/page/motion_residual.hpp"
#include "zwang/algorithm/page/shared.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// No constraint: plain forward dynamics. The functions of riders are documented with RowRiders
/// (factor/page/row_riders.hpp).
template <class S> struct NoRiders {
  ZWANG_INLINE void enter(Index, Level<S>&) {}
  ZWANG_INLINE void leave(Index) {}
  ZWANG_INLINE void column(Index, const Eliminated<S>&) {}
  ZWANG_INLINE void given(Index, const Eliminated<S>&) {}
  ZWANG_INLINE void joint(Index, Index, Index, const Buffer<Eliminated<S>>&, Level<S>&) {}
  ZWANG_INLINE void defer(Index, Index, const Motion<S>&, const S&) {}
  ZWANG_INLINE void couple(Index, Index, const S&) {}
  ZWANG_INLINE void shared(Index, Index, const Eliminated<S>&) {}
  ZWANG_INLINE void couple_shared(Index, Index, const S&) {}
  ZWANG_INLINE void solve() {}
  ZWANG_INLINE void descend(Index, const Motion<S>&) {}
  ZWANG_INLINE S push(Index) { return S(0); }
  ZWANG_INLINE S pushed(Index) const { return S(0); }
  ZWANG_INLINE S push_shared(Index) { return S(0); }
};

template <class S, class T>
ZWANG_INLINE void enter_articulated(Index i, const BasicData<S>& data, const Inertia<T>& J, Level<S>& x) {
  const Transform<S>& X = data.position.placement[i];
  const Motion<S>& v = data.velocity.twist[i];
  const Vec3<S> h = X.R * J.h, mc = X.p * J.m + h;
  x.IA.M = Sym3<S>::diagonal(S(J.m), S(J.m), S(J.m));
  x.IA.Ht = skew(mc);
  x.IA.I = shifted(congruence(X.R, J.I), X.p, h, mc);
  const Inertia<S> I{S(J.m), mc, x.IA.I};
  x.pA = I * data.velocity.bias[i] + cross(v, I * v);
  if (data.force.has_external) {
    const Force<S>& f = data.force.external[i];
    const Vec3<S> g = X.R * f.f;
    x.pA.f -= g;
    x.pA.n -= X.R * f.n + cross(X.p, g);
  }
  x.gross_mass = S(J.m);
  x.gross_moment = trace(x.IA.I);
}

template <class S, class T, class Shared, class Riders>
ZWANG_INLINE void eliminate_columns(const Body<T>& b, const S* tau, BasicData<S>& data, Level<S>& x, Level<S>& up,
                                    Shared& shared, Riders& riders) {
  for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
    Eliminated<S>& e = data.articulated.column[k];
    const S D = enter_column(data, k, x);
    if (data.articulated.has_given && data.articulated.is_given[k]) {
      e.inv_D = S(0);
      e.u = data.articulated.given[k];
      data.articulated.given_force[k] = dot(e.s, x.pA);
      riders.given(k, e);
      shared.column(k, e, riders);
      x.pA += e.U * e.u;
      if (k == b.v && b.parent != 0) {
        up.IA += x.IA;
        up.pA += x.pA;
      }
      continue;
    }
    e.inv_D = Uniform<S>(1) / D;
    note_inertia(data.articulated, k, gross_inertia(x, e.s), D, e.inv_D);
    e.u = (tau[k] - dot(e.s, x.pA)) * e.inv_D;
    riders.column(k, e);
    shared.column(k, e, riders);
    const auto G = e.U * e.inv_D;
    if (k > b.v) {
      subtract_outer(x.IA, G, e.U);
      x.pA += e.U * e.u;
    } else if (b.parent != 0) {
      add_minus_outer(up.IA, x.IA, G, e.U);
      up.pA += x.pA + e.U * e.u;
    }
  }
  riders.joint(data.tree().column[b.v].body, b.v, b.nv, data.articulated.column, up);
}

/// The same with columns made orthogonal.
template <class S, class T, class Shared, class Riders>
[[gnu::noinline]] void eliminate_carefully(const Body<T>& b, Index i, const S* tau, BasicData<S>& data, Level<S>& x,
                                           Level<S>& up, Shared& shared, Riders& riders) {
  CarefulColumns<S> careful(data);
  for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
    Eliminated<S>& e = data.articulated.column[k];
    if (data.articulated.has_given && data.articulated.is_given[k]) {
      careful.settle(i, x);
      e.U = x.IA * e.s;
      e.inv_D = S(0);
      e.u = data.articulated.given[k];
      data.articulated.given_force[k] = dot(e.s, x.pA);
      riders.given(k, e);
    } else {
      const S D = careful.enter(i, k, x);
      e.inv_D = Uniform<S>(1) / D;
      const S ratio = gross_inertia(x, e.s) * e.inv_D;
      data.articulated.gross_ratio =
          select(less(data.articulated.gross_ratio, ratio), ratio, data.articulated.gross_ratio);
      e.u = (tau[k] - dot(e.s, x.pA)) * e.inv_D;
      riders.column(k, e);
      careful.list(i, k);
    }
    shared.column(k, e, riders);
    x.pA += e.U * e.u;
  }
  if (b.parent != 0) {
    const auto& p = data.tree().body[b.parent];
    careful.leave(i, b.parent, x, up, p.nv > 0 && !shared.defers(p.v));
    up.IA += x.IA;
    up.pA += x.pA;
  }
  riders.joint(i, b.v, b.nv, data.articulated.column, up);
}

/// The sweep. Returns false where a column has no inertia (articulated.singular_column names it);
/// the results are then invalid.
template <class S, class Shared, class Riders>
ZWANG_INLINE bool articulated_sweep(BasicData<S>& data, const S* q, const S* v, const S* tau_model, S* qdd,
                                    Shared& shared, Riders& riders) {
  const auto& tree = data.tree();
  const SweepInput<S> in = prepare(data, q);
  const S* const vs = spanning_v(tree, v, data.v_spanning);
  const S* const tau = shared.begin(tau_model);
  Level<S>* const level = data.level.data();
  data.articulated.singular_column = -1;
  data.articulated.singular = data.articulated.gross_ratio = S(0);
  enter_ground(data);
  riders.enter(0, level[0]);
  const auto level_of = [&](const auto& b, Index i)
                            ZWANG_LAMBDA -> Level<S>& { return level[bodies_in_lanes<S> ? i : b.depth]; };
  if (data.articulated.is_careful) CarefulColumns<S>(data).begin();
  if constexpr (bodies_in_lanes<S>) enter_bodies<Enter::velocities>(data, in, vs);
  depth_first(
      tree,
      [&](const auto& b, Index i) ZWANG_LAMBDA {
        Level<S>& x = level_of(b, i);
        if constexpr (bodies_in_lanes<S>) {
          if (i % k_lane_bodies == 1) enter_inertias(data, i, &x);  // before anything is added to their levels
        } else {
          enter_position(b, i, in, data);
          enter_velocity(b, i, in, vs, data);
          enter_articulated(i, data, data.inertia[i], x);
        }
        shared.enter(i);
        riders.enter(i, x);
      },
      [&](const auto& b, Index i) ZWANG_LAMBDA {
        Level<S>& x = level_of(b, i);
        Level<S>& up = level_of(tree.body[b.parent], b.parent);
        riders.leave(i);
        shared.leave(i, x, riders);
        const bool whole = b.nv == 0 || shared.defers(b.v);  // nothing is eliminated here
        if (data.articulated.is_careful && whole) CarefulColumns<S>(data).settle(i, x);
        if (!whole && data.articulated.is_careful)
          eliminate_carefully(b, i, tau, data, x, up, shared, riders);
        else if (!whole)
          eliminate_columns(b, tau, data, x, up, shared, riders);
        else if (b.nv > 0)
          shared.defer(i, b.v, x, riders);
        if (b.parent == 0) return;
        up.gross_mass += x.gross_mass;
        up.gross_moment += x.gross_moment;
        if (whole) {
          up.IA += x.IA;
          up.pA += x.pA;
        }
      });
  shared.leave_ground(riders);
  riders.solve();
  shared.push(0, false, riders);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    StoredMotion<S>& a = data.acceleration.joint[i];
    a = data.acceleration.joint[b.parent];
    riders.descend(i, a);
    shared.push(i, true, riders);
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const Eliminated<S>& e = data.articulated.column[k];
      S x;
      if (shared.defers(k)) {
        x = shared.value(k);
      } else {
        x = e.u - (along(a, e.U) - riders.push(k) + shared.coupling(k)) * e.inv_D;
        qdd[tree.column[k].v] = x;
      }
      a += e.s * x;
      if (data.articulated.has_given && data.articulated.is_given[k])
        data.articulated.given_force[k] +=
            dot(a, e.U) - riders.pushed(k) + shared.coupling(k) + x * column_inertia(data, k);
    }
    shared.push(i, false, riders);
  }
  shared.store(qdd);
  data.stages = stage_position | stage_velocity | stage_acceleration | stage_columns;
  return is_regular(data.articulated);
}

/// Runs the sweep with the riders given, with or without shared coordinates as the model has them.
template <class S, class Riders>
bool articulated_sweep(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd, Riders& riders) {
  if (data.tree().mimic) {
    SharedColumns<S> shared(data);
    return articulated_sweep(data, q, v, tau, qdd, shared, riders);
  }
  NothingShared<S> shared;
  return articulated_sweep(data, q, v, tau, qdd, shared, riders);
}

/// The sweep without riders; `k_keep`: the caller needs the eliminated columns.
template <bool k_keep, class S>
ZWANG_INLINE bool sweep_bodies(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd) {
  if constexpr (bodies_in_lanes<S>)
    if (!data.tree().mimic) return forward_dynamics_lanes<k_keep>(data, q, v, tau, qdd);
  if constexpr (!k_keep && lanes_of < S >> 1)
    if (!data.tree().mimic) return forward_dynamics_states(data, q, v, tau, qdd);
  NoRiders<S> none;
  return articulated_sweep(data, q, v, tau, qdd, none);
}

/// 1 in the lanes where r is more than `most` times the terms t, or not a number.
template <class S> S motion_lost(const BasicData<S>& data, const S* residual, const S* terms, Uniform<S> most) {
  using T = Uniform<S>;
  const S one(T(1)), least(std::numeric_limits<T>::min());
  S lost(T(0));
  for (Index k = 0; k < data.tree().nv; ++k) lost = select(less(abs(residual[k]), terms[k] * most + least), lost, one);
  return lost;
}
/// A column of the coordinate where r is largest beside t.
template <class S> Index column_most_lost(const BasicData<S>& data, const S* residual, const S* terms) {
  const auto& tree = data.tree();
  Index worst = 0;
  for (Index k = 1; k < tree.spanning_nv; ++k) {
    const Index v = tree.column[k].v, w = tree.column[worst].v;
    if (any(less(abs(residual[w]) * terms[v], abs(residual[v]) * terms[w]))) worst = k;
  }
  return worst;
}

/// The accelerations again, with care, in the lanes where the last sweep was doubtful. `qdd` of the others remains.
/// Columns made orthogonal may be long combinations of each other, which costs digits of q''. What q'' leaves of the
/// equations of motion is therefore measured, and while it is more than rounding it is added to tau of another sweep
/// (iterative refinement; Higham 2002, ch. 12). Where this does not settle, the q'' of the ordinary sweep may do: its
/// errors are those of other inertias. Where neither does, M is singular as far as these numbers tell.
template <class S>
[[gnu::noinline]] bool forward_dynamics_again(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd) {
  constexpr int k_sweeps = 4;  // the second one is nearly always the last
  const Index nv = data.tree().nv, stride = data.mass.stride;
  const S zero(Uniform<S>(0)), one(Uniform<S>(1));
  const S doubtful = select(is_doubtful(data), one, zero);
  S *const residual = data.mass.force.data() + 2 * stride, *const terms = residual + stride,
           *const total = terms + stride, *const before = total + stride;
  NoRiders<S> none;
  const auto lost = [&](Uniform<S> most) { return motion_lost(data, residual, terms, most); };
  for (Index k = 0; k < nv; ++k) before[k] = qdd[k];
  for (Index k = 0; k < nv; ++k) total[k] = tau[k];
  MotionResidual<S>(data, qdd).find(tau, residual, terms);
  const S lost_before = lost(most_lost<S>);
  S open = doubtful;  // in which lanes the answer is not settled
  data.articulated.is_careful = true;
  for (int sweep = 1;; ++sweep) {
    articulated_sweep(data, q, v, total, qdd, none);
    MotionResidual<S>(data, qdd).find(tau, residual, terms);
    S overflow = zero;
    for (Index k = 0; k < nv; ++k) overflow += qdd[k] * Uniform<S>(0);
    open = select(less(abs(overflow), one), open, zero);
    open = select(less(zero, data.articulated.singular), zero, open);
    const S much = open * lost(much_lost<S>);
    if (sweep == k_sweeps || !any(less(zero, much))) break;
    for (Index k = 0; k < nv; ++k) total[k] = select(less(zero, much), total[k] + residual[k], total[k]);
  }
  data.articulated.is_careful = false;
  data.articulated.singular = select(less(zero, doubtful), data.articulated.singular, zero);  // of its own sweep
  open = open * lost(most_lost<S>);
  const S good_before = open * (one - lost_before), used = doubtful * (one - good_before);
  if (any(less(zero, open * lost_before)))
    note_singular(data.articulated, column_most_lost(data, residual, terms), less(zero, open * lost_before));
  for (Index k = 0; k < nv; ++k) qdd[k] = select(less(zero, used), qdd[k], before[k]);
  if (any(less(zero, good_before))) MotionResidual<S>(data, qdd).find(tau, residual, terms);  // for its accelerations
  return is_regular(data.articulated);
}

template <class S> bool forward_dynamics(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd) {
  data.articulated.has_given = false;
  const bool regular = sweep_bodies<true>(data, q, v, tau, qdd);
  return any(is_doubtful(data)) ? forward_dynamics_again(data, q, v, tau, qdd) : regular;
}
/// The same for callers that do not need the eliminated columns.
template <class S> bool forward_accelerations(BasicData<S>& data, const S* q, const S* v, const S* tau, S* qdd) {
  data.articulated.has_given = false;
  const bool regular = sweep_bodies<false>(data, q, v, tau, qdd);
  return any(is_doubtful(data)) ? forward_dynamics_again(data, q, v, tau, qdd) : regular;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
