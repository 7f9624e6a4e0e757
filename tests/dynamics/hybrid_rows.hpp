// SPDX-License-Identifier: BSD-3-Clause
// One row of what hybrid dynamics must do: constraints on a robot in one state, and their solution.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "dynamics/mixed.hpp"

namespace zwang::test::hybrid_row {

inline FrameConstraint on(const std::string& name, const std::string& frame, const std::string& words,
                          std::vector<double> beta = {}) {
  FrameConstraint c;
  c.name = name;
  c.frame = frame;
  c.rows = rows(words);
  c.beta = std::move(beta);
  return c;
}
inline Mixed at(const Robot& robot, std::uint64_t seed, std::vector<AnyConstraint> constraints) {
  Mixed x;
  x.state = random_state(robot.reference, seed);
  x.constraints = std::move(constraints);
  return x;
}
/// Against the dense oracle, with a rank that is beyond doubt.
inline void expect_solved(const Robot& robot, const Mixed& x) {
  Tally tally;
  check(robot, x, tally);
  EXPECT_EQ(tally.unclear, 0);
}
/// A solver and the set that it follows.
struct Solved {
  Solved(const Robot& robot, const Mixed& x) : set(x.set(robot.model)), solver(robot.model, set, x.settings) {
    solver.solve(x.input());
  }
  const Solution& operator*() const { return solver.solution(); }
  const Solution* operator->() const { return &solver.solution(); }
  ConstraintSet set;
  Solver solver;
};

}  // namespace zwang::test::hybrid_row
