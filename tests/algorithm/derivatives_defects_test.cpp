// SPDX-License-Identifier: BSD-3-Clause
// Derivatives that Pinocchio 4.1.0 gives wrongly are right here: against the complex step of the reference. One body of
// 2 kg whose centre is at (0.1, 0.2, 0.3) on one joint, at q = (0.3, -0.4, 0.5), v = (0.7, -0.2, 0.4),
// a = (0.1, 0.2, -0.3). computeRNEADerivatives there, beside differences of rnea:
//
//   joint                 by q, of the largest entry   by v
//   spherical ZYX         off by 1.01 of 7.28          off by 0.44 of 0.56
//   composite RX RY RZ    off by 2.24 of 6.42          off by 0.39 of 0.34
//   universal             off by 0.16 of 7.07          off by 0.09 of 0.08
//   ellipsoid             off by 5.03 of 14.9          off by 0.82 of 0.76
//
// and getFrameVelocityDerivatives, getFrameAccelerationDerivatives by q in LOCAL_WORLD_ALIGNED axes, which hold the
// frame's origin: off by as much as the largest entry on nearly every robot (peers/pinocchio_derivatives.py).
#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

Case body_on(const std::string& type) {
  RobotDescription robot;
  robot.links = {make_link("ground", 0, Vec3<double>::zero(), Sym3<double>::diagonal(0, 0, 0)),
                 make_link("body", 2, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(0.3, 0.4, 0.5))};
  JointDescription j = make_joint("joint", type, "ground", "body", {1, 0, 0});
  if (type == "ellipsoid" || type == "composite" ||
      type == "universal") {  // with the parts that random robots give them
    RandomRobot options;
    options.joints = 1;
    options.types = {type};
    options.mimic = options.armature = options.damping = options.springs = options.friction = 0;
    j = random_robot(4, options).joints.at(0);
    j.parent = "ground";
    j.child = "body";
  }
  robot.joints = {j};
  return Case(robot, {}, type);
}

TEST(PinocchioDefect, A18_DerivativesOfJointsWhoseAxesMove) {
  for (const char* type : {"spherical_zyx", "composite", "universal", "ellipsoid"}) {
    SCOPED_TRACE(type);
    Held h(body_on(type), 3);
    const Vector none = Vector::Zero(h.nv);
    const auto tau = [&](const ComplexState& s) {
      return reference::VectorX<Complex>(s.inverse_dynamics(h.x.a.cast<Complex>(), {}, reference_effects({})));
    };
    Eigen::MatrixXd q(h.nv, h.nv), v = q;
    for (Index k = 0; k < h.nv; ++k) {
      q.col(k) = h.along(Vector::Unit(h.nv, k), none, tau);
      v.col(k) = h.along(none, Vector::Unit(h.nv, k), tau);
    }
    const auto d = inverse_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a);
    EXPECT_TRUE(within(d.q, q, 1e-13, largest(q) + largest(v) + 1));
    EXPECT_TRUE(within(d.v, v, 1e-13, largest(q) + largest(v) + 1));
    EXPECT_GT(largest(v), 0.01);  // it moves
  }
}

TEST(PinocchioDefect, A19_DerivativesByQInTheWorldsAxesAtTheFrameFollowItsOrigin) {
  Held h(Case(sample_arm7(), {}, "arm7"), 3);
  const Vector none = Vector::Zero(h.nv);
  const auto in = Reference::local_world_aligned;
  const auto velocity = [&](const ComplexState& s) { return s.velocity("tool0", axes_of(in)); };
  Eigen::MatrixXd q(6, h.nv);
  for (Index k = 0; k < h.nv; ++k) q.col(k) = h.along(Vector::Unit(h.nv, k), none, velocity);
  const auto d = frame_velocity_derivatives(h.m, h.data, h.x.q, h.x.v, "tool0", in);
  EXPECT_TRUE(within(d.q, q, 1e-13, largest(q) + largest(d.v)));
  // With the origin held: the world's twist turned by each column, seen at the origin.
  forward_kinematics(h.m, h.data, h.x.q, h.x.v);
  const Eigen::MatrixXd world = frame_velocity_derivatives(h.m, h.data, h.x.q, h.x.v, "tool0", Reference::world).q;
  forward_kinematics(h.m, h.data, h.x.q, h.x.v);
  const Eigen::Vector3d p = eigen(frame_pose(h.m, h.data, "tool0").p);
  Eigen::MatrixXd held = world;
  for (Index k = 0; k < h.nv; ++k) held.col(k).head<3>() += Eigen::Vector3d(world.col(k).tail<3>()).cross(p);
  EXPECT_GT(largest(held - q), 0.1 * largest(q));
}

}  // namespace
}  // namespace zwang::test
