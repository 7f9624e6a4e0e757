// SPDX-License-Identifier: BSD-3-Clause
// Impulses: Solver.impulse of one state and of N, and the derivatives of the last one.
#include "zwang/question/impulse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "impulse.hpp"
#include "solver_object.hpp"
#include "states_question.hpp"
#include "turning_axes.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "Solver.impulse";

/// Numbers of all rows, of N states or one row for all.
class NumbersOfRows {
 public:
  /// A number (where `scalar`), an array (rows,) or (N, rows), or a dictionary from constraints and groups to numbers,
  /// one for all rows of a constraint, or (k,), (N, k). None: absent.
  NumbersOfRows(Call& call, const char* name, nb::handle given, const ConstraintSet& set, bool scalar,
                const std::vector<double>& otherwise);
  bool there() const { return size_ > 0; }
  ConstVector of(Index state) const {
    if (!there()) return {};
    return {x_.data() + static_cast<long>(states_ < 0 ? 0 : state) * size_, size_};
  }
  StatesIn<double> all(Index states) const {
    return there() ? states_in<double>(x_.data(), states, size_, states_ < 0 ? 0 : size_) : StatesIn<double>();
  }

 private:
  void spread(Index states) {
    if (states < 0 || states_ == states) return;
    const std::vector<double> one = x_;
    x_.clear();
    for (Index s = 0; s < states; ++s) x_.insert(x_.end(), one.begin(), one.end());
    states_ = states;
  }
  void put(const Input& in, Index first, Index count) {
    spread(in.states());
    for (Index s = 0; s < std::max<Index>(states_, 1); ++s)
      for (Index k = 0; k < count; ++k)
        x_[static_cast<std::size_t>(s * size_ + first + k)] = in.at(in.states() < 0 ? 0 : s)[in.size() == 1 ? 0 : k];
  }
  std::vector<double> x_;
  Index size_ = 0, states_ = -1;
};

bool is_number(nb::handle x) { return PyFloat_Check(x.ptr()) || PyLong_Check(x.ptr()); }

NumbersOfRows::NumbersOfRows(Call& call, const char* name, nb::handle given, const ConstraintSet& set, bool scalar,
                             const std::vector<double>& otherwise) {
  if (given.is_none()) return;
  size_ = set.rows();
  if (scalar && is_number(given)) {
    x_.assign(static_cast<std::size_t>(size_), nb::cast<double>(given));
    if (size_ == 0) return;
  } else if (!PyDict_Check(given.ptr())) {
    const Input in(k_function, name, given, size_);
    x_ = otherwise;
    put(in, 0, size_);
    call.count_states(name, in.states());
  } else {
    x_ = otherwise;
    std::vector<unsigned char> seen(static_cast<std::size_t>(set.size()), 0);
    for (auto [key, value] : nb::borrow<nb::dict>(given)) {
      const std::string word = text_argument(k_function, name, key);
      std::vector<std::string> known;
      bool found = false;
      const auto give = [&](Index at) {
        Index first = 0;
        const Constraint& c = set.constraints()[static_cast<std::size_t>(at)];
        for (Index k = 0; k < at; ++k) first += set.constraints()[static_cast<std::size_t>(k)].size();
        if (seen[static_cast<std::size_t>(at)]++ != 0)
          throw std::invalid_argument(std::string(k_function) + ": argument '" + name + "' names constraint '" +
                                      c.name.value() + "' twice");
        nb::object numbers = nb::borrow(value);
        if (is_number(value)) numbers = nb::make_tuple(value);
        const Input in(k_function, name, numbers, is_number(value) ? 1 : c.size());
        put(in, first, c.size());
        call.count_states(name, in.states());
        found = true;
      };
      for (Index c = 0; c < set.size(); ++c) {
        known.push_back(set.constraints()[static_cast<std::size_t>(c)].name);
        if (known.back() == word) give(c);
      }
      for (const ConstraintGroup& group : set.groups()) {
        known.push_back(group.name);
        if (group.name != word) continue;
        for (const Index c : group.members) give(c);
      }
      if (!found) detail::throw_unknown("constraint", word, known);
    }
  }
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
  const Input& q;
  const Input* v;
  const Input* impulse;
  NumbersOfRows restitution, target;
  Restitution model;
};

void impulse_of_one(SolverCore& core, Call& call, const Arguments& x, const StateMasks& masks, const Written& written,
                    ImpulseObject& to) {
  Prescribed prescribed;
  for (std::size_t k = 0; k < masks.coordinates.size(); ++k)
    prescribed.push_back({masks.coordinates[k], masks.given.at(0, static_cast<Index>(k))});
  call.weigh(core.shared->set.rows());
  call.run([&](Workspace& w, Index) {
    const std::lock_guard<SetMutex> lock(core.shared->mutex);
    const Watched watched(core.solver, call.watch());
    ImpulseInput in{.q = ConstVector(x.q.at(0), x.q.size()),
                    .restitution = x.restitution.of(0),
                    .target = x.target.of(0),
                    .model = x.model};
    if (x.v != nullptr) in.v = ConstVector(x.v->at(0), x.v->size());
    if (x.impulse != nullptr) in.impulse = ConstVector(x.impulse->at(0), x.impulse->size());
    if (!w.external.empty()) in.external = &w.external;
    if (!prescribed.empty()) in.prescribed = &prescribed;
    core.impulse = {};
    const Impulse& result = core.solver.impulse(in);
    if (call.watch().stopped()) return;
    core.impulse.q.assign(x.q.at(0), x.q.at(0) + x.q.size());
    core.impulse.axes = call.needs_axes() ? call.axes() : FrameId{};
    core.impulse.turning = call.needs_axes() ? w.external : Externals{};
    core.impulse.there = true;
    written.put(0, result);
    to.reports.front().assign(result.report);
  });
}

/// On the threads of a batch.
void impulse_of_states(SolverCore& core, Call& call, const Arguments& x, const StateMasks& masks, ImpulseObject& to,
                       const Written& written) {
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
  BatchImpulseInput<double> in{.q = states_in<double>(x.q, n),
                               .restitution = x.restitution.all(n),
                               .target = x.target.all(n),
                               .model = x.model,
                               .prescribed = masks.coordinates};
  if (x.v != nullptr) in.v = states_in<double>(*x.v, n);
  if (x.impulse != nullptr) in.impulse = states_in<double>(*x.impulse, n);
  const auto rows_in = [&](const StateMasks::Rows& rows) {
    return states_in<double>(rows.x.data(), n, rows.size, rows.states < 0 ? 0 : rows.size);
  };
  if (masks.has_active) in.active = rows_in(masks.active);
  if (!masks.coordinates.empty()) in.prescribed_change = rows_in(masks.given);
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
        *change.entry(s, k, 0) = *after.entry(s, k, 0) - (x.v != nullptr ? x.v->at(s)[k] : 0.0);
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
  const Input& q = call.configuration(q_);
  const Input* v = v_.is_none() ? nullptr : &call.tangent("v_before", v_);
  const Input* of_motors = impulse_.is_none() ? nullptr : &call.tangent("impulse", impulse_);
  call.environment(nb::none(), external, in);
  const StateMasks masks(call, k_function, robot.model, prescribed_, active_, set);
  const Arguments x{q,
                    v,
                    of_motors,
                    NumbersOfRows(call, "restitution", restitution_, set, true, restitution_of(set, {})),
                    NumbersOfRows(call, "target", target_, set, false, target_of(set, {})),
                    restitution_of(model)};
  if (call.states() < 0 && masks.has_active)
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
      impulse_of_states(core, call, x, masks, made, written);
    else
      impulse_of_one(core, call, x, masks, written, made);
  }
  if (call.states() < 0 && call.status().wanted()) call.status().put(0, made.reports.front().record.status);
  return nb::cast(std::move(made));
}

nb::object matrix(const Eigen::MatrixXd& x) {
  return new_matrix(x.rows(), x.cols(), [&](Index i, Index j) { return x(i, j); });
}

void check_there(const SolverCore& core, const char* function) {
  if (!core.impulse.there)
    throw std::logic_error(std::string(function) +
                           ": there is no impulse of one state; call impulse() first. Of N states differentiate each");
}
/// d of J^T w for wrenches that turn with the axes of a frame.
Eigen::MatrixXd turned(const SolverCore& core) {
  if (core.impulse.turning.empty()) return {};
  const Robot& robot = core.shared->robot;
  const Lease lease(robot);
  return by_turning_axes(robot.model, (*lease).data, core.impulse.turning, core.impulse.axes,
                         Eigen::Map<const Eigen::VectorXd>(core.impulse.q.data(), robot.model.nq()));
}

nb::object impulse_derivatives(const SolverObject& self) {
  SolverCore& core = *self.core;
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const ImpulseDerivatives* d = nullptr;
  Eigen::MatrixXd by_axes;
  {
    const nb::gil_scoped_release release;
    lock.lock();
    check_there(core, "Solver.impulse_derivatives");
    by_axes = turned(core);
    d = &core.solver.impulse_derivatives();
  }
  const auto jacobian = [&](const ImpulseJacobian& x) {
    Eigen::MatrixXd by_q = x.q;
    if (by_axes.size() > 0) by_q += x.impulse * by_axes;
    return nb::cast(
        ImpulseJacobianObject{matrix(by_q), matrix(x.v), matrix(x.impulse), matrix(x.target), matrix(x.restitution)});
  };
  return nb::cast(ImpulseDerivativesObject{nb::cast(d->status), nb::cast(std::string(d->reason)), jacobian(d->velocity),
                                           jacobian(d->multipliers)});
}

/// One vector, or nothing.
Eigen::VectorXd vector_in(const char* function, const char* name, nb::handle x, Index size) {
  if (x.is_none()) return {};
  const Input in(function, name, x, size);
  if (in.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument '" + name + "' has " +
                                std::to_string(in.states()) + " rows, expected one vector");
  return Eigen::Map<const Eigen::VectorXd>(in.at(0), size);
}
nb::object array_of(const Eigen::VectorXd& x) { return new_array(x.data(), static_cast<Index>(x.size())); }

nb::object impulse_jvp(const SolverObject& self, nb::handle q_, nb::handle v_, nb::handle impulse_, nb::handle target_,
                       nb::handle restitution_) {
  constexpr const char* function = "Solver.impulse_jvp";
  SolverCore& core = *self.core;
  const Index nv = core.shared->robot.model.nv(), rows = core.shared->set.rows();
  const Eigen::VectorXd q = vector_in(function, "q", q_, nv), v = vector_in(function, "v_before", v_, nv),
                        target = vector_in(function, "target", target_, rows),
                        restitution = vector_in(function, "restitution", restitution_, rows);
  Eigen::VectorXd of_motors = vector_in(function, "impulse", impulse_, nv);
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const ImpulseVariation* x = nullptr;
  {
    const nb::gil_scoped_release release;
    lock.lock();
    check_there(core, function);
    if (const Eigen::MatrixXd by_axes = turned(core); by_axes.size() > 0 && q.size() > 0) {
      if (of_motors.size() == 0) of_motors = Eigen::VectorXd::Zero(nv);
      of_motors += by_axes * q;
    }
    x = &core.solver.impulse_jvp({.q = q, .v = v, .impulse = of_motors, .target = target, .restitution = restitution});
  }
  return nb::cast(ImpulseVariationObject{nb::cast(x->status), nb::cast(std::string(x->reason)), array_of(x->velocity),
                                         array_of(x->multipliers)});
}

nb::object impulse_vjp(const SolverObject& self, nb::handle velocity, nb::handle multipliers) {
  SolverCore& core = *self.core;
  const auto given = [](const char* name, nb::handle x, Index size) {
    return vector_in("Solver.impulse_vjp", name, x, size);
  };
  const Eigen::VectorXd a = given("velocity", velocity, core.shared->robot.model.nv()),
                        l = given("multipliers", multipliers, core.shared->set.rows());
  std::unique_lock<SetMutex> lock(core.shared->mutex, std::defer_lock);
  const ImpulseInputGradient* g = nullptr;
  Eigen::VectorXd by_q;
  {
    const nb::gil_scoped_release release;
    lock.lock();
    check_there(core, "Solver.impulse_vjp");
    const Eigen::MatrixXd by_axes = turned(core);
    g = &core.solver.impulse_vjp({.velocity = a, .multipliers = l});
    by_q = g->q;
    if (by_axes.size() > 0) by_q += by_axes.transpose() * g->impulse;
  }
  return nb::cast(ImpulseGradientObject{nb::cast(g->status), nb::cast(std::string(g->reason)), array_of(by_q),
                                        array_of(g->v), array_of(g->impulse), array_of(g->target),
                                        array_of(g->restitution)});
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
