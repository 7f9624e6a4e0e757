// SPDX-License-Identifier: BSD-3-Clause
// Constrained forward dynamics of many states, and steps in time: hybrid_dynamics with one row of all lanes per register.
//
// Lanes whose rows are independent beyond doubt and whose mass matrix is regular are finished here. All others are left
// to the solver of one state (k_solve_alone), which reveals ranks, levels and conflicts: the result of a lane never
// depends on the other lanes.
#pragma once
#include "kernels/batch.hpp"
#include "kernels/carried_rows.hpp"
#include "kernels/sharing.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

template <class S> struct ConstrainedWorkspace : Workspace<S> {
  using T = Uniform<S>;
  ConstrainedWorkspace(const Tree<T>& tree, const Vec3<T>& gravity, const ConstrainedRoom& room)
      : Workspace<S>(tree, gravity),
        carried(tree, room),
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
        change(tree.n + 1),
        driver_force(tree.n + 1),
        physical_force(tree.n + 1) {}
  CarriedRows<S> carried;
  SharingRows<S> sharing;  ///< where joints mimic each other: rows travel with the bodies
  Buffer<page::ActiveRows<S>> active;
  Buffer<S> beta, on, compliance, given;
  Buffer<S> qdd, multipliers, residual, motor, reaction;
  Buffer<Motion<S>> change;  ///< of the bodies' accelerations by refinement; before that their magnitudes
  Buffer<Force<S>> driver_force, physical_force;
  S irregular;          ///< 1 in the lanes that are for the solver of one state
  bool some_irregular;  ///< any such lane
};

/// The cheap test of rank_revealing.hpp in lanes: m e prod(Lambda_ii / D_i) is at least tr E^-1, because det E <= smallest
/// eigenvalue * (m / (m - 1))^(m - 1); sum bound_i / D_i is at least sum bound_i / Lambda_ii.
template <class S> struct RowDoubt {
  using T = Uniform<S>;
  S growth = S(T(1)), spread = S(T(0));
  Index rows = 0;
  /// Of float lanes less is asked, since their rows lose g eps of 1e-5: that every row counts, with the constant as
  /// measured (0.9).
  static constexpr T k_passes = sizeof(T) < 8 ? T(0.5) : T(1e-6), c = sizeof(T) < 8 ? T(1) : T(8);

  ZWANG_INLINE S fast_trace() const { return growth * (T(rows) * T(2.7182819)); }
  /// Whether the test passes with this trace, and the user's tolerance is far.
  ZWANG_INLINE auto passes(const S& trace, const S& gross_ratio, T tolerance) const {
    constexpr T eps = epsilon_of<S>;
    const S delta = sqrt(gross_ratio * spread) * (c * eps);
    const S theta = trace * (delta * T(2) + c * T(rows) * eps) + gross_ratio * (c * eps);
    const S policy = trace * (T(rows) * T(4) * tolerance * tolerance * k_passes);
    return less(select(less(theta, policy), policy, theta), S(k_passes));
  }
};

/// A pivot that is small relative to its terms makes its lane irregular.
template <class S> struct RegularPivot {
  S& irregular;
  RowDoubt<S>& doubt;
  Uniform<S> tolerance;
  ZWANG_INLINE void count(const S& own, const S& inv, const S& bound) const {
    doubt.growth = doubt.growth * (own * inv);
    doubt.spread += bound * inv;
    ++doubt.rows;
  }
  ZWANG_INLINE S operator()(const S& pivot, const S& bound) const {
    const S one(Uniform<S>(1));
    const auto regular = less(bound * tolerance, pivot);
    irregular = select(regular, irregular, one);
    return select(regular, pivot, one);
  }
};

/// Lambda lambda = -l of the rows at the root by LDL^T in the order of the rows, where joints mimic each other. Rows that
/// are switched off in a lane yield 0 there.
template <class S> struct RegularRoot {
  ConstrainedWorkspace<S>& w;
  RegularPivot<S> pivot;

  void operator()(page::RowStage<S>& rows) const {
    const Index m = rows.root_rows;
    S* const A = w.sharing.Lambda.data();
    S* const x = w.sharing.b.data();
    const S zero(Uniform<S>(0)), one(Uniform<S>(1));
    page::gather_rows(rows, A, m, x);
    S* const diagonal = w.sharing.diagonal.data();
    for (Index j = 0; j < m; ++j) diagonal[j] = A[j * m + j];
    for (Index j = 0; j < m; ++j) {
      const S bound = rows.bound[rows.root_slot[j]];
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
    page::scatter_rows(rows, static_cast<const S*>(x));
  }
};

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

/// Lanes with numbers that are not finite: the solver of one state says why.
template <class S> ZWANG_INLINE void mark_infinite(ConstrainedWorkspace<S>& w, const S* x, Index size) {
  using T = Uniform<S>;
  S sum(T(0));
  for (Index k = 0; k < size; ++k) sum += x[k] * T(0);
  w.irregular = select(less(abs(sum), S(T(1))), w.irregular, S(T(1)));
}

/// The sweep where joints mimic each other: rows travel with the bodies.
template <class S> void sweep_sharing(ConstrainedWorkspace<S>& w, const RegularPivot<S>& pivot, const S* total) {
  RegularRoot<S> root{w, pivot};
  attach_relations(w.sharing, w.data, w.carried);
  const page::ActiveRows<S>* const first = w.sharing.entry.data();
  page::AttachRows<S> attached{w.data, first, first + w.sharing.entries};
  page::RowRiders<S, page::AttachRows<S>, RegularRoot<S>> riders(w.data.tree(), w.sharing.stage, attached, root);
  page::SharedColumns<S> shared(w.data);
  page::articulated_sweep(w.data, w.q.data(), w.v.data(), total, w.qdd.data(), shared, riders);
  read_rows(w.sharing, w.carried);
}

/// Magnitudes of a joint's acceleration.
template <class S> ZWANG_INLINE void add_gross(const ConstrainedWorkspace<S>& w, Index body, Motion<S>& gross) {
  const auto& tree = w.data.tree();
  for (Index k = tree.body[body].v; k < tree.body[body].v + tree.body[body].nv; ++k) {
    const S a = w.qdd[tree.column[k].v] * tree.column[k].multiplier;
    const Motion<S>& s = w.data.articulated.column[k].s;
    gross.v += Vec3<S>{abs(s.v.x * a), abs(s.v.y * a), abs(s.v.z * a)};
    gross.w += Vec3<S>{abs(s.w.x * a), abs(s.w.y * a), abs(s.w.z * a)};
  }
}

/// 1 in the lanes where rows do not hold. Residuals are measured against the magnitudes of their terms: the joints'
/// accelerations along the path, gravity and velocity products before they cancel. The residual of each row stays in
/// w.residual.
template <class S> ZWANG_INLINE S loose_rows(ConstrainedWorkspace<S>& w, Uniform<S> tolerance) {
  using T = Uniform<S>;
  const BasicData<S>& data = w.data;
  const auto& tree = data.tree();
  const bool along_tree = w.carried.relations > 0;  // they ask for many bodies: the sums of all joints' accelerations
  Motion<S>* const sum = w.change.data();
  sum[0] = Motion<S>::zero();
  for (Index i = 1; along_tree && i <= tree.n; ++i) add_gross(w, i, sum[i] = sum[tree.body[i].parent]);
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
          for (Index b = body; b > 0; b = tree.body[b].parent) add_gross(w, b, gross);
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

/// One sweep with rows: w.qdd from w.q, w.v and the total torque.
template <class S>
ZWANG_INLINE void accelerate(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, const S* total) {
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
  mark_infinite(w, w.qdd.data(), w.data.tree().nv);
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

/// Multipliers in the order of the set, motor torques and reactions.
template <class S> ZWANG_INLINE void forces(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
  using T = Uniform<S>;
  const ConstrainedTask<T>& t = *c.constrained;
  const auto& tree = w.data.tree();
  const bool torques = c.out[2].data != nullptr || c.out[3].data != nullptr;
  for (Index r = 0; r < t.total_rows; ++r) w.multipliers[r] = S(T(0));
  for (Index i = 0; torques && i <= tree.n; ++i) w.driver_force[i] = w.physical_force[i] = Force<S>::zero();
  for (Index k = 0, row = 0; k < t.count; ++k)
    for (Index i = 0; i < t.rows[k].count; ++i, ++row) {
      const AttachedRow<S>& x = w.carried.row[row];
      const S lambda = x.hard >= 0 ? x.lambda : x.stiffness * -(x.l + dot(w.data.acceleration.joint[x.body], x.K));
      w.multipliers[t.rows[k].first_row + i] = lambda;
      if (!torques) continue;
      Buffer<Force<S>>& force = t.rows[k].driver ? w.driver_force : w.physical_force;
      force[x.body] += x.K * lambda;
    }
  for (Index k = 0; k < t.relations; ++k)
    for (Index i = 0; i < t.relation[k].count; ++i) {
      const AttachedRow<S>& x = w.carried.row[w.carried.relation[k].first + i];
      w.multipliers[t.relation[k].first_row + i] = x.lambda;
      if (!torques) continue;
      Buffer<Force<S>>& force = t.relation[k].driver ? w.driver_force : w.physical_force;
      w.carried.for_each_part(x, [&](Index body, const Force<S>& K) ZWANG_LAMBDA { force[body] += K * x.lambda; });
    }
  if (!torques) return;
  for (Index k = 0; k < tree.nv; ++k) {
    w.reaction[k] = S(T(0));
    w.motor[k] = t.is_given != nullptr && t.is_given[k] ? S(T(0)) : w.a[k];
  }
  page::add_joint_forces(w.data, w.driver_force, w.motor.data());
  page::add_joint_forces(w.data, w.physical_force, w.reaction.data());
  if (t.is_given == nullptr) return;
  const auto& held = w.data.articulated;
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (held.is_given[k]) w.motor[tree.column[k].v] += held.given_force[k] * tree.column[k].multiplier;
  for (Index k = 0; k < tree.nv; ++k)
    if (t.is_given[k]) w.motor[k] -= w.x[k] - w.a[k];  // the passive joint effects
}

/// Total torque in w.x: the motors' in w.a and the passive effects.
template <class S> ZWANG_INLINE void add_effects(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
  const auto& tree = w.data.tree();
  for (Index k = 0; k < tree.nv; ++k) w.x[k] = w.a[k];
  page::add_passive(tree, w.q.data(), w.v.data(), page::PassiveEffects{c.damping, c.friction, c.springs}, Uniform<S>(1),
                    w.x.data());
}

/// Writes the status of each lane.
template <class S> ZWANG_INLINE void judge(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  using T = Uniform<S>;
  w.some_irregular = false;
  if (s + lanes_of<S> <= c.states && all(less(w.bad + w.unnormalised + w.irregular, S(T(1))))) {  // all are well
    std::memset(c.status + s, 0, lanes_of<S>);
    return;
  }
  const int lanes = s + lanes_of<S> <= c.states ? lanes_of<S> : static_cast<int>(c.states - s);
  for (int l = 0; l < lanes; ++l) {
    Status status = Status::ok;
    if (!(w.bad[l] == 0))
      status = Status::non_finite_input;
    else if (w.unnormalised[l] != 0)
      status = Status::invalid_input;
    const bool alone = status == Status::ok && !(w.irregular[l] == 0);
    c.status[s + l] = alone ? k_solve_alone : static_cast<unsigned char>(status);
    w.some_irregular = w.some_irregular || alone;
  }
}

/// Stores an output. Lanes that are for the solver of one state are left alone: the output may be one of the inputs.
template <class S>
ZWANG_INLINE void put_out(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, int i, long s, const S* x) {
  const StateArray<Uniform<S>>& out = c.out[i];
  if (out.data == nullptr) return;
  if (!w.some_irregular) return store_states(x, out, s, c.states);
  for (int l = 0; l < lanes_of<S> && s + l < c.states; ++l) {
    if (c.status[s + l] == k_solve_alone) continue;
    for (Index k = 0; k < out.size; ++k) of_state(out, s + l)[k * out.number] = x[k][l];
  }
}

template <class S> ZWANG_INLINE void begin_pack(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  using T = Uniform<S>;
  w.data.armature_factor = c.armature ? T(1) : T(0);
  w.bad = w.unnormalised = w.irregular = S(T(0));
  read(w, c, 0, Input::configuration, s, w.q);
  read(w, c, 1, Input::tangent, s, w.v);
  w.data.force.has_external = false;
  if (c.wrenches > 0) add_wrenches(w, c, s);
  take_rows(w, c, s);
}

template <class S> void constrained(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last) {
  ConstrainedWorkspace<S>& w = *static_cast<ConstrainedWorkspace<S>*>(workspace);
  list_rows(w, *c.constrained);
  w.end = last;
  for (long s = first; s < last; s += lanes_of<S>) {
    begin_pack(w, c, s);
    read(w, c, 2, Input::tangent, s, w.a);
    add_effects(w, c);
    w.data.damping_step = Uniform<S>(0);
    accelerate(w, *c.constrained, w.x.data());
    forces(w, c);
    S* const results[4] = {w.qdd.data(), w.multipliers.data(), w.motor.data(), w.reaction.data()};
    if (c.out[1].data != nullptr) mark_infinite(w, w.multipliers.data(), c.out[1].size);
    for (int i = 2; i < 4; ++i)
      if (c.out[i].data != nullptr) mark_infinite(w, results[i], c.out[i].size);
    judge(w, c, s);
    for (int i = 0; i < 4; ++i) put_out(w, c, i, s, results[i]);
  }
}

/// Semi-implicit steps (Euler; Hairer, Lubich & Wanner 2006, sec. I.1) with implicit joint damping:
///   (M + h D) q'' = tau - D v - ... + J^T lambda,   v += h q'',   q = q (+) h v
template <class S> void rollout(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last) {
  using T = Uniform<S>;
  ConstrainedWorkspace<S>& w = *static_cast<ConstrainedWorkspace<S>*>(workspace);
  const ConstrainedTask<T>& t = *c.constrained;
  const auto& tree = w.data.tree();
  list_rows(w, t);
  w.end = last;
  for (long s = first; s < last; s += lanes_of<S>) {
    begin_pack(w, c, s);
    BatchCall<T> now = c;
    now.in[2].size = tree.nv;
    bool wanted = true;
    for (Index step = 0; step < t.steps && (wanted = c.wants(step)); ++step) {
      if (step == 0 || t.tau_per_step) read(w, now, 2, Input::tangent, s, w.a);
      if (t.tau_per_step && now.in[2].data != nullptr) now.in[2].data += tree.nv * now.in[2].number;
      if (step > 0 && c.wrenches > 0) add_wrenches(w, c, s);
      add_effects(w, c);
      w.data.damping_step = c.damping ? T(t.step) : T(0);
      accelerate(w, t, w.x.data());
      for (Index k = 0; k < tree.nv; ++k) {
        w.v[k] += w.qdd[k] * T(t.step);
        w.x[k] = w.v[k] * T(t.step);
      }
      page::integrate(tree, static_cast<const S*>(w.q.data()), static_cast<const S*>(w.x.data()), w.q.data());
      for (int i = 2; i < 4; ++i) {
        if (now.out[i].data == nullptr) continue;
        now.out[i].size = i == 2 ? tree.nq : tree.nv;
        store_states(i == 2 ? w.q.data() : w.v.data(), now.out[i], s, c.states);
        now.out[i].data += now.out[i].size * now.out[i].number;
      }
    }
    if (!wanted) return;  // their status says that nobody has come to them
    mark_infinite(w, w.q.data(), tree.nq);
    mark_infinite(w, w.v.data(), tree.nv);
    judge(w, c, s);
    put_out(w, c, 0, s, w.q.data());
    put_out(w, c, 1, s, w.v.data());
  }
}

template <class S> void* make_constrained(const void* tree, const double* g, const ConstrainedRoom& room) {
  using T = Uniform<S>;
  return new ConstrainedWorkspace<S>(*static_cast<const Tree<T>*>(tree), Vec3<T>{T(g[0]), T(g[1]), T(g[2])}, room);
}
template <class S> void drop_constrained(void* workspace) { delete static_cast<ConstrainedWorkspace<S>*>(workspace); }

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
