// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/geometry/solid_of.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "geometry/solid_data.hpp"
#include "zwang/geometry/mesh.hpp"

namespace zwang {
namespace {

using Form = Shape::Kind;

const char* word_of(Form kind) {
  switch (kind) {
    case Form::box: return "box";
    case Form::cylinder: return "cylinder";
    case Form::sphere: return "sphere";
    case Form::capsule: return "capsule";
    case Form::mesh: return "mesh";
    case Form::plane: return "plane";
    case Form::ellipsoid: return "ellipsoid";
  }
  return "shape";
}

std::string name_of(const Shape& s) {
  if (!s.name.empty()) return std::string(word_of(s.kind)) + " '" + s.name + "'";
  return s.mesh.empty() ? word_of(s.kind) : "mesh '" + s.mesh + "'";
}

/// Six times the volume that triangles enclose, seen from a point.
double sixfold_volume(const std::vector<Vec3<double>>& points, const TriangleMesh& mesh, const Vec3<double>& from) {
  double v = 0;
  for (const auto& t : mesh.triangles) v += dot(points[t[0]] - from, cross(points[t[1]] - from, points[t[2]] - from));
  return v;
}

double sixfold_volume(const geometry::PolytopeData& hull, const Vec3<double>& from) {
  double v = 0;
  for (const geometry::Face& f : hull.face) {
    const auto corner = [&](int k) {
      return hull.point[static_cast<std::size_t>(hull.corner[static_cast<std::size_t>(f.first + k)])] - from;
    };
    for (int k = 2; k < f.count; ++k) v += dot(corner(0), cross(corner(k - 1), corner(k)));
  }
  return v;
}

Solid solid_of_mesh(const Shape& s, std::string& warning) {
  if (s.mesh_path.empty())
    throw std::invalid_argument("its file was not found" + (s.mesh.empty() ? "" : " ('" + s.mesh + "')") +
                                "; say where packages are (package_dirs, --package-dir), or leave such shapes out "
                                "(missing_meshes, --missing-meshes)");
  TriangleMesh mesh;
  std::string why;
  if (!read_mesh(s.mesh_path, mesh, why)) throw std::invalid_argument(s.mesh_path + ": " + why);
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(s.size[k]) || s.size[k] == 0)
      throw std::invalid_argument("scale " + std::string(1, "xyz"[k]) + " is " + std::to_string(s.size[k]));
  std::vector<Vec3<double>> points;
  points.reserve(mesh.points.size());
  Vec3<double> middle = Vec3<double>::zero();
  for (const auto& p : mesh.points) {
    points.push_back({s.size[0] * p[0], s.size[1] * p[1], s.size[2] * p[2]});
    middle += points.back() * (1.0 / static_cast<double>(mesh.points.size()));
  }
  Solid solid = Solid::convex(points);
  const double whole = sixfold_volume(solid.data().polytope, middle);
  const double own = std::fabs(sixfold_volume(points, mesh, middle));
  if (!(std::fabs(whole - own) <= 1e-5 * whole)) {
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.3g", 100 * own / whole);
    warning = "is not convex, or not closed: it is taken as its convex hull, of whose volume it fills " +
              std::string(percent) + " %";
  }
  return solid;
}

Solid make(const Shape& s, std::string& warning) {
  switch (s.kind) {
    case Form::box: return Solid::box({s.size[0], s.size[1], s.size[2]});
    case Form::cylinder: return Solid::cylinder(s.size[0], s.size[1]);
    case Form::sphere: return Solid::sphere(s.size[0]);
    case Form::capsule: return Solid::capsule(s.size[0], s.size[1]);
    case Form::ellipsoid: return Solid::ellipsoid({s.size[0], s.size[1], s.size[2]});
    case Form::mesh: return solid_of_mesh(s, warning);
    case Form::plane: break;
  }
  for (int k = 0; k < 2; ++k)
    if (!(s.size[k] >= 0) || !std::isfinite(s.size[k]))
      throw std::invalid_argument("length " + std::string(1, "xy"[k]) + " is " + std::to_string(s.size[k]));
  if (s.size[0] > 0 || s.size[1] > 0) warning = "has ends: it is taken as a half space without end";
  return Solid::half_space();
}

}  // namespace

Solid solid_of(const Shape& shape, std::string* warning) {
  std::string text;
  if (warning != nullptr) warning->clear();
  try {
    Solid solid = make(shape, text);
    if (warning != nullptr && !text.empty()) *warning = name_of(shape) + " " + text;
    return solid;
  } catch (const std::invalid_argument& e) { throw std::invalid_argument(name_of(shape) + ": " + e.what()); }
}

}  // namespace zwang
