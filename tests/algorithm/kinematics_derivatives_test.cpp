// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the motion of frames, of the centre of mass and of its momentum against the complex step of the
// reference (long double, its own algorithm), for every joint type, mimic joints and user joints.
// Tolerance: some 200 operations per body on a path of up to 30 bodies: 4000 eps of the largest entry.
#include "zwang/algorithm/kinematics_derivatives.hpp"

#include <gtest/gtest.h>

#include "algorithm/held.hpp"
#include "support/reference_vee.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::test {
namespace {

constexpr std::pair<Reference, reference::Axes> k_axes[] = {
    {Reference::local, reference::Axes::local},
    {Reference::world, reference::Axes::world},
    {Reference::local_world_aligned, reference::Axes::local_world_aligned}};

/// Columns d f(q (+) e e_k, v), or d f(q, v + e e_k), of a quantity of `rows` numbers.
template <class F> Eigen::MatrixXd columns(const Held& h, Index rows, bool by_q, F&& f) {
  Eigen::MatrixXd out(rows, h.nv);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(h.nv);
  for (Index k = 0; k < h.nv; ++k) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(h.nv, k);
    out.col(k) = by_q ? h.along(unit, none, f) : h.along(none, unit, f);
  }
  return out;
}

TEST(KinematicsDerivatives, OfTheVelocityOfAFrame) {
  for_cases(40, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    Random random(3);
    const std::string frame = random_frame(h.c, random);
    for (const auto& [in, axes] : k_axes) {
      SCOPED_TRACE(static_cast<int>(in));
      const auto velocity = [&, in_axes = axes](const ComplexState& s) { return s.velocity(frame, in_axes); };
      const auto d = frame_velocity_derivatives(h.m, h.data, h.x.q, h.x.v, frame, in);
      const Eigen::MatrixXd q = columns(h, 6, true, velocity), v = columns(h, 6, false, velocity);
      EXPECT_TRUE(within(d.q, q, k_derivatives, largest(q) + largest(v) + 1));
      EXPECT_TRUE(within(d.v, v, k_derivatives, largest(v) + 1));
    }
  });
}

TEST(KinematicsDerivatives, OfTheAccelerationOfAFrame) {
  for_cases(40, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    Random random(3);
    const std::string frame = random_frame(h.c, random);
    for (const auto& [in, axes] : k_axes)
      for (const bool classical : {false, true}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(in)) + (classical ? " classical" : " spatial"));
        const auto kind = classical ? AccelerationKind::classical : AccelerationKind::spatial;
        const auto acceleration = [&, in_axes = axes](const ComplexState& s) {
          return s.acceleration(frame, h.x.a.cast<Complex>(), in_axes,
                                classical ? reference::Kind::classical : reference::Kind::spatial);
        };
        const auto d = frame_acceleration_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, frame, kind, in);
        const Eigen::MatrixXd q = columns(h, 6, true, acceleration), v = columns(h, 6, false, acceleration);
        const double scale = largest(q) + largest(v) + 10;  // gravity comes and goes
        EXPECT_TRUE(within(d.q, q, k_derivatives, scale));
        EXPECT_TRUE(within(d.v, v, k_derivatives, scale));
        EXPECT_TRUE(within(d.a, h.s.jacobian(frame, axes), k_derivatives, largest(d.a) + 1));
        // with -g: the part of gravity alone, turned as the frame turns
        const auto g = frame_acceleration_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a, frame, kind, in, true);
        const Eigen::MatrixXd with_gravity = columns(h, 6, true, [&](const ComplexState& s) {
          reference::Vector6<Complex> a = acceleration(s);
          const reference::Vector3<Complex> up = -eigen(h.m.gravity()).cast<Complex>();
          a.template head<3>() +=
              in == Reference::local ? reference::Vector3<Complex>(s.pose(frame).R.transpose() * up) : up;
          return a;
        });
        EXPECT_TRUE(within(g.q, with_gravity, k_derivatives, scale + largest(with_gravity)));
        EXPECT_TRUE(within(g.v, v, k_derivatives, scale));
      }
  });
}

TEST(KinematicsDerivatives, OfTheVelocityOfTheCentreOfMass) {
  for_cases(40, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    const auto velocity = [](const ComplexState& s) { return s.centre_of_mass_velocity(); };
    const auto d = centre_of_mass_velocity_derivatives(h.m, h.data, h.x.q, h.x.v);
    const Eigen::MatrixXd q = columns(h, 3, true, velocity), v = columns(h, 3, false, velocity);
    EXPECT_TRUE(within(d.q, q, k_derivatives, largest(q) + largest(v) + 1));
    EXPECT_TRUE(within(d.v, v, k_derivatives, largest(v) + 1));
  });
}

/// Rate of the momentum about the centre of mass, link by link: Newton and Euler at the links' own centres.
reference::Vector6<Complex> momentum_rate(const Held& h, const ComplexState& s) {
  using Vector = reference::Vector3<Complex>;
  using reference::cross;  // that of Eigen conjugates
  const Vector c = s.centre_of_mass();
  reference::Vector6<Complex> sum = reference::Vector6<Complex>::Zero();
  for (std::size_t l = 0; l < h.c.reference.links().size(); ++l) {
    const reference::RigidLink& link = h.c.reference.links()[l];
    if (!h.c.reference.moves(static_cast<int>(l))) continue;
    const auto X = s.pose(link.name);
    const auto in = reference::Axes::local_world_aligned;
    const reference::Vector6<Complex> v = s.velocity(link.name, in),
                                      a = s.acceleration(link.name, h.x.a.cast<Complex>(), in,
                                                         reference::Kind::classical);
    const Vector w = v.tail<3>(), alpha = a.tail<3>(), d = X.R * link.centre.cast<Complex>();
    const Vector swept = cross<Complex>(w, d), turning = cross<Complex>(alpha, d) + cross<Complex>(w, swept);
    const Vector f = (a.head<3>() + turning) * Complex(link.mass);
    const reference::Matrix3<Complex> I = X.R * link.inertia.cast<Complex>() * X.R.transpose();
    sum.head<3>() += f;
    const Vector arm = X.p + d - c, spin = I * w;
    sum.tail<3>() += cross<Complex>(arm, f) + I * alpha + cross<Complex>(w, spin);
  }
  return sum;
}

TEST(KinematicsDerivatives, OfTheMomentumAndItsRate) {
  for_cases(40, [](Held& h) {
    if (h.nv > 20) return;  // the reference takes seconds
    const auto momentum = [](const ComplexState& s) { return s.momentum(); };
    const auto d = centroidal_derivatives(h.m, h.data, h.x.q, h.x.v, h.x.a);
    const Eigen::MatrixXd q = columns(h, 6, true, momentum), v = columns(h, 6, false, momentum);
    EXPECT_TRUE(within(d.momentum.q, q, k_derivatives, largest(q) + largest(v) + 1));
    EXPECT_TRUE(within(d.momentum.v, v, k_derivatives, largest(v) + 1));
    EXPECT_TRUE(within(d.rate.a, v, k_derivatives, largest(v) + 1));
    const auto rate = [&](const ComplexState& s) { return momentum_rate(h, s); };
    const Eigen::MatrixXd rate_q = columns(h, 6, true, rate), rate_v = columns(h, 6, false, rate);
    const double scale = largest(rate_q) + largest(rate_v) + 10 * largest(v) + 1;  // gravity comes and goes
    EXPECT_TRUE(within(d.rate.q, rate_q, k_derivatives, scale));
    EXPECT_TRUE(within(d.rate.v, rate_v, k_derivatives, scale));
  });
}

TEST(KinematicsDerivatives, OfTheGroundAreZero) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const Eigen::VectorXd x = Eigen::VectorXd::Ones(7);
  const auto d = frame_acceleration_derivatives(arm, data, x, x, x, FrameId(0), AccelerationKind::classical,
                                                Reference::local, true);
  EXPECT_EQ(d.q.norm() + d.v.norm() + d.a.norm(), 0);
}

TEST(KinematicsDerivatives, RefuseWhatTheirFunctionsRefuse) {
  const Model arm = build(sample_arm7());
  Data data(arm);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(7), shorter = Eigen::VectorXd::Zero(6);
  Eigen::MatrixXd A(6, 7), B(6, 7), C(6, 7), small(3, 7);
  const auto local = Reference::local;
  EXPECT_THROW(frame_velocity_derivatives(arm, data, x, shorter, "tool0", local, A, B), std::invalid_argument);
  EXPECT_THROW(frame_velocity_derivatives(arm, data, x, x, "tool", local, A, B), std::invalid_argument);
  EXPECT_THROW(frame_velocity_derivatives(arm, data, x, x, "tool0", local, A, small), std::invalid_argument);
  EXPECT_THROW(
      frame_acceleration_derivatives(arm, data, x, x, shorter, "tool0", AccelerationKind::spatial, local, A, B, C),
      std::invalid_argument);
  EXPECT_THROW(centre_of_mass_velocity_derivatives(arm, data, x, x, A, small), std::invalid_argument);
  EXPECT_THROW(centroidal_derivatives(arm, data, x, x, x, A, B, C, A, small), std::invalid_argument);
  // no accelerations were given: none may be read
  frame_velocity_derivatives(arm, data, x, x, "tool0", local, A, B);
  EXPECT_THROW(frame_acceleration(arm, data, "tool0", AccelerationKind::spatial), std::logic_error);
}

}  // namespace
}  // namespace zwang::test
