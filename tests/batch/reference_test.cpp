// SPDX-License-Identifier: BSD-3-Clause
// Lanes with states of their own against the long double reference, which shares no code with the pages; and angles of
// every size, for the sine and cosine of each width of register.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "algorithm/cases.hpp"
#include "batch/arrays.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

using reference::Real;
using Vector = Eigen::VectorXd;
using VectorR = reference::VectorX<Real>;
constexpr double k_roundings = 2000;  // tests/algorithm/dynamics_test.cpp

template <class T> class BatchReference : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchReference, Numbers);

template <class T> Vector row_of(const StateRows<T>& m, long s) { return m.row(s).template cast<double>(); }

TYPED_TEST(BatchReference, EveryLaneIsTheReference) {
  using T = TypeParam;
  Worst worst;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(20)); ++seed) {
    const Case c = random_case(seed, 4 + static_cast<int>(seed % 8));
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    Random random(seed);
    const long n = 18;  // more than a register of floats at the widest
    // Configurations of unit length beyond float for the reference: normalised after rounding.
    const States<T> x = random_states<T>(m, n, seed);
    const std::string frame = random_frame(c, random);
    StateRows<T> tau(n, m.nv()), a(n, m.nv()), M(n, m.nv() * m.nv()), pose(n, 16);
    Wrenches w = random_wrenches(c, random);
    std::vector<StateRows<T>> pushes(w.external.size(), StateRows<T>(n, 6));
    BatchWrenches<T> external;
    for (std::size_t k = 0; k < pushes.size(); ++k) {
      for (long s = 0; s < n; ++s) pushes[k].row(s) = random.vector(6, 5).template cast<T>();
      external.push_back({w.external[k].frame, pushes[k], w.external[k].in});
    }
    BasicBatch<T> batch(m, {.threads = 1});
    ASSERT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, tau, {}, external).good());
    ASSERT_TRUE(batch.mass_matrix(x.q, M).good());
    ASSERT_TRUE(batch.frame_pose(x.q, m.find_frame(frame), pose).good());
    batch.forward_dynamics(x.q, x.v, x.tau, a, {}, external);
    for (long s = 0; s < n; ++s) {
      for (std::size_t k = 0; k < pushes.size(); ++k) w.reference[k].wrench = pushes[k].row(s).template cast<Real>();
      Vector q = x.q_of(s);
      normalize(m, q);
      const reference::State at = c.reference.at(q, x.v_of(s));
      const reference::MatrixX<Real> M_at = at.mass_matrix();
      const VectorR h = at.bias(w.reference), f = at.inverse_dynamics(x.a_of(s).template cast<Real>(), w.reference);
      const double mass = static_cast<double>(M_at.cwiseAbs().maxCoeff());
      const double scale = largest(h) + mass * largest(x.a_of(s)) + largest(at.generalised_force(w.reference)) +
                           largest(at.gravity_forces());
      EXPECT_TRUE(within(row_of(tau, s), f, k_roundings * k_epsilon<T>, scale)) << s;
      worst.see("inverse_dynamics",
                largest(VectorR(row_of(tau, s).template cast<Real>() - f)) / (scale * k_epsilon<T>));
      EXPECT_TRUE(within(row_of(M, s), VectorR(M_at.reshaped()), k_roundings * k_epsilon<T>, mass)) << s;
      worst.see("mass_matrix",
                largest(VectorR(row_of(M, s).template cast<Real>() - M_at.reshaped())) / (mass * k_epsilon<T>));
      const Eigen::Matrix<double, 3, 4> X = eigen(at.pose(frame));
      Vector expected(16);
      expected << Vector(Eigen::Matrix<double, 4, 3>(X.transpose()).reshaped()), 0, 0, 0, 1;
      EXPECT_TRUE(within(row_of(pose, s), expected, k_roundings * k_epsilon<T>, 1 + largest(X))) << s;
      const Vector w_of_M =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M_at.cast<double>(), Eigen::EigenvaluesOnly).eigenvalues();
      const double kappa = w_of_M.size() > 0 ? w_of_M(w_of_M.size() - 1) / w_of_M(0) : 1;
      if (kappa * k_epsilon < T >> 1e-3) continue;  // close to singular for T
      const VectorR qdd = at.forward_dynamics(x.tau_of(s).template cast<Real>(), w.reference);
      const double size = largest(qdd) + (scale + largest(x.tau_of(s))) / std::max(mass, 1e-300);
      ASSERT_EQ(batch.report().status(s), Status::ok);
      EXPECT_TRUE(within(row_of(a, s), qdd, k_roundings * k_epsilon<T> * kappa, size)) << "condition " << kappa;
      worst.see("forward_dynamics",
                largest(VectorR(row_of(a, s).template cast<Real>() - qdd)) / (size * kappa * k_epsilon<T>));
    }
  }
  worst.record("eps");
}

/// A wheel turned by any angle: its pose shows sine and cosine.
TYPED_TEST(BatchReference, AnglesOfEverySize) {
  using T = TypeParam;
  RobotDescription d;
  d.name = "wheel";
  d.links = {make_link("base", 1, {}, {1, 0, 1, 0, 0, 1}), make_link("wheel", 1, {}, {1, 0, 1, 0, 0, 1})};
  d.joints = {make_joint("turn", "revolute", "base", "wheel", {0, 0, 1})};
  const Model m = build(d);
  std::vector<T> angles{T(0), T(-0.0)};
  const Real pi = std::acos(Real(-1));
  for (int k = -16; k <= 16; ++k)  // beside the borders of octants
    for (const Real step : {Real(0), Real(1), Real(-1)})
      angles.push_back(static_cast<T>(k * pi / 4) * (T(1) + static_cast<T>(step) * std::numeric_limits<T>::epsilon()));
  for (int e = -60; e <= 20; ++e) angles.push_back(static_cast<T>(std::ldexp(Real(1.2345), e)));
  for (const Real a : {Real(1e6), Real(1.2345678e6), Real(7.77e7), Real(1e9), Real(1e15), Real(1e22), Real(3e37)}) {
    angles.push_back(static_cast<T>(a));
    angles.push_back(static_cast<T>(-a));
  }
  if (std::is_same_v<T, double>) {
    angles.push_back(static_cast<T>(1e300));
    angles.push_back(static_cast<T>(-1.7e308));
  }
  const long n = static_cast<long>(angles.size());
  BasicBatch<T> batch(m, {.threads = 1});
  double worst = 0;
  for (int turned = 0; turned < 17; ++turned) {  // every angle in every lane, beside others
    StateRows<T> q(n, 1), pose(n, 16);
    for (long s = 0; s < n; ++s) q(s, 0) = angles[static_cast<std::size_t>((s + turned) % n)];
    ASSERT_TRUE(batch.frame_pose(q, m.find_frame("wheel"), pose).good());
    for (long s = 0; s < n; ++s) {
      const Real a = q(s, 0);  // sinl and cosl reduce by all digits of pi
      const Real sine = std::fabs(a) < Real(1e18) ? std::sin(a) : Real(std::sin(static_cast<double>(a)));
      const Real cosine = std::fabs(a) < Real(1e18) ? std::cos(a) : Real(std::cos(static_cast<double>(a)));
      const double error = static_cast<double>(
          std::max(std::fabs(Real(pose(s, 4)) - sine), std::fabs(Real(pose(s, 0)) - cosine)) / Real(k_epsilon<T>));
      worst = std::max(worst, error);
      EXPECT_LE(error, 2) << "angle " << static_cast<double>(a);
      EXPECT_EQ(pose(s, 1), -pose(s, 4));
      EXPECT_EQ(pose(s, 5), pose(s, 0));
    }
  }
  this->RecordProperty("worst [eps]", std::to_string(worst));
}

}  // namespace
}  // namespace zwang::test
