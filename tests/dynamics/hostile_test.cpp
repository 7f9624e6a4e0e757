// SPDX-License-Identifier: BSD-3-Clause
// Hostile use of solvers, sets and overrides: a clear refusal or a status, never NaN with status ok,
// never a stray write.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

class Hostile : public testing::Test {
 protected:
  Hostile() : arm(build(sample_arm7())), set(arm), state(random_state(arm, 5)) {
    set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  }
  SolveInput input() const {
    SolveInput in;
    in.q = state.q;
    in.v = state.v;
    in.tau = state.tau;
    return in;
  }
  static void expect_zeros(const Solution& s) {
    for (const VectorView& x : {s.acceleration, s.multipliers, s.motor_torque, s.reaction})
      for (const double e : x) EXPECT_EQ(e, 0);
    EXPECT_EQ(s.zwang, 0);
  }
  Model arm;
  ConstraintSet set;
  RandomState state;
};

/// Positions and velocities whose squares leave the range of double, by every method: an outcome, as without relations.
TEST_F(Hostile, RelationsBeyondTheRangeOfDoubleAreAStatusOfEveryMethod) {
  RobotDescription d = sample_arm7();
  d.joints[2].type = "prismatic";
  const Model slider = build(d);
  ConstraintSet relations(slider);
  relations.add(LoopConstraint{.name = "loop", .frame = "link2", .other = "tool0", .rows = rows("linear")});
  relations.add(DistanceConstraint{.name = "rod", .frame = "link1", .other = "link6", .length = 0.3});
  for (const std::string& method : methods()) {
    if (method == "constrained_aba" || method == "pv_soft") continue;  // not for these rows
    SCOPED_TRACE(method);
    Solver solver(slider, relations, {.method = method});
    for (const double size : {1e100, 1e160, 1e300})
      for (const bool position : {false, true}) {
        RandomState x = random_state(slider, 5);
        (position ? x.q : x.v)(2) = size;
        const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
        if (s.report.status == Status::overflow) {
          expect_zeros(s);
        } else {
          // Links far enough away have an inertia that drowns in rounding.
          EXPECT_TRUE(s.report.status == Status::ok || (position && s.report.status == Status::singular_mass))
              << s.report.explain();
          EXPECT_TRUE(s.acceleration.allFinite() && s.multipliers.allFinite());
        }
        EXPECT_TRUE(position || size < 1e150 || s.report.status == Status::overflow) << s.report.explain();
        EXPECT_EQ(solver.try_solve({.q = x.q, .v = x.v, .tau = x.tau}).report.status, s.report.status);
      }
    const RandomState x = random_state(slider, 5);
    EXPECT_EQ(solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report.status, Status::ok)
        << solver.solution().report.explain();
  }
}

TEST_F(Hostile, NumbersBeyondTheRangeOfDoubleAreAStatus) {
  Solver solver(arm, set);
  for (double* spoilt : {state.v.data(), state.tau.data()}) {
    const double kept = spoilt[2];
    spoilt[2] = 1e300;
    const Solution& s = solver.solve(input());
    EXPECT_EQ(s.report.status, Status::overflow);
    expect_zeros(s);
    EXPECT_NE(s.report.explain().find("range of double"), std::string::npos);
    set["tool"].active = false;  // also without rows
    if (solver.try_solve(input()).report.status == Status::ok) {
      for (const double e : s.acceleration) EXPECT_TRUE(std::isfinite(e));
    } else {
      EXPECT_EQ(s.report.status, Status::overflow);
    }
    set["tool"].active = true;
    spoilt[2] = kept;
  }
  EXPECT_EQ(solver.solve(input()).report.status, Status::ok);
  Data data(arm);
  Eigen::VectorXd out(arm.nv()), huge = state.v;
  huge[2] = 1e300;
  EXPECT_EQ(try_forward_dynamics(arm, data, state.q, huge, state.tau, out), Status::overflow);
  EXPECT_EQ(try_inverse_dynamics(arm, data, state.q, huge, state.tau, out), Status::overflow);
}

TEST_F(Hostile, PointsAndRowsThatAreNotFiniteAreRefused) {
  ContactConstraint contact{.name = "c", .frame = "tool0"};
  contact.point = {0, k_nan, 0};
  EXPECT_THROW(set.add(contact), std::invalid_argument);
  FrameConstraint frame{.name = "f", .frame = "tool0", .rows = rows("linear.x")};
  frame.rows.matrix[1] = k_nan;
  EXPECT_THROW(set.add(frame), std::invalid_argument);
  EXPECT_EQ(set.size(), 1);
}

TEST_F(Hostile, OverridesRefuseUnknownLinksAndNumbersThatAreNotFinite) {
  Data data(arm);
  const Sym3<double> I = Sym3<double>::diagonal(0.1, 0.1, 0.1);
  const LinkId tool = arm.find_link("tool0");
  EXPECT_THROW(data.set_payload(arm.find_link("no such link"), 1, {0, 0, 0}, I), std::invalid_argument);
  EXPECT_THROW(data.set_inertia(LinkId(1000), 1, {0, 0, 0}, I), std::invalid_argument);
  EXPECT_THROW(data.set_payload(tool, k_nan, {0, 0, 0}, I), std::invalid_argument);
  EXPECT_THROW(data.set_payload(tool, -50, {0, 0, 0}, I), std::invalid_argument);
  EXPECT_THROW(data.set_gravity({k_nan, 0, 0}), std::invalid_argument);
  EXPECT_EQ(data.gravity.x, 0);
}

TEST_F(Hostile, ASetThatIsReplacedIsFollowedOnlyWithinTheSameModel) {
  Solver solver(arm, set);
  ConstraintSet other(arm);
  other.add(FrameConstraint{.name = "elbow", .frame = "tool0", .rows = rows("angular")});
  set = other;  // as many constraints and rows as before
  Solver fresh(arm, other);
  EXPECT_EQ(Eigen::VectorXd(solver.solve(input()).acceleration), Eigen::VectorXd(fresh.solve(input()).acceleration));
  EXPECT_EQ(solver.solution()["elbow"].multipliers.size(), 3);
  const Model twin = build(sample_arm7());
  ConstraintSet foreign(twin);
  foreign.add(FrameConstraint{.name = "elbow", .frame = "tool0", .rows = rows("angular")});
  set = foreign;
  EXPECT_THROW(solver.solve(input()), WorkspaceMismatch);
  EXPECT_EQ(solver.try_solve(input()).report.status, Status::invalid_input);
}

TEST_F(Hostile, RowsMayMoveToAnotherBodyButNotToOneThatIsNotThere) {
  Solver solver(arm, set);
  const Index tool = arm.frame("tool0").body.value;
  const auto move_to = [&](Index body) { set["tool"].rows_on_body.change([&](RowsOnBody& r) { r.body = body; }); };
  move_to(1);
  const Eigen::VectorXd moved = solver.solve(input()).acceleration;
  Solver fresh(arm, set);
  EXPECT_EQ(moved, Eigen::VectorXd(fresh.solve(input()).acceleration));
  for (const Index nowhere : {-1, arm.bodies() + 1}) {
    move_to(nowhere);
    EXPECT_THROW(solver.solve(input()), std::invalid_argument);
    EXPECT_EQ(solver.try_solve(input()).report.status, Status::invalid_input);
  }
  move_to(tool);
  EXPECT_EQ(solver.solve(input()).report.status, Status::ok);
  set["tool"].rows_on_body.change([](RowsOnBody& r) { r.matrix.resize(6); });
  EXPECT_THROW(solver.solve(input()), std::invalid_argument);
}

TEST_F(Hostile, ARefusedSolveForgetsTheOneBefore) {
  ContactConstraint pull{.name = "pull", .frame = "tool0"};
  pull.beta = {0, 0, -500};
  set.add(pull);  // the tool's linear rows twice, with another beta: contradictory, and with warnings
  Solver solver(arm, set);
  const Solution& s = solver.solve(input());
  EXPECT_FALSE(s.report.redundant.empty());
  EXPECT_FALSE(s.report.infeasible.empty());
  EXPECT_FALSE(s.report.warnings.empty());
  state.v[0] = k_nan;
  EXPECT_EQ(solver.try_solve(input()).report.status, Status::non_finite_input);
  EXPECT_TRUE(s.report.redundant.empty());
  EXPECT_TRUE(s.report.infeasible.empty());
  EXPECT_TRUE(s.report.warnings.empty());
  EXPECT_EQ(solver.active_rows(), 0);
  expect_zeros(s);
}

}  // namespace
}  // namespace zwang::test
