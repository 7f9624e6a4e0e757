// SPDX-License-Identifier: BSD-3-Clause
// The derivatives of inverse dynamics by rows are those of the readable page, for every scalar, joint type, root,
// wrench and joint effect, whatever stood in the outputs, and touch nothing else.
#include "algorithm/page/row_writer.hpp"

#include <gtest/gtest.h>

#include "algorithm/page/inverse_dynamics_derivative_rows.hpp"
#include "algorithm/row_cases.hpp"
#include "zwang/algorithm/derivatives.hpp"

namespace zwang::test {
namespace {

template <class S> void expect_rows(const Model& m, std::uint64_t seed, bool wrenches, Index gap, int count) {
  const page::PassiveEffects effects{true, false, true};
  RowsState<S> s(m, seed, wrenches), plain(m, seed, wrenches);
  RowsOutput<S> rows(m.nv(), gap, count), expected(m.nv(), gap, count);
  for (int k = 0; k < count; ++k) page::clear(expected.view(k));
  page::inverse_dynamics_derivatives(plain.data, plain.q.data(), plain.v.data(), plain.a.data(), effects,
                                     expected.views());
  page::inverse_dynamics_derivative_rows(s.data, s.q.data(), s.v.data(), s.a.data(), effects, rows.views());
  expect_same(rows, expected, count);
}

template <class S> struct DerivativeRows : ::testing::Test {};
#ifdef ZWANG_TEST_FEW_SCALARS
using RowScalars = AllScalars;
#else
using RowScalars = ::testing::Types<double, float, std::complex<double>, Dual<double>, NativePack<double>>;
#endif
TYPED_TEST_SUITE(DerivativeRows, RowScalars);

TYPED_TEST(DerivativeRows, AreThoseOfTheReadablePage) {
  using S = TypeParam;
  for (int seed = 0; seed < effort(1200); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = rows_model<S>(seed);
    expect_rows<S>(m, static_cast<std::uint64_t>(seed), seed % 2 == 1, seed % 3, 1 + seed / 6 % 3);
    if (this->HasFatalFailure()) return;
  }
}

TEST(DerivativeRowsOfRobots, AreThoseOfTheReadablePage) {
  for (const RobotFile& file : robot_files()) {
    SCOPED_TRACE(file.path + " " + file.root);
    const Case c = load_case(file);
    for (const bool wrenches : {false, true}) expect_rows<double>(c.model, 3, wrenches, wrenches ? 0 : 5, 3);
  }
}

/// The public calls use registers of this machine.
TEST(DerivativeRowsOfRobots, AreWhatThePublicCallGives) {
  for (int seed = 0; seed < effort(300); ++seed) {
    SCOPED_TRACE(seed);
    const Model m = rows_model(seed);
    if (m.nv() == 0) continue;
    RowsState<double> s(m, static_cast<std::uint64_t>(seed), false);
    RowsOutput<double> expected(m.nv(), 0, 3);
    for (int k = 0; k < 3; ++k) page::clear(expected.view(k));
    page::inverse_dynamics_derivatives(s.data, s.q.data(), s.v.data(), s.a.data(), {true, false, true},
                                       expected.views());
    Data data(m);
    const auto vector = [](const std::vector<double>& x) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    Eigen::MatrixXd d[3];
    for (Eigen::MatrixXd& x : d) x = Eigen::MatrixXd::Constant(m.nv(), m.nv(), -77);
    inverse_dynamics_derivatives(m, data, vector(s.q), vector(s.v), vector(s.a), d[0], d[1], d[2], {}, {});
    const Eigen::Map<Eigen::MatrixXd> all(expected.numbers.data(), m.nv(), 3 * m.nv());
    const double scale = std::max(1.0, all.cwiseAbs().maxCoeff());
    for (int k = 0; k < 3; ++k)
      EXPECT_TRUE(within(d[k], Eigen::MatrixXd(all.middleCols(k * m.nv(), m.nv())),
                         static_cast<double>(k_row_order) * k_eps, scale));
  }
}

/// Where motions are huge, the answer is finite or refused, never NaN or infinite without a word. Of an arm the sizes
/// of its columns say so, every other time.
TEST(DerivativeRowsOfRobots, SayWhereTheyOverflow) {
  int refused = 0, given = 0;
  for (int seed = 0; seed < effort(300, 100); ++seed) {
    const Model m = seed % 2 == 1 ? build(sample_arm7()) : rows_model(seed);
    if (m.nv() == 0) continue;
    Data data(m);
    RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    x.v *= std::pow(10.0, 60 + seed % 100);
    Eigen::MatrixXd d[3];
    for (Eigen::MatrixXd& y : d) y = Eigen::MatrixXd::Zero(m.nv(), m.nv());
    try {
      inverse_dynamics_derivatives(m, data, x.q, x.v, x.a, d[0], d[1], d[2], {}, {});
      for (const Eigen::MatrixXd& y : d) EXPECT_TRUE(y.allFinite()) << seed;
      ++given;
    } catch (const std::exception&) { ++refused; }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(given, 0);
}

}  // namespace
}  // namespace zwang::test
