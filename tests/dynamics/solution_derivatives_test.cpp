// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions on random hybrid problems: products with vectors against the matrices, and the matrices
// against differences of solves, for every joint type, rows in all axes, loops with stabilisation, soft rows,
// prescribed coordinates, drivers, wrenches from outside, by every method.
#include "zwang/question/derivatives.hpp"

#include <gtest/gtest.h>

#include "dynamics/differences.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector along(const SolutionJacobian& x, const Direction& d) {
  return x.q * d.q + x.v * d.v + x.tau * d.tau + x.beta * d.beta;
}

struct Numbers {
  Vector acceleration, multipliers, motor_torque;
};

Numbers differences(const Robot& robot, const Mixed& x, const Direction& d, double h) {
  Numbers sum;
  at_four_places(h, [&](double e, double weight) {
    const Mixed there = moved(robot.model, x, d, e);
    ConstraintSet set = there.set(robot.model);
    move_beta(set, e * d.beta);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(there.input());
    const auto add = [&](Vector& to, const VectorView& from) {
      if (to.size() == 0) to = Vector::Zero(from.size());
      to += from * weight;
    };
    add(sum.acceleration, s.acceleration);
    add(sum.multipliers, s.multipliers);
    add(sum.motor_torque, s.motor_torque);
  });
  return sum;
}

TEST(SolutionDerivatives, AreTheDifferencesOfSolves) {
  int compared = 0;
  for (int seed = 0; seed < effort(200, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const Mixed x = random_mixed(robot, at, one_level());
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
  EXPECT_GT(compared, effort(200, 24) / 4);
}

TEST(SolutionDerivatives, TimesVectorsAreTheProducts) {
  for (int seed = 0; seed < effort(300, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 2 + seed % 6);
    const Mixed x = random_mixed(robot, at, one_level());
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
    const auto expected = [&](JacobianView SolutionJacobian::*by) {
      return Vector((got.acceleration.*by).transpose() * w.q + (got.multipliers.*by).transpose() * w.beta +
                    (got.motor_torque.*by).transpose() * w.v);
    };
    EXPECT_LT(largest(left.q - expected(&SolutionJacobian::q)), 1e-10 * size);
    EXPECT_LT(largest(left.v - expected(&SolutionJacobian::v)), 1e-10 * size);
    EXPECT_LT(largest(left.tau - expected(&SolutionJacobian::tau)), 1e-10 * size);
    if (set.rows() > 0) { EXPECT_LT(largest(left.beta - expected(&SolutionJacobian::beta)), 1e-10 * size); }
  }
}

/// Every constraint twice: consistent, dependent rows, whose rank stays.
Mixed doubled(const Robot& robot, std::uint64_t seed) {
  MixedOptions options = one_level();
  options.soft = options.early = false;
  Mixed x = random_mixed(robot, seed, options);
  const std::size_t count = x.constraints.size();
  for (std::size_t k = 0; k < count; ++k) {
    x.constraints.push_back(x.constraints[k]);
    std::visit([](auto& c) { c.name += " again"; }, x.constraints.back());
  }
  return x;
}

TEST(SolutionDerivatives, OfDependentRowsAreThoseOfTheLeastNorm) {
  int compared = 0;
  for (int seed = 0; seed < effort(150, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed);
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
    const Mixed x = doubled(robot, at);
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status != Status::ok || 2 * s.report.rank != s.report.rows || s.report.rank == 0) continue;
    const SolutionDerivatives got = solver.derivatives();
    EXPECT_EQ(got.status, Status::ok) << got.reason;
    if (got.status != Status::ok) continue;
    Random random(at + 1);
    Direction d(random, robot.model.nv(), set.rows());
    d.beta.setZero();  // the copies must stay consistent
    const Numbers coarse = differences(robot, x, d, 2e-4), fine = differences(robot, x, d, 1e-4);
    const auto compare = [&](const char* name, const SolutionJacobian& J, const Vector& a, const Vector& b) {
      const double size = largest(J.q) + largest(J.v) + largest(J.tau) + 1, doubt = largest(a - b);
      EXPECT_LT(largest(along(J, d) - b), 20 * doubt + 1e-7 * size) << name;
    };
    compare("acceleration", got.acceleration, coarse.acceleration, fine.acceleration);
    compare("multipliers", got.multipliers, coarse.multipliers, fine.multipliers);
    compare("motor_torque", got.motor_torque, coarse.motor_torque, fine.motor_torque);
    const Vector multipliers = along(got.multipliers, d), acceleration = along(got.acceleration, d);
    const SolutionVariation& right = solver.jvp({d.q, d.v, d.tau, d.beta});
    ASSERT_EQ(right.status, Status::ok);
    EXPECT_LT(largest(right.multipliers - multipliers), 1e-9 * (largest(multipliers) + largest(got.multipliers.q)));
    const Direction w(random, robot.model.nv(), set.rows());
    const InputGradient& left = solver.vjp({.multipliers = w.beta});
    ASSERT_EQ(left.status, Status::ok);
    const Vector expected = got.multipliers.q.transpose() * w.beta;
    EXPECT_LT(largest(left.q - expected), 1e-9 * (largest(expected) + largest(got.multipliers.q)));
    ++compared;
  }
  EXPECT_GT(compared, effort(150, 24) / 6);
}

/// Three points of one body at rest: nine rows of rank six, whose dependencies turn with the body.
TEST(SolutionDerivatives, OfThreePointsOfAFoot) {
  for (int seed = 0; seed < effort(20, 24); ++seed) {
    SCOPED_TRACE(seed);
    const Robot robot = sample_robot("quadruped", "floating");
    Random random(static_cast<std::uint64_t>(seed));
    Mixed x;
    x.state = random_state(robot.model, static_cast<std::uint64_t>(seed));
    x.state.v.setZero();
    for (const char* name : {"a", "b", "c"}) {
      ContactConstraint c = random_contact(robot, random, name);
      c.frame = "LF_foot";
      c.rows = 3;
      c.beta = {};
      c.role = Role::physical;
      x.constraints.push_back(c);
    }
    ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    ASSERT_EQ(s.report.status, Status::ok);
    ASSERT_EQ(s.report.rank, 6);
    const SolutionDerivatives got = solver.derivatives();
    ASSERT_EQ(got.status, Status::ok) << got.reason;
    Direction d(random, robot.model.nv(), set.rows());
    d.v.setZero();  // the points of a body that turns are not all at rest
    d.beta.setZero();
    const Numbers coarse = differences(robot, x, d, 2e-4), fine = differences(robot, x, d, 1e-4);
    EXPECT_LT(largest(along(got.acceleration, d) - fine.acceleration),
              20 * largest(coarse.acceleration - fine.acceleration) + 1e-7 * largest(got.acceleration.q));
    EXPECT_LT(largest(along(got.multipliers, d) - fine.multipliers),
              20 * largest(coarse.multipliers - fine.multipliers) + 1e-7 * largest(got.multipliers.q));
    EXPECT_LT(largest(solver.jvp({d.q, d.v, d.tau, d.beta}).multipliers - along(got.multipliers, d)),
              1e-9 * largest(got.multipliers.q));
  }
}

/// Two rows that become one where the arm is stretched: nearby they are two.
TEST(SolutionDerivatives, WhereTheRankChangesIsAStatus) {
  const Robot robot = sample_robot("arm7");
  ConstraintSet set(robot.model);
  FrameConstraint c;
  c.name = c.frame = "tool0";
  set.add(c);
  Vector q = Vector::Zero(robot.model.nq());  // stretched: a singular configuration
  Solver solver(robot.model, set);
  const Vector v = Vector::LinSpaced(robot.model.nv(), -0.3, 0.4), tau = Vector::Ones(robot.model.nv());
  const SolveInput input{.q = q, .tau = tau};
  const Solution& s = solver.solve(input);
  ASSERT_LT(s.report.rank, s.report.rows);
  ASSERT_EQ(s.report.status, Status::ok);
  const SolutionDerivatives& got = solver.derivatives();
  EXPECT_EQ(got.status, Status::not_differentiable);
  EXPECT_FALSE(got.reason.empty());
  EXPECT_EQ(largest(got.acceleration.q) + largest(got.multipliers.beta) + largest(got.motor_torque.tau), 0);
  EXPECT_EQ(solver.vjp({.acceleration = v}).status, Status::not_differentiable);
  EXPECT_EQ(largest(solver.vjp({.acceleration = v}).q), 0);
  EXPECT_EQ(solver.jvp({.q = v}).status, Status::not_differentiable);
  EXPECT_EQ(largest(solver.jvp({.q = v}).acceleration), 0);
}

TEST(SolutionDerivatives, OfAnInfeasibleSetAreAStatusAndTheSolutionStays) {
  const Robot robot = sample_robot("arm7");
  ConstraintSet set(robot.model);
  for (const double beta : {1.0, 2.0}) {
    FrameConstraint c;
    c.name = beta == 1 ? "one" : "two";
    c.frame = "tool0";
    c.rows = rows("linear.x");
    c.beta = {beta};
    set.add(c);
  }
  Solver solver(robot.model, set);
  const Vector q = Vector::LinSpaced(robot.model.nq(), 0.2, 0.9);
  EXPECT_THROW(solver.derivatives(), std::logic_error);  // nothing is solved
  const Vector a = solver.solve({.q = q}).acceleration;
  ASSERT_EQ(solver.solution().report.status, Status::infeasible);
  EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
  EXPECT_EQ(Vector(solver.solution().acceleration), a);
  EXPECT_LT(largest(Vector(solver.resolve().acceleration) - a), 1e-12 * largest(a));  // by the factor, not by the sweep
  EXPECT_THROW(solver.vjp({.acceleration = Vector(Vector::Ones(3))}), std::invalid_argument);
}

/// Whatever method has solved, and a solution that is solved again afterwards is the same.
TEST(SolutionDerivatives, AreThoseOfEveryMethod) {
  int compared = 0;
  MixedOptions options = one_level();
  options.soft = options.early = options.prescribed = false;
  for (int seed = 0; seed < effort(30, 30); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 40;
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 5);
    Mixed x = random_mixed(robot, at, options);
    ConstraintSet set = x.set(robot.model);
    Matrix expected_a, expected_l;
    for (const std::string& method : methods()) {
      SCOPED_TRACE(method);
      x.settings.method = method;
      try {
        Solver solver(robot.model, set, x.settings);
        const Solution& s = solver.solve(x.input());
        if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
        const Vector a = s.acceleration;
        const SolutionDerivatives& d = solver.derivatives();
        ASSERT_EQ(d.status, Status::ok) << d.reason;
        if (expected_a.size() == 0) {
          expected_a = d.acceleration.q;
          expected_l = d.multipliers.q;
        }
        EXPECT_LT(largest(d.acceleration.q - expected_a), 1e-7 * (largest(expected_a) + 1));
        EXPECT_LT(largest(d.multipliers.q - expected_l), 1e-7 * (largest(expected_l) + largest(expected_a) + 1));
        ResolveInput again;
        again.tau = x.state.tau;
        again.external = &x.external;
        EXPECT_LT(largest(Vector(solver.resolve(again).acceleration) - a), 1e-8 * (largest(a) + 1));
        ++compared;
      } catch (const UnsupportedError&) {}
    }
  }
  EXPECT_GT(compared, effort(30, 30) * 4);
}

/// A coupling that stands there twice says what it says alone. By its stabilisation its row
/// varies with the coordinates, and the two variations cancel but for rounding. Tolerance:
/// rounding, eps, times the condition of M, below 1e4.
TEST(SolutionDerivatives, OfACouplingThatStandsTwice) {
  const Model m = build(sample_chain(3));
  const std::vector<std::string> names = m.coordinate_names();
  CouplingConstraint coupling;
  coupling.coordinates = {names[0], names[1]};
  coupling.ratio = {1, -0.37};
  coupling.stabilisation = Stabilisation{0.2, 0.8};
  Matrix by_q[2];
  for (const int count : {1, 2}) {
    SCOPED_TRACE(count);
    ConstraintSet set(m);
    for (int k = 0; k < count; ++k) {
      coupling.name = k == 0 ? "one" : "two";
      set.add(coupling);
    }
    Solver solver(m, set);
    const Vector q = Vector::Constant(3, 0.3), v = Vector::LinSpaced(3, -1, 1), tau = Vector::Ones(3);
    const Solution& s = solver.solve({.q = q, .v = v, .tau = tau});
    ASSERT_EQ(s.report.status, Status::ok);
    ASSERT_EQ(s.report.rank, 1);
    const SolutionDerivatives& d = solver.derivatives();
    ASSERT_EQ(d.status, Status::ok) << d.reason;
    by_q[count - 1] = d.acceleration.q;
  }
  EXPECT_LT(largest(by_q[1] - by_q[0]), 1e-11 * (1 + largest(by_q[0])));
}

/// What follows on the same factor is the same as without derivatives in between, which move the bodies
/// otherwise where rows depend on each other. Tolerance: resolve() sums torques in another order than a solve,
/// eps times the condition of M and of the rows.
TEST(SolutionDerivatives, LeaveTheSolverAsItWas) {
  const Robot robot = sample_robot("quadruped", "floating");
  Random random(3);
  const Index nv = robot.model.nv();
  Mixed x;
  x.state = random_state(robot.model, 3);
  for (const char* name : {"a", "again"}) {
    ContactConstraint c;
    c.name = name;
    c.frame = "LF_foot";
    c.rows = 3;
    x.constraints.push_back(c);
  }
  ConstraintSet set = x.set(robot.model);
  const Vector tau = random.vector(static_cast<int>(nv));
  const Direction d(random, nv, set.rows());
  SolveInput other = x.input();
  other.tau = tau;
  Solver fresh(robot.model, set, x.settings);
  const Vector expected = fresh.solve(other).acceleration;
  for (const int call : {0, 1, 2, 3}) {
    SCOPED_TRACE(call);
    Solver solver(robot.model, set, x.settings);
    ASSERT_EQ(solver.solve(x.input()).report.rank, 3);
    const Status status = call == 0   ? solver.derivatives().status
                          : call == 1 ? solver.vjp({.acceleration = d.q, .multipliers = d.beta}).status
                          : call == 2 ? solver.jvp({.q = d.q}).status
                                      : solver.hvp({.q = d.q}, {.acceleration = d.v}).status;
    ASSERT_EQ(status, Status::ok);
    const Solution& s = solver.resolve({.tau = tau});
    ASSERT_EQ(s.report.status, Status::ok);
    EXPECT_LT(largest(s.acceleration - expected), 1e-10 * (1 + largest(expected)));
  }
}

/// A solution belongs to the stabilisation that it was solved with. beta, which no derivative depends on, may change.
TEST(SolutionDerivatives, OfAnotherStabilisationAreRefused) {
  const Robot robot = sample_robot("quadruped", "floating");
  ConstraintSet set(robot.model);
  FrameConstraint c{.name = "foot", .frame = "LF_foot", .rows = rows("linear"), .stabilisation = {0.1, 1}};
  c.has_target = true;
  c.target_pose = {Mat3<double>::identity(), {0.1, 0.2, 0.3}};
  set.add(c);
  Solver solver(robot.model, set);
  const RandomState x = random_state(robot.model, 3);
  const SolveInput input{.q = x.q, .v = x.v, .tau = x.tau};
  const auto refused = [&] {
    EXPECT_THROW(solver.derivatives(), WorkspaceMismatch);
    EXPECT_THROW(solver.vjp({.acceleration = x.v}), WorkspaceMismatch);
    EXPECT_THROW(solver.jvp({.v = x.v}), WorkspaceMismatch);
    EXPECT_THROW(solver.hvp({.v = x.v}, {.acceleration = x.v}), WorkspaceMismatch);
  };
  ASSERT_EQ(solver.solve(input).report.status, Status::ok);
  set["foot"].beta = {1, 2, 3};
  EXPECT_EQ(solver.derivatives().status, Status::ok);
  set["foot"].stabilisation.time_constant = 0.05;
  refused();
  ASSERT_EQ(solver.resolve({.tau = x.tau}).report.status, Status::ok);  // of the new time constant
  const Matrix by_q = solver.derivatives().acceleration.q;
  ASSERT_EQ(solver.solve(input).report.status, Status::ok);
  EXPECT_LT(largest(by_q - solver.derivatives().acceleration.q), 1e-9 * (1 + largest(by_q)));
  set["foot"].stabilisation.damping_ratio = 0.5;
  refused();
}

}  // namespace
}  // namespace zwang::test
