// SPDX-License-Identifier: BSD-3-Clause
// A Solver without rows whose status is ok leaves of the equations of motion no more than rounding of their terms
// (algorithm/motion_terms.hpp), also where bodies are nearly points far from their joints. With rows W decides there.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/hostile_bodies.hpp"
#include "algorithm/motion_terms.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Real = reference::Real;
using Vector = Eigen::VectorXd;
constexpr Real k_promised = 64;  // the library measures its own sums against 32
const JointEffects k_inertial{.armature = true, .damping = false, .springs = false, .friction = false};

TEST(MotionPromise, HoldsForBodiesThatAreNearlyPoints) {
  int ok = 0, all = 0;
  for (int seed = 1; seed <= effort(1500); ++seed) {
    BuildOptions options;
    const Case c(hostile_bodies(static_cast<std::uint64_t>(seed), options), options, "seed " + std::to_string(seed));
    if (c.model.nv() == 0) continue;
    const RandomState x = random_state(c.reference, static_cast<std::uint64_t>(seed));
    double mass = 0;
    for (const Link& link : c.model.links()) mass = std::max(mass, link.mass);
    const Vector tau = x.tau * mass;
    const MotionTerms terms(c, x.q, x.v);
    ConstraintSet none(c.model);
    Solver solver(c.model, none, {.joint_effects = k_inertial});
    const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = tau});
    ++all;
    if (s.report.status != Status::ok) continue;
    ++ok;
    EXPECT_LE(terms.lost(tau.cast<Real>(), Vector(s.acceleration).cast<Real>()), k_promised) << c.name;
  }
  EXPECT_GT(ok, 0.8 * all);
}

TEST(MotionPromise, AFloatingBodyFarFromItsOriginMovesRight) {
  for (int digits = 0; digits <= 16; ++digits) {
    const double e = std::pow(10.0, -digits);
    RobotDescription r;
    r.links = {make_link("a", 1, {0.002, 0.001, 1}, Sym3<double>::diagonal(0.7 * e, e, 1.2 * e))};
    const Case c(r, {.root = "floating"}, "1e-" + std::to_string(digits));
    ConstraintSet none(c.model);
    Solver solver(c.model, none, {.joint_effects = k_inertial});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const RandomState x = random_state(c.reference, seed);
      const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
      if (s.report.status != Status::ok) {
        EXPECT_GT(digits, 11) << c.name;
        EXPECT_EQ(s.report.status, Status::singular_mass) << c.name;
        EXPECT_EQ(s.report.singular_joint, "root_joint");
        continue;
      }
      EXPECT_LT(digits, 15) << c.name;
      EXPECT_LE(MotionTerms(c, x.q, x.v).lost(x.tau.cast<Real>(), Vector(s.acceleration).cast<Real>()), k_promised)
          << c.name;
    }
  }
}

}  // namespace
}  // namespace zwang::test
