// SPDX-License-Identifier: BSD-3-Clause
// constrained_inverse_dynamics: torques of motors and forces of rows for a desired motion.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "mechanisms.hpp"
#include "record.hpp"
#include "settings.hpp"
#include "statuses.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang::python {

/// The terms of each.
nb::object python_value(Shown, const InverseReport& report, const std::vector<MotionConflict>& all) {
  nb::list list;
  for (const MotionConflict& c : all) {
    nb::list terms;
    for (Index k = c.first; k < c.first + c.size; ++k)
      terms.append(named_tuple(report.terms[static_cast<std::size_t>(k)]));
    list.append(terms);
  }
  return list;
}
void check_record(const InverseReport& r, const Pickled& read) {
  const auto terms = static_cast<Index>(r.terms.size());
  for (const MotionConflict& c : r.conflicts)
    if (c.first < 0 || c.size < 0 || c.size > terms || c.first > terms - c.size)
      read.refuse("a conflict has terms that are not there");
}

namespace {

using InverseReportObject = WithNames<InverseReport>;

constexpr const char* k_function = "constrained_inverse_dynamics";

struct InverseObject {
  nb::object tau, motors, multipliers, acceleration, reaction;
  std::vector<std::string> motor_names;
  std::vector<InverseReportObject> reports;
  std::vector<std::pair<std::string, std::pair<Index, Index>>> constraints;  ///< name, first row, rows
  bool one = true;
  void check(const Pickled& read) const {
    if (reports.empty()) read.refuse("there is no report");
    for (const InverseReportObject& r : reports) r.check(read);
  }
};
template <class V> void fields(V& v, Type<InverseObject>) {
  using T = InverseObject;
  const Field kept{.attribute = false};
  v.record("InverseSolution",
           "Torques, multipliers and motion of constrained_inverse_dynamics. Of N states arrays have a leading\n"
           "dimension N.");
  v("tau", &T::tau, "(nv,): torques; 0 where there is no motor");
  v("motors", &T::motors, "u (motors,): tau = B u");
  v("motor_names", &T::motor_names, "coordinates with a motor, or the names of actuated=");
  v("multipliers", &T::multipliers, "lambda of all rows of the set; 0 of drivers and inactive rows");
  v("acceleration", &T::acceleration, "(nv,): the motion");
  v("reaction", &T::reaction, "(nv,): J^T lambda");
  v("reports", &T::reports, "of each state", kept);
  v("constraints", &T::constraints, "name, first row, rows", kept);
  v("one", &T::one, "whether it is of one state", kept);
}

nb::object reports_of(const InverseObject& s) {
  nb::list list;
  for (const InverseReportObject& r : s.reports) list.append(nb::cast(r));
  return as_reports(list);
}

/// What is asked besides the state.
struct Wanted {
  InverseSettings settings;
  std::vector<std::string> actuated = {};
  std::optional<ActuationMap> map = {};
  std::vector<double> weight = {}, torque_wish = {}, force_wish = {}, motor_lower = {}, motor_upper = {};

  std::unique_ptr<ConstrainedInverseDynamics> solver(const Model& model, const ConstraintSet& set) const {
    if (map) return std::make_unique<ConstrainedInverseDynamics>(model, set, *map, settings);
    return std::make_unique<ConstrainedInverseDynamics>(model, set, actuated, settings);
  }
};

/// `actuated`: names of joints or coordinates, a dictionary of motors, or B.
void take_motors(const char* function, Wanted& w, const Model& model, nb::handle given) {
  if (PyDict_Check(given.ptr())) {
    std::vector<ActuationMap::Motor> list;
    for (auto [key, value] : copy_of_dictionary(given)) {
      ActuationMap::Motor& motor = list.emplace_back();
      motor.name = text_argument(function, "actuated", key);
      if (!PyDict_Check(value.ptr()))
        throw std::invalid_argument(std::string("E_DTYPE ") + function + ": argument 'actuated' holds type " +
                                    type_text(value) + " for '" + motor.name +
                                    "', expected a dictionary from coordinates to d tau / d u");
      for (auto [at, ratio] : copy_of_dictionary(value)) {
        double x = 0;
        const std::string name = text_argument(function, "actuated", at);
        if (!nb::try_cast(ratio, x))
          throw std::invalid_argument(std::string("E_DTYPE ") + function + ": argument 'actuated' holds type " +
                                      type_text(ratio) + " for '" + motor.name + "' at '" + name +
                                      "', expected a number");
        motor.at.push_back({name, x});
      }
    }
    w.map.emplace(model, list);
  } else if (nb::hasattr(given, "ndim") && nb::cast<int>(given.attr("ndim")) == 2) {
    const nb::object columns = given.attr("shape")[nb::int_(1)];
    const std::vector<double> flat = numbers(function, "actuated", given.attr("ravel")());
    const auto nu = nb::cast<Index>(columns);
    if (nu == 0 || static_cast<Index>(flat.size()) != model.nv() * nu)
      throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument 'actuated' is a matrix of " +
                                  std::to_string(flat.size()) + " numbers, expected shape (" +
                                  std::to_string(model.nv()) + ", motors)");
    Eigen::MatrixXd B(model.nv(), nu);
    for (Index i = 0; i < model.nv(); ++i)
      for (Index j = 0; j < nu; ++j) B(i, j) = flat[static_cast<std::size_t>(i * nu + j)];
    w.map.emplace(B);
  } else {
    w.actuated = names_from(function, "actuated", given);
  }
}

/// Limits by the names of motors: a number for both sides, or (lower, upper).
void take_motor_limits(Wanted& w, const std::vector<std::string>& motors, nb::handle given) {
  if (given.is_none()) return;
  if (!PyDict_Check(given.ptr())) throw_type(k_function, "motor_limits", given, "a dictionary from motors to limits");
  w.motor_upper.assign(motors.size(), std::numeric_limits<double>::infinity());
  w.motor_lower.assign(motors.size(), -std::numeric_limits<double>::infinity());
  for (auto [key, value] : copy_of_dictionary(given)) {
    const std::string name = text_argument(k_function, "motor_limits", key);
    const auto at = static_cast<std::size_t>(std::find(motors.begin(), motors.end(), name) - motors.begin());
    if (at == motors.size()) zwang::detail::throw_unknown("motor", name, motors);
    const auto both = limits_argument(k_function, "motor_limits", name, value);
    w.motor_lower[at] = both.first;
    w.motor_upper[at] = both.second;
  }
}

void take_objective(InverseSettings& s, nb::handle given) {
  if (PyUnicode_Check(given.ptr())) {
    const std::string word = text_argument(k_function, "objective", given);
    if (word != "torque" && word != "force")
      throw std::invalid_argument("E_NAME constrained_inverse_dynamics: argument 'objective' is '" + word +
                                  "', expected 'torque', 'force' or {'torque': t, 'force': f}");
    s.torque = word == "torque" ? 1 : 0;
    s.force = word == "force" ? 1 : 0;
    return;
  }
  if (!PyDict_Check(given.ptr()))
    throw_type(k_function, "objective", given, "'torque', 'force' or {'torque': t, 'force': f}");
  s.torque = s.force = 0;
  for (auto [key, value] : copy_of_dictionary(given)) {
    const std::string word = text_argument(k_function, "objective", key);
    double x = 0;
    if ((word != "torque" && word != "force") || !nb::try_cast(value, x))
      throw std::invalid_argument("E_NAME constrained_inverse_dynamics: argument 'objective' holds '" + word +
                                  "', expected numbers under 'torque' and 'force'");
    (word == "torque" ? s.torque : s.force) = x;
  }
}

void take_friction(InverseSettings& s, nb::handle given) {
  if (given.is_none()) return;
  for_each_entry(
      k_function, "friction", given, "a dictionary from contacts to coefficients",
      [&](const std::string& contact, nb::handle value) {
        double mu = 0;
        if (!nb::try_cast(value, mu))
          throw std::invalid_argument("E_DTYPE constrained_inverse_dynamics: argument 'friction' holds type " +
                                      type_text(value) + " for '" + contact + "', expected a number > 0");
        s.friction.push_back({contact, mu});
      });
}

std::vector<double> ones_at(const std::vector<bool>& is) {
  std::vector<double> x(is.size(), 0.0);
  for (std::size_t k = 0; k < is.size(); ++k) x[k] = is[k] ? 1 : 0;
  return x;
}

void take_weight(Wanted& w, const Model& model, nb::handle given, nb::handle a) {
  if (PyUnicode_Check(given.ptr())) {
    const std::string word = text_argument(k_function, "weight", given);
    if (word != "actuated")
      throw std::invalid_argument("E_NAME constrained_inverse_dynamics: argument 'weight' is '" + word +
                                  "', expected 'actuated' or nv numbers >= 0");
    if (w.map) {
      w.weight.assign(static_cast<std::size_t>(model.nv()), 0.0);
      for (std::size_t k = 0; k < w.map->matrix.size(); ++k)
        if (w.map->matrix[k] != 0) w.weight[k / static_cast<std::size_t>(w.map->motors)] = 1;
    } else {
      w.weight = ones_at(w.actuated.empty() ? model.actuated() : actuated_coordinates(model, w.actuated));
    }
  } else if (!given.is_none()) {
    const Input x(k_function, "weight", given, model.nv(), VectorKind::tangent, &model);
    if (x.states() >= 0)
      throw std::invalid_argument(
          "E_SIZE constrained_inverse_dynamics: argument 'weight' has N states, expected (nv,)");
    w.weight.assign(x.at(0), x.at(0) + x.size());
  } else if (PyDict_Check(a.ptr())) {  // demanded are the joints that are named
    std::vector<std::string> names;
    for (auto [key, value] : nb::borrow<nb::dict>(a)) names.push_back(text_argument(k_function, "a", key));
    w.weight = ones_at(actuated_coordinates(model, names));
  }
}

/// Multipliers by the names of constraints, in the order of the set.
void take_force_wish(Wanted& w, const ConstraintSet& set, nb::handle given) {
  if (given.is_none()) return;
  w.force_wish.assign(static_cast<std::size_t>(set.rows()), 0.0);
  for_each_entry(k_function, "force_wish", given, "a dictionary from constraints to multipliers",
                 [&](const std::string& name, nb::handle value) {
                   const Constraint& wanted = set[name];
                   Index first = 0;
                   for (const Constraint* x = set.constraints().data(); x != &wanted; ++x) first += x->size();
                   const std::vector<double> numbers = python::numbers(k_function, "force_wish", value);
                   if (static_cast<Index>(numbers.size()) != wanted.size())
                     zwang::detail::throw_size(k_function, name.c_str(), static_cast<long>(numbers.size()),
                                               wanted.size());
                   std::copy(numbers.begin(), numbers.end(), w.force_wish.begin() + first);
                 });
}

nb::object solve(const Robot& robot, const SetObject& set, nb::handle q_, nb::handle v_, nb::handle a_,
                 nb::handle actuated, nb::handle weight, nb::handle friction, nb::handle objective, nb::handle wish,
                 nb::handle force_wish, nb::handle motor_limits, nb::handle external, const char* in,
                 nb::handle gravity, const InverseSettings& settings) {
  const Model& model = robot.model;
  Call call(k_function, robot);
  const Input& q = call.configuration(q_);
  const Input* v = v_.is_none() ? nullptr : &call.tangent("v", v_);
  const Input* a = a_.is_none() ? nullptr : &call.tangent("a", a_);
  call.environment(gravity, external, in);
  Wanted w{.settings = settings};
  take_objective(w.settings, objective);
  take_friction(w.settings, friction);
  take_motors(k_function, w, model, actuated);
  if (a != nullptr || !weight.is_none()) take_weight(w, model, weight, a_);
  if (!wish.is_none()) {
    if (w.map) {
      w.torque_wish = numbers(k_function, "wish", wish);
      if (static_cast<Index>(w.torque_wish.size()) != w.map->motors)
        zwang::detail::throw_size(k_function, "wish", static_cast<long>(w.torque_wish.size()), w.map->motors);
    } else {
      const Input x(k_function, "wish", wish, model.nv(), VectorKind::tangent, &model);
      if (x.states() >= 0)
        throw std::invalid_argument(
            "E_SIZE constrained_inverse_dynamics: argument 'wish' has N states, expected (nv,)");
      w.torque_wish.assign(x.at(0), x.at(0) + x.size());
    }
  }
  InverseObject result;
  result.one = call.states() < 0;
  Index rows = 0;
  std::unique_ptr<ConstrainedInverseDynamics> inverse;
  {
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    inverse = w.solver(model, set.shared->set);
    result.motor_names = inverse->motor_names();
    take_motor_limits(w, result.motor_names, motor_limits);
    take_force_wish(w, set.shared->set, force_wish);
    for (const Constraint& x : set.shared->set.constraints()) {
      result.constraints.push_back({x.name, {rows, x.size()}});
      rows += x.size();
    }
  }
  const auto output = [&](nb::object& array, Index size) {
    Output out(k_function, "out", nb::none(), call.states(), {size});
    array = out.array;
    return out;
  };
  const Output tau = output(result.tau, model.nv()),
               motors = output(result.motors, static_cast<Index>(result.motor_names.size())),
               multipliers = output(result.multipliers, rows), acceleration = output(result.acceleration, model.nv()),
               reaction = output(result.reaction, model.nv());
  call.run([&](Workspace& workspace, Index k) {
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    inverse->data().gravity = workspace.data.gravity;
    InverseInput input{.q = ConstVector(q.at(k), q.size())};
    if (v != nullptr) input.v = ConstVector(v->at(k), v->size());
    if (a != nullptr) input.a = ConstVector(a->at(k), a->size());
    if (!w.weight.empty()) input.weight = w.weight;
    if (!w.torque_wish.empty()) input.torque_wish = w.torque_wish;
    if (!w.force_wish.empty()) input.force_wish = w.force_wish;
    if (!w.motor_lower.empty()) {
      input.motor_lower = w.motor_lower;
      input.motor_upper = w.motor_upper;
    }
    if (!workspace.external.empty()) input.external = &workspace.external;
    const InverseSolution& s = inverse->solve(input);
    result.reports.emplace_back(s.report);
    tau.put(k, s.tau.data());
    motors.put(k, s.motors.data());
    multipliers.put(k, s.multipliers.data());
    acceleration.put(k, s.acceleration.data());
    reaction.put(k, s.reaction.data());
  });
  return nb::cast(std::move(result));
}

nb::object fully_actuated(const Robot& robot, const SetObject& set, nb::handle q_, nb::handle actuated) {
  const char* const function = "is_fully_actuated";
  Call call(function, robot);
  const Input& q = call.configuration(q_);
  Wanted w;
  take_motors(function, w, robot.model, actuated);
  std::vector<bool> all(static_cast<std::size_t>(call.count()));
  call.run([&](Workspace&, Index k) {
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    const Eigen::Map<const Eigen::VectorXd> at(q.at(k), q.size());
    all[static_cast<std::size_t>(k)] = w.map ? is_fully_actuated(robot.model, set.shared->set, at, *w.map)
                                             : is_fully_actuated(robot.model, set.shared->set, at, w.actuated);
  });
  if (call.states() < 0) return nb::bool_(static_cast<bool>(all[0]));
  return array_of(all, "bool", [](bool x) { return x; });
}

nb::object multipliers_of(const InverseObject& s, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [constraint, rows] : s.constraints) {
    if (constraint == name)
      return s.multipliers[nb::make_tuple(nb::ellipsis(), nb::slice(rows.first, rows.first + rows.second, 1))];
    known.push_back(constraint);
  }
  zwang::detail::throw_unknown("constraint", name, known);
}

/// The first line of what a report says.
std::string first_line(const InverseReportObject& r) {
  const std::string text = r.record.explain();
  return text.substr(0, text.find('\n'));
}

void bind_report(nb::module_& m) {
  named_tuples<MotionTerm, MissedDemand>(m);
  record_class<InverseReport>(m).def(
      "__repr__", [](const InverseReportObject& r) { return "<zwang.InverseReport " + first_line(r) + ">"; });
}

}  // namespace

std::vector<std::string> names_from(const char* function, const char* argument, nb::handle given) {
  if (given.is_none()) return {};
  if (PyUnicode_Check(given.ptr())) return {text_argument(function, argument, given)};
  std::vector<std::string> names;
  if (!nb::try_cast(given, names)) throw_type(function, argument, given, "names of joints or coordinates");
  if (names.empty())
    throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument '" + argument +
                                "' is empty, expected at least one name, or None for the model's motors");
  return names;
}

void bind_inverse(nb::module_& m) {
  bind_report(m);
  def(m,
      ZWANG_SIGNATURE(
          "def is_fully_actuated(model: Model, constraints: ConstraintSet, q: Vector, *, actuated: str | Sequence[str] "
          "| Mapping[str, Mapping[str, float]] | ArrayLike | None = None) -> bool | NDArray[numpy.bool_]"),
      &fully_actuated,
      "Whether motors and rows can produce, at q, any motion that the rows permit: B and J^T together span all nv\n"
      "equations of motion. J: the active physical hard rows, held as equalities whatever their senses and limits; "
      "driver\n"
      "rows and soft rows carry nothing. actuated: as in constrained_inverse_dynamics. N states: an array of N. Unlike "
      "the\n"
      "report of a solve it depends on set, motors and q alone.");
  using S = InverseObject;
  const Head head = head_of<S>();
  ClassOf<S> c(m, head.name, head.says);
  attributes<S>(c, [](const S& x) -> const S& { return x; });
  c.get("report", "InverseReport", "of N states: a list",
        [](const S& s) -> nb::object { return s.one ? nb::cast(s.reports.front()) : reports_of(s); })
      .get("reports", "list[InverseReport]", "of each state", &reports_of)
      .get("status", "Status | Statuses", "report.status; of N states an array",
           [](const S& s) -> nb::object {
             if (s.one) return nb::cast(s.reports.front().record.status);
             return as_statuses(
                 array_of(s.reports, "uint8", [](const InverseReportObject& r) { return r.record.status; }));
           })
      .def(ZWANG_SIGNATURE("def __getitem__(self, constraint: str) -> Array"), &multipliers_of,
           "The multipliers of a constraint.")
      .def("__repr__", [](const S& s) {
        return "<zwang.InverseSolution " +
               (s.one ? first_line(s.reports.front()) : nb::cast<std::string>(nb::str(reports_of(s)))) + ">";
      });
  kept_by_fields<S>();
  def_with<InverseSettings>(
      m,
      ZWANG_SIGNATURE(
          "def constrained_inverse_dynamics(model: Model, constraints: ConstraintSet, q: Vector, v: Vector | None = "
          "None, a: Vector | None = None, *, actuated: str | Sequence[str] | Mapping[str, Mapping[str, float]] | "
          "ArrayLike | None = None, weight: Vector | str | "
          "None = None, friction: Mapping[str, float] | None = None, objective: str | Mapping[str, float] = "
          "'torque', wish: Vector | None = None, force_wish: Mapping[str, ArrayLike] | None = None, motor_limits: "
          "Mapping[str, float | tuple[float, float]] | None = None, {effort_limits best_effort penalty tolerance}, "
          "external: External | None = None, in_: str = \"local_world_aligned\", {joint_effects}, gravity: ArrayLike | "
          "None = None) -> InverseSolution"),
      &solve,
      "Torques of the motors and forces of the rows for a desired motion: M a + h = tau + J^T lambda, tau only at "
      "motors.\n"
      "\n"
      "1. Physical rows, and the equations of motion where there is no motor, hold. 2. Driver rows by priority. 3. "
      "The\n"
      "motion nearest to a: minimise |sqrt(w) (a' - a)|^2 in the metric of M. 4. Of all torques and multipliers those "
      "of\n"
      "least norm, torques first.\n"
      "a (nv,): all coordinates are demanded; by names of joints or coordinates: only these. weight (nv,) >= 0: 0 is "
      "not demanded;\n"
      "'actuated': 1 at motors. actuated: joints or coordinates; None: model.actuated; motors behind transmissions as\n"
      "{motor: {coordinate: dtau/du}} or as B (nv, motors), tau = B u. objective: 'torque', 'force' or\n"
      "{'torque': t, 'force': f}: what is least. wish: torques to be near to; force_wish: multipliers by constraint.\n"
      "friction: {contact: mu}, forces in Coulomb's cones. motor_limits: {motor: limit or (lower, upper)}; "
      "effort_limits:\n"
      "those of the model. Rows with a sense may be open, rows with a limit hold with |lambda| <= limit.\n"
      "best_effort: where no forces within these bounds carry the motion, True gives the forces within them that come\n"
      "nearest to it, and False those without bounds; the status is infeasible in both, .report.missed or .beyond says "
      "what.\n"
      "penalty > 0: RBDL's relaxed form, tau = h + penalty W (a - a') at motors. external, in_, joint_effects, "
      "gravity: as in\n"
      "inverse_dynamics. N states: arrays with a leading N. What cannot be met is in .report. Raises ValueError "
      "naming\n"
      "argument, got and expected; UnsupportedError for what cannot be combined.");
}

}  // namespace zwang::python
