// SPDX-License-Identifier: BSD-3-Clause
// One test per row of what hybrid dynamics must do beyond KDL's solver (hybrid_rows_test.cpp): B15 to B31, without
// those of other scalars (hybrid_rows_scalars_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dynamics/hybrid_rows.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test::hybrid_row {
namespace {

TEST(HybridRow, B15_CompliantRows) {
  const Robot robot = sample_robot("quadruped", "floating");
  FrameConstraint soft = on("soft", "LF_foot", "linear", {1, 2, 3});
  soft.policy = Policy::soft;
  soft.compliance = {0.1, 0.2, 0.3};
  const Mixed x = at(robot, 3, {soft, on("hard", "RF_foot", "linear")});
  expect_solved(robot, x);
  const Solved s(robot, x);
  for (int i = 0; i < 3; ++i)  // K a + R lambda = beta
    EXPECT_NEAR((*s)["soft"].residual(i), -(0.1 * (i + 1)) * (*s)["soft"].multipliers(i), 1e-11);
  EXPECT_LE((*s)["hard"].residual.norm(), 1e-11);
  EXPECT_TRUE(s->report.given_up.empty());
}

TEST(HybridRow, B16_PrioritiesBetweenRowsAndBetweenDrivers) {
  const Robot robot = sample_robot("arm7");
  FrameConstraint top = on("top", "tool0", "linear", {1, 2, 3}), low = on("low", "tool0", "all", {0, 0, 0, 1, 2, 3}),
                  last = on("last", robot.description.links[3].name, "linear", {1, 1, 1});
  low.priority = 1;
  last.priority = 2;
  Mixed x = at(robot, 5, {top, low, last});
  expect_solved(robot, x);
  const Solved s(robot, x);
  EXPECT_EQ(s->report.status, Status::ok) << s->report.explain();
  EXPECT_LE((*s)["top"].residual.norm(), 1e-10);
  EXPECT_LE((*s)["low"].residual.tail(3).norm(), 1e-9);
  EXPECT_GT((*s)["low"].residual.head(3).norm(), 1);
  // Drivers: gravity first, then nothing but gravity is left to the rows.
  for (const char* driver : {"gravity", "external", "tau", "prescribed"}) {
    FrameConstraint c = on("tool", "tool0", "linear angular.z");
    c.compensate = {std::strcmp(driver, "gravity") != 0, std::strcmp(driver, "external") != 0,
                    std::strcmp(driver, "tau") != 0, std::strcmp(driver, "prescribed") != 0};
    Mixed y = random_mixed(robot, 6, {.prescribed = false});
    y.settings = {};
    y.constraints = {c};
    prescribe(robot.model, y.prescribed, robot.model.joints()[1].name, {3});
    expect_solved(robot, y);
    const Solved t(robot, y);
    EXPECT_EQ(t->report.status, Status::ok) << driver;
    Mixed all = y;
    std::get<FrameConstraint>(all.constraints[0]).compensate = {};
    EXPECT_GT((t->acceleration - Solved(robot, all)->acceleration).norm(), 1e-3) << driver;
  }
}

reference::External as_reference(const Robot& robot, const ExternalWrench& w) {
  reference::External r{robot.model.frame(w.frame).name,
                        {},
                        w.in == Reference::local   ? reference::Axes::local
                        : w.in == Reference::world ? reference::Axes::world
                                                   : reference::Axes::local_world_aligned};
  for (int k = 0; k < 6; ++k) r.wrench(k) = w.wrench[k];
  return r;
}

TEST(HybridRow, B17_AllOutputs) {
  const Robot robot = sample_robot("arm7");
  FrameConstraint tool = on("tool", "tool0", "linear", {1, 2, 3}),
                  elbow = on("elbow", robot.description.links[4].name, "angular.x");
  tool.role = Role::driver;
  tool.in = "local";
  Mixed x = random_mixed(robot, 7, {.prescribed = false});
  x.settings = {};
  x.constraints = {tool, elbow};
  expect_solved(robot, x);  // q'', lambda, motor torque, reaction, residuals, Z
  Solved s(robot, x);
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  const Vec a = s->acceleration.cast<Real>();
  // The wrench that the constraint puts on the body.
  EXPECT_LE(((*s)["tool"].wrench.head(3) - (*s)["tool"].multipliers).norm(), 1e-12 * s->multipliers.norm());
  EXPECT_EQ((*s)["tool"].wrench.tail(3).norm(), 0);
  // Accelerations of all links.
  for (const LinkDescription& link : robot.description.links) {
    const Vec expected = state.acceleration(link.name, a, reference::Axes::local, reference::Kind::spatial);
    EXPECT_TRUE(within(eigen(frame_acceleration(robot.model, s.solver.data(), robot.model.find_frame(link.name),
                                                AccelerationKind::spatial, Reference::local)),
                       expected, 1e-11, 1 + static_cast<double>(expected.norm() + a.norm())));
  }
  // What every joint transmits, with the wrenches from outside and of the world, not with what the motors make.
  std::vector<reference::External> external;
  for (const ExternalWrench& w : with_reactions(robot, x, state, *s)) external.push_back(as_reference(robot, w));
  const auto expected = state.joint_wrenches(a, external);
  for (const Joint& j : robot.model.joints()) {
    if (j.v.size == 0) continue;
    const Force<double> f = s.solver.joint_wrench(j.child);
    const Eigen::VectorXd got = (Eigen::VectorXd(6) << f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z).finished();
    EXPECT_CLOSE(got, Vec(expected.at(j.name)), 1e-11) << j.name;
  }
  // The last joint that carries a row: nothing has been articulated yet, its share is that of J^T lambda.
  const Stated st = stated(robot, x);
  const Vec all = st.posed.A.transpose() * active_part(st.posed, s->multipliers);
  EXPECT_NEAR(s->articulated_constraint_torque(6), static_cast<double>(all(6)),
              1e-11 * (1 + std::fabs(static_cast<double>(all(6)))));
  EXPECT_EQ(s->articulated_constraint_torque.size(), robot.model.nv());
}

TEST(HybridRow, B18_ExternalWrenchesInAnyFrame) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x = at(robot, 8, {on("foot", "LF_foot", "linear")});
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  const std::string frame = "RH_foot";
  const reference::Pose<Real> X = state.pose(frame);
  const reference::Vector3<Real> force(3, -20, 5), moment(1, 2, -3), local_force = X.R.transpose() * force,
                                                                     local_moment = X.R.transpose() * moment,
                                                                     about_origin = moment + X.p.cross(force);
  const auto motion = [&](Reference in, const reference::Vector3<Real>& f, const reference::Vector3<Real>& n) {
    ExternalWrench w{robot.model.find_frame(frame), {}, in};
    for (int k = 0; k < 3; ++k) {
      w.wrench[k] = static_cast<double>(f(k));
      w.wrench[3 + k] = static_cast<double>(n(k));
    }
    x.external = {w};
    x.reference_external = {as_reference(robot, w)};
    expect_solved(robot, x);
    return Eigen::VectorXd(Solved(robot, x)->acceleration);
  };
  const Eigen::VectorXd a = motion(Reference::local_world_aligned, force, moment);
  EXPECT_CLOSE(motion(Reference::local, local_force, local_moment), a, 1e-11);
  EXPECT_CLOSE(motion(Reference::world, force, about_origin), a, 1e-11);
  x.external.clear();
  x.reference_external.clear();
  EXPECT_GT((Solved(robot, x)->acceleration - a).norm(), 1e-2);
}

TEST(HybridRow, B19_RotorsDampingSpringsAndFrictionHonoured) {
  RandomRobot options;
  options.joints = 10;
  options.types = {"revolute", "prismatic", "helical"};
  options.mimic = 0;
  options.armature = options.damping = options.friction = options.springs = 1;
  const Robot robot(random_robot(9, options));
  Mixed x = at(robot, 9, {on("last", robot.description.links.back().name, "linear", {1, 2, 3})});
  Eigen::VectorXd before;
  for (int mask = 0; mask < 16; ++mask) {
    const JointEffects e{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0};
    x.settings.joint_effects = e;
    const reference::Effects effects{e.armature, e.damping, e.springs, e.friction};
    const Posed p = pose(robot, x, effects);
    const reference::Constrained oracle = solve(p);
    const Solved s(robot, x);
    EXPECT_CLOSE(s->acceleration, oracle.acceleration, 1e-9) << mask;
    if (before.size() > 0) {
      EXPECT_GT((s->acceleration - before).norm(), 1e-6) << "effect " << mask << " changes nothing";
    }
    before = s->acceleration;
  }
}

TEST(HybridRow, B20_MasslessLinksAreHandledOrDiagnosed) {
  RobotDescription d = sample_chain(4);
  d.links.push_back({"feather"});
  JointDescription j;
  j.name = "flutter";
  j.type = "revolute";
  j.parent = d.links[d.links.size() - 2].name;
  j.child = "feather";
  j.axis = {0.3, 0.5, 0.8};
  d.joints.push_back(j);
  const Robot robot(d);
  Mixed x = at(robot, 3, {});
  {
    const Solved s(robot, x);
    EXPECT_EQ(s->report.status, Status::singular_mass);
    EXPECT_EQ(s->report.singular_joint, "flutter");
    EXPECT_NE(s->report.explain().find("flutter"), std::string::npos);
  }
  x.constraints = {on("held", "feather", "angular.x", {0.5})};
  {
    const Solved s(robot, x);
    const auto [a, lambda] = reference::kkt_motion(stated(robot, x).problem);
    EXPECT_EQ(s->report.status, Status::ok) << s->report.explain();
    EXPECT_CLOSE(s->acceleration, a, 1e-10);
    EXPECT_TRUE(within(s->multipliers, lambda, 1e-10, 1));
  }
  x.constraints.clear();
  prescribe(robot.model, x.prescribed, "flutter", {2});
  expect_solved(robot, x);
}

TEST(HybridRow, B21_NoAllocationProven) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Robot robot = sample_robot("quadruped", "floating");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mixed x = random_mixed(robot, seed);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const SolveInput in = x.input();
    solver.solve(in);
    const AllocationGuard guard;
    solver.solve(in);
    solver.try_solve(in);
    solver.resolve({.tau = in.tau, .external = in.external, .prescribed = in.prescribed});
    EXPECT_EQ(guard.count(), 0) << "seed " << seed;
  }
}

TEST(HybridRow, B22_ErrorsInReleaseNeverNanWithStatusOk) {
  const Robot robot = sample_robot("arm7");
  const Mixed x = at(robot, 4, {on("tool", "tool0", "all")});
  ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  for (const double poison : {std::nan(""), double(INFINITY), -double(INFINITY), 1e308}) {
    for (int where = 0; where < 5; ++where) {
      Mixed y = x;
      Constraint& tool = set["tool"];
      tool.beta.assign(6, 0.0);
      if (where == 0) y.state.q(2) = poison;
      if (where == 1) y.state.v(2) = poison;
      if (where == 2) y.state.tau(2) = poison;
      if (where == 3) tool.beta[2] = poison;
      if (where == 4) y.prescribed = {{2, poison}};
      const Solution& s = solver.try_solve(y.input());
      if (s.report.status == Status::ok || s.report.status == Status::infeasible) {
        EXPECT_TRUE(s.acceleration.allFinite() && s.multipliers.allFinite() && s.motor_torque.allFinite() &&
                    s.reaction.allFinite() && std::isfinite(s.zwang));
      } else {
        EXPECT_EQ(s.acceleration.norm(), 0);
        EXPECT_EQ(s.zwang, 0);
      }
      if (!std::isfinite(poison)) {
        EXPECT_NE(s.report.status, Status::ok) << where;
        EXPECT_THROW(solver.solve(y.input()), std::invalid_argument) << where;
      }
    }
  }
  set["tool"].beta.assign(6, 0.0);
  EXPECT_EQ(solver.solve(x.input()).report.status, Status::ok) << "a refused call spoils nothing";
}

TEST(HybridRow, B23_SeveralRightHandSidesOnOneFactorisation) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x = at(robot, 5, {on("a", "LF_foot", "linear"), on("b", "RF_foot", "linear")});
  ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  solver.solve(x.input());
  Random random(4);
  const Eigen::Index nv = robot.model.nv();
  Eigen::MatrixXd tau(nv, 9), beta(6, 9), a(nv, 9), lambda(6, 9);
  for (int k = 0; k < 9; ++k) {
    tau.col(k) = random.vector(static_cast<int>(nv), 10);
    beta.col(k) = random.vector(6, 5);
  }
  solver.solve_columns(tau, beta, a, lambda);
  for (int k = 0; k < 9; ++k) {
    x.state.tau = tau.col(k);
    for (int i = 0; i < 3; ++i) {
      set["a"].beta[static_cast<std::size_t>(i)] = beta(i, k);
      set["b"].beta[static_cast<std::size_t>(i)] = beta(3 + i, k);
    }
    Solver fresh(robot.model, set);
    const Solution& s = fresh.solve(x.input());
    EXPECT_CLOSE(Eigen::VectorXd(a.col(k)), Eigen::VectorXd(s.acceleration), 1e-11);
    EXPECT_CLOSE(Eigen::VectorXd(lambda.col(k)), Eigen::VectorXd(s.multipliers), 1e-10);
    const Solution& again = solver.resolve({.tau = x.state.tau});
    EXPECT_CLOSE(Eigen::VectorXd(again.acceleration), Eigen::VectorXd(s.acceleration), 1e-11);
  }
}

TEST(HybridRow, B27_ConstModel) {
  const Robot robot = sample_robot("zoo", "floating");
  const Model& model = robot.model;  // nothing that follows can change it
  const Mixed x = random_mixed(robot, 6), y = random_mixed(robot, 7);
  const ConstraintSet one = x.set(model), two = y.set(model);
  Solver a(model, one, x.settings), b(model, two, y.settings);
  const Eigen::VectorXd first = a.solve(x.input()).acceleration;
  b.solve(y.input());
  EXPECT_EQ(Eigen::VectorXd(a.solution().acceleration), first) << "solvers of one model share nothing";
  EXPECT_EQ(Eigen::VectorXd(a.solve(x.input()).acceleration), first);
  Solver fresh(Model(model), one, x.settings);
  EXPECT_EQ(Eigen::VectorXd(fresh.solve(x.input()).acceleration), first);
}

TEST(HybridRow, B31_PrescribedJointsMixedWithRowsInOneSweep) {
  const Robot robot = sample_robot("quadruped", "floating");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Mixed x = random_mixed(robot, seed);
    Random random(seed);
    x.prescribed = random_prescribed(robot, random);
    Tally tally;
    check(robot, x, tally);
  }
  Mixed x = at(robot, 3, {on("foot", "LF_foot", "linear", {1, 2, 3})});
  const JointDescription& knee = robot.description.joints[2];
  ASSERT_EQ(knee.type, "revolute");
  prescribe(robot.model, x.prescribed, knee.name, {0});
  expect_solved(robot, x);
}

}  // namespace
}  // namespace zwang::test::hybrid_row
