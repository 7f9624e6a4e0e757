// SPDX-License-Identifier: BSD-3-Clause
// Functions of a ConstraintSet as a whole: groups, copies, JSON, pickle.
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
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

/// The model, the constraints as JSON, and the functions of custom ones: (name, function, rows, coordinates).
nb::tuple pickled(const SetObject& self) {
  const Guard lock(self.shared->mutex);
  const ConstraintSet& set = self.shared->set;
  nb::list functions;
  for (const Constraint& c : set.constraints()) {
    const CustomConstraint* const own = set.added_as<CustomConstraint>(c.name);
    if (own == nullptr) continue;
    const Index width = own->coordinates.empty() ? set.model().nv() : static_cast<Index>(own->coordinates.size());
    functions.append(nb::make_tuple(c.name.value(), function_of(*own->rows), own->rows->rows(), width));
  }
  return nb::make_tuple(model_of(self), zwang::to_json(set, CustomAs::by_name), functions);
}
void restore(SetObject& self, const nb::tuple& state) {
  const nb::object model = state[0];
  const Robot& robot = nb::cast<const Robot&>(model);
  auto shared = std::make_shared<SharedSet>(robot);
  NamedCustomRows functions;
  for (const nb::handle f : state[2]) {
    if (!shared->raised) shared->raised = std::make_shared<Raised>();
    functions.emplace_back(nb::cast<std::string>(f[0]), python_rows(f[1], nb::cast<Index>(f[2]), nb::cast<Index>(f[3]),
                                                                    robot.model, shared->raised));
  }
  shared->set = constraints_from_json(robot.model, nb::cast<std::string>(state[1]), functions);
  new (&self) SetObject{std::move(shared), model};
}

}  // namespace

nb::object model_of(const SetObject& self) { return self.model.is_valid() ? self.model : nb::cast(self.shared->robot); }

void bind_whole_set(nb::class_<SetObject>& c) {
  c.def(
       "add_group",
       [](const SetObject& self, const std::string& name, const std::vector<std::string>& members) {
         const Guard lock(self.shared->mutex);
         self.shared->set.add_group(name, members);
       },
       nb::arg("name"), nb::arg("members"), nb::sig("def add_group(self, name: str, members: Sequence[str]) -> None"),
       "Names some constraints together: the feet, the hands.\n\n"
       "Raises ValueError for names that are unknown (with the nearest), given twice or taken.")
      .def_prop_ro("groups", &groups_of, nb::sig("def groups(self) -> dict[str, list[str]]"),
                   "names of the constraints of each group; a copy")
      .def(
          "set_active",
          [](const SetObject& self, const std::string& name, bool active) {
            const Guard lock(self.shared->mutex);
            self.shared->set.set_active(name, active);
          },
          nb::arg("name"), nb::arg("active"),
          "Switches a constraint, or all of a group. The next solve sees it, and no solver allocates for it.")
      .def(
          "to_json", &to_json,
          "The constraints as they are now and the groups, in the words of problem files: read again they give the "
          "same\n"
          "motion, bit for bit. Raises ValueError naming the constraint where no text can say it (UnsupportedError: a\n"
          "custom one; pickle takes these).")
      .def_static("from_json", &from_json, nb::arg("model"), nb::arg("text"),
                  nb::sig("def from_json(model: Model, text: str) -> ConstraintSet"),
                  "The set that to_json wrote, or `constraints` and `groups` of a problem file.\n\n"
                  "Raises ValueError with the place of what is wrong, and the nearest name.")
      .def("__copy__", &copy_of)
      .def(
          "__deepcopy__", [](const SetObject& self, nb::handle) { return copy_of(self); }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: object, /) -> ConstraintSet"),
          "A set of its own, of the same model; functions of custom constraints are shared.")
      .def("__getstate__", &pickled, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__", &restore, nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
}

}  // namespace zwang::python
