// SPDX-License-Identifier: BSD-3-Clause
// One test per row of what hybrid dynamics must do beyond KDL's solver (docs: the table of limits links each to its
// test): B1 to B14. The laws behind them are held on random robots by the other files of this folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/hybrid_rows.hpp"
#include "support/close.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test::hybrid_row {
namespace {

TEST(HybridRow, B1_Trees) {
  const Robot robot = sample_robot("quadruped", "fixed");
  expect_solved(robot,
                at(robot, 3,
                   {on("fore", "LF_foot", "linear", {1, 2, 3}), on("hind", "RH_foot", "linear.x linear.z", {-1, 4}),
                    on("shin", robot.description.links[2].name, "angular.y", {2})}));
}

TEST(HybridRow, B2_FloatingBase) {
  const Robot robot = sample_robot("quadruped", "floating");
  std::vector<AnyConstraint> feet;
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"}) {
    ContactConstraint c;
    c.name = foot;
    c.frame = foot;
    feet.push_back(c);
  }
  expect_solved(robot, at(robot, 3, feet));
  // Nothing holds it: whatever the motors do, the centre of mass falls.
  const Mixed x = at(robot, 3, {on("swing", "LF_foot", "linear", {1, 2, 3})});
  Mixed driven = x;
  std::get<FrameConstraint>(driven.constraints[0]).role = Role::driver;
  const Solved s(robot, driven);
  const reference::State state = robot.reference.at(x.state.q, x.state.v);
  const Vec a = s->acceleration.cast<Real>();
  Vec base = s->motor_torque.head(6).cast<Real>();
  const Vec force = state.pose(robot.description.links[0].name).R * base.head(3);  // what no motor can give
  EXPECT_CLOSE(Vec(state.centre_of_mass_acceleration(a) * Real(robot.model.mass())),
               Vec(force + robot.reference.gravity() * Real(robot.model.mass())), 1e-10);
}

TEST(HybridRow, B3_FixedJointsAnywhere) {
  RandomRobot options;
  options.joints = 16;
  options.types = {"fixed", "revolute", "fixed", "prismatic", "spherical"};
  options.mimic = 0;
  const RobotDescription d = random_robot(21, options);
  BuildOptions whole;
  whole.lump = false;
  const Robot lumped(d), kept(d, whole);
  ASSERT_LT(lumped.model.bodies(), kept.model.bodies());
  ASSERT_LT(lumped.model.nv(), static_cast<Index>(d.joints.size()) * 3);
  for (const JointDescription& j : d.joints) {
    if (j.type != "fixed") continue;
    const Mixed x = at(lumped, 5, {on("held", j.child, "linear angular.x", {1, 2, 3, 4})});
    expect_solved(lumped, x);
    expect_solved(kept, x);
    EXPECT_CLOSE(Solved(lumped, x)->acceleration, Eigen::VectorXd(Solved(kept, x)->acceleration), 1e-10);
    if (HasFailure()) return;
  }
}

TEST(HybridRow, B4_JointsOfSeveralFreedoms) {
  const Robot robot = sample_robot("zoo", "floating");
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto& links = robot.description.links;
    expect_solved(robot, at(robot, seed,
                            {on("a", links[links.size() - seed].name, "linear", {1, 2, 3}),
                             on("b", links[2 * seed].name, "angular.x angular.z", {-1, 4})}));
  }
}

TEST(HybridRow, B5_ConstraintsOnAnyNumberOfAnyLinks) {
  const Robot robot = sample_robot("quadruped", "floating");
  std::vector<AnyConstraint> all;
  for (const LinkDescription& link : robot.description.links)  // one row on every link of the robot, along no axis
    all.push_back([&] {
      FrameConstraint c = on("on " + link.name, link.name, "linear.x", {0.5});
      c.rows = rows(std::vector<double>{0.3, -0.5, 0.7, 0.1, 0.2, -0.4});
      return c;
    }());
  Mixed x = at(robot, 3, all);
  const Solved s(robot, x);
  const reference::HybridMotion oracle = solve(stated(robot, x));
  ASSERT_TRUE(oracle.clear());
  EXPECT_EQ(s->report.rows, static_cast<Index>(robot.description.links.size()));
  EXPECT_EQ(s->report.rank, oracle.rank);
  EXPECT_CLOSE(s->acceleration, oracle.acceleration, 1e-9);
}

TEST(HybridRow, B7_AnyReferencePointAndBasis) {
  const Robot robot = sample_robot("arm7");
  const Mixed plain = at(robot, 4, {});
  const reference::State state = robot.reference.at(plain.state.q, plain.state.v);
  const std::string other = robot.description.links[3].name;
  const Eigen::VectorXd beta = (Eigen::VectorXd(6) << 1, -2, 3, 0.4, 0.5, -0.6).finished();
  Eigen::VectorXd first;
  reference::Vector6<Real> wrench;
  for (const std::string& in : {std::string("local_world_aligned"), std::string("local"), other}) {
    reference::Matrix3<Real> R = reference::Matrix3<Real>::Identity();
    if (in != "local_world_aligned") R = state.pose(in == "local" ? "tool0" : in).R;
    FrameConstraint c = on("tool", "tool0", "all");
    c.in = in;
    Vec turned(6);
    turned << R.transpose() * beta.head(3).cast<Real>(), R.transpose() * beta.tail(3).cast<Real>();
    for (int i = 0; i < 6; ++i) c.beta.push_back(static_cast<double>(turned(i)));
    const Mixed x = at(robot, 4, {c});
    expect_solved(robot, x);
    const Solved s(robot, x);
    reference::Vector6<Real> w;
    w << R * (*s)["tool"].wrench.head(3).cast<Real>(), R * (*s)["tool"].wrench.tail(3).cast<Real>();
    if (first.size() == 0) {
      first = s->acceleration;
      wrench = w;
    }
    EXPECT_CLOSE(s->acceleration, first, 1e-10) << in;
    EXPECT_CLOSE(w, wrench, 1e-9) << in;
  }
  // About the world's origin: the spatial acceleration there, the wrench carried there.
  FrameConstraint c = on("tool", "tool0", "all");
  c.in = "world";
  c.acceleration = AccelerationKind::spatial;
  const reference::Vector6<Real> there =
      state.acceleration("tool0", first.cast<Real>(), reference::Axes::world, reference::Kind::spatial);
  for (int i = 0; i < 6; ++i) c.beta.push_back(static_cast<double>(there(i)));
  const Mixed x = at(robot, 4, {c});
  expect_solved(robot, x);
  const Solved s(robot, x);
  EXPECT_CLOSE(s->acceleration, first, 1e-10);
  const reference::Vector3<Real> p = state.pose("tool0").p, force = wrench.head(3);
  reference::Vector6<Real> carried = wrench;
  carried.tail(3) += p.cross(force);
  EXPECT_CLOSE((*s)["tool"].wrench, carried, 1e-9);
}

TEST(HybridRow, B8_SpatialOrClassicalAcceleration) {
  const Robot robot = sample_robot("arm7");
  FrameConstraint c = on("tool", "tool0", "linear", {1, 2, 3});
  c.acceleration = AccelerationKind::classical;
  const Mixed x = at(robot, 5, {c});
  expect_solved(robot, x);
  const Solved classical(robot, x);
  const auto velocity =
      robot.reference.at(x.state.q, x.state.v).velocity("tool0", reference::Axes::local_world_aligned);
  const reference::Vector3<Real> v = velocity.head(3), w = velocity.tail(3), shift = w.cross(v);
  ASSERT_GT(shift.norm(), 1e-2L);
  c.acceleration = AccelerationKind::spatial;
  for (int i = 0; i < 3; ++i) c.beta[static_cast<std::size_t>(i)] -= static_cast<double>(shift(i));
  const Mixed y = at(robot, 5, {c});
  expect_solved(robot, y);
  EXPECT_CLOSE(Solved(robot, y)->acceleration, Eigen::VectorXd(classical->acceleration), 1e-11);
}

TEST(HybridRow, B9_PhysicalBetaHoldsALinkStillUnderGravity) {
  const Robot robot = sample_robot("arm7");
  Mixed x = at(robot, 6, {on("tool", "tool0", "all")});
  x.state.v.setZero();
  expect_solved(robot, x);
  Solved s(robot, x);
  const FrameId tool = robot.model.find_frame("tool0");
  EXPECT_LE(eigen(frame_acceleration(robot.model, s.solver.data(), tool, AccelerationKind::classical)).norm(), 1e-11);
  // Six rows on seven joints: an accelerometer on the tool feels gravity alone.
  const auto felt = eigen(frame_acceleration(robot.model, s.solver.data(), tool, AccelerationKind::classical,
                                             Reference::local_world_aligned, true));
  EXPECT_NEAR(felt(2), 9.81, 1e-11);
}

TEST(HybridRow, B10_RowsChangePerCallWithoutAllocationAndNoneCostsWhatForwardDynamicsIs) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Robot robot = sample_robot("arm7");
  const Mixed x = at(robot, 7,
                     {on("one", "tool0", "linear", {1, 2, 3}), on("two", "tool0", "angular.x"),
                      on("three", robot.description.links[4].name, "linear.z")});
  ConstraintSet set = x.set(robot.model);
  SolverSettings settings;
  settings.spare_rows = 2;
  Solver solver(robot.model, set, settings);
  const SolveInput in = x.input();
  Constraint* of[] = {&set["one"], &set["two"], &set["three"]};
  for (int mask = 0; mask < 8; ++mask) {
    for (int k = 0; k < 3; ++k) of[k]->active = (mask >> k) & 1;
    const AllocationGuard guard;
    solver.solve(in);
    EXPECT_EQ(guard.count(), 0) << mask;
    EXPECT_EQ(solver.solution().report.rows, solver.active_rows());
    const Eigen::VectorXd a = solver.solution().acceleration;
    Solver fresh(robot.model, set);
    EXPECT_CLOSE(a, Eigen::VectorXd(fresh.solve(in).acceleration), 1e-13);
    if (mask == 0) {
      Data data(robot.model);
      EXPECT_CLOSE(a, forward_dynamics(robot.model, data, x.state.q, x.state.v, x.state.tau), 1e-14);
    }
  }
  set.add(on("new", robot.description.links[3].name, "linear.x linear.y", {1, 2}));  // within the spare rows
  Solver fresh(robot.model, set);
  const Eigen::VectorXd a = solver.solve(in).acceleration;
  EXPECT_CLOSE(a, Eigen::VectorXd(fresh.solve(in).acceleration), 1e-12);
  {
    const AllocationGuard guard;
    solver.solve(in);
    EXPECT_EQ(guard.count(), 0);
  }
  set.add(on("too many", robot.description.links[3].name, "angular.x"));
  EXPECT_THROW(solver.solve(in), WorkspaceMismatch);
}

TEST(HybridRow, B11_MoreThanSixRowsRedundantSetsRankReported) {
  const Robot robot = sample_robot("arm7");
  std::vector<AnyConstraint> all;
  for (int k = 0; k < 5; ++k) all.push_back(on("c" + std::to_string(k), "tool0", "all"));
  const Mixed x = at(robot, 8, all);
  expect_solved(robot, x);
  const Solved s(robot, x);
  EXPECT_EQ(s->report.rows, 30);
  EXPECT_EQ(s->report.rank, 6);
  EXPECT_EQ(s->report.redundant.size(), 24u);
  EXPECT_EQ(s->report.status, Status::ok);
  for (int k = 1; k < 5; ++k)
    EXPECT_CLOSE(Eigen::VectorXd((*s)["c0"].multipliers), Eigen::VectorXd((*s)["c" + std::to_string(k)].multipliers),
                 1e-9);
}

TEST(HybridRow, B12_RelativeSettableRankTolerance) {
  const Robot robot = sample_robot("arm7");
  for (const double units : {1e-6, 1.0, 1e6}) {  // relative: units do not matter
    FrameConstraint c = on("tool", "tool0", "linear");
    c.rows = rows(std::vector<double>{units, 0, 0, 0, 0, 0, units, 1e-4 * units, 0, 0, 0, 0});
    Mixed x = at(robot, 9, {c});
    EXPECT_EQ(Solved(robot, x)->report.rank, 2);
    x.settings.tolerance = 1e-3;
    EXPECT_EQ(Solved(robot, x)->report.rank, 1);
    EXPECT_EQ(Solved(robot, x)->report.tolerance, 1e-3);
    x.settings.tolerance = 1e-12;
    EXPECT_EQ(Solved(robot, x)->report.rank, 2);
  }
}

TEST(HybridRow, B13_PoliciesTruncationDampingProximalWeighted) {
  const Robot robot = sample_robot("arm7");
  FrameConstraint left = on("left", "tool0", "linear", {1, 2, 3}), right = on("right", "tool0", "linear", {1, 2, 5});
  left.weight = {3};
  right.weight = {1};
  Mixed x = at(robot, 10, {left, right});
  const auto height = [&](Singularity s) {
    x.settings.singularity = s;
    const Solved solved(robot, x);
    EXPECT_STREQ(solved->report.singularity, name_of(s));
    EXPECT_FALSE(solved->report.given_up.empty());
    return (*solved)["left"].residual(2) + 3;
  };
  EXPECT_NEAR(height(Singularity::truncation), 4, 1e-10);
  EXPECT_NEAR(height(Singularity::proximal), 4, 1e-6);
  EXPECT_NEAR(height(Singularity::weighted), 3.5, 1e-10);
  EXPECT_NEAR(height(Singularity::damping), 4, 1e-4);
  for (const Singularity s : {Singularity::truncation, Singularity::damping, Singularity::weighted}) {
    x.settings.singularity = s;
    expect_solved(robot, x);
  }
}

TEST(HybridRow, B14_FeasibilityFlagAndResidualPerRowByName) {
  const Robot robot = sample_robot("arm7");
  const Mixed x =
      at(robot, 11,
         {on("held", "tool0", "angular"), on("up", "tool0", "linear.z", {2}), on("down", "tool0", "linear.z", {-2})});
  expect_solved(robot, x);
  const Solved s(robot, x);
  EXPECT_EQ(s->report.status, Status::infeasible);
  ASSERT_EQ(s->report.infeasible.size(), 2u);
  EXPECT_EQ(s->report.infeasible[0], "up:linear.z");
  EXPECT_EQ(s->report.infeasible[1], "down:linear.z");
  EXPECT_NEAR((*s)["up"].residual(0), -2, 1e-10);
  EXPECT_NEAR((*s)["down"].residual(0), 2, 1e-10);
  EXPECT_LE((*s)["held"].residual.norm(), 1e-10);
  EXPECT_GT(s->report.residual, 1e-3);
  const std::string text = s->report.explain();
  EXPECT_NE(text.find("up:linear.z"), std::string::npos) << text;
}

}  // namespace
}  // namespace zwang::test::hybrid_row
