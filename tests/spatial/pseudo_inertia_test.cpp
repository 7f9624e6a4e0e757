// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-inertia and log-Cholesky parameters: sums over points of mass, a box in closed form, ways there and back,
// Jacobians by complex steps, the margin by Eigen's eigenvalues.
#include "zwang/spatial/pseudo_inertia.hpp"

#include <Eigen/Dense>

#include "dense.hpp"

namespace zwang::test {
namespace {

using Ten = std::array<double, 10>;
using Complex = std::complex<double>;

Eigen::Matrix4d matrix(const PseudoInertia<double>& P) {
  Eigen::Matrix4d m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = P(i, j);
  return m;
}
/// Points of mass: the definition.
Inertia<double> cloud(Random& random, int points) {
  Inertia<double> sum = Inertia<double>::zero();
  for (int k = 0; k < points; ++k)
    sum += Inertia<double>(from_centre(
        random.uniform(0.1, 2), Vec3<double>{random.normal(), random.normal(), random.normal()}, Sym3<double>::zero()));
  return sum;
}
LogCholesky<double> drawn(Random& random) {
  LogCholesky<double> x;
  for (double& e : x) e = random.uniform(-1.5, 1.5);
  return x;
}

TEST(PseudoInertia, IsTheSumOverPointsOfMass) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    Eigen::Matrix4d expected = Eigen::Matrix4d::Zero();
    Inertia<double> J = Inertia<double>::zero();
    for (int k = 0; k < 6; ++k) {
      const double m = random.uniform(0.1, 2);
      const Vec3<double> c{random.normal(), random.normal(), random.normal()};
      J += Inertia<double>(from_centre(m, c, Sym3<double>::zero()));
      const Eigen::Vector4d x(c.x, c.y, c.z, 1);
      expected += m * x * x.transpose();
    }
    const double eps = 64 * 2.3e-16 * expected.norm();  // some dozens of sums
    EXPECT_LT((matrix(pseudo_inertia(J)) - expected).norm(), eps);
    const Ten there = parameters_from_inertia(J),
              back = parameters_from_inertia(inertia_from_pseudo(pseudo_inertia(J)));
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(there[k], back[k], eps);
    EXPECT_EQ(parameters_from_inertia(inertia_from_parameters(there)), there);
  }
}

// A box of sides a, b, c about its centre: Sigma = m/12 diag(a^2, b^2, c^2), so that x follows by hand.
TEST(LogCholesky, OfABoxIsItsClosedForm) {
  const double m = 3, side[3] = {0.2, 0.5, 0.7};
  const double s[3] = {m / 12 * side[0] * side[0], m / 12 * side[1] * side[1], m / 12 * side[2] * side[2]};
  const Inertia<double> box{m, {0, 0, 0}, {s[1] + s[2], 0, 0, s[0] + s[2], 0, s[0] + s[1]}};
  LogCholesky<double> x;
  ASSERT_TRUE(log_cholesky_from_inertia(box, x));
  EXPECT_NEAR(x[0], std::log(m) / 2, 1e-15);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[1 + k], std::log(side[k] / std::sqrt(12)), 1e-14);
  for (std::size_t k = 4; k < 10; ++k) EXPECT_EQ(x[k], 0);
}

TEST(LogCholesky, ThereAndBack) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const LogCholesky<double> x = drawn(random);
    const Inertia<double> J = inertia_from_log_cholesky(x);
    EXPECT_NEAR(J.m, std::exp(2 * x[0]), 1e-14 * J.m);
    const Eigen::Matrix4d P = matrix(pseudo_inertia(J));
    LogCholesky<double> back;
    ASSERT_TRUE(log_cholesky_from_inertia(J, back));
    // A Cholesky factor of P is known to its condition number times rounding.
    const Eigen::Vector4d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(P).eigenvalues();
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(back[k], x[k], 64 * 2.3e-16 * values(3) / values(0));
  }
}

TEST(LogCholesky, JacobiansAreThoseOfComplexStepsAndInversesOfEachOther) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const LogCholesky<double> x = drawn(random);
    const TenByTen<double> J = log_cholesky_jacobian(x), inverse = log_cholesky_jacobian_inverse(x);
    Eigen::Matrix<double, 10, 10> A, B, expected, back;
    const Ten parameters = parameters_from_inertia(inertia_from_log_cholesky(x));
    for (int k = 0; k < 10; ++k) {
      LogCholesky<Complex> moved;
      std::array<Complex, 10> varied;
      for (std::size_t i = 0; i < 10; ++i) moved[i] = x[i], varied[i] = parameters[i];
      moved[static_cast<std::size_t>(k)] += Complex(0, 1e-30);
      varied[static_cast<std::size_t>(k)] += Complex(0, 1e-30);
      const std::array<Complex, 10> column = parameters_from_inertia(inertia_from_log_cholesky(moved));
      LogCholesky<Complex> other;
      ASSERT_TRUE(log_cholesky_from_inertia(inertia_from_parameters(varied), other));
      for (std::size_t i = 0; i < 10; ++i) {
        const auto r = static_cast<int>(i);
        A(r, k) = J[i][static_cast<std::size_t>(k)], B(r, k) = inverse[i][static_cast<std::size_t>(k)];
        expected(r, k) = column[i].imag() / 1e-30;
        back(r, k) = other[i].imag() / 1e-30;
      }
    }
    EXPECT_LT((A - expected).norm(), 64 * 2.3e-16 * expected.norm());
    // Both ways through the inverse of a factor whose condition is that of A.
    EXPECT_LT((B - back).norm(), 1e-13 * A.norm() * B.norm() * B.norm());
    EXPECT_LT((A * B - Eigen::Matrix<double, 10, 10>::Identity()).norm(), 64 * 2.3e-16 * A.norm() * B.norm());
  }
}

TEST(LogCholesky, RefusesWhatIsNoBody) {
  Random random(4);
  LogCholesky<double> x;
  x.fill(7);
  Inertia<double> J = cloud(random, 6);
  J.m = -J.m;
  EXPECT_FALSE(log_cholesky_from_inertia(J, x));
  const Inertia<double> triangle{1, {0, 0, 0}, {1, 0, 0, 1, 0, 3}};  // Ixx + Iyy < Izz
  EXPECT_FALSE(log_cholesky_from_inertia(triangle, x));
  EXPECT_FALSE(log_cholesky_from_inertia(Inertia<double>::zero(), x));
  EXPECT_FALSE(log_cholesky_from_inertia(Inertia<double>{std::nan(""), {0, 0, 0}, {1, 0, 0, 1, 0, 1}}, x));
  EXPECT_EQ(x[0], 7);
}

TEST(PseudoInertia, MarginIsTheSmallestEigenvalue) {
  Random random(5);
  int inside = 0, outside = 0;
  for (int round = 0; round < 400; ++round) {
    Inertia<double> J = cloud(random, 1 + round % 7);
    if (round % 3 == 0) J.I.xx -= random.uniform(0, 3);
    const Eigen::Vector4d values =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(matrix(pseudo_inertia(J))).eigenvalues();
    EXPECT_NEAR(consistency_margin(J), values(0), 64 * 2.3e-16 * values.cwiseAbs().maxCoeff());
    ++(values(0) > 1e-9 ? inside : outside);
  }
  EXPECT_GT(inside, 50);
  EXPECT_GT(outside, 50);
  EXPECT_EQ(consistency_margin(Inertia<double>::zero()), 0);
}

TEST(PseudoInertia, MarginIsNaNWhereANumberIsNotFinite) {
  const std::array<double, 10> body = {1, 0.1, 0.2, 0.3, 1, 0, 1, 0, 0, 1};
  EXPECT_GT(consistency_margin(inertia_from_parameters(body)), 0);
  for (std::size_t k = 0; k < 10; ++k)
    for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      std::array<double, 10> x = body;
      x[k] = wrong;
      EXPECT_TRUE(std::isnan(consistency_margin(inertia_from_parameters(x)))) << k << ' ' << wrong;
    }
  EXPECT_TRUE(std::isnan(consistency_margin(Inertia<double>{1, {0, 0, 0}, {1e308, 0, 0, 1e308, 0, 1e308}})))
      << "P overflows";
}

}  // namespace
}  // namespace zwang::test
