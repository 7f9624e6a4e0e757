// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: geoms: their place, their mass, their shape.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"
#include "io/number.hpp"

namespace zwang::io {

namespace {

/// In the order of the words of `type`.
enum GeomType {
  k_geom_plane,
  k_geom_hfield,
  k_geom_sphere,
  k_geom_capsule,
  k_geom_ellipsoid,
  k_geom_cylinder,
  k_geom_box,
  k_geom_mesh,
  k_geom_sdf
};

/// Numbers of `size` that a type needs, with and without fromto.
int sizes_of(int type, bool fromto) {
  switch (type) {
    case k_geom_sphere: return 1;
    case k_geom_capsule:
    case k_geom_cylinder: return fromto ? 1 : 2;
    case k_geom_ellipsoid:
    case k_geom_box: return fromto ? 1 : 3;
    default: return 0;
  }
}

}  // namespace

/// Mass of a mesh: false where `solid` says why there is none.
bool MjcfReader::mesh_solid(const MjcfFields& of, MjcfSolid& solid, double& volume) {
  Diagnostic d = document_.at(of.node, "E_MASS_FROM_MESH");
  MjcfMesh* mesh = find_mesh(of);
  if (mesh && mesh->obstacle.empty()) compute(*mesh);
  if (mesh && mesh->obstacle.empty()) {
    volume = mesh->volume;
    solid.pose.p = solid.pose * mesh->centre;
    solid.inertia = mesh->inertia;
    return true;
  }
  d.code = mesh ? "E_MASS_FROM_MESH" : "E_MJCF_REFERENCE";
  d.found =
      mesh ? "mass from mesh " + detail::quoted(mesh->name) + ", " + mesh->obstacle : "a mesh geom without a mesh";
  d.expected = mesh ? "a closed mesh of triangles, its vertices here or in an .stl, .obj or .msh" : "mesh=\"...\"";
  if (mesh) d.hint = "give the body an <inertial>, or the geom mass=\"0\" and another geom the mass";
  solid.fault = std::make_shared<const Diagnostic>(std::move(d));
  return false;
}

/// False where `solid` says why there is no mass.
bool MjcfReader::solid_of(const MjcfFields& of, int type, const double* size, bool shell, MjcfSolid& solid,
                          double& volume) {
  const auto fault = [&](const char* code, const std::string& what, const std::string& expected,
                         const std::string& hint) {
    Diagnostic d = document_.at(of.node, code);
    d.found = what;
    d.expected = expected;
    d.hint = hint;
    solid.fault = std::make_shared<const Diagnostic>(std::move(d));
    return false;
  };
  if (of.has("mesh") && type != k_geom_mesh && type != k_geom_sdf)
    return fault("E_MASS_FROM_MESH", "a geom fitted to mesh " + detail::quoted(of.text("mesh")),
                 "a mass that does not come from a mesh", "give the body an <inertial>");
  if (type == k_geom_hfield)
    return fault("E_MJCF_UNSUPPORTED", "mass of a height field", "mass=\"0\" or an <inertial>", "");
  for (int k = 0; k < sizes_of(type, false); ++k)
    if (!(size[k] > 0))
      return fault("E_MJCF_GEOM", "size " + detail::number_text(size[k]), "sizes larger than 0",
                   "the geom gives its body mass");
  const double a = size[0], b = size[1], c = size[2];
  Solid body{0, Sym3<double>::zero()};
  switch (type) {
    case k_geom_sphere: body = shell ? shell_sphere(a) : solid_sphere(a); break;
    case k_geom_capsule: body = shell ? shell_capsule(a, b) : solid_capsule(a, b); break;
    case k_geom_cylinder: body = shell ? shell_cylinder(a, b) : solid_cylinder(a, b); break;
    case k_geom_box: body = shell ? shell_box(a, b, c) : solid_box(a, b, c); break;
    case k_geom_ellipsoid: body = shell ? shell_ellipsoid(a, b, c) : solid_ellipsoid(a, b, c); break;
    default: break;
  }
  volume = body.volume;
  solid.inertia = body.inertia;
  return true;
}

void MjcfReader::geom(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of = fields(node, MjcfKind::geom, scope.of_class);
  const std::string name = suffixed(values_.name_of(of), scope);
  if (!take_name("geom", name, node)) return;
  load_frames(scope);
  const int type =
      values_.word(of, "type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"},
                   k_geom_sphere);
  double size[3] = {0, 0, 0};
  const int given = values_.numbers(of, "size", 1, 3, size);
  if (given < 0) return;
  Transform<double> pose = Transform<double>::identity();
  const bool fromto = of.has("fromto") && type != k_geom_mesh && type != k_geom_sdf;
  if (fromto) {
    double ends[6];
    if (type != k_geom_capsule && type != k_geom_cylinder && type != k_geom_ellipsoid && type != k_geom_box)
      return document_.refuse(of.where("fromto"), "E_MJCF_GEOM", "fromto on a geom of this type",
                              "it on a capsule, cylinder, ellipsoid or box");
    values_.vector(of, "pos", pose.p);
    if (dot(pose.p, pose.p) > 0)
      return document_.refuse(of.where("pos"), "E_MJCF_GEOM", "pos and fromto", "one of them: fromto gives the place");
    if (values_.numbers(of, "fromto", 6, 6, ends) < 0) return;
    const Vec3<double> from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]};
    const double length = norm(from - to);
    if (!(length >= k_mjcf_tiny))
      return document_.refuse(of.where("fromto"), "E_MJCF_GEOM", "fromto of length 0", "two points that differ");
    pose = {from_z(from - to), (from + to) * 0.5};
    size[type == k_geom_ellipsoid || type == k_geom_box ? 2 : 1] = length / 2;
    if (type == k_geom_ellipsoid || type == k_geom_box) size[1] = size[0];
  } else {
    pose = pose_of(of);
  }
  pose = scope.pose * pose;
  MjcfBody& body = model_.bodies[static_cast<std::size_t>(scope.body)];
  if (type == k_geom_plane) body.planes.push_back(document_.place_of(node));
  shape_of(of, type, size, pose, scope);
  const int group = values_.integer(of, "group", 0);
  if (scope.body == 0 && nesting_ == 0) return;
  if (group < compiler_.group_range[0] || group > compiler_.group_range[1] || type == k_geom_plane) return;
  const bool has_mass = of.has("mass");
  double amount = has_mass ? 0 : 1000;
  values_.number(of, has_mass ? "mass" : "density", amount);
  if (amount < 0)
    return document_.refuse(of.where(has_mass ? "mass" : "density"), "E_INERTIA",
                            std::string(has_mass ? "mass " : "density ") + detail::number_text(amount), "at least 0");
  const bool shell = values_.flag(of, "shellinertia", false);
  if (amount == 0) return;
  MjcfSolid solid;
  solid.pose = pose;
  const auto set_mass = [has_mass, amount](MjcfSolid& to, double volume) {
    to.mass = !has_mass ? amount * volume : volume > k_mjcf_tiny ? amount : 0;
    to.inertia = to.inertia * to.mass;
  };
  if (type == k_geom_mesh || type == k_geom_sdf) {
    if (shell && node.attribute("shellinertia"))
      return document_.refuse(node, "E_MJCF_GEOM", "shellinertia of a mesh geom", "inertia=\"shell\" of the <mesh>");
    solid.weigh = [this, of, set_mass](MjcfSolid& to) {
      double volume = 0;
      if (mesh_solid(of, to, volume)) set_mass(to, volume);
    };
  } else if (double volume = 0; solid_of(of, type, size, shell, solid, volume)) {
    set_mass(solid, volume);
  }
  body.solids.push_back(std::move(solid));
}

/// <material>: the colour of geoms that have none of their own.
void MjcfReader::material(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::material, 0);
  const std::string name = values_.name_of(of);
  std::array<double, 4> rgba{1, 1, 1, 1};
  if (!name.empty() && take_name("material", name, node) && of.has("rgba") &&
      values_.numbers(of, "rgba", 4, 4, rgba.data()) > 0)
    colours_.emplace(name, rgba);
}

ContactData MjcfReader::contact_of(const MjcfFields& of) {
  ContactData contact;
  values_.numbers(of, "friction", 1, 3, contact.friction);
  contact.type = values_.integer(of, "contype", contact.type);
  contact.affinity = values_.integer(of, "conaffinity", contact.affinity);
  contact.dimension = values_.integer(of, "condim", contact.dimension);
  contact.priority = values_.integer(of, "priority", contact.priority);
  values_.number(of, "margin", contact.margin);
  const int d = contact.dimension;
  if (d != 1 && d != 3 && d != 4 && d != 6)
    values_.refuse(of.where("condim"), "E_MJCF_VALUE", "condim " + std::to_string(d), "1, 3, 4 or 6");
  return contact;
}

/// Two bodies whose geoms never touch.
void MjcfReader::exclude(pugi::xml_node node) {
  const MjcfFields of{node};
  if (!take_name("exclude", values_.name_of(of), node)) return;
  std::array<int, 2> bodies{};
  for (const auto& [name, body] : {std::pair{"body1", &bodies[0]}, std::pair{"body2", &bodies[1]}}) {
    const std::string target = values_.name_of(of, name);
    const auto it = body_index_.find(target);
    if (it == body_index_.end()) return unknown(node, "body", target, body_index_);
    *body = it->second;
  }
  model_.exclusions.push_back(bodies);
}

/// What Shape knows is drawn; other types are named.
void MjcfReader::shape_of(const MjcfFields& of, int type, const double* size, const Transform<double>& pose,
                          const Scope& scope) {
  Shape shape;
  shape.name = suffixed(values_.name_of(of), scope);
  shape.origin = pose;
  const ContactData contact = contact_of(of);
  shape.collision = contact.type != 0 || contact.affinity != 0;
  if (shape.collision) shape.contact = contact;
  if (const char* material = of.text("material")) {
    shape.material = material;
    if (const auto it = colours_.find(material); it != colours_.end())
      std::copy(it->second.begin(), it->second.end(), shape.colour);
  }
  if (of.has("rgba")) values_.numbers(of, "rgba", 4, 4, shape.colour);
  const auto named = [&](const char* what) {
    Diagnostic d = document_.at(of.node, "N_MJCF_SHAPE");
    d.found = what;
    d.expected = "a plane, sphere, capsule, ellipsoid, cylinder, box or a mesh file";
    d.hint = "the shape is left out; its mass counts";
    notes_.emplace(what, std::move(d));
  };
  const bool fitted = of.has("mesh") && type != k_geom_mesh && type != k_geom_sdf;
  if (type == k_geom_hfield) return named("a height field");
  if (type == k_geom_sdf) return named("a geom of type sdf");
  if (fitted) return named("a shape fitted to a mesh");
  if (type == k_geom_mesh) {
    const MjcfMesh* mesh = find_mesh(of);
    if (!mesh) return;
    if (mesh->file.empty()) return named("a mesh without a file");
    shape.kind = Shape::Kind::mesh;
    shape.mesh = mesh->file;
    shape.mesh_path = mesh->path;
    for (int k = 0; k < 3; ++k) shape.size[k] = mesh->scale[k];
  } else {
    const bool plane = type == k_geom_plane;  // size 0 or less: without end
    const int count = plane ? 2 : sizes_of(type, false);
    for (int k = 0; k < count; ++k) {
      if (size[k] > 0 || plane) continue;
      return values_.warn(of.node, "W_GEOMETRY", "size " + detail::number_text(size[k]), "sizes larger than 0",
                          "the shape is left out");
    }
    using Kind = Shape::Kind;
    shape.kind = type == k_geom_box         ? Kind::box
                 : type == k_geom_sphere    ? Kind::sphere
                 : type == k_geom_capsule   ? Kind::capsule
                 : type == k_geom_plane     ? Kind::plane
                 : type == k_geom_ellipsoid ? Kind::ellipsoid
                                            : Kind::cylinder;
    // MJCF gives radii and halves of lengths.
    const bool round = shape.kind != Kind::box && !plane;
    for (int k = 0; k < count; ++k)
      shape.size[k] = round && (k == 0 || shape.kind == Kind::ellipsoid) ? size[k] : 2 * std::max(size[k], 0.0);
  }
  model_.bodies[static_cast<std::size_t>(scope.body)].shapes.push_back(std::move(shape));
}

}  // namespace zwang::io
