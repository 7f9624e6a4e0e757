// SPDX-License-Identifier: BSD-3-Clause
// The difference of planar joints goes the shorter way round: against matrices of SE(2),
// and whole turns on random robots.
#include <gtest/gtest.h>

#include <cmath>

#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/for_each_joint.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double largest_entry(const MatrixXd& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }
VectorXd random_step(const Model& model, std::uint64_t seed, double size) {
  Random r(seed, 77);
  VectorXd d(model.nv());
  for (double& x : d) x = r.uniform(-size, size);
  return d;
}

/// exp of a twist (v_x, v_y, w) as a 3 x 3 matrix: its series, after halving the twist twelve times.
Eigen::Matrix3d exp_of_plane(const VectorXd& twist) {
  Eigen::Matrix3d A, sum = Eigen::Matrix3d::Identity(), term = sum;
  A << 0, -twist[2], twist[0], twist[2], 0, twist[1], 0, 0, 0;
  A /= 4096;
  for (int k = 1; k < 8; ++k) {
    term = term * A / k;
    sum += term;
  }
  for (int k = 0; k < 12; ++k) sum = sum * sum;
  return sum;
}
Eigen::Matrix3d pose_in_plane(const VectorXd& q) {
  Eigen::Matrix3d X;
  X << std::cos(q[2]), -std::sin(q[2]), q[0], std::sin(q[2]), std::cos(q[2]), q[1], 0, 0, 1;
  return X;
}

TEST(PlanarJoint, TurnsTheShorterWayRound) {
  RobotDescription d{.name = "puck"};
  d.links = {{.name = "floor"}, {.name = "puck", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  d.joints = {JointDescription{.name = "slide", .type = "planar", .parent = "floor", .child = "puck"}};
  const Model model = build(d);
  const double pi = 3.14159265358979323846, cases[][2] = {{0, 0.1},        {3.1, -3.1},         {-3.0, 3.0},
                                                          {0, 2 * pi},     {0, 2 * pi - 1e-6},  {0, 6},
                                                          {0, 10},         {-1, -1 - 200 * pi}, {2.5, 2.5 + pi - 1e-5},
                                                          {50, -47.123456}};
  for (const auto& [from, to] : cases) {
    const Eigen::Vector3d a(0.3, -0.2, from), b(1.3, 0.4, to);
    const VectorXd way = difference(model, a, b), there = integrate(model, a, way);
    // Angles of a hundred turns have roundings of 1e-13.
    EXPECT_NEAR(way[2], std::remainder(to - from, 2 * pi), 4e-13) << from << " to " << to;
    EXPECT_LE(largest_entry(pose_in_plane(a) * exp_of_plane(way) - pose_in_plane(b)), 4e-12) << from << " to " << to;
    EXPECT_LE(largest_entry(pose_in_plane(there) - pose_in_plane(b)), 4e-13);
    EXPECT_LE(distance(model, a, b), std::hypot(1.8319, pi)) << "the arc of half a turn is pi/2 times its chord";
    EXPECT_NEAR(distance(model, a, b), way.norm(), 1e-14);
    const VectorXd half = interpolate(model, a, b, 0.5);
    EXPECT_LE(largest_entry(exp_of_plane(way / 2) - pose_in_plane(a).inverse() * pose_in_plane(half)), 4e-12);
    const auto [by_a, by_b] = difference_jacobians(model, a, b);
    for (int c = 0; c < 3; ++c) {
      const VectorXd step = 1e-6 * VectorXd::Unit(3, c);  // as in JacobiansAreDerivatives
      const auto slope = [&](const VectorXd& up, const VectorXd& down) { return VectorXd((up - down) / 2e-6); };
      EXPECT_LE(largest_entry(by_b.col(c) - slope(difference(model, a, integrate(model, b, step)),
                                                  difference(model, a, integrate(model, b, VectorXd(-step))))),
                2e-7);
      EXPECT_LE(largest_entry(by_a.col(c) - slope(difference(model, integrate(model, a, step), b),
                                                  difference(model, integrate(model, a, VectorXd(-step)), b))),
                2e-7);
    }
  }
}

/// q1 with every plane some turns further.
VectorXd turns_further(const Model& model, VectorXd q, double turns) {
  for_each_joint(model.tree<double>(), [&](const auto& joint) {
    if (joint.nq == 3 && !joint.additive()) q[joint.q + 2] += turns * 6.283185307179586;
  });
  return q;
}

TEST(PlanarJoint, WholeTurnsCountForNothingAndThoseOfOtherAnglesForWhatTheyAre) {
  int planes = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model model = build(random_robot(seed, {.joints = 20,
                                                  .root = seed % 3 == 0   ? "planar"
                                                          : seed % 3 == 1 ? "floating"
                                                                          : "fixed"}));
    const VectorXd q0 = random(model, 31), q1 = random(model, 32), u = random_step(model, 33, 1.5);
    const MatrixXd by_q1 = difference_jacobians(model, q0, q1).second;
    for (const double turns : {-3.0, 1.0, 20.0}) {
      const VectorXd far = turns_further(model, q1, turns);
      planes += largest_entry(far - q1) > 0;
      // The angle's rounding, 3e-14 at twenty turns, times lengths of some metres over the sinc of the half angle.
      EXPECT_LE(largest_entry(difference(model, q0, far) - difference(model, q0, q1)), 4e-12);
      EXPECT_NEAR(distance(model, q0, far), distance(model, q0, q1), 4e-12);
      EXPECT_LE(largest_entry(difference_jacobians(model, q0, far).second - by_q1), 4e-12);
    }
    for_each_joint(model.tree<double>(), [&](const auto& joint) {
      if (!joint.additive()) return;
      for (Index i = 0; i < joint.nv; ++i) {
        VectorXd far = q1;
        far[joint.q + i] += 11;
        EXPECT_EQ(difference(model, q0, far)[joint.v + i], far[joint.q + i] - q0[joint.q + i]);
      }
    });
  }
  EXPECT_GE(planes, 9) << "at least three robots with a plane";
}

}  // namespace
}  // namespace zwang
