// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/geometry/solid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "geometry/pair.hpp"

namespace zwang {
namespace {

using geometry::Pair;
using Kind = Solid::Kind;

std::string digits(double x) {
  char room[32];
  std::snprintf(room, sizeof room, "%.9g", x);
  return room;
}

void check_above_zero(const char* what, double x) {
  if (!(x > 0) || !std::isfinite(x))
    throw std::invalid_argument(std::string(what) + " is " + digits(x) + ", expected a number above 0");
}

void check_lengths(const char* what, const Vec3<double>& x) {
  for (int k = 0; k < 3; ++k)
    if (!(x[k] > 0) || !std::isfinite(x[k]))
      throw std::invalid_argument(std::string(what) + " " + "xyz"[k] + " is " + digits(x[k]) +
                                  ", expected a number above 0");
}

std::shared_ptr<SolidData> fresh(Kind kind) {
  auto d = std::make_shared<SolidData>();
  d->kind = kind;
  return d;
}

/// The page of a pair of kinds: the first solid of the page is of kind a.
struct Page {
  Kind a, b;
  void (*run)(Pair&);
};

constexpr Page k_pages[] = {
    {Kind::half_space, Kind::sphere, geometry::half_space_sphere},
    {Kind::half_space, Kind::capsule, geometry::half_space_capsule},
    {Kind::half_space, Kind::box, geometry::half_space_polytope},
    {Kind::half_space, Kind::cylinder, geometry::half_space_cylinder},
    {Kind::half_space, Kind::ellipsoid, geometry::half_space_ellipsoid},
    {Kind::half_space, Kind::convex, geometry::half_space_polytope},
    {Kind::sphere, Kind::sphere, geometry::sphere_sphere},
    {Kind::capsule, Kind::sphere, geometry::capsule_sphere},
    {Kind::box, Kind::sphere, geometry::box_sphere},
    {Kind::cylinder, Kind::sphere, geometry::cylinder_sphere},
    {Kind::ellipsoid, Kind::sphere, geometry::ellipsoid_sphere},
    {Kind::capsule, Kind::capsule, geometry::capsule_capsule},
    {Kind::box, Kind::box, geometry::box_box},
    {Kind::capsule, Kind::box, geometry::polytope_polytope},
    {Kind::cylinder, Kind::cylinder, geometry::cylinder_cylinder},
    {Kind::cylinder, Kind::capsule, geometry::cylinder_polytope},
    {Kind::cylinder, Kind::box, geometry::cylinder_polytope},
    {Kind::cylinder, Kind::convex, geometry::cylinder_polytope},
    {Kind::convex, Kind::sphere, geometry::polytope_polytope},
    {Kind::convex, Kind::capsule, geometry::polytope_polytope},
    {Kind::convex, Kind::box, geometry::polytope_polytope},
    {Kind::convex, Kind::convex, geometry::polytope_polytope},
    {Kind::height_field, Kind::sphere, geometry::height_field_solid},
    {Kind::height_field, Kind::capsule, geometry::height_field_solid},
    {Kind::height_field, Kind::box, geometry::height_field_solid},
    {Kind::height_field, Kind::cylinder, geometry::height_field_solid},
    {Kind::height_field, Kind::convex, geometry::height_field_solid},
};

constexpr int k_kinds = 8;

struct Table {
  const Page* page[k_kinds][k_kinds] = {};

  constexpr Table() {
    for (const Page& p : k_pages) page[static_cast<int>(p.a)][static_cast<int>(p.b)] = &p;
  }
  /// Of two kinds in any order; null where there is none.
  constexpr const Page* find(Kind a, Kind b, bool& exchanged) const {
    const int i = static_cast<int>(a), k = static_cast<int>(b);
    exchanged = page[i][k] == nullptr;
    return exchanged ? page[k][i] : page[i][k];
  }
};
constexpr Table k_table;

}  // namespace

Solid Solid::half_space() {
  auto d = fresh(Kind::half_space);
  d->reach = HUGE_VAL;
  return Solid(d);
}

Solid Solid::sphere(double radius) {
  check_above_zero("Solid::sphere: radius", radius);
  auto d = fresh(Kind::sphere);
  d->r = d->reach = radius;
  d->polytope = geometry::point_polytope();
  return Solid(d);
}

Solid Solid::capsule(double radius, double length) {
  check_above_zero("Solid::capsule: radius", radius);
  if (!(length >= 0) || !std::isfinite(length))
    throw std::invalid_argument("Solid::capsule: length is " + digits(length) + ", expected 0 or a number above 0");
  auto d = fresh(Kind::capsule);
  d->r = radius;
  d->half = length / 2;
  d->reach = d->half + radius;
  d->polytope = geometry::segment_polytope(d->half);
  return Solid(d);
}

Solid Solid::box(const Vec3<double>& lengths) {
  check_lengths("Solid::box: length", lengths);
  auto d = fresh(Kind::box);
  d->size = lengths * 0.5;
  d->reach = norm(d->size);
  d->polytope = geometry::box_polytope(d->size);
  return Solid(d);
}

Solid Solid::cylinder(double radius, double length) {
  check_above_zero("Solid::cylinder: radius", radius);
  check_above_zero("Solid::cylinder: length", length);
  auto d = fresh(Kind::cylinder);
  d->r = radius;
  d->half = length / 2;
  d->reach = std::hypot(d->half, radius);
  return Solid(d);
}

Solid Solid::ellipsoid(const Vec3<double>& radii) {
  check_lengths("Solid::ellipsoid: radius", radii);
  auto d = fresh(Kind::ellipsoid);
  d->size = radii;
  d->reach = std::max({radii.x, radii.y, radii.z});
  return Solid(d);
}

Solid Solid::convex(const std::vector<Vec3<double>>& points) {
  for (std::size_t k = 0; k < points.size(); ++k)
    for (int i = 0; i < 3; ++i)
      if (!std::isfinite(points[k][i]))
        throw std::invalid_argument("Solid::convex: " + std::string(1, "xyz"[i]) + " of point " + std::to_string(k) +
                                    " is " + digits(points[k][i]));
  auto d = fresh(Kind::convex);
  d->polytope = geometry::hull_polytope(points, "Solid::convex");
  for (const auto& x : d->polytope.point) d->reach = std::max(d->reach, norm(x));
  return Solid(d);
}

Solid Solid::height_field(int columns, int rows, double length_x, double length_y, std::vector<double> heights) {
  const std::string what = "Solid::height_field: ";
  if (columns < 2 || rows < 2)
    throw std::invalid_argument(what + "the grid is " + std::to_string(columns) + " x " + std::to_string(rows) +
                                ", expected at least 2 x 2");
  check_above_zero("Solid::height_field: length_x", length_x);
  check_above_zero("Solid::height_field: length_y", length_y);
  const std::size_t count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  if (heights.size() != count)
    throw std::invalid_argument(what + std::to_string(heights.size()) +
                                " heights, expected columns x rows = " + std::to_string(count));
  for (std::size_t k = 0; k < count; ++k)
    if (!std::isfinite(heights[k]))
      throw std::invalid_argument(what + "height " + std::to_string(k) + " is " + digits(heights[k]));
  auto d = fresh(Kind::height_field);
  d->reach = HUGE_VAL;
  d->heights = {.columns = columns,
                .rows = rows,
                .dx = length_x / (columns - 1),
                .dy = length_y / (rows - 1),
                .z = std::move(heights)};
  return Solid(d);
}

Solid::Kind Solid::kind() const { return data_->kind; }

double Solid::radius() const { return data_->reach; }

bool can_touch(Solid::Kind a, Solid::Kind b) {
  bool exchanged = false;
  return k_table.find(a, b, exchanged) != nullptr;
}

void nearest_points(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                    double margin, std::vector<SurfacePair>& points) {
  bool exchanged = false;
  const Page* const page = k_table.find(a.kind(), b.kind(), exchanged);
  if (page == nullptr) return;
  const Vec3<double> between = pose_b.p - pose_a.p;
  if (!(norm(between) <= a.radius() + b.radius() + margin)) return;
  Pair pair = exchanged ? Pair(b.data(), pose_b, a.data(), pose_a, margin, true, points)
                        : Pair(a.data(), pose_a, b.data(), pose_b, margin, false, points);
  page->run(pair);
}

}  // namespace zwang
