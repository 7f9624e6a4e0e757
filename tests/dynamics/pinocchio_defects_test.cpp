// SPDX-License-Identifier: BSD-3-Clause
// What Pinocchio 3.7.0 answers wrongly about constraints is answered rightly here, by every method. The defects and
// where they are tested:
//
//   A1   errors that are asserts                                A1_... (constraint/refusals_test.cpp, hostile_test.cpp)
//   A2   loops that solvers in O(n) ignore                      A2_...
//   A3   LOCAL_WORLD_ALIGNED rows                               A3_...
//   A4   stabilisation with errors of an earlier call           A4_A5_...
//   A5   stabilisation that is ignored                          A4_A5_...
//   A6   iterations that are always zero                        A6_A8_...
//   A7   a desired acceleration that lives in two places        A7_...
//   A8   residuals that are not those of the answer             A6_A8_... (there of contacts with friction: none yet)
//   A9   arguments in the wrong places, allocations             tests/no_allocation
//   A10  rates of Jacobians of joints whose axes move           A10_...
//   A11  forces between two bodies with one sign                A11_...
//   A12  pose errors that do not decay as promised              A12_...
//   A13  derivatives of closed loops and of stabilised rows    solution_derivatives_table_test.cpp
//   A14  joints that mimic others                               A14_...
//   A15  a second preparation of the same workspace             A15_...
//   A16  a visitor of another algorithm                         not about answers
//   A17  pools of models, parallel calls                        tests/batch, tests/threads
//   A18, A19  derivatives of joints and frames                  algorithm/derivatives_defects_test.cpp
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mechanisms.hpp"
#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

SolveInput input_of(const RandomState& x) { return {.q = x.q, .v = x.v, .tau = x.tau}; }
Mechanism quadruped(std::vector<AnyConstraint> constraints) {
  return {.robot = sample_robot("quadruped", "floating"), .constraints = std::move(constraints)};
}
template <class F> void by_every_method(Solver& solver, const RandomState& x, F&& f) {
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    SCOPED_TRACE(method);
    if (const Solution* s = solution_by(solver, method, input_of(x))) f(*s);
  }
}
void expect_in_states(const Mechanism& m, int states) {
  MethodCount count;
  for (int seed = 1; seed <= states; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_every_method(m, random_state(m.robot.reference, static_cast<std::uint64_t>(seed)), count);
  }
}
LoopConstraint between_feet(const RowSelection& rows) {
  return {.name = "loop", .frame = "LF_foot", .other = "RH_foot", .rows = rows};
}

TEST(PinocchioDefect, A1_WhatDoesNotFitIsRefusedInEveryBuild) {
  const Mechanism m = quadruped({between_feet(rows("all"))}), twin = quadruped({between_feet(rows("all"))});
  const Model arm = build(sample_arm7());
  EXPECT_THROW(Solver(arm, m.set()), std::invalid_argument);
  const ConstraintSet own = m.set(), foreign = twin.set();
  ConstraintSet set = own;
  Solver solver(m.robot.model, set);
  RandomState x = random_state(m.robot.reference, 1);
  by_every_method(solver, x, [&](const Solution&) {
    set = foreign;
    EXPECT_THROW(solver.solve(input_of(x)), WorkspaceMismatch);
    set = own;
    x.v(3) = std::nan("");
    EXPECT_THROW(solver.solve(input_of(x)), std::invalid_argument);
    EXPECT_EQ(solver.try_solve(input_of(x)).report.status, Status::non_finite_input);
    x.v(3) = 0;
  });
  solver.settings().method = "no such method";
  EXPECT_THROW(solver.solve(input_of(x)), std::invalid_argument);
}

TEST(PinocchioDefect, A2_LoopsBetweenTwoFeetAreHeldByEveryMethod) {
  for (const RowSelection& held : {rows("all"), rows("linear"), joint_rows("hinge"), rows("angular.y")}) {
    const Mechanism m = quadruped({between_feet(held)});
    expect_in_states(m, 3);
    const RandomState x = random_state(m.robot.reference, 9);
    Solver with(m.robot.model, m.set()), without(m.robot.model, ConstraintSet(m.robot.model));
    const Vector free = without.solve(input_of(x)).acceleration;
    by_every_method(with, x, [&](const Solution& s) { EXPECT_GT((s.acceleration - free).norm(), 1e-2 * free.norm()); });
  }
}

TEST(PinocchioDefect, A3_RowsInWorldAxesAtTheFrameAreHeldByEveryMethod) {
  for (const char* in : {"local_world_aligned", "local", "world"}) {
    SCOPED_TRACE(in);
    expect_in_states(quadruped({FrameConstraint{.name = "a", .frame = "LF_foot", .rows = rows("all"), .in = in},
                                FrameConstraint{.name = "b", .frame = "RH_foot", .rows = rows("linear.z"), .in = in}}),
                     3);
  }
}

/// phi'' of the rows that have an error, along the motion that a solution starts: by differences.
Vector second_rate(Solver& solver, const RandomState& x, const Vector& a) {
  const double h = 1e-4;
  const auto phi = [&](double t) {
    return Vector(solver.solve({.q = integrate(solver.model(), x.q, Vector(t * x.v + t * t / 2 * a))}).position_error);
  };
  return (16 * (phi(h) + phi(-h)) - (phi(2 * h) + phi(-2 * h)) - 30 * phi(0)) / (12 * h * h);
}

TEST(PinocchioDefect, A4_A5_StabilisationUsesFreshErrorsInEveryMethod) {
  for (const bool loop : {false, true}) {
    ContactConstraint foot{.name = "foot", .frame = "LF_foot"};
    foot.has_target = true;
    foot.target_point = {0.1, 0.2, -0.3};
    FrameConstraint hand{.name = "hand", .frame = "RH_foot", .has_target = true};
    hand.target_pose.p = {0.3, 0.1, 0.2};
    const Mechanism plain = quadruped({});
    ConstraintSet set(plain.robot.model);
    if (loop)
      set.add(between_feet(rows("all")));
    else {
      set.add(foot);
      set.add(hand);
    }
    const RandomState x = random_state(plain.robot.reference, 3), other = random_state(plain.robot.reference, 4);
    for (const std::string& method : methods()) {
      if (method == "pv_soft") continue;
      SCOPED_TRACE(method);
      for (const Constraint& c : set.constraints()) set[c.name].stabilisation = {};
      Solver solver(plain.robot.model, set), fresh(plain.robot.model, set);
      if (solution_by(solver, method, input_of(other)) == nullptr) continue;
      const Vector off = solution_by(solver, method, input_of(x))->acceleration;
      const double T = 0.2, zeta = 0.7;
      for (const Constraint& c : set.constraints()) set[c.name].stabilisation = {T, zeta};
      const Solution* first = solution_by(fresh, method, input_of(x));  // nobody has computed an error before
      const Vector on = first->acceleration, phi = first->position_error, rate = first->velocity_error;
      EXPECT_EQ(Vector(solution_by(solver, method, input_of(other))->acceleration).size(), on.size());
      EXPECT_EQ(Vector(solution_by(solver, method, input_of(x))->acceleration), on);
      EXPECT_EQ(Vector(solution_by(solver, method, input_of(x))->acceleration), on);
      EXPECT_GT((on - off).norm(), 1e-2 * off.norm());
      const Vector asked = -2 * zeta / T * rate - phi / (T * T);
      const double size = asked.cwiseAbs().maxCoeff() + on.cwiseAbs().maxCoeff();
      EXPECT_TRUE(within(second_rate(fresh, x, on), asked, 1e-6, size));  // roundings over h^2: 1e-7
    }
  }
}

TEST(PinocchioDefect, A6_A8_IterationsAndResidualsAreThoseOfTheAnswer) {
  Mechanism m = quadruped({between_feet(rows("all"))});
  FrameConstraint again{.name = "again", .frame = "LF_foot", .beta = {1, 2, 3, 4, 5, 6}};
  m.constraints.push_back(again);
  again.name = "against";
  again.beta = {-1, 2, 3, 4, 5, 7};
  m.constraints.push_back(again);
  const RandomState x = random_state(m.robot.reference, 2);
  const MechanismProblem p = problem(m, x);
  const auto expect_true = [&](const Solution& s) {
    EXPECT_GE(s.report.iterations, 1);
    const Vec residual = p.A * s.acceleration.cast<Real>() - p.b;
    EXPECT_TRUE(within(s.residual, residual, 1e-11, static_cast<double>(p.size.maxCoeff())));
    EXPECT_EQ(s.report.status == Status::ok, residual.cwiseAbs().maxCoeff() < 1e-6L);
  };
  Solver solver(m.robot.model, m.set());
  by_every_method(solver, x, expect_true);
  solver.settings().method = "automatic";
  solver.settings().singularity = Singularity::proximal;
  solver.settings().regularisation = 1e-2;
  for (const int most : {1, 2, 5, 1000}) {  // cut off, the report does not claim more than the answer holds
    solver.settings().max_iterations = most;
    const Solution& s = solver.solve(input_of(x));
    expect_true(s);
    EXPECT_LE(s.report.iterations, most);
    if (most <= 2) { EXPECT_EQ(s.report.status, Status::not_converged); }
  }
}

TEST(PinocchioDefect, A7_TheAccelerationAskedForIsTheOneThatEveryMethodHolds) {
  Mechanism m = quadruped({between_feet(rows("linear"))});
  m.constraints.push_back(ContactConstraint{.name = "foot", .frame = "RF_foot"});
  const RandomState x = random_state(m.robot.reference, 5);
  ConstraintSet set = m.set();
  Solver solver(m.robot.model, set);
  std::get<LoopConstraint>(m.constraints[0]).beta = {1, -2, 3};
  std::get<ContactConstraint>(m.constraints[1]).beta = {0.5, 0.25, -4};
  by_every_method(solver, x, [](const Solution&) {});
  set["loop"].beta = {1, -2, 3};
  set["foot"].beta = {0.5, 0.25, -4};
  const MechanismProblem p = problem(m, x);
  by_every_method(solver, x, [&](const Solution& s) {
    EXPECT_TRUE(within(Vec(p.A * s.acceleration.cast<Real>()), p.b, 1e-11, static_cast<double>(p.size.maxCoeff())));
  });
}

TEST(PinocchioDefect, A10_JointsWhoseAxesMoveHaveTheirVelocityProducts) {
  for (const char* type : {"spherical_zyx", "universal", "composite", "ellipsoid"}) {
    SCOPED_TRACE(type);
    RandomRobot options;
    options.joints = 6;
    options.types = {type, "revolute"};
    options.mimic = 0;
    Mechanism m{.robot = regular_robot(70, options)};
    const std::string last = m.robot.description.links.back().name;
    const std::string middle = m.robot.description.links[3].name;
    m.constraints = {LoopConstraint{.name = "loop", .frame = middle, .other = last, .rows = rows("linear.x angular.z")},
                     ContactConstraint{.name = "tip", .frame = last, .rows = 2}};
    MethodCount count;
    for (int seed = 1; seed <= 4; ++seed) {
      const RandomState x = random_state(m.robot.reference, static_cast<std::uint64_t>(seed), 4);  // fast
      if (reference::hybrid_motion(problem(m, x)).clear()) expect_every_method(m, x, count);
    }
    EXPECT_GT(count.solved["pv_early"], 0);
  }
}

/// Inverse dynamics under the wrenches that a solution publishes, on both bodies, asks for the torques that went in.
TEST(PinocchioDefect, A11_ForcesBetweenTwoBodiesAreOppositeAndInTheirAxes) {
  Mixed x;
  const Robot robot = sample_robot("quadruped", "floating");
  x.state = random_state(robot.reference, 6);
  x.constraints = {between_feet(rows("all")), ContactConstraint{.name = "foot", .frame = "RF_foot"}};
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  by_every_method(solver, x.state, [&](const Solution& s) {
    EXPECT_GT(s["loop"].multipliers.norm(), 1);
    Data data(robot.model);
    const Vector a = s.acceleration;
    const Vector needed =
        inverse_dynamics(robot.model, data, x.state.q, x.state.v, a, with_reactions(robot, x, state, s));
    EXPECT_TRUE(within(needed, x.state.tau, 1e-10, 1 + s.reaction.cwiseAbs().maxCoeff()));
  });
}

/// A weld that is half a radian to nearly half a turn off: phi'' = -(2 zeta / T) phi' - phi / T^2 of log R itself.
TEST(PinocchioDefect, A12_LargeErrorsOfPoseDecayAsTheStabilisationSays) {
  RobotDescription d{.name = "body"};
  d.links.push_back({.name = "ground"});
  d.links.push_back({.name = "body", .mass = 2, .inertia = Sym3<double>::diagonal(0.1, 0.2, 0.25)});
  d.joints.push_back({.name = "free", .type = "floating", .parent = "ground", .child = "body"});
  const Robot robot(d);
  const double T = 0.3;
  ConstraintSet set(robot.model);
  set.add(LoopConstraint{.name = "weld", .frame = "ground", .other = "body", .stabilisation = {.time_constant = T}});
  for (const std::string& method : methods()) {
    if (method == "pv_soft") continue;
    for (const double angle : {0.5, 1.5, 3.0}) {
      SCOPED_TRACE(method + ", angle " + std::to_string(angle));
      RandomState x = random_state(robot.reference, 7);
      const double c = std::cos(angle / 2), s = std::sin(angle / 2) / std::sqrt(3.0);
      x.q << 0.3, -0.2, 0.4, s, -s, s, c;
      Solver solver(robot.model, set);
      const Solution* got = solution_by(solver, method, input_of(x));
      if (got == nullptr) continue;
      const Vector phi = got->position_error, rate = got->velocity_error, a = got->acceleration;
      EXPECT_NEAR(phi.tail(3).norm(), angle, 1e-12);
      const Vector asked = -2 / T * rate - phi / (T * T);
      EXPECT_TRUE(within(second_rate(solver, x, a), asked, 1e-6, 1 + asked.cwiseAbs().maxCoeff()));
    }
  }
}

TEST(PinocchioDefect, A14_JointsThatMimicOthersAreHeldByEveryMethod) {
  Mechanism gripper{.robot = sample_robot("gripper", "floating")};
  const std::string finger = gripper.robot.description.links.back().name;
  gripper.constraints = {ContactConstraint{.name = "finger", .frame = finger}};
  expect_in_states(gripper, 5);
  RandomRobot options;
  options.joints = 10;
  options.types = {"revolute", "prismatic"};
  options.mimic = 0.6;
  options.root = "floating";
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    Mechanism m{.robot = regular_robot(seed, options)};
    m.constraints = {ContactConstraint{.name = "tip", .frame = m.robot.description.links.back().name},
                     LoopConstraint{.name = "loop", .frame = "link2", .other = "link7", .rows = rows("linear.x")}};
    expect_in_states(m, 2);
  }
}

TEST(PinocchioDefect, A15_ASetThatGrowsIsPreparedAgain) {
  Mechanism m = quadruped({between_feet(rows("linear"))});
  const RandomState x = random_state(m.robot.reference, 8);
  ConstraintSet set = m.set();
  Solver solver(m.robot.model, set, {.spare_rows = 6});
  by_every_method(solver, x, [](const Solution&) {});
  for (const char* foot : {"RF_foot", "LH_foot"}) {
    set.add(ContactConstraint{.name = foot, .frame = foot});
    m.constraints.push_back(ContactConstraint{.name = foot, .frame = foot});
    Solver fresh(m.robot.model, m.set());
    for (int again = 0; again < 2; ++again)
      by_every_method(solver, x, [&](const Solution& s) {
        const Solution* expected = solution_by(fresh, solver.settings().method, input_of(x));
        ASSERT_NE(expected, nullptr);
        EXPECT_CLOSE(Vector(s.acceleration), Vector(expected->acceleration), 1e-12);
      });
    solver.settings().method = "automatic";
    fresh.settings().method = "automatic";
    solver.solve(input_of(x));
    fresh.solve(input_of(x));
    Eigen::MatrixXd one(set.rows(), set.rows()), two(set.rows(), set.rows()), expected(set.rows(), set.rows());
    solver.operational_inertia(one);
    solver.operational_inertia(two);
    fresh.operational_inertia(expected);
    EXPECT_EQ(one, two);
    EXPECT_CLOSE(one, expected, 1e-11);
  }
}

}  // namespace
}  // namespace zwang::test
