// SPDX-License-Identifier: BSD-3-Clause
// Soft rows of small compliance: lambda = (beta - K a) / R magnifies the rounding of K a by 1 / R. A step of iterative
// refinement takes it back.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

/// Three rows on a frame with compliance R, and with `pulled` a ball that ties two bodies with the same.
Mixed stiff(const Robot& robot, std::uint64_t seed, const std::string& frame, double R, bool pulled) {
  Mixed x = random_mixed(robot, seed);
  Random random(seed);
  x.constraints.clear();
  x.prescribed.clear();
  x.settings = {};
  FrameConstraint c{.name = "spring", .frame = frame, .rows = rows("linear")};
  for (int i = 0; i < 3; ++i) c.beta.push_back(random.uniform(-1, 1));
  c.policy = Policy::soft;
  c.compliance = {R};
  x.constraints.emplace_back(c);
  if (pulled) {
    const auto& links = robot.reference.links();
    LoopConstraint tie{.name = "tie", .frame = frame, .other = links[links.size() / 2].name, .rows = rows("linear")};
    tie.policy = Policy::soft;
    tie.compliance = {R};
    x.constraints.emplace_back(tie);
  }
  return x;
}

/// M q'' + h = tau + J^T lambda to 1e-12 of its terms, and lambda that of a long double KKT system to 1e-9: it is
/// eps / R better than by elimination alone, 1e-7 at R = 1e-9.
void expect_exact(const Robot& robot, const Mixed& x) {
  const Stated s = stated(robot, x);
  const auto [a, lambda] = reference::kkt_motion(s.problem);
  const ConstraintSet set = x.set(robot.model);
  for (const std::string& method : methods()) {
    SCOPED_TRACE(method);
    std::optional<Solver> solver;
    try {
      solver.emplace(robot.model, set, SolverSettings{.method = method});
      solver->solve(x.input());
    } catch (const UnsupportedError&) { continue; }
    const Solution& got = solver->solve(x.input());
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    const Vec q = got.acceleration.cast<Real>(), force = got.multipliers.cast<Real>();
    const Vec moved = s.posed.M * q, pushed = s.posed.A.transpose() * force;
    const Vec rest = moved - s.posed.M * a - (pushed - s.posed.A.transpose() * lambda);
    EXPECT_LE(rest.norm(), 1e-12L * (moved.norm() + pushed.norm() + x.state.tau.norm()));
    EXPECT_LE((force - lambda).norm(), 1e-9L * lambda.norm());
  }
}

TEST(StiffRows, KeepTheEquationsOfMotion) {
  const Robot arm(sample_arm7());
  const Robot quadruped = sample_robot("quadruped");
  for (const double R : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9})
    for (int seed = 1; seed <= effort(10); ++seed) {
      SCOPED_TRACE("R " + std::to_string(std::log10(R)) + ", seed " + std::to_string(seed));
      const auto at = static_cast<std::uint64_t>(seed);
      expect_exact(arm, stiff(arm, at, "link5", R, false));
      expect_exact(quadruped, stiff(quadruped, at, "LF_foot", R, false));
      expect_exact(quadruped, stiff(quadruped, at, "LF_foot", R, true));
    }
}

}  // namespace
}  // namespace zwang::test
