// SPDX-License-Identifier: BSD-3-Clause
// Rows on W = M^-1/2 J^T: rank, levels, motion and multipliers of small systems whose answers are known.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "linear/mass_weighted_rows.hpp"

namespace zwang {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct System {
  Matrix W;                ///< rows x coordinates
  Vector bound;            ///< of |W_i|^2
  std::vector<int> level;  ///< empty: one
  Vector weight;           ///< empty: 1
};

/// Factors a system of hard rows.
MassWeightedRows factored(const System& s, double tolerance = 0) {
  const auto m = static_cast<Index>(s.W.rows()), n = static_cast<Index>(s.W.cols());
  MassWeightedRows x(n, m);
  x.begin(n, 0, m);
  for (Index i = 0; i < m; ++i)
    for (Index k = 0; k < n; ++k) x.hard_row(i)[k] = s.W(i, k);
  x.factor({s.bound.data(), nullptr, s.weight.size() > 0 ? s.weight.data() : nullptr,
            s.level.empty() ? nullptr : s.level.data(), tolerance});
  return x;
}
Vector motion(const MassWeightedRows& x) { return Eigen::Map<const Vector>(x.motion(), x.coordinates()); }
Vector multipliers(const MassWeightedRows& x) {
  Vector lambda(x.rows());
  for (Index i = 0; i < x.rows(); ++i) lambda[i] = x.multiplier(i);
  return lambda;
}
Vector random_vector(std::mt19937& seed, Index n) {
  std::normal_distribution<double> normal;
  Vector x(n);
  for (double& y : x) y = normal(seed);
  return x;
}
System random_system(std::mt19937& seed, Index m, Index n, Index rank) {
  std::normal_distribution<double> normal;
  Matrix A(m, rank), B(rank, n);
  for (double& x : A.reshaped()) x = normal(seed);
  for (double& x : B.reshaped()) x = normal(seed);
  System s;
  s.W = A * B;
  s.bound = s.W.rowwise().squaredNorm() * 4;
  return s;
}

TEST(MassWeightedRows, SolveIndependentRowsWithTheSmallestMotion) {
  std::mt19937 seed(1);
  for (int t = 0; t < 100; ++t) {
    const System s = random_system(seed, 5, 9, 5);
    MassWeightedRows x = factored(s);
    const Vector r = random_vector(seed, 5);
    x.solve(nullptr, r.data());
    EXPECT_EQ(x.rank(), 5);
    const Vector z = s.W.completeOrthogonalDecomposition().solve(r);
    EXPECT_LT((motion(x) - z).norm(), 1e-10 * z.norm());
    EXPECT_LT((s.W.transpose() * multipliers(x) - z).norm(), 1e-10 * z.norm());
    EXPECT_NEAR(x.energy(), 0.5 * z.squaredNorm(), 1e-10 * z.squaredNorm());
  }
}

TEST(MassWeightedRows, OfDependentRowsAreLeastSquaresAndLeastNorm) {
  std::mt19937 seed(2);
  for (int t = 0; t < 100; ++t) {
    const System s = random_system(seed, 8, 9, 4);
    MassWeightedRows x = factored(s);
    const Vector r = random_vector(seed, 8);
    x.solve(nullptr, r.data());
    ASSERT_EQ(x.rank(), 4);
    const Vector z = s.W.completeOrthogonalDecomposition().solve(r);
    EXPECT_LT((motion(x) - z).norm(), 1e-9 * z.norm());
    const Vector lambda = s.W.transpose().completeOrthogonalDecomposition().solve(z);
    EXPECT_LT((multipliers(x) - lambda).norm(), 1e-8 * lambda.norm());
    EXPECT_LE(x.optimality(1, 0, r.data()), 1);
    EXPECT_GT(x.smallest_counted(), 1e-6);
    // A row that does not count is the combination that its coefficients say.
    for (Index i = 0; i < 8; ++i) {
      if (x.counts(i)) continue;
      Vector row = s.W.row(i).transpose() / x.size(i);
      for (Index j = 0; j < 8; ++j)
        if (x.counts(j)) row -= x.coefficient(i, j) * s.W.row(j).transpose() / x.size(j);
      EXPECT_LT(row.norm(), 1e-10);
    }
  }
}

TEST(MassWeightedRows, WeighContradictionsByTheirWeights) {
  System s;
  s.W = Matrix::Ones(2, 1);
  s.bound = Vector::Ones(2);
  s.weight = Vector::Ones(2);
  s.weight[0] = 3;
  MassWeightedRows x = factored(s);
  const double r[] = {1, 5};
  x.solve(nullptr, r);
  EXPECT_NEAR(x.motion()[0], 2.0, 1e-14);  // (3 * 1 + 1 * 5) / 4
}

TEST(MassWeightedRows, GiveEachLevelWhatTheLevelsAboveLeave) {
  System s;
  s.W.resize(4, 3);
  s.W << 1, 0, 0, /**/ 1, 0, 0, /**/ 1, 1, 0, /**/ 0, 1, 1e-6;
  s.bound = s.W.rowwise().squaredNorm();
  s.level = {0, 0, 1, 2};
  MassWeightedRows x = factored(s);
  const double r[] = {1, 3, 7, 11};
  x.solve(nullptr, r);
  EXPECT_EQ(x.rank(), 3);
  EXPECT_NEAR(x.motion()[0], 2, 1e-14);
  EXPECT_NEAR(x.motion()[1], 5, 1e-14);
  EXPECT_NEAR(x.motion()[2], 6e6, 1e-8 * 6e6);
  s.level = {2, 2, 1, 0};  // the other way round
  MassWeightedRows y = factored(s);
  y.solve(nullptr, r);
  EXPECT_NEAR(y.motion()[0] + y.motion()[1], 7, 1e-12);
  EXPECT_NEAR(y.motion()[0], 2, 1e-12);
}

TEST(MassWeightedRows, TellRowsThatAreRoundingFromRowsThatAreSmall) {
  System s;
  s.W.resize(2, 2);
  s.W << 1e-9, 0, /**/ 0, 3e-17;
  s.bound = Vector::Ones(2);
  const MassWeightedRows x = factored(s);
  EXPECT_FALSE(x.is_zero(0));
  EXPECT_TRUE(x.is_zero(1));
  EXPECT_EQ(x.rank(), 1);
}

TEST(MassWeightedRows, ObeyTheUsersTolerance) {
  System s;
  s.W.resize(2, 2);
  s.W << 1, 0, /**/ 1, 1e-6;
  s.bound = Vector::Ones(2) * 2;
  EXPECT_EQ(factored(s).rank(), 2);
  EXPECT_EQ(factored(s, 1e-7).rank(), 2);
  EXPECT_EQ(factored(s, 1e-6).rank(), 1);
}

/// Soft rows: minimise |z|^2 + |rho|^2 with W_s z + sqrt(R) rho = r_s, so that R -> 0 is a hard row.
TEST(MassWeightedRows, TakeSoftRowsOfEveryCompliance) {
  std::mt19937 seed(3);
  for (const double R : {1.0, 1e-3, 1e-9, 1e-15}) {
    const System s = random_system(seed, 3, 4, 3);
    MassWeightedRows x(4, 3);
    x.begin(4, 1, 2);
    for (Index k = 0; k < 4; ++k) {
      x.soft_row(0)[k] = s.W(0, k);
      for (Index i = 0; i < 2; ++i) x.hard_row(i)[k] = s.W(i + 1, k);
    }
    x.set_compliance(0, R, 0);
    const Vector bound = s.bound.tail(2), r = random_vector(seed, 3);
    x.factor({bound.data(), nullptr, nullptr, nullptr, 0});
    x.solve(r.data(), r.data() + 1);
    Matrix G = s.W * s.W.transpose();
    G(0, 0) += R;
    const Vector lambda = G.fullPivLu().solve(r);
    EXPECT_NEAR(x.soft_multiplier(0), lambda[0], 1e-9 * lambda.norm());
    EXPECT_NEAR(x.multiplier(1), lambda[2], 1e-9 * lambda.norm());
    EXPECT_LT((motion(x).head(4) - s.W.transpose() * lambda).norm(), 1e-9 * lambda.norm());
  }
}

}  // namespace
}  // namespace zwang
