// SPDX-License-Identifier: BSD-3-Clause
// What a Solid holds.
#pragma once
#include "geometry/polytope.hpp"
#include "zwang/geometry/solid.hpp"

namespace zwang {
namespace geometry {

/// Heights over the points of a grid: column i, row j at (-length_x / 2 + i dx, -length_y / 2 + j dy).
struct Heights {
  int columns = 0, rows = 0;
  double dx = 0, dy = 0;
  std::vector<double> z;

  double x(int i) const { return dx * (i - 0.5 * (columns - 1)); }
  double y(int j) const { return dy * (j - 0.5 * (rows - 1)); }
  Point point(int i, int j) const {
    return {x(i), y(j),
            z[static_cast<std::size_t>(i) + static_cast<std::size_t>(columns) * static_cast<std::size_t>(j)]};
  }
};

}  // namespace geometry

struct SolidData {
  Solid::Kind kind = Solid::Kind::half_space;
  double reach = 0;                          ///< of the sphere about the origin that holds it
  double r = 0;                              ///< radius of sphere, capsule, cylinder
  double half = 0;                           ///< half the length of capsule, cylinder
  Vec3<double> size = Vec3<double>::zero();  ///< halves of the lengths of a box; radii of an ellipsoid
  geometry::PolytopeData polytope = {};      ///< of a sphere its centre, of a capsule its axis; box, convex
  geometry::Heights heights = {};
};

}  // namespace zwang
