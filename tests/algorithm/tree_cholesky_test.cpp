// SPDX-License-Identifier: BSD-3-Clause
// M = L^T D L with the sparsity of the tree: the factors, products, solves and the inverse.
//
// Products cost at most one rounding per entry on a path: k * nv * eps * size;
// solves the same times the condition of M.
#include "zwang/algorithm/tree_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/io/urdf.hpp"

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
  Matrix pivots = Matrix::Zero(n, n);
  for (Index k = 0; k < n; ++k) {
    pivots(k, k) = f.diagonal(k);
    EXPECT_GT(f.diagonal(k), 0);
    EXPECT_EQ(L(k, k), 1);
    for (Index j = k + 1; j < n; ++j) EXPECT_EQ(L(k, j), 0) << "above the diagonal";
  }
  const double eps = 200 * n * k_eps, size = largest(M);
  EXPECT_TRUE(within(L.transpose() * pivots * L, M, eps, size));
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

/// Two hinges on one line, a metre from where M is set up, with nothing between them: M_kk of the outer ones is
/// rounding beside the inertia of the whole, and so is what the factorisation leaves of it.
TEST(TreeCholesky, FindsACoordinateWithoutInertiaFarFromTheCentre) {
  const Model m = loads(R"(<robot name="s"><link name="base"/>
    <link name="l1"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="l2"/>
    <link name="l3"><inertial><origin xyz="0.003 0.001 0"/><mass value="0.01"/>
      <inertia ixx="1e-7" iyy="1e-7" izz="1e-7" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 0.6 0.8"/></joint>
    <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/>
      <origin xyz="1.03 0.1 0.2" rpy="0.3 0.5 0.7"/><axis xyz="0 0 1"/></joint>
    <joint name="j3" type="continuous"><parent link="l2"/><child link="l3"/>
      <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/></joint></robot>)");
  Data data(m);
  TreeCholesky f(m);
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vector q = random_configuration(m, random);
    EXPECT_THROW(f.compute(data, q), SingularMassError) << i;
  }
}

/// A rod that floats has no inertia about itself. However it lies, nearly always somebody has to notice: what is left
/// of the last pivot is rounding, which in one of a thousand attitudes may exceed any bound of its size.
TEST(ForwardDynamics, RefusesAThinRodHoweverItLies) {
  const Model m = loads(R"(<robot name="rod"><link name="base"><inertial><origin xyz="0.3 0.1 0.2" rpy="0.4 0.5 0.6"/>
    <mass value="1"/><inertia ixx="0" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)",
                        {{.root = "floating"}});
  Data data(m);
  Random random(1);
  Vector out(m.nv());
  const Vector v = Vector::Zero(m.nv());
  int missed = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector q = random_configuration(m, random), tau = random.vector(static_cast<int>(m.nv()));
    missed += try_forward_dynamics(m, data, q, v, tau, out) != Status::singular_mass;
  }
  EXPECT_LE(missed, 20);
}

}  // namespace
}  // namespace zwang::test
