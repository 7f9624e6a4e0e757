// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of many states with rows: rows are met early (early_rows.hpp), carried to the root (carried_rows.hpp),
// or travel with the bodies where joints mimic each other (sharing.hpp). Every answer is tested by its residuals.
#pragma once
#include "kernels/constrained_workspace.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Lambda lambda = -l of the rows at the root by LDL^T in the order of the rows, where joints mimic each other. Rows
/// that are switched off in a lane yield 0 there.
template <class S> struct RegularRoot {
  ConstrainedWorkspace<S>& w;
  RegularPivot<S> pivot;

  void operator()(page::SweepStage<S>& stage) const {
    const Index m = stage.root.count;
    S* const A = w.sharing.Lambda.data();
    S* const x = w.sharing.b.data();
    const S zero(Uniform<S>(0)), one(Uniform<S>(1));
    page::gather_rows(stage, A, m, x);
    S* const diagonal = w.sharing.diagonal.data();
    for (Index j = 0; j < m; ++j) diagonal[j] = A[j * m + j];
    for (Index j = 0; j < m; ++j) {
      const S bound = stage.strand.bound[stage.root.slot[j]];
      const auto off = !less(zero, bound);
      const S inv = one / pivot(select(off, one, A[j * m + j]), bound);
      pivot.count(select(off, one, diagonal[j]), inv, select(off, zero, bound));
      A[j * m + j] = inv;
      for (Index i = j + 1; i < m; ++i) {
        const S g = A[i * m + j] * inv;
        for (Index k = j + 1; k <= i; ++k) A[i * m + k] -= g * A[k * m + j];
        x[i] -= g * x[j];
      }
    }
    for (Index j = m - 1; j >= 0; --j) {
      S s = x[j];
      for (Index i = j + 1; i < m; ++i) s -= A[i * m + j] * x[i];
      x[j] = s * A[j * m + j];
    }
    page::scatter_rows(stage, static_cast<const S*>(x));
  }
};

/// The sweep where joints mimic each other: rows travel with the bodies.
template <class S> void sweep_sharing(ConstrainedWorkspace<S>& w, const RegularPivot<S>& pivot, const S* total) {
  RegularRoot<S> root{w, pivot};
  attach_relations(w.sharing, w.data, w.carried);
  const page::ActiveRows<S>* const first = w.sharing.entry.data();
  page::AttachRows<S> attached{w.data, first, first + w.sharing.entries};
  page::RowRiders<S, page::AttachRows<S>, RegularRoot<S>> riders(w.data.tree(), w.sharing.numbers, w.sharing.stage,
                                                                 attached, root);
  page::SharedColumns<S> shared(w.data);
  page::articulated_sweep(w.data, w.q.data(), w.v.data(), total, w.qdd.data(), shared, riders);
  read_rows(w.sharing, w.carried);
}

/// Magnitudes of the acceleration of a joint in `qdd`.
template <class S> ZWANG_INLINE void add_gross(const BasicData<S>& data, const S* qdd, Index body, Motion<S>& gross) {
  const auto& tree = data.tree();
  for (Index k = tree.body[body].v; k < tree.body[body].v + tree.body[body].nv; ++k) {
    const S a = qdd[tree.column[k].v] * tree.column[k].multiplier;
    const Motion<S>& s = data.articulated.column[k].s;
    gross.v += Vec3<S>{abs(s.v.x * a), abs(s.v.y * a), abs(s.v.z * a)};
    gross.w += Vec3<S>{abs(s.w.x * a), abs(s.w.y * a), abs(s.w.z * a)};
  }
}

/// 1 in the lanes where rows do not hold. Residuals are measured against the magnitudes of their terms:
/// the joints' accelerations along the path, gravity and velocity products before they cancel. The
/// residual of each row stays in w.residual.
template <class S> ZWANG_INLINE S loose_rows(ConstrainedWorkspace<S>& w, Uniform<S> tolerance) {
  using T = Uniform<S>;
  const BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  const bool along_tree = w.carried.relations > 0;  // relations read many bodies: the sums of all joints' accelerations
  Motion<S>* const sum = w.change.data();
  sum[0] = Motion<S>::zero();
  for (Index i = 1; along_tree && i <= tree.n; ++i) add_gross(data, w.qdd.data(), i, sum[i] = sum[tree.body[i].parent]);
  S loose(T(0));
  Motion<S> gross;
  for (Index i = 0, last = -1; i < w.carried.count; ++i) {
    const AttachedRow<S>& x = w.carried.row[i];
    if (x.hard < 0) continue;  // a soft row at its body holds by construction
    S value = x.l, scale = abs(x.l) + std::numeric_limits<T>::min();
    if (x.relation >= 0) {
      value += x.softness * x.lambda;
      scale += abs(x.softness * x.lambda);
    }
    w.carried.for_each_part(x, [&](Index body, const Force<S>& K) ZWANG_LAMBDA {
      if (body != last) {
        last = body;
        const Motion<S>& bias = data.velocity.bias[body];
        for (Index c = 0; c < 6; ++c) gross[c] = abs(bias[c]) + (c < 3 ? abs(data.gravity[c]) : T(0));
        if (along_tree)
          gross += sum[body];
        else
          for (Index b = body; b > 0; b = tree.body[b].parent) add_gross(data, w.qdd.data(), b, gross);
      }
      value += dot(data.acceleration.joint[body], K);
      for (Index c = 0; c < 6; ++c) scale += abs(K[c]) * gross[c];
    });
    w.residual[i] = value;
    loose = select(less(abs(value), scale * tolerance), loose, S(T(1)));
  }
  return loose;
}

/// A step of refinement (Golub & Van Loan 2013, sec. 3.5.3) in the lanes where rows do not hold: their residuals are
/// solved with the same factors.
template <class S> void refine(ConstrainedWorkspace<S>& w, const S& loose) {
  BasicData<S>& data = w.data;
  auto& held = data.articulated;
  const auto& tree = data.tree();
  const auto here = less(S(Uniform<S>(0)), loose);
  for (Index a = 0; a < w.carried.triples; ++a) {
    Triple<S>& t = w.carried.triple[a];
    for (Index r = 0; r < 3 && t.row[r] >= 0; ++r) t.l[r] = w.residual[t.row[r]] * loose;
  }
  solve_rows(w.carried);
  push_rows(w.carried);
  w.change[0] = Motion<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    Motion<S>& a = w.change[i];
    a = w.change[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const Eliminated<S>& e = held.column[k];
      const S f = w.carried.pushed[k] - dot(a, e.U), x = f * e.inv_D;
      S& qdd = w.qdd[tree.column[k].v];
      qdd = select(here, qdd + x, qdd);  // elsewhere not even the sign of a zero changes
      a += e.s * x;
      if (held.has_given && held.is_given[k])
        held.given_force[k] = select(here, held.given_force[k] - f, held.given_force[k]);
    }
    Motion<S>& total = data.acceleration.joint[i];
    for (Index c = 0; c < 6; ++c) total[c] = select(here, total[c] + a[c], total[c]);
  }
}

/// One sweep in which rows are met early: w.qdd and the multipliers. 1 in the lanes that are to be solved again, with
/// rows carried to the root: where a block may be singular, or inertia that rows have added covers that of bodies (the
/// loss of digits is that of a doubtful column), or a row does not hold.
template <class S>
[[gnu::noinline]] S accelerate_early(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, const S* total) {
  using T = Uniform<S>;
  const S zero(T(0)), one(T(1));
  const BasicData<S>& data = w.data;
  S again = zero;
  if (t.look_ahead) page::kinematics(w.data, w.q.data());
  const page::ActiveRows<S>* const first = w.active.data();
  EarlyRiders<S> riders(data, w.carried, w.early, first, first + t.count, again, t.tolerance);
  page::sweep_states(w.data, w.q.data(), w.v.data(), total, w.qdd.data(), riders);
  again = select(page::is_doubtful(data), one, again);
  mark_infinite(w.qdd.data(), data.tree().nv, again);
  S loose = sizeof(T) < 8 ? one : seem_loose(data, w.carried, w.early, T(t.feasibility));
  if (any(less(zero, loose))) loose = loose * loose_rows(w, T(t.feasibility));
  if (any(less(zero, loose))) {
    refine_early(w.data, w.carried, w.early, w.residual.data(), loose, w.change.data(), w.qdd.data());
    loose = loose_rows(w, T(t.feasibility));
  }
  return select(less(zero, loose), one, again);
}

/// One sweep with rows: w.qdd from w.q, w.v and the total torque.
template <class S>
[[gnu::noinline]] void accelerate(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, const S* total) {
  using T = Uniform<S>;
  RowDoubt<S> doubt;
  const RegularPivot<S> pivot{w.irregular, doubt, T(t.rank_tolerance)};
  if (t.look_ahead) page::kinematics(w.data, w.q.data());
  const page::ActiveRows<S>*const first = w.active.data(), *const last = first + t.count;
  if (w.data.tree().mimic) {
    sweep_sharing(w, pivot, total);
  } else {
    page::NothingShared<S> shared;
    CarriedRiders<S, const RegularPivot<S>> riders(w.data, w.carried, first, last, pivot);
    page::articulated_sweep(w.data, w.q.data(), w.v.data(), total, w.qdd.data(), shared, riders);
  }
  const S zero(T(0)), one(T(1));
  w.irregular = select(page::is_doubtful(w.data), one, w.irregular);
  const S& gross = w.data.articulated.gross_ratio;
  S trace = doubt.fast_trace();
  if (!w.data.tree().mimic && !all(doubt.passes(trace, gross, T(t.tolerance)))) trace = inverse_trace(w.carried);
  w.irregular = select(doubt.passes(trace, gross, T(t.tolerance)), w.irregular, one);
  mark_infinite(w.qdd.data(), w.data.tree().nv, w.irregular);
  S loose = loose_rows(w, T(t.feasibility));
  if (any(less(zero, loose)) && !w.data.tree().mimic) {
    refine(w, loose);
    loose = loose_rows(w, T(t.feasibility));
  }
  w.irregular = select(less(zero, loose), one, w.irregular);
  if (t.is_given == nullptr) return;
  for (Index k = 0; k < w.data.tree().nv; ++k)
    if (t.is_given[k]) w.qdd[k] = w.given[t.given_of[k]];
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
