// SPDX-License-Identifier: BSD-3-Clause
// Height fields against half spaces, against the distance of points and triangles in long double, and internal edges.
#include <functional>

#include "geometry/laws.hpp"

namespace zwang::test {
namespace {

constexpr Kind k_on_heights[] = {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::convex};

struct Field {
  Solid solid = Solid::half_space();
  std::vector<std::array<Vec3<Real>, 3>> triangles = {};
};

Field field(int columns, int rows, double lx, double ly, const std::function<double(double, double)>& height) {
  std::vector<double> z;
  std::vector<Vec3<Real>> p;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const double x = lx * (i / (columns - 1.0) - 0.5), y = ly * (j / (rows - 1.0) - 0.5);
      z.push_back(height(x, y));
      p.push_back({x, y, z.back()});
    }
  Field f{.solid = Solid::height_field(columns, rows, lx, ly, z)};
  const auto at = [&](int i, int j) { return p[static_cast<std::size_t>(i + columns * j)]; };
  for (int j = 0; j + 1 < rows; ++j)
    for (int i = 0; i + 1 < columns; ++i) {
      f.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      f.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return f;
}

std::vector<SurfacePair> near_points(const Field& f, const Pose& pf, const Body& b, const Pose& pb, double margin) {
  std::vector<SurfacePair> points;
  nearest_points(f.solid, pf, b.solid, pb, margin, points);
  return points;
}

// The surface is a graph: whatever touches it is pushed upwards, however rough it is.
TEST(HeightField, NormalsPointUpwards) {
  for (const Kind kind : k_on_heights) {
    Random r(7 + static_cast<unsigned>(kind));
    for (int k = 0; k < 200 && !HasFailure(); ++k) {
      SCOPED_TRACE(static_cast<int>(kind) * 1000 + k);
      const Field f = field(9, 9, 2, 2, [&](double, double) { return r.uniform(0, 0.15); });
      const Body body = random_body(kind, r);
      Pose pose = r.pose(0.5);
      pose.p.z = r.uniform(-0.1, 0.6);
      for (const SurfacePair& x : near_points(f, Pose::identity(), body, pose, 0.05)) EXPECT_GT(x.normal.z, 0);
    }
  }
}

// A plane: what a half space gives, and no normal but that of the plane.
TEST(HeightField, APlaneIsAHalfSpace) {
  for (const Kind kind : k_on_heights) {
    Random r(1 + static_cast<unsigned>(kind));
    for (int k = 0; k < 60 && !HasFailure(); ++k) {
      SCOPED_TRACE(static_cast<int>(kind) * 1000 + k);
      const double a = r.uniform(-0.7, 0.7), b = r.uniform(-0.7, 0.7), c = r.uniform(-1, 1);
      const Field f = field(9, 12, 8, 9, [&](double x, double y) { return a * x + b * y + c; });
      const Body body = random_body(kind, r);
      const Point n = Point{-a, -b, 1} * (1 / std::sqrt(1 + a * a + b * b));
      const Point u = cross(n, Point{0, 1, 0}) * (1 / norm(cross(n, Point{0, 1, 0})));
      const Pose plane{from_columns(u, cross(n, u), n), {0, 0, c}};
      const Pose world = r.pose(3);
      Pose pose = r.pose(1);
      pose.p.z += c;
      std::vector<SurfacePair> wanted;
      nearest_points(Solid::half_space(), world * plane, body.solid, world * pose, 100, wanted);
      pose.p = pose.p + n * (r.uniform(-0.02, 0.02) - least(wanted).gap);
      const double margin = 0.05;
      wanted.clear();
      nearest_points(Solid::half_space(), world * plane, body.solid, world * pose, margin, wanted);
      const auto points = near_points(f, world, body, world * pose, margin);
      ASSERT_FALSE(points.empty());
      EXPECT_NEAR(least(points).gap, least(wanted).gap, 1e-13);
      EXPECT_LE(distance(least(points).on_a, least(wanted).on_a), 1e-7);
      for (const SurfacePair& p : points) EXPECT_LE(distance(p.normal, least(wanted).normal), 1e-9);
      if (kind != Kind::convex) { EXPECT_EQ(points.size(), wanted.size()); }
    }
  }
}

Real distance_to(const std::array<Vec3<Real>, 3>& t, const Vec3<Real>& x) {
  const Vec3<Real> n = unit(cross(t[1] - t[0], t[2] - t[0]));
  bool inside = true;
  Real best = HUGE_VALL;
  for (int k = 0; k < 3; ++k) {
    const Vec3<Real> a = t[static_cast<std::size_t>(k)], d = t[static_cast<std::size_t>((k + 1) % 3)] - a;
    inside = inside && dot(cross(n, d), x - a) >= 0;
    const Real s = std::clamp(dot(d, x - a) / dot(d, d), Real(0), Real(1));
    best = std::min(best, length(x - a - d * s));
  }
  return inside ? std::fabs(dot(n, x - t[0])) : best;
}

TEST(HeightField, SpheresAreAsFarAsTheNearestTriangle) {
  Random r(5);
  for (int k = 0; k < 300 && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    const double rough = r.uniform(0, 0.5);
    const Field f = field(8, 8, 4, 4, [&](double, double) { return rough * r.uniform(-1, 1); });
    const Body b = sphere(r.uniform(0.05, 0.6));
    const Pose pose{Mat3<double>::identity(), {r.uniform(-1.9, 1.9), r.uniform(-1.9, 1.9), r.uniform(0.1, 1)}};
    Real far = HUGE_VALL;
    bool above = true;
    for (const auto& t : f.triangles) {
      far = std::min(far, distance_to(t, wide(pose.p)));
      const auto side = [&](int i) {
        const auto &p = t[static_cast<std::size_t>(i)], &q = t[static_cast<std::size_t>((i + 1) % 3)];
        return (q.x - p.x) * (pose.p.y - p.y) - (q.y - p.y) * (pose.p.x - p.x) >= 0;
      };
      if (side(0) && side(1) && side(2)) above = dot(cross(t[1] - t[0], t[2] - t[0]), wide(pose.p) - t[0]) > 0;
    }
    if (!above) continue;
    const auto points = near_points(f, Pose::identity(), b, pose, 3);
    ASSERT_FALSE(points.empty());
    EXPECT_NEAR(least(points).gap, static_cast<double>(far) - b.size.x, 1e-6 * static_cast<double>(far));
  }
}

// A ridge is a convex solid: what the hull of its prism gives. (Deeper contacts are those of each triangle.)
TEST(HeightField, ARidgeIsAConvexSolid) {
  const double slope = 0.6;
  const Field f = field(3, 5, 4, 8, [&](double x, double) { return -slope * std::fabs(x); });
  std::vector<Point> corners;
  for (const double y : {-4.0, 4.0})
    for (const auto& [x, z] : {std::pair{-2.0, -2 * slope}, std::pair{0.0, 0.0}, std::pair{2.0, -2 * slope},
                               std::pair{-2.0, -9.0}, std::pair{2.0, -9.0}})
      corners.push_back({x, y, z});
  const Body hull = convex(corners);
  for (const Kind kind : k_on_heights) {
    Random r(20 + static_cast<unsigned>(kind));
    int same = 0;
    for (int k = 0; k < 60 && !HasFailure(); ++k) {
      SCOPED_TRACE(static_cast<int>(kind) * 1000 + k);
      const Body b = random_body(kind, r);
      Pose pose = r.pose(0);
      pose.p = {r.uniform(-0.5, 0.5), r.uniform(-1, 1), 3};
      for (int step = 0; step < 60; ++step) {  // straight down
        const SurfacePair p = least(near_points(hull, Pose::identity(), b, pose, 10));
        pose.p.z -= (p.gap + 1e-6) * std::max(p.normal.z, 0.3);
      }
      const auto wanted = near_points(hull, Pose::identity(), b, pose, 1e-5);
      const auto points = near_points(f, Pose::identity(), b, pose, 1e-5);
      ASSERT_FALSE(points.empty());
      // Which triangle, or edge of the ridge, a corner within a depth of the ridge belongs to is not decided there.
      EXPECT_NEAR(least(points).gap, least(wanted).gap, 1e-7);
      same += std::fabs(least(points).gap - least(wanted).gap) < 1e-11 &&
              distance(least(points).normal, least(wanted).normal) < 1e-6;
    }
    EXPECT_GE(same, 55) << static_cast<int>(kind);
  }
}

// A peak that is inside of a cylinder is seen, whichever triangles leave it by a side.
TEST(HeightField, APeakWithinACylinderIsFound) {
  Random r(5);
  for (int k = 0; k < 2000; ++k) {
    const double height = r.uniform(0.05, 0.3), radius = r.uniform(0.03, 0.2), half = r.uniform(0.02, 0.2);
    const Field f = field(9, 9, 1.6, 1.6, [&](double x, double y) { return x * x + y * y < 1e-9 ? height : 0; });
    const Body body{.solid = Solid::cylinder(radius, 2 * half)};
    Pose pose = r.pose(0.5);
    // The peak at a place of the cylinder that is at least a tenth of it deep.
    const Vec3<double> at{0.6 * radius * r.uniform(-1, 1), 0.6 * radius * r.uniform(-1, 1),
                          0.9 * half * r.uniform(-1, 1)};
    pose.p = Vec3<double>{0, 0, height} - pose.R * at;
    const double depth = std::min(radius - std::hypot(at.x, at.y), half - std::fabs(at.z));
    const std::vector<SurfacePair> points = near_points(f, Pose::identity(), body, pose, 0);
    double least = 0;
    for (const SurfacePair& x : points) {
      least = std::min(least, x.gap);
      EXPECT_GT(x.normal.z, 0) << k;
    }
    EXPECT_LT(least, -1e-3 * depth) << k;
  }
}

TEST(HeightField, ASphereInAValleyTouchesBothSides) {
  const Field f = field(3, 5, 4, 8, [](double x, double) { return std::fabs(x); });
  const Body b = sphere(0.5);
  for (const double depth : {-1e-3, 0.0, 1e-3}) {
    const auto points =
        near_points(f, Pose::identity(), b, {Mat3<double>::identity(), {0, 0.3, 0.5 * std::sqrt(2.0) - depth}}, 2e-3);
    ASSERT_EQ(points.size(), 2u);
    for (const SurfacePair& p : points) EXPECT_NEAR(p.gap, -depth / std::sqrt(2.0), 1e-12);
  }
}

// A corner that goes down into a valley, on either side of its bottom or in it, has a point at every depth.
TEST(HeightField, ACornerIsNotLostInAValley) {
  const Field f = field(3, 5, 4, 8, [](double x, double) { return std::fabs(x); });
  const Body b = sphere(1e-6);
  for (const double x : {-1e-3, -1e-7, 0.0, 1e-7, 1e-3})
    for (const double z : {1e-3, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -1e-3, -0.1})
      EXPECT_FALSE(near_points(f, Pose::identity(), b, {Mat3<double>::identity(), {x, 0.3, z}}, 2e-3).empty())
          << x << " " << z;
}

TEST(HeightField, ABoxThatSlidesFeelsNoInternalEdge) {
  const Field f = field(20, 20, 4, 4, [](double, double) { return 0.0; });
  const Body b = box({0.5, 0.3, 0.2});
  for (int k = 0; k < 400; ++k) {
    const double angle = 0.01 * k;
    const Mat3<double> R = turn_z(Mat3<double>::identity(), std::cos(angle), std::sin(angle));
    const auto points = near_points(f, Pose::identity(), b, {R, {-1 + 0.005 * k, 0.3, 0.1 - 1e-6}}, 1e-3);
    ASSERT_EQ(points.size(), 4u) << k;
    for (const SurfacePair& p : points) {
      EXPECT_NEAR(p.gap, -1e-6, 1e-15);
      EXPECT_EQ(p.normal.z, 1);
    }
  }
}

TEST(HeightField, BelowAndBesideIt) {
  const Field f = field(4, 4, 2, 2, [](double, double) { return 0.0; });
  const auto at = [&](double x, double z) {
    return near_points(f, Pose::identity(), sphere(0.1), {Mat3<double>::identity(), {x, 0.2, z}}, 1e-3);
  };
  ASSERT_EQ(at(0.1, -5).size(), 1u);
  EXPECT_NEAR(at(0.1, -5)[0].gap, -5.1, 1e-12);
  EXPECT_TRUE(at(1.2, -1).empty());
  EXPECT_TRUE(at(0.1, 0.2).empty());
  EXPECT_TRUE(at(std::nan(""), 0.2).empty());
}

}  // namespace
}  // namespace zwang::test
