// SPDX-License-Identifier: BSD-3-Clause
// exp and log: against matrix exponentials in long double, as inverses of each other,
// near 0 and near half turns, on every scalar.
#include "twists.hpp"

namespace zwang::test {
namespace {

template <class S> struct ExpLog : ::testing::Test { Draw<S> draw{51}; };
TYPED_TEST_SUITE(ExpLog, AllScalars);
constexpr int k_rounds = 200;
constexpr long double k_tolerance = 32;

TYPED_TEST(ExpLog, ExpIsTheMatrixExponential) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Motion<S> xi = twist(this->draw, round % 2 ? any_angle : all_angles_to_pi);
    const Transform<S> X = exp_se3(xi);
    const Mat3<S> R = exp_so3(xi.w), Q = rotation(from_rotation_vector(xi.w));
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const Motion<long double> x = lane_of(xi, lane);
      Dense<long double, 4, 4> a;
      const auto w = cross_matrix(x.w);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) a(i, j) = w(i, j);
        a(i, 3) = x.v[i];
      }
      const auto e = matrix_exponential<4>(a);
      // An angle of size 6 is itself known to 6 roundings.
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(near(Lanes<S>::value(X.p[i], lane), e(i, 3), k_tolerance * rounding<S>));
        for (int j = 0; j < 3; ++j) {
          ASSERT_TRUE(near(Lanes<S>::value(X.R(i, j), lane), e(i, j), k_tolerance * rounding<S>));
          ASSERT_TRUE(near(Lanes<S>::value(R(i, j), lane), e(i, j), k_tolerance * rounding<S>));
          ASSERT_TRUE(near(Lanes<S>::value(Q(i, j), lane), e(i, j), k_tolerance * rounding<S>));
        }
      }
    }
  }
}

// Values and derivatives: d(log exp xi) = d xi, so that every dual and complex part must come back too.
TYPED_TEST(ExpLog, LogUndoesExpFromTinyAnglesToNearlyHalfTurns) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Motion<S> xi = twist(this->draw, all_angles_to_pi);
    // Derivatives stay below 10, and the translation is divided by the sine of the half angle, at least 0.3 up to pi.
    expect_equal(column(log_so3(from_rotation_vector(xi.w))), column(xi.w), k_tolerance, 4);
    expect_equal(column(log_so3(exp_so3(xi.w))), column(xi.w), k_tolerance, 8);
    expect_equal(column6(log_se3(exp_se3(xi))), column6(xi), k_tolerance, 16);
    const Transform<S> X = exp_se3(xi);
    expect_equal(motion_matrix(exp_se3(log_se3(X))), motion_matrix(X), k_tolerance, 8);
  }
}

// Relative to the angle: nothing is lost below 1e-3, down to 1e-20.
TYPED_TEST(ExpLog, LogUndoesExpWithAllDigitsOfSmallAngles) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds; ++round) {
    const Motion<S> xi = twist(this->draw, small_angle);
    const Vec3<S> a = log_so3(from_rotation_vector(xi.w)), b = log_so3(exp_so3(xi.w));
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const Vec3<long double> x = lane_of(xi, lane).w;
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(near(Lanes<S>::value(a[i], lane), x[i], 8 * rounding<S> * norm(x)));
        ASSERT_TRUE(near(Lanes<S>::value(b[i], lane), x[i], 8 * rounding<S> * norm(x)));
      }
    }
  }
}

// Within 1e-12 of a half turn: the vector comes back, or its other name on the far side of pi.
TYPED_TEST(ExpLog, LogIsAccurateNextToHalfTurns) {
  using S = TypeParam;
  for (int k = 10; k <= 130; ++k) {
    const long double angle = k_pi - std::pow(10.0L, -0.1L * static_cast<long double>(k)) * (k < 130);
    const Motion<S> xi = twist(this->draw, [&](Random&) { return angle; });
    const Vec3<S> back[] = {log_so3(from_rotation_vector(xi.w)), log_so3(exp_so3(xi.w)), log_se3(exp_se3(xi)).w};
    for (const Vec3<S>& b : back)
      for (int lane = 0; lane < lanes_of<S>; ++lane) {
        const Vec3<long double> x = lane_of(xi, lane).w;
        long double direct = 0, opposite = 0, size = 0;
        for (int i = 0; i < 3; ++i) {
          const long double y = Lanes<S>::value(b[i], lane);
          direct = std::max(direct, std::fabs(y - x[i]));
          opposite = std::max(opposite, std::fabs(y - x[i] * (1 - 2 * k_pi / norm(x))));
          size += y * y;
        }
        ASSERT_LE(std::min(direct, opposite), 16 * rounding<S>) << "pi - angle = " << k_pi - angle;
        ASSERT_LE(std::sqrt(size), k_pi + 8 * rounding<S>);
      }
  }
}

// Exactly zero, with derivatives: exp = 1 + [d], log exp d = d, Jl = 1 + [d]/2, Jl^-1 = 1 - [d]/2; Q likewise.
TYPED_TEST(ExpLog, HasValuesAndDerivativesAtExactlyZero) {
  using S = TypeParam;
  Motion<S> xi = Motion<S>::zero();
  for (int i = 0; i < 6; ++i)
    for (int lane = 0; lane < lanes_of<S>; ++lane) Lanes<S>::set(xi[i], lane, 0, 0.1 * (i + 1) + 0.01 * lane);
  const S half(Uniform<S>(0.5)), minus_half(Uniform<S>(-0.5));
  const Dense<S, 3, 3> w = cross_matrix(xi.w), v = cross_matrix(xi.v), one = unit_matrix<S, 3>(), none;
  expect_equal(dense(exp_so3(xi.w)), combine(one, S(1), w), 4);
  expect_equal(column(exp_se3(xi).p), column(xi.v), 4);
  expect_equal(column6(log_se3(exp_se3(xi))), column6(xi), 4);
  expect_equal(column(log_so3(from_rotation_vector(xi.w))), column(xi.w), 4);
  expect_equal(dense(left_jacobian(xi).J), combine(one, half, w), 4);
  expect_equal(dense(left_jacobian(xi).Q), combine(none, half, v), 4);
  expect_equal(dense(right_jacobian(xi).J), combine(one, minus_half, w), 4);
  expect_equal(dense(left_jacobian_inverse(xi).J), combine(one, minus_half, w), 4);
  expect_equal(dense(left_jacobian_inverse(xi).Q), combine(none, minus_half, v), 4);
  expect_equal(dense(right_jacobian_inverse(xi).Q), combine(none, half, v), 4);
}

// Across the switches from series to closed form: |phi| = 2, |u|/w = 0.01 and |phi|/2 = 0.1. With derivatives.
TYPED_TEST(ExpLog, IsThatOfLongDoubleOnBothSidesOfItsSwitches) {
  using S = TypeParam;
  const auto program = [](const auto& x) {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    const Motion<T> xi{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    const Vec3<T> back = log_so3(from_rotation_vector(xi.w));
    const MotionJacobian<T> J = left_jacobian(xi), K = right_jacobian_inverse(xi);
    std::vector<T> y{back.x, back.y, back.z};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) y.insert(y.end(), {J.J(i, j), J.Q(i, j), K.J(i, j), K.Q(i, j)});
    return y;
  };
  for (const double around : {0.02, 0.2, 2.0, 3.0})
    for (const double off : {-1e-2, -1e-4, -1e-6, 0.0, 1e-6, 1e-4, 1e-2}) {
      const auto inputs = [&](int) {
        Random& random = this->draw.random;
        double w[3] = {random.normal(), random.normal(), random.normal()};
        const double scale = around * (1 + off) / std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        return std::vector<double>{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                                   w[0] * scale,          w[1] * scale,          w[2] * scale};
      };
      expect_like_long_double<S>(program, inputs, 2 * k_tolerance, this->draw.random);
    }
}

}  // namespace
}  // namespace zwang::test
