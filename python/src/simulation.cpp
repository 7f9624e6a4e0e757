// SPDX-License-Identifier: BSD-3-Clause
// simulate: motions in time, with functions of Python for torques, targets and events.
#include "zwang/simulation.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "mechanisms.hpp"
#include "scene.hpp"
#include "set_of_call.hpp"
#include "settings.hpp"
#include "solve_states.hpp"
#include "trajectory.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "simulate";

/// Calls f(t, q, v) under the GIL.
nb::object ask(const nb::object& f, double time, const VectorView& q, const VectorView& v) {
  return f(time, new_array(q.data(), static_cast<Index>(q.size())), new_array(v.data(), static_cast<Index>(v.size())));
}

/// tau=, prescribed= and targets= where they are functions.
class PythonControl : public SimulationControl {
 public:
  struct Given {
    nb::object function;
    Index first, size;  ///< of the list of prescribed coordinates
  };
  nb::object tau, targets;
  std::vector<Given> prescribed;
  const Model* model = nullptr;

  void operator()(SimulationStage& s) override {
    const nb::gil_scoped_acquire gil;
    if (tau.is_valid()) {
      const nb::object answer = ask(tau, s.time, s.q, s.v);
      const Input x(k_function, "tau(t, q, v)", answer, model->nv(), VectorKind::tangent, model);
      if (x.states() >= 0)
        throw std::invalid_argument("E_SIZE simulate: tau(t, q, v) gives several vectors, expected one");
      std::copy_n(x.at(0), model->nv(), s.tau.data());
    }
    for (const Given& g : prescribed) {
      const std::vector<double> x = numbers(k_function, "prescribed", ask(g.function, s.time, s.q, s.v));
      if (static_cast<Index>(x.size()) != g.size)
        detail::throw_size(k_function, "prescribed(t, q, v)", static_cast<long>(x.size()), g.size);
      for (Index k = 0; k < g.size; ++k)
        s.prescribed[static_cast<std::size_t>(g.first + k)].acceleration = x[static_cast<std::size_t>(k)];
    }
    if (targets.is_valid()) write_targets(targets(s.time), s.constraints);
  }

 private:
  static void write_targets(nb::handle given, ConstraintSet& set) {
    if (!PyDict_Check(given.ptr()))
      throw std::invalid_argument("E_DTYPE simulate: targets(t) gives " + type_text(given) +
                                  ", expected {constraint: {'target': ..., 'target_velocity': ..., 'beta': ...}}");
    for (auto [key, value] : nb::borrow<nb::dict>(given)) {
      Constraint& c = set[text_argument(k_function, "targets", key)];
      if (!PyDict_Check(value.ptr()))
        throw std::invalid_argument("E_DTYPE simulate: targets(t)['" + c.name.value() + "'] is " + type_text(value) +
                                    ", expected {'target': ..., 'target_velocity': ..., 'beta': ..., 'active': ...}");
      for (auto [what, x] : nb::borrow<nb::dict>(value)) {
        const std::string word = text_argument(k_function, "targets", what);
        if (word == "active") {
          c.active = nb::cast<bool>(nb::bool_(nb::borrow(x)));
          continue;
        }
        const std::vector<double> row = numbers(k_function, "targets", x);
        if (static_cast<Index>(row.size()) != c.size())
          detail::throw_size(k_function, ("targets(t)['" + c.name.value() + "']['" + word + "']").c_str(),
                             static_cast<long>(row.size()), c.size());
        if (word == "target")
          c.target = row;
        else if (word == "target_velocity")
          c.target_velocity = row;
        else if (word == "beta")
          c.beta = row;
        else
          detail::throw_unknown("simulate: targets(t): key", word, {"target", "target_velocity", "beta", "active"});
      }
    }
  }
};

/// when= of an event, as a function of Python.
class PythonEvent : public EventFunction {
 public:
  explicit PythonEvent(nb::object f) : function_(std::move(f)) {}
  PythonEvent(const PythonEvent&) = delete;
  PythonEvent& operator=(const PythonEvent&) = delete;
  ~PythonEvent() override {
    const nb::gil_scoped_acquire gil;
    function_.reset();
  }
  double operator()(const SimulationState& s) override {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(nb::float_(ask(function_, s.time, s.q, s.v)));
  }

 private:
  nb::object function_;
};

std::vector<std::string> words(const char* key, nb::handle x) {
  if (PyUnicode_Check(x.ptr())) return {text_argument(k_function, key, x)};
  std::vector<std::string> out;
  for (nb::handle one : nb::borrow<nb::sequence>(x)) out.push_back(text_argument(k_function, key, one));
  return out;
}

std::shared_ptr<EventFunction> function_of(const Robot& robot, const ConstraintSet& set, nb::handle when) {
  if (PyCallable_Check(when.ptr()) != 0) return std::make_shared<PythonEvent>(nb::borrow(when));
  if (!PyDict_Check(when.ptr()))
    throw std::invalid_argument("E_DTYPE simulate: events: 'when' has type " + type_text(when) +
                                ", expected a function of (t, q, v), or a dictionary with frame, coordinate, rate or "
                                "multiplier");
  const nb::dict d = nb::borrow<nb::dict>(when);
  const std::vector<std::string> known = {"frame",      "point", "normal",     "offset",
                                          "coordinate", "rate",  "multiplier", "value"};
  for (auto [key, x] : d)
    if (const std::string word = text_argument(k_function, "events", key);
        std::find(known.begin(), known.end(), word) == known.end())
      detail::throw_unknown("simulate: events: key of 'when'", word, known);
  const auto number = [&](const char* key) {
    return d.contains(key) ? nb::cast<double>(nb::float_(nb::object(d[key]))) : 0.0;
  };
  const auto text = [&](const char* key) { return text_argument(k_function, key, nb::object(d[key])); };
  const auto three = [&](const char* key, const Vec3<double>& otherwise) {
    return d.contains(key) ? vec3(k_function, key, nb::object(d[key])) : otherwise;
  };
  if (d.contains("frame"))
    return point_height(robot.model, text("frame"), three("point", {0, 0, 0}), three("normal", {0, 0, 1}),
                        number("offset"));
  if (d.contains("coordinate")) return coordinate_value(robot.model, text("coordinate"), number("value"));
  if (d.contains("rate")) return coordinate_rate(robot.model, text("rate"), number("value"));
  if (d.contains("multiplier")) return row_multiplier(set, text("multiplier"), number("value"));
  throw std::invalid_argument("simulate: events: 'when' has none of frame, coordinate, rate, multiplier");
}

/// Names of touch and leave; an empty one, of None, stands for any.
std::vector<std::string> sides_of(const char* key, nb::handle x) {
  if (PyUnicode_Check(x.ptr())) return words(key, x);
  std::vector<std::string> out;
  for (nb::handle one : nb::borrow<nb::sequence>(x))
    out.push_back(one.is_none() ? std::string() : text_argument(k_function, key, one));
  return out;
}

/// {'touch': names} or {'leave': names}: a shape, link or constraint, two of them, or None for any.
bool read_change(nb::handle when, SimulationEvent& to) {
  if (!PyDict_Check(when.ptr())) return false;
  const auto given = nb::borrow<nb::dict>(when);
  for (const auto kind : {ContactChange::Kind::touch, ContactChange::Kind::leave}) {
    if (!given.contains(name_of(kind))) continue;
    if (nb::len(given) != 1)
      throw std::invalid_argument(std::string("E_NAME simulate: events: '") + name_of(kind) +
                                  "' stands alone in 'when'");
    to.contact = ContactChange{.kind = kind};
    const nb::object names = given[name_of(kind)];
    if (names.is_none()) return true;
    if (!PyUnicode_Check(names.ptr()) && !PyList_Check(names.ptr()) && !PyTuple_Check(names.ptr()))
      throw_type(k_function, name_of(kind), names, "a name, two names, or None");
    const std::vector<std::string> all = sides_of(name_of(kind), names);
    if (all.size() > 2) detail::throw_size("simulate: events", name_of(kind), static_cast<long>(all.size()), 2);
    if (!all.empty()) to.contact->a = all[0];
    if (all.size() > 1) to.contact->b = all[1];
    return true;
  }
  return false;
}

SimulationEvent event_of(const Robot& robot, const ConstraintSet& set, nb::handle given) {
  if (!PyDict_Check(given.ptr()))
    throw std::invalid_argument("E_DTYPE simulate: argument 'events' holds " + type_text(given) +
                                ", expected dictionaries with name, when, and on, off, bounce or stop");
  SimulationEvent e;
  for (auto [key, x] : nb::borrow<nb::dict>(given)) {
    const std::string word = text_argument(k_function, "events", key);
    if (word == "name")
      e.name = text_argument(k_function, "name", x);
    else if (word == "when")
      e.function = read_change(x, e) ? nullptr : function_of(robot, set, x);
    else if (word == "crossing")
      e.crossing = crossing_of(text_argument(k_function, "crossing", x));
    else if (word == "on")
      e.on = words("on", x);
    else if (word == "off")
      e.off = words("off", x);
    else if (word == "bounce")
      e.bounce = words("bounce", x);
    else if (word == "impact")
      e.model = restitution_of(text_argument(k_function, "impact", x));
    else if (word == "stop")
      e.stop = nb::cast<bool>(nb::bool_(nb::borrow(x)));
    else if (word == "restitution" && PyDict_Check(x.ptr()))
      for (auto [name, E] : nb::borrow<nb::dict>(x))
        e.restitution.emplace_back(text_argument(k_function, "restitution", name),
                                   numbers(k_function, "restitution", E));
    else if (word == "restitution")
      throw std::invalid_argument("E_DTYPE simulate: events: 'restitution' has type " + type_text(x) +
                                  ", expected {constraint or group: numbers}");
    else
      detail::throw_unknown("simulate: events: key", word,
                            {"name", "when", "crossing", "on", "off", "bounce", "restitution", "impact", "stop"});
  }
  return e;
}

/// The dictionary of prescribed= with zeros for functions, and the functions.
nb::object constants_of(const Model& model, nb::handle given, std::vector<PythonControl::Given>& functions) {
  if (!PyDict_Check(given.ptr())) return nb::borrow(given);
  nb::dict out;
  Index first = 0;
  for (auto [key, value] : nb::borrow<nb::dict>(given)) {
    const std::string name = PyUnicode_Check(key.ptr()) ? nb::cast<std::string>(key) : std::string();
    const JointId joint = model.find_joint(name);
    const Index size = joint.value >= 0 ? model.joints()[static_cast<std::size_t>(joint.value)].v.size : 1;
    if (PyCallable_Check(value.ptr()) != 0) {
      functions.push_back({nb::borrow(value), first, size});
      out[key] = nb::cast(std::vector<double>(static_cast<std::size_t>(std::max<Index>(size, 1)), 0.0));
    } else {
      out[key] = value;
    }
    first += size;
  }
  return out;
}

/// What Ctrl-C and progress= see of a motion.
struct Progress {
  Watch& watch;
  double dt, time;
  double begin = std::numeric_limits<double>::quiet_NaN();
  long motions = 1, done = 0;
  static bool look(void* self, double time, double end) {
    Progress& p = *static_cast<Progress*>(self);
    const long steps = std::max(std::lround(p.time / p.dt), 1L);
    return p.watch.go_on(p.done * steps + std::lround((time - (end - p.time)) / p.dt), p.motions * steps, 1);
  }
};

struct Arguments {
  nb::handle q, v, tau, external;
  const char* in;
  nb::handle prescribed, targets, events;
  double start;
  nb::handle progress;
  const SceneObject* scene;
  nb::handle contacts;
};

/// contacts=: those of each of the states.
std::vector<std::vector<ContactState>> first_contacts(nb::handle given, const Scene* scene, const ConstraintSet& set,
                                                      Index states) {
  std::vector<std::vector<ContactState>> out(states < 0 ? 1 : static_cast<std::size_t>(states));
  if (given.is_none()) return out;
  if (scene == nullptr) throw std::invalid_argument("simulate: argument 'contacts' belongs to integrator 'contact'");
  if (states < 0) {
    out.front() = contacts_argument(k_function, given, *scene, set);
    return out;
  }
  if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr()))
    throw_type(k_function, "contacts", given, "a list for each state");
  if (nb::len(given) != out.size())
    detail::throw_size(k_function, "contacts", static_cast<long>(nb::len(given)), states);
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = contacts_argument(k_function, nb::object(given[nb::int_(k)]), *scene, set);
  return out;
}

nb::object simulate(const Robot& robot, const SetObject* given_set, const Arguments& a,
                    const SimulationSettings& settings) {
  const Model& model = robot.model;
  const ConstraintSet own = set_of_call(model, given_set);
  // What touches is that of the call, whatever is added to the scene meanwhile.
  std::optional<Scene> scene;
  if (a.scene != nullptr)
    scene = a.scene->scene;
  else if (settings.integrator == Integrator::contact)
    scene.emplace(model);
  const Scene* const touching = scene ? &*scene : nullptr;
  Call call(k_function, robot);
  const Input& q = call.configuration(a.q);
  const Input* v = a.v.is_none() ? nullptr : &call.tangent("v", a.v);
  const bool function = PyCallable_Check(a.tau.ptr()) != 0;
  const Input* tau = a.tau.is_none() || function ? nullptr : &call.tangent("tau", a.tau);
  call.environment(nb::none(), a.external, a.in);
  if (call.needs_axes())
    throw std::invalid_argument("E_NAME simulate: argument 'in_' is '" + std::string(a.in) +
                                "', expected local, world or local_world_aligned: axes of a frame turn with it");
  const auto control_for = [&](std::vector<PythonControl::Given> functions) -> std::unique_ptr<SimulationControl> {
    if (!function && functions.empty() && a.targets.is_none()) return nullptr;
    auto c = std::make_unique<PythonControl>();
    if (function) c->tau = nb::borrow(a.tau);
    if (!a.targets.is_none()) c->targets = nb::borrow(a.targets);
    c->prescribed = std::move(functions);
    c->model = &model;
    return c;
  };
  if (!a.targets.is_none() && PyCallable_Check(a.targets.ptr()) == 0)
    throw_type(k_function, "targets", a.targets, "a function of t");
  std::vector<PythonControl::Given> functions;
  const nb::object constants = constants_of(model, a.prescribed, functions);
  const StateMasks masks(call, k_function, model, constants, nb::none(), own);
  call.report_to(nb::none(), a.progress);
  std::vector<SimulationEvent> events;
  for (nb::handle e : nb::borrow<nb::sequence>(a.events)) events.push_back(event_of(robot, own, e));
  const Index count = call.count();
  const std::vector<std::vector<ContactState>> contacts = first_contacts(a.contacts, touching, own, call.states());
  const bool plain = call.states() >= 0 && !robot.one_by_one && events.empty() && a.external.is_none() &&
                     a.prescribed.is_none() && a.contacts.is_none() && a.start == 0;
  Progress progress{call.watch(), settings.dt, settings.time};
  progress.motions = count;
  std::vector<Trajectory> motions(static_cast<std::size_t>(count));
  std::unique_ptr<SimulationControl> control = control_for(std::move(functions));
  if (plain && control == nullptr) {
    const auto columns = [&](const Input* x, Index rows) {
      const Index n = x == nullptr ? 0 : x->states() < 0 ? 1 : count;
      Eigen::MatrixXd out(rows, n);
      for (Index k = 0; k < n; ++k) out.col(k) = vector(*x, k);
      return out;
    };
    const Eigen::MatrixXd qs = columns(&q, model.nq()).replicate(1, q.states() < 0 ? count : 1),
                          vs = columns(v, model.nv()), taus = columns(tau, model.nv());
    const nb::gil_scoped_release release;
    motions = simulate_states(
        model, own, qs, vs, taus, settings, wanted_threads(),
        [](void* w, double done, double total) {
          return static_cast<Watch*>(w)->go_on(static_cast<long>(done), static_cast<long>(total), 1);
        },
        &call.watch(), touching);
  } else {
    for (Index k = 0; k < count && !call.watch().stopped(); ++k) {
      const Lease lease(robot);
      if (!a.external.is_none()) call.place_external(*lease, k);
      Prescribed list = masks.prescribed();
      for (std::size_t i = 0; i < list.size(); ++i) list[i].acceleration = masks.given.at(k, static_cast<Index>(i));
      Simulator simulator =
          touching != nullptr ? Simulator(model, own, settings, *touching) : Simulator(model, own, settings);
      for (const SimulationEvent& e : events) simulator.add_event(e);
      if (k + 1 == count)
        simulator.set_control(std::move(control));
      else if (control != nullptr)
        simulator.set_control(std::make_unique<PythonControl>(static_cast<const PythonControl&>(*control)));
      progress.done = k;
      simulator.on_progress(&Progress::look, &progress);
      SimulationInput input{
          .q = ConstVector(q.at(k), q.size()), .time = a.start, .contacts = contacts[static_cast<std::size_t>(k)]};
      if (v != nullptr) input.v = ConstVector(v->at(k), v->size());
      if (tau != nullptr) input.tau = ConstVector(tau->at(k), tau->size());
      if (!a.external.is_none()) input.external = &(*lease).external;
      if (!list.empty()) input.prescribed = &list;
      const nb::gil_scoped_release release;
      motions[static_cast<std::size_t>(k)] = simulator.run(input);
    }
  }
  call.watch().finish();
  if (call.states() < 0) return trajectory(robot, own, motions.front(), touching);
  return trajectories(robot, own, motions, touching);
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_trajectory(m);
  def_with<SimulationSettings>(
      m,
      ZWANG_SIGNATURE(
          "def simulate(model: Model, constraints: ConstraintSet | None, q: Vector, v: Vector | None = None, tau: "
          "Vector | Callable[[float, Array, Array], Vector] | None = None, *, {time dt integrator keep}, external: "
          "External | None = None, in_: str = \"local_world_aligned\", prescribed: Mapping[str, ArrayLike | "
          "Callable[[float, Array, Array], ArrayLike]] | None = None, targets: Callable[[float], Mapping[str, "
          "Mapping[str, ArrayLike]]] | None = None, events: Sequence[Mapping[str, object]] = (), {every}, start: float "
          "= 0.0, {tolerance drift_tolerance accuracy contact_accuracy}, method: str = \"automatic\", joint_effects: "
          "JointEffects | "
          "None = None, scene: Scene | None = None, contacts: Sequence[ContactState] | "
          "Sequence[Sequence[ContactState]] "
          "| None = None, progress: Progress = None) -> Trajectory"),
      [](const Robot& model, const SetObject* constraints, nb::handle q, nb::handle v, nb::handle tau,
         nb::handle external, const char* in, nb::handle prescribed, nb::handle targets, nb::handle events,
         double start, const std::string& method, const JointEffects* effects, const SceneObject* scene,
         nb::handle contacts, nb::handle progress, SimulationSettings settings) {
        settings.solver.method = method;
        if (effects != nullptr) settings.solver.joint_effects = *effects;
        return simulate(model, constraints,
                        {q, v, tau, external, in, prescribed, targets, events, start, progress, scene, contacts},
                        settings);
      },
      "The motion from a state: q' = v, M q'' + h = tau + J^T lambda, with the rows of the set.\n\n"
      "integrator: dormand_prince (order 5; a step is divided until its error is within accuracy), rk4, half_explicit\n"
      "(order 4), variational (order 2, energy bounded), semi_implicit (order 1), contact (order 1 where something "
      "touches).\n"
      "scene: what the robot can touch, of integrator contact; None: its own shapes and the limits of its joints.\n"
      "contacts: those of the state, contacts[-1] of an earlier motion, which then goes on to the same bits.\n"
      "keep: projection (errors of the rows <= tolerance of their size), stabilisation (that of the constraints), or\n"
      "automatic: projection of rows of position that have no time constant and ask for no acceleration.\n"
      "status: drifted where physical rows of position are off by more than drift_tolerance of their size at the end.\n"
      "tau: constant, or tau(t, q, v). prescribed: accelerations by joint, numbers or functions of (t, q, v).\n"
      "targets(t): {constraint: {'target', 'target_velocity', 'beta', 'active'}}. Functions are called several times "
      "in\n"
      "a step and depend on their arguments alone. every: steps between two recorded states.\n"
      "events: dictionaries {'name', 'when': f(t, q, v) or {'frame', 'point', 'normal', 'offset'}, {'coordinate',\n"
      "'value'}, {'rate', 'value'}, {'multiplier': row}; 'crossing': falling, rising, both; 'on', 'off', 'bounce':\n"
      "constraints or groups; 'restitution', 'impact', 'stop'}. Of integrator contact also 'when': {'touch': [a, b]} "
      "or\n"
      "{'leave': [a, b]} with shapes, links or constraints; None, or a name left out, is any. They record, and may "
      "stop.\n"
      "Of N states (a leading dimension N): motions on all threads; arrays have that dimension, and NaN after a "
      "motion's\n"
      "end. The set is not changed. Ctrl-C stops; progress: True, a callable (done, total) or ProgressEvery.");
  m.def("integrators", &integrators, nb::sig("def integrators() -> list[str]"), "The names that integrator= takes.");
}

}  // namespace zwang::python
