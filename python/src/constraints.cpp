// SPDX-License-Identifier: BSD-3-Clause
// ConstraintSet, and its constraints as objects whose attributes may be changed between solves.
#include "constraints.hpp"

#include "bind.hpp"
#include "constraint_fields.hpp"
#include "record.hpp"

namespace zwang::python {
namespace {

/// add_<type>, whose arguments are the fields of the type.
template <class T> void define(ClassOf<SetObject>& set) {
  static const std::string function = std::string("add_") + T::k_type;
  Arguments<T> list;
  fields(list, Type<T>());
  static const std::vector<ConstraintArgument> arguments = list.take();
  const auto add = [](SetObject& self, const nb::args& positions, const nb::kwargs& names) {
    const GivenArguments call(function.c_str(), self.shared->robot.model, arguments, positions, names);
    T c;
    ArgumentReader<T> reader{call, c};
    fields(reader, Type<T>());
    if constexpr (std::is_same_v<T, CustomConstraint>) {
      const auto width = c.coordinates.empty() ? call.model.nv() : static_cast<Index>(c.coordinates.size());
      if (!self.shared->raised) self.shared->raised = std::make_shared<Raised>();
      const auto given = [&](const char* name) {
        const auto is_this = [&](const ConstraintArgument& a) { return a.name == name; };
        return call[std::find_if(arguments.begin(), arguments.end(), is_this)->place];
      };
      c.rows =
          python_rows(nb::borrow(given("function")), plain<int>(given("rows")), width, call.model, self.shared->raised);
    }
    const std::lock_guard<SetMutex> lock(self.shared->mutex);
    self.shared->set.add(c);
    return ConstraintObject{self.shared, c.name};
  };
  set.def(function.c_str(), add, nb::sig(kept_text(signature_of(function, arguments))),
          kept_text(help_of(list.head(), arguments)));
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

}  // namespace

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
      nb::arg("model"));
  ConstraintTypes::find([&](auto type) {
    define<typename decltype(type)::type>(set);
    return false;
  });
  set.def(ZWANG_SIGNATURE(
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
