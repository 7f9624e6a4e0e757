// SPDX-License-Identifier: BSD-3-Clause
// Rows with senses and limits with closed forms: a box on its corners, a table, a rope, a joint at its limit, a driver
// at its limit; borders; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/says.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/question/derivatives.hpp"
#include "zwang/question/impulse.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_g = 9.81;

/// A free box with its corners at (+-a, +-b, -h), on contacts that only push.
struct Box {
  static constexpr double mass = 3, a = 0.4, b = 0.3, h = 0.1, Ix = 0.11, Iy = 0.17, Iz = 0.2;
  Model model;
  ConstraintSet set;
  Vector q = Vector::Zero(7), v = Vector::Zero(6);

  static Model make() {
    RobotDescription d{.name = "box"};
    d.links.push_back({.name = "box", .mass = mass, .inertia = Sym3<double>::diagonal(Ix, Iy, Iz)});
    BuildOptions options;
    options.root = "floating";
    return Robot(d, options).model;
  }
  explicit Box(Sense sense = Sense::at_least) : model(make()), set(model) {
    q << 0.2, 0.1, h, 0, 0, 0, 1;
    for (int i = 0; i < 4; ++i)
      set.add(ContactConstraint{.name = "corner" + std::to_string(i),
                                .frame = "box",
                                .point = {i < 2 ? a : -a, i % 2 ? b : -b, -h},
                                .rows = 1,
                                .sense = {sense}});
  }
  Externals push(double fz, double mx, double my) const {
    return {external_wrench(model, "box", {0, 0, fz, mx, my, 0}, Reference::local_world_aligned)};
  }
};

TEST(InequalityCase, ATableStandsOnFourLegs) {
  Box box;
  Solver solver(box.model, box.set);
  const Solution& got = solver.solve({.q = box.q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_LT(got.acceleration.cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_CLOSE(got.multipliers, Vector(Vector::Constant(4, Box::mass * k_g / 4)), 1e-12);  // the shortest
  EXPECT_EQ(got.report.held.size(), 4u);
  EXPECT_EQ(got.report.rank, 3);
  EXPECT_LE(got.report.complementarity, 1e-12);
}

TEST(InequalityCase, ABoxTipsOverItsEdge) {
  Box box;
  Solver solver(box.model, box.set);
  // A moment about y beyond m g a lifts the corners at -a and turns the box about the edge at +a.
  for (const double my : {0.5, 0.99, 1.01, 1.5, 4.0}) {
    const double moment = my * Box::mass * k_g * Box::a;
    const Externals push = box.push(0, 0, moment);
    const Solution& got = solver.solve({.q = box.q, .external = &push});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    const double I = Box::Iy + Box::mass * Box::a * Box::a;  // about the edge; it slides: no friction
    const double turn = my > 1 ? (moment - Box::mass * k_g * Box::a) / I : 0.0;
    EXPECT_NEAR(got.acceleration(4), turn, 1e-12 * (1 + turn)) << my;
    EXPECT_EQ(got.report.released.size(), my > 1 ? 2u : 0u) << got.report.explain();
    EXPECT_GE(got.multipliers.minCoeff(), 0);
  }
}

TEST(InequalityCase, AContactLetsGoOfABoxThatIsPulledUp) {
  Box box;
  Solver solver(box.model, box.set);
  for (const double pull : {0.3, 0.999, 1.001, 3.0}) {
    const Externals up = box.push(pull * Box::mass * k_g, 0, 0);
    const Solution& got = solver.solve({.q = box.q, .external = &up});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    EXPECT_NEAR(got.acceleration(2), pull > 1 ? (pull - 1) * k_g : 0.0, 1e-12);
    EXPECT_EQ(got.report.rows, pull > 1 ? 0 : 4);
    EXPECT_EQ(got.report.released.size(), pull > 1 ? 4u : 0u);
    EXPECT_NEAR(got.multipliers.sum(), pull > 1 ? 0.0 : (1 - pull) * Box::mass * k_g, 1e-11);
    EXPECT_NE(got.report.explain().find(pull > 1 ? "let go" : "held"), std::string::npos) << got.report.explain();
  }
  // On the border: no force and no motion. The solve ends, and there is no derivative.
  const Externals up = box.push(Box::mass * k_g, 0, 0);
  const Solution& got = solver.solve({.q = box.q, .external = &up});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.acceleration(2), 0, 1e-13);
  EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
}

TEST(InequalityCase, ASenseOfAContactIsThatOfItsNormal) {
  Box box;
  box.set.clear();
  box.set.add(ContactConstraint{.name = "foot", .frame = "box", .point = {0, 0, -Box::h}, .sense = {Sense::at_least}});
  const Constraint& foot = box.set["foot"];
  EXPECT_EQ(foot.sense, (std::vector<Sense>{Sense::equal, Sense::equal, Sense::at_least}));
  const ConstraintSet read = constraints_from_json(box.model, to_json(box.set));
  EXPECT_EQ(read["foot"].sense, foot.sense);
  Solver solver(box.model, box.set);
  const Externals up = box.push(2 * Box::mass * k_g, 0, 0);
  const Solution& lifted = solver.solve({.q = box.q, .external = &up});
  ASSERT_EQ(lifted.report.status, Status::ok) << lifted.report.explain();
  EXPECT_EQ(lifted.report.rows, 2);  // the tangents hold, whether it pushes or not
  EXPECT_NEAR(lifted.acceleration(2), k_g, 1e-12);
  EXPECT_NEAR(lifted["foot"].multipliers(2), 0, 0);
  EXPECT_NEAR(lifted["foot"].residual(2), k_g, 1e-12);  // the acceleration at which it leaves the ground
  const Solution& stands = solver.solve({.q = box.q});
  EXPECT_NEAR(stands["foot"].multipliers(2), Box::mass * k_g, 1e-12);
  EXPECT_NEAR(stands["foot"].wrench(2), Box::mass * k_g, 1e-12);
}

TEST(InequalityCase, ABatchLeavesThemToSolversOfOneState) {
  Box box;
  const int n = 6;
  Eigen::MatrixXd q(n, 7), tau(n, 6), acceleration(n, 6), multipliers(n, 4);
  for (int s = 0; s < n; ++s) {
    q.row(s) = box.q.transpose();
    tau.row(s) << 0, 0, (0.4 * s - 0.2) * Box::mass * k_g, 0, 3.0 * s, 0;
  }
  BatchSolver batch(box.model, box.set, {}, {.threads = 2});
  batch.solve({.q = q, .tau = tau}, {.acceleration = acceleration, .multipliers = multipliers});
  EXPECT_EQ(batch.solved_alone(), n);
  for (int s = 0; s < n; ++s) {
    Solver solver(box.model, box.set);
    const Solution& got = solver.solve({.q = box.q, .tau = Vector(tau.row(s).transpose())});
    EXPECT_EQ(got.report.status, Status::ok);
    EXPECT_EQ(Vector(acceleration.row(s).transpose()), Vector(got.acceleration));  // to the last bit
    EXPECT_EQ(Vector(multipliers.row(s).transpose()), Vector(got.multipliers));
  }
}

/// A point mass on a rail along z, gravity against it, with a motor.
Model lift(double mass, double effort = unknown) {
  RobotDescription d{.name = "lift"};
  d.links.push_back({.name = "world"});
  d.links.push_back({.name = "cage", .mass = mass, .inertia = Sym3<double>::diagonal(1, 1, 1)});
  d.joints.push_back({.name = "z",
                      .type = "prismatic",
                      .parent = "world",
                      .child = "cage",
                      .lower = {-0.5},
                      .upper = {0.7},
                      .effort = {effort}});
  return Robot(d).model;
}

TEST(InequalityCase, AJointStopsAtItsLimit) {
  const Model model = lift(2);
  ConstraintSet set(model);
  EXPECT_EQ(set.add_joint_limits({0.1, 1}), 2);
  Solver solver(model, set);
  const auto at = [&](double q, double v, double force) -> const Solution& {
    const Vector x = Vector::Constant(1, q), y = Vector::Constant(1, v), tau = Vector::Constant(1, force);
    const Solution& got = solver.solve({.q = x, .v = y, .tau = tau});
    EXPECT_EQ(got.report.status, Status::ok) << got.report.explain();
    return got;
  };
  EXPECT_NEAR(at(0, 0, 0).acceleration(0), -k_g, 1e-13);  // far from both
  EXPECT_EQ(solver.solution().report.released.size(), 2u);
  EXPECT_NEAR(at(-0.5, 0, 0).acceleration(0), 0, 1e-13);  // gravity pushes it against the lower one
  EXPECT_NEAR(solver.solution()["z:lower"].multipliers(0), 2 * k_g, 1e-12);
  EXPECT_NEAR(at(-0.5, 0, 30).acceleration(0), 15 - k_g, 1e-12);          // the motor lifts it off
  EXPECT_NEAR(at(0.7, 0.2, 100).acceleration(0), -2 * 0.2 / 0.1, 1e-12);  // brakes: -2 v / T
  EXPECT_LT(solver.solution()["z:upper"].multipliers(0), 0);
  // A fall from above the limit never passes it (critical damping), by small steps.
  double q = -0.2, v = 0;
  for (int k = 0; k < 20000; ++k) {
    v += 1e-4 * at(q, v, 0).acceleration(0);
    q += 1e-4 * v;
    ASSERT_GT(q, -0.5 - 1e-4);
  }
  EXPECT_NEAR(q, -0.5, 1e-4);
}

TEST(InequalityCase, ADriverAtItsLimitGivesWay) {
  const Model model = lift(2);
  ConstraintSet set(model);
  set.add(CouplingConstraint{
      .name = "hoist", .coordinates = {"z"}, .ratio = {1}, .beta = {4}, .role = Role::driver, .limit = {25}});
  Solver solver(model, set);
  const Vector q = Vector::Zero(1);
  const Solution& got = solver.solve({.q = q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();  // 2 (4 + g) = 27.6 N are too much
  EXPECT_NEAR(got.acceleration(0), 25.0 / 2 - k_g, 1e-13);
  EXPECT_NEAR(got.multipliers(0), 25, 0);
  EXPECT_NEAR(got.motor_torque(0), 25, 1e-13);
  EXPECT_NEAR(got.zwang, 0.5 * 25 * 25 / 2, 1e-10);
  EXPECT_NEAR(got.residual(0), got.acceleration(0) - 4, 1e-13);
  EXPECT_EQ(got.report.at_limit, std::vector<std::string_view>{"hoist:coupling"});
  EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
  set["hoist"].beta[0] = -30;
  EXPECT_NEAR(solver.solve({.q = q}).motor_torque(0), -25, 1e-13);
  set["hoist"].beta[0] = 1;
  EXPECT_NEAR(solver.solve({.q = q}).acceleration(0), 1, 1e-13);
  EXPECT_EQ(solver.solution().report.held.size(), 1u);
  EXPECT_EQ(solver.derivatives().status, Status::ok);
  EXPECT_NEAR(solver.derivatives().acceleration.beta(0, 0), 1, 1e-13);
}

/// What is said and asked after a solve counts the forces of rows at their limit as forces of rows.
TEST(InequalityCase, CallsAfterTheSolveKnowTheRowsAtTheirLimit) {
  constexpr double limit = 10;
  Box box;
  box.set.clear();
  box.set.add(FrameConstraint{
      .name = "lift", .frame = "box", .rows = rows("linear.z"), .beta = {5}, .role = Role::driver, .limit = {limit}});
  Solver solver(box.model, box.set);
  const Solution& got = solver.solve({.q = box.q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.acceleration(2), limit / Box::mass - k_g, 1e-13 * k_g);
  ASSERT_EQ(got.report.warnings.size(), 1u) << got.report.explain();
  EXPECT_EQ(got.report.warnings[0].kind, SolveWarning::Kind::driver_on_unactuated);
  EXPECT_EQ(got.report.warnings[0].row, "lift:linear.z");
  EXPECT_NEAR(got.report.warnings[0].value, limit, 1e-13 * limit);

  Vector free(6);
  solver.free_acceleration(free);
  EXPECT_NEAR(free(2), -k_g, 1e-14 * k_g);
  const double away = got.acceleration(2) - free(2);
  EXPECT_NEAR(got.zwang, 0.5 * Box::mass * away * away, 1e-12 * got.zwang);

  Eigen::MatrixXd tau = Eigen::MatrixXd::Zero(6, 2), beta = Eigen::MatrixXd::Zero(1, 2), motion(6, 2), force(1, 2);
  tau(2, 1) = 6;
  solver.solve_columns(tau, beta, motion, force);
  EXPECT_TRUE((force.array() == limit).all()) << force;
  EXPECT_NEAR(motion(2, 0), got.acceleration(2), 1e-13 * k_g);
  EXPECT_NEAR(motion(2, 1), got.acceleration(2) + 6 / Box::mass, 1e-13 * k_g);

  box.set["lift"].beta[0] = -k_g;  // as it falls: no force
  solver.solve({.q = box.q});
  solver.free_acceleration(free);
  EXPECT_NEAR(free(2), -k_g, 1e-14 * k_g);
  EXPECT_TRUE(solver.solution().report.warnings.empty()) << solver.solution().report.explain();
}

TEST(InequalityCase, ContradictionsAreNamed) {
  const Model model = lift(2);
  ConstraintSet set(model);
  set.add(CouplingConstraint{.name = "up", .coordinates = {"z"}, .ratio = {1}, .beta = {2}});
  set.add(
      CouplingConstraint{.name = "below", .coordinates = {"z"}, .ratio = {1}, .beta = {1}, .sense = {Sense::at_most}});
  Solver solver(model, set);
  const Vector q = Vector::Zero(1);
  const Solution& got = solver.solve({.q = q});
  EXPECT_EQ(got.report.status, Status::infeasible);
  EXPECT_EQ(got.report.infeasible.size(), 2u) << got.report.explain();
  set["below"].beta[0] = 3;
  EXPECT_EQ(solver.solve({.q = q}).report.status, Status::ok);
  EXPECT_EQ(solver.solution().report.released.size(), 1u);
  set["up"].sense = {Sense::at_least};  // 2 <= a <= 3 against gravity
  EXPECT_NEAR(solver.solve({.q = q}).acceleration(0), 2, 1e-13);
}

TEST(InequalityCase, WhatIsNotSupportedIsRefused) {
  Box box;
  Solver solver(box.model, box.set);
  const auto solve = [&] { solver.solve({.q = box.q}); };
  box.set["corner0"].priority = 1;
  EXPECT_SAYS("several priorities", solve());
  box.set["corner0"].priority = 0;
  box.set["corner1"].compensate.gravity = false;
  EXPECT_SAYS("uncompensated", solve());
  box.set["corner1"].compensate = {};
  solver.settings().singularity = Singularity::damping;
  EXPECT_SAYS("damping", solve());
  solver.settings().singularity = Singularity::truncation;
  box.set["corner1"].limit = {-1};
  EXPECT_SAYS("limit of constraint 'corner1'", solve());
  box.set["corner1"].limit = {};
  box.set["corner1"].sense = {Sense::at_least, Sense::at_least};
  EXPECT_SAYS("sense of constraint 'corner1'", solve());
  box.set["corner1"].sense = {static_cast<Sense>(7)};
  EXPECT_SAYS("sense", solve());
  EXPECT_EQ(solver.try_solve({.q = box.q}).report.status, Status::invalid_input);
  box.set["corner1"].sense = {};
  solve();
  EXPECT_EQ(solver.solution().report.status, Status::ok);
  EXPECT_SAYS("limit", box.set.add(ContactConstraint{.name = "x", .frame = "box", .limit = {1, 2}}));
  EXPECT_SAYS("limit", box.set.add(ContactConstraint{.name = "x", .frame = "box", .limit = {0}}));
  EXPECT_SAYS("sense",
              box.set.add(ContactConstraint{.name = "x", .frame = "box", .sense = {Sense::equal, Sense::equal}}));
  EXPECT_SAYS("time_constant", box.set.add_joint_limits({0, 1}));
  EXPECT_SAYS("at_least", sense_of("at_lest"));
}

/// A set that grows, so that its constraints move in memory, is emptied and is filled again: each solve is that of a
/// new solver.
TEST(InequalityCase, ASetMayChangeBetweenSolves) {
  Box box;
  SolverSettings settings;
  settings.spare_rows = 60;
  settings.motor_limits.lower.assign(6, -std::numeric_limits<double>::infinity());
  settings.motor_limits.upper.assign(6, std::numeric_limits<double>::infinity());
  Solver solver(box.model, box.set, settings);
  const auto as_new = [&](const char* when) {
    const Solution& x = solver.solve({.q = box.q, .v = box.v});
    Solver other(box.model, box.set, settings);
    const Solution& y = other.solve({.q = box.q, .v = box.v});
    ASSERT_EQ(x.report.status, y.report.status) << when;
    EXPECT_EQ(x.report.rows, y.report.rows) << when;
    EXPECT_EQ(x.report.held, y.report.held) << when;
    // The factor that a solver begins with may follow from the solves before: answers differ by rounding.
    EXPECT_LT((Vector(x.acceleration) - Vector(y.acceleration)).norm(), 1e4 * epsilon_of<double> * k_g) << when;
  };
  as_new("at first");
  for (int i = 0; i < 12; ++i) {
    FrameConstraint x{.name = "more" + std::to_string(i), .frame = "box", .rows = rows("linear.z"), .beta = {0.1}};
    x.sense = {Sense::at_least};
    box.set.add(x);
    box.set["corner0"].beta = {0.01 * i};
    as_new("while it grows");
  }
  box.set.clear();
  as_new("empty");
  box.set.add(ContactConstraint{.name = "corner", .frame = "box", .point = {Box::a, Box::b, -Box::h}});
  as_new("with one contact");
  box.set["corner"].sense = {Sense::equal, Sense::equal, Sense::at_least};
  as_new("with a sense");
}

}  // namespace
}  // namespace zwang::test
