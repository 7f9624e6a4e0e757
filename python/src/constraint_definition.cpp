// SPDX-License-Identifier: BSD-3-Clause
// What a constraint was added with: points, normals, axes, coordinates.
#include "bind.hpp"
#include "constraint_fields.hpp"

namespace zwang::python {
namespace {

/// What a struct was filled with, under the names of the arguments.
template <class T> struct Definition {
  const T& x;
  nb::dict all = {};
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name_, M T::*member, const char*, ConstraintKey key = {}) {
    const std::string name = python_name(name_);
    const bool of_the_constraint = key.option || name == "name" || std::is_same_v<M, AccelerationKind>;
    if (!of_the_constraint && is_argument(key)) put(name.c_str(), x.*member, key);
  }

 private:
  template <class M> void put(const char* name, const M& value, const ConstraintKey& key) {
    if constexpr (requires { x.other; })
      if (key.form == KeyForm::frames) return set(name, nb::make_tuple(x.frame, x.other));
    if constexpr (requires { x.has_target; })
      if (key.form == KeyForm::target && !x.has_target) return set(name, nb::none());
    if constexpr (std::is_same_v<M, std::optional<double>>)
      set(name, value ? nb::cast(*value) : nb::none());
    else if constexpr (k_is_numbers<M>)
      set(name, new_array(value));
    else if constexpr (std::is_same_v<M, std::shared_ptr<const CustomRows>>)
      set(name, function_of(*value));
    else if constexpr (std::is_same_v<M, RowSelection>)
      put_rows(name, value, key);
    else if constexpr (std::is_arithmetic_v<M> || std::is_same_v<M, std::string> ||
                       std::is_same_v<M, std::vector<std::string>>)
      set(name, nb::cast(value));
    else
      static_assert(Worded<M> || std::is_same_v<M, std::vector<Sense>> || std::is_same_v<M, Compensate> ||
                        std::is_same_v<M, Stabilisation>,
                    "how the definition shows this type; these are options, or of the constraint");
  }
  void put_rows(const char* name, const RowSelection& rows, const ConstraintKey& key) {
    if constexpr (requires { x.matrix; }) {
      set(name, x.matrix.empty() ? nb::cast(rows.names) : matrix(x.matrix, 3));
    } else {
      set(name, nb::cast(rows.names));
      set("matrix", matrix(rows.matrix, 6));
      if (key.form == KeyForm::joint_rows) set("free_axes", matrix(rows.free_axes, 3));
    }
  }
  void set(const char* name, const nb::object& value) { all[name] = value; }
};

nb::dict definition_of(const ConstraintObject& self) {
  present(self);
  const ConstraintSet& set = self.shared->set;
  nb::dict keys;
  ConstraintTypes::find([&](auto type) {
    using T = typename decltype(type)::type;
    const T* const added = set.added_as<T>(self.name);
    if (added == nullptr) return false;
    Definition<T> v{*added};
    fields(v, Type<T>());
    keys = v.all;
    return true;
  });
  return keys;
}

nb::object attribute(const ConstraintObject& self, const std::string& name) {
  const nb::dict keys = definition_of(self);
  if (keys.contains(name.c_str())) return keys[name.c_str()];
  const std::string type = present(self).type;
  std::string known;
  for (nb::handle key : keys.keys()) known += (known.empty() ? "" : ", ") + nb::cast<std::string>(key);
  throw nb::attribute_error(
      ("a constraint of type '" + type + "' has no '" + name + "'; it was added with: " + known).c_str());
}

}  // namespace

void bind_constraint_definition(ClassOf<ConstraintObject>& c) {
  c.def_prop_ro(
       "definition", &definition_of, nb::sig("def definition(self) -> dict[str, object]"),
       "What it was added with, under the names of the arguments of add_frame, add_contact, ...: frames, rows,\n"
       "and point, normal, tangent, axis, radius, length, ratio, matrix, ... where its type has them. Each is\n"
       "an attribute, too: constraint.normal. A copy: geometry is set when a constraint is added.")
      .def(ZWANG_SIGNATURE("def __getattr__(self, name: str) -> object"), &attribute, "An entry of `definition`.");
}

}  // namespace zwang::python
