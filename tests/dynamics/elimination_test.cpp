// SPDX-License-Identifier: BSD-3-Clause
// What derivatives of a solution are made of by elimination: products and inverses of small matrices are those of
// Eigen, whatever stood in the outputs; matrices of rows are those that their parts say, column by column.
#include <gtest/gtest.h>

#include "algorithm/page/inverse_dynamics_derivative_rows.hpp"
#include "algorithm/row_cases.hpp"
#include "constraint/page/row_matrices.hpp"
#include "linear/page/small_products.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
constexpr double k_before = 7e77;  ///< what stood in a result

/// Rows in whole blocks, zeros behind them; columns of zeros behind, too.
struct Blocks {
  Index rows, height;
  Buffer<double> x;
  Blocks(Index rows_, Index columns)
      : rows(rows_),
        height(page::whole_blocks(rows_)),
        x(height * (columns + page::k_block_rows)) {}
  explicit Blocks(const Matrix& m) : Blocks(static_cast<Index>(m.rows()), static_cast<Index>(m.cols())) {
    for (Index c = 0; c < m.cols(); ++c)
      for (Index r = 0; r < rows; ++r) x[c * height + r] = m(r, c);
  }
  page::ByColumns<const double> view() const { return {x.data(), height}; }
  page::ByColumns<double> to() { return {x.data(), height}; }
  Matrix matrix(Index columns) const {
    return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(x.data(), rows, columns, Eigen::OuterStride<>(height));
  }
};
Matrix random_matrix(Random& random, Index rows, Index columns) {
  Matrix m(rows, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index r = 0; r < rows; ++r) m(r, c) = random.uniform(-1, 1);
  return m;
}

/// Sums of up to 40 products of numbers below one, in another order.
TEST(SmallProducts, AreThoseOfEigen) {
  Random random(1);
  for (int round = 0; round < effort(2000); ++round) {
    const Index rows = 1 + random.below(40), columns = 1 + random.below(19), inner = random.below(40);
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(inner) + " x " + std::to_string(columns));
    const Matrix A = random_matrix(random, rows, inner), B = random_matrix(random, inner, columns),
                 from = random_matrix(random, rows, columns);
    std::vector<Index> list;
    Matrix expected = from, minus = Matrix::Zero(rows, columns);
    for (Index k = 0; k < inner; ++k) {
      minus -= A.col(k) * B.row(k);
      if (random.below(2) == 0) continue;
      list.push_back(k);
      expected += A.col(k) * B.row(k);
    }
    const Blocks a(A), b(B), start(from);
    // dense columns, and eight numbers behind the last one
    std::vector<double> dense(static_cast<std::size_t>(rows * columns + 9), k_before);
    EXPECT_TRUE((page::add_product<true, false>(rows, columns, {list.data(), static_cast<Index>(list.size())}, a.view(),
                                                b.view(), start.view(), page::ByColumns<double>{dense.data(), rows})));
    EXPECT_LE(largest(Eigen::Map<Matrix>(dense.data(), rows, columns) - expected), 100 * k_epsilon);
    EXPECT_EQ(dense.back(), k_before);
    Blocks negative(rows, columns);
    for (double& x : negative.x) x = k_before;
    page::add_product<false, true>(rows, columns, {nullptr, inner}, a.view(), b.view(),
                                   page::ByColumns<const double>{nullptr, 0}, negative.to());
    EXPECT_LE(largest(negative.matrix(columns) - minus), 100 * k_epsilon);
    Blocks in_place(from);
    page::add_product<true, false>(rows, columns, {list.data(), static_cast<Index>(list.size())}, a.view(), b.view(),
                                   in_place.view(), in_place.to());
    EXPECT_LE(largest(in_place.matrix(columns) - expected), 100 * k_epsilon);
    EXPECT_TRUE(page::put_columns(rows, columns, in_place.view(), dense.data()));
    EXPECT_EQ(largest(Eigen::Map<Matrix>(dense.data(), rows, columns) - in_place.matrix(columns)), 0);
    EXPECT_EQ(dense.back(), k_before);
    Blocks turned(columns, page::whole_blocks(rows));
    page::transpose(rows, columns, start.view(), turned.to());
    EXPECT_EQ(largest(turned.matrix(rows) - from.transpose()), 0);
  }
}

/// One number that is not finite shows.
TEST(SmallProducts, SayWhetherResultsAreFinite) {
  for (const Index rows : {3, 8, 13, 24})
    for (const Index columns : {1, 2, 4, 7})
      for (Index at = 0; at < rows * columns; ++at)
        for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
          Matrix from = Matrix::Ones(rows, columns);
          from(at % rows, at / rows) = x;
          const Blocks start(from), none(rows, 0);
          std::vector<double> out(static_cast<std::size_t>(rows * columns + 8));
          EXPECT_FALSE((page::add_product<false, false>(rows, columns, {nullptr, 0}, none.view(), none.view(),
                                                        start.view(), page::ByColumns<double>{out.data(), rows})));
          EXPECT_FALSE(page::put_columns(rows, columns, start.view(), out.data()));
        }
}

/// A A^-1 is 1 but for the rounding of an elimination, whatever the units of the rows.
TEST(SmallProducts, InvertPositiveMatrices) {
  Random random(2);
  for (int round = 0; round < effort(1000); ++round) {
    const Index n = 1 + random.below(20);
    const Matrix W = random_matrix(random, n, n + 2);
    Matrix A = W * W.transpose() + 0.1 * Matrix::Identity(n, n);
    Eigen::VectorXd scale(n);
    for (Index k = 0; k < n; ++k) scale(k) = std::pow(10.0, random.uniform(-6, 6));
    A = scale.asDiagonal() * A * scale.asDiagonal();
    Blocks inverse(A);
    ASSERT_TRUE(page::negative_inverse(n, inverse.to()));
    const Matrix scaled = scale.asDiagonal() * inverse.matrix(n) * scale.asDiagonal();
    const Matrix one = scale.cwiseInverse().asDiagonal() * A * scale.cwiseInverse().asDiagonal() * scaled;
    EXPECT_LE(largest(one + Matrix::Identity(n, n)), 100 * k_epsilon * n * largest(scaled) * n);
  }
  Blocks singular(Matrix::Ones(3, 3));
  EXPECT_FALSE(page::negative_inverse(3, singular.to()));
  Blocks unknown(Matrix::Constant(2, 2, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(page::negative_inverse(2, unknown.to()));
}

/// One column and one part at a time, from the readable page of variations. Rows have any number of parts, on any
/// bodies, so that more than one group of parts is needed.
template <class S> void expect_row_matrices(const Model& m, std::uint64_t seed) {
  if (m.tree<double>().mimic || m.nv() == 0) return;
  RowsState<S> s(m, seed, false), plain(m, seed, false);
  const Index n = m.nv();
  std::vector<S> torques(static_cast<std::size_t>(n * n));
  const page::MatrixView<S> by_q{torques.data(), n, n, 1, n}, none{nullptr, n, n, 1, n};
  page::inverse_dynamics_derivative_rows(s.data, s.q.data(), s.v.data(), s.a.data(), page::PassiveEffects{},
                                         page::TorqueDerivatives<S>{by_q, none, none});
  page::vary_columns(plain.data, page::SpanningState<S>(plain.data, plain.q.data(), plain.v.data(), plain.a.data()));
  Random random(seed + 77);
  const Index rows = 1 + random.below(13), height = page::whole_blocks(rows);
  std::vector<Index> place(static_cast<std::size_t>(rows));
  for (Index k = 0; k < rows; ++k) place[static_cast<std::size_t>(k)] = rows - 1 - k;
  std::vector<BasicRowPart<S>> parts;
  for (int k = random.below(25); k > 0; --k) {
    BasicRowPart<S>& part = parts.emplace_back();
    part.row = random.below(rows);
    part.body = random.below(m.tree<double>().n + 1);
    for (Index c = 0; c < 6; ++c)
      for (Force<S>* f : {&part.K, &part.P, &part.N, &part.R}) (*f)[c] = S(random.uniform(-1, 1));
  }
  const std::size_t size = static_cast<std::size_t>(height * n);
  std::vector<S> out[4], expected[4];
  for (auto& x : out) x.assign(size, S(k_before));
  for (auto& x : expected) x.assign(size, S(0.0));
  std::vector<unsigned char> moves(static_cast<std::size_t>(n), 7);
  page::row_matrices(
      s.data, parts.data(), static_cast<Index>(parts.size()), place.data(),
      page::RowMatricesView<S>{out[0].data(), out[1].data(), out[2].data(), out[3].data(), height, moves.data()});
  const auto& tree = plain.data.tree();
  for (const BasicRowPart<S>& part : parts)
    for (Index i = part.body; i > 0; i = tree.body[i].parent)
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
        const ColumnVariation<S>& c = plain.data.derivative.variation[k];
        const auto at = static_cast<std::size_t>(k * height + place[static_cast<std::size_t>(part.row)]);
        expected[0][at] += dot(c.second, part.K) + dot(c.first, part.P) + dot(c.s, part.N);
        expected[1][at] += dot(c.sum, part.K) + dot(c.s, part.P);
        expected[2][at] += dot(c.s, part.K);
        expected[3][at] += dot(c.first, part.K) + dot(c.s, part.R);
        EXPECT_EQ(moves[static_cast<std::size_t>(k)], 1);
      }
  for (int matrix = 0; matrix < 4; ++matrix) {
    double most = 0, off = 0;
    for (std::size_t k = 0; k < size; ++k) {
      most = std::max(most, std::fabs(expected[matrix][k]));
      const double error = std::fabs((out[matrix][k] - expected[matrix][k]));
      EXPECT_TRUE(error == error);
      off = std::max(off, error);
    }
    EXPECT_LE(off, 1000 * k_epsilon * most) << "matrix " << matrix;
  }
  for (Index k = 0; k < n; ++k)
    for (Index r = 0; r < rows; ++r) {
      const double J = out[2][static_cast<std::size_t>(k * height + r)];
      EXPECT_TRUE(J == 0 || moves[static_cast<std::size_t>(k)] != 0);
    }
}

TEST(RowMatrices, AreThoseOfTheirPartsColumnByColumn) {
  for (int seed = 0; seed < effort(600); ++seed) {
    SCOPED_TRACE(seed);
    expect_row_matrices<double>(rows_model(seed), static_cast<std::uint64_t>(seed));
  }
}

}  // namespace
}  // namespace zwang::test
