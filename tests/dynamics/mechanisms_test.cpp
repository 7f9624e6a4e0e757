// SPDX-License-Identifier: BSD-3-Clause
// Closed mechanisms with real sizes: every method gives the motion and the forces of the dense reference, in consistent
// states, off the closed manifold, and with rows that are springs.
#include "dynamics/mechanisms.hpp"

#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/robots.hpp"

namespace zwang::test {
namespace {

/// Closed states: dependent rows do not contradict each other.
void expect_closed(const Mechanism& m, int states, MethodCount& count) {
  for (int seed = 1; seed <= effort(states); ++seed) {
    SCOPED_TRACE(m.robot.model.name() + ", seed " + std::to_string(seed));
    expect_every_method(m, closed_state(m, static_cast<std::uint64_t>(seed)), count);
    if (testing::Test::HasFailure()) return;
  }
}
void expect_soft(Mechanism m, int states, MethodCount& count) {
  soften(m, 1e-3);  // of 1 (m/s^2)/N: a joint that gives way
  expect_closed(m, states, count);
  EXPECT_TRUE(!m.gears.empty() || count.solved["pv_soft"] > 0);
}
/// Any state: rows that do not close, but are independent there.
void expect_open(const Mechanism& m, int states, MethodCount& count) {
  for (int seed = 1; seed <= effort(states); ++seed) {
    SCOPED_TRACE(m.robot.model.name() + ", open, seed " + std::to_string(seed));
    expect_every_method(m, random_state(m.robot.reference, static_cast<std::uint64_t>(seed)), count);
    if (testing::Test::HasFailure()) return;
  }
}
void tell(const MethodCount& count) {
  for (const auto& [method, n] : count.solved) testing::Test::RecordProperty(method + " solved", n);
  for (const auto& [method, n] : count.refused) testing::Test::RecordProperty(method + " refused", n);
}

TEST(EveryMethod, MovesAStewartPlatform) {
  MethodCount count;
  expect_closed(stewart_platform(), 20, count);
  expect_open(stewart_platform(), 5, count);
  expect_soft(stewart_platform(), 3, count);
  tell(count);
}

TEST(EveryMethod, MovesADeltaRobot) {
  MethodCount count;
  expect_closed(delta_robot(), 20, count);
  expect_open(delta_robot(), 5, count);
  expect_soft(delta_robot(), 3, count);
  tell(count);
}

TEST(EveryMethod, MovesRingsOfAnyLength) {
  MethodCount count;
  for (const int n : {4, 5, 8, 13, 20}) {
    expect_closed(hinge_ring(n), 4, count);
    expect_closed(ball_ring(n), 4, count);
  }
  expect_open(ball_ring(6), 5, count);
  expect_soft(hinge_ring(6), 3, count);
  tell(count);
}

TEST(EveryMethod, MovesAPlanarFourBarInSpaceWhoseRowsAreRedundant) {
  MethodCount count;
  expect_closed(four_bar_in_space(), 40, count);
  expect_soft(four_bar_in_space(), 5, count);
  tell(count);
}

/// Every joint type, loops on any rows between any frames, contacts and frames beside them, contradictions among them.
TEST(EveryMethod, MovesRandomTreesWithRandomLoops) {
  MethodCount count;
  int in_doubt = 0;
  const int all = effort(150);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mechanism m{.robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 70000, 4 + seed % 12)};
    const Imposed x = random_imposed_with_loops(m.robot, static_cast<std::uint64_t>(seed) + 500);
    for (const AnyConstraint& c : x.constraints)
      if (is_active(c)) m.constraints.push_back(c);
    if (seed % 5 == 0) soften(m.constraints.front(), 0.3);
    if (seed % 10 == 0) soften(m, 0.1);
    const reference::HybridMotion oracle = reference::hybrid_motion(problem(m, x.state));
    if (!oracle.clear() || oracle.amplification > 1e9L) {
      ++in_doubt;
      continue;
    }
    expect_every_method(m, x.state, count);
    if (HasFailure()) return;
  }
  tell(count);
  EXPECT_LE(in_doubt, all / 5);
  if (all < 100) return;
  EXPECT_GE(count.dependent, all / 10);
  EXPECT_GE(count.infeasible, all / 20);
}

/// Between knee and shin the file has two hinges and a slider along which their common turn moves: a loop that is
/// closed only where it is singular. Rows that hold it are asked off the closed manifold, at rest, where they agree.
TEST(EveryMethod, MovesCassieWithItsLoopsAndGears) {
  ZWANG_NEEDS_SHARED_ROBOT("cassie.sdf");
  Mechanism m = cassie(shared_robot("cassie.sdf"));
  EXPECT_EQ(m.robot.model.nv(), 44);
  EXPECT_EQ(m.constraints.size(), 6U);
  EXPECT_EQ(m.gears.size(), 10U);
  m.mobility = 44 - 2 * (5 + 2 + 5 + 2);  // gears, slider, hinge and, of a planar loop, ball
  MethodCount count;
  for (int seed = 1; seed <= effort(8); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomState state = near_start(m, static_cast<std::uint64_t>(seed));
    state.v.setZero();
    expect_every_method(m, state, count);
    if (HasFailure()) return;
  }
  tell(count);
}

TEST(EveryMethod, MovesCassieOnItsLeafSprings) {
  ZWANG_NEEDS_SHARED_ROBOT("cassie.sdf");
  Mechanism m = cassie(shared_robot("cassie.sdf"));
  for (AnyConstraint& any : m.constraints)
    if (name_of(any).find("shin-spring") != std::string::npos) soften(any, 1e-2);
  MethodCount count;
  expect_closed(m, 6, count);
  for (const char* foot : {"left-foot", "right-foot"})
    for (const double at : {-0.05, 0.05})
      m.constraints.push_back(
          ContactConstraint{.name = foot + std::to_string(at), .frame = foot, .point = {at, at, 0}, .rows = 3});
  expect_closed(m, 6, count);
  tell(count);
}

}  // namespace
}  // namespace zwang::test
