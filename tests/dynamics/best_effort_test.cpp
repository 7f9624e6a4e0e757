// SPDX-License-Identifier: BSD-3-Clause
// Best effort of inverse dynamics: where bounds and demands contradict each other, forces within the bounds whose motion is
// the nearest one. The laws: bounds hold, the torques make the motion, and it satisfies the conditions of the optimum.
#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/robots.hpp"
#include "zwang/dynamics/constrained_inverse_dynamics.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// minimise |a - a*|_M over low <= M a + h <= high: with r = M (a - a*) the torque that misses, its motion M^-1 r = a - a* may
/// only point out of the bounds, and is 0 elsewhere.
TEST(BestEffort, OfAnArmIsTheNearestMotion) {
  const Model arm = load(model_file("arm7.urdf"));
  const int n = static_cast<int>(arm.nv());
  const ConstraintSet none(arm);
  int missed = 0, free = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomState x = random_state(arm, seed);
    const Vector wish = random.vector(n, 6);
    ConstrainedInverseDynamics inverse(arm, none, {}, {.best_effort = true});
    const Vector asked = inverse.solve({.q = x.q, .v = x.v, .a = wish}).motors;
    ASSERT_EQ(inverse.solution().report.status, Status::ok);
    const Vector high = random.uniform(0.3, 0.9) * asked.cwiseAbs().maxCoeff() * Vector::Ones(n), low = -high;
    const InverseInput input{.q = x.q, .v = x.v, .a = wish, .motor_lower = low, .motor_upper = high};
    const InverseSolution& s = inverse.solve(input);
    ASSERT_EQ(s.report.status, Status::infeasible) << s.report.explain();
    EXPECT_TRUE(s.report.beyond.empty());
    EXPECT_FALSE(s.report.missed.empty());
    const Vector a = s.acceleration, u = s.motors;
    EXPECT_LE(u.cwiseAbs().maxCoeff(), high(0) * (1 + 1e-9));
    Data data(arm);
    EXPECT_TRUE(within(forward_dynamics(arm, data, x.q, x.v, u), a, 1e-10, 1 + 100 * u.norm()));
    // Forces count 1e-6 of the motion, which moves the optimum by that much of what is missed.
    const double slack = 1e-4 * (a - wish).norm();
    for (int j = 0; j < n; ++j) {
      const double left = a(j) - wish(j);
      if (u(j) > high(j) * (1 - 1e-7))
        EXPECT_LE(left, slack), ++missed;
      else if (u(j) < low(j) * (1 - 1e-7))
        EXPECT_GE(left, -slack), ++missed;
      else
        EXPECT_NEAR(left, 0, slack), ++free;
    }
    inverse.settings().best_effort = false;
    const InverseSolution& without = inverse.solve(input);
    EXPECT_EQ(without.report.status, Status::infeasible);
    EXPECT_FALSE(without.report.beyond.empty());
    EXPECT_TRUE(within(without.motors, asked, 1e-9, 1 + asked.norm()));
  }
  EXPECT_GT(missed, 40);
  EXPECT_GT(free, 100);
}

/// Legs in friction cones with weak motors: what comes out is what wishes without demands give, and says that it misses.
TEST(BestEffort, OfLegsKeepsConesAndMotors) {
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  const int n = static_cast<int>(model.nv());
  ConstraintSet feet(model);
  InverseSettings settings;
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"}) {
    feet.add(ContactConstraint{.name = foot, .frame = foot});
    settings.friction.push_back({foot, 0.5});
  }
  Vector q = neutral(model);
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    q(model.joint(std::string(leg) + "_hip_pitch").q.first) = 0.6;
    q(model.joint(std::string(leg) + "_knee").q.first) = -1.2;
  }
  const Vector still = Vector::Zero(n), none = Vector::Zero(n);
  for (const double push : {0.0, 30.0, 80.0}) {
    SCOPED_TRACE(push);
    const Externals external{external_wrench(model, "trunk", {push, 0, 0, 0, 0, 0})};
    settings.best_effort = false;
    ConstrainedInverseDynamics inverse(model, feet, {}, settings);
    const Vector free = inverse.solve({.q = q, .a = still, .external = &external}).motors;
    const Vector high = 0.4 * free.cwiseAbs().maxCoeff() * Vector::Ones(n - 6), low = -high;
    const InverseSolution& wished = inverse.solve(
        {.q = q, .a = still, .weight = none, .external = &external, .motor_lower = low, .motor_upper = high});
    ASSERT_EQ(wished.report.status, Status::ok) << wished.report.explain();
    const Vector a = wished.acceleration, u = wished.motors;
    inverse.settings().best_effort = true;
    const InverseSolution& s =
        inverse.solve({.q = q, .a = still, .external = &external, .motor_lower = low, .motor_upper = high});
    EXPECT_EQ(s.report.status, Status::infeasible) << s.report.explain();
    EXPECT_TRUE(s.report.beyond.empty() && s.report.outside.empty());
    EXPECT_FALSE(s.report.missed.empty());
    EXPECT_LE(s.motors.cwiseAbs().maxCoeff(), high(0) * (1 + 1e-9));
    EXPECT_TRUE(within(s.acceleration, a, 1e-5, 1 + a.norm()));
    EXPECT_TRUE(within(s.motors, u, 1e-4, 1 + u.norm()));
  }
}

}  // namespace
}  // namespace zwang::test
