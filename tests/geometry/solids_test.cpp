// SPDX-License-Identifier: BSD-3-Clause
// Solids at rest on each other have the points that hold them; degenerate places have finite normals; refusals.
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>

#include "geometry/laws.hpp"
#include "zwang/geometry/solid_of.hpp"

namespace zwang::test {
namespace {

Pose upright(double z, double angle = 0, double x = 0) {
  return {turn_z(Mat3<double>::identity(), std::cos(angle), std::sin(angle)), {x, 0, z}};
}
/// The axis along x.
Pose lying(double z) { return {turn_y(Mat3<double>::identity(), 0.0, 1.0), {0, 0, z}}; }

void expect_points(const Body& a, const Body& b, const Pose& pb, std::size_t count, double gap) {
  for (const bool exchanged : {false, true}) {
    const Pose pa = Pose::identity();
    const auto points = exchanged ? near_points(b, pb, a, pa, 1e-3) : near_points(a, pa, b, pb, 1e-3);
    ASSERT_EQ(points.size(), count);
    for (const SurfacePair& p : points) {
      EXPECT_NEAR(p.gap, gap, 1e-15);
      EXPECT_NEAR(p.normal.z, exchanged ? -1 : 1, 1e-14);
    }
  }
}

TEST(Resting, PointsOfEachKind) {
  const Body ground, slab = box({4, 4, 1}), cube = box({1, 1, 1}), rod = capsule(0.1, 1), drum = cylinder(0.3, 1);
  std::vector<Point> corners;
  for (int k = 0; k < 8; ++k) corners.push_back({k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5});
  const Body hull = convex(corners);
  for (const double gap : {1e-4, 0.0, -1e-4}) {
    SCOPED_TRACE(gap);
    for (const double angle : {0.0, 0.3, 0.7853981633974483}) {
      SCOPED_TRACE(angle);
      expect_points(ground, cube, upright(0.5 + gap, angle), 4, gap);
      expect_points(ground, hull, upright(0.5 + gap, angle), 4, gap);
      expect_points(slab, cube, upright(1 + gap, angle), 4, gap);
      expect_points(slab, hull, upright(1 + gap, angle), 4, gap);
      expect_points(hull, hull, upright(1 + gap, angle), angle == 0 ? 4 : 8, gap);
      expect_points(cube, cube, upright(1 + gap, angle), angle == 0 ? 4 : 8, gap);
      expect_points(ground, drum, upright(0.5 + gap, angle), 4, gap);
      expect_points(slab, drum, upright(1 + gap, angle), 4, gap);
    }
    expect_points(cube, cube, upright(1 + gap, 0, 0.25), 4, gap);
    expect_points(ground, rod, lying(0.1 + gap), 2, gap);
    expect_points(slab, rod, lying(0.6 + gap), 2, gap);
    expect_points(rod, rod, upright(1.2 + gap), 1, gap);
    expect_points(ground, drum, lying(0.3 + gap), 2, gap);
    expect_points(slab, drum, lying(0.8 + gap), 2, gap);
  }
}

TEST(Resting, AxesSideBySideHaveTwoPoints) {
  const Body rod = capsule(0.1, 1), drum = cylinder(0.3, 1);
  const Pose beside{Mat3<double>::identity(), {0.2, 0, 0.3}};
  const auto points = near_points(rod, Pose::identity(), rod, beside, 1e-3);
  ASSERT_EQ(points.size(), 2u);
  for (const SurfacePair& p : points) EXPECT_NEAR(p.gap, 0, 1e-15);
  EXPECT_NEAR(distance(points[0].on_a, points[1].on_a), 0.7, 1e-14);
  const auto more = near_points(rod, Pose::identity(), drum, {Mat3<double>::identity(), {0.4, 0, 0.3}}, 1e-3);
  ASSERT_EQ(more.size(), 2u);
  for (const SurfacePair& p : more) EXPECT_NEAR(p.gap, 0, 1e-15);
}

// A box that rocks by less than rounding matters keeps its four points and their names.
TEST(Resting, ATinyTiltChangesNoName) {
  const Body cube = box({1, 1, 1});
  const auto flat = near_points(cube, Pose::identity(), cube, upright(1, 0.4), 1e-3);
  for (const double tilt : {1e-12, 1e-9, 1e-7, 1e-5}) {
    Pose pose = upright(1, 0.4);
    pose.R = turn_x(pose.R, std::cos(tilt), std::sin(tilt));
    const auto tilted = near_points(cube, Pose::identity(), cube, pose, 1e-3);
    int kept = 0;
    for (const SurfacePair& p : flat)
      for (const SurfacePair& q : tilted) kept += p.feature == q.feature;
    EXPECT_GE(kept, 7) << tilt;
  }
}

TEST(Degenerate, NormalsAreFinite) {
  Random r(1);
  const Body bodies[] = {sphere(0.5),
                         capsule(0.3, 1),
                         capsule(0.3, 0),
                         box({1, 1, 1}),
                         cylinder(0.4, 1),
                         ellipsoid({0.3, 0.4, 0.5}),
                         ellipsoid({0.4, 0.4, 0.4}),
                         convex({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}})};
  const Pose poses[] = {Pose::identity(), upright(0, 0.7853981633974483),
                        lying(0),         upright(1),
                        lying(1),         upright(0, 0, 0.5),
                        upright(0.5),     upright(1, 0.1, 1)};
  for (const Body& a : bodies)
    for (const Body& b : bodies)
      for (const Pose& pose : poses) {
        if (!can_touch(a.kind(), b.kind())) continue;
        const auto points = near_points(a, Pose::identity(), b, pose, 10);
        ASSERT_FALSE(points.empty());
        for (const SurfacePair& p : points) {
          EXPECT_NEAR(norm(p.normal), 1, 1e-14);
          EXPECT_TRUE(std::isfinite(p.gap) && std::isfinite(norm(p.on_a)) && std::isfinite(norm(p.on_b)));
        }
        const double gap = least(points).gap;
        EXPECT_NEAR(gap, static_cast<double>(separation(a, Pose::identity(), b, pose, wide(least(points).normal))),
                    1e-12);
        EXPECT_LE(static_cast<double>(greatest_separation(a, Pose::identity(), b, pose, r)), gap + 1e-6)
            << static_cast<int>(a.kind()) << " " << static_cast<int>(b.kind());
      }
}

// Inside of an ellipsoid, in the planes across its shortest axes, the nearest point is above and below.
TEST(Degenerate, InTheMiddlePlaneOfAnEllipsoid) {
  Random r(2);
  for (const Point& radii : {Point{0.5, 0.4, 0.2}, Point{0.2, 0.5, 0.5}, Point{0.3, 0.3, 0.3}, Point{0.2, 0.2, 0.6}})
    for (const Point& c : {Point{0.1, 0.05, 0}, Point{0, 0.3, 0}, Point{0, 0, 0.1}, Point{0.05, 0, 0.3}, Point::zero(),
                           Point{1e-9, 0, 0.1}}) {
      const Body a = ellipsoid(radii), b = sphere(0.1);
      const Pose pose{Mat3<double>::identity(), c};
      const auto points = near_points(a, Pose::identity(), b, pose, 1);
      ASSERT_EQ(points.size(), 1u);
      expect_on_surfaces(a, Pose::identity(), b, pose, points, 1e-14);
      EXPECT_LE(static_cast<double>(greatest_separation(a, Pose::identity(), b, pose, r)), points[0].gap + 1e-9);
    }
}

void expect_refused(const std::function<void()>& make, const std::string& words) {
  try {
    make();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(Solids, BadNumbersAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused([] { Solid::sphere(0); }, "radius is 0");
  expect_refused([] { Solid::sphere(-1); }, "radius is -1");
  expect_refused([=] { Solid::sphere(nan); }, "radius is nan");
  expect_refused([] { Solid::capsule(1, -1); }, "length is -1");
  expect_refused([] { Solid::cylinder(1, 0); }, "length is 0");
  expect_refused([] { Solid::box({1, 0, 1}); }, "length y is 0");
  expect_refused([=] { Solid::ellipsoid({1, 1, nan}); }, "radius z is nan");
  expect_refused([] { Solid::convex({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}); }, "lie in a plane");
  expect_refused([] { Solid::convex({}); }, "0 points");
  expect_refused([=] { Solid::convex({{0, nan, 0}}); }, "y of point 0 is nan");
  expect_refused([] { Solid::height_field(1, 2, 1, 1, {0, 0}); }, "1 x 2");
  expect_refused([] { Solid::height_field(2, 2, 1, 1, {0, 0, 0}); }, "3 heights");
  expect_refused([=] { Solid::height_field(2, 2, 1, 1, {0, 0, 0, nan}); }, "height 3 is nan");
  expect_refused([] { Solid::height_field(2, 2, 0, 1, {0, 0, 0, 0}); }, "length_x is 0");
}

std::string write(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Solids, OfShapes) {
  Shape s;
  s.kind = Shape::Kind::box;
  s.size[0] = 1, s.size[1] = 2, s.size[2] = 3;
  EXPECT_EQ(solid_of(s).kind(), Kind::box);
  EXPECT_NEAR(solid_of(s).radius(), std::sqrt(14.0) / 2, 1e-15);
  s.kind = Shape::Kind::ellipsoid;
  EXPECT_EQ(solid_of(s).radius(), 3);
  s.name = "foot";
  s.size[1] = 0;
  expect_refused([&] { solid_of(s); }, "ellipsoid 'foot': ");
  s.kind = Shape::Kind::plane;
  std::string warning;
  EXPECT_EQ(solid_of(s, &warning).kind(), Kind::half_space);
  EXPECT_NE(warning.find("plane 'foot' has ends"), std::string::npos);

  s.kind = Shape::Kind::mesh;
  s.size[0] = s.size[1] = 1, s.size[2] = -2;
  expect_refused([&] { solid_of(s); }, "mesh 'foot': its file was not found");
  s.mesh_path = testing::TempDir() + "no_such_file.obj";
  expect_refused([&] { solid_of(s); }, "cannot be opened");
  const std::string cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
  const std::string sides = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 4 3 7 8\nf 1 5 7 3\nf 2 4 8 6\n";
  s.mesh_path = write("zwang_cube.obj", cube + sides);
  EXPECT_EQ(solid_of(s, &warning).kind(), Kind::convex);
  EXPECT_EQ(warning, "");
  EXPECT_NEAR(solid_of(s).radius(), std::sqrt(6.0), 1e-14);
  // one side is pushed in: a pyramid of a sixth is missing
  s.mesh_path = write("zwang_dent.obj", cube + "v .5 .5 .5\n" + sides.substr(sides.find('\n') + 1) +
                                            "f 1 3 9\nf 3 4 9\nf 4 2 9\nf 2 1 9\n");
  solid_of(s, &warning);
  EXPECT_NE(warning.find("mesh 'foot' is not convex"), std::string::npos) << warning;
  EXPECT_NE(warning.find("83.3 %"), std::string::npos) << warning;
  s.mesh_path = write("zwang_flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused([&] { solid_of(s); }, "lie in a plane");
  s.size[0] = 0;
  expect_refused([&] { solid_of(s); }, "scale x is 0");
}

// Faces of a mesh whose triangles lie in a plane are one face, with the corners of the whole.
TEST(Solids, TrianglesOfOnePlaneAreOneFace) {
  std::vector<Point> grid;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) grid.push_back({0.25 * i - 0.5, 0.25 * j - 0.5, 0.25 * k - 0.5});
  Random r(3);
  const Pose turn = r.pose(0);
  for (Point& p : grid) {
    p = turn.R * p;
    for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(p[k]);
  }
  const Body fine{.solid = Solid::convex(grid)};
  Pose pose = upright(0.5);
  pose.R = transpose(turn.R);
  const auto points = near_points(Body(), Pose::identity(), fine, pose, 1e-5);
  EXPECT_EQ(points.size(), 4u);
}

}  // namespace
}  // namespace zwang::test
