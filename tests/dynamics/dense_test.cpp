// SPDX-License-Identifier: BSD-3-Clause
// Solvers on matrices: all of them give the library's answer, and say the same about the rows.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "dynamics/dense_problems.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"

namespace zwang::test {
namespace {

using dense::KktOutcome;
using reference::Real;

constexpr double k_eps = 2.2e-16;

/// Of the inertia with ones on its diagonal.
double condition(const RowMajor& M) {
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd e = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scale.asDiagonal() * M * scale.asDiagonal(),
                                                                           Eigen::EigenvaluesOnly)
                                .eigenvalues();
  return e(0) > 0 ? e(e.size() - 1) / e(0) : INFINITY;
}

/// What the library's rank counts: the diagonal of J M^-1 J^T + R, and its eigenvalues with ones on the diagonal.
struct Spectrum {
  Eigen::VectorXd diagonal, eigenvalues;
  double smallest = INFINITY, condition = 1;  ///< of those that count
  double units = 1;                           ///< largest over smallest root of the diagonal
};
Spectrum spectrum_of_rows(const DenseProblem& p) {
  Spectrum out;
  Eigen::MatrixXd G = p.J * Eigen::LLT<Eigen::MatrixXd>(p.M).solve(p.J.transpose());
  if (p.R.size() > 0) G.diagonal() += p.R;
  // A zero row stays zero.
  const Eigen::VectorXd s = G.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0.0; });
  out.diagonal = G.diagonal();
  if (G.rows() == 0) return out;
  out.eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(s.asDiagonal() * G * s.asDiagonal(), Eigen::EigenvaluesOnly)
          .eigenvalues();
  for (const double x : out.eigenvalues)
    if (x > 1e-9) out.smallest = std::min(out.smallest, x);
  if (out.smallest < INFINITY) out.condition = out.eigenvalues.maxCoeff() / out.smallest;
  double least = INFINITY;
  for (const double x : s)
    if (x > 0) least = std::min(least, x);
  if (least < INFINITY) out.units = s.maxCoeff() / least;
  return out;
}

/// Roundings in the motion and in the multipliers, beyond the condition of the problem.
struct Allowance {
  double motion = 100, multipliers = 1000;
};

void expect_answer(const DenseMethod& method, const DenseProblem& p, const reference::HybridMotion& expected,
                   double amplification, const Allowance& allowance) {
  SCOPED_TRACE(method.name);
  const DenseAnswer got = solve(method, p);
  const bool dependent = expected.rank < p.J.rows();
  EXPECT_EQ(got.outcome, dependent && method.tells_singular_rows ? KktOutcome::singular_rows : KktOutcome::ok);
  EXPECT_EQ(got.rank, expected.rank);
  EXPECT_GE(got.iterations, 1);
  const Real scale = expected.acceleration.cwiseAbs().maxCoeff() + expected.free.cwiseAbs().maxCoeff();
  EXPECT_TRUE(within(got.acceleration, expected.acceleration, allowance.motion * k_eps * amplification,
                     static_cast<double>(scale)));
  for (Eigen::Index k = 0; k < got.acceleration.size() && !p.held.empty(); ++k)
    if (p.held[static_cast<std::size_t>(k)]) { EXPECT_EQ(got.acceleration(k), p.held_value(k)); }
  if (p.J.rows() == 0) return;
  EXPECT_TRUE(within(got.lambda, expected.multipliers, allowance.multipliers * k_eps * amplification,
                     static_cast<double>(expected.multipliers.cwiseAbs().maxCoeff())));
}

using Change = std::function<void(Random&, DenseProblem&)>;

/// Random robots; every method against Gauss' principle in long double.
void expect_agreement(const RowMix& base, const Allowance& allowance, const Change& change = {}) {
  int compared = 0;
  for (int seed = 0; seed < effort(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed) + 1000);
    DenseProblem p = random_inertia(static_cast<std::uint64_t>(seed), 1 + seed % 14);
    const double inertia = condition(p.M);
    if (inertia > 1e9) continue;  // axes in one line
    RowMix mix = base;
    mix.rows = random.below(std::min(static_cast<int>(p.M.rows()) + (mix.dependent ? 4 : 0), 14) + 1);
    add_rows(random, mix, p);
    if (change) change(random, p);
    const reference::HybridMotion expected = reference::hybrid_motion(p.reference());
    if (!expected.clear()) continue;
    ++compared;
    // The reference counts soft rows as inertia; these methods meet M and all rows as they are.
    const double amplification =
        static_cast<double>(expected.amplification) * (p.R.size() > 0 ? inertia * spectrum_of_rows(p).condition : 1.0);
    for (const DenseMethod& m : dense_methods(static_cast<Index>(p.M.rows()), static_cast<Index>(p.J.rows())))
      expect_answer(m, p, expected, amplification, allowance);
  }
  EXPECT_GT(compared, effort(300) / 2);
}

void soften(Random& random, DenseProblem& p) {
  p.R = Eigen::VectorXd::Zero(p.J.rows());
  for (Eigen::Index i = 0; i < p.R.size(); ++i)
    if (random.below(2) == 0) p.R(i) = std::pow(10.0, random.uniform(-4, 1)) * (0.1 + p.J.row(i).squaredNorm());
}
void hold(Random& random, DenseProblem& p) {
  p.held_value = random.vector(static_cast<int>(p.M.rows()), 4);
  for (Eigen::Index k = 0; k < p.M.rows(); ++k) p.held.push_back(random.below(4) == 0);
}

TEST(DenseSolvers, AgreeOnRandomRows) { expect_agreement({}, {}); }
TEST(DenseSolvers, AgreeOnDependentRows) { expect_agreement({.dependent = true}, {}); }
TEST(DenseSolvers, AgreeOnContradictoryRows) { expect_agreement({.dependent = true, .inconsistent = true}, {}); }
// Units up to a million apart: the shortest multipliers and the least squares weigh rows by the squares of that.
TEST(DenseSolvers, AgreeOnRowsInAnyUnits) { expect_agreement({.dependent = true, .units = 3}, {100, 1e5}); }
TEST(DenseSolvers, AgreeOnContradictoryRowsInAnyUnits) {
  expect_agreement({.dependent = true, .inconsistent = true, .units = 3}, {100, 1e5});
}
TEST(DenseSolvers, AgreeOnSoftRows) { expect_agreement({.dependent = true}, {}, soften); }
TEST(DenseSolvers, AgreeOnHeldCoordinates) { expect_agreement({.dependent = true, .inconsistent = true}, {}, hold); }
TEST(DenseSolvers, AgreeOnSoftRowsAndHeldCoordinates) {
  expect_agreement({.dependent = true, .inconsistent = true}, {}, [](Random& random, DenseProblem& p) {
    soften(random, p);
    hold(random, p);
  });
}

TEST(DenseSolvers, FindOneRankAndOneAnswerInAHundredThousandProblems) {
  const int count = effort(100000);
  const std::vector<DenseMethod> methods = dense_methods(6, 7);  // one workspace for problems of all sizes
  int doubtful = 0;
  for (int seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    DenseProblem p = random_tree_inertia(random, 1 + random.below(6));
    add_rows(random, {1 + random.below(7), random.below(4) != 0, random.below(2) == 0}, p);
    const Spectrum s = spectrum_of_rows(p);
    const auto between = [&](double low, double high) {
      return (s.eigenvalues.array() > low && s.eigenvalues.array() < high).count();
    };
    if (between(1e-14, 1e-9) > 0) {
      ++doubtful;
      continue;
    }
    const DenseAnswer first = solve(methods[0], p);
    const double motion = first.acceleration.cwiseAbs().maxCoeff(), force = first.lambda.cwiseAbs().maxCoeff();
    const double amplification = 1e4 * s.condition;  // M's is some 1e4
    for (const DenseMethod& m : methods) {
      SCOPED_TRACE(m.name);
      const DenseAnswer got = solve(m, p);
      ASSERT_EQ(got.rank, between(1e-9, INFINITY));
      ASSERT_EQ(got.outcome,
                m.tells_singular_rows && got.rank < p.J.rows() ? KktOutcome::singular_rows : KktOutcome::ok);
      ASSERT_LT((got.acceleration - first.acceleration).cwiseAbs().maxCoeff(),
                1e3 * k_eps * amplification * (motion + 10));
      ASSERT_LT((got.lambda - first.lambda).cwiseAbs().maxCoeff(),
                1e3 * k_eps * amplification * s.units * (force + 10));
    }
  }
  EXPECT_LT(doubtful, count / 50);
}

// Seen on hyq, whose file spells pi with twelve digits: what is left to the small row is the other one's rounding.
TEST(DenseSolvers, LetATinyCopyOfARowContradictIt) {
  for (int seed = 0; seed < effort(100); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    DenseProblem p = random_tree_inertia(random, 8);
    p.J = RowMajor(3, 8);
    for (int i = 0; i < 3; ++i) p.J.row(i) = random.vector(8).transpose();
    p.b = random.vector(3, 5);
    DenseProblem contradicted = p;
    contradicted.J.conservativeResize(5, Eigen::NoChange);
    contradicted.J.row(3) = 4.9e-12 * p.J.row(0);
    contradicted.J.row(4) = 2 * p.J.row(1);
    contradicted.b = Eigen::VectorXd(5);
    contradicted.b << p.b, 5, 2 * p.b(1);
    const reference::HybridMotion expected = reference::hybrid_motion(p.reference());
    for (const DenseMethod& m : dense_methods(8, 5)) {
      SCOPED_TRACE(m.name);
      const DenseAnswer got = solve(m, contradicted);
      EXPECT_EQ(got.rank, 3);
      // The copy moves b of its row by some 5e-11, the condition is some 1e3.
      EXPECT_TRUE(within(got.acceleration, expected.acceleration, 1e-9,
                         static_cast<double>(expected.acceleration.norm() + expected.free.norm())));
    }
  }
}

void expect_refused(const DenseMethod& m, const DenseProblem& p, KktOutcome outcome) {
  const DenseAnswer got = solve(m, p);
  EXPECT_EQ(got.outcome, outcome);
  EXPECT_EQ(got.rank, 0);
  EXPECT_TRUE(got.acceleration.isZero(0) && got.lambda.isZero(0));
}

/// Coordinates without inertia: a massless tip, or a joint in line with joint `twin`.
void add_massless(DenseProblem& p, int twin) {
  const Eigen::Index n = p.M.rows();
  RowMajor M = RowMajor::Zero(n + 1, n + 1);
  M.topLeftCorner(n, n) = p.M;
  if (twin >= 0) {
    M.row(n).head(n) = M.col(n).head(n) = p.M.row(twin);
    M(n, n) = p.M(twin, twin);
    for (std::size_t k = 0; k < p.parent.size(); ++k) p.parent[k] = static_cast<Index>(k) - 1;
  }
  p.parent.push_back(static_cast<Index>(n) - 1);
  p.M = M;
  p.tau.conservativeResize(n + 1);
  p.tau(n) = twin >= 0 ? p.tau(twin) : 0.0;
}

TEST(DenseSolvers, SolveASingularInertiaWhereRowsDetermineTheMotion) {
  for (int seed = 0; seed < effort(200) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    DenseProblem p = random_tree_inertia(random, 3 + random.below(6));
    const int n = static_cast<int>(p.M.rows()), m = 1 + random.below(3);
    const int twin = seed % 2 == 0 ? -1 : random.below(n);
    add_massless(p, twin);
    p.J = RowMajor(m, n + 1);
    for (int i = 0; i < m; ++i) p.J.row(i) = random.vector(n + 1).transpose();
    p.tau(n) = 3;  // rows push back
    p.b = random.vector(m, 5);
    const auto [a, lambda] = reference::kkt_motion(p.reference());
    // As many rows twice: the same motion, half of each force in each copy.
    DenseProblem twice = p;
    twice.J = RowMajor(2 * m, n + 1);
    twice.J << p.J, p.J;
    twice.b = Eigen::VectorXd(2 * m);
    twice.b << p.b, p.b;
    DenseProblem none = p;
    none.J.conservativeResize(0, Eigen::NoChange);
    none.b.resize(0);
    // RowMajor that do not see what moves without inertia: a copy of its column at the joint in line with it, or zeros.
    DenseProblem blind = twice;
    blind.J.col(n) = twin >= 0 ? Eigen::VectorXd(blind.J.col(twin)) : Eigen::VectorXd::Zero(2 * m);
    for (const DenseMethod& method : dense_methods(n + 1, 2 * m)) {
      SCOPED_TRACE(method.name);
      expect_refused(method, none, KktOutcome::singular_mass);
      expect_refused(method, blind, KktOutcome::singular_mass);
      if (method.needs_inertia) {
        expect_refused(method, p, KktOutcome::singular_mass);
        continue;
      }
      const DenseAnswer one = solve(method, p), two = solve(method, twice);
      EXPECT_EQ(one.outcome, KktOutcome::ok);
      EXPECT_EQ(two.outcome, method.tells_singular_rows ? KktOutcome::singular_rows : KktOutcome::ok);
      EXPECT_EQ(one.rank, m);
      EXPECT_EQ(two.rank, m);
      // Random rows and inertias: conditions of some 1e5.
      EXPECT_CLOSE(one.acceleration, a, 1e-9);
      EXPECT_CLOSE(two.acceleration, a, 1e-9);
      EXPECT_CLOSE(one.lambda, lambda, 1e-9);
      EXPECT_CLOSE(two.lambda.head(m), lambda / 2, 1e-8);
      EXPECT_CLOSE(two.lambda.tail(m), lambda / 2, 1e-8);
    }
  }
}

TEST(DenseSolvers, CountARowThatIsRoundingAsZero) {
  Random random(5);
  DenseProblem p = random_tree_inertia(random, 6);
  p.J = RowMajor(3, 6);
  for (int i = 0; i < 3; ++i) p.J.row(i) = random.vector(6, i == 1 ? 1e-16 : 1).transpose();
  p.b = Eigen::Vector3d(1, 0, 2);
  const Eigen::VectorXd bound = Eigen::VectorXd::Constant(3, 20);
  for (const DenseMethod& m : dense_methods(6, 3)) {
    SCOPED_TRACE(m.name);
    EXPECT_EQ(solve(m, p).rank, 3);
    dense::KktProblem view = p.view();
    view.row_bound = bound.data();
    Eigen::VectorXd a(6), lambda(3);
    dense::KktAnswer answer;
    answer.acceleration = a.data();
    answer.lambda = lambda.data();
    m.solve(view, answer);
    EXPECT_EQ(answer.rank, 2);
    EXPECT_EQ(lambda(1), 0);
  }
}

TEST(DenseSolvers, NeverAnswerWithWhatIsNotFinite) {
  Random random(9);
  for (const double bad : {double(NAN), double(INFINITY), 1e308})
    for (int where = 0; where < 4; ++where) {
      DenseProblem p = random_tree_inertia(random, 5);
      add_rows(random, {4, true}, p);
      if (where == 0) p.tau(2) = bad;
      if (where == 1) p.J(1, 0) = bad;
      if (where == 2) p.b(3) = bad;
      if (where == 3) p.M(3, 3) = bad;
      for (const DenseMethod& m : dense_methods(5, 4)) {
        SCOPED_TRACE(m.name);
        const DenseAnswer got = solve(m, p);
        EXPECT_TRUE(got.acceleration.allFinite() && got.lambda.allFinite());
        if (!std::isfinite(bad)) { EXPECT_EQ(got.outcome, KktOutcome::not_finite) << where; }
      }
    }
}

TEST(DenseSolvers, RefuseWhatIsLargerThanTheirWorkspace) {
  Random random(3);
  DenseProblem p = random_tree_inertia(random, 5);
  add_rows(random, {3}, p);
  for (const auto& [nv, m] : {std::pair<Index, Index>{4, 3}, {5, 2}})
    for (const DenseMethod& method : dense_methods(nv, m)) expect_refused(method, p, KktOutcome::unsupported);
}

TEST(ContactCholesky, TouchesTheUnionOfPathsAndNothingElse) {
  int fill = 0;
  for (int seed = 0; seed < effort(100); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    DenseProblem p = random_tree_inertia(random, 2 + random.below(20));
    add_rows(random, {random.below(12)}, p);
    if (seed % 2 == 0) soften(random, p);
    const Index n = static_cast<Index>(p.M.rows()), m = static_cast<Index>(p.J.rows());
    dense::ContactCholeskyWorkspace workspace(n, m);
    Eigen::VectorXd a(n), lambda(m);
    dense::KktAnswer answer;
    answer.acceleration = a.data();
    answer.lambda = lambda.data();
    workspace.solve(p.view(), answer);

    Eigen::MatrixXd U = Eigen::MatrixXd::Identity(m + n, m + n), D = Eigen::MatrixXd::Zero(m + n, m + n), A = D;
    for (Index k = 0; k < n; ++k) {
      D(m + k, m + k) = workspace.pivot(k);
      for (Index i = p.parent[std::size_t(k)]; i >= 0; i = p.parent[std::size_t(i)])
        U(m + i, m + k) = workspace.joint_entry(i, k);
    }
    for (Index r = 0; r < m; ++r) {
      std::vector<bool> path(static_cast<std::size_t>(n));
      for (Index k = 0; k < n; ++k)
        for (Index j = p.J(r, k) != 0 ? k : -1; j >= 0; j = p.parent[std::size_t(j)]) path[std::size_t(j)] = true;
      for (Index k = 0; k < n; ++k) {
        ASSERT_EQ(workspace.stored(r, k), path[std::size_t(k)]) << "row " << r << ", coordinate " << k;
        U(r, m + k) = workspace.row_entry(r, k);
        if (!path[std::size_t(k)]) { ASSERT_EQ(U(r, m + k), 0); }
        fill += p.J(r, k) == 0 && U(r, m + k) != 0;
      }
      for (Index s = 0; s <= r; ++s) D(r, s) = D(s, r) = -workspace.block(r, s);
    }
    A.topLeftCorner(m, m).diagonal() = p.R.size() > 0 ? Eigen::VectorXd(-p.R) : Eigen::VectorXd::Zero(m);
    A.topRightCorner(m, n) = p.J;
    A.bottomLeftCorner(n, m) = p.J.transpose();
    A.bottomRightCorner(n, n) = p.M;
    // Products cancel what the factor has grown by.
    const double size = (U.cwiseAbs() * D.cwiseAbs() * U.cwiseAbs().transpose()).maxCoeff();
    EXPECT_TRUE(within(U * D * U.transpose(), A, 100 * k_eps, size));
  }
  EXPECT_GT(fill, 0) << "no loop among the rows";
}

}  // namespace
}  // namespace zwang::test
