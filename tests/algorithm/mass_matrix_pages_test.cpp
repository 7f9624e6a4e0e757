// SPDX-License-Identifier: BSD-3-Clause
// The pages behind mass_matrix and TreeCholesky on trees of many shapes:
// random ones, chains, combs, stars, real robots.
//
// M_ii = sum_k D_k L_ki^2, so that (Cauchy) no term of M_ij = sum_k L_ki D_k L_kj is greater than the largest entry of
// M: a factor by elimination of M has at most nv + 2 roundings of that size. One by articulated bodies has those of the
// inertias in world axes: the same times the number of bodies that they are summed over, times a dozen per body.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "algorithm/cases.hpp"
#include "algorithm/page/articulated_inverse.hpp"
#include "algorithm/page/inverse_by_rows.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"
#include "zwang/algorithm/page/mass_matrix_inverse.hpp"

namespace zwang::test {
namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double k_untouched = 12345;

/// A spine of n links, each of which carries a tooth of `tooth` links; without spine (n = 1) a star of `teeth` teeth.
RobotDescription comb(int n, int teeth, int tooth) {
  RobotDescription r{.name = "comb"};
  const auto link = [&](const std::string& name) {
    r.links.push_back(make_link(name, 0.7, {0.01, -0.02, 0.05}, {2e-3, 1e-4, -2e-4, 3e-3, 1e-4, 1e-3}));
  };
  const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int joints = 0;
  const auto hang = [&](const std::string& parent, const std::string& child) {
    link(child);
    const std::string type = joints % 7 == 6 ? "prismatic" : joints % 11 == 10 ? "spherical" : "revolute";
    r.joints.push_back(make_joint("to_" + child, type, parent, child, axes[joints % 3], {0.02, 0, 0.1}));
    ++joints;
  };
  link("s0");
  for (int i = 1; i <= n; ++i) {
    hang("s" + std::to_string(i - 1), "s" + std::to_string(i));
    for (int t = 0; t < teeth; ++t)
      for (int k = 0; k < tooth; ++k) {
        const std::string name = "t" + std::to_string(i) + "_" + std::to_string(t) + "_";
        hang(k == 0 ? "s" + std::to_string(i) : name + std::to_string(k - 1), name + std::to_string(k));
      }
  }
  return r;
}

/// A dense array whose rows are longer than the matrix; nobody may write between them.
struct Gapped {
  explicit Gapped(Index size) : n(size), all(Square::Constant(size, size + 3, k_untouched)) {}
  double* data() { return all.data(); }
  Index stride() const { return n + 3; }
  auto matrix() const { return all.leftCols(n); }
  bool rest_untouched() const { return (all.rightCols(3).array() == k_untouched).all(); }
  Index n;
  Square all;
};

/// L^T D L of a factor in place.
Square product(const Tree<double>& tree, const Gapped& a) {
  Square L = Square::Identity(a.n, a.n), DL(a.n, a.n);
  for (Index k = 0; k < a.n; ++k)
    for (Index j = tree.row_parent[k]; j >= 0; j = tree.row_parent[j]) L(k, j) = a.all(k, j);
  for (Index k = 0; k < a.n; ++k) DL.row(k) = a.all(k, k) * L.row(k);
  return L.transpose() * DL;
}

void expect_pages(const Model& m, std::uint64_t seed, double k = 1) {
  const Index n = m.nv();
  if (n == 0) return;
  Random random(seed);
  const Eigen::VectorXd q = random_configuration(m, random), x = random.vector(n);
  Data data(m);
  const Tree<double>& tree = data.tree();
  Gapped M(n), a(n), W(n);
  page::mass_matrix(data, q.data(), M.data(), M.stride());
  EXPECT_TRUE(M.rest_untouched());
  EXPECT_EQ(M.matrix(), M.matrix().transpose()) << "symmetric to the bit";
  for (Index r = 0; r < n && !tree.mimic; ++r) {
    for (Index c = tree.column[r].end; c < n; ++c) EXPECT_EQ(M.all(r, c), 0) << r << ' ' << c;
  }

  const double size = largest(M.matrix());
  a.all = M.all;
  const page::TreeFactor<double> f = page::tree_factor(tree, a.data(), a.stride());
  page::ltl_factor(f, [](Index, double D) { EXPECT_GT(D, 0); });
  EXPECT_TRUE(a.rest_untouched());
  EXPECT_TRUE(within(product(tree, a), M.matrix(), k * 4 * (n + 2) * k_eps, size));
  Eigen::VectorXd y = x;
  page::ltl_multiply(f, y.data());
  EXPECT_TRUE(within(y, M.matrix() * x, k * 4 * (n + 2) * n * k_eps, size));
  y = x;
  page::ltl_solve(f, y.data());  // its residual is small whatever the condition of M
  EXPECT_TRUE(within(M.matrix() * y, x, k * 8 * (n + 2) * n * k_eps, size * largest(y)));
  Buffer<double> scratch(n * page::inverse_scratch<double>);
  page::mass_matrix_inverse(f, W.data(), W.stride(), scratch.data());
  EXPECT_TRUE(W.rest_untouched());
  EXPECT_EQ(W.matrix(), W.matrix().transpose()) << "symmetric to the bit";
  EXPECT_TRUE(
      within(M.matrix() * W.matrix(), Square::Identity(n, n), k * 8 * (n + 2) * n * k_eps, size * largest(W.matrix())));
  Gapped Z(n);
  Buffer<double> rows(n * page::row_of_inverse(n));
  page::inverse_by_rows(f, Z.data(), Z.stride(), rows.data());
  EXPECT_TRUE(Z.rest_untouched());
  EXPECT_EQ(Z.matrix(), Z.matrix().transpose()) << "symmetric to the bit";
  EXPECT_TRUE(
      within(M.matrix() * Z.matrix(), Square::Identity(n, n), k * 8 * (n + 2) * n * k_eps, size * largest(Z.matrix())));
  if (tree.mimic) return;

  Gapped b(n), V(n);
  Buffer<page::ArticulatedColumn<double>> columns(n);
  EXPECT_EQ(page::articulated_cholesky(data, q.data(), b.data(), b.stride(), columns.data()), -1);
  EXPECT_TRUE(b.rest_untouched());
  const double eps = k * 12 * (n + 2) * k_eps;
  EXPECT_TRUE(within(product(tree, b), M.matrix(), eps, size));
  page::articulated_inverse(tree, columns.data(), scratch.data(), V.data(), V.stride());
  EXPECT_TRUE(V.rest_untouched());
  EXPECT_EQ(V.matrix(), V.matrix().transpose()) << "symmetric to the bit";
  EXPECT_TRUE(within(M.matrix() * V.matrix(), Square::Identity(n, n), eps * n, size * largest(V.matrix())));
}

TEST(MassMatrixPages, AgreeOnRandomTrees) {
  for (int seed = 0; seed < effort(300); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(c.name);
    expect_pages(c.model, static_cast<std::uint64_t>(seed));
    if (testing::Test::HasFailure()) break;
  }
}
TEST(MassMatrixPages, AgreeOnEveryRobotFile) {
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    expect_pages(load_case(file).model, 3);
  }
}
TEST(MassMatrixPages, AgreeOnChainsOfEveryLength) {
  for (int n = 1; n <= 300; n += n < 40 ? 1 : 37) {
    SCOPED_TRACE(n);
    expect_pages(build(sample_chain(n)), static_cast<std::uint64_t>(n));
  }
}
TEST(MassMatrixPages, AgreeOnCombsAndStars) {
  const struct {
    int n, teeth, tooth;
  } shapes[] = {{1, 2, 1}, {1, 5, 3}, {1, 9, 9}, {4, 1, 1}, {7, 1, 5}, {9, 2, 3}, {20, 1, 8}, {3, 3, 17}};
  for (const auto& s : shapes)
    for (const char* root : {"fixed", "floating"}) {
      SCOPED_TRACE(std::to_string(s.n) + " " + std::to_string(s.teeth) + " " + std::to_string(s.tooth) + " " + root);
      expect_pages(build(comb(s.n, s.teeth, s.tooth), {.root = root}), static_cast<std::uint64_t>(s.n + s.tooth));
    }
}
TEST(MassMatrixPages, KnowTheRunsOfCoordinatesOnPaths) {
  for (int seed = 0; seed < 50; ++seed) {
    const Model m = random_case(static_cast<std::uint64_t>(seed)).model;
    const Tree<double>& tree = m.tree<double>();
    for (Index k = 0; k < m.nv(); ++k) {
      Index first = k;
      while (first > 0 && tree.row_parent[first] == first - 1) --first;
      EXPECT_EQ(tree.row_first[k], first);
    }
    for (Index k = 0; k < tree.spanning_nv; ++k) {
      Index end = k;  // columns whose path to the root meets k
      for (Index c = k; c < tree.spanning_nv; ++c)
        for (Index j = c; j >= 0; j = tree.column[j].parent)
          if (j == k) end = c + 1;
      const Index own = tree.body[tree.column[k].body].v + tree.body[tree.column[k].body].nv;
      EXPECT_EQ(tree.column[k].end, end > own ? end : own);
    }
  }
}

}  // namespace
}  // namespace zwang::test
