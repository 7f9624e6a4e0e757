// SPDX-License-Identifier: BSD-3-Clause
// The dense oracle of hybrid problems, held by its own laws: KKT residuals, optimality level by level, limits of
// weights, the plain oracles where they apply.
#include "support/reference_lexicographic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "support/close.hpp"
#include "support/random.hpp"
#include "support/reference_constrained.hpp"

namespace zwang::reference {
namespace {

using test::Random;
using Vec = VectorX<Real>;
using Mat = MatrixX<Real>;
using Rule = HybridProblem::Rule;

Mat random_matrix(Random& random, int rows, int columns) {
  Mat m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
  return m;
}
HybridProblem random_problem(std::uint64_t seed, int rows, int n) {
  Random random(seed);
  const Mat L = random_matrix(random, n, n);
  HybridProblem p;
  p.M = L * L.transpose() + Mat::Identity(n, n);
  p.A = random_matrix(random, rows, n);
  p.h = random_matrix(random, n, 1);
  p.tau = random_matrix(random, n, 1);
  p.b = random_matrix(random, rows, 1);
  return p;
}
/// Five rows of rank three in three levels, conflicts within level 0 and between levels.
HybridProblem conflicts(std::uint64_t seed) {
  HybridProblem p = random_problem(seed, 7, 8);
  p.A.row(1) = 2 * p.A.row(0);
  p.A.row(4) = p.A.row(2) - p.A.row(0);
  p.A.row(6) = p.A.row(5);
  p.level = {0, 0, 0, 1, 1, 2, 2};
  return p;
}
Vec row_part(const Vec& x, int level, const HybridProblem& p) {
  std::vector<int> of;
  for (int i = 0; i < static_cast<int>(p.level.size()); ++i)
    if (p.level[static_cast<std::size_t>(i)] == level) of.push_back(i);
  return x(of);
}
Vec forces_left(const HybridProblem& p, const HybridMotion& s) {
  return p.M * s.acceleration + p.h - p.tau - p.A.transpose() * s.multipliers;
}

TEST(LexicographicReference, OfOneLevelIsThePlainOracle) {
  for (int seed = 1; seed <= 20; ++seed) {
    HybridProblem p = random_problem(static_cast<std::uint64_t>(seed), 5, 9);
    if (seed % 2) p.A.row(3) = p.A.row(1) - 3 * p.A.row(0);
    const HybridMotion s = hybrid_motion(p);
    const Constrained plain = constrained_motion(p.M, p.h, p.tau, p.A, p.b);
    EXPECT_EQ(s.rank, plain.rank);
    EXPECT_CLOSE(s.acceleration, plain.acceleration, 1e-15);
    EXPECT_CLOSE(s.multipliers, plain.multipliers, 1e-14);
    EXPECT_CLOSE(s.zwang, plain.zwang, 1e-15);
  }
}

TEST(LexicographicReference, OfSoftRowsIsTheCompliantOracle) {
  HybridProblem p = random_problem(2, 4, 9);
  p.R = Vec::LinSpaced(4, 0.1L, 2);
  const HybridMotion s = hybrid_motion(p);
  const Constrained plain = compliant_motion(p.M, p.h, p.tau, p.A, p.b, p.R);
  EXPECT_EQ(s.rank, 4);
  EXPECT_CLOSE(s.acceleration, plain.acceleration, 1e-15);
  EXPECT_CLOSE(s.multipliers, plain.multipliers, 1e-15);
  EXPECT_CLOSE(s.zwang, plain.zwang, 1e-15);
}

TEST(LexicographicReference, SolvesTheKktEquationsOfMixedRowsAndPrescribedCoordinates) {
  for (int seed = 1; seed <= 20; ++seed) {
    HybridProblem p = random_problem(static_cast<std::uint64_t>(seed), 5, 10);
    p.R = Vec::Zero(5);
    p.R(1) = 0.3L;
    p.R(4) = 2;
    p.prescribed = {{2, 0.7L}, {7, -3}};
    const HybridMotion s = hybrid_motion(p);
    EXPECT_EQ(s.rank, 5);
    Vec left = forces_left(p, s);
    left(2) = left(7) = 0;  // what moves them so
    EXPECT_TRUE(test::within(left, Vec(Vec::Zero(10)), 1e-16, 100));
    EXPECT_CLOSE(Vec(p.A * s.acceleration + p.R.cwiseProduct(s.multipliers)), p.b, 1e-16);
    EXPECT_EQ(s.acceleration(2), 0.7L);
    EXPECT_EQ(s.acceleration(7), -3);
    const auto [a, lambda] = kkt_motion(p);
    EXPECT_CLOSE(a, s.acceleration, 1e-15);
    EXPECT_CLOSE(lambda, s.multipliers, 1e-15);
  }
}

/// A prescribed coordinate is a row e_k^T a = a_k above all others.
TEST(LexicographicReference, PrescribingACoordinateIsARowOfAHigherLevel) {
  HybridProblem p = random_problem(3, 4, 9), q = p;
  p.prescribed = {{4, 1.5L}};
  p.level = {0, 0, 0, 0};
  q.A.conservativeResize(5, Eigen::NoChange);
  q.b.conservativeResize(5);
  q.A.row(4) = Vec::Unit(9, 4).transpose();
  q.b(4) = 1.5L;
  q.level = {1, 1, 1, 1, 0};
  const HybridMotion s = hybrid_motion(p), t = hybrid_motion(q);
  EXPECT_CLOSE(s.acceleration, t.acceleration, 1e-15);
  EXPECT_CLOSE(s.multipliers, Vec(t.multipliers.head(4)), 1e-14);
}

/// Least squares with weights 1, 1e-2, 1e-4 on the levels tend to the lexicographic ones.
TEST(LexicographicReference, IsTheLimitOfWeightedLeastSquares) {
  for (int seed = 1; seed <= 10; ++seed) {
    const HybridProblem p = conflicts(static_cast<std::uint64_t>(seed));
    const HybridMotion s = hybrid_motion(p);
    // min |D (A a - b)|^2 + delta |a - free|^2_M with delta far below every weight
    Vec D(7);
    for (int i = 0; i < 7; ++i) D(i) = std::pow(1e-2L, p.level[static_cast<std::size_t>(i)]);
    const Mat AD = D.asDiagonal() * p.A;
    const Mat N = AD.transpose() * AD + 1e-14L * p.M;
    const Vec a = s.free + Eigen::FullPivLU<Mat>(N).solve(AD.transpose() * D.cwiseProduct(p.b - p.A * s.free));
    EXPECT_CLOSE(a, s.acceleration, 1e-2);
    EXPECT_LE(std::fabs((row_part(p.A * a - p.b, 0, p).norm() / row_part(s.residual, 0, p).norm()) - 1), 1e-6L);
  }
}

TEST(LexicographicReference, CannotBeBetteredAtAnyLevelWithoutHarmToOneAbove) {
  for (int seed = 1; seed <= 20; ++seed) {
    const HybridProblem p = conflicts(static_cast<std::uint64_t>(seed));
    const HybridMotion s = hybrid_motion(p);
    EXPECT_EQ(s.rank, 4);
    EXPECT_TRUE(test::within(forces_left(p, s), Vec(Vec::Zero(8)), 1e-15, 100));
    Mat above(0, 8);
    for (int level = 0; level <= 2; ++level) {
      std::vector<int> of;
      for (int i = 0; i < 7; ++i)
        if (p.level[static_cast<std::size_t>(i)] == level) of.push_back(i);
      const Mat A = p.A(of, Eigen::all);
      const Mat N =
          above.rows() ? Mat(Eigen::FullPivLU<Mat>(above).setThreshold(1e-12L).kernel()) : Mat::Identity(8, 8);
      // The gradient of |A a - b|^2 along what the levels above leave free.
      EXPECT_LE((N.transpose() * A.transpose() * row_part(s.residual, level, p)).cwiseAbs().maxCoeff(), 1e-13L);
      above.conservativeResize(above.rows() + A.rows(), 8);
      above.bottomRows(A.rows()) = A;
    }
    const Mat N = Eigen::FullPivLU<Mat>(above).setThreshold(1e-12L).kernel();
    EXPECT_EQ(N.cols(), 4);
    EXPECT_LE((N.transpose() * p.M * (s.acceleration - s.free)).cwiseAbs().maxCoeff(), 1e-13L);  // nearest
    const Mat zero = Eigen::FullPivLU<Mat>(Mat(p.A.transpose())).setThreshold(1e-12L).kernel();
    EXPECT_LE((zero.transpose() * s.multipliers).cwiseAbs().maxCoeff(), 1e-13L);  // least norm
  }
}

TEST(LexicographicReference, WeighsRowsInConflict) {
  HybridProblem p = random_problem(5, 2, 6);
  p.A.row(1) = p.A.row(0);
  p.rule = Rule::weighted;
  p.weight = (Vec(2) << 1, 9).finished();
  const HybridMotion s = hybrid_motion(p);
  EXPECT_CLOSE(Real(p.A.row(0) * s.acceleration), Real((p.b(0) + 9 * p.b(1)) / 10), 1e-16);
  EXPECT_CLOSE(Real(9 * s.multipliers(0)), s.multipliers(1), 1e-15);  // lambda / sqrt(w) least: shares as the weights
  EXPECT_TRUE(test::within(forces_left(p, s), Vec(Vec::Zero(6)), 1e-15, 10));
}

TEST(LexicographicReference, DampsMultipliers) {
  HybridProblem p = random_problem(6, 4, 6);
  p.A.row(1) = p.A.row(0);
  p.rule = Rule::damping;
  p.regularisation = 0.1L;
  const HybridMotion s = hybrid_motion(p);
  const Mat G = p.A * p.M.inverse() * p.A.transpose();
  EXPECT_CLOSE(Vec(p.A * s.acceleration + 0.1L * G.diagonal().mean() * s.multipliers), p.b, 1e-15);
  EXPECT_TRUE(test::within(forces_left(p, s), Vec(Vec::Zero(6)), 1e-15, 10));
}

TEST(LexicographicReference, LetsDriversThatARowLeavesOutActOnIt) {
  HybridProblem p = random_problem(7, 3, 8);
  Random random(9);
  p.gravity = random_matrix(random, 8, 1);
  p.external = random_matrix(random, 8, 1);
  p.prescribed = {{3, 2}};
  p.left_out = {HybridProblem::gravity_driver | HybridProblem::external_driver,
                HybridProblem::tau_driver | HybridProblem::prescribed_driver, 0};
  const HybridMotion s = hybrid_motion(p);
  // The same by what the words mean: the rows' motion when each driver acts alone on a robot at rest, without bias.
  HybridProblem alone = p;
  alone.A.resize(0, 8);
  alone.b.resize(0);
  alone.left_out.clear();
  const auto acts = [&](const Vec& force, Real prescribed) {
    alone.h = -force;
    alone.tau = Vec::Zero(8);
    alone.prescribed = {{3, prescribed}};
    return hybrid_motion(alone).acceleration;
  };
  const Vec zero = Vec::Zero(8);
  const Real first = p.b(0) + p.A.row(0).dot(acts(p.gravity + p.external, 0));
  const Real second = p.b(1) + p.A.row(1).dot(acts(p.tau, 0)) + p.A.row(1).dot(acts(zero, 2));
  EXPECT_CLOSE(Vec(p.A * s.acceleration), Vec((Vec(3) << first, second, p.b(2)).finished()), 1e-15);
  EXPECT_LE(s.residual.norm(), 1e-15L);
}

TEST(LexicographicReference, SolvesWithoutInertiaWhereRowsDetermineTheMotion) {
  HybridProblem p = random_problem(8, 3, 6);
  p.M.row(5).setZero();
  p.M.col(5).setZero();
  const auto [a, lambda] = kkt_motion(p);
  EXPECT_TRUE(test::within(Vec(p.M * a + p.h), Vec(p.tau + p.A.transpose() * lambda), 1e-15, 10));
  EXPECT_CLOSE(Vec(p.A * a), p.b, 1e-15);
  EXPECT_THROW(hybrid_motion(p), std::domain_error);
  p.A.col(5).setZero();
  EXPECT_THROW(kkt_motion(p), std::domain_error);
}

}  // namespace
}  // namespace zwang::reference
