// SPDX-License-Identifier: BSD-3-Clause
// JointDescription::child_origin: pose of the child in the parent = origin * motion(q) * child_origin^-1. A joint with
// it is the same as one that carries a helper link without mass, on which the child is fixed at child_origin^-1.
#include <gtest/gtest.h>

#include <cmath>

#include "support/close.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/joint_info.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

using test::within;
constexpr double k_eps = 2.3e-16;

RobotDescription with_child_origins(RobotDescription robot, std::uint64_t seed) {
  test::Random random(seed);
  for (JointDescription& j : robot.joints) j.child_origin = random.pose(0.4);
  return robot;
}

RobotDescription with_helpers(const RobotDescription& robot) {
  RobotDescription out = robot;
  out.joints.clear();
  for (JointDescription j : robot.joints) {
    const std::string helper = j.child + "/" + j.name;
    const JointDescription fixed{
        .name = "fix " + j.name, .parent = helper, .child = j.child, .origin = inverse(j.child_origin)};
    out.links.push_back({.name = helper});
    j.child = helper;
    j.child_origin = Transform<double>::identity();
    out.joints.push_back(std::move(j));
    out.joints.push_back(fixed);
  }
  return out;
}

/// Largest difference of two poses, beside lengths of about `size`.
double difference(const Transform<double>& a, const Transform<double>& b) {
  double most = 0;
  for (int i = 0; i < 3; ++i) {
    most = std::fmax(most, std::fabs(a.p[i] - b.p[i]));
    for (int k = 0; k < 3; ++k) most = std::fmax(most, std::fabs(a.R(i, k) - b.R(i, k)));
  }
  return most;
}

/// The same motion of both, coordinate by coordinate; links by name, joint frames where the motion ends.
void expect_same_motion(const Model& a, const Model& b, std::uint64_t seed, double tolerance) {
  ASSERT_EQ(a.nq(), b.nq());
  ASSERT_EQ(a.nv(), b.nv());
  const auto s = test::random_state(a, seed, 0.7);
  Data of_a(a), of_b(b);
  const Eigen::MatrixXd M = mass_matrix<Eigen::MatrixXd>(a, of_a, s.q), N = mass_matrix<Eigen::MatrixXd>(b, of_b, s.q);
  EXPECT_CLOSE(M, N, tolerance);
  const Eigen::VectorXd t = inverse_dynamics(a, of_a, s.q, s.v, s.a), u = inverse_dynamics(b, of_b, s.q, s.v, s.a);
  EXPECT_CLOSE(t, u, tolerance);
  forward_kinematics(a, of_a, s.q), forward_kinematics(b, of_b, s.q);
  for (const Link& l : a.links()) {
    if (!b.find_link(l.name)) continue;
    EXPECT_LT(difference(frame_pose(a, of_a, l.name), frame_pose(b, of_b, l.name)), 10 * tolerance) << l.name;
  }
}

TEST(ChildOrigin, IsAFixedHelperLinkBehindEveryTypeOfJoint) {
  std::vector<std::string> types = joint_type_names();
  for (const std::string& type : types) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      RandomRobot options;
      options.joints = 6;
      options.types = {type};
      SCOPED_TRACE(type);
      const RobotDescription robot = with_child_origins(random_robot(seed, options), seed);
      const Model one = build(robot), two = build(with_helpers(robot));
      // Sums over six joints with lengths of about 1.
      expect_same_motion(one, two, seed, 2000 * k_eps);
      // The joint's frame is where its motion ends.
      const auto s = test::random_state(one, seed, 0.7);
      Data a(one), b(two);
      forward_kinematics(one, a, s.q), forward_kinematics(two, b, s.q);
      for (const JointDescription& j : robot.joints)
        EXPECT_LT(difference(frame_pose(one, a, j.name), frame_pose(two, b, j.child + "/" + j.name)), 2e-13) << j.name;
    }
  }
}

TEST(ChildOrigin, CostsNoBody) {
  const RobotDescription plain = random_robot(4, {.joints = 20});
  const RobotDescription placed = with_child_origins(plain, 4);
  EXPECT_EQ(build(plain).bodies(), build(placed).bodies());
}

TEST(ChildOrigin, FixedJointsAreLumpedWhereItSays) {
  RobotDescription robot = random_robot(9, {.joints = 12, .types = {"revolute", "fixed"}});
  robot = with_child_origins(std::move(robot), 9);
  expect_same_motion(build(robot), build(with_helpers(robot)), 9, 4000 * k_eps);
  expect_same_motion(build(robot, {.lump = false}), build(with_helpers(robot)), 9, 4000 * k_eps);
}

TEST(ChildOrigin, EditsKeepIt) {
  RandomRobot options;
  options.joints = 9;
  options.types = {"revolute", "prismatic", "helical", "fixed"};
  options.mimic = 0;
  const RobotDescription robot = with_child_origins(random_robot(21, options), 21);
  const Model one = build(robot), two = build(with_helpers(robot));
  expect_same_motion(merge_fixed(one), merge_fixed(two), 5, 4000 * k_eps);
  const auto s = test::random_state(one, 3, 0.5);
  std::string moving;
  for (const Joint& j : one.joints())
    if (j.q.size > 0 && moving.empty()) moving = j.name;
  expect_same_motion(lock_joints(one, {moving}, s.q), lock_joints(two, {moving}, s.q), 6, 4000 * k_eps);
  const std::string& tip = one.links().back().name;
  expect_same_motion(re_root(one, tip), re_root(two, tip), 7, 4000 * k_eps);
}

/// A loop's successor is the joint's frame on the child.
TEST(ChildOrigin, OfACutJointIsItsSecondFrame) {
  RobotDescription robot = random_robot(2, {.joints = 4, .types = {"revolute"}, .mimic = 0});
  test::Random random(8);
  JointDescription cut{.name = "cut", .type = "revolute", .parent = "link1", .child = "link4", .closes_loop = true};
  cut.origin = random.pose(0.4), cut.child_origin = random.pose(0.4);
  robot.joints.push_back(cut);
  const Model model = build(robot);
  ASSERT_EQ(model.loops().size(), 1u);
  const Frame& successor = model.frame(model.loops()[0].successor);
  EXPECT_EQ(successor.link.value, model.find_link("link4").value);
  EXPECT_LT(difference(successor.in_body, model.link("link4").in_body * cut.child_origin), 1e-15);
}

TEST(ChildOrigin, IsAMemberOfDocuments) {
  const RobotDescription robot = with_child_origins(random_robot(3, {.joints = 3}), 3);
  const Model model = build(robot), other = build(random_robot(3, {.joints = 3}));
  EXPECT_FALSE(same_robot(model, other));
  EXPECT_NE(hash(model), hash(other));
  EXPECT_NE(to_json(model).find("\"child_origin\""), std::string::npos);
  EXPECT_EQ(to_json(other).find("\"child_origin\""), std::string::npos);
  EXPECT_TRUE(same_robot(model, model_from_json(to_json(model))));
}

}  // namespace
}  // namespace zwang
