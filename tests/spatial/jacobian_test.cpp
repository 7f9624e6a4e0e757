// SPDX-License-Identifier: BSD-3-Clause
// The Jacobians of exp: against derivatives of exp itself, integrals of the adjoint,
// and their inverses, on every scalar.
#include "twists.hpp"

namespace zwang::test {
namespace {

template <class S> struct ExpJacobians : ::testing::Test { Draw<S> draw{52}; };
TYPED_TEST_SUITE(ExpJacobians, AllScalars);
constexpr int k_rounds = 100;
constexpr long double k_tolerance = 32;

template <class S> Motion<S> unit_motion(int j) {
  Motion<S> e = Motion<S>::zero();
  e[j] = S(1);
  return e;
}
/// The twist of an infinitesimal pose change dX X^-1, from a dual pose.
template <class T> Motion<T> spatial_rate(const Transform<Dual<T>>& X) {
  Dense<T, 3, 3> R, dR;
  Vec3<T> p = Vec3<T>::zero(), dp = p;
  for (int i = 0; i < 3; ++i) {
    p[i] = X.p[i].v, dp[i] = X.p[i].d;
    for (int j = 0; j < 3; ++j) R(i, j) = X.R(i, j).v, dR(i, j) = X.R(i, j).d;
  }
  const auto W = dR * transposed(R);
  const Vec3<T> w(W(2, 1), W(0, 2), W(1, 0));
  return {dp - cross(w, p), w};
}

// The definition, exp(xi + d) = exp(Jl d) exp(xi) = exp(xi) exp(Jr d), differentiated by dual numbers over the scalars.
TYPED_TEST(ExpJacobians, JacobiansAreTheDerivativesOfExp) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds / 4; ++round) {
    const Motion<S> xi = twist(this->draw, round % 2 ? any_angle : small_angle);
    const MotionJacobian<S> left = left_jacobian(xi), right = right_jacobian(xi);
    // A dual of a dual of lanes has no products with plain numbers.
    if constexpr (lanes_of<S> == 1 || !Lanes<S>::differentiates)
      for (int j = 0; j < 6; ++j) {
        Motion<Dual<S>> step = Motion<Dual<S>>::zero();
        for (int i = 0; i < 6; ++i) step[i] = Dual<S>(xi[i], i == j ? S(1) : S(0));
        const Motion<S> rate = spatial_rate(exp_se3(step));
        expect_equal(column6(left * unit_motion<S>(j)), column6(rate), k_tolerance, 16);
        expect_equal(column6(right * unit_motion<S>(j)), column6(inverse_times(exp_se3(xi), rate)), k_tolerance, 16);
      }
    expect_equal(dense(left_jacobian(xi.w)), dense(left.J), k_tolerance);
    expect_equal(dense(right_jacobian(xi.w)), dense(right.J), k_tolerance);
    const Motion<S> d = this->draw.motion();
    const Force<S> f = this->draw.force();
    Dense<S, 1, 1> in, out;
    out(0, 0) = dot(left * d, f), in(0, 0) = dot(d, transpose_times(left, f));
    expect_equal(in, out, k_tolerance, 64);
  }
}

// Independent of exp's derivative: left Jacobian = integral of exp(s ad) over s in [0, 1],
// as the corner of a matrix exponential.
TYPED_TEST(ExpJacobians, LeftJacobianIsTheIntegralOfTheAdjoint) {
  using S = TypeParam;
  for (int round = 0; round < 16; ++round) {
    const Motion<S> xi = twist(this->draw, round % 2 ? any_angle : all_angles_to_pi);
    const MotionJacobian<S> left = left_jacobian(xi);
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const auto ad = motion_cross_matrix(lane_of(xi, lane));
      Dense<long double, 12, 12> a;  // exp [ad, 1; 0, 0] = [exp ad, integral; 0, 1]
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) a(i, j) = ad(i, j);
        a(i, i + 6) = 1;
      }
      const auto e = matrix_exponential<12>(a);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          ASSERT_TRUE(near(Lanes<S>::value(left.J(i, j), lane), e(i, j + 6), k_tolerance * rounding<S>));
          ASSERT_TRUE(near(Lanes<S>::value(left.Q(i, j), lane), e(i, j + 9), k_tolerance * rounding<S>));
        }
    }
  }
}

TYPED_TEST(ExpJacobians, InverseJacobiansUndoTheJacobians) {
  using S = TypeParam;
  for (int round = 0; round < k_rounds / 2; ++round) {
    const Motion<S> xi =
        twist(this->draw, round % 2 ? [](Random& r) -> long double { return r.uniform(0, 5); } : all_angles_to_pi);
    const MotionJacobian<S> l = left_jacobian_inverse(xi) * left_jacobian(xi),
                            r = right_jacobian(xi) * right_jacobian_inverse(xi);
    // The inverse grows as 1 / c2, up to 35 at 5 radians, its derivatives as the square.
    expect_equal(dense(l.J), unit_matrix<S, 3>(), k_tolerance, 64);
    expect_equal(dense(l.Q), Dense<S, 3, 3>{}, k_tolerance, 64);
    expect_equal(dense(r.J), unit_matrix<S, 3>(), k_tolerance, 64);
    expect_equal(dense(r.Q), Dense<S, 3, 3>{}, k_tolerance, 64);
    expect_equal(dense(left_jacobian_inverse(xi.w) * left_jacobian(xi.w)), unit_matrix<S, 3>(), k_tolerance, 64);
    expect_equal(dense(right_jacobian_inverse(xi.w) * right_jacobian(xi.w)), unit_matrix<S, 3>(), k_tolerance, 64);
  }
}

}  // namespace
}  // namespace zwang::test
