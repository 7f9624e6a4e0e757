// SPDX-License-Identifier: BSD-3-Clause
// Products with derivatives against the matrices of derivatives.hpp, which are those of the reference
// (derivatives_test.cpp), for every joint type, mimic joints, user joints, rotors, dampers, springs and
// wrenches in all axes. Tolerance: both sides add some 200 numbers per body on a path of up to 30
// bodies: 8000 eps of the largest product.
#include "zwang/algorithm/derivative_products.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "zwang/algorithm/values.hpp"

namespace zwang::test {
namespace {

constexpr double k_products = 4 * k_sweep;
using Vector = Eigen::VectorXd;

double reach(const Eigen::MatrixXd& A, const Vector& x) { return largest(A) * x.cwiseAbs().sum() + 1; }

TEST(DerivativeProducts, OfInverseDynamicsAreThoseOfTheMatrices) {
  for_cases(60, [](Held& h) {
    Random random(3);
    const Wrenches given = random_wrenches(h.c, random);
    const int n = static_cast<int>(h.nv);
    const JointEffects effects{};
    const auto d = inverse_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, given.external, effects);
    const Vector dq = random.vector(n), dv = random.vector(n), da = random.vector(n), w = random.vector(n);
    Vector dtau(h.nv), by_q(h.nv), by_v(h.nv), by_a(h.nv);
    inverse_dynamics_jvp(h.m, h.data, h.x.q, h.x.v, h.x.a, dq, dv, da, dtau, given.external, effects);
    const double size = reach(d.q, dq) + reach(d.v, dv) + reach(d.a, da);
    EXPECT_TRUE(within(dtau, Vector(d.q * dq + d.v * dv + d.a * da), k_products, size));
    inverse_dynamics_vjp(h.m, h.data, h.x.q, h.x.v, h.x.a, w, by_q, by_v, by_a, given.external, effects);
    EXPECT_TRUE(within(by_q, Vector(d.q.transpose() * w), k_products, reach(d.q, w) + reach(d.v, w)));
    EXPECT_TRUE(within(by_v, Vector(d.v.transpose() * w), k_products, reach(d.v, w)));
    EXPECT_TRUE(within(by_a, Vector(d.a.transpose() * w), k_products, reach(d.a, w)));
  });
}

TEST(DerivativeProducts, OfForwardDynamicsAreThoseOfTheMatrices) {
  for_cases(30, [](Held& h) {
    Random random(5);
    const Wrenches given = random_wrenches(h.c, random);
    const int n = static_cast<int>(h.nv);
    const JointEffects effects{};
    TreeCholesky factor(h.m);
    const Vector dq = random.vector(n), dv = random.vector(n), dtau = random.vector(n), w = random.vector(n);
    Vector da(h.nv), by_q(h.nv), by_v(h.nv), by_tau(h.nv);
    const auto jvp = [&] {
      return Vector(
          forward_dynamics_jvp(h.m, h.data, factor, h.x.q, h.x.v, h.x.tau, dq, dv, dtau, da, given.external, effects));
    };
    Vector a;
    try {
      a = jvp();
    } catch (const SingularMassError&) { return; }
    const auto d = forward_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    // Both have the error of M^-1, whose condition the product of M and its inverse bounds.
    const auto tau = inverse_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, a, given.external, effects);
    const double condition = largest(tau.a) * largest(d.tau) * static_cast<double>(h.nv);
    const double size = condition * (reach(tau.q, dq) + reach(tau.v, dv) + dtau.cwiseAbs().sum()) * largest(d.tau);
    EXPECT_TRUE(within(da, Vector(d.q * dq + d.v * dv + d.tau * dtau), k_products, size));
    forward_dynamics_vjp(h.m, h.data, factor, h.x.q, h.x.v, h.x.tau, w, by_q, by_v, by_tau, given.external, effects);
    const double of_w = condition * largest(d.tau) * w.cwiseAbs().sum();
    EXPECT_TRUE(within(by_tau, Vector(d.tau.transpose() * w), k_products, of_w));
    EXPECT_TRUE(within(by_q, Vector(d.q.transpose() * w), k_products, of_w * (largest(tau.q) + 1)));
    EXPECT_TRUE(within(by_v, Vector(d.v.transpose() * w), k_products, of_w * (largest(tau.v) + 1)));
  });
}

TEST(DerivativeProducts, RefuseWhatDoesNotFit) {
  Held h(random_case(1, 4), 3);
  const Vector w = Vector::Ones(h.nv), longer = Vector::Ones(h.nv + 1);
  Vector out(h.nv), short_out(h.nv - 1);
  EXPECT_THROW(inverse_dynamics_vjp(h.m, h.data, h.x.q, h.x.v, h.x.a, longer, out, out, out), std::invalid_argument);
  EXPECT_THROW(inverse_dynamics_jvp(h.m, h.data, h.x.q, h.x.v, h.x.a, w, w, w, short_out), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
