// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: mass and inertia, given or computed from the collisions of a link (SDF 1.11, auto="true").
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/sdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_sdf_inertial = {
    {"pose", "mass", "inertia", "density"}, {"fluid_added_mass", "auto_inertia_params"}, {"auto"}};
const ElementRule k_sdf_inertia = {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}};
constexpr double k_sdf_water = 1000;  // [kg/m^3], SDF's default density

Sym3<double> diagonal(double x, double y, double z) { return {x, 0, 0, y, 0, z}; }
/// Of a point mass about the origin.
Sym3<double> point(double m, const Vec3<double>& r) {
  return {m * (r.y * r.y + r.z * r.z), -m * r.x * r.y, -m * r.x * r.z,
          m * (r.x * r.x + r.z * r.z), -m * r.y * r.z, m * (r.x * r.x + r.y * r.y)};
}
Sym3<double> times(const Sym3<double>& I, double s) {
  return {s * I.xx, s * I.xy, s * I.xz, s * I.yy, s * I.yz, s * I.zz};
}

}  // namespace

/// A link that says nothing has 1 kg and 1 kg m^2 about each axis, and so has each number that is left out.
void SdfReader::inertial(pugi::xml_node node, pugi::xml_node link, int minor, LinkDescription& to) {
  to.mass = 1;
  to.inertia = diagonal(1, 1, 1);
  if (!node) return;
  look(node, k_sdf_inertial);
  if (node.child("fluid_added_mass"))
    named_once(Weight::warn, node.child("fluid_added_mass"), "W_ADDED_MASS", "<fluid_added_mass>",
               "it is left out: the mass matrix lacks it");
  if (minor >= 11 && node.attribute("auto").as_bool()) {
    automatic_inertia(node, link, minor, to);
    return;
  }
  Transform<double> frame = Transform<double>::identity();
  pose(node, minor, frame, nullptr);
  to.mass = number_of(node, "mass", 1);
  if (to.mass < 0)
    refuse(node.child("mass"), "E_INERTIA", "mass " + detail::number_text(to.mass), "a mass of at least 0");
  to.centre = frame.p;
  Sym3<double> own = diagonal(1, 1, 1);
  if (const pugi::xml_node inertia = node.child("inertia")) {
    look(inertia, k_sdf_inertia);
    own = {number_of(inertia, "ixx", 1), number_of(inertia, "ixy", 0), number_of(inertia, "ixz", 0),
           number_of(inertia, "iyy", 1), number_of(inertia, "iyz", 0), number_of(inertia, "izz", 1)};
  }
  to.inertia = congruence(frame.R, own);
  if (to.mass == 0)
    warn(node, "W_MASSLESS", "mass 0 of link " + detail::quoted(to.name), "a mass above 0",
         "its inertia alone is kept");
}

/// Mass and inertia of a solid, in its own axes about its centre; false, with a finding, where that is not known.
bool SdfReader::solid(pugi::xml_node form, double density, double& mass, Sym3<double>& inertia) {
  constexpr double pi = std::numbers::pi;
  const std::string_view name = form.name();
  double volume = 0;
  double least = unlimited;               // of its sizes
  Sym3<double> J = Sym3<double>::zero();  // of unit mass
  if (name == "box") {
    double a[3] = {1, 1, 1};
    if (form.child("size")) numbers_of(form, "size", 3, a);
    least = std::min({a[0], a[1], a[2]});
    volume = a[0] * a[1] * a[2];
    for (double& x : a) x *= x;
    J = diagonal((a[1] + a[2]) / 12, (a[0] + a[2]) / 12, (a[0] + a[1]) / 12);
  } else if (name == "sphere") {
    const double r = least = number_of(form, "radius", 1);
    volume = 4.0 / 3 * pi * r * r * r;
    J = diagonal(0.4 * r * r, 0.4 * r * r, 0.4 * r * r);
  } else if (name == "cylinder") {
    const double r = number_of(form, "radius", 1), l = number_of(form, "length", 1);
    const double across = (3 * r * r + l * l) / 12;
    least = std::min(r, l);
    volume = pi * r * r * l;
    J = diagonal(across, across, r * r / 2);
  } else if (name == "capsule") {
    const double r = number_of(form, "radius", 0.5), l = number_of(form, "length", 1);
    const double tube = pi * r * r * l, ends = 4.0 / 3 * pi * r * r * r;
    least = std::min(r, l);
    volume = tube + ends;
    const double t = volume > 0 ? tube / volume : 0, e = volume > 0 ? ends / volume : 0;
    const double across = t * (3 * r * r + l * l) / 12 + e * (0.4 * r * r + l * (3 * r + 2 * l) / 8);
    J = diagonal(across, across, t * r * r / 2 + e * 0.4 * r * r);
  } else if (name == "ellipsoid") {
    double a[3] = {1, 1, 1};
    if (form.child("radii")) numbers_of(form, "radii", 3, a);
    least = std::min({a[0], a[1], a[2]});
    volume = 4.0 / 3 * pi * a[0] * a[1] * a[2];
    for (double& x : a) x *= x;
    J = diagonal((a[1] + a[2]) / 5, (a[0] + a[2]) / 5, (a[0] + a[1]) / 5);
  } else {
    return refuse(form, "E_INERTIA", "inertia from <" + detail::excerpt(name, 60) + '>',
                  "a box, sphere, cylinder, capsule or ellipsoid", "write mass and inertia in numbers");
  }
  if (!(least > 0))
    return refuse(form, "E_INERTIA",
                  "inertia from a " + std::string(name) + " with a size of " + detail::number_text(least),
                  "sizes above 0");
  mass = density * volume;
  inertia = times(J, mass);
  return true;
}

bool SdfReader::automatic_inertia(pugi::xml_node node, pugi::xml_node link, int minor, LinkDescription& to) {
  for (const char* number : {"pose", "inertia"})
    if (node.child(number))
      named_once(Weight::warn, node.child(number), "W_INERTIA", '<' + std::string(number) + "> beside auto=\"true\"",
                 "it has no effect: the collisions of the link give it");
  const double otherwise = number_of(node, "density", k_sdf_water);
  double mass = 0;
  Vec3<double> first = Vec3<double>::zero();
  Sym3<double> about_origin = Sym3<double>::zero();
  for (const pugi::xml_node collision : link.children("collision")) {
    Transform<double> X = Transform<double>::identity();
    std::string relative_to;
    pose(collision, minor, X, &relative_to);
    if (!relative_to.empty())
      return refuse(collision, "E_INERTIA", "inertia from a collision that is placed in another frame than its link's",
                    "a collision placed in the link");
    for (const pugi::xml_node form : collision.child("geometry").children()) {
      const std::string_view name = form.name();
      if (form.type() != pugi::node_element || name == "plane" || name == "empty") continue;  // without volume
      if (name == "mesh")
        return refuse(
            form, "E_MASS_FROM_MESH",
            "inertia of link " + detail::quoted(to.name) + " from mesh " + detail::quoted(text_of(form, "uri")),
            "mass and inertia in numbers", "meshes are not opened: write what the mesh weighs");
      double m = 0;
      Sym3<double> I = Sym3<double>::zero();
      if (!solid(form, number_of(collision, "density", otherwise), m, I)) return false;
      mass += m;
      first += X.p * m;
      about_origin += congruence(X.R, I) + point(m, X.p);
    }
  }
  if (!(mass > 0))
    return refuse(node, "E_INERTIA", "inertia of link " + detail::quoted(to.name) + " from collisions without volume",
                  "a collision that has a volume");
  to.centre = first * (1 / mass);
  const Sym3<double> off = point(mass, to.centre);
  to.inertia = about_origin + times(off, -1);
  to.mass = number_of(node, "mass", mass);
  to.inertia = times(to.inertia, to.mass / mass);
  return true;
}

}  // namespace zwang::io
