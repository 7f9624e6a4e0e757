// SPDX-License-Identifier: BSD-3-Clause
// BatchDerivatives: gradients in lanes where the problem is regular, else a Solver for each thread.
#include "zwang/batch/batch_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "batch/alone.hpp"
#include "batch/gradient_lanes.hpp"
#include "constraint/constraint_state.hpp"
#include "rows/check_constraint.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang {
namespace {

/// How many numbers the parts of a result have.
struct Parts {
  Index nv, rows, constraints, parameters, joints;
};

// f(name, output, numbers of a state, part of the result of one state), for every output of a call.
template <class T, class F> void for_each_output(const BatchSolutionDerivatives<T>& out, const Parts& n, F&& f) {
  using D = SolutionDerivatives;
  const auto jacobian = [&](const char* name, const BatchSolutionJacobian<T>& to, Index size, SolutionJacobian D::*of) {
    const auto by = [&](const StatesOut<T>& x, Index columns, JacobianView SolutionJacobian::*input) {
      f(
          name, x, size * columns, [=](const D& d) -> auto& { return d.*of.*input; });
    };
    by(to.q, n.nv, &SolutionJacobian::q);
    by(to.v, n.nv, &SolutionJacobian::v);
    by(to.tau, n.nv, &SolutionJacobian::tau);
    by(to.beta, n.rows, &SolutionJacobian::beta);
  };
  jacobian("acceleration", out.acceleration, n.nv, &D::acceleration);
  jacobian("multipliers", out.multipliers, n.rows, &D::multipliers);
  jacobian("motor_torque", out.motor_torque, n.nv, &D::motor_torque);
  const Index size = n.rows * n.nv;
  f(
      "residual.q", out.residual.q, size, [](const D& d) -> auto& { return d.residual.q; });
  f(
      "residual.v", out.residual.v, size, [](const D& d) -> auto& { return d.residual.v; });
  f(
      "residual.a", out.residual.a, size, [](const D& d) -> auto& { return d.residual.a; });
  f(
      "velocity_error.q", out.velocity_error.q, size, [](const D& d) -> auto& { return d.velocity_error.q; });
  f(
      "velocity_error.v", out.velocity_error.v, size, [](const D& d) -> auto& { return d.velocity_error.v; });
  f(
      "position_error.q", out.position_error.q, size, [](const D& d) -> auto& { return d.position_error.q; });
}

template <class T, class F> void for_each_output(const BatchInputGradient<T>& out, const Parts& n, F&& f) {
  using G = InputGradient;
  f("q", out.q, n.nv, &G::q);
  f("v", out.v, n.nv, &G::v);
  f("tau", out.tau, n.nv, &G::tau);
  f("prescribed", out.prescribed, n.nv, &G::prescribed);
  f("force", out.force, n.nv, &G::force);
  f("beta", out.beta, n.rows, &G::beta);
  f("target", out.target, n.rows, &G::target);
  f("target_velocity", out.target_velocity, n.rows, &G::target_velocity);
  f("compliance", out.compliance, n.rows, &G::compliance);
  f("time_constant", out.time_constant, n.constraints, &G::time_constant);
  f("damping_ratio", out.damping_ratio, n.constraints, &G::damping_ratio);
  f("armature", out.armature, n.nv, &G::armature);
  f("damping", out.damping, n.nv, &G::damping);
  f("stiffness", out.stiffness, n.nv, &G::stiffness);
  f("gravity", out.gravity, 3, &G::gravity);
  f("inertial_parameters", out.inertial_parameters, n.parameters, &G::inertial_parameters);
  f("placement", out.placement, 6 * n.joints, [](const G& g) { return g.placement.transpose(); });
}

template <class T, class F> void for_each_output(const BatchSolutionVariation<T>& out, const Parts& n, F&& f) {
  using V = SolutionVariation;
  f("acceleration", out.acceleration, n.nv, &V::acceleration);
  f("multipliers", out.multipliers, n.rows, &V::multipliers);
  f("motor_torque", out.motor_torque, n.nv, &V::motor_torque);
}

/// Row by row into a state; false where a number leaves the range of T. NaN is a result: a position error may be.
template <class T, class Numbers> bool put_rows(const StateArray<T>& to, long s, const Numbers& x) {
  bool in_range = true;
  Index k = 0;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j, ++k) {
      number_of(to, s, k) = static_cast<T>(x(i, j));
      in_range = in_range && !std::isinf(number_of(to, s, k));
    }
  return in_range;
}

/// Weights or directions of one state, in double.
struct Vectors {
  Buffer<double> x[5];
  ConstVector view(int i, Index size) const { return given[i] ? ConstVector(x[i].data(), size) : ConstVector(); }
  bool given[5] = {};
};

}  // namespace

template <class T> struct BasicBatchDerivatives<T>::Impl : BatchCore<T> {
  Impl(const Model& m, const ConstraintSet& constraints, const SolverSettings& s, const BatchOptions& options)
      : BatchCore<T>(m, options),
        set(ConstraintSet::Sharing::with(constraints)),
        settings(s),
        gravity(m.gravity()),
        lanes(m) {
    read_settings<T>(settings, single);
    make();
  }
  void make();
  Parts parts() const;
  template <class Out, class Derive>
  const BatchReport& run(const char* function, const BatchSolveInput<T>& in, const Out& out,
                         std::initializer_list<std::pair<const char*, const StatesIn<T>*>> vectors, Derive derive);
  template <class Out, class Derive> Status one(int thread, const BatchCall<T>& c, long s, const Out& out,
                                                std::span<const StateArray<const T>> vectors, Derive& derive);
  template <class Out> void fill(const Out& out, long s, T x) const;
  template <class Out> void fill_refused(const Out& out, long states) const;

  ConstraintSet set;  ///< shares its state with the user's
  SolverSettings settings;
  SolverSettings single;  ///< as the solvers have them
  Vec3<double> gravity;
  std::vector<std::unique_ptr<Alone>> alone;  ///< one per thread
  std::vector<Vectors> vectors;               ///< likewise
  GradientLanes<T> lanes;                     ///< of vjp()
  std::vector<std::string_view> reasons;      ///< [states]
  GivenCoordinates coordinates;
  unsigned version = 0;
};

template <class T> void BasicBatchDerivatives<T>::Impl::make() {
  std::vector<std::unique_ptr<Alone>> fresh;
  std::vector<Vectors> room(static_cast<std::size_t>(this->threads()));
  for (int t = 0; t < this->threads(); ++t) fresh.push_back(std::make_unique<Alone>(this->model, set, single));
  for (Vectors& v : room)
    for (Buffer<double>& x : v.x) x = Buffer<double>(std::max(this->model.nv(), set.rows()));
  alone = std::move(fresh);
  vectors = std::move(room);
  lanes.make(this->model, set, this->threads());
  coordinates.resize(this->model.nv());
  version = set.version();
}

template <class T> Parts BasicBatchDerivatives<T>::Impl::parts() const {
  const Model& m = this->model;
  return {m.nv(), set.rows(), set.size(), 10 * static_cast<Index>(m.links().size()),
          static_cast<Index>(m.joints().size())};
}

template <class T> template <class Out> void BasicBatchDerivatives<T>::Impl::fill(const Out& out, long s, T x) const {
  for_each_output(out, parts(), [&](const char*, const StatesOut<T>& to, Index size, const auto&) {
    for (Index k = 0; to.given() && k < size; ++k) number_of(array_of(to), s, k) = x;
  });
}

/// NaN where there is no result, not even that there is no derivative.
template <class T> template <class Out>
void BasicBatchDerivatives<T>::Impl::fill_refused(const Out& out, long states) const {
  for (long s = 0; s < states; ++s) {
    const auto x = static_cast<Status>(this->status[static_cast<std::size_t>(s)]);
    if (x != Status::ok && x != Status::not_differentiable && x != Status::overflow)
      fill(out, s, std::numeric_limits<T>::quiet_NaN());
  }
}

/// Solves a state, differentiates it by derive(solver, vectors) and writes the result.
template <class T> template <class Out, class Derive>
Status BasicBatchDerivatives<T>::Impl::one(int thread, const BatchCall<T>& c, long s, const Out& out,
                                           std::span<const StateArray<const T>> given_vectors, Derive& derive) {
  Alone& a = *alone[static_cast<std::size_t>(thread)];
  Vectors& x = vectors[static_cast<std::size_t>(thread)];
  a.solver.forget_states();  // a state's bits do not depend on those before
  a.load(set, single, c, s);
  if (!a.is_finite(*c.constrained, s)) return Status::non_finite_input;
  for (std::size_t i = 0; i < given_vectors.size(); ++i) {
    const StateArray<const T>& from = given_vectors[i];
    x.given[i] = from.data != nullptr;
    for (Index k = 0; x.given[i] && k < from.size; ++k) {
      x.x[i][k] = static_cast<double>(number_of(from, s, k));
      if (!std::isfinite(x.x[i][k])) return Status::non_finite_input;
    }
  }
  a.solver.data().gravity = gravity;
  const Status solved = a.solve().report.status;
  if (solved == Status::non_finite_input || solved == Status::invalid_input) return solved;
  const auto& result = derive(a.solver, x);
  reasons[static_cast<std::size_t>(s)] = result.reason;
  bool in_range = true;
  for_each_output(out, parts(), [&](const char*, const StatesOut<T>& to, Index, const auto& part) {
    if (to.given()) in_range = put_rows(array_of(to), s, std::invoke(part, result)) && in_range;
  });
  if (in_range) return result.status;
  fill(out, s, T(0));
  return Status::overflow;
}

template <class T> template <class Out, class Derive> const BatchReport& BasicBatchDerivatives<T>::Impl::run(
    const char* function, const BatchSolveInput<T>& in, const Out& out,
    std::initializer_list<std::pair<const char*, const StatesIn<T>*>> given_vectors, Derive derive) {
  BatchTask<T> task(*this, function);
  const Index nq = this->model.nq(), nv = this->model.nv(), rows = set.rows();
  task.in("q", in.q, nq, true).in("v", in.v, nv).in("tau", in.tau, nv).external(in.external);
  task.effects(settings.joint_effects);
  read_settings<T>(settings, single);
  if (version != set.version() || !lanes.has_room_for(set)) make();
  ConstrainedTask<T> t;
  t.beta = task.array("beta", in.beta, rows);
  t.active = task.array("active", in.active, set.size());
  take_given(task, "BatchDerivatives", in.prescribed, in.prescribed_acceleration, t);
  BatchCall<T>& call = task.call();
  call.constrained = &t;
  for_each_output(out, parts(), [&](const char* name, const StatesOut<T>& to, Index size, const auto&) {
    task.result(name, to, size);
  });
  StateArray<const T> arrays[5];
  int count = 0;
  for (const auto& [name, x] : given_vectors) {
    const std::string_view what = name;
    const bool of_rows = what == "multipliers" || what == "beta";
    arrays[count++] = task.array(name, *x, of_rows ? rows : nv);
  }
  for (const std::unique_ptr<Alone>& a : alone) a->begin(call.wrenches);
  alone.front()->check(set, single, t.active.data != nullptr, in.prescribed);
  coordinates.prepare(in.prescribed, t);
  if (static_cast<long>(reasons.size()) < call.states) reasons.resize(static_cast<std::size_t>(call.states));
  std::fill_n(reasons.begin(), call.states, std::string_view());
  const std::span<const StateArray<const T>> given_arrays(arrays, static_cast<std::size_t>(count));
  bool in_lanes = false;
  if constexpr (std::is_same_v<Out, BatchInputGradient<T>>)
    in_lanes = lanes.begin(this->model, set, single, gravity, given_arrays, out, call, t);
  try {
    BatchCore<T>::run(
        call,
        [&](int thread, long first, long last) {
          if (in_lanes) lanes.run(thread, call, first, last);
          for (long s = first; s < last; ++s) {
            if (!in_lanes || call.status[s] == k_solve_alone) {
              call.status[s] = static_cast<unsigned char>(one(thread, call, s, out, given_arrays, derive));
            } else if constexpr (std::is_same_v<Out, BatchInputGradient<T>>) {
              if (call.status[s] == static_cast<unsigned char>(Status::ok)) lanes.put_rest(this->model, out, s);
              if (call.status[s] == static_cast<unsigned char>(Status::overflow)) fill(out, s, T(0));
            }
          }
        },
        in_lanes ? StateArray<T>::k_tile : 1);
  } catch (...) {
    fill_refused(out, call.states);
    throw;
  }
  fill_refused(out, call.states);
  return this->report;
}

template <class T> BasicBatchDerivatives<T>::BasicBatchDerivatives(const Model& model, const ConstraintSet& constraints,
                                                                   const SolverSettings& settings,
                                                                   const BatchOptions& options) {
  check_model("BatchDerivatives", model, constraints);
  impl_ = make_owned<Impl>(model, constraints, settings, options);
  impl_->version = impl_->set.version();
}
template <class T> BasicBatchDerivatives<T>::BasicBatchDerivatives(BasicBatchDerivatives&&) noexcept = default;
template <class T>
BasicBatchDerivatives<T>& BasicBatchDerivatives<T>::operator=(BasicBatchDerivatives&&) noexcept = default;
template <class T> BasicBatchDerivatives<T>::~BasicBatchDerivatives() = default;
template <class T> const Model& BasicBatchDerivatives<T>::model() const { return existing(impl_).model; }
template <class T> int BasicBatchDerivatives<T>::threads() const { return existing(impl_).threads(); }
template <class T> void BasicBatchDerivatives<T>::reserve(long states) {
  Impl& own = existing(impl_);
  own.reserve_for_user(states);
  if (static_cast<long>(own.reasons.size()) < states) own.reasons.resize(static_cast<std::size_t>(states));
}
template <class T> void BasicBatchDerivatives<T>::on_progress(BatchProgress callback, void* context, double interval) {
  existing(impl_).on_progress(callback, context, interval);
}
template <class T> void BasicBatchDerivatives<T>::set_gravity(const Vec3<double>& gravity) {
  Impl& own = existing(impl_);
  own.check_idle("set_gravity");
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(gravity[k])) detail::throw_not_finite("BatchDerivatives::set_gravity", "gravity", k, gravity[k]);
  own.gravity = gravity;
}
template <class T> const BatchReport& BasicBatchDerivatives<T>::report() const { return existing(impl_).report; }
template <class T> std::string_view BasicBatchDerivatives<T>::reason(long state) const {
  static_cast<void>(report().status(state));  // throws where there is no such state
  return existing(impl_).reasons[static_cast<std::size_t>(state)];
}
template <class T> long BasicBatchDerivatives<T>::solved_alone() const { return solved_by(existing(impl_).alone); }
template <class T> SolverSettings& BasicBatchDerivatives<T>::settings() { return existing(impl_).settings; }

template <class T> const BatchReport& BasicBatchDerivatives<T>::derivatives(const BatchSolveInput<T>& in,
                                                                            const BatchSolutionDerivatives<T>& out) {
  return existing(impl_).run(
      "derivatives", in, out, {}, [](Solver & s, const Vectors&) -> auto& { return s.derivatives(); });
}
template <class T> const BatchReport& BasicBatchDerivatives<T>::vjp(const BatchSolveInput<T>& in,
                                                                    const BatchSolutionGradient<T>& of,
                                                                    const BatchInputGradient<T>& out) {
  const Index nv = model().nv(), rows = existing(impl_).set.rows();
  return existing(impl_).run(
      "vjp", in, out,
      {{"acceleration", &of.acceleration}, {"multipliers", &of.multipliers}, {"motor_torque", &of.motor_torque}},
      [ =, wrt = GradientParts{out.inertial_parameters.given(), out.placement.given()} ](Solver & s,
                                                                                         const Vectors& x) -> auto& {
        return s.vjp({x.view(0, nv), x.view(1, rows), x.view(2, nv)}, wrt);
      });
}
template <class T> const BatchReport& BasicBatchDerivatives<T>::jvp(const BatchSolveInput<T>& in,
                                                                    const BatchInputVariation<T>& along,
                                                                    const BatchSolutionVariation<T>& out) {
  const Index nv = model().nv(), rows = existing(impl_).set.rows();
  return existing(impl_).run(
      "jvp", in, out,
      {{"q", &along.q}, {"v", &along.v}, {"tau", &along.tau}, {"beta", &along.beta}, {"force", &along.force}},
      [=](Solver & s, const Vectors& x) -> auto& {
        return s.jvp({x.view(0, nv), x.view(1, nv), x.view(2, nv), x.view(3, rows), x.view(4, nv)});
      });
}

template class BasicBatchDerivatives<double>;
template class BasicBatchDerivatives<float>;

}  // namespace zwang
