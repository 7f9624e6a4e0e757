// SPDX-License-Identifier: BSD-3-Clause
// ContactCholesky: the laws of its factor on robots with contacts, and its answers against LU in long double.
//
// Tolerance: these mass matrices have conditions up to 1e4, the rows' ones to 1e3.
#include "zwang/question/contact_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "support/close.hpp"
#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
constexpr double k_product = 1000 * 2.2e-16, k_inverse = 1e7 * 2.2e-16;

struct OnFeet : testing::Test {
  OnFeet() : robot(build(sample_quadruped(), {.root = "floating"})), M(robot.nv(), robot.nv()), J(9, robot.nv()) {
    ConstraintSet set(robot);
    for (const char* foot : {"LF_foot", "RF_foot", "RH_foot"}) {
      FrameConstraint c;
      c.name = c.frame = foot;
      c.rows = rows("linear");
      set.add(c);
    }
    const RandomState state = random_state(robot, 4);
    Data data(robot);
    mass_matrix(robot, data, state.q, M);
    ConstraintEvaluator evaluator(robot, set);
    evaluator.evaluate(state.q, state.v);
    evaluator.jacobian(J);
  }
  Model robot;
  Matrix M, J;
};

TEST_F(OnFeet, ItsFactorsAreTheMatrix) {
  for (const bool soft : {false, true}) {
    Vector R = Vector::Zero(9);
    if (soft) R.segment(2, 4).setConstant(0.5);
    const ContactCholesky c(M, J, R);
    const Index m = c.rows(), n = c.coordinates(), size = c.size();
    ASSERT_EQ(m, 9);
    ASSERT_EQ(n, robot.nv());
    Matrix expected(size, size), K(size, size), U(size, size);
    expected << Matrix((-R).asDiagonal()), J, J.transpose(), M;
    c.matrix(K);
    EXPECT_EQ(K, expected);
    c.U(U);
    const Vector D = c.D();
    EXPECT_CLOSE(Matrix(U * D.asDiagonal() * U.transpose()), K, k_product);
    EXPECT_TRUE((D.head(m).array() < 0).all() && (D.tail(n).array() > 0).all());
    EXPECT_EQ(Matrix(U.triangularView<Eigen::StrictlyLower>()), Matrix::Zero(size, size));
    EXPECT_EQ(Vector(U.diagonal()), Vector::Ones(size));
    // Rows and coordinates come in threes: a foot, half of the base, a leg. A foot is on the path of its own leg alone
    // and a leg does not meet another; within a block that is not zero a single entry may vanish by chance.
    int zeros = 0;
    for (Index i = 0; i < size; i += 3)
      for (Index k = std::max(i + 3, m); k < size; k += 3)
        if (K.block<3, 3>(i, k).isZero(0)) {
          EXPECT_TRUE((U.block<3, 3>(i, k).isZero(0))) << i << ' ' << k;
          ++zeros;
        }
    EXPECT_EQ(zeros, 9 + 6);

    Random random(9);
    const Vector b = random.vector(size, 3);
    const auto changed = [&](void (ContactCholesky::*f)(VectorOut) const) {
      Vector x = b;
      (c.*f)(x);
      return x;
    };
    const Long wide = K.cast<long double>();
    const Long inverse = wide.fullPivLu().inverse();
    EXPECT_CLOSE(changed(&ContactCholesky::solve), Long(inverse * b.cast<long double>()), k_inverse);
    EXPECT_CLOSE(changed(&ContactCholesky::multiply), Vector(K * b), k_product);
    EXPECT_CLOSE(changed(&ContactCholesky::multiply_upper), Vector(U * b), k_product);
    EXPECT_CLOSE(changed(&ContactCholesky::multiply_upper_transposed), Vector(U.transpose() * b), k_product);
    EXPECT_CLOSE(Vector(U * changed(&ContactCholesky::solve_upper)), b, k_inverse);
    EXPECT_CLOSE(Vector(U.transpose() * changed(&ContactCholesky::solve_upper_transposed)), b, k_inverse);
    Matrix X(size, size);
    c.inverse(X);
    EXPECT_CLOSE(X, inverse, k_inverse);

    const Long inertia = M.cast<long double>(), rows = J.cast<long double>();
    const Long JM = rows * inertia.fullPivLu().inverse();
    Long G = JM * rows.transpose();
    G.diagonal() += R.cast<long double>();
    Matrix A(m, n), B(m, m), C(m, m);
    c.jacobian_times_inverse_mass(A);
    c.delassus(B);
    c.operational_inertia(C);
    EXPECT_CLOSE(A, JM, k_inverse);
    EXPECT_CLOSE(B, G, k_inverse);
    EXPECT_CLOSE(C, Long(G.fullPivLu().inverse()), k_inverse);
    Vector y = b.tail(n);
    c.solve_mass_matrix(y);
    EXPECT_CLOSE(Vector(M * y), Vector(b.tail(n)), k_inverse);
  }
}

TEST_F(OnFeet, RefusesByName) {
  const auto words_of = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const std::exception& e) { return e.what(); }
    return "nothing was refused";
  };
  Matrix twice = J;
  twice.row(1) = 2 * J.row(4) - J.row(8);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  const std::string text = words_of([&] { ContactCholesky(M, twice, Vector::Zero(9), names, {}); });
  EXPECT_NE(text.find("E_SINGULAR ContactCholesky: row 'b'"), std::string::npos) << text;
  EXPECT_NO_THROW(ContactCholesky(M, twice, Vector::Constant(9, 0.1)));
  Matrix singular = M;
  singular.row(7).setZero();
  singular.col(7).setZero();
  EXPECT_THROW(ContactCholesky(singular, J), SingularMassError);
  EXPECT_NE(words_of([&] { ContactCholesky(M, J, Vector::Constant(9, -1)); }).find("'R'"), std::string::npos);
  EXPECT_NE(words_of([&] { ContactCholesky(M, J.leftCols(3)); }).find("'J' is 9 x 3"), std::string::npos);
  J(2, 0) = NAN;
  EXPECT_NE(words_of([&] { ContactCholesky(M, J); }).find("'J' has nan"), std::string::npos);
}

}  // namespace
}  // namespace zwang::test
