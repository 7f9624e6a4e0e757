// SPDX-License-Identifier: BSD-3-Clause
// Solver: constrained dynamics.
#include "zwang/solve/solver.hpp"
#include "zwang/factor/methods.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "settings.hpp"
#include "solution.hpp"
#include "solve_states.hpp"
#include "solver_object.hpp"

namespace zwang::python {

void bind_solution(nb::module_& m);

namespace {

/// Some of the settings may be changed for one call.
class SettingsOfCall {
 public:
  SettingsOfCall(Solver& solver, const JointEffects* effects)
      : solver_(solver),
        kept_(solver.settings().joint_effects) {
    if (effects != nullptr) solver.settings().joint_effects = *effects;
  }
  SettingsOfCall(const SettingsOfCall&) = delete;
  SettingsOfCall& operator=(const SettingsOfCall&) = delete;
  ~SettingsOfCall() { solver_.settings().joint_effects = kept_; }

 private:
  Solver& solver_;
  JointEffects kept_;
};

/// None or False: no limits; True: the model's effort limits; else by joints and coordinates.
MotorLimits motor_limits_of(const Model& model, nb::handle given) {
  if (given.is_none() || given.is(nb::bool_(false))) return {};
  if (given.is(nb::bool_(true))) return motor_limits(model);
  MotorLimits limits;
  for_each_entry("Solver", "motor_limits", given, "a dictionary from joints to limits, or True for the model's efforts",
                 [&](const std::string& name, nb::handle value) {
                   const auto [lower, upper] = limits_argument("Solver", "motor_limits", name, value);
                   limit_motor(model, limits, name, lower, upper);
                 });
  return limits;
}
/// {coordinate: (lower, upper)} of those that have limits.
nb::dict named(const Model& model, const MotorLimits& limits) {
  nb::dict out;
  for (std::size_t y = 0; y < limits.lower.size(); ++y)
    if (is_finite(limits.lower[y]) || is_finite(limits.upper[y]))
      out[model.coordinate_names()[y].c_str()] = nb::make_tuple(limits.lower[y], limits.upper[y]);
  return out;
}

void make_solver(SolverObject* self, const Robot& model, const SetObject& constraints, const std::string& method,
                 nb::handle motor_limits, SolverSettings s) {
  if (constraints.shared->robot.model.id() != model.model.id())
    throw WorkspaceMismatch("Solver: the constraint set was made for another model ('" +
                            constraints.shared->robot.model.name() + "')");
  s.method = method;
  s.motor_limits = motor_limits_of(model.model, motor_limits);
  new (self) SolverObject{std::make_shared<SolverCore>(constraints.shared, s)};
}

/// The solution to write into: a new one, or the caller's, which keeps its layout unless keep() is called.
class Target {
 public:
  Target(const SolverObject& self, nb::handle out) : object(take(self, out)), layout_(self.core->layout) {
    layout_.swap(s->layout);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  ~Target() {
    if (!kept_) layout_.swap(s->layout);
  }
  nb::object keep() {
    kept_ = true;
    return object;
  }
  SolutionObject* s = nullptr;
  nb::object object;

 private:
  nb::object take(const SolverObject& self, nb::handle out);
  std::shared_ptr<const RowLayout> layout_;
  bool kept_ = false;
};

nb::object Target::take(const SolverObject& self, nb::handle out) {
  SolverCore& core = *self.core;
  if (!core.layout || !core.layout->is_of(core.shared->set))
    core.layout = std::make_shared<const RowLayout>(core.shared->set);
  nb::object taken = out.is_none() ? nb::cast(SolutionObject()) : nb::borrow(out);
  if (!nb::try_cast(taken, s, false) || s == nullptr)
    throw_type("Solver.solve", "out", out, "an earlier Solution", "E_OUT");
  if (!out.is_none() && s->core != self.core)
    throw std::invalid_argument(
        std::string("E_OUT Solver.solve: argument 'out' is ") +
        (s->core == nullptr ? "a copy of a solution, which no solver fills" : "a solution of another solver"));
  s->core = self.core;
  return taken;
}

void keep_turning(SolverCore& core, const Call& call, const Workspace& w) {
  core.axes = call.needs_axes() ? call.axes() : FrameId{};
  core.turning = call.needs_axes() ? w.external : Externals{};
}

nb::object solve(const SolverObject& self, nb::handle q_, nb::handle v_, nb::handle tau_, nb::handle external,
                 const char* in, nb::handle prescribed_, nb::handle active_, nb::handle beta_,
                 const JointEffects* effects, nb::handle gravity, nb::handle out, nb::handle status,
                 nb::handle progress) {
  const Robot& robot = self.robot();
  SolverCore& core = *self.core;
  Call call("Solver.solve", robot, Precision::any);
  const StateInputs x(call, "Solver.solve", core.shared->set,
                      {q_, v_, tau_, gravity, external, in, prescribed_, active_});
  const Input* beta = beta_.is_none() ? nullptr : &call.numbers("beta", beta_, core.shared->set.rows());
  if (call.states() < 0 && (beta != nullptr || x.masks.has_active))
    throw std::invalid_argument(
        "E_SIZE Solver.solve: beta and active are for N states; of one state they are those of "
        "the constraints: set[name].beta, set[name].active");
  static_cast<void>(call.single());  // throws where only some of the inputs are float32
  call.report_to(status, progress);
  Target target(self, out);
  SolutionObject* const s = target.s;
  if (call.states() >= 0) {
    if (!out.is_none()) call.writes_to_caller();
    solve_states(core, call, x, beta, effects, *s, !out.is_none());
    return target.keep();
  }
  core.asked = nullptr;
  core.of_states = false;
  const Prescribed prescribed = x.masks.prescribed();
  SolutionWriter writer("Solver.solve", *s, !out.is_none(), -1);
  if (!out.is_none())
    for (const Input* read : {&x.q, x.v, x.motors})
      if (read != nullptr) writer.refuse_overlap("Solver.solve", *read);
  call.weigh(core.shared->set.rows());
  call.run([&](Workspace& w, Index k) {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    const SettingsOfCall settings(core.solver, effects);
    const Watched watched(core.solver, call.watch());
    core.solver.data().gravity = w.data.gravity;
    SolveInput input = x.of_one<SolveInput>(w, prescribed);
    input.tau = StateInputs::vector(x.motors);
    const Solution& solution = core.solver.solve(input);
    if (call.watch().stopped()) return;
    std::copy_n(x.q.at(0), x.q.size(), core.q.begin());
    std::fill(core.v.begin(), core.v.end(), 0.0);
    if (x.v != nullptr) std::copy_n(x.v->at(0), x.v->size(), core.v.begin());
    core.external = w.external;
    keep_turning(core, call, w);
    core.effects = core.solver.settings().joint_effects;
    core.rows_stamp = stamp_of_rows(core.shared->set);
    writer.put(k, solution);
  });
  if (call.refused() != Status::ok) {
    SolveReport none;
    none.status = call.refused();
    writer.put_failed(0, none);
  }
  writer.finish();
  if (call.status().wanted()) call.status().put(0, s->reports.front().record.status);
  return target.keep();
}

nb::object resolve(const SolverObject& self, nb::handle tau_, nb::handle external, const char* in,
                   nb::handle prescribed_, nb::handle out) {
  const Robot& robot = self.robot();
  SolverCore& core = *self.core;
  Call call("Solver.resolve", robot);
  call.configuration(core.q);
  const Input* tau = tau_.is_none() ? nullptr : &call.tangent("tau", tau_);
  call.environment(nb::none(), external, in);
  const StateMasks masks(call, "Solver.resolve", robot.model, prescribed_, nb::none(), core.shared->set);
  if (call.states() >= 0)
    throw std::invalid_argument("E_SIZE Solver.resolve: several right-hand sides at once are solve_columns");
  const Prescribed prescribed = masks.prescribed();
  Target target(self, out);
  SolutionObject* const s = target.s;
  SolutionWriter writer("Solver.resolve", *s, !out.is_none(), -1);
  if (tau != nullptr && !out.is_none()) writer.refuse_overlap("Solver.resolve", *tau);
  core.asked = nullptr;
  core.of_states = false;
  call.weigh(core.shared->set.rows());
  call.run([&](Workspace& w, Index) {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    const Watched watched(core.solver, call.watch());
    ResolveInput input;
    if (tau != nullptr) input.tau = ConstVector(tau->at(0), tau->size());
    if (!w.external.empty()) input.external = &w.external;
    if (!prescribed.empty()) input.prescribed = &prescribed;
    const Solution& solution = core.solver.resolve(input);
    if (call.watch().stopped()) return;
    core.external = w.external;
    keep_turning(core, call, w);
    writer.put(0, solution);
  });
  writer.finish();
  return target.keep();
}

nb::object solve_columns(const SolverObject& self, nb::handle tau_, nb::handle beta_, nb::handle out_) {
  SolverCore& core = *self.core;
  const Index nv = self.robot().model.nv(), rows = core.shared->set.rows();
  const Input tau("Solver.solve_columns", "tau", tau_, nv, VectorKind::tangent, nullptr);
  const Input beta("Solver.solve_columns", "beta", beta_, rows);
  const Index n = std::max(tau.states(), beta.states());
  if (n < 0 || (tau.states() >= 0 && beta.states() >= 0 && tau.states() != beta.states()))
    throw std::invalid_argument("E_SIZE Solver.solve_columns: expected tau (N, nv) and beta (N, rows) with the same N");
  nb::object first = nb::none(), second = nb::none();
  if (!out_.is_none()) {
    if (!PyTuple_Check(out_.ptr()) || nb::len(out_) != 2)
      throw_type("Solver.solve_columns", "out", out_, "a tuple of two arrays", "E_OUT");
    first = nb::borrow(out_[0]), second = nb::borrow(out_[1]);
  }
  const Output a("Solver.solve_columns", "out[0]", first, n, {nv}),
      l("Solver.solve_columns", "out[1]", second, n, {rows});
  for (const Output* out : {&a, &l})
    for (const Input* in : {&tau, &beta}) out->refuse_overlap("Solver.solve_columns", in->memory(), in->name());
  l.refuse_overlap("Solver.solve_columns", a.memory(), "out[0]");
  Eigen::MatrixXd T(nv, n), B(rows, n), A(nv, n), L(rows, n);
  for (Index k = 0; k < n; ++k) {
    T.col(k) = vector(tau, k);
    B.col(k) = vector(beta, k);
  }
  {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    core.solver.solve_columns(T, B, A, L);
  }
  for (Index k = 0; k < n; ++k) {
    a.put(k, A.data() + k * nv);
    l.put(k, L.data() + k * rows);
  }
  return nb::make_tuple(a.array, l.array);
}

void bind_settings(ClassOf<SolverObject>& c) {
  using S = SolverSettings;
  const auto get = [](const SolverObject& s) -> const S& { return std::as_const(s.core->solver).settings(); };
  const auto set = [](const SolverObject& s, auto S::*field, auto value) {
    const std::lock_guard<SetMutex> lock(s.core->shared->mutex);
    s.solver().settings().*field = std::move(value);
  };
  settings::properties<S>(c, get, set);
  c.def_prop_rw(
       "motor_limits", [get](const SolverObject& s) { return named(s.robot().model, get(s).motor_limits); },
       [set](const SolverObject& s, nb::handle given) {
         set(s, &S::motor_limits, motor_limits_of(s.robot().model, given));
       },
       nb::for_getter(nb::sig("def motor_limits(self) -> dict[str, tuple[float, float]]")),
       nb::for_setter(nb::arg().none()),
       nb::for_setter(nb::sig(
           "def motor_limits(self, value: bool | Mapping[str, float | tuple[float, float]] | None, /) -> None")),
       "{coordinate: (lower, upper)} [N m, N], a copy: assign to change it, as in the constructor")
      .def_prop_ro(
          "active_rows", [](const SolverObject& s) { return s.solver().active_rows(); }, "of the last solve")
      .def_prop_ro(
          "methods", [](const SolverObject&) { return methods(); }, "methods()")
      .def_prop_ro("model", [](const SolverObject& s) { return s.robot(); })
      .def_prop_ro("constraints", [](const SolverObject& s) { return SetObject{s.core->shared}; })
      .def("__repr__", [get](const SolverObject& s) {
        const SolverSettings& settings = get(s);
        return "<Solver of '" + s.robot().model.name() + "': " + std::to_string(s.core->shared->set.rows()) +
               " rows, method " + settings.method + ", singularity " + name_of(settings.singularity) + ">";
      });
}

void bind_calls(ClassOf<SolverObject>& c) {
  c.def(
      ZWANG_SIGNATURE(
          "def solve(self, q: Vector, v: Vector | None = None, tau: Vector | None = None, *, "
          "external: External | None = None, in_: str = \"local_world_aligned\", "
          "prescribed: Mapping[str, ArrayLike] | None = None, "
          "active: ArrayLike | Mapping[str, ArrayLike] | None = None, beta: ArrayLike | None = None, "
          "joint_effects: JointEffects | None = None, gravity: ArrayLike | None = None, "
          "out: Solution | None = None, status: StatusArray | None = None, progress: Progress = None) -> Solution"),
      &solve,
      "The acceleration of least constraint at a state.\n\n"
      "q (nq,), v (nv,) or None (at rest), tau (nv,) feed-forward torques or None (zeros). prescribed: accelerations "
      "of\n"
      "joints (or coordinates) by name, whose torques are found. external, in_, joint_effects, gravity: as in\n"
      "forward_dynamics. out: an earlier Solution of this solver, which is filled again.\n\n"
      "With q (N, nq) the solution is of N states, its arrays have a leading dimension N. Then active (constraints,) "
      "or\n"
      "(N, constraints) or {name: bool or (N,)} switches constraints, beta (rows,) or (N, rows) replaces theirs, and\n"
      "prescribed may hold (N,) or (N, k) per joint; nothing of it changes the set. All in float32: computed and\n"
      "returned in float32. Of N states no factorisation is kept: resolve and the matrices are of the last solve of "
      "one\n"
      "state. With gravity= the states are solved one by one.\n\n"
      "Raises ValueError naming argument, got and expected; UnsupportedError for a combination that the method cannot\n"
      "do. Numerical outcomes never raise: solution.status, solution.report. Of N states those with neither ok nor\n"
      "infeasible nor not_converged are NaN; where status= is given (uint8, (N,)), arguments that are not finite are "
      "a\n"
      "status, too. progress: True, a callable (done, total) or ProgressEvery. Ctrl-C stops.");
  c.def(
      ZWANG_SIGNATURE("def rollout(self, " ZWANG_ROLLOUT_SIGNATURE
                      ", active: ArrayLike | Mapping[str, ArrayLike] | None = None) -> Rollout"),
      [](const SolverObject& s, nb::handle q, nb::handle v, nb::handle tau, Index steps, double dt,
         const char* integrator, nb::handle external, nb::handle prescribed, const char* in,
         const JointEffects* effects, bool trajectory, nb::handle out, nb::handle status, nb::handle progress,
         nb::handle active) {
        return rollout(s.robot(), s.core.get(),
                       {q, v, tau, steps, dt, integrator, active, external, prescribed, in, effects, trajectory, out,
                        status, progress});
      },
      ZWANG_ROLLOUT_DOC
      "\n\nConstraints hold accelerations; what drifts is pulled back by those with a time_constant alone. active: as "
      "in solve, for all steps.");
  c.def(
      ZWANG_SIGNATURE("def resolve(self, tau: Vector | None = None, *, external: External | None = None, "
                      "in_: str = \"local_world_aligned\", prescribed: Mapping[str, ArrayLike] | None = None, "
                      "out: Solution | None = None) -> Solution"),
      &resolve,
      "Another right-hand side at the state of the last solve, on its factorisation: O(n rows) instead of a sweep.\n\n"
      "beta, priority, compensate and weight of the constraints as they are now; the same rows must be active and the\n"
      "same coordinates prescribed. Raises ValueError, or RuntimeError where no solve left a factorisation.");
  c.def(
      ZWANG_SIGNATURE(
          "def solve_columns(self, tau: ArrayLike, beta: ArrayLike, *, out: tuple[Array, Array] | None = None) -> "
          "tuple[Array, Array]"),
      &solve_columns,
      "Many right-hand sides on the last factorisation: tau (N, nv) and beta (N, rows of the set), or one of them for\n"
      "all, to accelerations (N, nv) and multipliers (N, rows). Wrenches and prescribed accelerations are those of "
      "the\n"
      "last solve.");
}

}  // namespace

void bind_solver(nb::module_& m) {
  bind_solution(m);
  ClassOf<SolverObject> c(
      m, "Solver",
      "Constrained (hybrid) dynamics by Gauss' principle of least constraint:\n\n"
      "    minimise Z = 1/2 |q'' - q''_free|^2_M  subject to  K a = beta,   M q'' + h = tau + J^T lambda\n\n"
      "lambda acts +K^T on the body: for driver rows J^T lambda is asked of the motors, for physical rows it is a\n"
      "reaction. lambda is least-norm, inconsistent rows are met in least squares. A solver allocates once and\n"
      "follows its set of constraints; it solves for one thread at a time (others wait).");
  def_with<SolverSettings>(
      c,
      ZWANG_SIGNATURE("def __init__(self, model: Model, constraints: ConstraintSet, method: str = \"automatic\", *, "
                      "{tolerance singularity regularisation feasibility max_iterations joint_effects}, motor_limits: "
                      "bool | Mapping[str, float | tuple[float, float]] | None = None, {spare_rows}) -> None"),
      &make_solver,
      "method: one of methods(). singularity: truncation, proximal, damping or weighted. motor_limits: what motors "
      "can\n"
      "give [N m, N], by joints and coordinates, a number for both directions or (lower, upper); True: the efforts of\n"
      "the model. spare_rows: room for rows added to the set later. Raises ValueError for unknown words, "
      "UnsupportedError for combinations.");
  bind_settings(c);
  bind_calls(c);
  bind_solver_matrices(m, c);
  bind_solver_derivatives(m, c);
  bind_solver_impulses(m, c);
  not_kept<SolverObject>("it has the memory of its last solve; pickle its ConstraintSet, and make a Solver of that");
  m.def("methods", &methods, "The names that Solver(method=...) takes.");
  m.def("describe_method", &describe_method, nb::arg("name"),
        "What a method does, in a line. Raises ValueError with the nearest name.");
  def(
      m, ZWANG_SIGNATURE("def method_capabilities(name: str) -> dict[str, bool]"),
      [](const std::string& name) {
        const MethodCapabilities can = capabilities_of(solve_method_of(name));
        nb::dict d;
        d["priorities"] = can.priorities;
        d["uncompensated_drivers"] = can.uncompensated_drivers;
        d["singularity_policies"] = can.singularity_policies;
        d["mimic_joints"] = can.mimic_joints;
        d["hard_rows"] = can.hard_rows;
        d["lanes"] = can.lanes;
        return d;
      },
      "What a method supports beyond hard and soft rows with the singularity policy truncation; a solver refuses the "
      "rest\n"
      "with UnsupportedError. priorities: rows of several levels. uncompensated_drivers: drivers that leave a cause "
      "of\n"
      "motion uncompensated. singularity_policies: all, not truncation alone. mimic_joints: joints that share a "
      "coordinate.\n"
      "hard_rows: false where every row needs a compliance. lanes: batches solve several states by the same "
      "elimination.\n"
      "Raises ValueError with the nearest name.");
}

}  // namespace zwang::python
