// SPDX-License-Identifier: BSD-3-Clause
// Impulses: Solver.impulse of one state and of N, and the derivatives of the last one.
#include "zwang/question/impulse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "differentiated.hpp"
#include "impulse.hpp"
#include "states_question.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "Solver.impulse";

/// Numbers of all rows, `otherwise` where they are not given: a number for all (where `scalar`), an array (rows,) or
/// (N, rows), or a dictionary from constraints and groups to numbers, one for all rows of a constraint, or (k,) or
/// (N, k). None: absent.
StateRows numbers_of_rows(Call& call, const char* name, nb::handle given, const ConstraintSet& set, bool scalar,
                          const std::vector<double>& otherwise) {
  if (given.is_none()) return {};
  const auto is_number = [](nb::handle x) { return PyFloat_Check(x.ptr()) || PyLong_Check(x.ptr()); };
  StateRows rows{otherwise, set.rows()};
  const auto put = [&](nb::handle numbers, Index size, Index first, Index count) {
    const Input in(k_function, name, numbers, size);
    call.count_states(name, in.states());
    rows.put(in, first, count);
  };
  if (scalar && is_number(given)) {
    rows.x.assign(rows.x.size(), nb::cast<double>(given));
  } else if (!PyDict_Check(given.ptr())) {
    put(given, rows.size, 0, rows.size);
  } else {
    for_each_constraint(k_function, name, given, set, [&](Index c, nb::handle value) {
      Index first = 0;
      for (Index k = 0; k < c; ++k) first += set.constraints()[static_cast<std::size_t>(k)].size();
      const Index count = set.constraints()[static_cast<std::size_t>(c)].size();
      if (is_number(value))
        put(nb::make_tuple(value), 1, first, count);
      else
        put(value, count, first, count);
    });
  }
  return rows;
}

using Written = RowArrays<ImpulseObject>;

BatchImpulseOutput<double> output_of(const Written& arrays, Index states) {
  using T = ImpulseObject;
  const auto out = [&](nb::object T::*array) {
    const Output& x = arrays[array];
    if (x.size() == 0) return StatesOut<double>();
    return StatesOut<double>(
        StateLayout<double>{static_cast<double*>(x.memory()->buf), states, x.size(), 32L * x.size(), x.size(), 1});
  };
  return {.velocity = out(&T::velocity),
          .multipliers = out(&T::multipliers),
          .motor_impulse = out(&T::motor_impulse),
          .reaction = out(&T::reaction),
          .velocity_before = out(&T::velocity_before),
          .velocity_after = out(&T::velocity_after),
          .residual = out(&T::residual),
          .wrench = out(&T::wrench),
          .energy = out(&T::energy),
          .energy_before = out(&T::energy_before),
          .energy_after = out(&T::energy_after)};
}

struct Arguments {
  const StateInputs& state;
  StateRows restitution, target;
  Restitution model;
};

void impulse_of_one(SolverCore& core, Call& call, const Arguments& x, const Written& written, ImpulseObject& to) {
  const Input& q = x.state.q;
  const Prescribed prescribed = x.state.masks.prescribed();
  call.weigh(core.shared->set.rows());
  call.run([&](Workspace& w, Index) {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    const Watched watched(core.solver, call.watch());
    ImpulseInput in = x.state.of_one<ImpulseInput>(w, prescribed);
    in.restitution = x.restitution.of(0), in.target = x.target.of(0), in.model = x.model;
    in.impulse = StateInputs::vector(x.state.motors);
    core.impulse = {};
    const Impulse& result = core.solver.impulse(in);
    if (call.watch().stopped()) return;
    core.impulse.q.assign(q.at(0), q.at(0) + q.size());
    core.impulse.axes = call.needs_axes() ? call.axes() : FrameId{};
    core.impulse.turning = call.needs_axes() ? w.external : Externals{};
    core.impulse.there = true;
    written.put(0, result);
    to.reports.front().assign(result.report);
  });
}

/// On the threads of a batch.
void impulse_of_states(SolverCore& core, Call& call, const Arguments& x, ImpulseObject& to, const Written& written) {
  const StateMasks& masks = x.state.masks;
  const Input* const before = x.state.v;
  const Index n = call.count();
  LanesOfCall<double> lanes(core, nullptr);
  const std::shared_ptr<Raised> raised = core.shared->raised;
  if (raised) raised->forget();
  {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    lanes.lanes = lanes_for<double>(core, core.shared->set, std::as_const(core.solver).settings());
    core.impulse = {};
  }
  static PyObject* slot;
  to.status = kept(slot, "numpy", "zeros")(nb::make_tuple(n), "uint8");
  BatchImpulseInput<double> in{.q = states_in<double>(x.state.q, n),
                               .v = StateInputs::states<double>(before, n),
                               .restitution = x.restitution.all(n),
                               .target = x.target.all(n),
                               .model = x.model,
                               .impulse = StateInputs::states<double>(x.state.motors, n),
                               .prescribed = masks.coordinates};
  if (masks.has_active) in.active = masks.active.all(n);
  if (!masks.coordinates.empty()) in.prescribed_change = masks.given.all(n);
  const Robot& robot = core.shared->robot;
  if (n > 0) {
    std::optional<Lease> lease;
    if (call.needs_axes()) lease.emplace(robot);
    Outputs<double> room(lanes->rooms, n);
    call.place_external(room, in.external, lease ? &**lease : nullptr);
    const nb::gil_scoped_release release;
    lanes->solver.on_progress(&Watch::look, &call.watch(), call.watch().interval());
    lanes->solver.impulse(in, output_of(written, n));
    const Output &after = written[&ImpulseObject::velocity], &change = written[&ImpulseObject::change];
    for (Index s = 0; s < n; ++s)
      for (Index k = 0; k < robot.model.nv(); ++k)
        *change.entry(s, k, 0) = *after.entry(s, k, 0) - (before != nullptr ? before->at(s)[k] : 0.0);
  }
  if (raised) raised->rethrow();
  const StatusOutput own(k_function, to.status, n);
  for (Index k = 0; k < n; ++k) {
    const Status status = lanes->solver.report().status(k);
    own.put(k, status);
    if (call.status().wanted()) call.status().put(k, status);
  }
  call.watch().finish();
  for (Index k = 0; k < n; ++k) {
    const Status status = lanes->solver.report().status(k);
    if (call.status().wanted() || (status != Status::non_finite_input && status != Status::invalid_input)) continue;
    call.check_state(k);  // names the argument
    const ConstVector E = x.restitution.of(k);
    for (Index r = 0; r < E.size(); ++r)
      if (!(E.data()[r] >= 0 && E.data()[r] <= 1))
        throw std::invalid_argument("state " + std::to_string(k) + ": " + k_function +
                                    ": restitution is a number in [0, 1]; got " + std::to_string(E.data()[r]));
    throw std::invalid_argument("state " + std::to_string(k) + ": " + k_function + ": " + name_of(status) +
                                ": expected finite numbers, and one restitution for each constraint where it is "
                                "energetic");
  }
}

nb::object impulse(const SolverObject& self, nb::handle q_, nb::handle v_, nb::handle restitution_, nb::handle target_,
                   const std::string& model, nb::handle impulse_, nb::handle external, const char* in,
                   nb::handle prescribed_, nb::handle active_, nb::handle status, nb::handle progress) {
  const Robot& robot = self.robot();
  SolverCore& core = *self.core;
  const ConstraintSet& set = core.shared->set;
  Call call(k_function, robot);
  const StateInputs state(call, k_function, set, {q_, v_, impulse_, nb::none(), external, in, prescribed_, active_},
                          "v_before", "impulse");
  const Arguments x{state, numbers_of_rows(call, "restitution", restitution_, set, true, restitution_of(set, {})),
                    numbers_of_rows(call, "target", target_, set, false, target_of(set, {})), restitution_of(model)};
  if (call.states() < 0 && state.masks.has_active)
    throw std::invalid_argument(
        "E_SIZE Solver.impulse: active is for N states; of one state it is that of the constraints: set[name].active");
  call.report_to(status, progress);
  if (!core.layout || !core.layout->is_of(set)) core.layout = std::make_shared<const RowLayout>(set);
  ImpulseObject made;
  made.layout = core.layout;
  made.states = call.states();
  {
    const Written written(k_function, made, false, robot.model.nv(), call.states());
    if (call.states() < 0) made.reports.resize(1);
    if (call.states() >= 0)
      impulse_of_states(core, call, x, made, written);
    else
      impulse_of_one(core, call, x, written, made);
    if (made.states < 0 && call.refused() != Status::ok) {
      written.fill(0, std::numeric_limits<double>::quiet_NaN());
      made.reports.front().record.status = call.refused();
    }
  }
  if (call.states() < 0 && call.status().wanted()) call.status().put(0, made.reports.front().record.status);
  return nb::cast(std::move(made));
}

void check_there(const SolverCore& core, const char* function) {
  if (!core.impulse.there)
    throw std::logic_error(std::string(function) +
                           ": there is no impulse of one state; call impulse() first. Of N states differentiate each");
}
/// d of J^T w for wrenches that turn with the axes of a frame.
Eigen::MatrixXd turned(const SolverCore& core) { return turned(core.shared->robot, core.impulse, by_turning_axes); }

nb::object impulse_derivatives(const SolverObject& self) {
  SolverCore& core = *self.core;
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  Eigen::MatrixXd by_axes;
  const ImpulseDerivatives& d = unlocked(
      lock, [&]() -> auto& {
        check_there(core, "Solver.impulse_derivatives");
        by_axes = turned(core);
        return core.solver.impulse_derivatives();
      });
  const auto jacobian = [&](const ImpulseJacobian& x) {
    Eigen::MatrixXd by_q = x.q;
    if (by_axes.size() > 0) by_q += x.impulse * by_axes;
    return nb::cast(ImpulseJacobianObject{matrix_of(by_q), matrix_of(x.v), matrix_of(x.impulse), matrix_of(x.target),
                                          matrix_of(x.restitution)});
  };
  return nb::cast(ImpulseDerivativesObject{status_of(d), reason_of(d), jacobian(d.velocity), jacobian(d.multipliers)});
}

nb::object impulse_jvp(const SolverObject& self, nb::handle q_, nb::handle v_, nb::handle impulse_, nb::handle target_,
                       nb::handle restitution_) {
  constexpr const char* function = "Solver.impulse_jvp";
  SolverCore& core = *self.core;
  const Index nv = core.shared->robot.model.nv(), rows = core.shared->set.rows();
  const Eigen::VectorXd q = one_vector(function, "q", q_, nv), v = one_vector(function, "v_before", v_, nv),
                        target = one_vector(function, "target", target_, rows),
                        restitution = one_vector(function, "restitution", restitution_, rows);
  Eigen::VectorXd of_motors = one_vector(function, "impulse", impulse_, nv);
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const ImpulseVariation& x = unlocked(
      lock, [&]() -> auto& {
        check_there(core, function);
        if (const Eigen::MatrixXd by_axes = turned(core); by_axes.size() > 0 && q.size() > 0) {
          if (of_motors.size() == 0) of_motors = Eigen::VectorXd::Zero(nv);
          of_motors += by_axes * q;
        }
        return core.solver.impulse_jvp(
            {.q = q, .v = v, .impulse = of_motors, .target = target, .restitution = restitution});
      });
  return nb::cast(ImpulseVariationObject{status_of(x), reason_of(x), vector_of(x.velocity), vector_of(x.multipliers)});
}

nb::object impulse_vjp(const SolverObject& self, nb::handle velocity, nb::handle multipliers) {
  constexpr const char* function = "Solver.impulse_vjp";
  SolverCore& core = *self.core;
  const Eigen::VectorXd a = one_vector(function, "velocity", velocity, core.shared->robot.model.nv()),
                        l = one_vector(function, "multipliers", multipliers, core.shared->set.rows());
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  Eigen::VectorXd by_q;
  const ImpulseInputGradient& g = unlocked(
      lock, [&]() -> auto& {
        check_there(core, function);
        const Eigen::MatrixXd by_axes = turned(core);
        const ImpulseInputGradient& gradient = core.solver.impulse_vjp({.velocity = a, .multipliers = l});
        by_q = gradient.q;
        if (by_axes.size() > 0) by_q += by_axes.transpose() * gradient.impulse;
        return gradient;
      });
  return nb::cast(ImpulseGradientObject{status_of(g), reason_of(g), vector_of(by_q), vector_of(g.v),
                                        vector_of(g.impulse), vector_of(g.target), vector_of(g.restitution)});
}

}  // namespace

void bind_solver_impulses(nb::module_& m, ClassOf<SolverObject>& c) {
  bind_impulse_classes(m);
  c.def(
      ZWANG_SIGNATURE(
          "def impulse(self, q: Vector, v_before: Vector | None = None, "
          "restitution: float | ArrayLike | Mapping[str, ArrayLike] = 0.0, "
          "target: ArrayLike | Mapping[str, ArrayLike] | None = None, *, model: str = \"newton\", "
          "impulse: Vector | None = None, external: External | None = None, in_: str = \"local_world_aligned\", "
          "prescribed: Mapping[str, ArrayLike] | None = None, "
          "active: ArrayLike | Mapping[str, ArrayLike] | None = None, status: StatusArray | None = None, "
          "progress: Progress = None) -> Impulse"),
      &impulse,
      "The velocities after a shock at q, in which all active rows take part:\n\n"
      "    M (v+ - v-) = J^T lambda + s,   J v+ + R lambda = w - E (J v- - w)\n\n"
      "restitution E in [0, 1]: a number for all rows, (rows,), or {name: a number, or one for each row} of "
      "constraints\n"
      "or groups, 0 for others. target w: (rows,) or {name: (k,)}; else the constraints' target_velocity. model: what "
      "E\n"
      "is of, newton (velocities), poisson (impulses) or energetic (work); docs/impulses.md. s: impulse (nv,) of the\n"
      "motors, external: impulses of wrenches as in forward_dynamics [N s, N m s]. prescribed: changes of velocity by\n"
      "joint or coordinate. The method and settings are the solver's; its last solution stays.\n\n"
      "With q (N, nq) the result is of N states, by Newton's law in lanes, else one at a time on the threads of a "
      "batch; then active as in "
      "solve.\n"
      "Raises ValueError naming argument, got and expected. Numerical outcomes never raise: impulse.status, report.\n"
      "status, progress as in solve.");
  c.def("impulse_derivatives", &impulse_derivatives, nb::sig("def impulse_derivatives(self) -> ImpulseDerivatives"),
        "Derivatives of v+ and lambda of the last impulse (of one state, by Newton's restitution) by q, v_before, the\n"
        "impulses of the motors, target and restitution. status is not_differentiable where there are none. Raises\n"
        "RuntimeError where there was no impulse.");
  c.def(ZWANG_SIGNATURE(
            "def impulse_jvp(self, *, q: Vector | None = None, v_before: Vector | None = None, "
            "impulse: Vector | None = None, target: Vector | None = None, restitution: Vector | None = None) -> "
            "ImpulseVariation"),
        &impulse_jvp,
        "How the last impulse varies along a direction of its inputs: q (nv,) as a tangent increment, v_before (nv,),\n"
        "impulse (nv,), target (rows,), restitution (rows,); None: zeros. One right-hand side.");
  c.def(
      ZWANG_SIGNATURE("def impulse_vjp(self, *, velocity: Vector | None = None, multipliers: Vector | None = None) -> "
                      "ImpulseGradient"),
      &impulse_vjp,
      "The gradient of velocity . v+ + multipliers . lambda of the last impulse by its inputs. One right-hand side.");
}

}  // namespace zwang::python
