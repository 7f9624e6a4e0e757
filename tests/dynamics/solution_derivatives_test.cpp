// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions on random hybrid problems: products with vectors against the matrices, and the matrices against
// differences of solves, for every joint type, rows in all axes, loops with stabilisation, soft rows, prescribed
// coordinates, drivers, wrenches from outside, by every method.
#include "zwang/dynamics/derivatives.hpp"

#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

double largest(const Matrix& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// A random direction of all inputs.
struct Direction {
  Vector q, v, tau, beta;
  Direction(Random& random, Index nv, Index rows)
      : q(random.vector(static_cast<int>(nv))),
        v(random.vector(static_cast<int>(nv))),
        tau(random.vector(static_cast<int>(nv))),
        beta(random.vector(static_cast<int>(rows))) {}
};

Vector along(const SolutionJacobian& x, const Direction& d) {
  return x.q * d.q + x.v * d.v + x.tau * d.tau + x.beta * d.beta;
}

void move_beta(ConstraintSet& set, const Vector& beta) {
  Index r = 0;
  for (std::size_t k = 0; k < set.constraints().size(); ++k) {
    Constraint& c = set[set.constraints()[k].name];
    for (Index i = 0; i < c.size(); ++i) c.beta[static_cast<std::size_t>(i)] = beta(r++);
  }
}
Vector beta_of(const ConstraintSet& set) {
  Vector out(set.rows());
  Index r = 0;
  for (const Constraint& c : set.constraints())
    for (const double b : c.beta.value()) out(r++) = b;
  return out;
}

struct Numbers {
  Vector acceleration, multipliers, motor_torque;
};

/// Central differences of fourth order: the error is h^4 and eps / h.
Numbers differences(const Robot& robot, const Mixed& x, const Direction& d, double h) {
  Numbers sum;
  const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, step[] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; ++k) {
    Mixed moved = x;
    const double e = h * step[k];
    integrate(robot.model, x.state.q, e * d.q, moved.state.q);
    moved.state.v += e * d.v;
    moved.state.tau += e * d.tau;
    ConstraintSet set = moved.set(robot.model);
    move_beta(set, beta_of(set) + e * d.beta);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(moved.input());
    const auto add = [&](Vector& to, const VectorView& from) {
      if (to.size() == 0) to = Vector::Zero(from.size());
      to += from * (weight[k] / h);
    };
    add(sum.acceleration, s.acceleration);
    add(sum.multipliers, s.multipliers);
    add(sum.motor_torque, s.motor_torque);
  }
  return sum;
}

MixedOptions plain() {
  MixedOptions o;
  o.priorities = o.drivers_left_out = o.other_singularities = false;
  return o;
}

TEST(SolutionDerivatives, AreTheDifferencesOfSolves) {
  int compared = 0;
  for (int seed = 0; seed < effort(200); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const Mixed x = random_mixed(robot, at, plain());
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
    const SolutionDerivatives& got = solver.derivatives();
    ASSERT_EQ(got.status, Status::ok) << got.reason;
    Random random(at + 1);
    const Direction d(random, robot.model.nv(), set.rows());
    const Numbers coarse = differences(robot, x, d, 2e-4), fine = differences(robot, x, d, 1e-4);
    const auto compare = [&](const char* name, const SolutionJacobian& J, const Vector& a, const Vector& b) {
      const Vector expected = along(J, d);
      const double size = largest(J.q) + largest(J.v) + largest(J.tau) + largest(J.beta) + 1;
      const double doubt = (a - b).cwiseAbs().maxCoeff();
      EXPECT_LT((expected - b).cwiseAbs().maxCoeff(), 20 * doubt + 1e-7 * size)
          << name << " size " << size << " doubt " << doubt;
    };
    compare("acceleration", got.acceleration, coarse.acceleration, fine.acceleration);
    if (set.rows() > 0) compare("multipliers", got.multipliers, coarse.multipliers, fine.multipliers);
    compare("motor_torque", got.motor_torque, coarse.motor_torque, fine.motor_torque);
    ++compared;
  }
  EXPECT_GT(compared, effort(200) / 4);
}

TEST(SolutionDerivatives, TimesVectorsAreTheProducts) {
  for (int seed = 0; seed < effort(300); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const Mixed x = random_mixed(robot, at, plain());
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status != Status::ok) continue;
    const SolutionDerivatives got = solver.derivatives();
    Random random(at + 1);
    const Direction d(random, robot.model.nv(), set.rows()), w(random, robot.model.nv(), set.rows());
    const SolutionVariation& right = solver.jvp({d.q, d.v, d.tau, d.beta});
    ASSERT_EQ(right.status, got.status) << right.reason << got.reason;
    const double size_a = largest(got.acceleration.q) + largest(got.acceleration.v) + largest(got.acceleration.tau) +
                          largest(got.acceleration.beta);
    const double size_l = largest(got.multipliers.q) + largest(got.multipliers.v) + largest(got.multipliers.tau) +
                          largest(got.multipliers.beta);
    const double size_t = largest(got.motor_torque.q) + largest(got.motor_torque.v) + largest(got.motor_torque.tau) +
                          largest(got.motor_torque.beta);
    const double size = size_a + size_l + size_t + 1;
    EXPECT_LT(largest(right.acceleration - along(got.acceleration, d)), 1e-10 * size);
    if (set.rows() > 0) { EXPECT_LT(largest(right.multipliers - along(got.multipliers, d)), 1e-10 * size); }
    EXPECT_LT(largest(right.motor_torque - along(got.motor_torque, d)), 1e-10 * size);
    const InputGradient& left = solver.vjp({w.q, w.beta, w.v});
    ASSERT_EQ(left.status, got.status) << left.reason;
    const auto expected = [&](Matrix SolutionJacobian::*by) {
      return Vector((got.acceleration.*by).transpose() * w.q + (got.multipliers.*by).transpose() * w.beta +
                    (got.motor_torque.*by).transpose() * w.v);
    };
    EXPECT_LT(largest(left.q - expected(&SolutionJacobian::q)), 1e-10 * size);
    EXPECT_LT(largest(left.v - expected(&SolutionJacobian::v)), 1e-10 * size);
    EXPECT_LT(largest(left.tau - expected(&SolutionJacobian::tau)), 1e-10 * size);
    if (set.rows() > 0) { EXPECT_LT(largest(left.beta - expected(&SolutionJacobian::beta)), 1e-10 * size); }
  }
}

}  // namespace
}  // namespace zwang::test
