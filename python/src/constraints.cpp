// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet, and its constraints as objects whose attributes may be changed between solves.
#include "constraints.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {
namespace {

/// Words in one text, or in a list of texts; false for numbers.
bool is_words(const char* function, nb::handle given, std::string& words) {
  if (PyUnicode_Check(given.ptr())) {
    words = text_argument(function, "rows", given);
    return true;
  }
  if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr())) return false;
  bool all = nb::len(given) > 0;
  for (nb::handle word : given) {
    all = all && PyUnicode_Check(word.ptr());
    if (all) words += text_argument(function, "rows", word) + ' ';
  }
  return all;
}
/// Words, a list of words, one row of six numbers, or k rows.
RowSelection rows_of(const char* function, nb::handle given) {
  std::string words;
  if (is_words(function, given, words)) return rows(words);
  const Input matrix(function, "rows", given, 6);
  std::vector<double> entries;
  for (Index k = 0; k < (matrix.states() < 0 ? 1 : matrix.states()); ++k)
    entries.insert(entries.end(), matrix.at(k), matrix.at(k) + 6);
  return rows(entries);
}

/// The options that constraints of all types have.
struct Common {
  nb::object beta;
  std::string role;
  bool active;
  std::string policy;
  int priority;
  nb::object compensate, compliance, weight, sense, limit, target, target_velocity;
  double time_constant, damping_ratio;

  template <class T> void into(const char* function, T& c) const {
    c.beta = numbers(function, "beta", beta);
    c.role = role_of(role);
    c.active = active;
    c.policy = policy_of(policy);
    c.priority = priority;
    c.compensate = compensate_of(compensate);
    c.compliance = numbers(function, "compliance", compliance);
    c.weight = numbers(function, "weight", weight);
    c.sense = senses_of(function, sense);
    c.limit = numbers(function, "limit", limit);
    c.target = numbers(function, "target", target);
    c.target_velocity = numbers(function, "target_velocity", target_velocity);
    c.stabilisation = {time_constant, damping_ratio};
  }
};

template <class T> ConstraintObject insert(SetObject& self, const T& c) {
  const std::lock_guard<SetMutex> lock(self.shared->mutex);
  self.shared->set.add(c);
  return {self.shared, c.name};
}

#define ZWANG_COMMON_PARAMETERS                                                                            \
  nb::object beta, const std::string &role, bool active, const std::string &policy, int priority,          \
      nb::object compensate, nb::object compliance, nb::object weight, nb::object sense, nb::object limit, \
      nb::object target, nb::object target_velocity, double time_constant, double damping_ratio
#define ZWANG_COMMON                                                                                             \
  Common {                                                                                                       \
    beta, role, active, policy, priority, compensate, compliance, weight, sense, limit, target, target_velocity, \
        time_constant, damping_ratio                                                                             \
  }

using Two = std::pair<std::string, std::string>;
void read(const char* function, const char* name, nb::handle given, Vec3<double>& to) {
  if (!given.is_none()) to = vec3(function, name, given);
}

ConstraintObject add_frame(SetObject& self, const std::string& name, const std::string& frame, nb::handle rows,
                           const std::string& in, const std::string& acceleration, nb::handle target_pose,
                           ZWANG_COMMON_PARAMETERS) {
  FrameConstraint c{.name = name, .frame = frame, .rows = rows_of("add_frame", rows), .in = in};
  c.acceleration = acceleration_of("add_frame", "acceleration", acceleration);
  c.has_target = !target_pose.is_none();
  if (c.has_target) c.target_pose = pose("add_frame", "target_pose", target_pose);
  ZWANG_COMMON.into("add_frame", c);
  return insert(self, c);
}

ConstraintObject add_contact(SetObject& self, const std::string& name, const std::string& frame, nb::handle normal,
                             int rows, nb::handle point, nb::handle tangent, nb::handle target_point,
                             ZWANG_COMMON_PARAMETERS) {
  ContactConstraint c{.name = name, .frame = frame};
  read("add_contact", "normal", normal, c.normal);
  read("add_contact", "point", point, c.point);
  read("add_contact", "tangent", tangent, c.tangent);
  c.rows = rows;
  c.has_target = !target_point.is_none();
  read("add_contact", "target_point", target_point, c.target_point);
  ZWANG_COMMON.into("add_contact", c);
  return insert(self, c);
}

/// A letter, or three numbers.
Vec3<double> axis_of(nb::handle given, const char* function = "joint_rows") {
  if (!PyUnicode_Check(given.ptr())) return vec3(function, "axis", given);
  const std::string word = text_argument(function, "axis", given);
  if (word != "x" && word != "y" && word != "z") detail::throw_unknown("axis", word, {"x", "y", "z"});
  return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
}
/// As of frames, or {"joint": "hinge", "axis": "z"}.
RowSelection loop_rows(nb::handle given) {
  if (!PyDict_Check(given.ptr())) return rows_of("add_loop", given);
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

ConstraintObject add_loop(SetObject& self, const std::string& name, const Two& frames, nb::handle rows,
                          ZWANG_COMMON_PARAMETERS) {
  LoopConstraint c{.name = name, .frame = frames.first, .other = frames.second, .rows = loop_rows(rows)};
  ZWANG_COMMON.into("add_loop", c);
  return insert(self, c);
}

/// The constraints that `add` adds to the set.
nb::list added_by(SetObject& self, Index (ConstraintSet::*add)(const Stabilisation&), const Stabilisation& with) {
  nb::list added;
  const std::lock_guard<SetMutex> lock(self.shared->mutex);
  ConstraintSet& set = self.shared->set;
  const Index before = set.size();
  (set.*add)(with);
  for (Index k = before; k < set.size(); ++k)
    added.append(nb::cast(ConstraintObject{self.shared, set.constraints()[static_cast<std::size_t>(k)].name}));
  return added;
}
nb::list add_loops(SetObject& self, double time_constant, double damping_ratio) {
  return added_by(self, &ConstraintSet::add_loops, {time_constant, damping_ratio});
}
nb::list add_joint_limits(SetObject& self, double time_constant, double damping_ratio) {
  return added_by(self, &ConstraintSet::add_joint_limits, {time_constant, damping_ratio});
}

ConstraintObject add_distance(SetObject& self, const std::string& name, const Two& frames, double length,
                              nb::handle point, nb::handle other_point, ZWANG_COMMON_PARAMETERS) {
  DistanceConstraint c{.name = name, .frame = frames.first, .other = frames.second, .length = length};
  read("add_distance", "point", point, c.point);
  read("add_distance", "other_point", other_point, c.other_point);
  ZWANG_COMMON.into("add_distance", c);
  return insert(self, c);
}

ConstraintObject add_coupling(SetObject& self, const std::string& name, const std::vector<std::string>& coordinates,
                              nb::handle ratio, double offset, nb::handle polynomial, ZWANG_COMMON_PARAMETERS) {
  CouplingConstraint c{.name = name, .coordinates = coordinates, .offset = offset};
  c.ratio = numbers("add_coupling", "ratio", ratio);
  c.polynomial = numbers("add_coupling", "polynomial", polynomial);
  ZWANG_COMMON.into("add_coupling", c);
  return insert(self, c);
}

ConstraintObject add_joint(SetObject& self, const std::string& name, nb::handle coordinates, nb::handle posture,
                           ZWANG_COMMON_PARAMETERS) {
  JointConstraint c{.name = name};
  if (nb::isinstance<nb::str>(coordinates))
    c.coordinates = {nb::cast<std::string>(coordinates)};
  else if (!coordinates.is_none())
    c.coordinates = nb::cast<std::vector<std::string>>(coordinates);
  if (!posture.is_none()) {
    const Model& model = self.shared->robot.model;
    const Input q("add_joint", "posture", posture, model.nq(), VectorKind::configuration, &model);
    if (q.states() >= 0)
      throw std::invalid_argument("E_SIZE add_joint: argument 'posture' has several states, expected one");
    c.posture.assign(q.at(0), q.at(0) + model.nq());
  }
  ZWANG_COMMON.into("add_joint", c);
  return insert(self, c);
}

ConstraintObject add_rolling(SetObject& self, const std::string& name, const std::string& frame, double radius,
                             nb::handle axis, const std::string& other, nb::handle normal, nb::handle plane_point,
                             nb::handle tangent, const std::string& rows, ZWANG_COMMON_PARAMETERS) {
  RollingConstraint c{.name = name, .frame = frame, .radius = radius, .other = other, .rows = rows};
  if (!axis.is_none()) c.axis = axis_of(axis, "add_rolling");
  if (!axis.is_none() && dot(c.axis, c.axis) == 0)
    throw std::invalid_argument("add_rolling: the axis has no direction; without an axis (None) a ball rolls");
  read("add_rolling", "normal", normal, c.normal);
  read("add_rolling", "plane_point", plane_point, c.plane_point);
  read("add_rolling", "tangent", tangent, c.tangent);
  ZWANG_COMMON.into("add_rolling", c);
  return insert(self, c);
}

ConstraintObject add_centre_of_mass(SetObject& self, const std::string& name, nb::handle rows,
                                    ZWANG_COMMON_PARAMETERS) {
  CentreOfMassConstraint c{.name = name};
  std::string words;
  if (is_words("add_centre_of_mass", rows, words)) {
    c.rows = zwang::rows(words);
  } else {
    const Input K("add_centre_of_mass", "rows", rows, 3);
    for (Index k = 0; k < (K.states() < 0 ? 1 : K.states()); ++k) c.matrix.insert(c.matrix.end(), K.at(k), K.at(k) + 3);
  }
  ZWANG_COMMON.into("add_centre_of_mass", c);
  return insert(self, c);
}

ConstraintObject add_custom(SetObject& self, const std::string& name, nb::object function, int rows,
                            const std::vector<std::string>& coordinates, const std::vector<std::string>& row_names,
                            ZWANG_COMMON_PARAMETERS) {
  const Model& model = self.shared->robot.model;
  if (!self.shared->raised) self.shared->raised = std::make_shared<Raised>();
  const Index width = coordinates.empty() ? model.nv() : static_cast<Index>(coordinates.size());
  CustomConstraint c{.name = name, .coordinates = coordinates, .row_names = row_names};
  c.rows = python_rows(std::move(function), rows, width, model, self.shared->raised);
  ZWANG_COMMON.into("add_custom", c);
  return insert(self, c);
}

std::string set_table(const SetObject& self) {
  const ConstraintSet& set = self.shared->set;
  std::vector<std::vector<std::string>> rows{
      {"constraint", "type", "frame", "rows", "role", "policy", "priority", "in", ""}};
  for (const Constraint& c : set.constraints())
    rows.push_back({c.name, c.type, c.other.empty() ? c.frame : c.frame + ", " + c.other, std::to_string(c.size()),
                    name_of(c.role), name_of(c.policy), std::to_string(c.priority), c.in,
                    c.active ? "" : "not active"});
  const std::string head = "ConstraintSet of '" + set.model().name() + "': " + std::to_string(set.size()) +
                           " constraints, " + std::to_string(set.rows()) + " rows";
  std::string groups;
  for (const ConstraintGroup& g : set.groups()) groups += (groups.empty() ? "\ngroups: " : ", ") + g.name;
  return set.size() == 0 ? head : head + table(rows) + groups;
}

#define ZWANG_COMMON_SIGNATURE                                                                                         \
  "beta: ArrayLike | None = None, role: str = \"physical\", active: bool = True, policy: str = \"hard\", priority: "   \
  "int = 0, compensate: Sequence[str] | None = None, compliance: ArrayLike | None = None, weight: ArrayLike | None = " \
  "None, sense: str | Sequence[str] | None = None, limit: ArrayLike | None = None, target: ArrayLike | None = None, "  \
  "target_velocity: ArrayLike | None = None, time_constant: float = 0.0, damping_ratio: float = 1.0) -> Constraint"
#define ZWANG_COMMON_DOC                                                                                               \
  "\nbeta: desired acceleration per row, default 0. role: physical (its multipliers are reactions) or driver (asked\n" \
  "    of the motors). policy: hard, early (the same answer, eliminated early) or soft (needs compliance: K a +\n"     \
  "    R lambda = beta). priority: 0 is highest. compensate: which of gravity, external, tau, prescribed the\n"        \
  "    multipliers make up for, default all. compliance, weight: one number per row, or one for all.\n"                \
  "sense: equal, at_least (K a >= beta, lambda >= 0) or at_most, one for all rows or one per row; of a contact, one\n" \
  "    word is that of its normal. limit: |lambda| <= limit, one number per row, or one for all.\n"                    \
  "target, target_velocity: desired phi and phi', one per row; with time_constant T > 0 errors are taken away,\n"      \
  "    phi'' = beta - 2 damping_ratio / T phi' - phi / T^2.\n"                                                         \
  "Raises ValueError for unknown frames and words (with the nearest), wrong sizes, and names that are taken."

}  // namespace

RowSelection rows_argument(const char* function, nb::handle given) { return rows_of(function, given); }

void bind_constraints(nb::module_& m) {
  bind_constraint(m);
  ClassOf<SetObject> set(
      m, "ConstraintSet",
      "What is imposed on a model, in the order of insertion. Solvers made of a set follow it: switching a\n"
      "constraint or changing its beta is seen by the next solve. set[name] is a Constraint. Copies are deep.");
  bind_whole_set(set);
  bind_constraint_values(m, set);
  set.def(
         "__init__",
         [](SetObject* s, const Robot& model) {
           new (s) SetObject{std::make_shared<SharedSet>(model), nb::borrow(nb::find(model))};
         },
         nb::arg("model"))
      .def(ZWANG_SIGNATURE(
               "def add_frame(self, name: str, frame: str, rows: str | Sequence[str] | ArrayLike = \"all\", "
               "in_: str = \"local_world_aligned\", *, acceleration: str = \"classical\", target_pose: ArrayLike | "
               "None = None, " ZWANG_COMMON_SIGNATURE),
           &add_frame,
           "Some directions of a frame's acceleration:  K a = beta.\n\n"
           "rows: words (linear.x ... angular.z, linear, angular, all) or a matrix k x 6 over [linear; angular]. in_: "
           "axes\n"
           "    of the rows: local, world (also the point is the world's origin), local_world_aligned, or a frame's "
           "name.\n"
           "acceleration: classical or spatial, gravity not counted: beta = 0 holds a frame at rest still.\n"
           "target_pose: 4 x 4, of the frame in the world: there is a position error then, phi = K [p - p_t; log R "
           "R_t^T]." ZWANG_COMMON_DOC)
      .def(ZWANG_SIGNATURE(
               "def add_contact(self, name: str, frame: str, normal: ArrayLike | None = None, rows: int = 3, *, "
               "point: ArrayLike | None = None, tangent: ArrayLike | None = None, target_point: ArrayLike | None = "
               "None, " ZWANG_COMMON_SIGNATURE),
           &add_contact,
           "A point of a body that touches the world:  [t1 t2 n]^T a_p = beta, world axes.\n\n"
           "normal: pointing out of the ground, default (0, 0, 1); tangent: default the world axis least along the "
           "normal;\n"
           "point: in the frame [m]. rows: 3 sticks (t1, t2, n), 2 for plane problems (t1, n), 1 slides (n).\n"
           "target_point: in the world [m]: there is a position error then, phi = [t1 t2 n]^T (p - "
           "target_point)." ZWANG_COMMON_DOC)
      .def(
          ZWANG_SIGNATURE(
              "def add_loop(self, name: str, frames: tuple[str, str], rows: str | Sequence[str] | ArrayLike | "
              "dict[str, object] = \"all\", *, " ZWANG_COMMON_SIGNATURE),
          &add_loop,
          "Closes a loop between two frames a, b as a joint would:  phi = K [p; psi] = target.\n\n"
          "p: where b's origin is in a; psi: how b is turned, by the log of its rotation, or free of the turns that\n"
          "    the rows leave free. The rows speak of a's axes.\n"
          "rows: words (linear.x ... angular.z, linear, angular, all), a matrix k x 6, or those of a joint,\n"
          "    {\"joint\": \"hinge\", \"axis\": \"z\"}: hinge, slider, cylindrical, planar, ball, universal, weld ...\n"
          "The wrench acts on b's body, along a's axes, about b's origin; its opposite on a's." ZWANG_COMMON_DOC)
      .def(ZWANG_SIGNATURE(
               "def add_loops(self, *, time_constant: float = 0.0, damping_ratio: float = 1.0) -> list[Constraint]"),
           &add_loops,
           "Closes the loops of the model (Model.loops), each under the name of its joint: the rows that hold what the "
           "joint\nholds. With time_constant T > 0 errors are taken away. Raises ValueError where a name is taken.")
      .def(ZWANG_SIGNATURE(
               "def add_joint_limits(self, *, time_constant: float, damping_ratio: float = 1.0) -> list[Constraint]"),
           &add_joint_limits,
           "Adds the limits of the joints: a coupling with a sense for each coordinate and limit, `elbow:lower`, "
           "`elbow:upper`.\nWith phi the distance to the limit, phi'' >= -2 damping_ratio / T phi' - phi / T^2, T the "
           "time_constant > 0 [s]. Raises\nValueError where a name is taken.")
      .def(ZWANG_SIGNATURE(
               "def add_distance(self, name: str, frames: tuple[str, str], length: float, *, point: ArrayLike | "
               "None = None, other_point: ArrayLike | None = None, " ZWANG_COMMON_SIGNATURE),
           &add_distance,
           "Two points keep their distance, as a rod between two balls does:  phi = |p_b - p_a| - length.\n\n"
           "point: in the first frame, other_point: in the second, default the origins [m]. lambda pushes them "
           "apart." ZWANG_COMMON_DOC)
      .def(ZWANG_SIGNATURE(
               "def add_coupling(self, name: str, coordinates: Sequence[str], ratio: ArrayLike | None = None, *, "
               "offset: float = 0.0, polynomial: ArrayLike | None = None, " ZWANG_COMMON_SIGNATURE),
           &add_coupling,
           "Coordinates of joints keep a relation: gears, differentials, cams.\n\n"
           "ratio: one number per coordinate, phi = sum ratio_i q_i - offset; or of two coordinates a polynomial c_0, "
           "c_1 ...,\n"
           "    phi = q_0 - (c_0 + c_1 q_1 + ...)." ZWANG_COMMON_DOC)
      .def(
          ZWANG_SIGNATURE(
              "def add_joint(self, name: str, coordinates: str | Sequence[str] | None = None, *, posture: Vector | "
              "None = None, " ZWANG_COMMON_SIGNATURE),
          &add_joint,
          "Rows on coordinates, one each: a posture to keep or to reach, a joint to lock or to drive.\n\n"
          "coordinates: names of coordinates, or of joints for all that they have; None: all. phi is the coordinate "
          "less\n"
          "    its value in posture (a configuration; default neutral), of rotations their logarithm; target: the phi\n"
          "    wanted. Without posture and target any position is allowed." ZWANG_COMMON_DOC)
      .def(ZWANG_SIGNATURE(
               "def add_rolling(self, name: str, frame: str, radius: float, axis: str | ArrayLike | None = None, *, "
               "other: str = \"\", normal: ArrayLike | None = None, plane_point: ArrayLike | None = None, tangent: "
               "ArrayLike | None = None, rows: str = \"tangent1 tangent2 normal\", " ZWANG_COMMON_SIGNATURE),
           &add_rolling,
           "A ball, or with an axis a wheel, rolls on a plane without slip.\n\n"
           "frame: at its centre; axis: of the wheel, in the frame. other: the frame that carries the plane, default "
           "the\n"
           "    world; normal, plane_point, tangent are in it. rows: which of tangent1, tangent2, "
           "normal." ZWANG_COMMON_DOC)
      .def(
          ZWANG_SIGNATURE("def add_centre_of_mass(self, name: str, rows: str | Sequence[str] | ArrayLike = \"linear\", "
                          "*, " ZWANG_COMMON_SIGNATURE),
          &add_centre_of_mass,
          "The centre of mass of everything that moves:  phi = K c, world axes.\n\n"
          "rows: linear.x, linear.y, linear.z, linear, a list of them, or a matrix K of k x 3." ZWANG_COMMON_DOC)
      .def(ZWANG_SIGNATURE(
               "def add_custom(self, name: str, function: object, rows: int, coordinates: Sequence[str] = (), *, "
               "row_names: Sequence[str] = (), " ZWANG_COMMON_SIGNATURE),
           &add_custom,
           "Rows of your own:  function(q, v) -> (phi, J, Jdot_v), or an object with such an evaluate.\n\n"
           "phi: `rows` numbers, or None for rows of velocities alone; J: rows x coordinates (all of v where none are\n"
           "    named); Jdot_v: `rows` numbers. What it raises comes out of solve. It may not use the set that calls "
           "it." ZWANG_COMMON_DOC)
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
      .def_prop_ro("model", &model_of, nb::sig("def model(self) -> Model"))
      .def("__repr__", &set_table);
}

}  // namespace zwang::python
