// SPDX-License-Identifier: BSD-3-Clause
// Near points of all pairs, and the broad phase, allocate nothing once there is room.
#include "geometry/broad_phase.hpp"
#include "geometry/laws.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

TEST(GeometryAllocation, NearestPointsOfAllPairs) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Random r(1);
  std::vector<Solid> solids = {Solid::half_space()};
  std::vector<double> heights;
  for (int k = 0; k < 36; ++k) heights.push_back(r.uniform(-0.2, 0.2));
  solids.push_back(Solid::height_field(6, 6, 3, 3, heights));
  for (const Kind k :
       {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::convex, Kind::convex})
    solids.push_back(random_body(k, r).solid);
  std::vector<SurfacePair> points;
  points.reserve(4000);
  for (const Solid& a : solids)
    for (const Solid& b : solids)
      for (int k = 0; k < 10; ++k) {
        const Pose pa = r.pose(0.5), pb = r.pose(0.5);
        points.clear();
        EXPECT_NO_ALLOCATION(nearest_points(a, pa, b, pb, 0.2, points));
      }
}

TEST(GeometryAllocation, BroadPhase) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Random r(2);
  std::vector<Solid> solids;
  std::vector<Pose> poses;
  for (int k = 0; k < 60; ++k) {
    solids.push_back(Solid::sphere(0.1));
    poses.push_back(r.pose(2));
  }
  BroadPhase broad;
  broad.reserve(60);
  for (int k = 0; k < 10; ++k) {
    for (Pose& x : poses) x.p = x.p + r.direction() * 0.05;
    EXPECT_NO_ALLOCATION(broad.pairs(solids, poses, 1e-3));
  }
}

}  // namespace
}  // namespace zwang::test
