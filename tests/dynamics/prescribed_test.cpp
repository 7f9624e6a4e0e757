// SPDX-License-Identifier: BSD-3-Clause
// Joints whose accelerations are given, mixed with rows: inverse dynamics,
// locked joints and the dense oracle must say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

Prescribed everything(const Model& model, const Eigen::VectorXd& a) {
  Prescribed list;
  for (const Joint& j : model.joints())
    if (j.v.size > 0 && j.mimic.leader.empty())
      prescribe(model, list, j.name, std::vector<double>(a.data() + j.v.first, a.data() + j.v.first + j.v.size));
  return list;
}

TEST(Prescribed, AllOfThemIsInverseDynamics) {
  for (int seed = 1; seed <= effort(150); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 60, 4 + seed % 20);
    const Imposed x = [&] {
      Imposed only = random_imposed(robot, static_cast<std::uint64_t>(seed));
      only.constraints.clear();
      return only;
    }();
    const Prescribed all = everything(robot.model, x.state.a);
    ASSERT_EQ(static_cast<Index>(all.size()), robot.model.nv());
    const ConstraintSet none(robot.model);
    Solver solver(robot.model, none);
    SolveInput in = x.input();
    in.prescribed = &all;
    const Solution& s = solver.solve(in);
    EXPECT_EQ(s.report.status, Status::ok);
    EXPECT_EQ(Eigen::VectorXd(s.acceleration), x.state.a);
    Data data(robot.model);
    const Eigen::VectorXd tau = inverse_dynamics(robot.model, data, x.state.q, x.state.v, x.state.a, x.external);
    // Sums over 24 bodies in another order: a hundred roundings of the largest torque.
    EXPECT_CLOSE(s.motor_torque, tau, 1e-12);
    EXPECT_EQ(s.zwang, 0);
    EXPECT_EQ(s.reaction.norm(), 0);
  }
}

TEST(Prescribed, AgreesWithTheDenseOracleOnRandomTreesWithRows) {
  Tally tally;
  for (int seed = 1; seed <= effort(150); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 2000, 4 + seed % 8);
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 2000);
    Random random(static_cast<std::uint64_t>(seed));
    x.prescribed = random_prescribed(robot, random);
    check(robot, x, tally);
    if (HasFailure()) return;
  }
  EXPECT_GE(tally.prescribed, effort(150) / 2);
  EXPECT_LE(tally.beyond_flat, tally.all / 20);
}

/// A joint that keeps still is a joint that is not there.
TEST(Prescribed, AJointAtRestWithNoAccelerationIsAFixedJoint) {
  int tried = 0;
  for (int seed = 1; seed <= effort(100); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    RandomRobot options;
    options.joints = 10;
    options.mimic = 0;
    options.types = {"revolute", "prismatic", "spherical", "universal", "helical", "cylindrical"};
    options.springs = 0;
    options.root = seed % 2 ? "fixed" : "floating";
    RobotDescription d = random_robot(static_cast<std::uint64_t>(seed) + 11, options);
    const Robot moving(d);
    const std::size_t which = d.joints.size() / 2;
    JointDescription& j = d.joints[which];
    if (j.type != "revolute" && j.type != "prismatic") continue;
    ++tried;
    Mixed x = random_mixed(moving, static_cast<std::uint64_t>(seed), {.prescribed = false});
    const Joint& joint = moving.model.joint(j.name);
    // The fixed joint stands where the moving one is: at q = 0.
    x.state.q(joint.q.first) = 0;
    x.state.v(joint.v.first) = 0;
    prescribe(moving.model, x.prescribed, j.name, {0});
    const ConstraintSet set = x.set(moving.model);
    Solver solver(moving.model, set, x.settings);
    const Solution& s = solver.solve(x.input());

    JointDescription fixed;
    fixed.name = j.name;
    fixed.type = "fixed";
    fixed.parent = j.parent;
    fixed.child = j.child;
    fixed.origin = j.origin;
    d.joints[which] = fixed;
    const Robot rigid(d);
    ASSERT_EQ(rigid.model.nv(), moving.model.nv() - 1);
    const auto without = [&](const Eigen::VectorXd& v, Index at) {
      Eigen::VectorXd out(v.size() - 1);
      out << v.head(at), v.tail(v.size() - at - 1);
      return out;
    };
    Mixed y = x;
    y.prescribed.clear();
    y.state.q = without(x.state.q, joint.q.first);
    y.state.v = without(x.state.v, joint.v.first);
    y.state.tau = without(x.state.tau, joint.v.first);
    for (std::size_t k = 0; k < y.external.size(); ++k)
      y.external[k].frame = rigid.model.find_frame(y.reference_external[k].frame);
    const reference::HybridMotion oracle = solve(stated(rigid, y));
    if (!oracle.clear(1e-11L, 1e-3L) || oracle.amplification > 1e6) continue;
    const ConstraintSet other = y.set(rigid.model);
    Solver plain(rigid.model, other, y.settings);
    const Solution& t = plain.solve(y.input());
    EXPECT_EQ(s.report.rank, t.report.rank);
    EXPECT_EQ(s.report.status, t.report.status) << s.report.explain() << t.report.explain();
    // Amplification of at most 1e6 times a hundred roundings.
    EXPECT_TRUE(
        within(without(s.acceleration, joint.v.first), Eigen::VectorXd(t.acceleration), 1e-8,
               1 + static_cast<double>(oracle.free.cwiseAbs().maxCoeff() + oracle.acceleration.cwiseAbs().maxCoeff())))
        << t.report.explain();
    EXPECT_NEAR(s.zwang, t.zwang, 1e-6 * (1 + t.zwang));
  }
  EXPECT_GE(tried, effort(100) / 6);
}

/// Moving a floating base as given is standing on ground that moves so: the base's torque is the wrench it needs.
TEST(Prescribed, AFloatingBaseIsCarriedAsGiven) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x;
  x.state = random_state(robot.reference, 4);
  prescribe(robot.model, x.prescribed, "root_joint", {1, -2, 3, 0.4, -0.5, 0.6});
  ContactConstraint foot;
  foot.name = "foot";
  foot.frame = "LF_foot";
  foot.beta = {0.1, -0.2, 0.3};
  x.constraints.push_back(foot);
  Tally tally;
  check(robot, x, tally);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  Eigen::VectorXd base(6);
  base << 1, -2, 3, 0.4, -0.5, 0.6;
  EXPECT_EQ(Eigen::VectorXd(s.acceleration.head(6)), base);
  // The other legs do not feel the contact: the same motion without it.
  const Eigen::VectorXd with = s.acceleration;
  ConstraintSet bare(robot.model);
  Solver free(robot.model, bare);
  SolveInput in = x.input();
  const Solution& t = free.solve(in);
  EXPECT_CLOSE(Eigen::VectorXd(with.tail(9)), Eigen::VectorXd(t.acceleration.tail(9)), 1e-11);
  EXPECT_GT((with - t.acceleration).norm(), 1e-3);
}

TEST(Prescribed, AMimicGroupMovesWithItsLeader) {
  int groups = 0;
  for (int seed = 1; seed <= effort(120); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    RandomRobot options;
    options.joints = 9;
    options.mimic = 0.6;
    const Robot robot = regular_robot(static_cast<std::uint64_t>(seed) + 500, options);
    std::string leader, follower;
    for (const Joint& j : robot.model.joints())
      if (!j.mimic.leader.empty() && leader.empty()) {
        follower = j.name;
        leader = j.mimic.leader;
      }
    if (leader.empty()) continue;
    while (!robot.model.joint(leader).mimic.leader.empty()) leader = robot.model.joint(leader).mimic.leader;
    ++groups;
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed), {.prescribed = false});
    EXPECT_THROW(prescribe(robot.model, x.prescribed, follower, {1.0}), std::invalid_argument);
    EXPECT_TRUE(x.prescribed.empty());
    prescribe(robot.model, x.prescribed, leader, {2.5});
    Tally tally;
    check(robot, x, tally);
    if (HasFailure()) return;
  }
  EXPECT_GE(groups, effort(120) / 2);
}

TEST(Prescribed, RowsThatThePrescribedJointsAloneDecideAreRedundantOrContradicted) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 6);
  const Data data(robot.model);
  prescribe(robot.model, x.prescribed, robot.model.joints()[0].name, {1.5});
  FrameConstraint c;
  c.name = "shoulder";
  c.frame = robot.model.link(robot.description.links[1].name).name;
  c.rows = rows("angular.z");
  c.in = "world";
  x.constraints.push_back(c);
  Stated s = stated(robot, x);
  const Real agrees = s.posed.A.row(0).dot(Vec(Vec::Unit(7, 0) * 1.5L)) - s.posed.b(0);
  for (const double off : {0.0, 0.25}) {
    std::get<FrameConstraint>(x.constraints[0]).beta = {static_cast<double>(agrees) + off};
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set);
    const Solution& got = solver.solve(x.input());
    EXPECT_EQ(got.report.rank, 0);
    ASSERT_EQ(got.report.redundant.size(), 1u);
    EXPECT_EQ(got.report.status, off == 0 ? Status::ok : Status::infeasible) << got.report.explain();
    EXPECT_NEAR(got["shoulder"].residual(0), -off, 1e-13);
    EXPECT_EQ(got.acceleration(0), 1.5);
    ASSERT_EQ(got.report.dependencies.size(), 1u);
    EXPECT_NEAR(std::fabs(got.report.dependencies[0].contradiction), off, 1e-12);
    EXPECT_EQ(got.report.dependencies[0].conflicting, off != 0);
  }
}

TEST(Prescribed, TorquesGivenThereAreNotRead) {
  const Robot robot = sample_robot("arm7");
  Mixed x;
  x.state = random_state(robot.reference, 3);
  prescribe(robot.model, x.prescribed, robot.model.joints()[2].name, {0.5});
  const ConstraintSet none(robot.model);
  Solver solver(robot.model, none);
  const Eigen::VectorXd a = solver.solve(x.input()).acceleration, motor = solver.solution().motor_torque;
  x.state.tau(2) = 123;
  EXPECT_CLOSE(Eigen::VectorXd(solver.solve(x.input()).acceleration), a, 1e-14);
  EXPECT_CLOSE(Eigen::VectorXd(solver.solution().motor_torque), motor, 1e-13);  // what is needed less 123, and 123
}

TEST(Prescribed, WrongListsAreRefusedByName) {
  const Model arm = build(sample_arm7());
  Prescribed list;
  const std::string joint = arm.joints()[1].name;
  EXPECT_THROW(prescribe(arm, list, "no such joint", {1.0}), std::invalid_argument);
  EXPECT_THROW(prescribe(arm, list, joint, {1.0, 2.0}), std::invalid_argument);
  EXPECT_THROW(prescribe(arm, list, joint, {}), std::invalid_argument);
  EXPECT_TRUE(list.empty());
  prescribe(arm, list, joint, {1.0});
  EXPECT_THROW(prescribe(arm, list, joint, {2.0}), std::invalid_argument);
  ASSERT_EQ(list.size(), 1u);
  try {
    prescribe(arm, list, joint + "x", {1.0});
    ADD_FAILURE() << "an unknown name is taken";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(joint), std::string::npos) << e.what();
  }
  const Model wrist = build(sample_gripper());
  Prescribed of_follower;
  for (const Joint& j : wrist.joints()) {
    if (j.mimic.leader.empty()) continue;
    EXPECT_THROW(prescribe(wrist, of_follower, j.name, {1.0}), std::invalid_argument);
  }
  // A list that did not come from prescribe().
  const ConstraintSet none(arm);
  Solver solver(arm, none);
  const RandomState state = random_state(arm, 2);
  for (const Prescribed& wrong :
       {Prescribed{{7, 1.0}}, Prescribed{{-1, 1.0}}, Prescribed{{1, 1.0}, {1, 1.0}}, Prescribed{{1, std::nan("")}}}) {
    const SolveInput in{.q = state.q, .v = state.v, .prescribed = &wrong};
    EXPECT_THROW(solver.solve(in), std::invalid_argument);
    EXPECT_NE(solver.try_solve(in).report.status, Status::ok);
    EXPECT_EQ(solver.solution().acceleration.norm(), 0);
  }
}

TEST(Prescribed, TheListMayChangeBetweenSolves) {
  const Robot robot = sample_robot("zoo");
  Mixed x = random_mixed(robot, 12, {.prescribed = false, .other_singularities = false});
  const ConstraintSet set = x.set(robot.model);
  Solver kept(robot.model, set, x.settings);
  Random random(8);
  for (int k = 0; k < 20; ++k) {
    x.prescribed = k % 3 == 0 ? Prescribed{} : random_prescribed(robot, random);
    Solver fresh(robot.model, set, x.settings);
    EXPECT_EQ(Eigen::VectorXd(kept.solve(x.input()).acceleration),
              Eigen::VectorXd(fresh.solve(x.input()).acceleration));
    EXPECT_EQ(Eigen::VectorXd(kept.solution().motor_torque), Eigen::VectorXd(fresh.solution().motor_torque));
  }
}

}  // namespace
}  // namespace zwang::test
