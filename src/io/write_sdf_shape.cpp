// SPDX-License-Identifier: BSD-3-Clause
// SdfWriter: shapes, their looks, and what collisions say of contact.
#include <array>
#include <cmath>
#include <numbers>

#include "io/write_sdf.hpp"

namespace zwang::io {
namespace {

const char* sdf_shape(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::box: return "box";
    case Shape::Kind::cylinder: return "cylinder";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::capsule: return "capsule";
    case Shape::Kind::mesh: return "mesh";
    case Shape::Kind::plane: return "plane";
    case Shape::Kind::ellipsoid: return "ellipsoid";
  }
  return "empty";
}

struct Patch {
  double coefficient = 1, radius = 1;
};
double friction_of(const Patch& patch) { return 3 * std::numbers::pi / 16 * patch.coefficient * patch.radius; }

/// A coefficient and a radius of which the reader makes this friction again, to the last bit where there are such: the
/// products of one coefficient leave out some numbers, which those of another one have.
Patch patch_of(double friction) {
  if (friction == 0) return {.coefficient = 0, .radius = 1};
  for (const double coefficient : {1.0, 1.25, 1.5, 1.625, 1.6875}) {
    const auto read = [&](double radius) { return friction_of({coefficient, radius}); };
    const double radius = read_back(friction / read(1), friction, read);
    if (read(radius) == friction) return {coefficient, radius};
  }
  return {.coefficient = 1, .radius = friction / friction_of({})};
}

}  // namespace

void SdfWriter::shape(XmlElement holder, Written& link, const Shape& shape, const Transform<double>& at) {
  const std::string& owner = link.link->name;
  const std::string where = shape.name.empty() ? owner : owner + '/' + shape.name;
  const char* const kind = shape.collision ? "collision" : "visual";
  std::string name = shape.name.empty() ? owner + '_' + kind : shape.name;
  if (sdf_reserves(name)) name += '_' + std::string(kind);
  name = fresh_sdf_name(shape.collision ? link.collisions : link.visuals, name);
  if (!shape.name.empty() && name != shape.name)
    losses_.add("L_NAME", "shape", where, "its name, which another shape of the link has, or SDF itself",
                "the name " + name);
  const XmlElement element = holder.add(kind);
  element.set("name", name);
  pose(element, at);
  const XmlElement form = element.add("geometry").add(sdf_shape(shape.kind));
  const double* const size = shape.size;
  const auto three = [&] { return number_text(std::array<double, 3>{size[0], size[1], size[2]}); };
  switch (shape.kind) {
    case Shape::Kind::box: form.add("size").text(three()); break;
    case Shape::Kind::sphere: form.add("radius").text(number_text(size[0])); break;
    case Shape::Kind::ellipsoid: form.add("radii").text(three()); break;
    case Shape::Kind::plane: {
      form.add("normal").text("0 0 1");
      const bool ends = size[0] > 0 && size[1] > 0;
      if (ends) form.add("size").text(number_text(std::array<double, 2>{size[0], size[1]}));
      if (ends && shape.collision)
        losses_.add("L_SHAPE", "shape", where, "that the plane ends", "a collision with a plane without end");
      if (!ends && !shape.collision)
        losses_.add("L_SHAPE", "shape", where, "that the plane has no end", "a plane of the size that programs draw");
      break;
    }
    case Shape::Kind::mesh:
      form.add("uri").text(shape.mesh);
      if (size[0] != 1 || size[1] != 1 || size[2] != 1) form.add("scale").text(three());
      if (size[0] < 0 || size[1] < 0 || size[2] < 0)
        losses_.add("L_MESH", "shape", where, "that all programs read it: some refuse a negative scale",
                    "the same scale");
      break;
    default: form.add("radius").text(number_text(size[0])); form.add("length").text(number_text(size[1]));
  }
  const bool coloured = !std::isnan(shape.colour[0]);
  if (shape.collision) {
    if (coloured) losses_.add("L_MATERIAL", "shape", where, "the colour of a collision");
    surface(element, where, shape.contact);
    return;
  }
  if (coloured) {
    const std::string rgba = number_text(std::span<const double>(shape.colour));
    const XmlElement material = element.add("material");
    material.add("ambient").text(rgba);
    material.add("diffuse").text(rgba);
  }
  if (!shape.material.empty() && materials_.insert(shape.material).second)
    losses_.add("L_MATERIAL", "shape", where, "the name of material " + shape.material, coloured ? "its colour" : "");
  if (!is_plain(shape.contact))
    losses_.add("L_CONTACT", "shape", where, "friction and other data of contact of a visual");
}

/// The moment against turning on the spot is that of a disc: 3 pi / 16 times coefficient and radius. It acts as soon as
/// it is in the file, so that it is left out where the dimension of the force leaves it out. Masks say which collisions
/// meet: those that have a bit in common.
void SdfWriter::surface(XmlElement holder, const std::string& where, const ContactData& c) {
  const bool slides = std::isfinite(c.friction[0]);
  const bool turns = c.dimension > 3 && std::isfinite(c.friction[1]) && c.friction[1] >= 0;
  if (slides || turns || masks_) {
    const XmlElement element = holder.add("surface");
    if (masks_) element.add("contact").add("collide_bitmask").text(std::to_string(c.type));
    if (slides || turns) {
      const XmlElement friction = element.add("friction");
      if (slides) {
        const XmlElement ode = friction.add("ode");
        for (const char* mu : {"mu", "mu2"}) ode.add(mu).text(number_text(c.friction[0]));
      }
      if (turns) {
        const XmlElement torsional = friction.add("torsional");
        const Patch patch = patch_of(c.friction[1]);
        torsional.add("coefficient").text(number_text(patch.coefficient));
        torsional.add("use_patch_radius").text("true");
        torsional.add("patch_radius").text(number_text(patch.radius));
      }
    }
  }
  std::string lost;
  const auto list = [&](bool is, const char* what) {
    if (is) lost += (lost.empty() ? "" : ", ") + std::string(what);
  };
  list(!slides && !std::isnan(c.friction[0]), "sliding friction that is not finite");
  list(!turns && !std::isnan(c.friction[1]), "torsional friction");
  list(!std::isnan(c.friction[2]), "rolling friction");
  list(c.type != c.affinity, "an affinity that is not its type");
  list(c.dimension != (turns ? 4 : 3), "the dimension of the force");
  list(c.priority != 0, "priority");
  list(c.margin != 0, "margin");
  if (!lost.empty()) losses_.add("L_CONTACT", "shape", where, lost);
}

}  // namespace zwang::io
