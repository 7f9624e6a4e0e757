// SPDX-License-Identifier: BSD-3-Clause
// An answer is a function of input, settings and model: what a Solver has solved before may save time only.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

/// A random problem of any kind, now and then with senses of rows and limits of motors.
Mixed any_problem(const Robot& robot, std::uint64_t seed) {
  Random random(seed);
  Mixed x = random_mixed(robot, seed);
  if (random.below(2) == 0) x = with_senses(robot, x, seed);
  if (random.below(3) > 0) return x;
  for (int y = 0; y < robot.model.nv(); ++y) {
    x.settings.motor_limits.lower.push_back(-std::pow(10, random.uniform(0, 2)));
    x.settings.motor_limits.upper.push_back(std::pow(10, random.uniform(0, 2)));
  }
  return x;
}

/// Solves three other states, one of them with a constraint switched the other way, then one that a new Solver solves,
/// too. Bits are equal where the status is ok; elsewhere the same search may meet the same numbers in another order:
/// 1e-9.
TEST(History, DoesNotChangeAnAnswer) {
  const std::vector<Robot> robots = {Robot(sample_arm7()), sample_robot("quadruped"), sample_robot("gripper")};
  const int seeds = std::getenv("ZWANG_WHOLE_TABLE") != nullptr ? 4000 : effort(500);
  int histories = 0, ok = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Robot& robot = robots[static_cast<std::size_t>(seed) % robots.size()];
    const Mixed x = any_problem(robot, static_cast<std::uint64_t>(seed));
    ConstraintSet set = x.set(robot.model);
    const std::string switched = set.constraints().front().name.value();
    const bool active = set[switched].active;
    for (const std::string& method : methods()) {
      SCOPED_TRACE(method + ", seed " + std::to_string(seed));
      SolverSettings settings = x.settings;
      settings.method = method;
      try {
        Solver used(robot.model, set, settings);
        SolveInput input = x.input();
        RandomState state;
        for (int k = 0; k < 4; ++k) {
          state = random_state(robot.reference, static_cast<std::uint64_t>(10 * seed + k));
          set[switched].active = (k == 1) != active;
          input.q = state.q, input.v = state.v, input.tau = state.tau;
          used.solve(input);
        }
        Solver fresh(robot.model, set, settings);
        const Solution &a = used.solution(), &b = fresh.solve(input);
        ++histories;
        ok += b.report.status == Status::ok;
        EXPECT_EQ(a.report.status, b.report.status);
        if (b.report.status == Status::ok) {
          EXPECT_TRUE(a.acceleration == b.acceleration && a.multipliers == b.multipliers);
        } else {
          EXPECT_LE((a.acceleration - b.acceleration).norm(), 1e-9 * b.acceleration.norm());
        }
      } catch (const UnsupportedError&) { set[switched].active = active; }
    }
  }
  EXPECT_GE(ok, histories / 5);
}

}  // namespace
}  // namespace zwang::test
