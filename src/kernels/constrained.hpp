// SPDX-License-Identifier: BSD-3-Clause
// Constrained forward dynamics of many states, and steps in time:
// hybrid_dynamics with one row of all lanes per register.
//
// Lanes whose rows are independent beyond doubt and whose mass matrix is regular are finished here. All others are left
// to the solver of one state (k_solve_alone), which reveals ranks, levels and conflicts: the result of a lane never
// depends on the other lanes.
#pragma once
#include "algorithm/page/body_forces.hpp"
#include "kernels/constrained_motion.hpp"
#include "kernels/row_counts.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Multipliers in the order of the set, motor torques and reactions.
template <class S> [[gnu::noinline]] void forces(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
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
template <class S> ZWANG_INLINE void put_out(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c,
                                             const StateArray<Uniform<S>>& out, long s, const S* x) {
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
  if (c.has_wrenches()) add_wrenches(w, c, s);
  take_rows(w, c, s);
}

/// The accelerations, and whatever `finish()` makes of them: rows are met early, and where that is in doubt
/// carried to the root. Lanes without doubt keep what they have, so that a lane's result does not depend on the
/// others. `results` are `sizes` numbers each.
template <class S, std::size_t N, class Finish>
ZWANG_INLINE void solve_pack(ConstrainedWorkspace<S>& w, const ConstrainedTask<Uniform<S>>& t, S* const (&results)[N],
                             const Index (&sizes)[N], Finish&& finish) {
  const S zero(Uniform<S>(0));
  if (!w.early.fits) {
    accelerate(w, t, w.x.data());
    return finish();
  }
  const S again = accelerate_early(w, t, static_cast<const S*>(w.x.data()));
  finish();
  const auto here = less(zero, again);
  if (!any(here)) return;
  const S irregular = w.irregular;
  const auto each = [&](auto&& f) ZWANG_LAMBDA {
    Index at = 0;
    for (std::size_t i = 0; i < N; ++i)
      for (Index k = 0; k < sizes[i]; ++k) f(results[i][k], w.kept[at++]);
  };
  each([](S& x, S& kept) ZWANG_LAMBDA { kept = x; });
  accelerate(w, t, w.x.data());
  finish();
  each([&](S& x, S& kept) ZWANG_LAMBDA { x = select(here, x, kept); });
  w.irregular = select(here, w.irregular, irregular);
}

/// Results, where they stand after forces().
template <class S> struct Results {
  Results(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c)
      : of{w.qdd.data(), w.multipliers.data(), w.motor.data(), w.reaction.data()},
        size{w.data.tree().nv, c.constrained->total_rows, torques(c) ? w.data.tree().nv : 0,
             torques(c) ? w.data.tree().nv : 0} {}
  static bool torques(const BatchCall<Uniform<S>>& c) { return c.out[2].data != nullptr || c.out[3].data != nullptr; }
  S* const of[4];
  const Index size[4];
};

/// States s, s + 1, ...: `solve` makes the accelerations and `forces` of the inputs.
template <class S, class Solve> ZWANG_INLINE void constrained_pack(ConstrainedWorkspace<S>& w,
                                                                   const BatchCall<Uniform<S>>& c, long s,
                                                                   const Results<S>& results, Solve&& solve) {
  begin_pack(w, c, s);
  read(w, c, 2, Input::tangent, s, w.a);
  add_effects(w, c);
  w.data.damping_step = Uniform<S>(0);
  solve();
  for (int i = 1; i < 4; ++i)
    if (c.out[i].data != nullptr) mark_infinite(static_cast<const S*>(results.of[i]), c.out[i].size, w.irregular);
  judge(w, c, s);
  for (int i = 0; i < 4; ++i) put_out(w, c, c.out[i], s, static_cast<const S*>(results.of[i]));
  if (c.constrained->counts == nullptr) return;
  keep_violations(w, *c.constrained, false);
  add_counts(w, c, s, true, false);
}
/// The states that have been collected, by rows carried to the root.
template <class S> [[gnu::noinline]] void solve_again(ConstrainedWorkspace<S>& w, const Results<S>& results) {
  const long end = w.end;
  const BatchCall<Uniform<S>>& c = w.deferred.call();
  w.end = c.states;
  constrained_pack(w, c, 0, results, [&] {
    accelerate(w, *c.constrained, w.x.data());
    forces(w, c);
  });
  w.deferred.finish();
  w.end = end;
}

template <class S> void constrained(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last) {
  ConstrainedWorkspace<S>& w = *static_cast<ConstrainedWorkspace<S>*>(workspace);
  const ConstrainedTask<Uniform<S>>& t = *c.constrained;
  list_rows(w, t);
  w.end = last;
  const Results<S> results(w, c);
  const bool collect = w.early.fits && !c.has_wrenches();  // wrenches from outside are not copied
  if (collect) w.deferred.begin(c);
  if (t.counts != nullptr) begin_counts(w);
  for (long s = first; s < last; s += lanes_of<S>) {
    constrained_pack(w, c, s, results, [&] {
      if (!collect) return solve_pack(w, t, results.of, results.size, [&] { forces(w, c); });
      w.irregular = accelerate_early(w, t, static_cast<const S*>(w.x.data()));
      forces(w, c);
    });
    const bool some = collect && w.some_irregular;
    for (long i = s; some && i < s + lanes_of<S> && i < last; ++i) {
      if (c.status[i] != k_solve_alone) continue;
      w.deferred.add(i);
      if (w.deferred.full()) solve_again(w, results);
    }
  }
  if (collect && !w.deferred.empty()) solve_again(w, results);
  if (t.counts != nullptr) finish_counts(w, t);
}

/// w.qdd of the configurations and velocities that are in w, whose torques are w.a.
template <class S> ZWANG_INLINE void accelerate_now(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
  S* const results[1] = {w.qdd.data()};
  const Index sizes[1] = {w.data.tree().nv};
  add_effects(w, c);
  solve_pack(w, *c.constrained, results, sizes, [] {});
  if (!w.look.now) return;
  keep_violations(w, *c.constrained, w.look.last);
  w.look.now = false;
}

/// A semi-implicit step (Euler; Hairer, Lubich & Wanner 2006, sec. I.1) with implicit joint damping:
///   (M + h D) q'' = tau - D v - ... + J^T lambda,   v += h q'',   q = q (+) h v
template <class S> void semi_implicit_step(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c) {
  using T = Uniform<S>;
  const auto& tree = w.data.tree();
  const T h(c.constrained->step);
  w.data.damping_step = c.damping ? h : T(0);
  accelerate_now(w, c);
  for (Index k = 0; k < tree.nv; ++k) {
    w.v[k] += w.qdd[k] * h;
    w.x[k] = w.v[k] * h;
  }
  page::integrate(tree, static_cast<const S*>(w.q.data()), static_cast<const S*>(w.x.data()), w.q.data());
}

/// A step of the classical Runge-Kutta method. The caller has placed the wrenches of the first stage.
template <class S>
[[gnu::noinline]] void runge_kutta_step(ConstrainedWorkspace<S>& w, const BatchCall<Uniform<S>>& c, long s) {
  w.data.damping_step = Uniform<S>(0);
  bool first = true;
  page::classical_step(w.data.tree(), Uniform<S>(c.constrained->step), w.q.data(), w.v.data(),
                       static_cast<const S*>(w.qdd.data()), w.classical, [&] {
                         if (!first && c.has_wrenches()) add_wrenches(w, c, s);
                         first = false;
                         accelerate_now(w, c);
                       });
}

/// Steps in time of the states first, first + 1, ...
template <class S> void rollout(void* workspace, const BatchCall<Uniform<S>>& c, long first, long last) {
  using T = Uniform<S>;
  ConstrainedWorkspace<S>& w = *static_cast<ConstrainedWorkspace<S>*>(workspace);
  const ConstrainedTask<T>& t = *c.constrained;
  const auto& tree = w.data.tree();
  list_rows(w, t);
  w.end = last;
  if (t.counts != nullptr) begin_counts(w);
  for (long s = first; s < last; s += lanes_of<S>) {
    begin_pack(w, c, s);
    BatchCall<T> now = c;
    now.in[2].size = tree.nv;
    bool wanted = true;
    for (Index step = 0; step < t.steps && (wanted = c.wants(step)); ++step) {
      if (step == 0 || t.tau_per_step) read(w, now, 2, Input::tangent, s, w.a);
      if (t.tau_per_step && now.in[2].data != nullptr) now.in[2].data += tree.nv * now.in[2].number;
      if (step > 0 && c.has_wrenches()) add_wrenches(w, c, s);
      w.look = {t.counts != nullptr && (step == 0 || step + 1 == t.steps), step > 0};
      t.classical ? runge_kutta_step(w, c, s) : semi_implicit_step(w, c);
      for (int i = 2; i < 4; ++i) {
        if (now.out[i].data == nullptr) continue;
        now.out[i].size = i == 2 ? tree.nq : tree.nv;
        store_states(i == 2 ? w.q.data() : w.v.data(), now.out[i], s, c.states);
        now.out[i].data += now.out[i].size * now.out[i].number;
      }
    }
    if (!wanted) break;  // their status still says that they are not solved
    mark_infinite(w.q.data(), tree.nq, w.irregular);
    mark_infinite(w.v.data(), tree.nv, w.irregular);
    judge(w, c, s);
    put_out(w, c, c.out[0], s, static_cast<const S*>(w.q.data()));
    put_out(w, c, c.out[1], s, static_cast<const S*>(w.v.data()));
    if (t.counts != nullptr) add_counts(w, c, s, false, t.steps > 1);
  }
  w.look = {};
  if (t.counts != nullptr) finish_counts(w, t);
}

template <class S> void* make_constrained(const void* tree, const double* g, const ConstrainedRoom& room) {
  using T = Uniform<S>;
  return new ConstrainedWorkspace<S>(*static_cast<const Tree<T>*>(tree), Vec3<T>{T(g[0]), T(g[1]), T(g[2])}, room);
}
template <class S> void drop_constrained(void* workspace) { delete static_cast<ConstrainedWorkspace<S>*>(workspace); }

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
