// SPDX-License-Identifier: BSD-3-Clause
// Every method gives one answer: that of the dense oracle, with the same rank, status, forces and wrenches.
#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "dynamics/shared_robots.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

constexpr const char* k_others[] = {"dense_lu",   "dense_qr",   "dense_cod",        "range_space",
                                    "null_space", "test_force", "contact_cholesky", "embedding"};

TEST(Methods, AgreeWithTheDenseOracleOnRandomTreesWithRandomLoops) {
  for (const char* method : k_others) {
    Tally tally;
    for (int seed = 1; seed <= effort(120); ++seed) {
      SCOPED_TRACE("tree " + std::to_string(seed));
      const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 12000, 5 + seed % 12);
      Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 12000, for_every_method());
      const bool all_soft = x.settings.method == "pv_soft";
      x.settings.method = method;
      if (all_soft) continue;
      check(robot, x, tally);
      if (HasFailure()) return;
    }
    if (tally.all < 60) continue;
    EXPECT_GE(tally.deficient, tally.all / 50) << method;
    EXPECT_GE(tally.infeasible, tally.all / 50) << method;
    EXPECT_GE(tally.soft, tally.all / 20) << method;
    EXPECT_GE(tally.prescribed, tally.all / 5) << method;
  }
}

TEST(Methods, AgreeOnEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  on_every_shared_robot([](const Robot& robot, const std::string&) {
    for (int seed = 1; seed <= effort(2); ++seed) {
      Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 40, for_every_method());
      if (x.settings.method == "pv_soft") continue;
      Tally tally;
      for (const char* method : k_others) {
        SCOPED_TRACE(std::string(method) + ", seed " + std::to_string(seed));
        x.settings.method = method;
        check(robot, x, tally);
        if (HasFailure()) return;
      }
    }
  });
}

TEST(Methods, RefuseByNameWhatTheyCannotDo) {
  const Robot robot = sample_robot("arm7", "fixed");
  Mixed x = random_mixed(robot, 4, for_every_method());
  x.settings.method = "dense_lu";
  ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  solver.solve(x.input());
  solver.settings().singularity = Singularity::damping;
  EXPECT_THROW(solver.solve(x.input()), UnsupportedError);
  solver.settings().singularity = Singularity::truncation;
  const std::string name = set.constraints().front().name;
  set[name].active = true;
  set[name].policy = Policy::hard;
  set[name].priority = 1;
  EXPECT_THROW(solver.solve(x.input()), UnsupportedError);
}

/// What was refused once is refused again, and what was solved before is no answer to it.
TEST(Methods, RefuseTheSameSetEveryTime) {
  const Robot robot = sample_robot("arm7", "fixed");
  ConstraintSet set(robot.model);
  set.add(DistanceConstraint{.name = "rod", .frame = "link2", .other = "tool0", .length = 0.4});
  set["rod"].active = false;
  Solver solver(robot.model, set, {.method = "constrained_aba"});
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(robot.model.nq(), 0.3);
  EXPECT_EQ(solver.solve({.q = q}).report.status, Status::ok);
  set["rod"].active = true;
  for (int k = 0; k < 3; ++k) {
    EXPECT_THROW(solver.solve({.q = q}), UnsupportedError);
    EXPECT_NE(solver.try_solve({.q = q}).report.status, Status::ok);
    EXPECT_THROW(solver.resolve(), std::logic_error);
  }
  set["rod"].active = false;
  EXPECT_EQ(solver.solve({.q = q}).report.status, Status::ok);
}

/// The set, the state and the method may change between solves; resolve() follows.
TEST(Methods, MayBeExchangedBetweenSolves) {
  const Robot robot = sample_robot("quadruped", "floating");
  Mixed x = random_mixed(robot, 7, for_every_method());
  x.settings.method = "automatic";
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Eigen::VectorXd a = solver.solve(x.input()).acceleration;
  for (const char* method : k_others) {
    solver.settings().method = method;
    EXPECT_CLOSE(Eigen::VectorXd(solver.solve(x.input()).acceleration), a, 1e-9) << method;
    EXPECT_STREQ(solver.solution().report.method, method);
    EXPECT_CLOSE(
        Eigen::VectorXd(
            solver.resolve({.tau = x.state.tau, .external = &x.external, .prescribed = &x.prescribed}).acceleration),
        a, 1e-9)
        << method;
  }
}

}  // namespace
}  // namespace zwang::test
