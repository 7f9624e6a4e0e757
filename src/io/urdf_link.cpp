// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: links, their inertia, shapes and materials.
#include <cmath>

#include "io/number.hpp"
#include "io/urdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

// Bullet's <contact>, Gazebo's and other programs' additions to a link and a shape.
const ElementRule k_link = {
    {"inertial", "visual*", "collision*"},
    {"contact", "gazebo", "sensor", "self_collision_checking", "verbose", "pinned", "inherit_collision_group"},
    {"name", "type"}};
const ElementRule k_inertial = {{"origin", "mass", "inertia"}, {}, {}};
const ElementRule k_visual = {{"origin", "geometry", "material"}, {"meterial", "verbose"}, {"name"}};
const ElementRule k_collision = {
    {"origin", "geometry"}, {"verbose", "contact_coefficients", "surface", "material"}, {"name", "group", "concave"}};
const ElementRule k_geometry = {{"box", "cylinder", "sphere", "capsule", "mesh"}, {}, {}};
const ElementRule k_mass = {{}, {}, {"value"}};
const ElementRule k_inertia = {{}, {}, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}};
const ElementRule k_box = {{}, {}, {"size"}};
const ElementRule k_sphere = {{}, {}, {"radius"}};
const ElementRule k_cylinder = {{}, {}, {"radius", "length"}};
const ElementRule k_mesh = {{}, {}, {"filename", "scale"}};
const ElementRule k_color = {{}, {}, {"rgba"}};
const ElementRule k_material = {{"color", "texture"}, {}, {"name"}};

}  // namespace

void UrdfReader::link(pugi::xml_node of) {
  const Element node = look(of, k_link);
  LinkDescription& link = robot_.links.emplace_back();
  link.name = name_of(node);
  link.place = place_of(node);
  if (const pugi::xml_node child = node.child("inertial")) inertial(child, link);
  if (!node.child("visual") && !node.child("collision")) return;
  for (const pugi::xml_node child : of.children()) {
    const std::string_view name = child.name();
    if (name == "visual" || name == "collision") shape(child, link);
  }
}

/// The file gives the inertia about the centre in the axes of the inertial frame: I_link = R I R^T.
void UrdfReader::inertial(pugi::xml_node of, LinkDescription& link) {
  const Element node = look(of, k_inertial);
  Transform<double> pose = Transform<double>::identity();
  origin(node.child("origin"), pose, Weight::refuse);
  link.centre = pose.p;
  const auto missing = [&](const char* what) {
    Diagnostic d = at(node, "E_INERTIA");
    d.found = std::string("no <") + what + '>';
    d.expected = std::string("<") + what + "> in <inertial>";
    if (found_.lenient()) d.hint = "it is taken as zero";
    found_.add(Weight::repairable, d);
  };
  if (const pugi::xml_node mass = node.child("mass")) {
    number(look(mass, k_mass), "value", link.mass, Weight::refuse);
  } else {
    missing("mass");
  }
  const pugi::xml_node tensor = node.child("inertia");
  if (!tensor) return missing("inertia");
  Sym3<double> own = Sym3<double>::zero();
  if (inertia(look(tensor, k_inertia), own)) link.inertia = congruence(pose.R, own);
}

bool UrdfReader::inertia(const Element& node, Sym3<double>& value) {
  struct Entry {
    const char* name;
    double& number;
  };
  const Entry entries[] = {{"ixx", value.xx}, {"ixy", value.xy}, {"ixz", value.xz},
                           {"iyy", value.yy}, {"iyz", value.yz}, {"izz", value.zz}};
  bool good = true;
  for (const Entry& e : entries) {
    double given = 0;
    const char* a = node.value(e.name);
    const NumberFault fault = a ? parse_number(trimmed(a), given) : NumberFault::none;
    if (a && fault == NumberFault::none) {
      e.number = given;
      continue;
    }
    // Half a tensor is a wrong tensor; so is one with NaN in it.
    const bool of_tensor = !a || fault == NumberFault::not_finite;
    Diagnostic d = at(node, of_tensor ? "E_INERTIA" : "E_NUMBER");
    d.found = a ? std::string(e.name) + ' ' + detail::quoted(a) : std::string("no attribute ") + detail::quoted(e.name);
    d.expected = "six finite numbers ixx ixy ixz iyy iyz izz";
    d.hint = a ? explain(fault) : found_.lenient() ? "it is taken as zero" : "write 0 where it is zero";
    found_.add(a ? Weight::refuse : Weight::repairable, d);
    good = good && !a;
  }
  return good;
}

/// Shapes say nothing of the dynamics: lenient mode leaves out those that cannot be read.
void UrdfReader::shape(pugi::xml_node of, LinkDescription& link) {
  Shape shape;
  shape.collision = std::string_view(of.name()) == "collision";
  const Element node = look(of, shape.collision ? k_collision : k_visual);
  shape.name = node.text("name");
  const bool placed = origin(node.child("origin"), shape.origin, Weight::repairable);
  const pugi::xml_node form = node.child("geometry");
  if (!form) {
    Diagnostic d = at(node, "W_GEOMETRY");
    d.found = "no <geometry>";
    d.expected = "a shape";
    d.hint = "the element is left out";
    found_.add(Weight::warn, d);
    return;
  }
  look(form, k_geometry);
  if (!geometry(form, shape) || !placed) return;
  link.shapes.push_back(std::move(shape));
  if (const pugi::xml_node m = of.child("material")) material(m, link.shapes.back());
}

bool UrdfReader::geometry(pugi::xml_node node, Shape& shape) {
  pugi::xml_node form;
  for (const pugi::xml_node child : node.children()) {
    bool known = false;
    for (const std::string_view name : k_geometry.children) known = known || name == child.name();
    if (!known) continue;
    if (form) {
      Diagnostic d = at(child, "W_GEOMETRY");
      d.found = "a second shape <" + std::string(child.name()) + '>';
      d.expected = "one shape in <geometry>";
      d.hint = "the first one counts";
      found_.add(Weight::warn, d);
      break;
    }
    form = child;
  }
  const std::string_view name = form.name();
  const auto numbers = [&](const Element& of, const char* attribute, int count, double* out) {
    return vector(of, attribute, count, out, Weight::repairable);
  };
  if (!form) {
    Diagnostic d = at(node, "W_GEOMETRY");
    d.found = "an empty <geometry>";
    d.expected = "box, cylinder, sphere, capsule or mesh";
    d.hint = "the shape is left out";
    found_.add(Weight::warn, d);
    return false;
  }
  if (name == "box") {
    shape.kind = Shape::Kind::box;
    return numbers(look(form, k_box), "size", 3, shape.size) && sizes(form, shape, 3);
  }
  if (name == "sphere") {
    shape.kind = Shape::Kind::sphere;
    return numbers(look(form, k_sphere), "radius", 1, shape.size) && sizes(form, shape, 1);
  }
  if (name == "cylinder" || name == "capsule") {
    const Element round = look(form, k_cylinder);
    shape.kind = name == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
    const bool radius = numbers(round, "radius", 1, shape.size);
    return numbers(round, "length", 1, shape.size + 1) && radius && sizes(form, shape, 2);
  }
  const Element file = look(form, k_mesh);
  shape.kind = Shape::Kind::mesh;
  for (double& s : shape.size) s = 1;
  if (file.has("scale") && !numbers(file, "scale", 3, shape.size)) return false;
  mesh(file, shape);
  return true;
}

/// Warns of a shape without extent; it is kept, as drawn shapes of no size are harmless.
bool UrdfReader::sizes(pugi::xml_node node, const Shape& shape, int count) {
  for (int k = 0; k < count; ++k) {
    if (shape.size[k] >= 0) continue;
    Diagnostic d = at(node, "W_GEOMETRY");
    d.found = detail::number_text(shape.size[k]);
    d.expected = "sizes of at least 0";
    found_.add(Weight::warn, d);
    return true;
  }
  return true;
}

void UrdfReader::mesh(const Element& node, Shape& shape) {
  shape.mesh = node.text("filename");
  shape.mesh_path = mesh_file(node, shape.mesh);
}

bool UrdfReader::colour(const Element& node, double* rgba) {
  const pugi::xml_node c = node.child("color");
  if (!c) return false;
  return vector(look(c, k_color), "rgba", 4, rgba, Weight::repairable);
}

void UrdfReader::global_material(pugi::xml_node of) {
  const Element node = look(of, k_material);
  const std::string name = name_of(node);
  Colour c{};
  if (!colour(node, c.rgba)) {
    textures_.insert(name);
    return;
  }
  const auto [it, fresh] = materials_.emplace(name, c);
  bool same = true;
  for (int k = 0; k < 4; ++k) same = same && it->second.rgba[k] == c.rgba[k];
  if (fresh || same) return;
  Diagnostic d = at(node, "W_MATERIAL");
  d.found = "material " + detail::quoted(name) + " with another colour";
  d.expected = "one colour for a name";
  d.hint = "the first one counts";
  found_.add(Weight::warn, d);
}

/// A material with a colour of its own defines that name for others, as long as the robot does not.
void UrdfReader::material(pugi::xml_node of, Shape& shape) {
  const Element node = look(of, k_material);
  shape.material = node.text("name");
  if (colour(node, shape.colour)) {
    Colour c{};
    std::copy(shape.colour, shape.colour + 4, c.rgba);
    if (!shape.material.empty()) materials_.emplace(shape.material, c);
  } else if (node.child("texture")) {
    textures_.insert(shape.material);
  } else if (!node.child("color")) {
    pending_.push_back({robot_.links.size() - 1, robot_.links.back().shapes.size() - 1, node});
  }
}

void UrdfReader::late_materials() {
  std::vector<std::string> names;
  for (const PendingMaterial& p : pending_) {
    Shape& shape = robot_.links[p.link].shapes[p.shape];
    const auto it = materials_.find(shape.material);
    if (it != materials_.end()) {
      std::copy(it->second.rgba, it->second.rgba + 4, shape.colour);
      continue;
    }
    if (textures_.count(shape.material)) continue;
    if (names.empty())
      for (const auto& [name, c] : materials_) names.push_back(name);
    Diagnostic d = at(p.node, "W_MATERIAL");
    d.found = "material " + detail::quoted(shape.material);
    d.expected = "a material of this robot";
    d.hint = found_.did_you_mean(shape.material, names, "it has no colour");
    found_.add(Weight::warn, d);
  }
}

}  // namespace zwang::io
