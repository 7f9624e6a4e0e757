// SPDX-License-Identifier: BSD-3-Clause
// What the constraints of a group do together, and sets that are copied.
#include <gtest/gtest.h>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
constexpr double eps = 2.220446049250313e-16;

Vector6 eigen6(const Force<double>& f) { return (Vector6() << eigen(f.f), eigen(f.n)).finished(); }
std::string group_of(const Constraint& c) { return "only " + c.name; }

/// All constraints in one group, each in one of its own.
void add_groups(ConstraintSet& set) {
  std::vector<std::string> names;
  for (const Constraint& c : set.constraints()) names.push_back(c.name);
  for (const std::string& name : names) set.add_group("only " + name, {name});
  set.add_group("all", names);
}

// A floating robot is moved by its constraints alone: what a motor at its root would have to give for the motion that
// was found (inverse dynamics of the root joint, body axes) is their wrench about the root's origin.
TEST(GroupLaws, TheWrenchOfAllIsWhatMovesAFloatingRoot) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Robot robot(random_robot(seed, {.joints = 8, .root = "floating"}), {});
    const Model& m = robot.model;
    Imposed imposed = seed % 2 ? random_imposed_with_loops(robot, seed) : random_imposed(robot, seed);
    imposed.external.clear();
    for (Index k = 0; k < 6; ++k) imposed.state.tau[k] = 0;
    ConstraintSet set = imposed.set(m);
    add_groups(set);
    Solver solver(m, set);
    for (const Constraint& c : set.constraints())
      if (c.role == Role::driver) set[c.name].role = Role::physical;
    const Solution& s = solver.solve(imposed.input());
    if (s.report.status != Status::ok) continue;
    Data data(m);
    const Eigen::VectorXd tau =
        inverse_dynamics(m, data, imposed.state.q, imposed.state.v, Eigen::VectorXd(s.acceleration));
    const Transform<double> root = frame_pose(m, data, imposed.state.q, m.links()[1].name);
    const Force<double> w = s.group("all", root.p).wrench;
    const Vector6 local = eigen6({transpose_times(root.R, w.f), transpose_times(root.R, w.n)});
    // Backward error of the solve: multipliers reach far beyond the root's wrench where they cancel.
    const double scale = 1 + tau.cwiseAbs().maxCoeff() + s.multipliers.cwiseAbs().maxCoeff();
    EXPECT_TRUE(within(local, tau.head(6), 1e5 * eps, scale)) << seed;
  }
}

TEST(GroupLaws, WrenchesAndPowersOfMembersAddUpAndMove) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Robot robot = random_robot_of_all_joints(seed, 9);
    const Imposed imposed = random_imposed_with_loops(robot, seed);
    ConstraintSet set = imposed.set(robot.model);
    add_groups(set);
    for (const char* method : {"automatic", "pv_early", "dense_cod", "contact_cholesky"}) {
      Solver solver(robot.model, set, {.method = method});
      const Solution& s = solver.try_solve(imposed.input());
      if (s.report.status != Status::ok && s.report.status != Status::infeasible) continue;
      ++solved;
      const Vec3<double> r{0.3, -2, 1.5};
      Vector6 sum = Vector6::Zero();
      double power = 0, size = 0;
      for (const Constraint& c : set.constraints()) {
        const GroupSolution one = s.group(group_of(c)), moved = s.group(group_of(c), r);
        sum += eigen6(one.wrench);
        size += eigen6(one.wrench).cwiseAbs().maxCoeff();
        power += one.power;
        EXPECT_EQ(one.power, s[c.name].power);
        EXPECT_EQ(moved.power, one.power);
        const Force<double> expected{one.wrench.f, one.wrench.n - cross(r, one.wrench.f)};
        // Each is summed up for itself: roundings of lever arms of a few metres times the multipliers.
        const double scale = 1 + s.multipliers.cwiseAbs().maxCoeff();
        EXPECT_TRUE(within(eigen6(moved.wrench), eigen6(expected), 200 * eps, scale)) << c.name;
        if (c.type == "loop" && c.relation->bodies().size() == 2) {  // between two bodies that move
          Vector6 couple = Vector6::Zero();
          if (c.in.value() == "local_world_aligned") {  // of a force at one point and its opposite at another
            Data data(robot.model);
            const Vec3<double> apart = frame_pose(robot.model, data, imposed.state.q, c.other.value()).p -
                                       frame_pose(robot.model, data, imposed.state.q, c.frame.value()).p;
            const Vector6 force = s[c.name].wrench;
            const Vec3<double> n = cross(apart, Vec3<double>{force(0), force(1), force(2)});
            couple.tail(3) << n.x, n.y, n.z;
          }
          EXPECT_TRUE(within(eigen6(one.wrench), couple, 200 * eps, scale * 10)) << c.name;
        }
        if (!c.active) { EXPECT_EQ(eigen6(one.wrench), Vector6(Vector6::Zero())); }
      }
      const GroupSolution all = s.group("all");
      EXPECT_TRUE(within(eigen6(all.wrench), sum, 100 * eps, 1 + size));
      EXPECT_NEAR(all.power, power, 100 * eps * (1 + s.multipliers.cwiseAbs().maxCoeff() * 10));
    }
  }
  EXPECT_GT(solved, 100);
}

// A contact's wrench is about its point, in world axes; that of a group about wherever it is asked.
TEST(GroupLaws, AContactsWrenchIsThatOfItsGroupAtTheContact) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  for (const double far : {0.0, 1e4}) {  // far from the map's origin nothing is lost where it is asked nearby
    ConstraintSet set(m);
    set.add(ContactConstraint{.name = "LF", .frame = "LF_foot"});
    set.add(ContactConstraint{.name = "RH", .frame = "RH_foot"});
    set.add_group("feet", {"LF", "RH"});
    RandomState x = random_state(m, 4);
    x.q[0] += far;
    Solver solver(m, set);
    const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
    const FrameId LF = m.find_frame("LF_foot"), RH = m.find_frame("RH_foot");
    const Vec3<double> a = frame_pose(m, solver.data(), LF).p, b = frame_pose(m, solver.data(), RH).p;
    const Vector6 first = s["LF"].wrench;
    Vector6 expected = s["RH"].wrench;
    const Vec3<double> f{expected[0], expected[1], expected[2]};
    expected += first;
    expected.tail<3>() += eigen(cross(b - a, f));
    // The positions carry roundings of the distance: eps 1e4 m.
    EXPECT_TRUE(
        within(eigen6(s.group("feet", a).wrench), expected, 100 * eps * (1 + far), 1 + expected.cwiseAbs().maxCoeff()));
    EXPECT_EQ(s.group("feet").power, s["LF"].power + s["RH"].power);
  }
}

TEST(Groups, OfASolutionThatFailedAreZeroAndOthersAreRefused) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set(m);
  set.add(ContactConstraint{.name = "LF", .frame = "LF_foot"});
  set.add_group("feet", {"LF"});
  RandomState x = random_state(m, 4);
  Solver solver(m, set);
  EXPECT_EQ(eigen6(solver.solution().group("feet").wrench), Vector6(Vector6::Zero()));
  solver.solve({.q = x.q});
  EXPECT_NE(eigen6(solver.solution().group("feet").wrench), Vector6(Vector6::Zero()));
  x.q[8] = std::nan("");
  const Solution& s = solver.try_solve({.q = x.q});
  EXPECT_EQ(s.report.status, Status::non_finite_input);
  EXPECT_EQ(eigen6(s.group("feet").wrench), Vector6(Vector6::Zero()));
  EXPECT_EQ(s.group("feet").power, 0);
  EXPECT_THROW(s.group("feed"), std::invalid_argument);
}

TEST(Groups, WhatActsOnTheGroundAloneIsNotOnTheRobot) {
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "ground",
                          .frame = m.links()[0].name,
                          .rows = rows("linear"),
                          .beta = {1, 2, 3},
                          .policy = Policy::soft,
                          .compliance = {0.5}});
  set.add_group("all", {"ground"});
  Solver solver(m, set);
  const Solution& s = solver.solve({.q = random_state(m, 2).q});
  EXPECT_NEAR(s.multipliers[1], 4, 1e-12);
  EXPECT_EQ(eigen6(s.group("all").wrench), Vector6(Vector6::Zero()));
}

// Either of two copies may be changed: the solver made of the other one answers as before.
TEST(Sets, CopiesAreIndependentOfEachOthersSolvers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Robot robot = random_robot_of_all_joints(seed, 7);
    const Imposed imposed = random_imposed_with_loops(robot, seed);
    ConstraintSet original = imposed.set(robot.model), copy = original;
    Solver first(robot.model, original), second(robot.model, copy, {.spare_rows = 6});
    const Eigen::VectorXd before = first.solve(imposed.input()).acceleration;
    EXPECT_EQ(Eigen::VectorXd(second.solve(imposed.input()).acceleration), before);
    const auto change = [&](ConstraintSet& set) {
      for (const Constraint& c : set.constraints()) {
        Constraint& x = set[c.name];
        x.active = !x.active;
        for (std::size_t i = 0; i < x.beta.size(); ++i) x.beta[i] += 1;
        for (std::size_t i = 0; i < x.target.size(); ++i) x.target[i] += 1;
        if (x.relation != nullptr) x.stabilisation.time_constant += 0.5;
        x.rows_on_body.change([](RowsOnBody& r) {
          for (double& k : r.matrix) k *= 2;
        });
      }
    };
    change(copy);
    copy.add(FrameConstraint{.name = "more", .frame = robot.model.links().back().name, .rows = rows("linear.x")});
    copy.add_group("group", {"more"});
    EXPECT_EQ(Eigen::VectorXd(first.solve(imposed.input()).acceleration), before);
    const Eigen::VectorXd changed = second.try_solve(imposed.input()).acceleration;
    change(original);
    original.add_group("group", {original.constraints()[0].name});
    EXPECT_EQ(Eigen::VectorXd(second.try_solve(imposed.input()).acceleration), changed);
    EXPECT_EQ(copy.size(), original.size() + 1);
  }
}

}  // namespace
}  // namespace zwang::test
