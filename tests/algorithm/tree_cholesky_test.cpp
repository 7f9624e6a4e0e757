// SPDX-License-Identifier: BSD-3-Clause
// M = L^T D L with the sparsity of the tree: the factors, products, solves and the inverse.
//
// Products cost at most one rounding per entry on a path: k * nv * eps * size; solves the same times the condition
// of M.
#include "zwang/algorithm/tree_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "algorithm/cases.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix factor(const TreeCholesky& f, Index n) {
  Matrix L(n, n);
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j) L(k, j) = f.lower(k, j);
  return L;
}

void expect_case(const Case& c, std::uint64_t seed) {
  SCOPED_TRACE(c.name);
  const Model& m = c.model;
  const Index n = m.nv();
  if (n == 0) return;
  Random random(seed);
  const Vector q = random_configuration(m, random), x = random.vector(n);
  Data data(m);
  TreeCholesky f(m);
  f.compute(data, q);
  const Matrix M = c.reference.at(q).mass_matrix().cast<double>(), L = factor(f, n);
  Matrix D = Matrix::Zero(n, n);
  for (Index k = 0; k < n; ++k) {
    D(k, k) = f.diagonal(k);
    EXPECT_GT(f.diagonal(k), 0);
    EXPECT_EQ(L(k, k), 1);
    for (Index j = k + 1; j < n; ++j) EXPECT_EQ(L(k, j), 0) << "above the diagonal";
  }
  const double eps = 200 * n * k_eps, size = largest(M);
  EXPECT_TRUE(within(L.transpose() * D * L, M, eps, size));
  const Matrix inverse = M.cast<reference::Real>().fullPivLu().inverse().cast<double>();
  const double kappa = size * largest(inverse) * n;

  Vector y = x;
  f.multiply(y);
  EXPECT_TRUE(within(y, M * x, eps, size));
  f.solve(y);
  EXPECT_TRUE(within(y, x, eps * kappa, 1)) << "solve after multiply";
  y = x;
  f.multiply_lower(y);
  EXPECT_TRUE(within(y, L * x, eps, largest(L)));
  f.solve_lower(y);
  EXPECT_TRUE(within(y, x, eps * largest(L) * kappa, 1));
  y = x;
  f.multiply_transposed(y);
  EXPECT_TRUE(within(y, L.transpose() * x, eps, largest(L)));
  f.solve_transposed(y);
  EXPECT_TRUE(within(y, x, eps * largest(L) * kappa, 1));
  Matrix W = Matrix::Constant(n, n, 9);
  f.inverse(W);
  EXPECT_TRUE(within(W, inverse, eps * kappa, largest(inverse)));
  EXPECT_TRUE(within(W * M, Matrix::Identity(n, n), eps * kappa, 1));
  EXPECT_TRUE(within(W, W.transpose(), eps * kappa, largest(W)));
}

TEST(TreeCholesky, FactorsTheMassMatrixOfRandomTrees) {
  for (int seed = 0; seed < effort(400); ++seed) {
    expect_case(random_case(static_cast<std::uint64_t>(seed)), static_cast<std::uint64_t>(seed));
    if (testing::Test::HasFailure()) break;
  }
}

TEST(TreeCholesky, FactorsTheMassMatrixOfEveryRobotFile) {
  for (const RobotFile& file : robot_files()) expect_case(load_case(file), 4);
}

TEST(TreeCholesky, HasNoFillOffThePathsOfTheTree) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  Data data(m);
  Random random(2);
  TreeCholesky f(m);
  f.compute(data, random_configuration(m, random));
  ASSERT_EQ(m.nv(), 18);
  for (Index k = 6; k < 18; ++k)
    for (Index j = 0; j < k; ++j) {
      const bool on_path = j < 6 || (j - 6) / 3 == (k - 6) / 3;  // the trunk, or the same leg
      EXPECT_EQ(f.lower(k, j) != 0, on_path) << k << ' ' << j;
    }
}

TEST(TreeCholesky, RefusesToSolveBeforeComputeAndWhatDoesNotFit) {
  const Case c = random_case(5, 6);
  TreeCholesky f(c.model);
  Vector x = Vector::Ones(c.model.nv());
  EXPECT_THROW(f.solve(x), std::logic_error);
  EXPECT_THROW(f.diagonal(0), std::logic_error);
  Data data(c.model);
  Random random(3);
  f.compute(data, random_configuration(c.model, random));
  Vector longer = Vector::Ones(c.model.nv() + 1);
  EXPECT_THROW(f.solve(longer), std::invalid_argument);
  Matrix thin(c.model.nv(), c.model.nv() + 1);
  EXPECT_THROW(f.inverse(thin), std::invalid_argument);
  const Case other = random_case(6, 6);
  Data wrong(other.model);
  EXPECT_THROW(f.compute(wrong, random_configuration(c.model, random)), WorkspaceMismatch);
}

}  // namespace
}  // namespace zwang::test
