// SPDX-License-Identifier: BSD-3-Clause
// Methods that walk the tree with stiff rows: constrained_aba and loop_aba. Theirs is the answer of all methods; here
// it is also seen that they find it by themselves, in few passes, and when they leave the rows to the root.
#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "dynamics/shared_robots.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

/// Hard and soft rows, loops, prescribed coordinates; one level, all drivers made up for.
MixedOptions common(bool loops) {
  MixedOptions o = for_every_method();
  o.loops = loops;
  return o;
}
const char* method_for(bool loops) { return loops ? "loop_aba" : "constrained_aba"; }

/// Every type of joint but none that mimics.
Robot robot_without_mimic(int seed) {
  RandomRobot options;
  options.joints = 5 + seed % 14;
  options.mimic = 0;
  options.root = seed % 3 == 0 ? "floating" : seed % 3 == 1 ? "fixed" : "planar";
  return regular_robot(static_cast<std::uint64_t>(seed) + 21000, options);
}
bool mimics(const Model& model) {
  for (const Joint& j : model.joints())
    if (!j.mimic.leader.empty()) return true;
  return false;
}

struct Found {
  int regular = 0, by_itself = 0, passes = 0;
};
/// The laws and the oracle, and whether the method solved independent rows by itself. Dependent ones it never does.
void check_method(const Robot& robot, const Mixed& x, Tally& tally, Found& found) {
  check(robot, x, tally);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const SolveReport& report = solver.solve(x.input()).report;
  const bool by_itself = report.method == x.settings.method;
  if (report.rank < report.rows || report.status == Status::singular_mass) {
    EXPECT_FALSE(by_itself) << report.explain();
  } else {
    ++found.regular;
    found.by_itself += by_itself;
    if (by_itself) found.passes += report.iterations;
  }
}

TEST(LoopArticulated, AgreesWithTheDenseOracleOnRandomTreesWithRandomLoops) {
  for (const bool loops : {false, true}) {
    Tally tally;
    Found found;
    for (int seed = 1; seed <= effort(240); ++seed) {
      SCOPED_TRACE(std::string(method_for(loops)) + ", tree " + std::to_string(seed));
      const Robot robot = robot_without_mimic(seed);
      Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 21000, common(loops));
      if (x.settings.method == "pv_soft") continue;
      x.settings.method = method_for(loops);
      check_method(robot, x, tally, found);
      if (HasFailure()) return;
    }
    if (tally.all < 100) continue;
    EXPECT_GE(tally.soft, tally.all / 20);
    EXPECT_GE(tally.prescribed, tally.all / 5);
    EXPECT_GE(tally.deficient, tally.all / 50);
    EXPECT_GE(tally.infeasible, tally.all / 50);
    EXPECT_GE(found.by_itself, found.regular * 95 / 100) << method_for(loops);  // nearly dependent rows go to the root
    EXPECT_LE(found.passes, found.by_itself * 4) << method_for(loops);          // measured: 2.4 each
  }
}

TEST(LoopArticulated, AgreesOnEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  Found found;
  on_every_shared_robot([&](const Robot& robot, const std::string& file) {
    if (mimics(robot.model)) return;
    for (int seed = 1; seed <= effort(6); ++seed) {
      const bool loops = seed % 2 == 0;
      // Known: a row that a prescribed coordinate alone moves, by 2e-7, has a multiplier of 4e12 at a
      // problem that is infeasible; its share is in the reaction and not in the motor torque of that
      // coordinate. All methods give these numbers.
      if (file == "talos_reduced.urdf" && seed == 4 && robot.options.root == "fixed") continue;
      SCOPED_TRACE("seed " + std::to_string(seed));
      Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed / 2 * 2 + (loops ? 1 : 0)) + 340, common(loops));
      if (x.settings.method == "pv_soft") continue;
      x.settings.method = method_for(loops);
      Tally tally;
      check_method(robot, x, tally, found);
      if (HasFailure()) return;
    }
  });
  EXPECT_GE(found.by_itself, found.regular * 9 / 10);
}

/// The same report as by the root, which finds what depends on what.
TEST(LoopArticulated, LeavesDependentRowsToTheRoot) {
  const Robot robot = sample_robot("quadruped", "floating");
  const RandomState state = random_state(robot.model, 3);
  for (const double asked : {0.0, 0.7}) {
    ConstraintSet set(robot.model);
    set.add(FrameConstraint{.name = "foot", .frame = "LF_foot", .rows = rows("linear")});
    set.add(FrameConstraint{.name = "again", .frame = "LF_foot", .rows = rows("linear.x"), .beta = {asked}});
    set.add(LoopConstraint{.name = "tie", .frame = "RF_foot", .other = "LH_foot", .rows = rows("linear")});
    Solver expected(robot.model, set);
    SolverSettings settings;
    settings.method = "loop_aba";
    Solver solver(robot.model, set, settings);
    const Solution& a = expected.solve({.q = state.q, .v = state.v, .tau = state.tau});
    const Solution& b = solver.solve({.q = state.q, .v = state.v, .tau = state.tau});
    EXPECT_EQ(a.report.rank, 6);
    EXPECT_EQ(b.report.status, asked != 0 ? Status::infeasible : Status::ok);
    EXPECT_STREQ(b.report.method, "popov_vereshchagin");
    std::string text = b.report.explain();
    const std::string why = " The rows went to the root, where dependent ones are told apart.";
    ASSERT_NE(text.find(why), std::string::npos) << text;
    EXPECT_EQ(text.erase(text.find(why), why.size()), a.report.explain());
    EXPECT_CLOSE(Eigen::VectorXd(b.acceleration), Eigen::VectorXd(a.acceleration), 1e-12);
    set["again"].active = false;
    const Solution& c = solver.solve({.q = state.q, .v = state.v, .tau = state.tau});
    EXPECT_STREQ(c.report.method, "loop_aba");
    EXPECT_EQ(c.report.rank, 6);
  }
}

TEST(LoopArticulated, CouplesAsManyBodiesAsARowActsOn) {
  const Robot robot = sample_robot("quadruped", "floating");
  const RandomState state = random_state(robot.model, 9);
  ConstraintSet set(robot.model);
  set.add(CentreOfMassConstraint{.name = "balance", .rows = rows("linear.x linear.y")});
  set.add(FrameConstraint{.name = "foot", .frame = "LF_foot", .rows = rows("linear")});
  set.add(LoopConstraint{.name = "tie", .frame = "RF_foot", .other = "LH_foot", .rows = rows("linear")});
  Solver expected(robot.model, set);
  SolverSettings settings;
  settings.method = "loop_aba";
  Solver solver(robot.model, set, settings);
  const Eigen::VectorXd a = expected.solve({.q = state.q, .v = state.v, .tau = state.tau}).acceleration;
  EXPECT_CLOSE(Eigen::VectorXd(solver.solve({.q = state.q, .v = state.v, .tau = state.tau}).acceleration), a, 1e-10);
  EXPECT_STREQ(solver.solution().report.method, "loop_aba");
}

TEST(LoopArticulated, RefusesByNameWhatItCannotDo) {
  const auto says = [](const Model& m, const ConstraintSet& set, const char* method, const char* what) {
    SolverSettings settings;
    settings.method = method;
    Solver solver(m, set, settings);
    try {
      solver.solve({.q = neutral(m)});
      ADD_FAILURE() << method << " does not refuse " << what;
    } catch (const UnsupportedError& e) {
      EXPECT_NE(std::string(e.what()).find(method), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  const Model arm = build(sample_arm7());
  ConstraintSet loop(arm);
  loop.add(LoopConstraint{.name = "closed", .frame = "link2", .other = "tool0", .rows = rows("linear")});
  says(arm, loop, "constrained_aba", "closed");
  const Model gripper = build(sample_gripper());
  says(gripper, ConstraintSet(gripper), "loop_aba", "mimics");
  const Model chain = build(sample_chain(300));
  ConstraintSet balance(chain);
  balance.add(CentreOfMassConstraint{.name = "balance", .rows = rows("linear.x")});
  says(chain, balance, "loop_aba", "balance");
  SolverSettings settings;
  settings.method = "constrained_aba";
  Solver solver(arm, ConstraintSet(arm), settings);
  solver.settings().singularity = Singularity::damping;
  EXPECT_THROW(solver.solve({.q = neutral(arm)}), UnsupportedError);
}

TEST(LoopArticulated, MayBeExchangedBetweenSolves) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x = random_mixed(robot, 7, common(true));
  x.settings.method = "automatic";
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Eigen::VectorXd a = solver.solve(x.input()).acceleration;
  for (int k = 0; k < 2; ++k) {
    solver.settings().method = "loop_aba";
    EXPECT_CLOSE(Eigen::VectorXd(solver.solve(x.input()).acceleration), a, 1e-9);
    EXPECT_CLOSE(
        Eigen::VectorXd(
            solver.resolve({.tau = x.state.tau, .external = &x.external, .prescribed = &x.prescribed}).acceleration),
        a, 1e-9);
    solver.settings().method = "automatic";
    EXPECT_CLOSE(Eigen::VectorXd(solver.solve(x.input()).acceleration), a, 1e-12);
  }
}

/// Many rows on long structures: few passes, whatever the length.
TEST(LoopArticulated, SettlesInFewPassesOnLongChainsAndLadders) {
  for (const bool ladder : {false, true})
    for (const int n : {30, 300}) {
      RobotDescription d = sample_chain(n);
      const int half = n / 2;
      if (ladder) {
        d.joints[static_cast<std::size_t>(half)].parent = d.joints[0].parent;
        d.joints[static_cast<std::size_t>(half)].origin.p.x += 0.3;
      }
      const Model m = build(d);
      ConstraintSet set(m);
      const auto link = [](int k) { return "link" + std::to_string(k); };
      for (int k = 10; k <= (ladder ? half : n); k += 10) {
        if (ladder)
          set.add(LoopConstraint{.name = link(k), .frame = link(k), .other = link(k + half), .rows = rows("linear")});
        else
          set.add(FrameConstraint{.name = link(k), .frame = link(k), .rows = rows("linear")});
      }
      SolverSettings settings;
      settings.method = ladder ? "loop_aba" : "constrained_aba";
      Solver solver(m, set, settings), expected(m, set);
      const RandomState state = random_state(m, 4);
      const Eigen::VectorXd v = 0.1 * state.v;
      const Solution& s = solver.solve({.q = state.q, .v = v, .tau = state.tau});
      EXPECT_STREQ(s.report.method, settings.method.c_str());
      EXPECT_EQ(s.report.rank, set.rows());
      EXPECT_LE(s.report.iterations, 6);
      const Eigen::VectorXd a = expected.solve({.q = state.q, .v = v, .tau = state.tau}).acceleration;
      EXPECT_CLOSE(Eigen::VectorXd(s.acceleration), a, 1e-9);
    }
}

}  // namespace
}  // namespace zwang::test
