// SPDX-License-Identifier: BSD-3-Clause
// Laws of all pairs of solids, from random ones: see laws.hpp. ZWANG_WHOLE_TABLE=1: twenty times as many.
#include <cstdlib>

#include "geometry/laws.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

constexpr Kind k_convex[] = {Kind::half_space, Kind::sphere,    Kind::capsule, Kind::box,
                             Kind::cylinder,   Kind::ellipsoid, Kind::convex};
constexpr double k_far = 1e3;  // a margin within which everything is
// Sizes are about 1 and a page rounds a few dozen times; the search climbs to about (1e-9)^(1/2) of an angle at best.
constexpr double k_rounding = 2e-13;

std::string name(Kind kind) {
  const char* const names[] = {"half space", "sphere", "capsule", "box", "cylinder", "ellipsoid", "convex", "heights"};
  return names[static_cast<int>(kind)];
}

struct Scene {
  Body a, b;
  Pose pa, pb;
};

/// Poses at which solids are near, overlap little, or much.
Scene random_scene(Kind a, Kind b, Random& r) {
  Scene s{.a = random_body(a, r), .b = random_body(b, r), .pa = r.pose(1), .pb = r.pose(1)};
  const double reach = r.uniform(0, 1.6);
  s.pb.p = s.pa.p + r.direction() * reach;
  if (a == Kind::half_space) s.pb.p = s.pa.p + column_z(s.pa.R) * r.uniform(-0.5, 1.5) + r.direction();
  return s;
}

/// Moves b so that the solids overlap by little or nearly touch: contacts of a simulation.
void bring_together(Scene& s, Random& r) {
  const double gap = std::pow(10, r.uniform(-9, -2)) * (r.below(2) == 0 ? -1 : 1);
  for (int k = 0; k < 4; ++k) {
    const SurfacePair p = least(near_points(s.a, s.pa, s.b, s.pb, k_far));
    s.pb.p = s.pb.p + p.normal * (gap - p.gap);
  }
}

/// Two cylinders that overlap by much: one of several ways out is found, in 1 of 1000 not the shortest.
bool is_deep(const Scene& s) {
  if (s.a.kind() != Kind::cylinder || s.b.kind() != Kind::cylinder) return false;
  return least(near_points(s.a, s.pa, s.b, s.pb, k_far)).gap < -0.1;
}

template <class Visit> void for_each_scene(unsigned seed, int count, Visit&& visit) {
  if (std::getenv("ZWANG_WHOLE_TABLE") != nullptr) count *= 20;
  for (const Kind a : k_convex)
    for (const Kind b : k_convex) {
      if (a > b || !can_touch(a, b)) continue;
      Random r(seed + 97 * static_cast<unsigned>(a) + static_cast<unsigned>(b));
      for (int k = 0, all = effort(count); k < all && !testing::Test::HasFailure(); ++k) {
        SCOPED_TRACE(name(a) + " - " + name(b) + ", scene " + std::to_string(k));
        Scene s = random_scene(a, b, r);
        if (k % 2 == 1) bring_together(s, r);
        if (is_deep(s)) continue;
        visit(s, r);
      }
    }
}

TEST(NearestPoints, AreOnBothSurfaces) {
  for_each_scene(1, 300, [](const Scene& s, Random&) {
    const auto points = near_points(s.a, s.pa, s.b, s.pb, k_far);
    ASSERT_FALSE(points.empty());
    // A corner beyond the side of a face by 1e-10 of the sizes counts as on it.
    const bool has_sides = !s.a.edges.empty() && !s.b.edges.empty();
    expect_on_surfaces(s.a, s.pa, s.b, s.pb, points, has_sides ? 5e-10 : 100 * k_rounding);
  });
}

TEST(NearestPoints, HaveTheGapThatNoNormalExceeds) {
  for_each_scene(2, 40, [](const Scene& s, Random& r) {
    const auto points = near_points(s.a, s.pa, s.b, s.pb, k_far);
    ASSERT_FALSE(points.empty());
    const SurfacePair& p = least(points);
    // Faces are preferred to edges that separate more by 1e-6 of the gap.
    // The direction between a corner and an edge has the rounding of their places, divided by the gap.
    const double room = 2e-6 * std::fabs(p.gap) + k_rounding + 1e-15 / std::fabs(p.gap);
    EXPECT_NEAR(static_cast<double>(separation(s.a, s.pa, s.b, s.pb, wide(p.normal))), p.gap, room);
    EXPECT_LE(static_cast<double>(greatest_separation(s.a, s.pa, s.b, s.pb, r)), p.gap + room);
  });
}

TEST(NearestPoints, AreThoseWithinTheMargin) {
  for_each_scene(3, 200, [](const Scene& s, Random& r) {
    const double gap = least(near_points(s.a, s.pa, s.b, s.pb, k_far)).gap;
    EXPECT_TRUE(near_points(s.a, s.pa, s.b, s.pb, gap - 1e-9).empty());
    const double margin = gap + r.uniform(1e-6, 0.1);
    const auto points = near_points(s.a, s.pa, s.b, s.pb, margin);
    ASSERT_FALSE(points.empty());
    EXPECT_NEAR(least(points).gap, gap, 2e-6 * std::fabs(gap) + k_rounding);
    for (const SurfacePair& p : points) EXPECT_LE(p.gap, margin);
  });
}

TEST(NearestPoints, DoNotDependOnTheOrder) {
  for_each_scene(4, 200, [](const Scene& s, Random&) {
    const SurfacePair p = least(near_points(s.a, s.pa, s.b, s.pb, k_far));
    const SurfacePair q = least(near_points(s.b, s.pb, s.a, s.pa, k_far));
    EXPECT_NEAR(p.gap, q.gap, k_rounding);
    EXPECT_LE(norm(p.normal + q.normal), 1e-6);
    if (s.a.kind() == s.b.kind()) return;
    EXPECT_EQ(p.feature, q.feature);
    EXPECT_LE(distance(p.on_a, q.on_b), k_rounding);
    EXPECT_LE(distance(p.on_b, q.on_a), k_rounding);
  });
}

TEST(NearestPoints, MoveWithBothSolids) {
  for_each_scene(5, 200, [](const Scene& s, Random& r) {
    const Pose move = r.pose(1000);
    const auto before = near_points(s.a, s.pa, s.b, s.pb, k_far);
    const auto after = near_points(s.a, move * s.pa, s.b, move * s.pb, k_far);
    const double rounding =
        1e3 * 8 * 2.3e-16 * 100;  // of positions at a thousand metres, and what the normal makes of it
    EXPECT_NEAR(least(before).gap, least(after).gap, rounding);
    if (before.size() != after.size()) return;
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (before[k].feature != after[k].feature) continue;
      EXPECT_NEAR(before[k].gap, after[k].gap, 100 * rounding);
    }
  });
}

// The gap is what grows when b moves along the normal.
TEST(NearestPoints, GapGrowsAlongTheNormal) {
  for_each_scene(6, 200, [](const Scene& s, Random& r) {
    const SurfacePair p = least(near_points(s.a, s.pa, s.b, s.pb, k_far));
    const Point v = r.direction();
    const double h = 1e-7;
    Pose next = s.pb;
    next.p = s.pb.p + v * h;
    const SurfacePair q = least(near_points(s.a, s.pa, s.b, next, k_far));
    if (p.feature != q.feature) return;
    // second derivatives of a distance are at most 1 / distance
    EXPECT_NEAR((q.gap - p.gap) / h, dot(p.normal, v), 1e-5 + 4 * distance(p.normal, q.normal));
  });
}

TEST(NearestPoints, FeaturesKeepTheirNamesInSmallMotions) {
  int same = 0, all = 0;
  for_each_scene(7, 200, [&](const Scene& s, Random& r) {
    const auto before = near_points(s.a, s.pa, s.b, s.pb, k_far);
    Pose next = s.pb;
    next.p = s.pb.p + r.direction() * 1e-9;
    const auto after = near_points(s.a, s.pa, s.b, next, k_far);
    ++all;
    if (before.size() != after.size()) return;
    bool equal = true;
    for (std::size_t k = 0; k < before.size(); ++k) equal = equal && before[k].feature == after[k].feature;
    same += equal;
  });
  EXPECT_GE(same, all - all / 100);  // scenes at the border between two features
}

TEST(NearestPoints, HaveNamesOfTheirOwn) {
  for_each_scene(8, 200, [](const Scene& s, Random&) {
    const auto points = near_points(s.a, s.pa, s.b, s.pb, k_far);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_NE(points[i].feature, points[k].feature)
            << points[i].gap << " " << points[k].gap << " " << distance(points[i].on_a, points[k].on_a);
  });
}

TEST(NearestPoints, NothingIsFoundOfPairsThatCannotTouch) {
  EXPECT_FALSE(can_touch(Kind::half_space, Kind::half_space));
  EXPECT_FALSE(can_touch(Kind::half_space, Kind::height_field));
  EXPECT_FALSE(can_touch(Kind::height_field, Kind::height_field));
  EXPECT_FALSE(can_touch(Kind::ellipsoid, Kind::box));
  EXPECT_TRUE(can_touch(Kind::half_space, Kind::ellipsoid));
  EXPECT_TRUE(can_touch(Kind::ellipsoid, Kind::half_space));
  std::vector<SurfacePair> points;
  nearest_points(Solid::half_space(), Pose::identity(), Solid::half_space(), Pose::identity(), 1, points);
  EXPECT_TRUE(points.empty());
}

// The hull of a box's corners is the box: where they are apart, what touches it or not is the same.
TEST(Pairs, ABoxAndItsHullAreTheSame) {
  Random r(5);
  const double margin = 0.01;
  for (int k = 0; k < 20000 && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    const Point size{r.uniform(0.1, 1), r.uniform(0.1, 1), r.uniform(0.1, 1)};
    std::vector<Point> corners;
    for (int c = 0; c < 8; ++c)
      corners.push_back({size.x / 2 * (c & 1 ? 1 : -1), size.y / 2 * (c & 2 ? 1 : -1), size.z / 2 * (c & 4 ? 1 : -1)});
    const Body hull = convex(corners), whole = box(size);
    const Body other = k % 2 == 0 ? box({r.uniform(0.1, 1), r.uniform(0.1, 1), r.uniform(0.1, 1)})
                                  : capsule(r.uniform(0.02, 0.2), r.uniform(0.1, 1));
    const Pose pose = r.pose(0.7);
    const auto of_box = near_points(whole, Pose::identity(), other, pose, margin),
               of_hull = near_points(hull, Pose::identity(), other, pose, margin);
    EXPECT_EQ(of_box.empty(), of_hull.empty());
    if (of_box.empty() || of_hull.empty() || least(of_box).gap < 0) continue;
    EXPECT_NEAR(least(of_hull).gap, least(of_box).gap, 1e-6);  // faces are preferred by 1e-6 of the sizes
  }
}

}  // namespace
}  // namespace zwang::test
