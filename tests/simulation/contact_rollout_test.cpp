// SPDX-License-Identifier: BSD-3-Clause
// The gradient of a motion with touchdowns and lift-offs beside differences of the whole motion.
#include <gtest/gtest.h>

#include "simulation/cases.hpp"
#include "simulation/scenery.hpp"
#include "zwang/simulation/contact_derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A trunk that is guided along x and z, and a leg of two links with a round foot.
Model hopper() {
  RobotDescription d{.name = "hopper"};
  const auto link = [](const std::string& name, double mass, double length) {
    LinkDescription x{.name = name, .mass = mass, .centre = {0, 0, -0.5 * length}};
    x.inertia = Sym3<double>::diagonal(mass * length * length / 12, mass * length * length / 12, 1e-3);
    return x;
  };
  LinkDescription shin = link("shin", 0.3, 0.3);
  Shape foot{.kind = Shape::Kind::sphere, .collision = true, .name = "foot", .size = {0.03, 0, 0}};
  foot.origin.p = {0, 0, -0.3};
  shin.shapes = {foot};
  d.links = {
      {.name = "base"}, {.name = "rail", .mass = 0.1}, {.name = "trunk", .mass = 3}, link("thigh", 0.6, 0.3), shin};
  d.joints = {{.name = "x", .type = "prismatic", .parent = "base", .child = "rail"},
              {.name = "z", .type = "prismatic", .parent = "rail", .child = "trunk"},
              hinge("hip", "trunk", "thigh", {0, 0, 0}),
              hinge("knee", "thigh", "shin", {0, 0, -0.3})};
  d.joints[0].axis = {1, 0, 0}, d.joints[1].axis = {0, 0, 1};
  d.joints[3].damping = {0.05};
  return build(d);
}

struct Hop {
  Model model = hopper();
  Scene scene = on_ground(model, 0.8);
  SimulationSettings settings = touching(1, 2e-3);
  Vector q = Vector::Zero(4), v = Vector::Zero(4);
  Matrix torques;
  int touchdowns = 0, liftoffs = 0;

  /// The torques are those of a controller, as numbers.
  explicit Hop(Index steps) : torques(4, steps) {
    q << 0, 0.7, 0.5, -1.0;
    v << 0.1, 0, 0, 0;
    Vector tau = Vector::Zero(4), qk = q, vk = v;
    ContactDerivatives d(model, ConstraintSet(model), settings, scene);
    bool touched = false;
    for (Index k = 0; k < steps; ++k) {
      const double knee = touched && vk(1) > 0 ? -0.7 : -1.0;  // it pushes off
      tau << 0, 0, 80 * (-0.5 * knee - qk(2)) - 1.5 * vk(2), 80 * (knee - qk(3)) - 1.5 * vk(3);
      torques.col(k) = tau;
      const ContactStepDerivatives& x = k == 0 ? d.step({.q = q, .v = v, .tau = tau}) : d.next(tau);
      if (x.status != Status::ok) throw std::runtime_error(x.reason);
      touchdowns += !x.is_free && !touched, liftoffs += x.is_free && touched;
      touched = !x.is_free;
      qk = x.q, vk = x.v;
    }
  }
};

TEST(ContactRollout, AHoppingLeg) {
  const Hop hop(500);
  EXPECT_GE(hop.touchdowns, 2);
  EXPECT_GE(hop.liftoffs, 2);
  ContactRollout rollout(hop.model, ConstraintSet(hop.model), hop.settings, hop.scene);
  ASSERT_EQ(rollout.run({.q = hop.q, .v = hop.v}, hop.torques), Status::ok) << rollout.reason();
  ASSERT_EQ(rollout.steps(), hop.torques.cols());
  EXPECT_TRUE(rollout.borders().empty());
  const Index n = 4, steps = rollout.steps();
  Matrix w_q(n, steps + 1), w_v(n, steps + 1);
  for (Index k = 0; k <= steps; ++k)
    for (Index i = 0; i < n; ++i) w_q(i, k) = std::sin(0.1 * k + i), w_v(i, k) = 0.1 * std::cos(0.07 * k - i);
  const auto value = [&](const Vector& q, const Vector& v, const Matrix& torques) {
    ContactRollout other(hop.model, ConstraintSet(hop.model), hop.settings, hop.scene);
    EXPECT_EQ(other.run({.q = q, .v = v}, torques), Status::ok) << other.reason();
    return (w_q.array() * other.q().array()).sum() + (w_v.array() * other.v().array()).sum();
  };
  const RolloutGradient g = rollout.vjp(w_q, w_v);
  const Vector by_q = g.q, by_v = g.v;
  const Matrix by_tau = g.tau;
  for (int k = 0; k < 5; ++k) {
    Vector dq(n), dv(n);
    Matrix dtau(n, steps);
    for (Index i = 0; i < n; ++i) dq(i) = std::sin(3.0 * k + i), dv(i) = std::cos(2.0 * k + i);
    for (Index s = 0; s < steps; ++s)
      for (Index i = 0; i < n; ++i) dtau(i, s) = std::sin(1.0 + k + 3 * i + 0.3 * s);
    if (k == 0) dv.setZero(), dtau.setZero();
    if (k == 1) dq.setZero(), dtau.setZero();
    if (k == 2) dq.setZero(), dv.setZero();
    const double along = by_q.dot(dq) + by_v.dot(dv) + (by_tau.array() * dtau.array()).sum();
    const auto by = [&](double e) {
      return (value(hop.q + e * dq, hop.v + e * dv, hop.torques + e * dtau) -
              value(hop.q - e * dq, hop.v - e * dv, hop.torques - e * dtau)) /
             (2 * e);
    };
    const double e = 1e-7, differences = (4 * by(e / 2) - by(e)) / 3;
    const double size = std::abs(by_q.dot(dq)) + std::abs(by_v.dot(dv)) + (by_tau.array() * dtau.array()).abs().sum();
    EXPECT_NEAR(along, differences, 1e-6 * size) << k;
    const RolloutVariation forward = rollout.jvp(dq, dv, dtau);
    const double same = (w_q.array() * forward.q.array()).sum() + (w_v.array() * forward.v.array()).sum();
    EXPECT_NEAR(same, along, 1e-10 * size);
  }
}

TEST(ContactRollout, SaysWhichStepHasNone) {
  const LooseBodies of({ball("a", 1, 0.1, {0, 0, 0.1 + 1e-3})});
  ContactRollout rollout(of.model, ConstraintSet(of.model), touching(1, 1e-3), on_ground(of.model, 0.5, 0.8));
  EXPECT_EQ(rollout.run({.q = of.q, .v = of.v}, Matrix::Zero(6, 100)), Status::not_differentiable);
  EXPECT_EQ(rollout.reason().substr(0, 5), "step ");
  EXPECT_GT(rollout.steps(), 5);
  EXPECT_EQ(rollout.q().cols(), rollout.steps() + 1);
  EXPECT_THROW(rollout.vjp(Matrix::Zero(6, 3), Matrix::Zero(6, 3)), std::invalid_argument);
  EXPECT_THROW(rollout.run({.q = of.q}, Matrix::Zero(5, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
