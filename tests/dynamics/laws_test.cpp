// SPDX-License-Identifier: BSD-3-Clause
// Laws of constrained motion: Gauss' principle, the proof by plain forward dynamics, equivalent joints, rows that
// depend on bodies further out, the balance of a standing robot.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

Mat random_matrix(Random& random, Eigen::Index rows) {
  Mat m(rows, 1);
  for (Eigen::Index i = 0; i < rows; ++i) m(i) = random.normal();
  return m;
}

TEST(ConstrainedMotion, IsTheLeastOfAllMotionsThatSatisfyTheRows) {
  int motions = 0;
  for (int seed = 1; seed <= effort(60); ++seed) {
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 5000, 10);
    const Imposed x = random_imposed(robot, static_cast<std::uint64_t>(seed));
    const Posed p = pose(robot, x);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set);
    const Solution& s = solver.solve(x.input());
    if (s.report.rank == p.M.rows() || s.report.rank == 0) continue;
    const Vec free = solve(p).free, best = s.acceleration.cast<Real>();
    Eigen::FullPivLU<Mat> lu(p.A);
    lu.setThreshold(1e-10L);
    const Mat N = lu.kernel();
    const auto Z = [&](const Vec& a) { return Real((a - free).dot(p.M * (a - free)) / 2); };
    EXPECT_NEAR(static_cast<double>(Z(best)), s.zwang, 1e-9 * s.zwang + 1e-6) << "seed " << seed;
    Random random(static_cast<std::uint64_t>(seed));
    for (int k = 0; k < 10; ++k, ++motions) {
      const Vec away = N * random_matrix(random, N.cols());
      const Real size = std::sqrt(best.squaredNorm() / away.squaredNorm());
      for (const Real step : {0.01L, -0.01L, 1.0L})
        EXPECT_GT(Z(best + away * (size * step)), Z(best)) << "seed " << seed;
    }
  }
  EXPECT_GE(motions, effort(300));
}

struct ArmCase {
  Model arm = build(sample_arm7());
  RandomState state = random_state(arm, 11, 2);
  SolveInput input() const {
    SolveInput in;
    in.q = state.q;
    in.v = state.v;
    in.tau = state.tau;
    return in;
  }
  FrameConstraint hold(Role role) const {
    FrameConstraint c;
    c.name = "tool";
    c.frame = "tool0";
    c.rows = rows("linear angular.x angular.y");
    c.beta = {0.3, -0.2, 0.5, 1, -2};
    c.role = role;
    return c;
  }
};

TEST(ConstrainedMotion, IsReproducedByForwardDynamicsUnderTheMotorTorque) {
  const ArmCase c;
  ConstraintSet set(c.arm);
  set.add(c.hold(Role::driver));
  Solver solver(c.arm, set);
  const Solution& s = solver.solve(c.input());
  ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
  Data data(c.arm);
  const Eigen::VectorXd motor = s.motor_torque;
  EXPECT_CLOSE(forward_dynamics(c.arm, data, c.state.q, c.state.v, motor), s.acceleration, 1e-12);
  EXPECT_EQ(s.reaction.norm(), 0);
}

TEST(ConstrainedMotion, IsReproducedByForwardDynamicsUnderTheReactionAsAnExternalWrench) {
  const ArmCase c;
  ConstraintSet set(c.arm);
  set.add(c.hold(Role::physical));
  Solver solver(c.arm, set);
  const Solution& s = solver.solve(c.input());
  ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
  ExternalWrench w{c.arm.find_frame("tool0"), {}};
  for (int k = 0; k < 6; ++k) w.wrench[k] = s["tool"].wrench(k);
  Data data(c.arm);
  const Eigen::VectorXd motor = s.motor_torque;
  EXPECT_EQ(motor, c.state.tau);
  EXPECT_CLOSE(forward_dynamics(c.arm, data, c.state.q, c.state.v, motor, {w}), s.acceleration, 1e-12);
}

// KDL calls w^T lambda the torque to command. It is the constraint's part in each
// joint's articulated equation, not J^T lambda.
TEST(ConstrainedMotion, IsNotReproducedByTheArticulatedConstraintTorque) {
  const ArmCase c;
  ConstraintSet set(c.arm);
  set.add(c.hold(Role::driver));
  Solver solver(c.arm, set);
  const Solution& s = solver.solve(c.input());
  const Eigen::VectorXd command = c.state.tau + s.articulated_constraint_torque, motor = s.motor_torque;
  Data data(c.arm);
  const Eigen::VectorXd a = forward_dynamics(c.arm, data, c.state.q, c.state.v, command);
  EXPECT_GT((a - s.acceleration).norm(), 0.01 * s.acceleration.norm());  // digits, not rounding
  // The two agree in the last joint, which has no articulated inertia behind it.
  EXPECT_NEAR(command(6), motor(6), 1e-11 * motor.norm());
  EXPECT_GT(std::fabs(command(0) - motor(0)), 1e-3 * motor.norm());
}

TEST(ConstrainedMotion, OfAHeldTrunkIsThatOfTheSameRobotOnAFixedRoot) {
  for (int seed = 1; seed <= 20; ++seed) {
    RandomRobot options;
    options.joints = 12;
    RobotDescription d = random_robot(static_cast<std::uint64_t>(seed) + 300, options);
    for (JointDescription& j : d.joints)
      if (j.type == "composite") j.rotor_inertia = {0.05};
    BuildOptions floating, fixed;
    floating.root = "floating";
    fixed.root = "fixed";
    const Robot free(d, floating);
    Random random(static_cast<std::uint64_t>(seed));
    const Eigen::VectorXd q6 = random_configuration(free.reference, random);
    const Eigen::Quaterniond turn(q6(6), q6(3), q6(4), q6(5));
    const Eigen::Vector3d g = turn.inverse() * Eigen::Vector3d(0, 0, -9.81);
    fixed.gravity = {g.x(), g.y(), g.z()};  // the fixed robot stands in the axes of the trunk
    const Robot held(d, fixed);
    const RandomState state = random_state(held.reference, static_cast<std::uint64_t>(seed));
    Eigen::VectorXd q(free.model.nq()), v = Eigen::VectorXd::Zero(free.model.nv()), tau = v;
    q << q6.head(7), state.q;
    v.tail(state.v.size()) = state.v;
    tau.tail(state.v.size()) = state.tau;

    ConstraintSet set(free.model);
    FrameConstraint weld;
    weld.name = "weld";
    weld.frame = d.links[0].name;
    weld.in = seed % 2 ? "local" : "local_world_aligned";
    set.add(weld);
    Solver solver(free.model, set);
    SolveInput in;
    in.q = q;
    in.v = v;
    in.tau = tau;
    const Solution& s = solver.solve(in);
    EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
    Data data(held.model);
    const Eigen::VectorXd a = forward_dynamics(held.model, data, state.q, state.v, state.tau);
    const double scale = a.cwiseAbs().maxCoeff();  // up to 1e6 where a joint of three angles is near its singularity
    EXPECT_TRUE(within(s.acceleration.tail(a.size()), a, 1e-8, scale)) << "seed " << seed;
    EXPECT_TRUE(within(s.acceleration.head(6), Eigen::VectorXd::Zero(6), 1e-8, scale)) << "seed " << seed;
    // The weld carries what the fixed robot presses on the ground with:
    // the wrench of inverse dynamics on the floating root.
    Eigen::VectorXd motion = Eigen::VectorXd::Zero(free.model.nv());
    motion.tail(a.size()) = a;
    Data whole(free.model);
    const Eigen::VectorXd root = inverse_dynamics(free.model, whole, q, v, motion).head(6);
    Eigen::VectorXd weight(6);
    weight << s["weld"].wrench.head(3), s["weld"].wrench.tail(3);
    if (seed % 2 == 0) weight << turn.inverse() * weight.head(3).eval(), turn.inverse() * weight.tail(3).eval();
    EXPECT_TRUE(within(weight, root, 1e-8, root.cwiseAbs().maxCoeff())) << "seed " << seed;
  }
}

// The sweep enters bodies depth first: the axes of a row may belong to a body that it has not placed yet.
TEST(ConstrainedMotion, FollowsAxesOfABodyThatTheSweepEntersLater) {
  const Robot robot(sample_quadruped(), [] {
    BuildOptions o;
    o.root = "floating";
    return o;
  }());
  Imposed x;
  x.state = random_state(robot.reference, 4);
  FrameConstraint c;
  c.name = "trunk in the axes of the last foot";
  c.frame = robot.description.links[0].name;
  c.in = "RH_foot";
  c.rows = rows("linear angular.y");
  c.beta = {1, -2, 0.5, 3};
  x.constraints.push_back(c);
  const Posed p = pose(robot, x);
  const reference::Constrained oracle = solve(p);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  for (int again = 0; again < 2; ++again) {  // a second solve must not see the poses of the first
    const Solution& s = solver.solve(x.input());
    EXPECT_CLOSE(s.acceleration, oracle.acceleration, 1e-11);
    RandomState other = random_state(robot.reference, 99);
    SolveInput in = x.input();
    in.q = other.q;
    solver.solve(in);
  }
}

TEST(ConstrainedMotion, OfAStandingQuadrupedSharesItsWeightAmongTheFeet) {
  BuildOptions options;
  options.root = "floating";
  const Model robot = build(sample_quadruped(), options);
  ConstraintSet set(robot);
  const char* feet[] = {"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
  for (const char* foot : feet) set.add(ContactConstraint{.name = foot, .frame = foot});
  Solver solver(robot, set);
  Eigen::VectorXd q = random_state(robot, 3).q, v = Eigen::VectorXd::Zero(robot.nv());
  q.head(7) << 0.3, -0.2, 0.5, 0, 0, 0, 1;
  q.tail(12) *= 0.15;
  // Torques from statics: lambda is the least-norm solution of the six base rows of g = J^T lambda.
  Data data(robot);
  const Eigen::VectorXd g = gravity_forces(robot, data, q);
  Eigen::MatrixXd J(12, robot.nv());
  for (int k = 0; k < 4; ++k) J.middleRows(3 * k, 3) = jacobian(robot, data, q, feet[k]).topRows(3);
  const Eigen::MatrixXd Jb = J.leftCols(6);
  const Eigen::VectorXd lambda = Jb * (Jb.transpose() * Jb).inverse() * g.head(6);
  const Eigen::VectorXd tau = g - J.transpose() * lambda;
  SolveInput in;
  in.q = q;
  in.v = v;
  in.tau = tau;
  const Solution& s = solver.solve(in);
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_LE(s.acceleration.cwiseAbs().maxCoeff(), 1e-11);
  double up = 0;
  for (const char* foot : feet) up += s[foot].wrench(2);
  EXPECT_NEAR(up, robot.mass() * 9.81, 1e-10 * up);
}

}  // namespace
}  // namespace zwang::test
