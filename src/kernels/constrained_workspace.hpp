// SPDX-License-Identifier: BSD-3-Clause
// What constrained dynamics of many states works in, and the rows of a call and of the states in lanes.
#pragma once
#include "kernels/batch.hpp"
#include "kernels/deferred_states.hpp"
#include "kernels/early_rows.hpp"
#include "kernels/sharing.hpp"
#include "manifold/page/classical_step.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// How many states each lane has counted for a row, and the violation of largest size.
template <class S> struct RowTally { S states, largest; };

template <class S> struct ConstrainedWorkspace : Workspace<S> {
  using T = Uniform<S>;
  ConstrainedWorkspace(const Tree<T>& tree, const Vec3<T>& gravity, const ConstrainedRoom& room)
      : Workspace<S>(tree, gravity),
        carried(tree, room),
        early(tree.mimic ? EarlyRows<S>() : EarlyRows<S>(tree, room)),
        sharing(tree.mimic ? SharingRows<S>(tree, room) : SharingRows<S>()),
        active(room.constraints),
        beta(room.total_rows + Workspace<S>::k_room),
        on(room.constraints + Workspace<S>::k_room),
        compliance(room.total_rows),
        given(tree.nv + Workspace<S>::k_room),
        qdd(tree.nv),
        multipliers(room.total_rows + Workspace<S>::k_room),
        residual(room.rows),
        motor(tree.nv + Workspace<S>::k_room),
        reaction(tree.nv + Workspace<S>::k_room),
        deferred(tree.mimic ? 0 : tree.nq + 5 * tree.nv + 2 * room.total_rows + room.constraints),
        kept(3 * tree.nv + room.total_rows),
        classical(tree),
        change(tree.n + 1),
        violation(2 * RowCounts::k_kinds * room.rows),
        tally(violation.size()),
        driver_force(tree.n + 1),
        physical_force(tree.n + 1) {}
  CarriedRows<S> carried;
  EarlyRows<S> early;
  SharingRows<S> sharing;  ///< where joints mimic each other: rows travel with the bodies
  Buffer<page::ActiveRows<S>> active;
  Buffer<S> beta, on, compliance, given;
  Buffer<S> qdd, multipliers, residual, motor, reaction;
  DeferredStates<S> deferred;  ///< states to solve without meeting rows early
  Buffer<S> kept;              ///< results of the lanes where rows were met early, while the others are solved again
  page::ClassicalStep<S> classical;  ///< of rollouts
  Buffer<Motion<S>> change;          ///< of the bodies' accelerations by refinement; before that their magnitudes
  Buffer<S> violation;               ///< [first and last] [kinds] [rows]; 0: none (row_counts.hpp)
  Buffer<RowTally<S>> tally;         ///< likewise
  Buffer<Force<S>> driver_force, physical_force;
  /// Whether rollouts keep the violations of the next solve, and whether it is that of the last step.
  struct {
    bool now = false, last = false;
  } look;
  S irregular;          ///< 1 in the lanes that are for the solver of one state
  bool some_irregular;  ///< any such lane
};

/// Whether the user's tolerance finds no dependent rows among those that may be met early, not even where the bodies
/// that meet them move the rows a thousand times as far as the columns of their paths.
template <class S> bool tolerance_is_far(const ConstrainedTask<Uniform<S>>& t) {
  const double most = 1e6 * static_cast<double>(page::doubtful_ratio<S>);
  return 4 * static_cast<double>(t.total_rows) * t.tolerance * t.tolerance * most < 1;
}

/// The rows of this call, the same for all states.
template <class S> void list_rows(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t) {
  for (Index k = 0; k < t.count; ++k) {
    const RowsTask& r = t.rows[k];
    for (Index i = 0; i < r.count; ++i) {
      w.beta[r.first_row + i] = S(Uniform<S>(r.beta[i]));
      if (r.compliance != nullptr) w.compliance[r.first_row + i] = S(Uniform<S>(r.compliance[i]));
    }
    page::ActiveRows<S>& a = w.active[k];
    a.rows = static_cast<const RowsOnBody*>(r.rows);
    a.beta = w.beta.data() + r.first_row;
    a.kind = r.classical ? AccelerationKind::classical : AccelerationKind::spatial;
    a.compliance = r.compliance != nullptr ? w.compliance.data() + r.first_row : nullptr;
    a.activity = t.active.data != nullptr ? &w.on[r.constraint] : nullptr;
  }
  w.carried.relations = t.relations;
  w.carried.q = w.q.data();
  w.carried.v = w.v.data();
  for (Index k = 0; k < t.relations; ++k) {
    const RelationTask& r = t.relation[k];
    for (Index i = 0; i < r.count; ++i) {
      w.beta[r.first_row + i] = S(Uniform<S>(r.beta[i]));
      if (r.compliance != nullptr) w.compliance[r.first_row + i] = S(Uniform<S>(r.compliance[i]));
    }
    LaneRelation<S>& x = w.carried.relation[k];
    x.task = &r;
    x.beta = w.beta.data() + r.first_row;
    x.activity = t.active.data != nullptr ? &w.on[r.constraint] : nullptr;
    x.compliance = r.compliance != nullptr ? w.compliance.data() + r.first_row : nullptr;
  }
  plan_rows(w.carried, w.data.tree(), w.active.data(), w.active.data() + t.count);
  w.early.fits = false;
  if (!w.data.tree().mimic && t.relations == 0 && t.is_given == nullptr && tolerance_is_far<S>(t))
    plan_early(w.early, w.data.tree(), w.active.data(), w.active.data() + t.count);
  if (w.data.tree().mimic) plan_sharing(w.sharing, w.carried, w.active.data(), w.active.data() + t.count);
}

/// The accelerations wanted of the rows and of prescribed columns in these states, and which rows are on.
template <class S> ZWANG_INLINE void take_rows(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  using T = Uniform<S>;
  const ConstrainedTask<T>& t = *c.constrained;
  if (t.beta.data != nullptr) load_states(t.beta, s, w.end, w.beta.data());
  if (t.active.data != nullptr) {
    load_states(t.active, s, w.end, w.on.data());
    for (Index i = 0; i < t.active.size; ++i) {
      w.bad += w.on[i] * T(0);
      w.on[i] = select(less(S(T(0)), abs(w.on[i])), S(T(1)), S(T(0)));
    }
  }
  const auto check = [&](const auto& r) ZWANG_LAMBDA {
    for (Index i = 0; i < r.count; ++i) {
      S& beta = w.beta[r.first_row + i];  // of rows that are off anything may be given
      if (t.active.data != nullptr) beta = select(less(S(T(0)), w.on[r.constraint]), beta, S(T(0)));
      w.bad += beta * T(0);
    }
  };
  for (Index k = 0; t.beta.data != nullptr && k < t.count; ++k) check(t.rows[k]);
  for (Index k = 0; t.beta.data != nullptr && k < t.relations; ++k) check(t.relation[k]);
  auto& held = w.data.articulated;
  held.has_given = t.is_given != nullptr;
  if (!held.has_given) return;
  load_states(t.given, s, w.end, w.given.data());
  for (Index i = 0; i < t.given.size; ++i) w.bad += w.given[i] * T(0);
  const auto& tree = w.data.tree();
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    held.is_given[k] = t.is_given[column.v];
    if (held.is_given[k]) held.given[k] = w.given[t.given_of[column.v]] * column.multiplier;
  }
}

/// Sets `mark` to 1 in the lanes with numbers that are not finite.
template <class S> ZWANG_INLINE void mark_infinite(const S* x, Index size, S& mark) {
  using T = Uniform<S>;
  S sum(T(0));
  for (Index k = 0; k < size; ++k) sum += x[k] * T(0);
  mark = select(less(abs(sum), S(T(1))), mark, S(T(1)));
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
