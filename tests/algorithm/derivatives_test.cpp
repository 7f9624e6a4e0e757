// SPDX-License-Identifier: BSD-3-Clause
// First derivatives against the complex step of the reference (long double, its own algorithm), which is exact to
// rounding, for every joint type, mimic joints, user joints, rotors, dampers, springs and wrenches in all axes.
// Tolerance: some 200 operations per body on a path of up to 30 bodies: 4000 eps of the largest entry.
#include "zwang/algorithm/derivatives.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

using ComplexVector = reference::VectorX<Complex>;

std::vector<reference::ExternalOf<Complex>> complex(const std::vector<reference::External>& given) {
  std::vector<reference::ExternalOf<Complex>> out;
  for (const reference::External& e : given) out.push_back({e.frame, e.wrench.cast<Complex>(), e.in});
  return out;
}

/// Columns d f(q (+) e e_k, v) and d f(q, v + e e_k).
template <class F> Eigen::MatrixXd by_q(const Held& h, F&& f) {
  Eigen::MatrixXd out(h.nv, h.nv);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(h.nv);
  for (Index k = 0; k < h.nv; ++k) out.col(k) = h.along(Eigen::VectorXd::Unit(h.nv, k), none, f);
  return out;
}
template <class F> Eigen::MatrixXd by_v(const Held& h, F&& f) {
  Eigen::MatrixXd out(h.nv, h.nv);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(h.nv);
  for (Index k = 0; k < h.nv; ++k) out.col(k) = h.along(none, Eigen::VectorXd::Unit(h.nv, k), f);
  return out;
}

TEST(Derivatives, OfInverseDynamicsAreThoseOfTheReference) {
  for_cases(60, [](Held& h) {
    Random random(3);
    const Wrenches given = random_wrenches(h.c, random);
    const auto wrenches = complex(given.reference);
    const JointEffects effects{};
    const auto tau = [&](const ComplexState& s) {
      return ComplexVector(s.inverse_dynamics(h.x.a.cast<Complex>(), wrenches, reference_effects(effects)));
    };
    const auto d = inverse_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, given.external, effects);
    const Eigen::MatrixXd q = by_q(h, tau), v = by_v(h, tau);
    const double scale = largest(q) + largest(v) + 1;
    EXPECT_TRUE(within(d.q, q, k_derivatives, scale));
    EXPECT_TRUE(within(d.v, v, k_derivatives, scale));
    EXPECT_TRUE(within(d.a, mass_matrix(h.m, h.data, h.x.q, effects), k_derivatives, largest(d.a)));
  });
}

TEST(Derivatives, OfForwardDynamicsAreThoseOfTheReference) {
  for_cases(30, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    Random random(3);
    const Wrenches given = random_wrenches(h.c, random);
    const auto wrenches = complex(given.reference);
    const JointEffects effects{};
    Eigen::VectorXd a;
    try {
      a = forward_dynamics(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    } catch (const SingularMassError&) {
      EXPECT_THROW(forward_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects),
                   SingularMassError);
      return;
    }
    const auto d = forward_dynamics_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.tau, given.external, effects);
    // M d = -d tau at these accelerations: no inverse of the reference, whose condition is that of the problem.
    const auto tau = [&](const ComplexState& s) {
      return ComplexVector(s.inverse_dynamics(a.cast<Complex>(), wrenches, reference_effects(effects)));
    };
    const Eigen::MatrixXd M = mass_matrix(h.m, h.data, h.x.q, effects), q = by_q(h, tau), v = by_v(h, tau);
    // a itself has the error of its condition, and d tau / dq is linear in it
    const double scale =
        largest(q) + largest(v) + largest(M) * static_cast<double>(h.nv) * (largest(d.q) + largest(d.v)) + 1;
    EXPECT_TRUE(within(M * d.q, -q, k_derivatives, scale));
    EXPECT_TRUE(within(M * d.v, -v, k_derivatives, scale));
    EXPECT_TRUE(within(M * d.tau, Eigen::MatrixXd::Identity(h.nv, h.nv), k_derivatives,
                       largest(M) * static_cast<double>(h.nv) * largest(d.tau)));
  });
}

TEST(Derivatives, OfBiasGravityAndStaticTorque) {
  for_cases(30, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    Random random(4);
    const Wrenches given = random_wrenches(h.c, random);
    const auto wrenches = complex(given.reference);
    const JointEffects effects{};
    const ComplexVector still = ComplexVector::Zero(h.nv);
    const auto bias = [&](const ComplexState& s) {
      return ComplexVector(s.bias(wrenches, reference_effects(effects)));
    };
    Eigen::MatrixXd q(h.nv, h.nv), v(h.nv, h.nv);
    bias_forces_derivatives(h.m, h.data, h.x.q, h.x.v, q, v, given.external, effects);
    const Eigen::MatrixXd expected = by_q(h, bias);
    EXPECT_TRUE(within(q, expected, k_derivatives, largest(expected) + 1));
    EXPECT_TRUE(within(v, by_v(h, bias), k_derivatives, largest(v) + largest(expected) + 1));
    gravity_forces_derivatives(h.m, h.data, h.x.q, q);
    const Eigen::MatrixXd gravity = by_q(h, [](const ComplexState& s) { return ComplexVector(s.gravity_forces()); });
    EXPECT_TRUE(within(q, gravity, k_derivatives, largest(gravity) + 1));
    Held resting(h.c, 77);
    resting.x.v.setZero();
    resting.x.q = h.x.q;
    const JointEffects springs{false, false, true, false};
    static_torque_derivatives(h.m, h.data, h.x.q, q, given.external, springs);
    const Eigen::MatrixXd at_rest = by_q(resting, [&](const ComplexState& s) {
      return ComplexVector(s.inverse_dynamics(still, wrenches, reference_effects(springs)));
    });
    EXPECT_TRUE(within(q, at_rest, k_derivatives, largest(at_rest) + 1));
  });
}

TEST(Derivatives, RefuseWhatTheirFunctionsRefuse) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(7), shorter = Eigen::VectorXd::Zero(6);
  Eigen::MatrixXd A(7, 7), B(7, 7), C(7, 7), small(7, 6);
  EXPECT_THROW(inverse_dynamics_derivatives(arm, data, x, x, shorter, A, B, C), std::invalid_argument);
  EXPECT_THROW(inverse_dynamics_derivatives(arm, data, x, x, x, A, small, C), std::invalid_argument);
  Eigen::VectorXd bad = x;
  bad(2) = std::nan("");
  EXPECT_THROW(gravity_forces_derivatives(arm, data, bad, A), std::invalid_argument);
  EXPECT_THROW(bias_forces_derivatives(arm, data, x, bad, A, B), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
