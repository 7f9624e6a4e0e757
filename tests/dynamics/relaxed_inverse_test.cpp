// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics that gives way. With a penalty: RBDL's relaxed form, against a dense system in extended
// precision. Best effort, where bounds and demands contradict each other: bounds hold, the torques make the motion, and
// it satisfies the conditions of the optimum.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "dynamics/mechanisms.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "support/random.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

std::vector<std::string> coordinates_with(const Model& model, const std::vector<bool>& motor) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < motor.size(); ++c)
    if (motor[c]) names.push_back(model.coordinate_names()[c]);
  return names;
}

/// The motion of tau = S h + W (a* - a), W = p S M S:  [M + W, J^T; J, 0] [a; -lambda] = [W a* + S h - h; gamma]
TEST(ConstrainedInverseDynamics, PenaltyIsRbdlsRelaxedForm) {
  const Mechanism m = stewart_platform();
  const int n = static_cast<int>(m.robot.model.nv());
  std::vector<std::string> motors;
  for (const Joint& j : m.robot.model.joints())
    if (j.type == "prismatic") motors.push_back(j.name);
  const std::vector<bool> motor = actuated_coordinates(m.robot.model, motors);
  for (int seed = 1; seed <= effort(10); ++seed) {
    const RandomState state = closed_state(m, static_cast<std::uint64_t>(seed));
    const MechanismProblem p = problem(m, state);
    const Eigen::Index rows = p.A.rows();
    const Vector wish = Random(static_cast<std::uint64_t>(seed)).vector(n, 3);
    Mat S = Mat::Zero(n, n);
    for (int c = 0; c < n; ++c) S(c, c) = motor[static_cast<std::size_t>(c)] ? 1 : 0;
    const Mat W = 100 * S * p.M * S;
    Mat K = Mat::Zero(n + rows, n + rows);
    K.topLeftCorner(n, n) = p.M + W;
    K.topRightCorner(n, rows) = p.A.transpose();
    K.bottomLeftCorner(rows, n) = p.A;
    Vec b(n + rows);
    b << W * wish.cast<Real>() + S * p.h - p.h, p.b;
    const Vec x = Eigen::FullPivLU<Mat>(K).solve(b);
    const Vec tau = S * p.h + W * (wish.cast<Real>() - x.head(n));
    ConstrainedInverseDynamics inverse(m.robot.model, m.set(), motors, {.penalty = 100});
    const InverseSolution& s = inverse.solve({.q = state.q, .v = state.v, .a = wish});
    EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
    EXPECT_TRUE(within(s.acceleration, Vec(x.head(n)), 1e-10, 1 + largest(x.head(n))));
    EXPECT_TRUE(within(s.tau, tau, 1e-10, 1 + largest(tau)));
    EXPECT_TRUE(within(s.multipliers, Vec(-x.tail(rows)), 1e-9, 1 + largest(x.tail(rows))));
    inverse.settings().penalty = 1e7;  // less is missed, and the torques are those of the exact form
    const InverseSolution& stiff = inverse.solve({.q = state.q, .v = state.v, .a = wish});
    const Vector near = stiff.tau;
    inverse.settings().penalty = 0;
    Vector weight = Vector::Zero(n);
    for (int c = 0; c < n; ++c) weight(c) = motor[static_cast<std::size_t>(c)] ? 1 : 0;
    const InverseSolution& exact = inverse.solve({.q = state.q, .v = state.v, .a = wish, .weight = weight});
    EXPECT_EQ(exact.report.status, Status::ok) << exact.report.explain();
    EXPECT_TRUE(within(near, exact.tau, 1e-5, 1 + exact.tau.cwiseAbs().maxCoeff()));
  }
}

/// The same on random robots of all joint types: contacts, frames and loops, wrenches from outside, weights, any
/// motors. The bias of the motors' coordinates is in their torques, and the report counts the equations of motion that
/// nothing carries: coordinates without a motor less the rank of the rows there.
TEST(ConstrainedInverseDynamics, PenaltyIsRbdlsRelaxedFormOnRandomRobots) {
  int compared = 0, under = 0, fully = 0;
  const int all = effort(200, 30);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed) + 19000);
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 60000, 3 + seed % 7);
    Imposed x = seed % 3 == 0 ? random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed))
                              : random_imposed(robot, static_cast<std::uint64_t>(seed));
    std::erase_if(x.constraints, [](const AnyConstraint& c) { return role_of(c) == Role::driver; });
    const Posed p = pose(robot, x);
    const Eigen::Index n = robot.model.nv(), rows = p.A.rows();
    const Vector wish = random.vector(static_cast<int>(n), 3);
    const double penalty = std::pow(10, random.uniform(0, 3)), share = random.uniform(0.3, 1.4);
    std::vector<bool> motor(static_cast<std::size_t>(n), false);
    Vector weight = Vector::Ones(n);
    for (Eigen::Index c = 0; c < n; ++c) {
      motor[static_cast<std::size_t>(c)] = random.uniform(0, 1) < share;
      if (seed % 2 == 0) weight(c) = random.uniform(0, 1) < 0.3 ? 0 : random.uniform(0.1, 3);
    }
    motor[static_cast<std::size_t>(random.below(static_cast<int>(n)))] = true;
    Mat S = Mat::Zero(n, n), others(rows, 0);
    Index without = 0;
    for (Eigen::Index c = 0; c < n; ++c) {
      S(c, c) = motor[static_cast<std::size_t>(c)] ? 1 : 0;
      if (motor[static_cast<std::size_t>(c)]) continue;
      ++without;
      others.conservativeResize(rows, without);
      others.rightCols(1) = p.A.col(c);
    }
    const Mat scaled = S * weight.cast<Real>().cwiseSqrt().asDiagonal(), W = Real(penalty) * scaled * p.M * scaled;
    Mat K = Mat::Zero(n + rows, n + rows);
    K.topLeftCorner(n, n) = p.M + W;
    K.topRightCorner(n, rows) = p.A.transpose();
    K.bottomLeftCorner(rows, n) = p.A;
    Vec b(n + rows);
    b << W * wish.cast<Real>() + S * p.h - p.h, p.b;
    Eigen::FullPivLU<Mat> lu(K);
    if (rows > n) continue;  // they depend
    if (rows > 0) {
      const Vec values = Eigen::JacobiSVD<Mat>(p.A).singularValues();
      if (!(values(rows - 1) > std::max(1e-3L * values(0), 1e-6L))) continue;  // they depend, or nearly
    }
    Index carried = 0;
    if (rows > 0 && without > 0) {
      const Eigen::JacobiSVD<Mat> svd(others);
      const Vec values = svd.singularValues();
      if ((values.array() > 1e-9L && values.array() < 1e-3L).any()) continue;  // a rank that nobody decides
      carried = static_cast<Index>((values.array() > 1e-3L).count());
    }
    const Vec answer = lu.solve(b), a = answer.head(n), tau = S * p.h + W * (wish.cast<Real>() - a);
    ConstrainedInverseDynamics inverse(robot.model, x.set(robot.model), coordinates_with(robot.model, motor),
                                       {.penalty = penalty});
    const InverseSolution& s =
        inverse.solve({.q = x.state.q, .v = x.state.v, .a = wish, .weight = weight, .external = &x.external});
    ASSERT_EQ(s.report.status, Status::ok) << s.report.explain();
    // Conditions of rows up to 1e3, of M + W up to 1e6.
    EXPECT_TRUE(within(s.acceleration, a, 1e-8, 1 + largest(a)));
    EXPECT_TRUE(within(s.tau, tau, 1e-8, 1 + largest(tau) + largest(p.h)));
    EXPECT_EQ(s.report.conditions, without - carried);
    EXPECT_EQ(s.report.fully_actuated(), without == carried);
    ++compared;
    under += s.report.conditions > 0;
    fully += s.report.fully_actuated() && without > 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, all / 2);
  EXPECT_GE(under, all / 10);
  EXPECT_GE(fully, 1);
}

/// minimise |a - a*|_M over low <= M a + h <= high: with r = M (a - a*) the torque that misses, its motion M^-1
/// r = a - a* may only point out of the bounds, and is 0 elsewhere.
TEST(BestEffort, OfAnArmIsTheNearestMotion) {
  const Model arm = load(model_file("arm7.urdf"));
  const int n = static_cast<int>(arm.nv());
  const ConstraintSet none(arm);
  int missed = 0, free = 0, ended_early = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomState x = random_state(arm, seed);
    const Vector wish = random.vector(n, 6);
    ConstrainedInverseDynamics inverse(arm, none, {}, {.best_effort = true});
    const Vector asked = inverse.solve({.q = x.q, .v = x.v, .a = wish}).motors;
    ASSERT_EQ(inverse.solution().report.status, Status::ok);
    const Vector high = random.uniform(0.3, 0.9) * asked.cwiseAbs().maxCoeff() * Vector::Ones(n), low = -high;
    const InverseInput input{.q = x.q, .v = x.v, .a = wish, .motor_lower = low, .motor_upper = high};
    const InverseSolution& s = inverse.solve(input);
    if (s.report.status == Status::not_converged) {  // says so, and gives the forces without bounds
      ++ended_early;
      continue;
    }
    ASSERT_EQ(s.report.status, Status::infeasible) << s.report.explain();
    EXPECT_TRUE(s.report.beyond.empty());
    EXPECT_FALSE(s.report.missed.empty());
    const Vector a = s.acceleration, u = s.motors;
    EXPECT_LE(u.cwiseAbs().maxCoeff(), high(0) * (1 + 1e-9));
    Data data(arm);
    EXPECT_TRUE(within(forward_dynamics(arm, data, x.q, x.v, u), a, 1e-10, 1 + 100 * u.norm()));
    // Forces count 1e-6 of the motion, which moves the optimum by that much of what is missed.
    const double slack = 1e-4 * (a - wish).norm();
    for (int j = 0; j < n; ++j) {
      const double left = a(j) - wish(j);
      const bool high_end = u(j) > high(j) * (1 - 1e-7), low_end = u(j) < low(j) * (1 - 1e-7);
      if (high_end) { EXPECT_LE(left, slack); }
      if (low_end) { EXPECT_GE(left, -slack); }
      if (!high_end && !low_end) { EXPECT_NEAR(left, 0, slack); }
      (high_end || low_end ? missed : free) += 1;
    }
    inverse.settings().best_effort = false;
    const InverseSolution& without = inverse.solve(input);
    EXPECT_EQ(without.report.status, Status::infeasible);
    EXPECT_FALSE(without.report.beyond.empty());
    EXPECT_TRUE(within(without.motors, asked, 1e-9, 1 + asked.norm()));
  }
  EXPECT_LE(ended_early, 4);
  EXPECT_GT(missed, 40);
  EXPECT_GT(free, 100);
}

/// Legs in friction cones with weak motors: what comes out is what wishes without demands give,
/// and says that it misses.
TEST(BestEffort, OfLegsKeepsConesAndMotors) {
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  const int n = static_cast<int>(model.nv());
  ConstraintSet feet(model);
  InverseSettings settings;
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"}) {
    feet.add(ContactConstraint{.name = foot, .frame = foot});
    settings.friction.push_back({foot, 0.5});
  }
  Vector q = neutral(model);
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    q(model.joint(std::string(leg) + "_hip_pitch").q.first) = 0.6;
    q(model.joint(std::string(leg) + "_knee").q.first) = -1.2;
  }
  const Vector still = Vector::Zero(n), none = Vector::Zero(n);
  for (const double push : {0.0, 30.0, 80.0}) {
    SCOPED_TRACE(push);
    const Externals external{external_wrench(model, "trunk", {push, 0, 0, 0, 0, 0})};
    settings.best_effort = false;
    ConstrainedInverseDynamics inverse(model, feet, {}, settings);
    const Vector free = inverse.solve({.q = q, .a = still, .external = &external}).motors;
    const Vector high = 0.4 * free.cwiseAbs().maxCoeff() * Vector::Ones(n - 6), low = -high;
    const InverseSolution& wished = inverse.solve(
        {.q = q, .a = still, .weight = none, .external = &external, .motor_lower = low, .motor_upper = high});
    ASSERT_EQ(wished.report.status, Status::ok) << wished.report.explain();
    const Vector a = wished.acceleration, u = wished.motors;
    inverse.settings().best_effort = true;
    const InverseSolution& s =
        inverse.solve({.q = q, .a = still, .external = &external, .motor_lower = low, .motor_upper = high});
    EXPECT_EQ(s.report.status, Status::infeasible) << s.report.explain();
    EXPECT_TRUE(s.report.beyond.empty() && s.report.outside.empty());
    EXPECT_FALSE(s.report.missed.empty());
    EXPECT_LE(s.motors.cwiseAbs().maxCoeff(), high(0) * (1 + 1e-9));
    EXPECT_TRUE(within(s.acceleration, a, 1e-5, 1 + a.norm()));
    EXPECT_TRUE(within(s.motors, u, 1e-4, 1 + u.norm()));
  }
}

}  // namespace
}  // namespace zwang::test
