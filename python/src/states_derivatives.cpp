// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the last solutions of N states: they are solved again, by a BatchDerivatives.
#include <cmath>

#include "solution_derivatives.hpp"
#include "states_question.hpp"
#include "turning_axes.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang::python {
namespace {

template <class T> using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A new array with a leading N, and the place of its numbers.
template <class T> StatesOut<T> fresh(nb::object& array, Index states, std::initializer_list<Index> shape) {
  Output out("Solver.derivatives", "out", nb::none(), states, shape, sizeof(T) == sizeof(float));
  array = out.array;
  const Index size = out.size();
  return StatesOut<T>(StateLayout<T>{static_cast<T*>(out.memory()->buf), states, size, 32L * size, size, 1});
}
template <class T> T* numbers_of(const StatesOut<T>& x, Index state) {
  return x.layout().data + static_cast<std::ptrdiff_t>(state) * x.layout().size;
}

/// A vector of each state, or of all; None: absent.
template <class T> Numbers<T> given(const char* function, const char* name, nb::handle x, Index size, Index states) {
  Numbers<T> out;
  if (x.is_none()) return out;
  const Input in(function, name, x, size, VectorKind::numbers, nullptr,
                 sizeof(T) == sizeof(float) ? Precision::any : Precision::twice);
  if (in.states() >= 0 && in.states() != states)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has " +
                                std::to_string(in.states()) + " rows, expected " + std::to_string(states) +
                                ", as many states as the last solve had");
  const Index count = in.states() < 0 ? 1 : states;
  out.size = size, out.stride = in.states() < 0 ? 0 : size, out.there = true;
  out.x.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(size));
  for (Index s = 0; s < count; ++s)
    for (Index k = 0; k < size; ++k) {
      const double number = in.at(s)[k];
      if (!std::isfinite(number))
        throw std::invalid_argument((in.states() < 0 ? "" : "state " + std::to_string(s) + ": ") + "E_NUMBER " +
                                    function + ": argument '" + name + "'[" + std::to_string(k) + "] is " +
                                    std::to_string(number) + ", expected finite numbers");
      out.x.push_back(static_cast<T>(number));
    }
  return out;
}

/// One call: what all three have in common.
template <class T> class CallOfStates {
 public:
  CallOfStates(const StatesQuestion<T>& asked, SolverCore& core, const char* function, nb::handle progress)
      : asked_(asked),
        core_(core),
        lanes_(core, lanes_for<T>(core, asked.set->set, asked.settings)) {
    watch_.show(function, progress);
  }
  Index states() const { return asked_.states; }
  Index nv() const { return core_.shared->robot.model.nv(); }
  Index rows() const { return asked_.set->set.rows(); }

  /// work(batch, input), without the GIL. Raises what has stopped it.
  template <class Work> void run(Work&& work) {
    BasicBatchDerivatives<T>& batch = lanes_->differentiator(asked_.settings);
    const std::shared_ptr<Raised> raised = core_.shared->raised;
    if (raised) raised->forget();
    if (states() > 0) {
      const nb::gil_scoped_release release;
      batch.set_gravity(asked_.gravity);
      batch.on_progress(&Watch::look, &watch_, watch_.interval());
      report_ = &work(batch, asked_.input());
    }
    if (raised) raised->rethrow();
    watch_.finish();
  }
  Status status(Index state) const { return report_->status(state); }

  nb::object statuses() const {
    static PyObject* slot;
    const nb::object array = kept(slot, "numpy", "empty")(nb::make_tuple(states()), "uint8");
    const StatusOutput out("Solver.derivatives", array, states());
    for (Index s = 0; s < states(); ++s) out.put(s, status(s));
    return array;
  }
  nb::object reasons() const {
    nb::list out;
    for (Index s = 0; s < states(); ++s) out.append(nb::str(std::string(lanes_->derivatives->reason(s)).c_str()));
    return nb::object(out);
  }
  TakenAt taken_at() const {
    WhereTaken at{core_.shared->robot, states(), {}, {}, sizeof(T) == sizeof(float)};
    at.q.reserve(static_cast<std::size_t>(states()) * static_cast<std::size_t>(core_.shared->robot.model.nq()));
    for (Index s = 0; s < states(); ++s) {
      for (Index k = 0; k < core_.shared->robot.model.nq(); ++k) at.q.push_back(static_cast<double>(asked_.q.at(s, k)));
      at.status.push_back(status(s));
    }
    return std::make_shared<const WhereTaken>(std::move(at));
  }
  /// each(state, turned) for wrenches along the axes of a frame, which turn with it: turned(by) is d of J^T w by what
  /// moves these axes, `by` a function of turning_axes.hpp. Not for states that have no derivatives, or whose numbers
  /// will be refused.
  bool turns() const { return static_cast<bool>(asked_.axes) && !asked_.external.empty(); }
  template <class Each> void for_each_turned(Each&& each) const {
    if (!turns()) return;
    const Model& model = core_.shared->robot.model;
    const Lease lease(core_.shared->robot);
    Externals wrenches(asked_.external.size());
    std::vector<double> q(static_cast<std::size_t>(model.nq()));
    for (Index s = 0; s < states(); ++s) {
      if (report_ != nullptr && status(s) != Status::ok) continue;
      asked_.q.copy(s, q);
      if (report_ == nullptr && !is_good(q)) continue;
      for (std::size_t i = 0; i < wrenches.size(); ++i) {
        wrenches[i] = {asked_.external[i].frame, {}, asked_.external[i].in};
        for (Index k = 0; k < 6; ++k) wrenches[i].wrench[k] = static_cast<double>(asked_.external[i].wrench.at(s, k));
      }
      const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq());
      each(s, [&](auto&& by) { return by(model, (*lease).data, wrenches, asked_.axes, at); });
    }
  }

 private:
  bool is_good(const std::vector<double>& q) const {
    try {
      check_configuration(core_.shared->robot.model, q.data(), static_cast<Index>(q.size()), "Solver.jvp", "q");
    } catch (const std::invalid_argument&) { return false; }
    return true;
  }
  const StatesQuestion<T>& asked_;
  SolverCore& core_;
  LanesOfCall<T> lanes_;
  Watch watch_;
  const BatchReport* report_ = nullptr;
};

/// by_q += F A of a state, where F is by generalised forces.
template <class T>
void add_turned(const BatchSolutionJacobian<T>& to, Index state, Index nv, bool of_motors, const Eigen::MatrixXd& A) {
  const Index size = nv == 0 ? 0 : to.q.layout().size / nv;
  ByRows<double> F = Eigen::Map<const ByRows<T>>(numbers_of(to.tau, state), size, nv).template cast<double>();
  if (of_motors) F.diagonal().array() -= 1;
  Eigen::Map<ByRows<T>>(numbers_of(to.q, state), size, nv) += (F * A).template cast<T>();
}

}  // namespace

template <class T> nb::object StatesQuestion<T>::derivatives(SolverCore& core, nb::handle progress) const {
  CallOfStates<T> call(*this, core, "Solver.derivatives", progress);
  const Index nv = call.nv(), rows = call.rows();
  JacobianObject a, l, t{.of_motors = true};
  RowsObject residual, velocity{.a = nb::none()}, position{.v = nb::none(), .a = nb::none()};
  const auto jacobian = [&](JacobianObject& x, Index size) {
    return BatchSolutionJacobian<T>{fresh<T>(x.q, states, {size, nv}), fresh<T>(x.v, states, {size, nv}),
                                    fresh<T>(x.tau, states, {size, nv}), fresh<T>(x.beta, states, {size, rows})};
  };
  const auto of_rows = [&](nb::object& x) { return fresh<T>(x, states, {rows, nv}); };
  const BatchSolutionDerivatives<T> out{jacobian(a, nv),
                                        jacobian(l, rows),
                                        jacobian(t, nv),
                                        {of_rows(residual.q), of_rows(residual.v), of_rows(residual.a)},
                                        {of_rows(velocity.q), of_rows(velocity.v)},
                                        {of_rows(position.q)}};
  call.run([&](auto& batch, const auto& input) -> auto& { return batch.derivatives(input, out); });
  call.for_each_turned([&](Index s, const auto& turned) {
    const Eigen::MatrixXd A = turned(by_turning_axes);
    for (const auto* x : {&out.acceleration, &out.multipliers, &out.motor_torque})
      add_turned(*x, s, nv, x == &out.motor_torque, A);
  });
  a.at = l.at = t.at = call.taken_at();
  return nb::cast(DerivativesObject{call.statuses(), call.reasons(), nb::cast(a), nb::cast(l), nb::cast(t),
                                    nb::cast(residual), nb::cast(velocity), nb::cast(position)});
}

template <class T>
nb::object StatesQuestion<T>::vjp(SolverCore& core, const SolutionWeights& of, nb::handle progress) const {
  constexpr const char* function = "Solver.vjp";
  CallOfStates<T> call(*this, core, function, progress);
  const Model& model = core.shared->robot.model;
  const Index nv = call.nv(), rows = call.rows();
  const Numbers<T> wa = zwang::python::given<T>(function, "acceleration", of.acceleration, nv, states),
                   wl = zwang::python::given<T>(function, "multipliers", of.multipliers, rows, states),
                   wt = zwang::python::given<T>(function, "motor_torque", of.motor_torque, nv, states);
  GradientObject g;
  g.asked = of.asked;
  const GradientSizes sizes{nv,
                            rows,
                            set->set.size(),
                            3,
                            10 * static_cast<Index>(model.links().size()),
                            static_cast<Index>(model.joints().size())};
  BatchInputGradient<T> out{.force = fresh<T>(g.force, states, {nv})};
  for_each_part_of_gradient([&](const char* name, auto array, auto size, auto member, const char*) {
    nb::object& to = g.*array = nb::none();
    if (!is_asked(g.asked, name)) return;
    if (array == &GradientObject::placement)
      member(out) = fresh<T>(to, states, {sizes.*size, 6});
    else
      member(out) = fresh<T>(to, states, {sizes.*size});
  });
  call.run([&](auto& batch, const auto& input) -> auto& {
    return batch.vjp(input, {wa.view(states), wl.view(states), wt.view(states)}, out);
  });
  call.for_each_turned([&](Index s, const auto& turned) {
    const Eigen::VectorXd force =
        Eigen::Map<const Eigen::VectorX<T>>(numbers_of(out.force, s), nv).template cast<double>();
    const auto add = [&](const StatesOut<T>& to, const Eigen::MatrixXd& A) {
      Eigen::Map<Eigen::VectorX<T>>(numbers_of(to, s), A.cols()) += (A.transpose() * force).template cast<T>();
    };
    if (out.q.given()) add(out.q, turned(by_turning_axes));
    if (out.placement.given()) add(out.placement, turned(by_axes_of_placements));  // (joints, 6) by rows
  });
  g.status = call.statuses(), g.reason = call.reasons(), g.at = call.taken_at();
  return nb::cast(g);
}

template <class T>
nb::object StatesQuestion<T>::jvp(SolverCore& core, const InputDirection& along, nb::handle progress) const {
  constexpr const char* function = "Solver.jvp";
  CallOfStates<T> call(*this, core, function, progress);
  const Index nv = call.nv(), rows = call.rows();
  const Numbers<T> dq = zwang::python::given<T>(function, "q", along.q, nv, states),
                   dv = zwang::python::given<T>(function, "v", along.v, nv, states),
                   dtau = zwang::python::given<T>(function, "tau", along.tau, nv, states),
                   dbeta = zwang::python::given<T>(function, "beta", along.beta, rows, states);
  Numbers<T> force;
  if (dq.there && call.turns()) {
    force.size = nv, force.stride = nv, force.there = true;
    force.x.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(nv));
    std::vector<double> d(static_cast<std::size_t>(nv));
    call.for_each_turned([&](Index s, const auto& turned) {
      dq.copy(s, d);
      const Eigen::VectorXd x = turned(by_turning_axes) * Eigen::Map<const Eigen::VectorXd>(d.data(), nv);
      for (Index k = 0; k < nv; ++k) force.x[static_cast<std::size_t>(s * nv + k)] = static_cast<T>(x(k));
    });
  }
  VariationObject x;
  const BatchSolutionVariation<T> out{fresh<T>(x.acceleration, states, {nv}), fresh<T>(x.multipliers, states, {rows}),
                                      fresh<T>(x.motor_torque, states, {nv})};
  call.run([&](auto& batch, const auto& input) -> auto& {
    return batch.jvp(
        input, {dq.view(states), dv.view(states), dtau.view(states), dbeta.view(states), force.view(states)}, out);
  });
  x.status = call.statuses(), x.reason = call.reasons();
  return nb::cast(x);
}

template class StatesQuestion<double>;
template class StatesQuestion<float>;

}  // namespace zwang::python
