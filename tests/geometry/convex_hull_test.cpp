// SPDX-License-Identifier: BSD-3-Clause
// The convex hull: all points are inside, the surface is closed, the volume of points of a box is known.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "geometry/convex_hull.hpp"

namespace zwang::test {
namespace {

using Points = std::vector<Vec3<double>>;
using Faces = std::vector<std::array<int, 3>>;

const Vec3<double>& at(const Points& p, int k) { return p[static_cast<std::size_t>(k)]; }

Faces convex_hull(const Points& points, geometry::HullFault wanted = geometry::HullFault::none) {
  geometry::HullFault fault = geometry::HullFault::torn;
  const Faces faces = geometry::convex_hull(points, geometry::most_heights(points.size()), fault);
  EXPECT_EQ(fault, wanted);
  EXPECT_EQ(faces.empty(), wanted != geometry::HullFault::none);
  return faces;
}

double volume(const Points& p, const Faces& faces) {
  double v = 0;
  for (const auto& f : faces) v += dot(at(p, f[0]), cross(at(p, f[1]), at(p, f[2]))) / 6;
  return v;
}

/// Each edge once in each direction, and no point beyond a face by more than `rounding`.
void expect_hull(const Points& p, const Faces& faces, double rounding) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& f : faces) {
    for (std::size_t e = 0; e < 3; ++e) ++edges[{f[e], f[(e + 1) % 3]}];
    const Vec3<double> n = cross(at(p, f[1]) - at(p, f[0]), at(p, f[2]) - at(p, f[0]));
    for (const Vec3<double>& x : p) EXPECT_LE(dot(n, x - at(p, f[0])), rounding * norm(n));
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
  }
}

TEST(ConvexHull, HoldsAllPointsInAClosedSurface) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const int count : {4, 5, 17, 200, 1000}) {
    Points ball, sphere;
    for (int k = 0; k < count; ++k) {
      const Vec3<double> x{normal(random), normal(random), normal(random)};
      ball.push_back(x);
      sphere.push_back(x * (1 / norm(x)));
    }
    // Distances are rounded to a few epsilon of the largest coordinate, about 4 here.
    expect_hull(ball, convex_hull(ball), 1e-13);
    const Faces faces = convex_hull(sphere);
    expect_hull(sphere, faces, 1e-13);
    EXPECT_EQ(faces.size(), static_cast<std::size_t>(2 * count - 4));  // Euler: every point is a corner
  }
}

TEST(ConvexHull, OfPointsOnPlanesAndLinesIsTheBox) {
  Points grid;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 3; ++k) grid.push_back({0.1 * i, 0.3 * j - 7, 0.7 * k});
  const Points once = grid;
  grid.insert(grid.end(), once.begin(), once.end());
  const Faces faces = convex_hull(grid);
  EXPECT_NEAR(volume(grid, faces), 0.4 * 0.9 * 1.4, 1e-14);
}

TEST(ConvexHull, OfPointsInAPlaneIsNone) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  Points flat, line, same(9, Vec3<double>{1, 2, 3});
  for (int k = 0; k < 40; ++k) {
    const double x = u(random), y = u(random);
    flat.push_back({x, y, 0.5 * x - 0.25 * y});
    line.push_back({x, 2 * x, 3 * x});
  }
  for (const Points& p : {flat, line, same, Points{}, Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}})
    convex_hull(p, geometry::HullFault::flat);
}

// Points in general take some tens of heights each.
TEST(ConvexHull, StopsWhereItIsTooMuchWork) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Points ball;
  for (int k = 0; k < 2000; ++k) ball.push_back({normal(random), normal(random), normal(random)});
  geometry::HullFault fault = geometry::HullFault::none;
  EXPECT_FALSE(geometry::convex_hull(ball, 400'000, fault).empty());
  EXPECT_EQ(fault, geometry::HullFault::none);
  EXPECT_TRUE(geometry::convex_hull(ball, 10'000, fault).empty());
  EXPECT_EQ(fault, geometry::HullFault::long_work);
}

}  // namespace
}  // namespace zwang::test
