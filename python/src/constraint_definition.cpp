// SPDX-License-Identifier: BSD-3-Clause
// What a constraint was added with: points, normals, axes, coordinates.
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"

namespace zwang::python {
namespace {

/// Rows of `width` numbers.
nb::object matrix(const std::vector<double>& x, std::size_t width) {
  return new_array(x).attr("reshape")(x.size() / width, width);
}

/// The keys of one type, under the names of the arguments of add_<type>.
class Keys {
 public:
  template <class X> Keys& put(const char* key, const X& x) {
    if constexpr (std::is_same_v<X, Vec3<double>> || std::is_same_v<X, std::vector<double>>)
      dict_[key] = new_array(x);
    else
      dict_[key] = nb::cast(x);
    return *this;
  }
  template <class X> Keys& given(const char* key, bool has, const X& x) {
    dict_[key] = has ? nb::object(x) : nb::none();
    return *this;
  }
  nb::dict dict() const { return dict_; }

 private:
  nb::dict dict_ = {};
};

nb::dict keys_of(const FrameConstraint& c) {
  return Keys()
      .put("frame", c.frame)
      .put("rows", c.rows.names)
      .put("matrix", nb::object(matrix(c.rows.matrix, 6)))
      .put("in_", c.in)
      .given("target_pose", c.has_target, new_array(c.target_pose))
      .dict();
}
nb::dict keys_of(const ContactConstraint& c) {
  return Keys()
      .put("frame", c.frame)
      .put("point", c.point)
      .put("normal", c.normal)
      .put("tangent", c.tangent)
      .put("rows", c.rows)
      .given("target_point", c.has_target, new_array(c.target_point))
      .dict();
}
nb::dict keys_of(const LoopConstraint& c) {
  return Keys()
      .put("frames", nb::object(nb::make_tuple(c.frame, c.other)))
      .put("rows", c.rows.names)
      .put("matrix", nb::object(matrix(c.rows.matrix, 6)))
      .put("free_axes", nb::object(matrix(c.rows.free_axes, 3)))
      .dict();
}
nb::dict keys_of(const DistanceConstraint& c) {
  return Keys()
      .put("frames", nb::object(nb::make_tuple(c.frame, c.other)))
      .put("point", c.point)
      .put("other_point", c.other_point)
      .put("length", c.length)
      .dict();
}
nb::dict keys_of(const CouplingConstraint& c) {
  return Keys()
      .put("coordinates", c.coordinates)
      .put("ratio", c.ratio)
      .put("offset", c.offset)
      .put("polynomial", c.polynomial)
      .dict();
}
nb::dict keys_of(const JointConstraint& c) {
  return Keys().put("coordinates", c.coordinates).put("posture", c.posture).dict();
}
nb::dict keys_of(const RollingConstraint& c) {
  return Keys()
      .put("frame", c.frame)
      .put("radius", c.radius)
      .put("axis", c.axis)
      .put("other", c.other)
      .put("normal", c.normal)
      .put("plane_point", c.plane_point)
      .put("tangent", c.tangent)
      .put("rows", c.rows)
      .dict();
}
nb::dict keys_of(const CentreOfMassConstraint& c) {
  Keys keys;
  if (c.matrix.empty())
    keys.put("rows", c.rows.names);
  else
    keys.put("rows", nb::object(matrix(c.matrix, 3)));
  return keys.dict();
}
nb::dict keys_of(const CustomConstraint& c) {
  return Keys()
      .put("function", function_of(*c.rows))
      .put("coordinates", c.coordinates)
      .put("row_names", c.row_names)
      .dict();
}

nb::dict definition_of(const ConstraintObject& self) {
  present(self);
  const ConstraintSet& set = self.shared->set;
  nb::dict keys;
  ConstraintTypes::find([&](auto type) {
    const auto* const added = set.added_as<typename decltype(type)::type>(self.name);
    if (added != nullptr) keys = keys_of(*added);
    return added != nullptr;
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
