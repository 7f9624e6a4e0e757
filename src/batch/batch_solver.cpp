// SPDX-License-Identifier: BSD-3-Clause
// BatchSolver: lanes where the problem is regular, a Solver per thread for the states where it is not.
#include "batch/batch_solver_impl.hpp"

#include <cmath>

#include "batch/forget_states.hpp"
#include "constraint/looks_ahead.hpp"
#include "manifold/instances.hpp"
#include "rows/check_constraint.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

/// Within the range of T.
template <class T> bool finite(const Buffer<double>& x) {
  for (Index k = 0; k < x.size(); ++k)
    if (!std::isfinite(static_cast<T>(x[k]))) return false;
  return true;
}
}  // namespace

/// Workspaces for the set as it is now.
template <class T> void BasicBatchSolver<T>::Impl::make() {
  std::vector<KernelWorkspace> new_workspace;
  std::vector<std::unique_ptr<Alone>> new_alone;
  const ConstrainedRoom room = LaneRows::room_of(set);
  const Vec3<double>& g = this->model.gravity();
  const double gravity[3] = {g.x, g.y, g.z};
  for (int t = 0; t < this->threads(); ++t) {
    new_alone.push_back(std::make_unique<Alone>(this->model, set, single));
    new_workspace.emplace_back(this->kernels.make_constrained(&this->model.template tree<T>(), gravity, room),
                               this->kernels.drop_constrained);
  }
  workspace = std::move(new_workspace);
  at_rest.clear();
  alone = std::move(new_alone);
  lanes.reserve(set);
  coordinates.resize(this->model.nv());
  counts.reserve(static_cast<std::size_t>(this->threads()) * static_cast<std::size_t>(set.rows()));
  version = set.version();
}

/// The rows of the set, sorted by body. Throws where they are wrong.
template <class T> void BasicBatchSolver<T>::Impl::prepare(BatchTask<T>& task, const StatesIn<T>& active,
                                                           const std::vector<Index>& prescribed,
                                                           ConstrainedTask<T>& t) {
  read_settings<T>(settings, single);
  if (version != set.version() || !lanes.has_room_for(set)) make();
  for (const std::unique_ptr<Alone>& a : alone) a->begin(task.call().wrenches);
  t.active = task.array("active", active, static_cast<Index>(set.size()));
  alone.front()->check(set, single, t.active.data != nullptr, prescribed);

  lanes.list(set, settings, t.active.data != nullptr, t);
  counts.assign(static_cast<std::size_t>(this->threads()) * static_cast<std::size_t>(t.total_rows), RowCounts());
  coordinates.prepare(prescribed, t);
}

template <class T>
const BatchReport& BasicBatchSolver<T>::Impl::run(BatchTask<T>& task, BatchKernel<T> kernel,
                                                  void (Impl::*one)(int, const BatchCall<T>&, long)) {
  if (this->all_or_nothing && task.refuses([&](long s) { return beta_is_finite(*task.call().constrained, s); }))
    return this->report;
  const bool in_lanes = LaneRows::suit<T>(this->model, set, settings);
  return BatchCore<T>::run(task.call(), [&, in_lanes](int t, long first, long last) {
    BatchCall<T> c = task.call();
    ConstrainedTask<T> own = *c.constrained;
    own.counts = counts.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(own.total_rows);
    c.constrained = &own;
    if (in_lanes) kernel(workspace[static_cast<std::size_t>(t)].get(), c, first, last);
    for (long s = first; s < last; ++s)
      if (!in_lanes || c.status[s] == k_solve_alone) (this->*one)(t, c, s);
  });
}

/// The numbers of one state, in the solver of a thread.
template <class T> Alone& BasicBatchSolver<T>::Impl::load(int thread, const BatchCall<T>& c, long s) {
  Alone& a = *alone[static_cast<std::size_t>(thread)];
  a.solver.forget_states();  // a state's bits do not depend on those before
  a.load(set, single, c, s);
  return a;
}

/// Those of the rows that are active in this state.
template <class T> bool BasicBatchSolver<T>::Impl::beta_is_finite(const ConstrainedTask<T>& t, long s) const {
  Index row = 0, constraint = 0;
  for (const Constraint& x : set.constraints()) {
    const bool active = t.active.data != nullptr ? number_of(t.active, s, constraint) != T(0) : x.active.value();
    for (Index i = 0; active && i < x.size(); ++i)
      if (!std::isfinite(number_of(t.beta, s, row + i))) return false;
    row += x.size();
    ++constraint;
  }
  return true;
}

template <class T> void BasicBatchSolver<T>::Impl::solve_alone(int thread, const BatchCall<T>& c, long s) {
  Alone& a = load(thread, c, s);
  if (!a.is_finite(*c.constrained, s)) {
    c.status[s] = static_cast<unsigned char>(Status::non_finite_input);
    return;
  }
  a.solver.data().damping_step = 0;
  const Solution& x = a.solve();
  const VectorView* const results[4] = {&x.acceleration, &x.multipliers, &x.motor_torque, &x.reaction};
  bool in_range = true;
  for (int i = 0; i < 4; ++i)
    for (Index k = 0; c.out[i].data != nullptr && k < c.out[i].size; ++k)
      in_range = put(c.out[i], s, k, (*results[i])[k]) && in_range;
  c.status[s] = static_cast<unsigned char>(in_range ? x.report.status : Status::overflow);
  if (!in_range || !has_result(x.report.status)) return;
  a.count(x.report, &RowCounts::first);
  a.add_counts(c.constrained->counts);
}

template <class T> void BasicBatchSolver<T>::Impl::roll_alone(int thread, const BatchCall<T>& c, long s) {
  Alone& a = load(thread, c, s);
  const ConstrainedTask<T>& t = *c.constrained;
  const Index nq = this->model.nq(), nv = this->model.nv();
  Status worst = a.is_finite(t, s) ? Status::ok : Status::non_finite_input;
  for (Index step = 0; step < t.steps && has_result(worst); ++step) {
    if (!c.wants(step)) {
      c.status[s] = static_cast<unsigned char>(Status::stopped);
      return;
    }
    for (Index k = 0; t.tau_per_step && k < nv && c.in[2].data != nullptr; ++k)
      a.tau[k] = static_cast<double>(number_of(c.in[2], s, step * nv + k));
    a.look_at = step == 0 ? &RowCounts::first : step + 1 == t.steps ? &RowCounts::last : nullptr;
    const Status now = t.classical ? a.runge_kutta_step(t.step) : a.semi_implicit_step(t.step, c.damping);
    if (now != Status::ok) worst = now;
    if (!has_result(now)) break;
    for (Index k = 0; c.out[2].data != nullptr && k < nq; ++k) put(c.out[2], s, step * nq + k, a.q[k]);
    for (Index k = 0; c.out[3].data != nullptr && k < nv; ++k) put(c.out[3], s, step * nv + k, a.v[k]);
  }
  bool in_range = finite<T>(a.q) && finite<T>(a.v);
  for (Index k = 0; c.out[0].data != nullptr && k < nq; ++k) in_range = put(c.out[0], s, k, a.q[k]) && in_range;
  for (Index k = 0; c.out[1].data != nullptr && k < nv; ++k) in_range = put(c.out[1], s, k, a.v[k]) && in_range;
  if (has_result(worst) && !in_range) worst = Status::overflow;
  c.status[s] = static_cast<unsigned char>(worst);
  if (!has_result(worst)) return;
  for (RowCounts& x : a.counts) x.first[RowCounts::pull] = x.last[RowCounts::pull] = {};  // as in lanes
  a.add_counts(t.counts);
}

template <class T> BasicBatchSolver<T>::BasicBatchSolver(const Model& model, const ConstraintSet& constraints,
                                                         const SolverSettings& settings, const BatchOptions& options) {
  check_model("BatchSolver", model, constraints);
  impl_ = make_owned<Impl>(model, constraints, settings, options);
  impl_->version = impl_->set.version();
}
template <class T> BasicBatchSolver<T>::BasicBatchSolver(BasicBatchSolver&&) noexcept = default;
template <class T> BasicBatchSolver<T>& BasicBatchSolver<T>::operator=(BasicBatchSolver&&) noexcept = default;
template <class T> BasicBatchSolver<T>::~BasicBatchSolver() = default;
template <class T> const Model& BasicBatchSolver<T>::model() const { return existing(impl_).model; }
template <class T> int BasicBatchSolver<T>::threads() const { return existing(impl_).threads(); }
template <class T> void BasicBatchSolver<T>::reserve(long states) { existing(impl_).reserve_for_user(states); }
template <class T> void BasicBatchSolver<T>::on_progress(BatchProgress callback, void* context, double interval) {
  existing(impl_).on_progress(callback, context, interval);
}
template <class T> void BasicBatchSolver<T>::all_or_nothing(bool on) { existing(impl_).all_or_nothing = on; }
template <class T> const BatchReport& BasicBatchSolver<T>::report() const { return existing(impl_).report; }
template <class T> SolverSettings& BasicBatchSolver<T>::settings() { return existing(impl_).settings; }
template <class T> long BasicBatchSolver<T>::solved_alone() const { return solved_by(existing(impl_).alone); }

std::string BatchWarning::text() const {
  return "in " + std::to_string(states) + (states == 1 ? " state" : " states") +
         (at_last_step ? " where the last step begins" : "") + ", at worst: " + SolveWarning{kind, row, largest}.text();
}

template <class T> std::vector<BatchWarning> BasicBatchSolver<T>::warnings() const {
  constexpr SolveWarning::Kind kinds[RowCounts::k_kinds] = {
      SolveWarning::Kind::position_violates, SolveWarning::Kind::velocity_violates, SolveWarning::Kind::contact_pulls};
  const Impl& own = existing(impl_);
  const auto rows = static_cast<std::size_t>(own.set.rows());
  std::vector<BatchWarning> list;
  if (own.version != own.set.version()) return list;  // the rows are others now
  for (const bool last : {false, true}) {
    std::size_t row = 0;
    for (const Constraint& x : own.set.constraints())
      for (const std::string& name : x.row_names.value()) {
        for (int kind = 0; kind < RowCounts::k_kinds; ++kind) {
          RowCount sum;
          for (std::size_t at = row; at < own.counts.size(); at += rows)
            sum.add((last ? own.counts[at].last : own.counts[at].first)[kind]);
          if (sum.states > 0) list.push_back({kinds[kind], name, sum.states, sum.largest, last});
        }
        ++row;
      }
  }
  return list;
}

template <class T>
const BatchReport& BasicBatchSolver<T>::solve(const BatchSolveInput<T>& in, const BatchSolveOutput<T>& out) {
  Impl& own = existing(impl_);
  const Index nq = own.model.nq(), nv = own.model.nv(), rows = own.set.rows();
  BatchTask<T> task(own, "solve");
  task.in("q", in.q, nq, true).in("v", in.v, nv).in("tau", in.tau, nv).effects(own.settings.joint_effects);
  task.external(in.external);
  task.out("acceleration", out.acceleration, nv, true).out("multipliers", out.multipliers, rows, true);
  task.out("motor_torque", out.motor_torque, nv, true).out("reaction", out.reaction, nv, true);
  ConstrainedTask<T> t;
  t.beta = task.array("beta", in.beta, rows);
  own.prepare(task, in.active, in.prescribed, t);
  take_given(task, "BatchSolver::solve", in.prescribed, in.prescribed_acceleration, t);
  task.call().constrained = &t;
  return own.run(task, own.kernels.constrained, &Impl::solve_alone);
}

template <class T>
const BatchReport& BasicBatchSolver<T>::rollout(const BatchRolloutInput<T>& in, const BatchRolloutOutput<T>& out) {
  Impl& own = existing(impl_);
  const Index nq = own.model.nq(), nv = own.model.nv();
  if (in.steps < 1) throw std::invalid_argument("BatchSolver::rollout: steps is at least 1");
  if (!(in.step > 0 && std::isfinite(in.step)))
    throw std::invalid_argument("BatchSolver::rollout: step is a time > 0 [s]");
  if (rubs(own.model, own.settings))
    throw UnsupportedError(
        "BatchSolver::rollout: the steps of a rollout do not find where a joint with Coulomb friction stops and "
        "sticks; leave "
        "friction off, or use simulate()");
  for (const Constraint& x : own.set.constraints())
    if (x.active || in.active.layout().size > 0) detail::check_looks_ahead("BatchSolver::rollout", x);
  const auto of_all_steps = [&](Index size) {  // numbers that no array has fit nowhere
    return static_cast<Index>(std::min<long>(static_cast<long>(size) * in.steps, std::numeric_limits<Index>::max()));
  };
  ConstrainedTask<T> t;
  t.steps = in.steps;
  t.step = in.step;
  t.classical = in.integrator == RolloutIntegrator::rk4;
  t.tau_per_step = in.steps > 1 && in.tau.layout().size == of_all_steps(nv);
  BatchTask<T> task(own, "rollout");
  task.in("q", in.q, nq, true).in("v", in.v, nv).in("tau", in.tau, t.tau_per_step ? of_all_steps(nv) : nv);
  task.effects(own.settings.joint_effects).external(in.external);
  task.out("q", out.q, nq, true).out("v", out.v, nv, true);
  task.out("q_trajectory", out.q_trajectory, of_all_steps(nq), true);
  task.out("v_trajectory", out.v_trajectory, of_all_steps(nv), true);
  for (int i = 0; i < 3; ++i)
    for (int o = 2; o < 4; ++o)
      task.refuse_overlap(o == 2 ? "q_trajectory" : "v_trajectory", o, i == 0 ? "q" : i == 1 ? "v" : "tau", i);
  own.prepare(task, in.active, in.prescribed, t);
  take_given(task, "BatchSolver::rollout", in.prescribed, in.prescribed_acceleration, t);
  task.call().constrained = &t;
  return own.run(task, own.kernels.rollout, &Impl::roll_alone);
}

void forget_states(Solver& solver) { BatchSolver::Impl::forget(solver); }

template class BasicBatchSolver<double>;
template class BasicBatchSolver<float>;

}  // namespace zwang
