// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: links and their shapes. Looks are kept as far as a Shape has them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>

#include "io/number.hpp"
#include "io/sdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_sdf_link = {
    {"pose", "inertial", "collision*", "visual*", "gravity", "enable_wind", "kinematic", "sensor*", "velocity_decay",
     "self_collide*"},
    {"must_be_base_link", "projector", "audio_sink", "audio_source", "battery", "light", "particle_emitter", "plugin"},
    {"name"}};
const ElementRule k_sdf_collision = {
    {"pose", "geometry", "density", "surface"}, {"laser_retro", "max_contacts", "auto_inertia_params"}, {"name"}};
const ElementRule k_sdf_visual = {{"pose", "geometry", "material"},
                                  {"cast_shadows", "laser_retro", "transparency", "visibility_flags", "meta", "plugin"},
                                  {"name"}};

const ElementRule k_sdf_geometry = {{"box*", "capsule*", "cone*", "cylinder*", "ellipsoid*", "empty*", "heightmap*",
                                     "image*", "mesh*", "plane*", "polyline*", "sphere*"},
                                    {},
                                    {}};

constexpr int k_sdf_bits = 0xFFFF;  // of a collision that collides with all others
constexpr int k_sdf_no_bits = -1;   // of one that does not say: settled when all have been read

bool is_shape(std::string_view name) { return name == "collision" || name == "visual"; }

}  // namespace

void SdfReader::link(pugi::xml_node node, int scope) {
  look(node, k_sdf_link);
  const int id = add_named(Kind::link, node, scope, node.attribute("name").value());
  if (id < 0) return;
  Scope& above = scopes_[static_cast<std::size_t>(scope)];
  ++above.links;
  if (above.first_link < 0) above.first_link = id;
  const int minor = above.minor;
  Named& named = named_[static_cast<std::size_t>(id)];
  named.index = static_cast<int>(links_.size());
  pose(node, minor, named.raw, &named.relative_to);
  link_entity_.push_back(id);
  LinkDescription& link = links_.emplace_back();
  link.name = above.prefix + named.name;
  link.place = place_of(node);
  inertial(node.child("inertial"), node, minor, link);
  unique_parts(node);
  for (const pugi::xml_node child : node.children()) {
    if (is_shape(child.name())) shape(child, minor, link);
    if (std::string_view(child.name()) == "sensor")
      named_once(Weight::note, child, "N_SENSOR", "<sensor>", "sensors are not read: they move nothing");
  }
  if (!truth(node, "gravity", true)) link.gravity_scale = 0;
  if (truth(node, "kinematic", false))
    named_once(Weight::warn, node.child("kinematic"), "W_KINEMATIC", "<kinematic>: a link that forces do not move",
               "it moves as the others do; prescribe the acceleration of its joint");
  const pugi::xml_node decay = node.child("velocity_decay");
  if (decay && (number_of(decay, "linear", 0) != 0 || number_of(decay, "angular", 0) != 0))
    named_once(Weight::warn, decay, "W_VELOCITY_DECAY", "<velocity_decay>: a link that loses speed by itself",
               "it is left out: damping is that of joints");
  if (truth(node, "enable_wind", false))
    named_once(Weight::note, node.child("enable_wind"), "N_SDF", "<enable_wind>", "it is left out: there is no wind");
  if (const pugi::xml_node self = node.child("self_collide"))
    named_once(Weight::note, self, "N_SDF", "<self_collide>", k_sdf_self_collide);
}

/// Collisions, visuals and sensors have names, each kind of a link its own.
void SdfReader::unique_parts(pugi::xml_node node) {
  std::unordered_set<std::string> seen;
  for (const pugi::xml_node child : node.children()) {
    const std::string kind = child.name(), name = child.attribute("name").value();
    if (!is_shape(kind) && kind != "sensor") continue;
    if (!plain_name(child, name)) continue;
    if (!seen.insert(kind + ' ' + name).second)
      refuse(child, "E_DUPLICATE", "a second <" + kind + "> named " + detail::quoted(name), "names of their own");
  }
}

void SdfReader::shape(pugi::xml_node node, int minor, LinkDescription& link) {
  Shape shape;
  shape.collision = std::string_view(node.name()) == "collision";
  look(node, shape.collision ? k_sdf_collision : k_sdf_visual);
  shape.name = node.attribute("name").value();
  std::string relative_to;
  pose(node, minor, shape.origin, &relative_to);
  if (!relative_to.empty()) {
    named_once(Weight::note, node, "N_SHAPE", "a shape that is placed in another frame than its link's",
               "it is left out: dynamics never looks at shapes");
    return;
  }
  if (!geometry(node.child("geometry"), shape)) return;
  if (shape.collision) surface(node.child("surface"), shape.contact);
  const std::string diffuse = text_of(node.child("material"), "diffuse");
  std::string_view parts[4];
  const int given = tokens(diffuse, parts, 4, 5);
  double rgba[4] = {0, 0, 0, 1};
  bool good = given == 3 || given == 4;
  for (int k = 0; k < given && k < 4; ++k) good = good && parse_number(parts[k], rgba[k]) == NumberFault::none;
  if (good) std::copy(rgba, rgba + 4, shape.colour);
  const pugi::xml_node material = node.child("material");
  if (material && (!good || material.child("script") || material.child("pbr") || material.child("shader")))
    named_once(Weight::note, material, "N_MATERIAL", "<material> of scripts, textures or shaders",
               "its diffuse colour is kept");
  link.shapes.push_back(std::move(shape));
}

/// What a simulator of contact wants to know. Two shapes collide where their bit masks have a bit in common.
void SdfReader::surface(pugi::xml_node node, ContactData& contact) {
  const pugi::xml_node friction = node.child("friction"), ode = friction.child("ode");
  const pugi::xml_node torsional = friction.child("torsional");
  const auto number = [&](pugi::xml_node parent, const char* child, double& x) {
    const pugi::xml_node given = parent.child(child);
    if (!given || parse_number(trimmed(given.child_value()), x) == NumberFault::none) return;
    named_once(Weight::note, given, "N_SHAPE",
               '<' + std::string(child) + "> " + detail::quoted(detail::excerpt(given.child_value(), 60)),
               "it is left out: not a finite number");
  };
  number(ode, "mu", contact.friction[0]);
  double across = contact.friction[0];
  number(ode, "mu2", across);
  if (across != contact.friction[0] && !std::isnan(across))
    named_once(Weight::note, ode.child("mu2"), "N_SHAPE", "<mu2>, which differs from <mu>",
               "left out: friction is the same in all directions");
  // The moment of a disc of radius a that turns under the force N: 3 pi / 16 mu a N.
  double radius = 0;
  number(torsional, "patch_radius", radius);
  if (radius > 0 && torsional.child("use_patch_radius").text().as_bool(true)) {
    double mu = 1;
    number(torsional, "coefficient", mu);
    contact.friction[1] = 3 * std::numbers::pi / 16 * mu * radius;
    contact.dimension = 4;
  }
  double mask = k_sdf_no_bits;
  number(node.child("contact"), "collide_bitmask", mask);
  if (!(mask >= 0 && mask <= std::numeric_limits<int>::max() && mask == std::floor(mask))) mask = k_sdf_no_bits;
  bitmasks_ = bitmasks_ || mask != k_sdf_no_bits;
  contact.type = contact.affinity = static_cast<int>(mask);
}

/// A collision that has no mask collides with all others: with the one bit of every shape, or where others have masks
/// with any of theirs.
void SdfReader::settle_bitmasks() {
  for (LinkDescription& link : links_)
    for (Shape& shape : link.shapes) {
      ContactData& c = shape.contact;
      if (c.type == k_sdf_no_bits) c.type = c.affinity = bitmasks_ ? k_sdf_bits : ContactData().type;
    }
}

/// False where there is no such shape here: it is named, or has nothing to show.
bool SdfReader::geometry(pugi::xml_node node, Shape& shape) {
  if (!node) return false;
  look(node, k_sdf_geometry);
  for (const pugi::xml_node form : node.children()) {
    const std::string_view name = form.name();
    const auto number = [&](const char* child, double otherwise) { return number_of(form, child, otherwise); };
    if (name == "box") {
      shape.kind = Shape::Kind::box;
      shape.size[0] = shape.size[1] = shape.size[2] = 1;
      if (form.child("size")) numbers_of(form, "size", 3, shape.size);
      return true;
    }
    if (name == "sphere") {
      shape.kind = Shape::Kind::sphere;
      shape.size[0] = number("radius", 1);
      return true;
    }
    if (name == "cylinder" || name == "capsule") {
      shape.kind = name == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
      shape.size[0] = number("radius", name == "cylinder" ? 1 : 0.5);
      shape.size[1] = number("length", 1);
      return true;
    }
    if (name == "mesh") {
      shape.kind = Shape::Kind::mesh;
      shape.size[0] = shape.size[1] = shape.size[2] = 1;
      if (form.child("scale")) numbers_of(form, "scale", 3, shape.size);
      shape.mesh = text_of(form, "uri");
      shape.mesh_path = mesh_file(form.child("uri") ? form.child("uri") : form, shape.mesh);
      return true;
    }
    if (name == "ellipsoid") {
      shape.kind = Shape::Kind::ellipsoid;
      shape.size[0] = shape.size[1] = shape.size[2] = 1;
      if (form.child("radii")) numbers_of(form, "radii", 3, shape.size);
      return true;
    }
    if (name == "plane") {
      // A collision goes on without end: its size is that of the picture.
      shape.kind = Shape::Kind::plane;
      Vec3<double> normal{0, 0, 1};
      double n[3] = {0, 0, 1}, size[2] = {1, 1};
      if (form.child("normal") && numbers_of(form, "normal", 3, n)) normal = {n[0], n[1], n[2]};
      if (form.child("size")) numbers_of(form, "size", 2, size);
      if (!shape.collision) std::copy(size, size + 2, shape.size);
      if (!(dot(normal, normal) > 0)) {
        warn(form.child("normal"), "W_GEOMETRY", "a normal of length 0", "a direction", "the shape is left out");
        return false;
      }
      shape.origin.R = shape.origin.R * from_z(normal);
      return true;
    }
    if (form.type() != pugi::node_element || name == "empty" || !listed(k_sdf_geometry.children, name)) continue;
    named_once(Weight::note, form, "N_SHAPE", '<' + detail::excerpt(name, 60) + '>',
               "the shape is left out: dynamics never looks at shapes");
  }
  return false;
}

}  // namespace zwang::io
