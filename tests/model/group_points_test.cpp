// SPDX-License-Identifier: BSD-3-Clause
// The configuration groups at particular points: half turns, unwrapped angles, random draws;
// Jacobians by other witnesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "zwang/model/joints/groups.hpp"

namespace zwang {
namespace {

template <class G> void turn_about_an_axis(double angle, double* d) {
  const double axis[3] = {0.36, -0.48, 0.8};
  for (int i = 0; i < 6; ++i) d[i] = 0;
  if (G::nv == 1)
    d[0] = angle;
  else
    for (int i = 0; i < 3; ++i) d[G::nv - 3 + i] = axis[i] * angle;
}

template <class G> void near_half_turns() {
  Random r(11);
  double q[7], none[7] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, d[6], out[7], back[6];
  G::random(r, none, none, q);
  for (const double gap : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-14}) {
    turn_about_an_axis<G>(std::numbers::pi - gap, d);
    G::integrate(q, d, out);
    G::difference(q, out, back);
    for (int i = 0; i < G::nv; ++i) EXPECT_NEAR(back[i], d[i], 2e-15) << "gap " << gap;  // roundings of pi
    turn_about_an_axis<G>(std::numbers::pi + gap, d);
    G::integrate(q, d, out);
    G::difference(q, out, back);
    turn_about_an_axis<G>(gap - std::numbers::pi, d);  // the other way round is shorter
    for (int i = 0; i < G::nv; ++i) EXPECT_NEAR(back[i], d[i], 2e-15) << "gap " << -gap;
  }
}

TEST(Groups, DifferenceIsAccurateUpToHalfTurnsAndTakesTheShorterWayBeyond) {
  near_half_turns<UnitCircle>();
  near_half_turns<Rotations>();
  near_half_turns<RigidMotions>();
}

TEST(Groups, AQuaternionAndItsNegativeAreTheSameAttitude) {
  Random r(12);
  for (int k = 0; k < 100; ++k) {
    double q0[4], q1[4], d[3], e[3];
    Rotations::random(r, nullptr, nullptr, q0);
    Rotations::random(r, nullptr, nullptr, q1);
    Rotations::difference(q0, q1, d);
    for (double& x : q1) x = -x;
    Rotations::difference(q0, q1, e);
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(d[i], e[i]);
    EXPECT_LE(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], std::numbers::pi * std::numbers::pi * (1 + 1e-15));
  }
}

TEST(Groups, APlanarAngleCountsOnAndItsDifferenceIsTheShorterWay) {
  const double q[3] = {0.3, -0.2, 5.0}, d[3] = {0.4, 0.1, 9.0}, near[3] = {0.4, 0.1, 3.0};
  double out[3], back[3];
  PlanarMotions::integrate(q, d, out);
  EXPECT_EQ(out[2], 14.0);
  PlanarMotions::difference(q, out, back);
  EXPECT_NEAR(back[2], 9 - 2 * std::numbers::pi, 1e-14);
  PlanarMotions::integrate(q, back, out);  // to the same place and attitude
  EXPECT_NEAR(out[2], 14 - 2 * std::numbers::pi, 1e-14);
  PlanarMotions::integrate(q, near, out);
  PlanarMotions::difference(q, out, back);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(back[i], near[i], 1e-14);
}

TEST(Groups, SomeGroupsHaveNothingToNormalise) {
  double q[3] = {3, -4, 5};
  PlanarMotions::normalize(q);
  Additive<3>::normalize(q);
  EXPECT_EQ(q[0], 3);
  EXPECT_EQ(q[1], -4);
  EXPECT_EQ(q[2], 5);
}

TEST(Groups, TheGroupOfNoCoordinatesTouchesNothing) {
  double x = 7;
  Additive<0>::neutral(&x);
  Additive<0>::integrate(&x, &x, &x);
  Additive<0>::difference(&x, &x, &x);
  Additive<0>::integrate_jacobians(&x, &x, &x, &x);
  EXPECT_EQ(x, 7);
  EXPECT_EQ(Additive<0>::nq, 0);
}

/// d(q + d)/dd and d(q1 - q0)/dq0 by complex step and by central differences, as second witnesses beside dual numbers.
template <class G> void other_witnesses() {
  using C = std::complex<double>;
  Random r(13);
  const double low[7] = {-2, -2, -2, -2, -2, -2, -2}, high[7] = {2, 2, 2, 2, 2, 2, 2};
  for (int k = 0; k < 20; ++k) {
    double q[7], d[6], y[7], Jq[36], Jd[36], J0[36], J1[36];
    G::random(r, low, high, q);
    for (double& x : d) x = r.uniform(-1.2, 1.2);
    G::integrate(q, d, y);
    G::integrate_jacobians(q, d, Jq, Jd);
    G::difference_jacobians(q, y, J0, J1);
    for (int c = 0; c < G::nv; ++c) {
      const double h = 1e-20, f = 1e-5;
      C qc[7], dc[6], yc[7], mc[7], ec[6], rc[6];
      double plus[7], minus[7], dp[6], dm[6], rp[6], rm[6];
      for (int i = 0; i < G::nq; ++i) {
        qc[i] = q[i];
        yc[i] = y[i];
      }
      for (int i = 0; i < G::nv; ++i) {
        dc[i] = C(d[i], i == c ? h : 0);
        ec[i] = C(0, i == c ? h : 0);
        dp[i] = d[i] + (i == c ? f : 0);
        dm[i] = d[i] - (i == c ? f : 0);
      }
      G::integrate(qc, dc, mc);
      G::difference(yc, mc, rc);
      for (int i = 0; i < G::nv; ++i) EXPECT_NEAR(Jd[i * G::nv + c], rc[i].imag() / h, 2e-14);
      G::integrate(q, dp, plus);
      G::integrate(q, dm, minus);
      G::difference(y, plus, rp);
      G::difference(y, minus, rm);
      for (int i = 0; i < G::nv; ++i)
        EXPECT_NEAR(Jd[i * G::nv + c], (rp[i] - rm[i]) / (2 * f), 1e-9);  // f^2 and eps / f
      G::integrate(qc, ec, mc);
      G::difference(mc, yc, rc);
      for (int i = 0; i < G::nv; ++i) EXPECT_NEAR(J0[i * G::nv + c], rc[i].imag() / h, 4e-14);
      for (int i = 0; i < G::nv; ++i) {
        dp[i] = i == c ? f : 0;
        dm[i] = -dp[i];
      }
      G::integrate(q, dp, plus);
      G::integrate(q, dm, minus);
      G::difference(plus, y, rp);
      G::difference(minus, y, rm);
      for (int i = 0; i < G::nv; ++i) EXPECT_NEAR(J0[i * G::nv + c], (rp[i] - rm[i]) / (2 * f), 2e-9);
    }
  }
}
TEST(Groups, JacobiansAgreeWithComplexStepAndWithFiniteDifferences) {
  other_witnesses<Additive<3>>();
  other_witnesses<UnitCircle>();
  other_witnesses<Rotations>();
  other_witnesses<PlanarMotions>();
  other_witnesses<RigidMotions>();
}

TEST(Groups, RandomStaysWithinLimitsAndFillsThem) {
  const double inf = std::numeric_limits<double>::infinity();
  // both limits, lower only, upper only, none, unknown, equal, far out
  const double lower[7] = {-0.5, 2.0, -inf, -inf, NAN, 0.25, 1e300},
               upper[7] = {1.5, inf, -3.0, inf, NAN, 0.25, 1.5e300};
  double least[7], most[7];
  std::fill(least, least + 7, inf);
  std::fill(most, most + 7, -inf);
  Random r(14);
  for (int k = 0; k < 4000; ++k) {
    double q[7];
    Additive<7>::random(r, lower, upper, q);
    for (int i = 0; i < 7; ++i) {
      EXPECT_FALSE(q[i] < lower[i]) << i;
      EXPECT_FALSE(q[i] > upper[i]) << i;
      least[i] = std::min(least[i], q[i]);
      most[i] = std::max(most[i], q[i]);
    }
  }
  for (const int i : {3, 4}) {
    EXPECT_LE(most[i], std::numbers::pi);
    EXPECT_GE(least[i], -std::numbers::pi);
    EXPECT_GT(most[i], 3.1);
    EXPECT_LT(least[i], -3.1);
  }
  EXPECT_LT(least[0], -0.49);
  EXPECT_GT(most[0], 1.49);
  EXPECT_GT(most[1], 5.0);
  EXPECT_LT(least[2], -6.0);
  EXPECT_EQ(least[5], most[5]);
}

TEST(Groups, ARandomFreePositionIsInTheUnitCubeUnlessItIsLimited) {
  Random r(15);
  const double none[7] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  const double low[7] = {5, -9, NAN, NAN, NAN, NAN, NAN}, high[7] = {6, -8, NAN, NAN, NAN, NAN, NAN};
  double sum[7] = {};
  for (int k = 0; k < 2000; ++k) {
    double q[7];
    RigidMotions::random(r, none, none, q);
    for (int i = 0; i < 3; ++i) EXPECT_LE(std::fabs(q[i]), 1);
    EXPECT_NEAR(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1, 1e-15);
    for (int i = 3; i < 7; ++i) sum[i] += q[i] * q[i] / 2000;
    RigidMotions::random(r, low, high, q);
    EXPECT_TRUE(q[0] >= 5 && q[0] <= 6 && q[1] >= -9 && q[1] <= -8);
  }
  for (int i = 3; i < 7; ++i)
    EXPECT_NEAR(sum[i], 0.25, 0.03);  // uniform on the sphere: deviation 0.22 / sqrt(2000) = 0.005
}

}  // namespace
}  // namespace zwang
