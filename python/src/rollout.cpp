// SPDX-License-Identifier: BSD-3-Clause
// Rollouts: many states, many steps in time, with or without constraints.
#include <cmath>
#include <stdexcept>

#include "bind.hpp"
#include "solve_states.hpp"
#include "statuses.hpp"

namespace zwang::python {
namespace {

/// tau as rows of numbers: (N, steps, nv) becomes (N, steps nv).
nb::object flat_torques(const Model& model, nb::handle tau, Index steps, Index& size) {
  nb::object given = nb::borrow(tau);
  size = model.nv();
  if (!nb::hasattr(tau, "ndim") || nb::cast<int>(tau.attr("ndim")) != 3) return given;
  const auto shape = nb::cast<nb::tuple>(tau.attr("shape"));
  const auto first = nb::cast<long>(shape[0]);
  if (nb::cast<long>(shape[1]) != steps || nb::cast<long>(shape[2]) != model.nv())
    throw std::invalid_argument("E_SIZE Solver.rollout: argument 'tau' has shape " +
                                std::string(nb::repr(shape).c_str()) + ", expected (N, " + std::to_string(steps) +
                                ", " + std::to_string(model.nv()) + ")");
  size = model.nv() * steps;
  return given.attr("reshape")(first, size);
}

RolloutIntegrator integrator_of_rollout(const std::string& word) {
  if (word == "semi_implicit") return RolloutIntegrator::semi_implicit;
  if (word == "rk4") return RolloutIntegrator::rk4;
  throw std::invalid_argument("E_NAME rollout: argument 'integrator' is '" + word +
                              "', expected semi_implicit or rk4; zwang.simulate takes all of integrators()");
}

/// All inputs and outputs of one rollout.
struct Steps {
  const Input *q, *v, *tau;
  const StateMasks& masks;
  const RolloutArguments& given;
  const Output &q_out, &v_out;
  const StatusOutput& status;
  std::vector<BatchWarning>& warnings;
};

template <class T> std::unique_ptr<SolverLanes<T>> take(const Robot& robot, SolverCore* core) {
  const int threads = wanted_threads();
  SolverSettings settings;
  if (core == nullptr) {
    return robot.pool->unconstrained.of<T>().take(
        [&](const SolverLanes<T>& x) { return x.threads == threads; },
        [&] { return std::make_unique<SolverLanes<T>>(robot.model, ConstraintSet(robot.model), settings, threads); });
  }
  const std::lock_guard<SetMutex> lock(core->shared->mutex);
  const ConstraintSet& set = core->shared->set;
  settings = std::as_const(core->solver).settings();
  auto lanes = core->lanes.of<T>().take(
      [&](const SolverLanes<T>& x) { return x.threads == threads && x.version == set.version(); },
      [&] { return std::make_unique<SolverLanes<T>>(robot.model, set, settings, threads); });
  lanes->follow(set, settings);
  return lanes;
}

template <class T> void roll(const Robot& robot, SolverCore* core, Call& call, const Steps& x) {
  const Index n = call.count();
  std::unique_ptr<SolverLanes<T>> lanes = take<T>(robot, core);
  const std::shared_ptr<Raised> raised = core != nullptr ? core->shared->raised : nullptr;
  if (raised) raised->forget();
  struct GiveBack {
    Waiting<SolverLanes<T>>& to;
    std::unique_ptr<SolverLanes<T>>& lanes;
    ~GiveBack() {
      lanes->solver.on_progress(nullptr, nullptr);
      to.give(std::move(lanes));
    }
  } const give_back{core != nullptr ? core->lanes.of<T>() : robot.pool->unconstrained.of<T>(), lanes};
  if (core == nullptr || x.given.effects != nullptr)
    lanes->solver.settings().joint_effects = x.given.effects != nullptr ? *x.given.effects : JointEffects();
  {
    const nb::gil_scoped_release release;
    Outputs<T> out(lanes->rooms, n);
    BatchRolloutInput<T> in{.q = states_in<T>(*x.q, n)};
    if (x.v != nullptr) in.v = states_in<T>(*x.v, n);
    if (x.tau != nullptr) in.tau = states_in<T>(*x.tau, n);
    in.steps = x.given.steps;
    in.step = x.given.dt;
    in.integrator = integrator_of_rollout(x.given.integrator);
    const auto rows_in = [&](const StateRows& rows) {
      T* const to = out.take(rows.x.size());
      std::copy(rows.x.begin(), rows.x.end(), to);
      return states_in<T>(to, n, rows.size, rows.states < 0 ? 0 : rows.size);
    };
    if (x.masks.has_active && x.masks.active.size > 0) in.active = rows_in(x.masks.active);
    in.prescribed = x.masks.coordinates;
    if (!in.prescribed.empty()) in.prescribed_acceleration = rows_in(x.masks.given);
    call.place_external(out, in.external, nullptr);
    BatchRolloutOutput<T> to;
    (x.given.trajectory ? to.q_trajectory : to.q) = out(x.q_out);
    (x.given.trajectory ? to.v_trajectory : to.v) = out(x.v_out);
    lanes->solver.on_progress(&Watch::look, &call.watch(), call.watch().interval());
    lanes->solver.all_or_nothing(call.all_or_nothing());
    lanes->solver.rollout(in, to);
    if (call.all_or_nothing()) call.check_report(lanes->solver.report());
    out.finish();
  }
  if (raised) raised->rethrow();
  const BatchReport& report = lanes->solver.report();
  for (Index k = 0; k < n; ++k) x.status.put(k, report.status(k));
  x.warnings = lanes->solver.warnings();
  call.watch().finish();
  if (call.status().wanted()) return;
  for (Index k = 0; k < n; ++k)
    if (report.status(k) == Status::non_finite_input || report.status(k) == Status::invalid_input) call.check_state(k);
}

/// The arrays of `out=`: (q, v), or an earlier Rollout.
void take_out(nb::handle out, nb::object& q, nb::object& v, nb::object& status) {
  q = v = status = nb::none();
  if (out.is_none()) return;
  const std::size_t n = PyTuple_Check(out.ptr()) ? nb::len(out) : 0;
  if (n != 2 && n != 3) throw_type("rollout", "out", out, "a tuple of two arrays, or an earlier Rollout", "E_OUT");
  q = nb::borrow(out[0]), v = nb::borrow(out[1]);
  if (n == 3 && PyObject_CheckBuffer(nb::object(out[2]).ptr())) status = nb::borrow(out[2]);
}

}  // namespace

nb::object rollout(const Robot& robot, SolverCore* core, const RolloutArguments& given) {
  if (PyCallable_Check(given.tau.ptr()) != 0) return rollout_with_feedback(robot, core, given);
  const char* const function = core != nullptr ? "Solver.rollout" : "rollout";
  const Model& model = robot.model;
  const auto refuse = [&](const std::string& text) {
    throw std::invalid_argument("E_NUMBER " + std::string(function) + ": argument " + text);
  };
  if (given.steps < 1) refuse("'steps' is " + std::to_string(given.steps) + ", expected at least 1");
  if (!(given.dt > 0 && given.dt < 1e300)) refuse("'dt' is " + std::to_string(given.dt) + ", expected a time > 0 [s]");
  if (static_cast<long>(given.steps) * std::max<Index>(std::max(model.nq(), model.nv()), 1) > 0x7fffffff)
    refuse("'steps' is " + std::to_string(given.steps) + ", expected fewer than 2^31 numbers of one state");
  (void)integrator_of_rollout(given.integrator);
  Call call(function, robot, Precision::any);
  const Input& q = call.configuration(given.q);
  const Input* v = given.v.is_none() ? nullptr : &call.tangent("v", given.v);
  const Input* tau = nullptr;
  if (!given.tau.is_none()) {
    Index size;
    const nb::object rows = flat_torques(model, given.tau, given.steps, size);
    tau = size == model.nv() ? &call.tangent("tau", rows) : &call.numbers("tau", rows, size);
  }
  call.environment(nb::none(), given.external, given.in);
  if (call.needs_axes())
    throw std::invalid_argument("E_NAME " + std::string(function) + ": argument 'in_' is '" + given.in +
                                "', expected local, world or local_world_aligned: axes of a frame turn with it");
  const ConstraintSet none(model);
  const StateMasks masks(call, function, model, given.prescribed, given.active,
                         core != nullptr ? core->shared->set : none);
  for (std::size_t k = 0; given.status.is_none() && k < masks.given.x.size(); ++k)
    if (!std::isfinite(masks.given.x[k]))
      detail::throw_not_finite(function, "prescribed", static_cast<long>(k), masks.given.x[k]);
  call.report_to(given.status, given.progress);
  nb::object q_array, v_array, status;
  take_out(given.out, q_array, v_array, status);
  const Output* q_out;
  const Output* v_out;
  if (given.trajectory) {
    q_out = &call.output(q_array, {given.steps, model.nq()}, "out[0]");
    v_out = &call.output(v_array, {given.steps, model.nv()}, "out[1]");
  } else {
    q_out = &call.output(q_array, {model.nq()}, "out[0]");
    v_out = &call.output(v_array, {model.nv()}, "out[1]");
  }
  if (!given.status.is_none()) status = nb::borrow(given.status);
  const bool fresh = status.is_none();
  if (fresh) {
    static PyObject* slot;
    const nb::handle empty = kept(slot, "numpy", "empty");
    status = empty(call.states() < 0 ? nb::make_tuple() : nb::make_tuple(call.states()), "uint8");
  }
  const StatusOutput statuses(function, status, call.states());
  call.check_memory();
  std::vector<BatchWarning> warnings;
  const Steps x{&q, v, tau, masks, given, *q_out, *v_out, statuses, warnings};
  if (call.states() != 0 && model.nv() > 0) {
    refuse_python_joints(model, "rollouts", "use zwang.simulate");
    if (call.single())
      roll<float>(robot, core, call, x);
    else
      roll<double>(robot, core, call, x);
  } else {
    for (Index k = 0; k < call.count(); ++k) statuses.put(k, Status::ok);  // nothing moves
  }
  if (fresh) status = as_statuses(status);
  nb::list notes;
  for (BatchWarning& w : warnings) {
    w.at_last_step = w.at_last_step || given.last_step;
    notes.append(w.text());
  }
  return new_rollout(q_out->array, v_out->array, status, notes);
}

nb::object new_rollout(const nb::object& q, const nb::object& v, const nb::object& status, const nb::list& notes) {
  static PyObject* slot;
  nb::object x = kept(slot, "zwang._status", "Rollout")(q, v, status);
  if (nb::len(notes) > 0) x.attr("notes") = notes;
  return x;
}

void bind_rollout(nb::module_& m) {
  def(
      m, ZWANG_SIGNATURE("def rollout(model: Model, " ZWANG_ROLLOUT_SIGNATURE ") -> Rollout"),
      [](const Robot& robot, nb::handle q, nb::handle v, nb::handle tau, Index steps, double dt, const char* integrator,
         nb::handle external, nb::handle prescribed, const char* in, const JointEffects* effects, bool trajectory,
         nb::handle out, nb::handle status, nb::handle progress) {
        return rollout(robot, nullptr,
                       {q, v, tau, steps, dt, integrator, nb::none(), external, prescribed, in, effects, trajectory,
                        out, status, progress});
      },
      ZWANG_ROLLOUT_DOC);
}

}  // namespace zwang::python
