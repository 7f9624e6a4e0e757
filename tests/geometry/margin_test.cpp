// SPDX-License-Identifier: BSD-3-Clause
// What is found within a small margin is what is found within a large one.
#include <gtest/gtest.h>

#include <cmath>

#include "zwang/core/random.hpp"
#include "zwang/geometry/solid.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang {
namespace {

double least_gap(const Solid& a, const Transform<double>& pose_a, const Solid& b, const Transform<double>& pose_b,
                 double margin) {
  std::vector<SurfacePair> points;
  nearest_points(a, pose_a, b, pose_b, margin, points);
  double least = HUGE_VAL;
  for (const SurfacePair& x : points) least = std::fmin(least, x.gap);
  return least;
}

/// A trunk and a shank that are 12 mm apart, and overlapped within a margin of 10 mm.
TEST(Margin, AShankBesideATrunk) {
  const Solid box = Solid::box({0.5, 0.26, 0.13}), cylinder = Solid::cylinder(0.014, 0.22);
  const Transform<double> at{{{0.99973584120450243, 0.016639420596710589, -0.015854888625647521},
                              {-0.016319987885902301, 0.99966541008783971, 0.020068031027365086},
                              {0.016183504148667118, -0.019803978290157991, 0.99967289481977706}},
                             {0.048580649375241904, 0.053292586499373025, 0.20279614734847867}};
  const Transform<double> shank{{{0.48550493708369896, 0.017802554096512116, -0.87405264437274854},
                                 {0.075464119647331421, 0.99520743591484739, 0.062187829562127761},
                                 {0.87097079326071936, -0.096152111611944147, 0.4818346694866999}},
                                {0.1119165055935409, 0.20233167938159616, 0.087583424403586657}};
  EXPECT_EQ(least_gap(box, at, cylinder, shank, 0.01), HUGE_VAL);
  EXPECT_GT(least_gap(box, at, cylinder, shank, 0.02), 0.01);
}

TEST(Margin, OfPairs) {
  Random random(7);
  const std::vector<Solid> solids = {Solid::box({0.5, 0.26, 0.13}), Solid::cylinder(0.03, 0.3),
                                     Solid::box({0.2, 0.2, 0.2}), Solid::capsule(0.03, 0.2), Solid::cylinder(0.2, 0.1)};
  int touching = 0, apart = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Solid &a = solids[static_cast<std::size_t>(trial) % 5], &b = solids[static_cast<std::size_t>(trial / 5) % 5];
    const auto pose = [&] {
      Transform<double> x;
      const auto three = [&](double size) {
        return Vec3<double>{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
      };
      x.R = exp_so3(three(3));
      x.p = three(0.25);
      return x;
    };
    const Transform<double> p = pose(), q = pose();
    const double all = least_gap(a, p, b, q, 1);
    for (const double margin : {1e-3, 1e-2, 5e-2}) {
      const double found = least_gap(a, p, b, q, margin);
      if (all > margin) {
        EXPECT_EQ(found, HUGE_VAL) << trial << ' ' << margin << " apart by " << all;
        ++apart;
      } else {
        EXPECT_NEAR(found, all, 1e-9 + 0.01 * std::fabs(all)) << trial << ' ' << margin;
        ++touching;
      }
    }
  }
  EXPECT_GT(touching, 500);
  EXPECT_GT(apart, 500);
}

}  // namespace
}  // namespace zwang
