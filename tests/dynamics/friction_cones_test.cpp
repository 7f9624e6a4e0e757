// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics with friction cones, and with hostile numbers.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>

#include "dynamics/imposed.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// Forces stay in their cones, and no other forces in the cones that carry the motion take less torque. Where the cones
/// do not matter nothing changes; beyond what friction can give the contacts are named.
TEST(ConstrainedInverseDynamics, KeepsForcesInTheirFrictionCones) {
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  const std::vector<std::string> feet{"LF_foot", "RF_foot", "LH_foot", "RH_foot"};
  const int n = static_cast<int>(model.nv());
  int at_the_border = 0, refused = 0;
  const int all = effort(60, 60);
  for (int seed = 1; seed <= all; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    ConstraintSet set(model);
    InverseSettings settings;
    const double mu = random.uniform(0.2, 0.9);
    for (const std::string& foot : feet) {
      const bool slope = seed % 2 == 0;
      set.add(ContactConstraint{.name = foot,
                                .frame = foot,
                                .normal = slope ? Vec3<double>{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1}
                                                : Vec3<double>{0, 0, 1}});
      settings.friction.push_back({foot, mu});
    }
    Vector q = neutral(model);
    for (const Joint& j : model.joints())
      if (j.v.size == 1) q(j.q.first) += random.uniform(-0.2, 0.2);
    const Vector a = Vector::Zero(n);
    const Externals push{external_wrench(model, model.find_frame("trunk"),
                                         {random.uniform(-60, 60), random.uniform(-60, 60), 0, 0, 0, 0})};
    ConstrainedInverseDynamics free(model, set), inverse(model, set, {}, settings);
    const Vector least = free.solve({.q = q, .a = a, .external = &push}).tau;
    const InverseSolution& s = inverse.solve({.q = q, .a = a, .external = &push});
    if (s.report.status == Status::infeasible) {
      EXPECT_FALSE(s.report.outside.empty()) << s.report.explain();
      ++refused;
      continue;
    }
    ASSERT_EQ(s.report.status, Status::ok) << s.report.explain() << s.report.optimality << ' ' << s.report.motion;
    const auto within_cones = [&](const Vector& lambda, double slack) {
      for (int k = 0; k < 4; ++k)
        if (std::hypot(lambda(3 * k), lambda(3 * k + 1)) > mu * lambda(3 * k + 2) + slack) return false;
      return true;
    };
    const Vector lambda = s.multipliers, tau = s.tau;
    EXPECT_TRUE(within_cones(lambda, 1e-8 * lambda.norm()));
    if (within_cones(Vector(free.solution().multipliers), 0)) {
      EXPECT_EQ((tau - least).norm(), 0);
      continue;
    }
    ++at_the_border;
    EXPECT_GE(tau.norm(), least.norm() * (1 - 1e-12));
    ConstraintEvaluator rows(model, set);
    rows.evaluate(q, Vector::Zero(n));
    Eigen::MatrixXd J(12, n);
    rows.jacobian(J);
    const Eigen::MatrixXd base = J.leftCols(6).transpose();  // the root has no motors
    const Eigen::MatrixXd internal = Eigen::FullPivLU<Eigen::MatrixXd>(base).kernel();
    ASSERT_EQ(internal.cols(), 6);
    for (int k = 0; k < 400; ++k) {
      const Vector d = internal * random.vector(6, 1),
                   other = lambda + std::pow(10, random.uniform(-5, 1)) * d / d.norm() * 10;
      if (!within_cones(other, 0)) continue;
      const Vector torque = tau - J.transpose() * (other - lambda);
      EXPECT_GE(torque.tail(n - 6).norm(), tau.norm() * (1 - 1e-7)) << k;  // f = 1e-8 t breaks ties
    }
    Solver solver(model, set);
    const Solution& again = solver.solve({.q = q, .tau = tau, .external = &push});
    EXPECT_TRUE(within(again.acceleration, s.acceleration, 1e-10, 1 + tau.norm()));
    if (HasFailure()) return;
  }
  EXPECT_GE(at_the_border, all / 4);
  EXPECT_GE(refused, 1);
  RecordProperty("at the border", at_the_border);
  RecordProperty("refused", refused);
}

/// Whatever finite numbers come in: finite numbers with any status but overflow, and zeros with that.
TEST(ConstrainedInverseDynamics, GivesNoGarbageForHostileNumbers) {
  std::map<Status, int> count;
  for (int seed = 1; seed <= effort(300, 30); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Robot robot = random_robot_of_all_joints(static_cast<std::uint64_t>(seed) + 300, 3 + seed % 6);
    const Imposed x = random_imposed_with_loops(robot, static_cast<std::uint64_t>(seed));
    const double size = std::pow(10.0, random.uniform(-200, 200));
    const Vector v = x.state.v * (seed % 3 == 0 ? size : 1.0), a = x.state.a * (seed % 3 == 1 ? size : 1.0);
    ConstrainedInverseDynamics inverse(robot.model, x.set(robot.model), {}, {.penalty = 0});
    const InverseSolution& s = inverse.try_solve({.q = x.state.q, .v = v, .a = a, .external = &x.external});
    ++count[s.report.status];
    EXPECT_TRUE(s.tau.allFinite() && s.acceleration.allFinite() && s.multipliers.allFinite()) << seed;
    EXPECT_TRUE(std::isfinite(s.report.residual) && std::isfinite(s.report.motion)) << seed;
    if (s.report.status == Status::overflow) { EXPECT_EQ(s.tau.norm(), 0); }
    EXPECT_NE(s.report.status, Status::invalid_input) << s.report.invalid;
  }
  for (const auto& [status, n] : count) RecordProperty(name_of(status), n);
  EXPECT_GT(count[Status::infeasible], 0);
}

}  // namespace
}  // namespace zwang::test
