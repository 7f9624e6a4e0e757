// SPDX-License-Identifier: BSD-3-Clause
// Limits of rows and motors on several priorities: closed forms; and random robots
// against one weighted problem in long double.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "dynamics/limited.hpp"
#include "support/effort.hpp"
#include "support/no_allocation.hpp"
#include "support/says.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// The driver of the lower priority gives way to the limit of the motor that both use.
TEST(LevelLimits, TheLowerPriorityGivesWay) {
  const Model model = carriages(10);
  const Vector q = Vector::Zero(2);
  for (const bool sum_first : {true, false}) {
    ConstraintSet set(model);
    CouplingConstraint sum = coupling("sum", {1, 1}, 10), b = coupling("b", {0, 1}, 0);  // x_a = 10 m/s^2: 20 N
    (sum_first ? b : sum).priority = 1;
    set.add(sum);
    set.add(b);
    SolverSettings settings;
    limit_motor(model, settings.motor_limits, "a_rail", -10, 10);
    Solver solver(model, set, settings);
    const Solution& got = solver.solve({.q = q});
    ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
    EXPECT_NEAR(got.motor_torque(0), 10, 1e-11);
    EXPECT_NEAR(got.acceleration(0), 5, 1e-11);
    EXPECT_NEAR(got.acceleration(1), sum_first ? 5 : 0, 1e-11);
    ASSERT_EQ(got.report.given_up.size(), 1u) << got.report.explain();
    EXPECT_EQ(got.report.given_up[0].row, sum_first ? "b:coupling" : "sum:coupling");
    EXPECT_EQ(got.report.given_up[0].reason, GivenUp::Reason::limit);
    EXPECT_NEAR(got.report.given_up[0].amount, sum_first ? 5 : -5, 1e-11);
    EXPECT_EQ(got.report.motors_at_limit, std::vector<std::string_view>{"a_rail"});
    EXPECT_EQ(got.report.rows, 1);
    EXPECT_EQ(got.report.rank, 1);
    EXPECT_EQ(solver.derivatives().status, Status::not_differentiable);
    limit_motor(model, solver.settings().motor_limits, "a_rail", -21, 21);
    const Solution& strong = solver.solve({.q = q});
    EXPECT_NEAR(strong.acceleration(0), 10, 1e-12);
    EXPECT_TRUE(strong.report.given_up.empty());
    EXPECT_EQ(solver.derivatives().status, Status::ok);
  }
}

/// A limit of a row, and a physical row of the first level, which the row of the second one must not move.
TEST(LevelLimits, OfRows) {
  const Model model = carriages();
  const Vector q = Vector::Zero(2);
  ConstraintSet set(model);
  CouplingConstraint sum = coupling("sum", {1, 1}, 10);
  sum.priority = 1;
  sum.limit = {3};
  set.add(coupling("weld", {1, 0}, 2, Role::physical));
  set.add(sum);
  Solver solver(model, set);
  const Solution& got = solver.solve({.q = q});
  ASSERT_EQ(got.report.status, Status::ok) << got.report.explain();
  EXPECT_NEAR(got.acceleration(0), 2, 1e-11);  // 4 N: 1 N by the weld
  EXPECT_NEAR(got.acceleration(1), 1, 1e-11);
  EXPECT_NEAR(got.reaction(0), 1, 1e-10);
  EXPECT_EQ(got.report.at_limit, std::vector<std::string_view>{"sum:coupling"});
  EXPECT_EQ(got.report.rows, 1);
  set["sum"].limit = {30};
  EXPECT_NEAR(solver.solve({.q = q}).acceleration(1), 8, 1e-12);
  set["sum"].sense = {Sense::at_least};
  EXPECT_SAYS("several priorities", solver.solve({.q = q}));
}

/// Motions level by level, of minimal |y_p - y_p*| each: as one problem where the first level counts `first`
/// times the second one, the best of all choices of rows and motors at their bounds that keep all bounds, in
/// long double. False where no choice does.
bool by_weights(const Limited& b, Real first, Vec& motion) {
  const Posed& p = b.s.posed;
  const Eigen::Index n = p.M.rows(), m = p.A.rows();
  const Eigen::LLT<Mat> factor(p.M);
  if (factor.info() != Eigen::Success) return false;
  const Mat W = factor.matrixL().solve(p.A.transpose()).transpose();
  const Vec free = factor.matrixL().solve(p.tau - p.h);
  Mat Q(n, 0), H = Mat::Zero(m, m);
  Vec target(0), g = Vec::Zero(m);
  for (const int level : {0, 1}) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index k = 0; k < m; ++k)
      if (constraint_of(b.set, p, k).priority == level) rows.push_back(k);
    if (rows.empty()) continue;
    Mat rest = W(rows, Eigen::all);
    const Vec right = p.b(rows) - rest * Q * target;
    rest -= rest * Q * Q.transpose();
    if (rest.norm() < 1e-13L * W.norm()) continue;  // nothing of its own: only rounding is left
    Eigen::CompleteOrthogonalDecomposition<Mat> span(rest.transpose());
    span.setThreshold(1e-12L);
    const Mat own = Mat(span.householderQ()).leftCols(span.rank());
    const Vec to = Mat(rest * own).completeOrthogonalDecomposition().solve(right);
    const Real weight = level == 0 ? first : 1;
    H += weight * W * own * own.transpose() * W.transpose();
    g += weight * W * own * (own.transpose() * free - to);
    Mat both(n, Q.cols() + own.cols());
    both << Q, own;
    Vec all(both.cols());
    all << target, to;
    Q = both;
    target = all;
  }
  const Real size = 1 + g.cwiseAbs().maxCoeff();
  Real least = k_infinite;
  std::vector<int> at(b.bounded.size() + b.motors.size(), 0);
  for (bool more = true; more;) {
    Mat K = Mat::Zero(m + n + m, m + n + m);  // lambda, nu of motors, multipliers of bounds of rows
    Vec right = Vec::Zero(m + n + m);
    K.topLeftCorner(m, m) = H;
    K.block(0, m, m, n) = b.A;
    K.block(0, m + n, m, m).setIdentity();
    right.head(m) = -g;
    K.bottomRightCorner(n + m, n + m).setIdentity();
    bool possible = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] == 0) continue;
      const bool is_row = i < b.bounded.size();
      const Eigen::Index k = is_row ? b.bounded[i] : b.motors[i - b.bounded.size()], line = is_row ? m + n + k : m + k;
      const Vec &low = is_row ? b.lower : b.motor_lower, &high = is_row ? b.upper : b.motor_upper;
      right(line) = at[i] == 1 ? low(k) : high(k);
      possible = possible && std::fabs(right(line)) < k_infinite;
      K.row(line).setZero();
      if (is_row)
        K(line, k) = 1;
      else
        K.row(line).head(m) = b.A.col(k).transpose();
    }
    if (possible) {
      Eigen::CompleteOrthogonalDecomposition<Mat> solver;
      solver.setThreshold(1e-16L);
      const Vec x = solver.compute(K).solve(right);
      const Vec lambda = x.head(m), u = b.A.transpose() * lambda;
      bool fits = (K * x - right).cwiseAbs().maxCoeff() < 1e-9L * size;
      for (std::size_t i = 0; i < at.size() && fits; ++i) {
        const bool is_row = i < b.bounded.size();
        const Eigen::Index k = is_row ? b.bounded[i] : b.motors[i - b.bounded.size()];
        const Real value = is_row ? lambda(k) : u(k), low = is_row ? b.lower(k) : b.motor_lower(k),
                   high = is_row ? b.upper(k) : b.motor_upper(k);
        const Real slack =
            1e-9L * std::min<Real>(1 + lambda.cwiseAbs().maxCoeff(), 1e4L);  // rows that are rounding ask for more
        fits = value > low - slack && value < high + slack;
      }
      const Real objective = lambda.dot(H * lambda) / 2 + g.dot(lambda);
      if (fits && objective < least) {
        least = objective;
        motion = factor.solve(Vec(p.tau - p.h + p.A.transpose() * lambda));
      }
    }
    more = false;
    for (std::size_t i = 0; i < at.size() && !more; ++i) {
      at[i] = (at[i] + 1) % 3;
      more = at[i] != 0;
    }
  }
  return least < k_infinite;
}

TEST(LevelLimits, AreTheBestOfEveryLevel) {
  int ok = 0, other = 0, infeasible = 0, compared = 0, at_limit = 0, gave_way = 0;
  Real worst = 0;
  for (int seed = 0; seed < effort(1500, 100); ++seed) {
    Limited b(static_cast<std::uint64_t>(seed) + 70000, seed % 2 == 0, false);
    bool suits = b.x.prescribed.empty() && b.bounded.size() + b.motors.size() <= 3;
    int level = 0;
    for (const Constraint& c : b.set.constraints()) {
      suits = suits && c.policy != Policy::soft;
      if (c.active) b.set[c.name].priority = level++ % 2;
    }
    if (!suits || level < 2) continue;
    SolverSettings settings = b.x.settings;
    settings.method = "automatic";
    Solver solver(b.robot.model, b.set, settings);
    const Solution& got = solver.solve(b.x.input());
    ++(got.report.status == Status::ok ? ok : other);
    infeasible += got.report.status == Status::infeasible;
    Vec motion, less;
    if (got.report.status != Status::ok || !by_weights(b, 1e9L, motion) || !by_weights(b, 1e7L, less)) continue;
    const Vec a = got.acceleration.cast<Real>();
    const Real size = 1 + motion.cwiseAbs().maxCoeff();
    if ((motion - less).cwiseAbs().maxCoeff() > 1e-5L * size) continue;  // levels are the limit of large weights
    const Real off = (a - motion).cwiseAbs().maxCoeff() / size;
    EXPECT_LT(off, 1e-5L) << seed << got.report.explain();
    worst = std::max(worst, off);
    ++compared;
    at_limit += !got.report.motors_at_limit.empty() || !got.report.at_limit.empty();
    for (const GivenUp& g : got.report.given_up) gave_way += g.reason == GivenUp::Reason::limit;
  }
  printf("ok %d, infeasible %d, other %d, compared %d, at a limit %d, rows that gave way %d; worst motion %.1e\n", ok,
         infeasible, other - infeasible, compared, at_limit, gave_way, static_cast<double>(worst));
  EXPECT_LE(other - infeasible, 1 + ok / 10);
  EXPECT_GT(compared, ok / 3);
  EXPECT_GT(at_limit, compared / 4);
}

TEST(LevelLimits, AllocateNothingAfterTheFirstSolve) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  for (int seed = 0; seed < effort(20, 4); ++seed) {
    Limited b(static_cast<std::uint64_t>(seed) + 80000, seed % 2 == 0, false);
    int level = 0;
    for (const Constraint& c : b.set.constraints())
      if (c.policy != Policy::soft) b.set[c.name].priority = level++ % 2;
    SolverSettings settings = b.x.settings;
    settings.method = "automatic";
    Solver solver(b.robot.model, b.set, settings);
    SolveInput input = b.x.input();
    solver.solve(input);
    for (int k = 0; k < 4; ++k) {
      const Vector tau = b.x.state.tau * (0.5 + k);
      input.tau = tau;
      EXPECT_NO_ALLOCATION(solver.solve(input));
    }
  }
}

}  // namespace
}  // namespace zwang::test
