// SPDX-License-Identifier: BSD-3-Clause
#include "kept_data.hpp"

#include "arrays.hpp"
#include "building.hpp"
#include "record.hpp"

namespace zwang::python {

struct ContactObject {
  nb::object friction;
  int type, affinity, dimension, priority;
  double margin;
};
template <class V> void fields(V& v, Type<ContactObject>) {
  using T = ContactObject;
  v.record("Contact", "What a simulator of contact wants to know of a collision shape. Dynamics never looks at it.");
  v("friction", &T::friction, "(3,) sliding, torsional [m], rolling [m]; nan where the file does not say");
  v("type", &T::type, "two shapes may touch where one's type has a bit in common with the other's affinity");
  v("affinity", &T::affinity, "see type");
  v("dimension", &T::dimension, "of the force: 1 frictionless, 3 sliding, 4 torsional, 6 rolling friction");
  v("priority", &T::priority, "of two shapes that touch, the data of the higher one are used");
  v("margin", &T::margin, "distance at which a contact is seen [m]");
}

struct ShapeObject {
  std::string kind, name;
  bool collision;
  nb::object origin, size;
  std::string mesh, mesh_path, material;
  nb::object colour, contact;
};
template <class V> void fields(V& v, Type<ShapeObject>) {
  using T = ShapeObject;
  v.record("Shape", "A visual or collision shape of a link, kept as data.");
  v("kind", &T::kind, "box, cylinder, sphere, capsule, mesh, plane (normal z) or ellipsoid");
  v("name", &T::name, "of the file; often empty");
  v("collision", &T::collision, "a collision shape, else one of the picture");
  v("origin", &T::origin, "(4, 4) pose in the link");
  v("size", &T::size,
    "(3,) box: x y z; cylinder, capsule: radius, length; sphere: radius; mesh: scale; plane: lengths, 0 without end; "
    "ellipsoid: radii");
  v("mesh", &T::mesh, "the URI as written");
  v("mesh_path", &T::mesh_path, "the file; empty where it was not found");
  v("material", &T::material, "its name");
  v("colour", &T::colour, "(4,) red, green, blue, opacity; nan where the file does not say");
  v("contact", &T::contact, "what a simulator of contact wants to know", {.type = "Contact"});
}

struct MotorObject {
  std::string name, joint, kind;
  double gear;
  nb::object control, force, attributes;
};
template <class V> void fields(V& v, Type<MotorObject>) {
  using T = MotorObject;
  v.record("Motor", "A motor as the file describes it, kept as data.");
  v("name", &T::name, "its name");
  v("joint", &T::joint, "the joint that it drives");
  v("kind", &T::kind, "the file's word: motor, position, velocity, general, transmission, ...");
  v("gear", &T::gear, "force on the joint per force of the motor");
  v("control", &T::control, "(2,) lower and upper bound of the control; nan where there is none");
  v("force", &T::force, "(2,) bounds of the motor's own force, before the gear");
  v("attributes", &T::attributes, "what else the file says, as it writes it", {.type = "dict[str, str]"});
}

struct ExclusionObject {
  std::string first, second, reason;
};
template <class V> void fields(V& v, Type<ExclusionObject>) {
  using T = ExclusionObject;
  v.record("ContactExclusion", "Two links whose shapes never touch each other, kept as data.");
  v("first", &T::first, "a link");
  v("second", &T::second, "another link");
  v("reason", &T::reason, "as the file says: Adjacent, Never, ...");
}

namespace {

constexpr const char* k_kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh", "plane", "ellipsoid"};

ShapeObject shape_object(const Shape& s) {
  const ContactData& c = s.contact;
  const nb::object contact =
      named_tuple(ContactObject{new_array(c.friction, 3), c.type, c.affinity, c.dimension, c.priority, c.margin});
  return {k_kinds[static_cast<std::size_t>(s.kind)],
          s.name,
          s.collision,
          new_array(s.origin),
          new_array(s.size, 3),
          s.mesh,
          s.mesh_path,
          s.material,
          new_array(s.colour, 4),
          contact};
}

/// Two numbers, or None.
void range_argument(const char* name, nb::handle given, double& lower, double& upper) {
  if (given.is_none()) return;
  const std::vector<double> x = bounds("add_motor", name, given);
  if (x.size() != 2) wrong("add_motor", name, "of " + std::to_string(x.size()) + " numbers", "(lower, upper)");
  lower = x[0], upper = x[1];
}

}  // namespace

nb::list shapes_of(const std::vector<Shape>& shapes) {
  nb::list out;
  for (const Shape& s : shapes) out.append(named_tuple(shape_object(s)));
  return out;
}

nb::list motors_of(const RobotDescription& robot) {
  nb::list out;
  for (const MotorDescription& m : robot.motors) {
    nb::dict attributes;
    for (const NamedText& a : m.attributes) attributes[text_of(a.name)] = text_of(a.text);
    out.append(named_tuple(MotorObject{m.name, m.joint, m.kind, m.gear,
                                       new_array(std::vector<double>{m.control_lower, m.control_upper}),
                                       new_array(std::vector<double>{m.force_lower, m.force_upper}), attributes}));
  }
  return out;
}

nb::list exclusions_of(const RobotDescription& robot) {
  nb::list out;
  for (const ContactExclusion& x : robot.contact_exclusions)
    out.append(named_tuple(ExclusionObject{x.first, x.second, x.reason}));
  return out;
}

ContactData contact_argument(const char* function, nb::handle given) {
  ContactData c;
  if (given.is_none()) return c;
  for_each_entry(function, "contact", given, "a dictionary", [&](const std::string& key, nb::handle value) {
    const std::string name = "contact['" + key + "']";
    const auto whole = [&](int& x) {
      if (!nb::try_cast(value, x)) wrong(function, name, "of type " + type_text(value), "a whole number");
    };
    if (key == "friction") {
      const std::vector<double> x = bounds(function, name.c_str(), value);
      if (x.empty() || x.size() > 3) wrong(function, name, "of " + std::to_string(x.size()) + " numbers", "1 to 3");
      std::copy(x.begin(), x.end(), c.friction);
    } else if (key == "margin") {
      if (!nb::try_cast(value, c.margin)) wrong(function, name, "of type " + type_text(value), "a number");
    } else if (key == "type") {
      whole(c.type);
    } else if (key == "affinity") {
      whole(c.affinity);
    } else if (key == "dimension") {
      whole(c.dimension);
    } else if (key == "priority") {
      whole(c.priority);
    } else {
      detail::throw_unknown("add_shape: key of contact", key,
                            {"friction", "type", "affinity", "dimension", "priority", "margin"});
    }
  });
  return c;
}

MotorDescription motor_argument(const std::string& name, const std::string& joint, const std::string& kind, double gear,
                                nb::handle control, nb::handle force, nb::handle attributes) {
  MotorDescription m;
  m.name = name;
  m.joint = joint;
  m.kind = kind;
  m.gear = gear;
  range_argument("control", control, m.control_lower, m.control_upper);
  range_argument("force", force, m.force_lower, m.force_upper);
  if (attributes.is_none()) return m;
  for_each_entry(
      "add_motor", "attributes", attributes, "a dictionary of texts", [&](const std::string& key, nb::handle value) {
        m.attributes.push_back({key, text_argument("add_motor", ("attributes['" + key + "']").c_str(), value)});
      });
  return m;
}

void define_kept_data(nb::module_& m) { named_tuples<ContactObject, ShapeObject, MotorObject, ExclusionObject>(m); }

}  // namespace zwang::python
