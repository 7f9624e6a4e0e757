// SPDX-License-Identifier: BSD-3-Clause
// The Coriolis matrix, the mass matrix and all terms by rows are those of the readable pages, whatever stood in the
// outputs, and touch nothing else.
#include "algorithm/page/coriolis_rows.hpp"

#include <gtest/gtest.h>

#include "algorithm/page/all_terms_rows.hpp"
#include "algorithm/row_cases.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

template <class S> void expect_coriolis_rows(const Model& m, std::uint64_t seed, Index gap) {
  RowsState<S> s(m, seed, false), plain(m, seed, false);
  if (s.data.tree().mimic || m.nv() == 0) return;
  RowsOutput<S> rows(m.nv(), gap, 2), expected(m.nv(), gap, 2);
  page::coriolis_matrix(plain.data, plain.q.data(), plain.v.data(), expected.view(0).data, expected.stride, true);
  plain.data.armature_factor = 0;
  page::mass_matrix(plain.data, plain.q.data(), expected.view(1).data, expected.stride);
  page::kinematics(s.data, s.q.data(), s.v.data());
  page::coriolis_rows<page::k_coriolis, page::k_mass>(s.data, s.q.data(), s.v.data(), rows.view(0), rows.view(1));
  expect_same(rows, expected, 2);
}

template <class S> struct CoriolisRows : ::testing::Test {};
using CoriolisScalars = ::testing::Types<double, Dual<double>, NativePack<double>>;
TYPED_TEST_SUITE(CoriolisRows, CoriolisScalars);

TYPED_TEST(CoriolisRows, AreThoseOfTheReadablePages) {
  using S = TypeParam;
  for (int seed = 0; seed < effort(1200); ++seed) {
    SCOPED_TRACE(seed);
    expect_coriolis_rows<S>(rows_model<S>(seed), static_cast<std::uint64_t>(seed), seed % 3);
    if (this->HasFatalFailure()) return;
  }
}

TEST(CoriolisRowsOfRobots, AreThoseOfTheReadablePages) {
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    const Case c = load_case(file);
    for (const Index gap : {0, 3}) expect_coriolis_rows<double>(c.model, 4, gap);
  }
}

TEST(CoriolisRowsOfRobots, GiveAllTermsOfTheReadablePage) {
  for (int seed = 0; seed < effort(300); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = rows_model(seed);
    const Index n = m.nv();
    RowsState<double> s(m, static_cast<std::uint64_t>(seed), false), plain(m, static_cast<std::uint64_t>(seed), false);
    if (s.data.tree().mimic || n == 0) continue;
    const Index size = 2 * n * n + 14 * n;
    Eigen::VectorXd rows = Eigen::VectorXd::Constant(size, -0.5), expected = rows;
    const auto view = [n](Eigen::VectorXd& x, page::TotalTerms<double>& total) {
      double *const M = x.data(), *const A = M + 2 * n * n;
      double* const forces = A + 12 * n;
      return page::AllTermsView<double>{M,     M + n * n, forces, forces + n, {A, 6, n, 1, 6}, {A + 6 * n, 6, n, 1, 6},
                                        &total};
    };
    page::TotalTerms<double> total_of_rows = {}, total_of_page = {};
    page::all_terms(plain.data, plain.q.data(), plain.v.data(), view(expected, total_of_page));
    page::all_terms_rows(s.data, s.q.data(), s.v.data(), view(rows, total_of_rows));
    EXPECT_TRUE(within(rows, expected, static_cast<double>(k_row_order) * k_eps, expected.cwiseAbs().maxCoeff() + 1));
    // Energies and first moments are sums over bodies; one metre and one metre per second are of their sizes here.
    const double bound = static_cast<double>(k_row_order) * k_eps * (page::moving_mass(s.data) + largest(expected) + 1);
    for (Index r = 0; r < 3; ++r) {
      EXPECT_NEAR(total_of_rows.centre[r], total_of_page.centre[r], bound);
      EXPECT_NEAR(total_of_rows.velocity[r], total_of_page.velocity[r], bound);
    }
    double speeds = 0;
    for (const double x : s.v) speeds += x * x;
    EXPECT_NEAR(total_of_rows.kinetic_energy, total_of_page.kinetic_energy, bound * (1 + speeds));
    EXPECT_NEAR(total_of_rows.potential_energy, total_of_page.potential_energy, bound);
  }
}

/// A stone on the ground: matrices without rows and columns.
TEST(CoriolisRowsOfRobots, AreNoneWithoutCoordinates) {
  RobotDescription stone{.name = "stone"};
  stone.links.push_back({.name = "stone", .mass = 1});
  stone.links.back().inertia = Sym3<double>::diagonal(1, 1, 1);
  const Model m = build(stone, {.root = "fixed"});
  ASSERT_EQ(m.nv(), 0);
  Data data(m);
  const Eigen::VectorXd none(0);
  Eigen::MatrixXd C(0, 0);
  coriolis_matrix(m, data, none, none, C);
  EXPECT_EQ(all_terms(m, data, none, none).mass_matrix().size(), 0);
  inverse_dynamics_derivatives(m, data, none, none, none, C, C, C, {}, {});
}

}  // namespace
}  // namespace zwang::test
