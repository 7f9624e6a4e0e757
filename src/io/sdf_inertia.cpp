// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: mass and inertia, given or computed from the collisions of a link (SDF 1.11, auto="true").
#include <algorithm>
#include <array>
#include <filesystem>

#include "io/sdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_sdf_inertial = {
    {"pose", "mass", "inertia", "density"}, {"fluid_added_mass", "auto_inertia_params"}, {"auto"}};
const ElementRule k_sdf_inertia = {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}};
constexpr std::uintmax_t k_sdf_mesh_files = 16;  // of the largest size, that all meshes have together
constexpr double k_sdf_water = 1000;             // [kg/m^3], SDF's default density

}  // namespace

/// A link that says nothing has 1 kg and 1 kg m^2 about each axis, and so has each number that is left out.
void SdfReader::inertial(pugi::xml_node node, pugi::xml_node link, int minor, LinkDescription& to) {
  to.mass = 1;
  to.inertia = Sym3<double>::diagonal(1, 1, 1);
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
  Sym3<double> own = Sym3<double>::diagonal(1, 1, 1);
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

/// Volume and inertia of a simple body; false, with a finding, where they are not known.
bool SdfReader::solid(pugi::xml_node form, MeshBody& to) {
  const std::string_view name = form.name();
  double least = unlimited;  // of its sizes
  Solid body{0, Sym3<double>::zero()};
  const auto three = [&](const char* sizes) {
    std::array<double, 3> a{1, 1, 1};
    if (form.child(sizes)) numbers_of(form, sizes, 3, a.data());
    least = std::min({a[0], a[1], a[2]});
    return a;
  };
  const auto two = [&](double radius) {
    const std::array<double, 2> a{number_of(form, "radius", radius), number_of(form, "length", 1)};
    least = std::min(a[0], a[1]);
    return a;
  };
  if (name == "box") {
    const auto a = three("size");
    body = solid_box(a[0] / 2, a[1] / 2, a[2] / 2);
  } else if (name == "sphere") {
    least = number_of(form, "radius", 1);
    body = solid_sphere(least);
  } else if (name == "cylinder") {
    const auto a = two(1);
    body = solid_cylinder(a[0], a[1] / 2);
  } else if (name == "capsule") {
    const auto a = two(0.5);
    body = solid_capsule(a[0], a[1] / 2);
  } else if (name == "ellipsoid") {
    const auto a = three("radii");
    body = solid_ellipsoid(a[0], a[1], a[2]);
  } else {
    return refuse(form, "E_INERTIA", "inertia from <" + detail::excerpt(name, 60) + '>',
                  "a box, sphere, cylinder, capsule, ellipsoid or mesh", "write mass and inertia in numbers");
  }
  if (!(least > 0))
    return refuse(form, "E_INERTIA",
                  "inertia from a " + std::string(name) + " with a size of " + detail::number_text(least),
                  "sizes above 0");
  to = {body.volume, Vec3<double>::zero(), body.inertia};
  return true;
}

/// The same of a mesh file: a closed surface, its triangles facing outwards.
bool SdfReader::mesh_solid(pugi::xml_node form, const std::string& link, MeshBody& to) {
  const std::string uri = text_of(form, "uri");
  const auto refused = [&](const std::string& why) {
    return refuse(form, "E_MASS_FROM_MESH",
                  "inertia of link " + detail::quoted(link) + " from mesh " + detail::quoted(uri) + ": " + why,
                  "a closed mesh in an .stl, .obj or .msh, or mass and inertia in numbers");
  };
  if (form.child("submesh")) return refused("a part of a mesh");
  const std::string path = mesh_file(form.child("uri") ? form.child("uri") : form, uri);
  if (path.empty()) return refused("its file is not there, or not looked for");
  double scale[3] = {1, 1, 1};
  if (form.child("scale")) numbers_of(form, "scale", 3, scale);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  mesh_bytes_ += error ? 0 : std::min<std::uintmax_t>(bytes, std::uintmax_t{1} << 40);
  const std::uintmax_t most = k_sdf_mesh_files * static_cast<std::uintmax_t>(std::max(options_.limits.file_bytes, 0L));
  if (mesh_bytes_ > most) return refused("more than " + std::to_string(most) + " bytes of meshes");
  TriangleMesh mesh;
  std::string why;
  if (!read_mesh(path, mesh, why, options_.limits.file_bytes)) return refused(why);
  const Surface surface = surface_of(mesh, {scale[0], scale[1], scale[2]});
  const SurfaceFault fault = fault_of(surface);
  if (fault == SurfaceFault::open) return refused("it is not closed");
  if (fault == SurfaceFault::inconsistent) return refused("its triangles are not all turned the same way");
  to = mesh_body(surface, MeshMass::exact);
  return to.volume > 0 || refused("its volume is not above 0");
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
      MeshBody body;
      if (!(name == "mesh" ? mesh_solid(form, to.name, body) : solid(form, body))) return false;
      const double m = number_of(collision, "density", otherwise) * body.volume;
      const Vec3<double> at = X * body.centre;
      mass += m;
      first += at * m;
      about_origin += congruence(X.R, body.inertia * m) + point_inertia(m, at);
    }
  }
  if (!(mass > 0))
    return refuse(node, "E_INERTIA", "inertia of link " + detail::quoted(to.name) + " from collisions without volume",
                  "a collision that has a volume");
  to.centre = first * (1 / mass);
  to.inertia = about_origin - point_inertia(mass, to.centre);
  to.mass = number_of(node, "mass", mass);
  to.inertia = to.inertia * (to.mass / mass);
  return true;
}

}  // namespace zwang::io
