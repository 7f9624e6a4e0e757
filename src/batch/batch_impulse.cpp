// SPDX-License-Identifier: BSD-3-Clause
// BatchSolver::impulse. By Newton's restitution regular states are solved by the lanes of solve(), at rest, without
// gravity and stabilisation, with the changes of velocity that the restitution requires in place of beta. What comes
// before, J v-, and after, energies, is done state by state, as are all other states and laws.
#include <algorithm>
#include <limits>

#include "batch/batch_solver_impl.hpp"

namespace zwang {
namespace {

/// f(name, output, part of the result of one state), for every output but those of one number.
template <class T, class F> void for_each_vector(const BatchImpulseOutput<T>& out, Index nv, Index rows, F&& f) {
  f("velocity", out.velocity, nv, &Impulse::velocity);
  f("multipliers", out.multipliers, rows, &Impulse::multipliers);
  f("motor_impulse", out.motor_impulse, nv, &Impulse::motor_impulse);
  f("reaction", out.reaction, nv, &Impulse::reaction);
  f("velocity_before", out.velocity_before, rows, &Impulse::velocity_before);
  f("velocity_after", out.velocity_after, rows, &Impulse::velocity_after);
  f("residual", out.residual, rows, &Impulse::residual);
}
template <class T> StateArray<T> lane_array(const StatesOut<T>& x) {
  const StateLayout<T>& l = x.layout();
  return {l.data, l.size, l.tile, l.lane, l.number};
}
template <class T> StateArray<T> rows_of_states(T* data, Index size) { return {data, size, 32L * size, size, 1}; }

/// One call.
template <class T, class Impl> class ImpulseCall {
 public:
  using In = BatchImpulseInput<T>;
  using Out = BatchImpulseOutput<T>;
  ImpulseCall(Impl& impl, const In& input, const Out& output, const BatchCall<T>& call,
              const StateArray<const T>* restitution_and_target)
      : own_(impl),
        in_(input),
        out_(output),
        c_(call),
        given_(restitution_and_target),
        nv_(impl.model.nv()),
        rows_(impl.set.rows()) {}

  /// Prepares the lanes; `task` is the call's.
  void prepare_lanes(const ConstrainedTask<T>& task);
  void solve_in_lanes(int thread, long first, long last);
  void solve_alone(int thread, long s) { c_.status[s] = static_cast<unsigned char>(alone(thread, s)); }
  /// NaN where there is no result.
  void fill_failed();

 private:
  Status load(int thread, long s, ConstVector* rows, Alone*& a) const;
  ImpulseInput input(const Alone& a, const ConstVector* rows) const {
    return {.q = view(a.q),
            .v = view(a.v),
            .restitution = rows[0],
            .target = rows[1],
            .model = in_.model,
            .impulse = view(a.tau),
            .external = &a.external,
            .prescribed = &a.prescribed};
  }
  Status alone(int thread, long s);
  Status enter(int thread, long s);
  Status leave(int thread, long s);
  bool leave_rows(int thread, long s, const double* after);
  bool wants_rows() const {
    return out_.velocity_after.given() || out_.residual.given() || out_.wrench.given() || out_.energy.given() ||
           out_.energy_after.given();
  }
  bool put_at(const StatesOut<T>& to, long s, Index k, double number) const {
    return !to.given() || put(lane_array(to), s, k, number);
  }
  T* asked(long s) const { return own_.numbers.data() + s * rows_; }
  T* lambda(long s) const { return own_.numbers.data() + (c_.states + s) * rows_; }
  T* change(long s) const { return own_.numbers.data() + 2 * c_.states * rows_ + s * nv_; }

  Impl& own_;
  const In& in_;
  const Out& out_;
  const BatchCall<T>& c_;
  const StateArray<const T>* given_;
  Index nv_, rows_;
  BatchCall<T> lanes_;
  ConstrainedTask<T> at_rest_;
};

template <class T, class Impl> void ImpulseCall<T, Impl>::prepare_lanes(const ConstrainedTask<T>& task) {
  const auto states = static_cast<std::size_t>(c_.states), rows = static_cast<std::size_t>(rows_);
  const std::size_t size = states * (2 * rows + static_cast<std::size_t>(nv_));
  if (own_.numbers.size() < size) own_.numbers.resize(size);
  if (own_.row_velocities.size() < states * rows) own_.row_velocities.resize(states * rows);
  constexpr double none[3] = {0, 0, 0};
  while (static_cast<int>(own_.at_rest.size()) < own_.threads())
    own_.at_rest.emplace_back(own_.kernels.make_constrained(&own_.model.template tree<T>(), none, own_.lanes.room()),
                              own_.kernels.drop_constrained);
  for (RelationTask& x : own_.lanes.relations) x.inverse_time = 0;
  at_rest_ = task;
  at_rest_.beta = {asked(0), rows_, 32L * rows_, rows_, 1};
  own_.reserve(c_.states);
  lanes_ = c_;
  lanes_.status = own_.status.data();
  lanes_.in[1] = {nullptr, nv_};
  lanes_.out[0] = rows_of_states(change(0), nv_);
  lanes_.out[1] = rows_of_states(lambda(0), rows_);
  lanes_.out[2] = out_.motor_impulse.given() ? lane_array(out_.motor_impulse) : StateArray<T>{nullptr, nv_};
  lanes_.out[3] = out_.reaction.given() ? lane_array(out_.reaction) : StateArray<T>{nullptr, nv_};
  lanes_.armature = own_.settings.joint_effects.armature;
  lanes_.damping = lanes_.springs = lanes_.friction = lanes_.excess = false;
  lanes_.constrained = &at_rest_;
}

/// The numbers of a state in the solver of a thread.
template <class T, class Impl>
Status ImpulseCall<T, Impl>::load(int thread, long s, ConstVector* rows, Alone*& a) const {
  a = &own_.load(thread, c_, s);
  if (!a->is_finite(*c_.constrained, s)) return Status::non_finite_input;
  for (int i = 0; i < 2; ++i) {
    if (given_[i].data == nullptr) continue;
    for (Index r = 0; r < rows_; ++r) a->of_rows[i][r] = static_cast<double>(number_of(given_[i], s, r));
    rows[i] = ConstVector(a->of_rows[i].data(), rows_);
  }
  return Status::ok;
}

template <class T, class Impl> Status ImpulseCall<T, Impl>::alone(int thread, long s) {
  ConstVector rows[2];
  Alone* a = nullptr;
  if (const Status wrong = load(thread, s, rows, a); wrong != Status::ok) return wrong;
  const Impulse& x = a->solver.try_impulse(input(*a, rows));
  if (!has_result(x.report.status)) return x.report.status;
  bool in_range = true;
  for_each_vector(out_, nv_, rows_, [&](const char*, const auto& to, Index size, auto part) {
    for (Index k = 0; k < size; ++k) in_range = put_at(to, s, k, (x.*part)[k]) && in_range;
  });
  in_range = put_at(out_.energy_before, s, 0, x.energy_before) && in_range;
  in_range = put_at(out_.energy_after, s, 0, x.energy_after) && in_range;
  for (Index k = 0; (out_.wrench.given() || out_.energy.given()) && k < own_.set.size(); ++k) {
    const ConstraintImpulse of = x[own_.set.constraints()[static_cast<std::size_t>(k)].name];
    for (Index i = 0; i < 6; ++i) in_range = put_at(out_.wrench, s, 6 * k + i, of.wrench[i]) && in_range;
    in_range = put_at(out_.energy, s, k, of.energy) && in_range;
  }
  return in_range ? x.report.status : Status::overflow;
}

/// J v- and what is asked of the rows. Not ok: the state is not for lanes.
template <class T, class Impl> Status ImpulseCall<T, Impl>::enter(int thread, long s) {
  std::fill_n(asked(s), rows_, T(0));
  ConstVector rows[2];
  Alone* a = nullptr;
  const Status wrong = load(thread, s, rows, a);
  --a->solved;
  if (wrong != Status::ok) return wrong;
  for (const Buffer<double>* x : {&a->q, &a->v, &a->tau})
    for (Index k = 0; k < x->size(); ++k)
      if (!std::isfinite((*x)[k])) return Status::non_finite_input;
  for (int i = 0; i < 2; ++i)
    for (Index r = 0; r < rows[i].size(); ++r) {
      const double x = rows[i].data()[r];
      if (!std::isfinite(x)) return Status::non_finite_input;
      if (i == 0 && !(x >= 0 && x <= 1)) return Status::invalid_input;
    }
  ImpulseParts& x = own_.impulse_of(*a);
  x.enter(input(*a, rows));
  bool in_range = put_at(out_.energy_before, s, 0, x.result.energy_before);
  for (Index r = 0; r < rows_; ++r) {
    const bool active = x.parts->problem.rows.sweep_row[r] >= 0;
    asked(s)[r] = active ? static_cast<T>(x.rows.change[r]) : T(0);
    own_.row_velocities[static_cast<std::size_t>(s * rows_ + r)] = x.rows.velocity[r];
    in_range = put_at(out_.velocity_before, s, r, x.rows.velocity[r]) && std::isfinite(asked(s)[r]) && in_range;
  }
  if (in_range) return Status::ok;
  std::fill_n(asked(s), rows_, T(0));
  return Status::overflow;
}

/// The results of a state that the lanes have solved.
template <class T, class Impl> Status ImpulseCall<T, Impl>::leave(int thread, long s) {
  Alone& a = *own_.alone[static_cast<std::size_t>(thread)];
  bool in_range = true;
  for (Index k = 0; k < nv_; ++k) {
    const double before = c_.in[1].data != nullptr ? static_cast<double>(number_of(c_.in[1], s, k)) : 0.0;
    a.step[k] = before + static_cast<double>(change(s)[k]);
    in_range = put_at(out_.velocity, s, k, a.step[k]) && std::isfinite(static_cast<T>(a.step[k])) && in_range;
  }
  for (Index r = 0; r < rows_; ++r) in_range = put_at(out_.multipliers, s, r, lambda(s)[r]) && in_range;
  if (wants_rows()) in_range = leave_rows(thread, s, a.step.data()) && in_range;
  return in_range ? Status::ok : Status::overflow;
}

/// What needs J v+.
template <class T, class Impl> bool ImpulseCall<T, Impl>::leave_rows(int thread, long s, const double* after) {
  ConstVector rows[2];
  Alone* a = nullptr;
  load(thread, s, rows, a);
  --a->solved;
  ImpulseParts& x = own_.impulse_of(*a);
  const Problem& p = x.parts->problem;
  const double* const before = own_.row_velocities.data() + s * rows_;
  x.leave(a->q.data(), after);
  bool in_range = put_at(out_.energy_after, s, 0, x.result.energy_after);
  for (Index r = 0; r < rows_; ++r) {
    const bool active = p.rows.sweep_row[r] >= 0;
    const double asked_for = before[r] + static_cast<double>(asked(s)[r]);
    in_range = put_at(out_.velocity_after, s, r, x.rows.after[r]) &&
               put_at(out_.residual, s, r, active ? x.rows.after[r] - asked_for : 0.0) && in_range;
  }
  Index r = 0;
  for (Index c = 0; c < own_.set.size(); ++c) {
    const Constraint& of = own_.set.constraints()[static_cast<std::size_t>(c)];
    const double* matrix = of.relation != nullptr ? p.rows.as_given.data() + 6 * r : of.rows_on_body->matrix.data();
    double wrench[6] = {}, energy = 0;
    for (Index i = 0; i < of.size(); ++i, ++r, matrix += 6) {
      const double l = p.rows.sweep_row[r] >= 0 ? static_cast<double>(lambda(s)[r]) : 0.0;
      energy += 0.5 * l * (before[r] + x.rows.after[r]);
      for (Index d = 0; l != 0 && d < 6; ++d) wrench[d] += matrix[d] * l;
    }
    in_range = put_at(out_.energy, s, c, energy) && in_range;
    for (Index d = 0; d < 6; ++d) in_range = put_at(out_.wrench, s, 6 * c + d, wrench[d]) && in_range;
  }
  return in_range;
}

/// `first` is the first of a tile.
template <class T, class Impl> void ImpulseCall<T, Impl>::solve_in_lanes(int thread, long first, long last) {
  constexpr long tile = StateArray<T>::k_tile;
  for (long begin = first; begin < last; begin += tile) {
    const long end = std::min(begin + tile, last);
    Status wrong[tile];
    for (long s = begin; s < end; ++s) wrong[s - begin] = enter(thread, s);
    own_.kernels.constrained(own_.at_rest[static_cast<std::size_t>(thread)].get(), lanes_, begin, end);
    for (long s = begin; s < end; ++s) {
      Status& status = wrong[s - begin];
      const bool solved = status == Status::ok && c_.status[s] == static_cast<unsigned char>(Status::ok);
      status = solved                                               ? leave(thread, s)
               : status == Status::ok || status == Status::overflow ? alone(thread, s)
                                                                    : status;
      c_.status[s] = static_cast<unsigned char>(status);
    }
  }
}

template <class T, class Impl> void ImpulseCall<T, Impl>::fill_failed() {
  for (long s = 0; s < c_.states; ++s) {
    if (has_result(static_cast<Status>(c_.status[s]))) continue;
    const auto fill = [&](const StatesOut<T>& to, Index size) {
      for (Index k = 0; to.given() && k < size; ++k)
        number_of(lane_array(to), s, k) = std::numeric_limits<T>::quiet_NaN();
    };
    for_each_vector(out_, nv_, rows_, [&](const char*, const auto& to, Index size, auto) { fill(to, size); });
    fill(out_.wrench, 6 * own_.set.size());
    fill(out_.energy, own_.set.size());
    fill(out_.energy_before, 1);
    fill(out_.energy_after, 1);
  }
}

}  // namespace

template <class T> ImpulseParts& BasicBatchSolver<T>::Impl::impulse_of(Alone& a) const {
  ImpulseParts& x = Solver::impulse_parts(*a.solver.parts_);
  x.read(*a.solver.parts_);
  return x;
}

template <class T>
const BatchReport& BasicBatchSolver<T>::impulse(const BatchImpulseInput<T>& in, const BatchImpulseOutput<T>& out) {
  Impl& own = existing(impl_);
  const Index nq = own.model.nq(), nv = own.model.nv(), rows = own.set.rows(), count = own.set.size();
  BatchTask<T> task(own, "impulse");
  task.in("q", in.q, nq, true).in("v", in.v, nv).in("impulse", in.impulse, nv).external(in.external);
  ConstrainedTask<T> t;
  own.prepare(task, in.active, in.prescribed, t);
  if (in.model != Restitution::newton && own.settings.singularity == Singularity::damping)
    throw UnsupportedError(std::string("BatchSolver::impulse: restitution '") + name_of(in.model) +
                           "' needs rows that are met; singularity 'damping' misses them");
  take_given(task, "BatchSolver::impulse", in.prescribed, in.prescribed_change, t);
  task.call().constrained = &t;
  const StateArray<const T> numbers[2] = {task.array("restitution", in.restitution, rows),
                                          task.array("target", in.target, rows)};
  for_each_vector(out, nv, rows,
                  [&](const char* name, const auto& to, Index size, auto) { task.result(name, to, size); });
  task.result("wrench", out.wrench, 6 * count);
  task.result("energy", out.energy, count);
  task.result("energy_before", out.energy_before, 1);
  task.result("energy_after", out.energy_after, 1);
  ImpulseCall<T, Impl> call(own, in, out, task.call(), numbers);
  const bool lanes = in.model == Restitution::newton && LaneRows::suit<T>(own.model, own.set, own.settings) && nv > 0;
  if (lanes) call.prepare_lanes(t);
  own.BatchCore<T>::run(
      task.call(),
      [&](int thread, long first, long last) {
        if (lanes) return call.solve_in_lanes(thread, first, last);
        for (long s = first; s < last; ++s) call.solve_alone(thread, s);
      },
      lanes ? StateArray<T>::k_tile : 1);
  call.fill_failed();
  return own.report;
}

template const BatchReport& BasicBatchSolver<double>::impulse(const BatchImpulseInput<double>&,
                                                              const BatchImpulseOutput<double>&);
template const BatchReport& BasicBatchSolver<float>::impulse(const BatchImpulseInput<float>&,
                                                             const BatchImpulseOutput<float>&);

}  // namespace zwang
