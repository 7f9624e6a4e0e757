// SPDX-License-Identifier: BSD-3-Clause
// Links without inertia: solved where rotors, rows or prescriptions make the problem well posed, else named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

/// A chain of five heavy links, and behind them `tip` links without any inertia, moved by joints of `type`.
RobotDescription massless_tip(std::uint64_t seed, int tip, const std::string& type = "revolute") {
  Random random(seed);
  RandomRobot options;
  options.joints = 5;
  options.types = {"revolute", "prismatic"};
  options.mimic = 0;
  RobotDescription d = random_robot(seed, options);
  std::string parent = d.links.back().name;
  for (int k = 0; k < tip; ++k) {
    const std::string name = "tip" + std::to_string(k);
    d.links.push_back({name});
    JointDescription j;
    j.name = "wrist" + std::to_string(k);
    j.type = type;
    j.parent = parent;
    j.child = name;
    j.origin = random.pose(0.4);
    j.axis = random.direction();
    d.joints.push_back(j);
    parent = name;
  }
  return d;
}

FrameConstraint on_tip(Random& random, const std::string& frame, std::vector<double> matrix) {
  FrameConstraint c;
  c.name = "tip rows";
  c.frame = frame;
  c.rows = rows(std::move(matrix));
  for (Index i = 0; i < c.rows.size(); ++i) c.beta.push_back(random.uniform(-3, 3));
  return c;
}
Mixed at(const Robot& robot, std::uint64_t seed) {
  Mixed x = random_mixed(robot, seed);
  x.constraints.clear();
  x.prescribed.clear();
  x.settings = {};
  return x;
}

/// Solved, with the motion and the forces of the KKT system.
void expect_kkt(const Robot& robot, const Mixed& x, const std::vector<std::string>& determined_by_rows) {
  const Stated s = stated(robot, x);
  const auto [a, lambda] = reference::kkt_motion(s.problem);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Solution& got = solver.solve(x.input());
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  // Without inertia of its own the tip's condition is that of the rows: some 1e4 roundings in random places.
  EXPECT_CLOSE(got.acceleration, a, 1e-9);
  EXPECT_TRUE(within(active_part(s.posed, got.multipliers), lambda, 1e-8,
                     1e-3 + static_cast<double>(lambda.cwiseAbs().maxCoeff())));
  std::vector<std::string> named;
  for (const SolveWarning& w : got.report.warnings)
    if (w.kind == SolveWarning::Kind::massless_joint) named.push_back(std::string(w.coordinate));
  EXPECT_FALSE(named.empty()) << "nothing says that rows alone determine a joint";
  for (const std::string& name : named)
    EXPECT_EQ(std::count(determined_by_rows.begin(), determined_by_rows.end(), name), 1) << name;
  for (const SolveWarning& w : got.report.warnings)
    if (w.kind == SolveWarning::Kind::massless_joint) {
      EXPECT_NE(w.text().find(std::string(w.coordinate)), std::string::npos) << w.text();
    }
}

void expect_singular(const Robot& robot, const Mixed& x, const std::string& joint) {
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  for (const bool throwing : {true, false}) {
    const Solution& s = throwing ? solver.solve(x.input()) : solver.try_solve(x.input());
    EXPECT_EQ(s.report.status, Status::singular_mass) << s.report.explain();
    EXPECT_EQ(s.report.singular_joint, joint);
    EXPECT_NE(s.report.explain().find(joint), std::string::npos) << s.report.explain();
    EXPECT_EQ(s.acceleration.norm(), 0);
    EXPECT_EQ(s.multipliers.norm(), 0);
  }
}

TEST(MasslessTips, AreNamedWhereNothingDeterminesThem) {
  for (const char* type : {"revolute", "prismatic", "helical"}) {
    RobotDescription d = massless_tip(3, 1, type);
    if (std::string(type) == "helical") d.joints.back().parameters = {0.1};
    const Robot robot(d);
    Mixed x = at(robot, 3);
    expect_singular(robot, x, "wrist0");
    // Rows elsewhere do not help.
    Random random(3);
    x.constraints.push_back(on_tip(random, d.links[3].name, random_rows(random, 2)));
    expect_singular(robot, x, "wrist0");
  }
}

/// Rows determine the motion; methods on the matrix M leave that to the sweep and say so.
TEST(MasslessTips, AreLeftToTheSweepByMethodsOnMatrices) {
  const Robot robot(massless_tip(3, 1, "revolute"));
  ConstraintSet set(robot.model);
  set.add(FrameConstraint{.name = "tip", .frame = robot.description.links.back().name, .rows = rows("angular")});
  const RandomState state = random_state(robot.reference, 3);
  for (const char* method : {"range_space", "test_force", "contact_cholesky", "dense_lu", "null_space"}) {
    Solver solver(robot.model, set, {.method = method});
    const SolveReport& r = solver.solve({.q = state.q, .v = state.v, .tau = state.tau}).report;
    EXPECT_EQ(r.status, Status::ok) << method << ": " << r.explain();
    EXPECT_STREQ(r.method, "popov_vereshchagin") << method;
  }
}

TEST(MasslessTips, AreSolvedWithARotor) {
  RobotDescription d = massless_tip(4, 2);
  for (JointDescription& j : d.joints)
    if (j.name.starts_with("wrist")) j.rotor_inertia = {0.02};
  const Robot robot(d);
  Mixed x = at(robot, 4);
  Random random(5);
  Tally tally;
  check(robot, x, tally);
  x.constraints.push_back(on_tip(random, "tip1", random_rows(random, 3)));
  check(robot, x, tally);
  EXPECT_EQ(tally.all, 2);
  EXPECT_EQ(tally.unclear, 0);
  JointEffects none;  // the same rotor not counted: singular again
  none.armature = false;
  x.settings.joint_effects = none;
  x.constraints.clear();
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  EXPECT_EQ(solver.solve(x.input()).report.status, Status::singular_mass);
}

TEST(MasslessTips, AreSolvedWherePrescribed) {
  const Robot robot(massless_tip(6, 2));
  Mixed x = at(robot, 6);
  prescribe(robot.model, x.prescribed, "wrist0", {1.5});
  expect_singular(robot, x, "wrist1");
  prescribe(robot.model, x.prescribed, "wrist1", {-2.5});
  Tally tally;
  check(robot, x, tally);
  EXPECT_EQ(tally.unclear, 0);
  Random random(5);
  x.constraints.push_back(on_tip(random, "tip1", random_rows(random, 3)));
  check(robot, x, tally);
}

TEST(MasslessTips, AreSolvedWhereRowsDetermineThemAlone) {
  for (int seed = 1; seed <= effort(40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Policy policy : {Policy::hard, Policy::early}) {
      const int tips = 1 + seed % 2;
      const Robot robot(massless_tip(static_cast<std::uint64_t>(seed) + 20, tips));
      Mixed x = at(robot, static_cast<std::uint64_t>(seed));
      Random random(static_cast<std::uint64_t>(seed));
      // As many rows as massless joints, and more.
      FrameConstraint c = on_tip(random, "tip" + std::to_string(tips - 1), random_rows(random, tips + seed % 3));
      c.policy = policy;
      x.constraints.push_back(c);
      std::vector<std::string> wrists;
      for (int k = 0; k < tips; ++k) wrists.push_back("wrist" + std::to_string(k));
      expect_kkt(robot, x, wrists);
      if (HasFailure()) return;
    }
  }
}

/// As many soft rows as massless joints. Stiff ones go to the root, where they must still give the tips inertia.
TEST(MasslessTips, AreSolvedWhereSpringsHoldThemHoweverStiff) {
  for (int seed = 1; seed <= effort(20); ++seed)
    for (const double R : {1e-3, 1e-6, 1e-9, 1e-10, 1e-11, 1e-12, 1e-14, 1e-16}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", R " + std::to_string(std::log10(R)));
      const int tips = 1 + seed % 2;
      const Robot robot(massless_tip(static_cast<std::uint64_t>(seed) + 20, tips));
      Mixed x = at(robot, static_cast<std::uint64_t>(seed));
      Random random(static_cast<std::uint64_t>(seed));
      FrameConstraint c = on_tip(random, "tip" + std::to_string(tips - 1), random_rows(random, tips));
      c.policy = Policy::soft;
      c.compliance = {R};
      x.constraints.push_back(c);
      const Stated s = stated(robot, x);
      const auto [a, lambda] = reference::kkt_motion(s.problem);
      const ConstraintSet set = x.set(robot.model);
      Solver solver(robot.model, set);
      const Solution& got = solver.solve(x.input());
      ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
      EXPECT_CLOSE(got.acceleration, a, 1e-9);
      EXPECT_TRUE(within(active_part(s.posed, got.multipliers), lambda, 1e-8,
                         1e-3 + static_cast<double>(lambda.cwiseAbs().maxCoeff())));
    }
}

TEST(MasslessTips, AreSolvedWhereRowsHoldASphericalOne) {
  const Robot robot(massless_tip(9, 1, "spherical"));
  Mixed x = at(robot, 9);
  Random random(2);
  x.constraints.push_back(on_tip(random, "tip0", random_rows(random, 4)));
  expect_kkt(robot, x, {"wrist0[0]", "wrist0[1]", "wrist0[2]"});
  x.constraints[0] = on_tip(random, "tip0", random_rows(random, 2));  // one direction left free
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  EXPECT_EQ(s.report.status, Status::singular_mass);
  EXPECT_TRUE(s.report.singular_joint.starts_with("wrist0")) << s.report.singular_joint;
}

TEST(MasslessTips, AreSolvedWithSoftRows) {
  const Robot robot(massless_tip(11, 1));
  Mixed x = at(robot, 11);
  Random random(2);
  FrameConstraint c = on_tip(random, "tip0", random_rows(random, 3));
  c.policy = Policy::soft;
  c.compliance = {0.05};
  x.constraints.push_back(c);
  const Stated s = stated(robot, x);
  const auto [a, lambda] = reference::kkt_motion(s.problem);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& got = solver.solve(x.input());
  EXPECT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_CLOSE(got.acceleration, a, 1e-9);
  EXPECT_CLOSE(active_part(s.posed, got.multipliers), lambda, 1e-8);
}

/// Forces on a massless tip must be in balance: what a torque of its own motor asks of the rows.
TEST(MasslessTips, PassTheirMotorTorqueOnToTheRows) {
  const Robot robot(massless_tip(12, 1));
  Mixed x = at(robot, 12);
  x.external.clear();
  x.reference_external.clear();
  Random random(3);
  x.constraints.push_back(on_tip(random, "tip0", random_rows(random, 1)));
  const Index tip = robot.model.joint("wrist0").v.first;
  x.state.tau(tip) = 2.5;
  const Stated s = stated(robot, x);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& got = solver.solve(x.input());
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.multipliers(0) * static_cast<double>(s.posed.A(0, tip)), -2.5, 1e-10);
}

TEST(MasslessLinks, InTheMiddleAreNoTrouble) {
  RobotDescription d = massless_tip(13, 1);
  d.links.push_back({"hand", 1.5, {0.1, 0.2, 0}, Sym3<double>::diagonal(0.02, 0.03, 0.02)});
  JointDescription j;
  j.name = "hand joint";
  j.type = "revolute";
  j.parent = "tip0";
  j.child = "hand";
  j.axis = {0.3, 0.5, 0.7};
  d.joints.push_back(j);
  const Robot robot(d);
  Mixed x = at(robot, 13);
  Random random(2);
  x.constraints.push_back(on_tip(random, "tip0", random_rows(random, 3)));
  Tally tally;
  check(robot, x, tally);
  EXPECT_EQ(tally.unclear, 0);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  for (const SolveWarning& w : solver.solve(x.input()).report.warnings)
    EXPECT_NE(w.kind, SolveWarning::Kind::massless_joint) << w.text();
}

TEST(MasslessTips, AreSolvedWhereRowsOfALowerLevelDetermineThem) {
  int tried = 0;
  for (int seed = 1; seed <= effort(20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Robot robot(massless_tip(static_cast<std::uint64_t>(seed) + 60, 1));
    Mixed x = at(robot, static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed));
    FrameConstraint low = on_tip(random, "tip0", random_rows(random, 2)),
                    top = on_tip(random, robot.description.links[5].name, random_rows(random, 1 + seed % 2));
    low.priority = 1;
    top.name = "top";
    x.constraints = {low, top};
    try {
      reference::kkt_motion(stated(robot, x).problem);
    } catch (const std::domain_error&) {
      continue;  // rows that depend on each other on a robot of so few joints
    }
    ++tried;
    expect_kkt(robot, x, {"wrist0"});
  }
  EXPECT_GE(tried, effort(20) / 2);
}

TEST(MasslessTips, AreResolvedOnTheirFactorisation) {
  for (int seed = 1; seed <= effort(20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Robot robot(massless_tip(static_cast<std::uint64_t>(seed) + 90, 1));
    Mixed x = at(robot, static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed));
    x.constraints.push_back(on_tip(random, "tip0", random_rows(random, 2)));
    const ConstraintSet set = x.set(robot.model);
    Solver kept(robot.model, set), fresh(robot.model, set);
    kept.solve(x.input());
    x.state.tau = random.vector(robot.model.nv(), 10);
    const Solution &s = kept.resolve({.tau = x.state.tau, .external = &x.external}), &t = fresh.solve(x.input());
    EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
    EXPECT_CLOSE(Eigen::VectorXd(s.acceleration), Eigen::VectorXd(t.acceleration), 1e-9);
    EXPECT_CLOSE(Eigen::VectorXd(s.multipliers), Eigen::VectorXd(t.multipliers), 1e-8);
  }
}

TEST(MasslessTips, RecoverWhenRowsAreSwitched) {
  const Robot robot(massless_tip(14, 1));
  Mixed x = at(robot, 14);
  Random random(2);
  x.constraints.push_back(on_tip(random, "tip0", random_rows(random, 2)));
  ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  EXPECT_EQ(solver.solve(x.input()).report.status, Status::ok);
  const Eigen::VectorXd a = solver.solution().acceleration;
  set["tip rows"].active = false;
  EXPECT_EQ(solver.solve(x.input()).report.status, Status::singular_mass);
  EXPECT_THROW(solver.resolve(), std::logic_error);
  set["tip rows"].active = true;
  EXPECT_EQ(solver.solve(x.input()).report.status, Status::ok);
  EXPECT_EQ(Eigen::VectorXd(solver.solution().acceleration), a);
  EXPECT_TRUE(solver.solution().report.singular_joint.empty());
}

}  // namespace
}  // namespace zwang::test
