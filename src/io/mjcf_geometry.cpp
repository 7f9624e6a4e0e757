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

/// Volume (of shells: area) and inertia of unit mass, about the centre, z the axis of symmetry.
struct UnitBody {
  double volume;
  Sym3<double> inertia;
};

UnitBody about_z(double volume, double across, double along) {
  return {volume, Sym3<double>::diagonal(across, across, along)};
}

UnitBody solid_capsule(double r, double half) {
  const double h = 2 * half, ball = 4.0 / 3 * r / (h + 4.0 / 3 * r), tube = 1 - ball;
  const double across = tube * (3 * r * r + h * h) / 12 + ball * (0.4 * r * r + h * (3 * r + 2 * h) / 8);
  return about_z(k_mjcf_pi * r * r * (h + 4.0 / 3 * r), across, tube * r * r / 2 + ball * 0.4 * r * r);
}

/// A half sphere's centre lies r / 2 from its base: parallel axes from there.
UnitBody shell_capsule(double r, double half) {
  const double h = 2 * half, caps = 2 * r / (2 * r + h), tube = 1 - caps;
  const double across =
      tube * (6 * r * r + h * h) / 12 + caps * (2.0 / 3 * r * r + (half + r / 2) * (half + r / 2) - r * r / 4);
  return about_z(2 * k_mjcf_pi * r * (2 * r + h), across, tube * r * r + caps * 2.0 / 3 * r * r);
}

UnitBody shell_cylinder(double r, double half) {
  const double h = 2 * half, disc = k_mjcf_pi * r * r, wall = 2 * k_mjcf_pi * r * h, area = 2 * disc + wall;
  const double discs = 2 * disc / area, tube = wall / area;
  return about_z(area, tube * (6 * r * r + h * h) / 12 + discs * (r * r / 4 + half * half),
                 tube * r * r + discs * r * r / 2);
}

UnitBody solid_box(double a, double b, double c) {
  return {8 * a * b * c, Sym3<double>::diagonal((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)};
}

/// Six plates: of a pair at distance a, the part of the mass and its moments.
UnitBody shell_box(double a, double b, double c) {
  const double area = 8 * (b * c + c * a + a * b);
  const double x = 8 * b * c / area, y = 8 * c * a / area, z = 8 * a * b / area;
  const double aa = a * a * (x + y / 3 + z / 3), bb = b * b * (y + x / 3 + z / 3), cc = c * c * (z + x / 3 + y / 3);
  return {area, Sym3<double>::diagonal(bb + cc, aa + cc, aa + bb)};
}

UnitBody solid_ellipsoid(double a, double b, double c) {
  return {4.0 / 3 * k_mjcf_pi * a * b * c,
          Sym3<double>::diagonal((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)};
}

/// As MuJoCo has it: Thomsen's area (to 1.1 %), and the inertia of the layer between two solids whose half axes differ
/// by 1e-6.
UnitBody shell_ellipsoid(double a, double b, double c) {
  constexpr double p = 1.6075, layer = 1e-6;
  const double x = std::pow(a, p), y = std::pow(b, p), z = std::pow(c, p);
  const UnitBody in = solid_ellipsoid(a, b, c), out = solid_ellipsoid(a + layer, b + layer, c + layer);
  return {4 * k_mjcf_pi * std::pow((x * y + x * z + y * z) / 3, 1 / p),
          (out.inertia * out.volume - in.inertia * in.volume) * (1 / (out.volume - in.volume))};
}

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
  if (type == k_geom_mesh || type == k_geom_sdf) {
    MjcfMesh* mesh = find_mesh(of);
    if (!mesh) return fault("E_MJCF_REFERENCE", "a mesh geom without a mesh", "mesh=\"...\"", "");
    if (mesh->obstacle.empty()) compute(*mesh);
    if (!mesh->obstacle.empty())
      return fault("E_MASS_FROM_MESH", "mass from mesh " + detail::quoted(mesh->name) + ", " + mesh->obstacle,
                   "a mass that does not come from a mesh file",
                   "give the body an <inertial>, or the geom mass=\"0\" and another geom the mass");
    volume = mesh->volume;
    solid.pose.p = solid.pose * mesh->centre;
    solid.inertia = mesh->inertia;
    return true;
  }
  if (type == k_geom_hfield)
    return fault("E_MJCF_UNSUPPORTED", "mass of a height field", "mass=\"0\" or an <inertial>", "");
  for (int k = 0; k < sizes_of(type, false); ++k)
    if (!(size[k] > 0))
      return fault("E_MJCF_GEOM", "size " + detail::number_text(size[k]), "sizes larger than 0",
                   "the geom gives its body mass");
  const double a = size[0], b = size[1], c = size[2];
  UnitBody body{0, Sym3<double>::zero()};
  switch (type) {
    case k_geom_sphere: body = about_z(shell ? 4 * k_mjcf_pi * a * a : 4.0 / 3 * k_mjcf_pi * a * a * a, 0, 0); break;
    case k_geom_capsule: body = shell ? shell_capsule(a, b) : solid_capsule(a, b); break;
    case k_geom_cylinder:
      body = shell ? shell_cylinder(a, b) : about_z(2 * k_mjcf_pi * a * a * b, (3 * a * a + 4 * b * b) / 12, a * a / 2);
      break;
    case k_geom_box: body = shell ? shell_box(a, b, c) : solid_box(a, b, c); break;
    case k_geom_ellipsoid: body = shell ? shell_ellipsoid(a, b, c) : solid_ellipsoid(a, b, c); break;
    default: break;
  }
  if (type == k_geom_sphere) {
    const double moment = (shell ? 2.0 / 3 : 0.4) * a * a;
    body.inertia = Sym3<double>::diagonal(moment, moment, moment);
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
    pose = {mjcf_from_z(from - to), (from + to) * 0.5};
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
  double volume = 0;
  if (solid_of(of, type, size, shell, solid, volume)) {
    if (has_mass && volume <= k_mjcf_tiny) return;
    solid.mass = has_mass ? amount : amount * volume;
    if (solid.mass <= k_mjcf_tiny) return;
    solid.inertia = solid.inertia * solid.mass;
  }
  body.solids.push_back(std::move(solid));
}

/// What Shape knows is drawn; other types are named.
void MjcfReader::shape_of(const MjcfFields& of, int type, const double* size, const Transform<double>& pose,
                          const Scope& scope) {
  Shape shape;
  shape.name = suffixed(values_.name_of(of), scope);
  shape.origin = pose;
  shape.collision = values_.integer(of, "contype", 1) != 0 || values_.integer(of, "conaffinity", 1) != 0;
  if (of.has("rgba")) values_.numbers(of, "rgba", 4, 4, shape.colour);
  if (const char* material = of.text("material")) shape.material = material;
  const auto named = [&](const char* what) {
    Diagnostic d = document_.at(of.node, "N_MJCF_SHAPE");
    d.found = what;
    d.expected = "box, sphere, capsule, cylinder or a mesh file";
    d.hint = "the shape is left out; its mass counts";
    notes_.emplace(what, std::move(d));
  };
  const bool fitted = of.has("mesh") && type != k_geom_mesh && type != k_geom_sdf;
  if (type == k_geom_plane) return named("a plane");
  if (type == k_geom_hfield) return named("a height field");
  if (type == k_geom_ellipsoid) return named("an ellipsoid");
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
    for (int k = 0; k < sizes_of(type, false); ++k) {
      if (size[k] > 0) continue;
      return values_.warn(of.node, "W_GEOMETRY", "size " + detail::number_text(size[k]), "sizes larger than 0",
                          "the shape is left out");
    }
    shape.kind = type == k_geom_box       ? Shape::Kind::box
                 : type == k_geom_sphere  ? Shape::Kind::sphere
                 : type == k_geom_capsule ? Shape::Kind::capsule
                                          : Shape::Kind::cylinder;
    if (type == k_geom_box) {
      for (int k = 0; k < 3; ++k) shape.size[k] = 2 * size[k];
    } else {
      shape.size[0] = size[0];
      if (type != k_geom_sphere) shape.size[1] = 2 * size[1];
    }
  }
  model_.bodies[static_cast<std::size_t>(scope.body)].shapes.push_back(std::move(shape));
}

}  // namespace zwang::io
