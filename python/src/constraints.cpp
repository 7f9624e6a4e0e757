// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet, and its constraints as objects whose attributes may be changed between solves.
#include "constraints.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_drivers[] = {"gravity", "external", "tau", "prescribed"};
bool& driver_of(Compensate& c, std::size_t k) {
  return k == 0 ? c.gravity : k == 1 ? c.external : k == 2 ? c.tau : c.prescribed;
}

Compensate compensate_of(nb::handle words) {
  Compensate c;
  if (words.is_none()) return c;
  for (std::size_t k = 0; k < 4; ++k) driver_of(c, k) = false;
  std::vector<std::string> list;
  if (PyUnicode_Check(words.ptr()))
    list.push_back(text_argument("Constraint", "compensate", words));
  else
    for (nb::handle word : words) list.push_back(text_argument("Constraint", "compensate", word));
  for (const std::string& word : list) {
    const auto* found = std::find(std::begin(k_drivers), std::end(k_drivers), word);
    if (found == std::end(k_drivers))
      detail::throw_unknown("driver to compensate", word, {std::begin(k_drivers), std::end(k_drivers)});
    driver_of(c, static_cast<std::size_t>(found - k_drivers)) = true;
  }
  return c;
}
nb::list words_of(Compensate c) {
  nb::list list;
  for (std::size_t k = 0; k < 4; ++k)
    if (driver_of(c, k)) list.append(k_drivers[k]);
  return list;
}

/// Words, a list of words, one row of six numbers, or k rows.
RowSelection rows_of(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) return rows(text_argument("add_frame", "rows", given));
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
    std::string words;
    bool all = nb::len(given) > 0;
    for (nb::handle word : given) {
      all = all && PyUnicode_Check(word.ptr());
      if (all) words += text_argument("add_frame", "rows", word) + ' ';
    }
    if (all) return rows(words);
  }
  const Input matrix("add_frame", "rows", given, 6);
  std::vector<double> entries;
  for (Index k = 0; k < (matrix.states() < 0 ? 1 : matrix.states()); ++k)
    entries.insert(entries.end(), matrix.at(k), matrix.at(k) + 6);
  return rows(entries);
}

/// What constraints of every type have.
struct Common {
  nb::object beta;
  std::string role;
  bool active;
  std::string policy;
  int priority;
  nb::object compensate, compliance, weight;

  template <class T> void into(const char* function, T& c) const {
    c.beta = numbers(function, "beta", beta);
    c.role = role_of(role);
    c.active = active;
    c.policy = policy_of(policy);
    c.priority = priority;
    c.compensate = compensate_of(compensate);
    c.compliance = numbers(function, "compliance", compliance);
    c.weight = numbers(function, "weight", weight);
  }
};

template <class T> ConstraintObject insert(SetObject& self, const T& c) {
  const std::lock_guard<std::mutex> lock(self.shared->mutex);
  self.shared->set.add(c);
  return {self.shared, c.name};
}

ConstraintObject add_frame(SetObject& self, const std::string& name, const std::string& frame, nb::handle rows,
                           const std::string& in, nb::object beta, const std::string& acceleration,
                           const std::string& role, bool active, const std::string& policy, int priority,
                           nb::object compensate, nb::object compliance, nb::object weight) {
  FrameConstraint c{.name = name, .frame = frame, .rows = rows_of(rows), .in = in};
  c.acceleration = acceleration_of("add_frame", "acceleration", acceleration);
  Common{beta, role, active, policy, priority, compensate, compliance, weight}.into("add_frame", c);
  return insert(self, c);
}

ConstraintObject add_contact(SetObject& self, const std::string& name, const std::string& frame, nb::handle normal,
                             int rows, nb::handle point, nb::handle tangent, nb::object beta, const std::string& role,
                             bool active, const std::string& policy, int priority, nb::object compensate,
                             nb::object compliance, nb::object weight) {
  ContactConstraint c{.name = name, .frame = frame};
  if (!normal.is_none()) c.normal = vec3("add_contact", "normal", normal);
  if (!point.is_none()) c.point = vec3("add_contact", "point", point);
  if (!tangent.is_none()) c.tangent = vec3("add_contact", "tangent", tangent);
  c.rows = rows;
  Common{beta, role, active, policy, priority, compensate, compliance, weight}.into("add_contact", c);
  return insert(self, c);
}

/// A letter, or three numbers.
Vec3<double> axis_of(nb::handle given) {
  if (!PyUnicode_Check(given.ptr())) return vec3("joint_rows", "axis", given);
  const std::string word = text_argument("joint_rows", "axis", given);
  if (word != "x" && word != "y" && word != "z") detail::throw_unknown("axis", word, {"x", "y", "z"});
  return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
}
/// As of frames, or {"joint": "hinge", "axis": "z"}.
RowSelection loop_rows(nb::handle given) {
  if (!PyDict_Check(given.ptr())) return rows_of(given);
  nb::dict d = nb::borrow<nb::dict>(given);
  Vec3<double> axis{0, 0, 1}, second{0, 0, 0};
  std::string joint;
  for (auto [key, value] : d) {
    const std::string name = text_argument("add_loop", "rows", key);
    if (name == "joint")
      joint = text_argument("add_loop", "rows['joint']", value);
    else if (name == "axis")
      axis = axis_of(value);
    else if (name == "second_axis")
      second = axis_of(value);
    else
      detail::throw_unknown("key of rows", name, {"joint", "axis", "second_axis"});
  }
  return joint_rows(joint, axis, second);
}

/// What constraints with a position error have.
struct Errors {
  nb::object target, target_velocity;
  double time_constant, damping_ratio;
  template <class T> void into(const char* function, T& c) const {
    c.target = numbers(function, "target", target);
    c.target_velocity = numbers(function, "target_velocity", target_velocity);
    c.stabilisation = {time_constant, damping_ratio};
  }
};

ConstraintObject add_loop(SetObject& self, const std::string& name, const std::pair<std::string, std::string>& frames,
                          nb::handle rows, nb::object beta, const std::string& role, bool active,
                          const std::string& policy, int priority, nb::object compensate, nb::object compliance,
                          nb::object weight, nb::object target, nb::object target_velocity, double time_constant,
                          double damping_ratio) {
  LoopConstraint c{.name = name, .frame = frames.first, .other = frames.second, .rows = loop_rows(rows)};
  Common{beta, role, active, policy, priority, compensate, compliance, weight}.into("add_loop", c);
  Errors{target, target_velocity, time_constant, damping_ratio}.into("add_loop", c);
  return insert(self, c);
}

/// Calls f(constraint) to change it, under the lock. f asks nothing of Python.
template <class F> auto with(const ConstraintObject& c, F&& f) {
  const std::lock_guard<std::mutex> lock(c.shared->mutex);
  return f(c.shared->set[c.name]);
}
/// One number per row from one per row or one for all, written into the vector that is there.
void assign(const ConstraintObject& self, const char* what, nb::handle given, std::vector<double> Constraint::*to) {
  const std::vector<double> x = numbers("Constraint", what, given);
  with(self, [&](Constraint& c) {
    const std::size_t size = static_cast<std::size_t>(c.size());
    const bool for_all = x.size() == 1 && (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()));
    if (x.size() != size && !for_all)
      detail::throw_size(("Constraint '" + c.name + "'").c_str(), what, static_cast<long>(x.size()), c.size());
    std::vector<double>& vector = c.*to;
    vector.resize(size);
    for (std::size_t k = 0; k < size; ++k) vector[k] = x[for_all ? 0 : k];
  });
}
/// A copy that may not be written: writing into it would change nothing.
nb::object read_only(const std::vector<double>& x) {
  nb::object array = new_array(x);
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// Reading needs no lock: whoever changes a set holds the GIL, too.
template <class F> auto reader(F f) {
  return [f](const ConstraintObject& self) { return f(std::as_const(self.shared->set)[self.name]); };
}

void bind_constraint(nb::module_& m) {
  using C = ConstraintObject;
  nb::class_<C>(m, "Constraint",
                "A constraint of a ConstraintSet: rows K a = beta on the acceleration of a frame; lambda acts +K^T on "
                "its body.\n\n"
                "What can be set may be set between solves; the next solve sees it, and no solver allocates for it.")
      .def_prop_ro("name", [](const C& c) { return c.name; })
      .def_prop_ro("type", reader([](const Constraint& c) { return c.type; }), "frame, contact or loop")
      .def_prop_ro("frame", reader([](const Constraint& c) { return c.frame; }), "the frame that it holds")
      .def_prop_ro("other", reader([](const Constraint& c) { return c.other; }),
                   "the second frame of a relation between two, else empty")
      .def_prop_ro("in_", reader([](const Constraint& c) { return c.in; }), "axes of its rows and of its wrench")
      .def_prop_ro("row_names", reader([](const Constraint& c) { return c.row_names; }), "tool:linear.x and so on")
      .def_prop_rw("active", reader([](const Constraint& c) { return c.active; }),
                   [](const C& self, bool on) { with(self, [&](Constraint& c) { c.active = on; }); })
      .def_prop_rw(
          "beta", reader([](const Constraint& c) { return read_only(c.beta); }),
          [](const C& self, nb::handle x) { assign(self, "beta", x, &Constraint::beta); }, nb::arg("value").none(),
          nb::for_getter(nb::sig("def beta(self) -> Array")),
          nb::for_setter(nb::sig("def beta(self, value: ArrayLike, /) -> None")),
          "desired acceleration, one per row [m/s^2, rad/s^2]; reading gives a copy")
      .def_prop_rw(
          "role", reader([](const Constraint& c) { return std::string(name_of(c.role)); }),
          [](const C& self, const std::string& word) {
            const Role role = role_of(word);
            with(self, [&](Constraint& c) { c.role = role; });
          },
          "physical (a reaction) or driver (asked of the motors)")
      .def_prop_rw(
          "acceleration", reader([](const Constraint& c) {
            return std::string(c.acceleration == AccelerationKind::classical ? "classical" : "spatial");
          }),
          [](const C& self, const std::string& word) {
            const AccelerationKind kind = acceleration_of("Constraint", "acceleration", word);
            with(self, [&](Constraint& c) { c.acceleration = kind; });
          },
          "classical or spatial")
      .def_prop_rw(
          "policy", reader([](const Constraint& c) { return std::string(name_of(c.policy)); }),
          [](const C& self, const std::string& word) {
            const Policy policy = policy_of(word);
            with(self, [&](Constraint& c) { c.policy = policy; });
          },
          "hard, early or soft (K a + R lambda = beta, with the compliance R)")
      .def_prop_rw(
          "priority", reader([](const Constraint& c) { return c.priority; }),
          [](const C& self, int level) { with(self, [&](Constraint& c) { c.priority = level; }); },
          "0 is highest; level k is held as well as the levels before it allow")
      .def_prop_rw(
          "compensate", reader([](const Constraint& c) { return words_of(c.compensate); }),
          [](const C& self, nb::handle words) {
            const Compensate given = compensate_of(words);
            with(self, [&](Constraint& c) { c.compensate = given; });
          },
          nb::arg("value").none(), nb::for_getter(nb::sig("def compensate(self) -> list[str]")),
          nb::for_setter(nb::sig("def compensate(self, value: Sequence[str] | None, /) -> None")),
          "which of gravity, external, tau, prescribed its multipliers make up for")
      .def_prop_rw(
          "compliance", reader([](const Constraint& c) { return read_only(c.compliance); }),
          [](const C& self, nb::handle x) { assign(self, "compliance", x, &Constraint::compliance); },
          nb::arg("value").none(), nb::for_getter(nb::sig("def compliance(self) -> Array")),
          nb::for_setter(nb::sig("def compliance(self, value: ArrayLike, /) -> None")),
          "R of the policy soft, one per row, > 0 [acceleration / force]")
      .def_prop_rw(
          "weight", reader([](const Constraint& c) { return read_only(c.weight); }),
          [](const C& self, nb::handle x) { assign(self, "weight", x, &Constraint::weight); }, nb::arg("value").none(),
          nb::for_getter(nb::sig("def weight(self) -> Array")),
          nb::for_setter(nb::sig("def weight(self, value: ArrayLike, /) -> None")),
          "one per row, > 0, for singularity weighted")
      .def_prop_rw(
          "target", reader([](const Constraint& c) { return read_only(c.target); }),
          [](const C& self, nb::handle x) { assign(self, "target", x, &Constraint::target); }, nb::arg("value").none(),
          nb::for_getter(nb::sig("def target(self) -> Array")),
          nb::for_setter(nb::sig("def target(self, value: ArrayLike, /) -> None")),
          "desired phi of a relation, one per row; empty: zeros")
      .def_prop_rw(
          "target_velocity", reader([](const Constraint& c) { return read_only(c.target_velocity); }),
          [](const C& self, nb::handle x) { assign(self, "target_velocity", x, &Constraint::target_velocity); },
          nb::arg("value").none(), nb::for_getter(nb::sig("def target_velocity(self) -> Array")),
          nb::for_setter(nb::sig("def target_velocity(self, value: ArrayLike, /) -> None")),
          "desired phi' of a relation, one per row; empty: zeros")
      .def_prop_rw(
          "time_constant", reader([](const Constraint& c) { return c.stabilisation.time_constant; }),
          [](const C& self, double T) { with(self, [&](Constraint& c) { c.stabilisation.time_constant = T; }); },
          "T of phi'' = beta - 2 zeta / T phi' - phi / T^2 [s]; 0: errors are left alone")
      .def_prop_rw(
          "damping_ratio", reader([](const Constraint& c) { return c.stabilisation.damping_ratio; }),
          [](const C& self, double z) { with(self, [&](Constraint& c) { c.stabilisation.damping_ratio = z; }); },
          "zeta of the same; 1: critically damped")
      .def("__len__", reader([](const Constraint& c) { return c.size(); }))
      .def("__repr__", reader([](const Constraint& c) {
             return "<Constraint '" + c.name + "': " + c.type + " on '" + c.frame + "', " + std::to_string(c.size()) +
                    " rows, " + name_of(c.role) + (c.active ? ">" : ", not active>");
           }));
}

std::string set_table(const SetObject& self) {
  const ConstraintSet& set = self.shared->set;
  std::vector<std::vector<std::string>> rows{
      {"constraint", "type", "frame", "rows", "role", "policy", "priority", "in", ""}};
  for (const Constraint& c : set.constraints())
    rows.push_back({c.name, c.type, c.frame, std::to_string(c.size()), name_of(c.role), name_of(c.policy),
                    std::to_string(c.priority), c.in, c.active ? "" : "not active"});
  const std::string head = "ConstraintSet of '" + set.model().name() + "': " + std::to_string(set.size()) +
                           " constraints, " + std::to_string(set.rows()) + " rows";
  return set.size() == 0 ? head : head + table(rows);
}

#define ZWANG_COMMON_ARGUMENTS                                                                                      \
  nb::arg("beta") = nb::none(), nb::arg("role") = "physical", nb::arg("active") = true, nb::arg("policy") = "hard", \
  nb::arg("priority") = 0, nb::arg("compensate") = nb::none(), nb::arg("compliance") = nb::none(),                  \
  nb::arg("weight") = nb::none()
#define ZWANG_COMMON_SIGNATURE                                                                             \
  "beta: ArrayLike | None = None, role: str = \"physical\", active: bool = True, policy: str = \"hard\", " \
  "priority: int = 0, compensate: Sequence[str] | None = None, compliance: ArrayLike | None = None, "      \
  "weight: ArrayLike | None = None) -> Constraint"
#define ZWANG_COMMON_DOC                                                                                               \
  "\nbeta: desired acceleration per row, default 0. role: physical (its multipliers are reactions) or driver (asked\n" \
  "    of the motors). policy: hard, early (the same answer, eliminated early) or soft (needs compliance: K a +\n"     \
  "    R lambda = beta). priority: 0 is highest. compensate: which of gravity, external, tau, prescribed the\n"        \
  "    multipliers make up for, default all. compliance, weight: one number per row, or one for all.\n"                \
  "Raises ValueError for unknown frames and words (with the nearest), wrong sizes, and names that are taken."

}  // namespace

void bind_constraints(nb::module_& m) {
  bind_constraint(m);
  nb::class_<SetObject>(
      m, "ConstraintSet",
      "What is imposed on a model, in the order of insertion. Solvers made of a set follow it: switching a\n"
      "constraint or changing its beta is seen by the next solve. set[name] is a Constraint.")
      .def(
          "__init__", [](SetObject* s, const Robot& model) { new (s) SetObject{std::make_shared<SharedSet>(model)}; },
          nb::arg("model"))
      .def("add_frame", &add_frame, nb::arg("name"), nb::arg("frame"), nb::arg("rows") = "all",
           nb::arg("in_") = "local_world_aligned", nb::kw_only(), nb::arg("beta") = nb::none(),
           nb::arg("acceleration") = "classical", nb::arg("role") = "physical", nb::arg("active") = true,
           nb::arg("policy") = "hard", nb::arg("priority") = 0, nb::arg("compensate") = nb::none(),
           nb::arg("compliance") = nb::none(), nb::arg("weight") = nb::none(),
           nb::sig("def add_frame(self, name: str, frame: str, rows: str | Sequence[str] | ArrayLike = \"all\", "
                   "in_: str = \"local_world_aligned\", *, acceleration: str = \"classical\", " ZWANG_COMMON_SIGNATURE),
           "Some directions of a frame's acceleration:  K a = beta.\n\n"
           "rows: words (linear.x ... angular.z, linear, angular, all) or a matrix k x 6 over [linear; angular]. in_: "
           "axes\n"
           "    of the rows: local, world (also the point is the world's origin), local_world_aligned, or a frame's "
           "name.\n"
           "acceleration: classical or spatial, gravity not counted: beta = 0 holds a frame at rest "
           "still." ZWANG_COMMON_DOC)
      .def("add_contact", &add_contact, nb::arg("name"), nb::arg("frame"), nb::arg("normal") = nb::none(),
           nb::arg("rows") = 3, nb::kw_only(), nb::arg("point") = nb::none(), nb::arg("tangent") = nb::none(),
           ZWANG_COMMON_ARGUMENTS,
           nb::sig("def add_contact(self, name: str, frame: str, normal: ArrayLike | None = None, rows: int = 3, *, "
                   "point: ArrayLike | None = None, tangent: ArrayLike | None = None, " ZWANG_COMMON_SIGNATURE),
           "A point of a body that touches the world:  [t1 t2 n]^T a_p = beta, world axes.\n\n"
           "normal: pointing out of the ground, default (0, 0, 1); tangent: default the world axis least along the "
           "normal;\n"
           "point: in the frame [m]. rows: 3 sticks (t1, t2, n), 2 for plane problems (t1, n), 1 slides "
           "(n)." ZWANG_COMMON_DOC)
      .def(
          "add_loop", &add_loop, nb::arg("name"), nb::arg("frames"), nb::arg("rows") = "all", nb::kw_only(),
          ZWANG_COMMON_ARGUMENTS, nb::arg("target") = nb::none(), nb::arg("target_velocity") = nb::none(),
          nb::arg("time_constant") = 0.0, nb::arg("damping_ratio") = 1.0,
          nb::sig(
              "def add_loop(self, name: str, frames: tuple[str, str], rows: str | Sequence[str] | ArrayLike | "
              "dict[str, Any] = \"all\", *, beta: ArrayLike | None = None, role: str = \"physical\", active: bool = "
              "True, policy: str = \"hard\", priority: int = 0, compensate: Sequence[str] | None = None, "
              "compliance: ArrayLike | None = None, weight: ArrayLike | None = None, target: ArrayLike | None = "
              "None, target_velocity: ArrayLike | None = None, time_constant: float = 0.0, damping_ratio: float = "
              "1.0) -> Constraint"),
          "Closes a loop between two frames a, b as a joint would:  phi = K [p; psi] = target.\n\n"
          "p: where b's origin is in a; psi: how b is turned, by the log of its rotation, or free of the turns that\n"
          "    the rows leave free. The rows speak of a's axes.\n"
          "rows: words (linear.x ... angular.z, linear, angular, all), a matrix k x 6, or those of a joint,\n"
          "    {\"joint\": \"hinge\", \"axis\": \"z\"}: hinge, slider, cylindrical, planar, ball, universal, weld ...\n"
          "time_constant T > 0 takes errors away: phi'' = beta - 2 damping_ratio / T phi' - phi / T^2.\n"
          "The wrench acts on b's body, along a's axes, about b's origin; its opposite on a's." ZWANG_COMMON_DOC)
      .def(
          "__getitem__",
          [](const SetObject& s, const std::string& name) {
            std::as_const(s.shared->set)[name];  // throws with the nearest name
            return ConstraintObject{s.shared, name};
          },
          nb::arg("name"))
      .def(
          "__contains__",
          [](const SetObject& s, const std::string& name) {
            for (const Constraint& c : s.shared->set.constraints())
              if (c.name == name) return true;
            return false;
          },
          nb::arg("name"))
      .def("__len__", [](const SetObject& s) { return s.shared->set.size(); })
      .def(
          "__iter__",
          [](const SetObject& s) {
            nb::list list;
            for (const Constraint& c : s.shared->set.constraints())
              list.append(nb::cast(ConstraintObject{s.shared, c.name}));
            return nb::iter(list);
          },
          nb::sig("def __iter__(self) -> Iterator[Constraint]"))
      .def_prop_ro("names",
                   [](const SetObject& s) {
                     std::vector<std::string> names;
                     for (const Constraint& c : s.shared->set.constraints()) names.push_back(c.name);
                     return names;
                   })
      .def_prop_ro(
          "rows", [](const SetObject& s) { return s.shared->set.rows(); }, "of all constraints, active or not")
      .def_prop_ro("model", [](const SetObject& s) { return s.shared->robot; })
      .def("__repr__", &set_table);
}

}  // namespace zwang::python
