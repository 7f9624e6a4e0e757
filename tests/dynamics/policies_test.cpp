// SPDX-License-Identifier: BSD-3-Clause
// Hard, early and soft rows, the methods and the singularity policies, mixed with priorities, prescribed joints and
// wrenches from outside: against the dense oracle on random trees and real robots, and by their own laws.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "dynamics/shared_robots.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

void expect_enough_of_everything(const Tally& t) {
  EXPECT_LE(t.unclear, t.all / 5);
  EXPECT_LE(t.beyond_flat, t.all / 20) << "q'' to 1e-10 is what rounding allows on all but ill-conditioned robots";
  if (t.all < 200) return;
  EXPECT_GE(t.deficient, t.all / 50) << "too few sets of dependent rows";
  EXPECT_GE(t.infeasible, t.all / 50) << "too few contradictions";
  EXPECT_GE(t.given_up, t.all / 20);
  EXPECT_GE(t.soft, t.all / 10);
  EXPECT_GE(t.levels, t.all / 10);
  EXPECT_GE(t.left_out, t.all / 20);
  EXPECT_GE(t.prescribed, t.all / 5);
}

TEST(Policies, AgreeWithTheDenseOracleOnAThousandRandomTreesOfEveryJointType) {
  Tally tally;
  for (int seed = 1; seed <= effort(1000); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed), 6 + seed % 12);
    check(robot, random_mixed(robot, static_cast<std::uint64_t>(seed)), tally);
    if (HasFailure()) return;
  }
  expect_enough_of_everything(tally);
}

TEST(Policies, AgreeWithTheDenseOracleOnEverySharedRobot) {
  ZWANG_NEEDS_SHARED_ROBOTS();
  Tally tally;
  on_every_shared_robot([&](const Robot& robot, const std::string&) {
    for (int seed = 1; seed <= effort(20); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      // Loops there, levels elsewhere: both at once meet conditions of 1e9 between levels (tiago's hand and wheels).
      MixedOptions options;
      (seed % 2 ? options.priorities : options.loops) = false;
      check(robot, random_mixed(robot, static_cast<std::uint64_t>(seed), options), tally);
    }
  });
  EXPECT_LE(tally.unclear, tally.all / 3);
}

/// The same problem by another method.
Eigen::VectorXd solved(const Robot& robot, Mixed x, const std::string& method, Eigen::VectorXd* lambda = nullptr) {
  x.settings.method = method;
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  if (lambda != nullptr) *lambda = s.multipliers;
  return s.acceleration;
}

TEST(Policies, EliminatingEarlyChangesThePlaceAndNotTheAnswer) {
  MixedOptions options;
  options.soft = options.other_singularities = false;
  int tried = 0;
  for (int seed = 1; seed <= effort(150); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 300, 10 + seed % 20);
    const Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 300, options);
    const reference::HybridMotion oracle = solve(stated(robot, x));
    if (!oracle.clear(1e-11L, 1e-3L) || oracle.amplification > 1e6) continue;
    ++tried;
    Eigen::VectorXd lambda, early;
    const Eigen::VectorXd a = solved(robot, x, "popov_vereshchagin", &lambda), b = solved(robot, x, "pv_early", &early);
    EXPECT_CLOSE(b, a, 1e-9);  // amplification of at most 1e6 times a hundred roundings
    EXPECT_TRUE(within(early, lambda, 1e-7, 1e-3 + lambda.cwiseAbs().maxCoeff()));
  }
  EXPECT_GE(tried, effort(150) / 2);
}

FrameConstraint tool_rows(const std::string& name, const std::string& words, std::vector<double> beta) {
  FrameConstraint c;
  c.name = name;
  c.frame = "tool0";
  c.rows = rows(words);
  c.beta = std::move(beta);
  return c;
}
Mixed at_arm(const Robot& robot, std::uint64_t seed, std::vector<AnyConstraint> constraints) {
  Mixed x;
  x.state = random_state(robot.reference, seed);
  x.constraints = std::move(constraints);
  return x;
}

TEST(SoftRows, TendToHardOnesAsTheyStiffenAndToNoneAsTheySoften) {
  const Robot robot(sample_arm7());
  FrameConstraint c = tool_rows("tool", "linear angular.x", {1, -2, 3, 0.5});
  const Eigen::VectorXd hard = solved(robot, at_arm(robot, 3, {c}), "automatic");
  const Eigen::VectorXd free = solved(robot, at_arm(robot, 3, {}), "automatic");
  c.policy = Policy::soft;
  double before = 1e300;
  for (const double R : {1e-1, 1e-3, 1e-5, 1e-7}) {
    c.compliance = {R};
    const double away = relative_error(solved(robot, at_arm(robot, 3, {c}), "automatic"), hard);
    EXPECT_LT(away, before);
    before = away;
  }
  EXPECT_LT(before, 1e-5);  // proportional to R over the eigenvalues of J M^-1 J^T, which are above 1e-2
  c.compliance = {1e12};
  EXPECT_CLOSE(solved(robot, at_arm(robot, 3, {c}), "automatic"), free, 1e-9);
}

TEST(SoftRows, NeedNoRank) {
  const Robot robot(sample_arm7());
  FrameConstraint once = tool_rows("once", "all", {}), again = tool_rows("again", "all", {1, 2, 3, 4, 5, 6});
  once.policy = again.policy = Policy::soft;
  once.compliance = again.compliance = {0.2};
  const Mixed x = at_arm(robot, 4, {once, again});
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  const Solution& s = solver.solve(x.input());
  EXPECT_EQ(s.report.rank, 12);
  EXPECT_EQ(s.report.status, Status::ok) << s.report.explain();
  EXPECT_TRUE(s.report.redundant.empty() && s.report.given_up.empty());
  // Two equal springs with different targets: their forces differ by the difference of targets over R.
  const Eigen::VectorXd apart = s["again"].multipliers - s["once"].multipliers;
  EXPECT_CLOSE(apart, Eigen::VectorXd((Eigen::VectorXd(6) << 1, 2, 3, 4, 5, 6).finished() / 0.2), 1e-11);
}

TEST(SoftRows, OfMethodPvSoftAreAllRowsThatHaveACompliance) {
  const Robot robot(sample_arm7());
  FrameConstraint c = tool_rows("tool", "linear", {1, -2, 3});
  c.policy = Policy::soft;
  c.compliance = {0.1, 0.2, 0.3};
  const Eigen::VectorXd soft = solved(robot, at_arm(robot, 5, {c}), "automatic");
  EXPECT_CLOSE(solved(robot, at_arm(robot, 5, {c}), "pv_soft"), soft, 1e-13);
  c.policy = Policy::hard;
  c.compliance.clear();
  const Mixed x = at_arm(robot, 5, {c});
  const ConstraintSet set = x.set(robot.model);
  SolverSettings settings;
  settings.method = "pv_soft";
  EXPECT_THROW(Solver(robot.model, set, settings).solve(x.input()), UnsupportedError);
}

/// What a combination is refused with: an exception from solve, a status from try_solve, no numbers.
void expect_unsupported(const Robot& robot, const Mixed& x) {
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set);
  solver.settings() = x.settings;
  EXPECT_THROW(solver.solve(x.input()), UnsupportedError);
  const Solution& s = solver.try_solve(x.input());
  EXPECT_EQ(s.report.status, Status::invalid_input);
  EXPECT_FALSE(s.report.explain().empty());
  for (const double a : s.acceleration) EXPECT_EQ(a, 0);
}

TEST(Policies, RefuseCombinationsThatHaveNoMeaning) {
  const Robot robot(sample_arm7());
  FrameConstraint top = tool_rows("top", "linear", {}), low = tool_rows("low", "angular", {});
  low.priority = 1;
  Mixed x = at_arm(robot, 6, {top, low});
  for (const Singularity s : {Singularity::damping, Singularity::proximal}) {
    x.settings.singularity = s;
    expect_unsupported(robot, x);
  }
  x.settings.singularity = Singularity::truncation;
  low.policy = Policy::soft;
  low.compliance = {0.1};
  x.constraints[1] = low;
  expect_unsupported(robot, x);
  low.priority = 0;
  low.compensate.gravity = false;
  x.constraints[1] = low;
  expect_unsupported(robot, x);
  low.compensate.gravity = true;
  x.constraints[1] = low;
  const ConstraintSet set = x.set(robot.model);
  EXPECT_EQ(Solver(robot.model, set).solve(x.input()).report.status, Status::ok);
  SolverSettings settings;
  settings.method = "pv_eraly";
  EXPECT_THROW(Solver(robot.model, set, settings), std::invalid_argument);
}

TEST(Singularities, DampingBoundsTheForcesNearASingularityAndSaysWhatItMisses) {
  const Robot robot(sample_arm7());
  FrameConstraint c = tool_rows("tool", "all", {1, 2, -1, 3, 1, -2});
  Mixed x = at_arm(robot, 7, {c});
  x.state.q.setZero();  // stretched out: directions of the tool are lost
  x.state.q(3) = 1e-5;
  const auto force = [&](Singularity s) {
    x.settings.singularity = s;
    x.settings.regularisation = s == Singularity::damping ? 1e-3 : 0;
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution got = solver.solve(x.input());
    if (s == Singularity::damping) {
      EXPECT_EQ(got.report.status, Status::ok);
      EXPECT_FALSE(got.report.given_up.empty());
      for (const GivenUp& g : got.report.given_up) EXPECT_EQ(g.reason, GivenUp::Reason::damping);
      EXPECT_NE(got.report.explain().find("tool:"), std::string::npos) << got.report.explain();
    }
    return got.multipliers.norm();
  };
  EXPECT_LT(100 * force(Singularity::damping), force(Singularity::truncation));
}

TEST(Singularities, ProximalIterationsSettleAtTheAnswerOfTruncation) {
  MixedOptions options;
  options.soft = options.priorities = options.other_singularities = false;
  int settled = 0, tried = 0;
  for (int seed = 1; seed <= effort(150); ++seed) {
    SCOPED_TRACE("tree " + std::to_string(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 800, 12);
    Mixed x = random_mixed(robot, static_cast<std::uint64_t>(seed) + 800, options);
    const reference::HybridMotion oracle = solve(stated(robot, x));
    if (!oracle.clear(1e-11L, 1e-3L) || oracle.amplification > 1e6) continue;
    ++tried;
    const Eigen::VectorXd a = solved(robot, x, "automatic");
    x.settings.singularity = Singularity::proximal;
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status == Status::not_converged) continue;
    ++settled;
    EXPECT_GE(s.report.iterations, 1);
    EXPECT_LE(s.report.iterations, x.settings.max_iterations);
    // Contradictions grow the multipliers by 1 / mu in directions that move nothing: 1e8 roundings.
    EXPECT_CLOSE(s.acceleration, a, 1e-7);
  }
  EXPECT_GE(settled, tried * 9 / 10);
}

TEST(Singularities, WeightsDecideBetweenRowsThatContradictAndChangeNothingElse) {
  const Robot robot(sample_arm7());
  FrameConstraint left = tool_rows("left", "linear.x", {2}), right = tool_rows("right", "linear.x", {-4}),
                  other = tool_rows("other", "angular", {1, 2, 3});
  left.weight = {3};
  right.weight = {1};
  other.weight = {0.1, 1, 10};
  Mixed x = at_arm(robot, 9, {left, right, other});
  x.settings.singularity = Singularity::weighted;
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Solution& s = solver.solve(x.input());
  EXPECT_EQ(s.report.status, Status::infeasible);
  EXPECT_NEAR(s["left"].residual(0), (2.0 * 3 - 4.0) / 4 - 2, 1e-11);  // the weighted mean, less what is wanted
  EXPECT_NEAR(s["right"].residual(0), (2.0 * 3 - 4.0) / 4 + 4, 1e-11);
  EXPECT_LE(s["other"].residual.cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(s["left"].multipliers(0), 3 * s["right"].multipliers(0), 1e-9 * std::fabs(s["left"].multipliers(0)));
}

}  // namespace
}  // namespace zwang::test
