// SPDX-License-Identifier: BSD-3-Clause
// Functions of a ConstraintSet as a whole: groups, copies, JSON, pickle.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "pickled.hpp"
#include "set_of_call.hpp"
#include "zwang/io/constraints.hpp"

namespace zwang::python {
namespace {

using Guard = std::lock_guard<SetMutex>;

nb::dict groups_of(const SetObject& self) {
  nb::dict groups;
  const ConstraintSet& set = self.shared->set;
  for (const ConstraintGroup& g : set.groups()) {
    nb::list members;
    for (const Index k : g.members) members.append(set.constraints()[static_cast<std::size_t>(k)].name.value());
    groups[g.name.c_str()] = members;
  }
  return groups;
}

SetObject copy_of(const SetObject& self) {
  const Guard lock(self.shared->mutex);
  SetObject copy{std::make_shared<SharedSet>(self.shared->robot), self.model};
  copy.shared->set = self.shared->set;
  copy.shared->raised = self.shared->raised;
  return copy;
}

std::string to_json(const SetObject& self) {
  const Guard lock(self.shared->mutex);
  return zwang::to_json(self.shared->set);
}
SetObject from_json(const Robot& model, const std::string& text) {
  SetObject made{std::make_shared<SharedSet>(model), nb::borrow(nb::find(model))};
  made.shared->set = constraints_from_json(model.model, text);
  return made;
}

/// Coordinates on which custom rows act: the columns of J.
Index columns_of(const CustomConstraint& c, const Model& model) {
  return c.coordinates.empty() ? model.nv() : static_cast<Index>(c.coordinates.size());
}

/// The model, the constraints as JSON, and the functions of custom ones: (name, function, rows, columns).
nb::tuple pickled(const SetObject& self) {
  const Guard lock(self.shared->mutex);
  const ConstraintSet& set = self.shared->set;
  nb::list functions;
  for (const Constraint& c : set.constraints()) {
    const CustomConstraint* const own = set.added_as<CustomConstraint>(c.name);
    if (own == nullptr) continue;
    functions.append(
        nb::make_tuple(c.name.value(), function_of(*own->rows), own->rows->rows(), columns_of(*own, set.model())));
  }
  return nb::make_tuple(model_of(self), zwang::to_json(set, CustomAs::by_name), functions);
}

const Pickled k_pickled("ConstraintSet");

/// The numbers of columns that the functions were pickled with are those of the coordinates in the set.
void check_columns(const ConstraintSet& set, const NamedCustomRows& functions, const std::vector<Index>& columns) {
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const std::string& name = functions[k].first;
    for (std::size_t i = 0; i < k; ++i)
      if (functions[i].first == name) k_pickled.refuse("the function of '" + name + "' is given twice");
    const auto there = [&](const Constraint& c) { return c.name.value() == name; };
    const auto& all = set.constraints();
    const CustomConstraint* const own =
        std::any_of(all.begin(), all.end(), there) ? set.added_as<CustomConstraint>(name) : nullptr;
    if (own == nullptr) k_pickled.refuse("'" + name + "' has no custom constraint");
    const Index expected = columns_of(*own, set.model());
    if (columns[k] != expected)
      k_pickled.refuse("the function of '" + name + "' has " + std::to_string(columns[k]) + " columns, expected " +
                       std::to_string(expected));
  }
}

void restore(SetObject& self, nb::handle given) {
  const nb::tuple state = k_pickled.parts(given, 3, "the state");
  const nb::object model = state[0];
  const Robot* robot = nullptr;
  if (!nb::try_cast(model, robot, false) || robot == nullptr)
    k_pickled.refuse("the model has type " + type_text(model) + ", expected a Model");
  const std::string text = k_pickled.text(state[1], "the text of the constraints");
  auto shared = std::make_shared<SharedSet>(*robot);
  NamedCustomRows functions;
  std::vector<Index> columns;
  for (const nb::handle item : k_pickled.list(state[2], k_most_rows, "functions")) {
    const nb::tuple f = k_pickled.parts(item, 4, "a function");
    const std::string name = k_pickled.text(f[0], "the name of a function");
    const Index rows = k_pickled.count(f[2], 1, k_most_rows, "rows of '" + name + "'");
    columns.push_back(k_pickled.count(f[3], 1, std::numeric_limits<Index>::max(), "columns of '" + name + "'"));
    if (!shared->raised) shared->raised = std::make_shared<Raised>();
    functions.emplace_back(name, python_rows(f[1], rows, columns.back(), robot->model, shared->raised));
  }
  shared->set = constraints_from_json(robot->model, text, functions);
  check_columns(shared->set, functions, columns);
  new (&self) SetObject{std::move(shared), model};
}

}  // namespace

ConstraintSet set_of_call(const Model& model, const SetObject* given) {
  if (given == nullptr) return ConstraintSet(model);
  const Guard lock(given->shared->mutex);
  return given->shared->set;
}

nb::object model_of(const SetObject& self) { return self.model.is_valid() ? self.model : nb::cast(self.shared->robot); }

void bind_whole_set(ClassOf<SetObject>& c) {
  c.def(
       ZWANG_SIGNATURE("def add_group(self, name: str, members: Sequence[str]) -> None"),
       [](const SetObject& self, const std::string& name, const std::vector<std::string>& members) {
         const Guard lock(self.shared->mutex);
         self.shared->set.add_group(name, members);
       },
       "Names some constraints together: the feet, the hands.\n\n"
       "Raises ValueError for names that are unknown (with the nearest), given twice or taken.")
      .get("groups", "dict[str, list[str]]", "names of the constraints of each group; a copy", &groups_of)
      .def(
          "set_active",
          [](const SetObject& self, const std::string& name, bool active) {
            const Guard lock(self.shared->mutex);
            self.shared->set.set_active(name, active);
          },
          nb::arg("name"), nb::arg("active"),
          "Switches a constraint, or all of a group. The next solve sees it, and no solver allocates for it.")
      .def(
          "clear",
          [](const SetObject& self) {
            const Guard lock(self.shared->mutex);
            self.shared->set.clear();
          },
          "Takes all constraints and groups out. Solvers made from the set follow.")
      .def(
          "to_json", &to_json,
          "The constraints as they are now and the groups, in the words of problem files: read again they give the "
          "same\n"
          "motion, bit for bit. Raises ValueError naming the constraint where no text can say it (UnsupportedError: a\n"
          "custom one; pickle takes these).")
      .def_static(ZWANG_SIGNATURE("def from_json(model: Model, text: str) -> ConstraintSet"), &from_json,
                  "The set that to_json wrote, or `constraints` and `groups` of a problem file.\n\n"
                  "Raises ValueError with the place of what is wrong, and the nearest name.")
      .def("__copy__", &copy_of)
      .def(
          ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> ConstraintSet"),
          [](const SetObject& self, nb::handle) { return copy_of(self); },
          "A set of its own, of the same model; functions of custom constraints are shared.")
      .def("__getstate__", &pickled, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(ZWANG_SIGNATURE("def __setstate__(self, state: tuple[object, ...], /) -> None"), &restore);
}

}  // namespace zwang::python
