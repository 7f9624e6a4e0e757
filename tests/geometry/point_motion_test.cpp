// SPDX-License-Identifier: BSD-3-Clause
// How points of contact move: formulas beside differences, and laws.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "geometry/point_motion.hpp"
#include "zwang/core/random.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::geometry {
namespace {

using Pose = Transform<double>;
using Vec = Vec3<double>;

Pose at(const Vec& p, const Vec& turn = {0, 0, 0}) { return {exp_so3(turn), p}; }

struct Case {
  const char* name;
  Solid a;
  Pose pose_a;
  Solid b;
  Pose pose_b;
};

/// Each with both orders.
std::vector<Case> exact_cases() {
  const Solid ground = Solid::half_space();
  const Pose slope = at({0.1, -0.2, 0.05}, {0.3, 0.2, -0.4});
  const Vec over = slope.p + column_z(slope.R) * 0.2, turn{0.5, -0.3, 0.7};
  return {
      {"half space, sphere", ground, slope, Solid::sphere(0.2), at(over + Vec{0.1, 0, 0}, turn)},
      {"half space, capsule", ground, slope, Solid::capsule(0.1, 0.3), at(over, turn)},
      {"half space, box", ground, slope, Solid::box({0.3, 0.2, 0.4}), at(over, turn)},
      {"half space, cylinder", ground, slope, Solid::cylinder(0.15, 0.3), at(over, turn)},
      {"half space, ellipsoid", ground, slope, Solid::ellipsoid({0.3, 0.2, 0.1}), at(over, turn)},
      {"sphere, sphere", Solid::sphere(0.2), slope, Solid::sphere(0.1), at(slope.p + Vec{0.1, 0.2, 0.2}, turn)},
      {"capsule's side, sphere", Solid::capsule(0.2, 1), at({0, 0, 0}), Solid::sphere(0.1), at({0.2, 0.22, 0.1})},
      {"capsule's end, sphere", Solid::capsule(0.2, 0.2), at({0, 0, 0}), Solid::sphere(0.1), at({0.1, 0.1, 0.35})},
      {"box's face, sphere", Solid::box({1, 1, 1}), slope, Solid::sphere(0.1), at(slope * Vec{0.1, 0.2, 0.6})},
      {"box's edge, sphere", Solid::box({1, 1, 1}), slope, Solid::sphere(0.1), at(slope * Vec{0.1, 0.56, 0.57})},
      {"box's corner, sphere", Solid::box({1, 1, 1}), slope, Solid::sphere(0.1), at(slope * Vec{0.54, 0.56, 0.57})},
      {"cylinder's side, sphere", Solid::cylinder(0.5, 1), slope, Solid::sphere(0.1), at(slope * Vec{0.4, 0.45, 0.1})},
      {"cylinder's cap, sphere", Solid::cylinder(0.5, 1), slope, Solid::sphere(0.1), at(slope * Vec{0.2, 0.1, -0.6})},
      {"cylinder's rim, sphere", Solid::cylinder(0.5, 1), slope, Solid::sphere(0.1), at(slope * Vec{0.4, 0.4, 0.55})},
      {"ellipsoid, sphere", Solid::ellipsoid({0.5, 0.4, 0.3}), slope, Solid::sphere(0.1),
       at(slope * Vec{0.3, 0.25, 0.2})},
      {"box's face, box's corner",
       Solid::box({1, 1, 1}),
       slope,
       Solid::box({0.2, 0.2, 0.2}),
       {slope.R * exp_so3(Vec{0.6, 0.6, 0.1}), slope * Vec{0.1, 0.2, 0.65}}},
      {"box's face, capsule's end",
       Solid::box({1, 1, 1}),
       slope,
       Solid::capsule(0.05, 0.3),
       {slope.R * exp_so3(Vec{0.6, 0.6, 0.1}), slope * Vec{0.1, 0.2, 0.65}}},
  };
}

double apart(const PointMotion& x, const PointMotion& y) {
  double most = 0;
  for (int k = 0; k < 6; ++k) {
    most = std::fmax(most, std::fabs(x.gap[k] - y.gap[k]));
    for (int i = 0; i < 3; ++i)
      most = std::fmax(most,
                       std::fmax(std::fabs(x.point[i][k] - y.point[i][k]), std::fabs(x.normal[i][k] - y.normal[i][k])));
  }
  return most;
}

/// Differences with steps of 1e-3, twice extrapolated, are good to 1e-10 of numbers of size 10.
TEST(PointMotion, FormulasAreDifferences) {
  for (const Case& c : exact_cases())
    for (const bool exchanged : {false, true}) {
      SCOPED_TRACE(std::string(c.name) + (exchanged ? ", exchanged" : ""));
      const Solid &a = exchanged ? c.b : c.a, &b = exchanged ? c.a : c.b;
      const Pose &p = exchanged ? c.pose_b : c.pose_a, &q = exchanged ? c.pose_a : c.pose_b;
      std::vector<SurfacePair> points;
      nearest_points(a, p, b, q, 0.1, points);
      ASSERT_FALSE(points.empty());
      int exact = 0;
      for (const SurfacePair& x : points) {
        PointMotion formula, differences;
        ASSERT_TRUE(point_motion(a, p, b, q, x, formula));
        if (!formula.is_exact) continue;
        ++exact;
        ASSERT_TRUE(point_motion_by_differences(a, p, b, q, x, differences));
        EXPECT_LE(differences.error, 1e-8);
        EXPECT_LE(apart(formula, differences), 2e-9);
      }
      EXPECT_GT(exact, 0);
    }
}

}  // namespace
}  // namespace zwang::geometry
