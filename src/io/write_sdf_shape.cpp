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

}  // namespace

void SdfWriter::shape(XmlElement holder, Written& link, const Shape& shape, const Transform<double>& at) {
  const std::string& owner = link.link->name;
  const std::string where = shape.name.empty() ? owner : owner + '/' + shape.name;
  const char* const kind = shape.collision ? "collision" : "visual";
  std::string name = shape.name.empty() ? owner + '_' + kind : shape.name;
  const auto reserved = [&] { return name == "world" || (name.starts_with("__") && name.ends_with("__")); };
  while (reserved() || !link.shape_names.add(kind + (' ' + name))) name += '_';
  if (!shape.name.empty() && name != shape.name)
    losses_.add("L_NAME", "shape", where, "its name, which another shape of the link has", "the name " + name);
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

/// The moment against turning on the spot is that of a disc: 3 pi / 16 times coefficient and radius. Masks say which
/// collisions meet: those that have a bit in common.
void SdfWriter::surface(XmlElement holder, const std::string& where, const ContactData& c) {
  const bool slides = !std::isnan(c.friction[0]), turns = !std::isnan(c.friction[1]);
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
        torsional.add("coefficient").text("1");
        torsional.add("use_patch_radius").text("true");
        torsional.add("patch_radius").text(number_text(c.friction[1] * 16 / (3 * std::numbers::pi)));
      }
    }
  }
  std::string lost;
  const auto list = [&](bool is, const char* what) {
    if (is) lost += (lost.empty() ? "" : ", ") + std::string(what);
  };
  list(!std::isnan(c.friction[2]), "rolling friction");
  list(c.type != c.affinity, "an affinity that is not its type");
  list(c.dimension != 3 && c.dimension != (turns ? 4 : 3), "the dimension of the force");
  list(c.priority != 0, "priority");
  list(c.margin != 0, "margin");
  if (!lost.empty()) losses_.add("L_CONTACT", "shape", where, lost);
}

}  // namespace zwang::io
