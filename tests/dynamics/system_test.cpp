// SPDX-License-Identifier: BSD-3-Clause
// SystemSolver: the answer of the whole KKT matrix in long double, for every method on matrices.
//
// Tolerance: the answers are refined, so that what remains is the condition of the problem times a few roundings; the
// problems below have conditions up to 1e4 (with units taken out), hence 1e6 eps. Near-singular ones are judged by
// their equations instead.
#include "zwang/factor/system.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "factor/system_impl.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
constexpr double k_answer = 1e6 * 2.2e-16;

struct Given {
  Matrix M, J;
  Vector f, target, R;
};

Matrix random_matrix(Random& random, int rows, int columns) {
  Matrix X(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) X(i, j) = random.uniform(-1, 1);
  return X;
}
Given random_problem(std::uint64_t seed, int n, int m) {
  Random random(seed);
  const Matrix A = random_matrix(random, n, n);
  return {A * A.transpose() + Matrix::Identity(n, n), random_matrix(random, m, n), random.vector(n, 5),
          random.vector(m, 2), Vector::Zero(m)};
}

/// [M -J^T; J R] [x; lambda] = [f; target] by LU with complete pivoting; of independent rows.
void expect_kkt(const Given& p, const SystemSolution& s, double tolerance = k_answer) {
  const auto n = p.M.rows(), m = p.J.rows();
  Wide K = Wide::Zero(n + m, n + m), right(n + m, 1);
  K.topLeftCorner(n, n) = p.M.cast<long double>();
  K.topRightCorner(n, m) = -p.J.transpose().cast<long double>();
  K.bottomLeftCorner(m, n) = p.J.cast<long double>();
  if (p.R.size() > 0) K.bottomRightCorner(m, m).diagonal() = p.R.cast<long double>();
  right << p.f.cast<long double>(), p.target.cast<long double>();
  const Wide expected = K.fullPivLu().solve(right);
  EXPECT_TRUE(within(s.x, Wide(expected.topRows(n)), tolerance, static_cast<double>(expected.topRows(n).norm())));
  EXPECT_TRUE(within(s.multipliers, Wide(expected.bottomRows(m)), tolerance,
                     static_cast<double>(expected.bottomRows(m).norm()) + 1e-300));
}
SystemSolution solve(const Given& p, const std::string& method) {
  return solve_system(p.M, p.J, p.f, p.target, p.R, method);
}

TEST(System, EveryMethodGivesTheAnswerOfTheKktMatrix) {
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    SystemSolver solver(9, 6, method);
    for (int seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(seed);
      const int n = 1 + seed % 9, m = seed % (std::min(n, 6) + 1);
      Given p = random_problem(static_cast<std::uint64_t>(seed), n, m);
      if (seed % 3 == 1)
        for (int k = 0; k < m; k += 2) p.R(k) = 0.3 + k;
      const SystemSolution& s = solver.solve(p.M, p.J, p.f, p.target, p.R);
      EXPECT_EQ(s.status, Status::ok);
      EXPECT_EQ(s.rank, m);
      EXPECT_EQ(s.rows, m);
      EXPECT_TRUE(s.redundant.empty());
      EXPECT_LE(s.residual, s.tolerance);
      expect_kkt(p, s);
      EXPECT_NEAR(s.objective,
                  0.5 * s.x.dot(p.M * s.x) - p.f.dot(s.x) + 0.5 * s.multipliers.dot(p.R.cwiseProduct(s.multipliers)),
                  1e-11 * (1 + p.f.squaredNorm()));
    }
  }
}

// Row 3 = row 0 + 2 row 1. Consistent: the answer of the first rows, with the shortest multipliers of the same force.
TEST(System, DependentRowsHaveTheShortestMultipliersAndContradictionsLeastSquares) {
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    Given p = random_problem(7, 6, 4);
    p.J.row(3) = p.J.row(0) + 2 * p.J.row(1);
    p.target(3) = p.target(0) + 2 * p.target(1);
    const SystemSolution s = solve(p, method);
    EXPECT_EQ(s.status, Status::ok);
    EXPECT_EQ(s.rank, 3);
    EXPECT_EQ(s.redundant, std::vector<Index>{3});
    const Given first{p.M, p.J.topRows(3), p.f, p.target.head(3), {}};
    const SystemSolution of_three = solve(first, method);
    EXPECT_CLOSE(s.x, of_three.x, k_answer);
    Vector relation(4);
    relation << 1, 2, 0, -1;
    EXPECT_NEAR(relation.dot(s.multipliers), 0, k_answer * s.multipliers.norm());

    Given wrong = p;
    wrong.target(3) += 1;
    const SystemSolution least = solve(wrong, method);
    EXPECT_EQ(least.status, Status::infeasible);
    EXPECT_EQ(least.infeasible, (std::vector<Index>{0, 1, 3}));
    EXPECT_GT(least.residual, least.tolerance);
    // The nearest right-hand side that can be met: less its part along the relation.
    const Vector nearest = wrong.target - relation * relation.dot(wrong.target) / relation.squaredNorm();
    EXPECT_CLOSE(Vector(p.J * least.x), nearest, k_answer);
    EXPECT_CLOSE(Vector(p.M * least.x - p.J.transpose() * least.multipliers), p.f, k_answer);
  }
}

TEST(System, UnitsOfRowsAndCoordinatesDoNotMatter) {
  for (const std::string& method : system_methods())
    for (int seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(method + ' ' + std::to_string(seed));
      const Given p = random_problem(static_cast<std::uint64_t>(seed) + 90, 7, 4);
      const SystemSolution s = solve(p, method);
      Random random(static_cast<std::uint64_t>(seed));
      Vector row(4), column(7);
      for (double& x : row) x = std::pow(10.0, 6 * (random.below(3) - 1));
      for (double& x : column) x = std::pow(10.0, 6 * (random.below(3) - 1));
      const Given scaled{column.asDiagonal() * p.M * column.asDiagonal(),
                         row.asDiagonal() * p.J * column.asDiagonal(),
                         column.asDiagonal() * p.f,
                         row.asDiagonal() * p.target,
                         {}};
      const SystemSolution t = solve(scaled, method);
      EXPECT_EQ(t.status, Status::ok);
      EXPECT_EQ(t.rank, 4);
      EXPECT_CLOSE(Vector(column.asDiagonal() * t.x), s.x, k_answer);
      EXPECT_CLOSE(Vector(row.asDiagonal() * t.multipliers), s.multipliers, k_answer);
    }
}

// An angle of 1e-5 still counts. The multipliers lose its square, the equations do not.
TEST(System, NearlyDependentRowsHold) {
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    Given p = random_problem(11, 6, 3);
    p.J.row(2) = p.J.row(0) + 1e-5 * p.J.row(2);
    const SystemSolution s = solve(p, method);
    EXPECT_EQ(s.rank, 3);
    EXPECT_EQ(s.status, Status::ok) << s.residual;
    expect_kkt(p, s, 1e4 * k_answer);
  }
}

TEST(System, SemidefiniteMassWhereTheRowsDetermineTheRest) {
  Given p = random_problem(5, 5, 3);
  p.M.row(4).setZero();
  p.M.col(4).setZero();
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    const SystemSolution s = solve(p, method);
    if (method == "range_space") {
      EXPECT_EQ(s.status, Status::singular_mass);
      EXPECT_EQ(s.x, Vector::Zero(5));
      continue;
    }
    EXPECT_EQ(s.status, Status::ok);
    expect_kkt(p, s);
    Given free = p;
    free.J.col(4).setZero();
    const SystemSolution none = solve(free, method);
    EXPECT_EQ(none.status, Status::singular_mass);
    EXPECT_EQ(none.x, Vector::Zero(5));
    EXPECT_EQ(none.multipliers, Vector::Zero(3));
  }
}

TEST(System, IsTheSolversOwnProblem) {
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(robot);
  for (const char* foot : {"LF_foot", "RF_foot", "RH_foot"}) {
    FrameConstraint c;
    c.name = c.frame = foot;
    c.rows = rows("linear");
    set.add(c);
  }
  const RandomState state = random_state(robot, 12);
  Data data(robot);
  ConstraintEvaluator evaluator(robot, set);
  evaluator.evaluate(state.q, state.v);
  Given p{Matrix(robot.nv(), robot.nv()), Matrix(evaluator.rows(), robot.nv()), {}, evaluator.gamma(), {}};
  mass_matrix(robot, data, state.q, p.M);
  evaluator.jacobian(p.J);
  p.f = state.tau - bias_forces(robot, data, state.q, state.v);
  Solver solver(robot, set);
  const Solution& own = solver.solve({.q = state.q, .v = state.v, .tau = state.tau});
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    const SystemSolution s = solve(p, method);
    EXPECT_EQ(s.status, own.report.status);
    EXPECT_EQ(s.rank, own.report.rank);
    EXPECT_CLOSE(s.x, Vector(own.acceleration), k_answer);
    EXPECT_CLOSE(s.multipliers, Vector(own.multipliers), k_answer);
  }
}

// What M and the rows leave free is never made up: random semidefinite M of any rank, one row too few.
TEST(System, IsSingularWhereMassAndRowsDetermineNothing) {
  for (const std::string& method : system_methods()) {
    SCOPED_TRACE(method);
    for (int seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(seed);
      Random random(static_cast<std::uint64_t>(seed));
      const int n = 2 + random.below(6), rank = random.below(n), m = n - rank;
      const Matrix A = random_matrix(random, n, rank);
      Given p{A * A.transpose(), random_matrix(random, m, n), random.vector(n, 1), random.vector(m, 1), {}};
      const SystemSolution whole = solve(p, method);
      EXPECT_EQ(whole.status, method == "range_space" ? Status::singular_mass : Status::ok);
      p.J.conservativeResize(m - 1, n);
      p.target.conservativeResize(m - 1);
      EXPECT_EQ(solve(p, method).status, Status::singular_mass);
    }
  }
}

// However small the inertia of a direction: rows that can be met are never called infeasible.
TEST(System, InfeasibleIsOnlySaidOfRowsThatDependOnEachOther) {
  int seed = 0;
  for (const double least : {1e-10, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16})
    for (int repeat = 0; repeat < 40; ++repeat) {
      Random random(static_cast<std::uint64_t>(++seed));
      const Matrix Q = Eigen::HouseholderQR<Matrix>(random_matrix(random, 5, 5)).householderQ();
      Vector inertia = Vector::Ones(5);
      inertia(4) = least;
      const Matrix M = Q * inertia.asDiagonal() * Q.transpose();
      const Given p{(M + M.transpose()) / 2, random_matrix(random, 2, 5), random.vector(5, 1), random.vector(2, 1), {}};
      for (const std::string& method : system_methods()) {
        SCOPED_TRACE(method + ' ' + std::to_string(least));
        const SystemSolution s = solve(p, method);
        EXPECT_NE(s.status, Status::infeasible) << s.residual;
        EXPECT_TRUE(s.status == Status::ok || method == "range_space");
      }
    }
}

// From obeyed to given up: the list of redundant rows has as many as the rank lacks, and a status ok all rows.
TEST(System, RankAndRedundantRowsAgreeAtEveryAngle) {
  int seed = 500;
  for (double angle = 1e-4; angle > 1e-9; angle /= 1.7)
    for (int repeat = 0; repeat < 10; ++repeat) {
      Given p = random_problem(static_cast<std::uint64_t>(++seed), 6, 3);
      p.J.row(2) = p.J.row(0) + angle * p.J.row(2);
      for (const std::string& method : system_methods()) {
        SCOPED_TRACE(method + ' ' + std::to_string(angle * 1e9));
        const SystemSolution s = solve(p, method);
        EXPECT_EQ(s.rank + static_cast<Index>(s.redundant.size()), 3);
        EXPECT_EQ(s.status == Status::ok, s.infeasible.empty());
        EXPECT_TRUE(s.status != Status::ok || (p.J * s.x - p.target).norm() <= 1e-9 * (1 + p.J.norm() * s.x.norm()));
      }
    }
}

std::string refusal(const Given& p, const std::string& method = "dense_cod") {
  try {
    solve(p, method);
  } catch (const std::invalid_argument& e) { return e.what(); }
  return "nothing was refused";
}
void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(System, HoldsWhereNothingMoves) {
  // f = J^T (-lambda) and target = 0: x = 0, so that every term of a row is rounding.
  // Rows without an entry stand alone.
  std::uint64_t seed = 700;
  for (const std::string& method : system_methods())
    for (int round = 0; round < 40; ++round) {
      Random random(++seed);
      const int n = 1 + random.below(6), m = 1 + random.below(n);
      Given p = random_problem(seed, n, m);
      const Vector lambda = random.vector(m, 5);
      p.f = -p.J.transpose() * lambda;
      p.target.setZero();
      const SystemSolution still = solve(p, method);
      EXPECT_EQ(still.status, Status::ok) << method << ", " << seed << ", residual " << still.residual;
      EXPECT_TRUE(within(still.multipliers, lambda, k_answer, 100.0));
      const Matrix back = Matrix::Identity(n, n) * 1e3;  // other units of mass, the same motion
      const Given heavy{back * p.M, p.J, back * p.f, p.target, p.R};
      EXPECT_EQ(solve(heavy, method).status, Status::ok) << method << ", " << seed;

      p.J.row(m - 1).setZero();
      p.R(m - 1) = 0.5;
      p.f = random.vector(n, 5);
      p.target.head(m - 1) = random.vector(m - 1, 2);
      for (const double target : {0.0, 3.0}) {
        p.target(m - 1) = target;
        const SystemSolution empty = solve(p, method);
        EXPECT_EQ(empty.status, Status::ok) << method << ", " << seed << ", residual " << empty.residual;
        EXPECT_EQ(empty.multipliers(m - 1), 2 * target);
      }
    }
}

// The motion fits without multipliers; the equation of a massless coordinate has no more.
TEST(System, HoldsWhereNoRowIsNeeded) {
  for (const char* const method : {"dense_cod", "dense_lu", "dense_qr", "null_space"})
    for (std::uint64_t seed = 800; seed < 840; ++seed) {
      Random random(seed);
      const int n = 2 + random.below(5), k = 1 + random.below(n - 1);
      Given p = random_problem(seed, n, n - k);
      p.M.bottomRows(n - k).setZero();
      p.M.rightCols(n - k).setZero();
      const Vector x = random.vector(n, 2);
      p.f = p.M * x;
      p.target = p.J * x;
      const SystemSolution s = solve(p, method);
      EXPECT_EQ(s.status, Status::ok) << method << ", " << seed << ", residual " << s.residual;
      EXPECT_TRUE(within(s.x, x, k_answer, 1e3));
    }
}

/// Of each equation, what is left over its own terms; the largest of the rows given.
double missed(const Given& p, const SystemSolution& s, bool motion, const std::vector<int>& rows) {
  const auto wide = [](const auto& x) { return x.template cast<long double>().eval(); };
  const Wide x = wide(s.x), lambda = wide(s.multipliers), M = wide(p.M), J = wide(p.J);
  double worst = 0;
  const auto take = [&](long double left, long double terms) {
    if (left != 0) worst = std::max(worst, static_cast<double>(std::fabs(left) / terms));
  };
  for (Eigen::Index i = 0; motion && i < x.size(); ++i)
    take((M.row(i) * x - J.col(i).transpose() * lambda)(0) - p.f(i),
         (M.row(i).cwiseAbs() * x.cwiseAbs() + J.col(i).transpose().cwiseAbs() * lambda.cwiseAbs())(0) +
             std::fabs(p.f(i)));
  for (const int k : rows)
    take((J.row(k) * x)(0) + static_cast<long double>(p.R(k)) * lambda(k) - p.target(k),
         (J.row(k).cwiseAbs() * x.cwiseAbs())(0) + std::fabs(p.R(k) * lambda(k)) + std::fabs(p.target(k)));
  return worst;
}

// Half of the rows depend on the others, and all targets are at random: each row that does not hold is asked whether it
// depends on the rest, by halves, in less than a second; one by one it took a minute. Rows alone among those hold.
TEST(System, ManyRowsThatContradictEachOther) {
  for (const int m : {1, 2, 3, 7, 30, 31, 200}) {
    SCOPED_TRACE(m);
    Random random(static_cast<std::uint64_t>(m) + 700);
    const int n = m / 2 + 3;
    Given p = random_problem(static_cast<std::uint64_t>(m), n, m);
    p.M = Matrix::Identity(n, n);
    p.J.rightCols(2).setZero();  // of the last two motions
    if (m > 2) {
      p.J.row(m / 3).setZero();
      p.J(m / 3, n - 1) = 1;  // alone
    }
    const SystemSolution s = solve(p, "dense_cod");
    const bool possible = (m > 2 ? m - 1 : m) <= n - 2;
    EXPECT_EQ(s.status, possible ? Status::ok : Status::infeasible);
    if (!possible) { EXPECT_EQ(static_cast<int>(s.infeasible.size()), m - 1); }
    for (const Index k : s.infeasible) EXPECT_NE(k, m / 3);
    if (m > 2) { EXPECT_NEAR(s.x(n - 1), p.target(m / 3), s.tolerance * std::fabs(p.target(m / 3))); }
  }
}

// A row depends on the others where the rank is the same without it; of several, all do.
TEST(System, RowsDependWhereTheRankIsTheSameWithoutThem) {
  int some = 0, none = 0;
  for (int seed = 0; seed < effort(1000, 100); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed) + 4000);
    const int n = 1 + random.below(8), m = 1 + random.below(9);
    SystemImpl s(n, m, nullptr, false);
    s.n = n;
    s.m = m;
    s.obeyed = 64 * SystemImpl::k_eps * m;
    Matrix J(m, n);
    std::vector<Index> asked;
    for (int k = 0; k < m; ++k) {
      for (int j = 0; j < n; ++j) s.J[k * n + j] = J(k, j) = random.below(3) == 0 ? random.below(3) - 1 : 0;
      s.R[k] = 0;
      if (random.below(3) == 0) asked.push_back(k);
    }
    for (int j = 0; j < n; ++j) s.scale[j] = 1;
    bool all = true;
    for (const Index k : asked) {
      Matrix others = J;
      others.row(k).setZero();
      all = all && others.fullPivLu().rank() == J.fullPivLu().rank();
    }
    EXPECT_EQ(s.depend(asked.data(), asked.data() + asked.size(), 0, m), all);
    (all ? some : none) += !asked.empty();
  }
  EXPECT_GT(some, effort(100, 10));
  EXPECT_GT(none, effort(100, 10));
}

// Rows scaled by 1e-8 ... 1e8, right-hand sides of very different sizes, motions that vanish beside large forces,
// coordinates without mass, rows that depend on others: what is said of an equation is true of its own terms.
TEST(System, AnEquationHoldsByItsOwnTerms) {
  enum Kind { sizes, scales, both, still, sparse, massless, dependent, contradictory, k_kinds };
  int ok = 0, infeasible = 0, other = 0;
  for (int seed = 1; seed <= effort(1600, 16); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 90000);
    const auto power = [&](double digits) { return std::pow(10, random.uniform(-digits, digits)); };
    const int kind = seed % k_kinds, n = 4 + random.below(5), m = 3 + random.below(n - 2);
    Given p = random_problem(static_cast<std::uint64_t>(seed) + 50000, n, m);
    std::vector<int> all, alone;
    for (int k = 0; k < m; ++k) all.push_back(k);
    for (int k = 2; k + 1 < m; ++k) alone.push_back(k);
    if (kind >= dependent) {
      p.J.row(m - 1) = p.J.row(0) - 0.5 * p.J.row(1);
      p.target(m - 1) = p.target(0) - 0.5 * p.target(1) + (kind == contradictory ? 1 : 0);
    }
    for (const int k : kind >= dependent ? alone : all) {
      if (kind == scales || kind == both || kind == sparse || kind >= dependent) {
        const double s = power(8);
        p.J.row(k) *= s;
        p.target(k) *= s;
      }
      if (kind == sizes || kind == both || kind == sparse || kind >= dependent) p.target(k) *= power(8);
      if (kind == both && random.below(2)) p.R(k) = power(6);
    }
    if (kind == still) {
      Vector lambda = random.vector(m, 5);
      for (double& x : lambda) x *= power(6);
      p.f = -p.J.transpose() * lambda;
      p.target.setZero();
    }
    if (kind == sparse) {
      for (int k = 0; k < m; ++k)
        for (int j = 0; j < n; ++j)
          if (j != k && random.below(2)) p.J(k, j) = 0;
      p.M = Matrix(p.M.diagonal().asDiagonal());
    }
    if (kind == massless) {
      const int last = n - 1 - random.below(2);
      p.M.bottomRows(n - last).setZero();
      p.M.rightCols(n - last).setZero();
    }
    for (const std::string& method : system_methods()) {
      if (kind == massless && method == "range_space") continue;
      SCOPED_TRACE(method + ", kind " + std::to_string(kind) + ", seed " + std::to_string(seed));
      const SystemSolution s = solve(p, method);
      const double few = s.tolerance + 1e-15;  // what long double and the order of sums change
      if (s.status == Status::ok) { EXPECT_LE(missed(p, s, true, all), few); }
      if (s.status == Status::infeasible) {
        EXPECT_LE(missed(p, s, true, {}), few);
        if (kind == contradictory) { EXPECT_LE(missed(p, s, false, alone), few); }
      }
      (s.status == Status::ok ? ok : s.status == Status::infeasible ? infeasible : other)++;
      if (kind == contradictory) { EXPECT_NE(s.status, Status::ok); }
      if (kind < contradictory && kind != sparse) { EXPECT_EQ(s.status, Status::ok) << s.residual; }
    }
    if (HasFailure()) return;
  }
  EXPECT_LE(other, (ok + infeasible) / 50);
}

TEST(System, RefusesByName) {
  const Given good = random_problem(3, 4, 2);
  Given p = good;
  p.M(1, 2) += 0.1;
  expect_words(refusal(p), {"E_NUMBER", "'M'", "(2, 1)", "symmetric"});
  p = good;
  p.M -= 100 * Matrix::Identity(4, 4);
  expect_words(refusal(p), {"E_NUMBER", "'M'", "0 or more"});
  p = good;
  p.M = Matrix::Constant(4, 4, -0.9) + 1.9 * Matrix::Identity(4, 4);
  expect_words(refusal(p), {"E_NUMBER", "'M'", "semidefinite"});
  p = good;
  p.J(1, 3) = NAN;
  expect_words(refusal(p), {"E_NUMBER", "'J'", "nan", "entry 7"});
  p = good;
  p.R(1) = -1;
  expect_words(refusal(p), {"E_NUMBER", "'R'", "entry 1"});
  p = good;
  p.J = Matrix::Zero(2, 3);
  expect_words(refusal(p), {"E_SIZE", "'J'", "2 x 3", "2 x 4"});
  p = good;
  p.R = Vector::Zero(3);
  expect_words(refusal(p), {"E_SIZE", "'R'", "has 3", "expected 2"});
  expect_words(refusal(good, "dense_cood"), {"dense_cod"});
  EXPECT_THROW(solve(good, "constrained_aba"), UnsupportedError);
  expect_words(refusal(good, "constrained_aba"), {"needs a model", "range_space"});
  p = good;
  p.f = Vector::Zero(200000);  // whose square is beyond memory, and beyond int
  expect_words(refusal(p), {"E_SIZE", "'f'", "200000", "expected 4"});
  EXPECT_THROW(SystemSolver(50000, 1), std::invalid_argument);
  EXPECT_THROW(SystemSolver(1, 2000000000), std::invalid_argument);
  SystemSolver small(3, 2);
  EXPECT_THROW(small.solve(good.M, good.J, good.f, good.target), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
