// SPDX-License-Identifier: BSD-3-Clause
// What a solid is drawn from.
#include "geometry/solid_data.hpp"
#include "zwang/geometry/solid_of.hpp"

namespace zwang {
namespace {

std::array<float, 3> corner(const Vec3<double>& p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
}

/// Faces as fans.
void take_surface(const geometry::PolytopeData& from, TriangleMesh& to) {
  for (const geometry::Point& p : from.point) to.points.push_back(corner(p));
  for (const geometry::Face& f : from.face) {
    const auto at = [&](int k) {
      return static_cast<std::uint32_t>(from.corner[static_cast<std::size_t>(f.first + k)]);
    };
    for (int k = 2; k < f.count; ++k) to.triangles.push_back({at(0), at(k - 1), at(k)});
  }
}

/// Two triangles for each cell.
void take_surface(const geometry::Heights& from, TriangleMesh& to) {
  for (int j = 0; j < from.rows; ++j)
    for (int i = 0; i < from.columns; ++i) to.points.push_back(corner(from.point(i, j)));
  for (int j = 0; j + 1 < from.rows; ++j)
    for (int i = 0; i + 1 < from.columns; ++i) {
      const auto a = static_cast<std::uint32_t>(i + from.columns * j);
      const std::uint32_t b = a + 1, c = a + static_cast<std::uint32_t>(from.columns), d = c + 1;
      to.triangles.push_back({a, b, d});
      to.triangles.push_back({a, d, c});
    }
}

}  // namespace

Shape shape_of(const Solid& solid, TriangleMesh& mesh) {
  const SolidData& d = solid.data();
  mesh = {};
  const auto sized = [](Shape::Kind kind, double x, double y, double z) {
    Shape shape{.kind = kind};
    shape.size[0] = x, shape.size[1] = y, shape.size[2] = z;
    return shape;
  };
  switch (solid.kind()) {
    case Solid::Kind::half_space: return sized(Shape::Kind::plane, 0, 0, 0);
    case Solid::Kind::sphere: return sized(Shape::Kind::sphere, d.r, 0, 0);
    case Solid::Kind::capsule: return sized(Shape::Kind::capsule, d.r, 2 * d.half, 0);
    case Solid::Kind::box: return sized(Shape::Kind::box, 2 * d.size.x, 2 * d.size.y, 2 * d.size.z);
    case Solid::Kind::cylinder: return sized(Shape::Kind::cylinder, d.r, 2 * d.half, 0);
    case Solid::Kind::ellipsoid: return sized(Shape::Kind::ellipsoid, d.size.x, d.size.y, d.size.z);
    case Solid::Kind::convex: take_surface(d.polytope, mesh); break;
    case Solid::Kind::height_field: take_surface(d.heights, mesh); break;
  }
  return sized(Shape::Kind::mesh, 1, 1, 1);
}

}  // namespace zwang
