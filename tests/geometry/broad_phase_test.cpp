// SPDX-License-Identifier: BSD-3-Clause
// The broad phase: no pair that is near is left out, and of pairs whose boxes are apart none is named.
#include "geometry/broad_phase.hpp"

#include "geometry/laws.hpp"
namespace zwang::test {
namespace {

struct Crowd {
  std::vector<Body> bodies;
  std::vector<Solid> solids;
  std::vector<Pose> poses;
};

Crowd random_crowd(int count, double reach, Random& r) {
  constexpr Kind kinds[] = {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::ellipsoid, Kind::convex};
  Crowd c;
  for (int k = 0; k < count; ++k) {
    c.bodies.push_back(random_body(kinds[r.below(6)], r));
    c.solids.push_back(c.bodies.back().solid);
    c.poses.push_back(r.pose(reach));
  }
  return c;
}

/// Whether the boxes along the world's axes meet, by support functions.
bool boxes_meet(const Body& a, const Pose& pa, const Body& b, const Pose& pb, double margin, double& least) {
  for (int k = 0; k < 3; ++k)
    for (const Real sign : {-1, 1}) {
      Vec3<Real> n{0, 0, 0};
      n[k] = sign;
      const double s = static_cast<double>(separation(a, pa, b, pb, n)) - margin;
      least = std::min(least, std::fabs(s));
      if (s > 0) return false;
    }
  return true;
}

TEST(BroadPhase, NamesPairsWhoseBoxesMeet) {
  Random r(1);
  BroadPhase broad;
  for (int round = 0; round < 30; ++round) {
    Crowd c = random_crowd(2 + r.below(40), r.uniform(0.5, 8), r);
    for (int step = 0; step < 5; ++step) {
      const double margin = r.uniform(0, 0.1);
      const auto pairs = broad.pairs(c.solids, c.poses, margin);
      EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
      for (int i = 0; i < static_cast<int>(c.solids.size()); ++i)
        for (int k = i + 1; k < static_cast<int>(c.solids.size()); ++k) {
          const auto at = [](int j) { return static_cast<std::size_t>(j); };
          double least = 1;
          const bool meet = boxes_meet(c.bodies[at(i)], c.poses[at(i)], c.bodies[at(k)], c.poses[at(k)], margin, least);
          if (least < 1e-12) continue;  // rounding decides
          EXPECT_EQ(std::binary_search(pairs.begin(), pairs.end(), std::pair(i, k)), meet) << i << " " << k;
        }
      for (Pose& x : c.poses) x.p = x.p + r.direction() * 0.2;
    }
  }
}

TEST(BroadPhase, WhatHasNoEndIsNearEverything) {
  Random r(2);
  Crowd c = random_crowd(20, 10, r);
  c.solids[7] = Solid::half_space();
  c.solids[12] = Solid::height_field(2, 2, 1, 1, {0, 0, 0, 0});
  BroadPhase broad;
  const auto& pairs = broad.pairs(c.solids, c.poses, 0);
  for (int k = 0; k < 20; ++k)
    for (const int endless : {7, 12})
      if (k != endless) {
        EXPECT_TRUE(
            std::binary_search(pairs.begin(), pairs.end(), std::pair(std::min(k, endless), std::max(k, endless))));
      }
}

}  // namespace
}  // namespace zwang::test
