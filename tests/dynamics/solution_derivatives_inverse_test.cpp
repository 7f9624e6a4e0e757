// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solution by products with A^-1, where rows are hard and independent, are those of one right-hand
// side at a time, which products with vectors use. Other solves have a right-hand side for each column.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics/limbs.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// The largest difference between w . J and the gradient of w . solution, relative to the sizes of the Jacobians.
double difference(Solver& solver, Random& random, Index nv, Index rows) {
  const SolutionDerivatives& d = solver.derivatives();
  EXPECT_EQ(d.status, Status::ok) << d.reason;
  const Vector a = random.vector(static_cast<int>(nv)), l = random.vector(static_cast<int>(rows)),
               t = random.vector(static_cast<int>(nv));
  const InputGradient& g = solver.vjp({a, l, t});
  EXPECT_EQ(g.status, Status::ok) << g.reason;
  double worst = 0;
  const auto compare = [&](JacobianView SolutionJacobian::*by, const VectorView& gradient) {
    const JacobianView &A = d.acceleration.*by, &L = d.multipliers.*by, &T = d.motor_torque.*by;
    const Vector product = A.transpose() * a + L.transpose() * l + T.transpose() * t;
    const double size = largest(A) + largest(L) + largest(T);
    if (size > 0) worst = std::max(worst, largest(product - gradient) / size);
  };
  compare(&SolutionJacobian::q, g.q);
  compare(&SolutionJacobian::v, g.v);
  compare(&SolutionJacobian::tau, g.tau);
  compare(&SolutionJacobian::beta, g.beta);
  return worst;
}

/// Both sides err by as many roundings as the sweep itself takes the rows to have (own_paths_test.cpp),
/// over two solves and a product of nv terms.
double tolerance(const Went& went, Index nv) {
  return 1000 * std::numeric_limits<double>::epsilon() * std::max(went.doubt, static_cast<double>(nv));
}

TEST(SolutionDerivatives, ByTheInverseAreThoseOfOneSideAtATime) {
  int by_paths = 0, by_root = 0;
  for (int seed = 1; seed <= effort(400, 24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto at = static_cast<std::uint64_t>(seed);
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = seed % 5 > 0};
    const Robot robot = random_limbs(at, o);
    const Imposed x = random_rows_on_limbs(robot, at, o);
    const ConstraintSet set = x.set(robot.model);
    const Index nv = robot.model.nv();
    Random random(at);
    for (const char* method : {"automatic", "popov_vereshchagin"}) {
      const SolverSettings settings{.method = method};
      const Went went = how_it_goes(robot.model, set, x.input(), {.method = "automatic"});
      if (went.way != Way::own_paths) continue;
      Solver solver(robot.model, set, settings);
      const Solution& s = solver.solve(x.input());
      if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
      ++(by_own_paths(s.report) ? by_paths : by_root);
      EXPECT_LE(difference(solver, random, nv, set.rows()), tolerance(went, nv)) << method;
    }
  }
  std::printf("  %d solved by own paths, %d at the root\n", by_paths, by_root);
  EXPECT_GT(by_paths, effort(400, 24) / 8);
  EXPECT_GT(by_root, effort(400, 24) / 8);
}

/// What the solve has left in Data is still there.
TEST(SolutionDerivatives, LeaveTheFactorAsItWas) {
  int compared = 0;
  for (int seed = 1; seed <= effort(200, 24); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto at = static_cast<std::uint64_t>(seed);
    const LimbOptions o{.limbs = 2 + seed % 6, .any_rows = false};
    const Robot robot = random_limbs(at, o);
    const Imposed x = random_rows_on_limbs(robot, at, o);
    const ConstraintSet set = x.set(robot.model);
    Solver solver(robot.model, set), alone(robot.model, set);
    if (!by_own_paths(solver.solve(x.input()).report)) continue;
    alone.solve(x.input());
    Random random(at);
    const Vector tau = random.vector(static_cast<int>(robot.model.nv()));
    if (seed % 2 == 0) solver.resolve({.tau = tau});  // a factor is there already
    const Vector before = solver.solution().acceleration;
    solver.derivatives();
    EXPECT_EQ(largest(solver.solution().acceleration - before), 0);
    const Vector one = solver.resolve({.tau = tau}).acceleration, other = alone.resolve({.tau = tau}).acceleration;
    EXPECT_LE(largest(one - other), 1e-12 * largest(other));
    ++compared;
  }
  EXPECT_GT(compared, effort(200, 24) / 8);
}

}  // namespace
}  // namespace zwang::test
