// SPDX-License-Identifier: BSD-3-Clause
// Robots whose equations of motion stand in textbooks, and motions that are known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double g = 9.81;
constexpr double k_rounding = 64 * k_eps;  // a dozen operations on numbers of the size of the result

Vector vec(std::initializer_list<double> x) {
  Vector out(static_cast<Eigen::Index>(x.size()));
  std::copy(x.begin(), x.end(), out.data());
  return out;
}
LinkDescription ground() { return make_link("ground", 0, {0, 0, 0}, Sym3<double>::zero()); }

/// The commutator-free method of fourth order of Celledoni, Marthinsen & Owren 2003, steps of length h on the group.
void advance(const Model& m, Data& d, Vector& q, Vector& v, double h, int steps) {
  const Vector none = Vector::Zero(m.nv());
  const auto acceleration = [&](const Vector& at, const Vector& rate) {
    return Vector(forward_dynamics(m, d, at, rate, none));
  };
  for (int n = 0; n < steps; ++n) {
    const Vector k1 = v, a1 = acceleration(q, k1);
    const Vector k2 = v + h / 2 * a1, q2 = integrate(m, q, h / 2 * k1), a2 = acceleration(q2, k2);
    const Vector k3 = v + h / 2 * a2, a3 = acceleration(integrate(m, q, h / 2 * k2), k3);
    const Vector k4 = v + h * a3, a4 = acceleration(integrate(m, q2, h * (k3 - k1 / 2)), k4);
    q = integrate(m, integrate(m, q, h / 12 * (3 * k1 + 2 * k2 + 2 * k3 - k4)),
                  h / 12 * (-k1 + 2 * k2 + 2 * k3 + 3 * k4));
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

TEST(ClosedForms, PhysicalPendulum) {
  const double mass = 2.5, l = 0.7, I = 0.4;
  const Model m = build({"pendulum",
                         {ground(), make_link("bob", mass, {0, 0, -l}, {0.3, 0.01, 0, I, 0.02, 0.2})},
                         {make_joint("hinge", "continuous", "ground", "bob", {0, 1, 0})}});
  Data d(m);
  for (const double q : {-2.9, -0.4, 0.8, 1.9}) {
    const double expected = -mass * g * l * std::sin(q) / (I + mass * l * l);
    EXPECT_NEAR(forward_dynamics(m, d, vec({q}), vec({1.7}), vec({0}))[0], expected, k_rounding * 20);
  }
}

TEST(ClosedForms, SimplePendulumOfTheIftommLibrarySwingsAsPublished) {
  // A01: m = 1, L = 1, from (-1, 0) at rest; coordinates of the point after 1, 5 and 10 s.
  // Truncation h^4 / 100 per second.
  RobotDescription r{"A01", {ground(), make_link("bob", 1, {0, 0, -1}, Sym3<double>::zero())}, {}};
  r.joints = {make_joint("hinge", "continuous", "ground", "bob", {0, -1, 0})};
  const Model m = build(r);
  Data d(m);
  Vector q = vec({-std::numbers::pi / 2}), v = vec({0});
  const double places[3][3] = {{1, 0.98629175113188, -0.16501085312554},
                               {5, -0.94230543504376, -0.33475433841400},
                               {10, -0.27508746257612, -0.96141920509913}};
  double t = 0;
  for (const auto& place : places) {
    advance(m, d, q, v, 1e-3, static_cast<int>(std::lround((place[0] - t) * 1000)));
    t = place[0];
    EXPECT_NEAR(std::sin(q(0)), place[1], 1e-10) << t;
    EXPECT_NEAR(-std::cos(q(0)), place[2], 1e-10) << t;
  }
}

TEST(ClosedForms, DoublePendulumOfTwoBodies) {
  const double m1 = 1.7, m2 = 0.9, l1 = 0.6, c1 = 0.25, c2 = 0.4, I1 = 0.11, I2 = 0.07;
  BuildOptions options;
  options.gravity = {0, -g, 0};
  const Model m = build({"arm",
                         {ground(), make_link("upper", m1, {c1, 0, 0}, Sym3<double>::diagonal(0.1, 0.1, I1)),
                          make_link("fore", m2, {c2, 0, 0}, Sym3<double>::diagonal(0.06, 0.06, I2))},
                         {make_joint("shoulder", "continuous", "ground", "upper", {0, 0, 1}),
                          make_joint("elbow", "continuous", "upper", "fore", {0, 0, 1}, {l1, 0, 0})}},
                        options);
  Data d(m);
  const double q1 = 0.4, q2 = -1.1, v1 = 1.9, v2 = -0.6;
  const double b = m2 * l1 * c2, k = b * std::sin(q2);
  Eigen::Matrix2d M;
  M << I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2) + 2 * b * std::cos(q2), I2 + m2 * c2 * c2 + b * std::cos(q2),
      I2 + m2 * c2 * c2 + b * std::cos(q2), I2 + m2 * c2 * c2;
  const double g2 = m2 * c2 * g * std::cos(q1 + q2);
  const Vector h = vec({-k * (2 * v1 * v2 + v2 * v2) + (m1 * c1 + m2 * l1) * g * std::cos(q1) + g2, k * v1 * v1 + g2});
  const Vector q = vec({q1, q2}), v = vec({v1, v2}), tau = vec({0.3, -0.8});
  EXPECT_TRUE(within(mass_matrix(m, d, q), M, k_rounding, 1));
  EXPECT_TRUE(within(bias_forces(m, d, q, v), h, k_rounding, 20));
  EXPECT_TRUE(within(forward_dynamics(m, d, q, v, tau), M.inverse() * (tau - h), 10 * k_rounding, 100));
}

TEST(ClosedForms, CartPole) {
  const double M = 3, mass = 0.8, l = 0.5, I = 0.05, q = 0.6, v = 1.4;
  const Model m = build({"cart",
                         {ground(), make_link("cart", M, {0.1, 0, 0.2}, Sym3<double>::diagonal(1, 1, 1)),
                          make_link("pole", mass, {0, 0, l}, Sym3<double>::diagonal(0.05, I, 0.05))},
                         {make_joint("rail", "prismatic", "ground", "cart", {2, 0, 0}),
                          make_joint("pivot", "continuous", "cart", "pole", {0, 1, 0})}});
  Data d(m);
  Eigen::Matrix2d A;
  A << M + mass, mass * l * std::cos(q), mass * l * std::cos(q), I + mass * l * l;
  const Vector h = vec({-mass * l * std::sin(q) * v * v, -mass * g * l * std::sin(q)}), tau = vec({4, 0});
  EXPECT_TRUE(within(mass_matrix(m, d, vec({0.3, q})), A, k_rounding, 4));
  EXPECT_TRUE(
      within(forward_dynamics(m, d, vec({0.3, q}), vec({-0.7, v}), tau), A.inverse() * (tau - h), k_rounding, 50));
}

TEST(ClosedForms, GearedRotorAddsTheSquareOfItsRatio) {
  const double I = 0.3, rotor = 2e-4, ratio = 50, tau = 1.3;
  RobotDescription r{"motor", {ground(), make_link("wheel", 4, {0, 0, 0}, Sym3<double>::diagonal(0.2, 0.2, I))}, {}};
  r.joints = {make_joint("axle", "continuous", "ground", "wheel", {0, 0, 1})};
  r.joints[0].rotor_inertia = {rotor};
  r.joints[0].gear_ratio = {ratio};
  const Model m = build(r);
  Data d(m);
  EXPECT_NEAR(forward_dynamics(m, d, vec({0.4}), vec({2}), vec({tau}))[0], tau / (I + ratio * ratio * rotor),
              k_rounding);
}

TEST(ClosedForms, AtwoodMachineOfMimickingJoints) {
  const double m1 = 3, m2 = 1.2, I = 0.04, radius = 0.2;
  RobotDescription r{"atwood",
                     {ground(), make_link("left", m1, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)),
                      make_link("right", m2, {0, 0, 0}, Sym3<double>::diagonal(1, 1, 1)),
                      make_link("pulley", 7, {0, 0, 0}, Sym3<double>::diagonal(1, I, 1))},
                     {make_joint("down", "prismatic", "ground", "left", {0, 0, -1}, {-radius, 0, 0}),
                      make_joint("up", "prismatic", "ground", "right", {0, 0, -1}, {radius, 0, 0}),
                      make_joint("turn", "continuous", "ground", "pulley", {0, 1, 0})}};
  r.joints[1].mimic = {"down", -1, 0.3};
  r.joints[2].mimic = {"down", 1 / radius, 0};
  const Model m = build(r);
  ASSERT_EQ(m.nv(), 1);
  Data d(m);
  const double expected = g * (m1 - m2) / (m1 + m2 + I / (radius * radius));
  EXPECT_NEAR(forward_dynamics(m, d, vec({0.7}), vec({-1.1}), vec({0}))[0], expected, k_rounding * 10);
  EXPECT_NEAR(mass_matrix(m, d, vec({0.7}))(0, 0), m1 + m2 + I / (radius * radius), k_rounding * 10);
}

TEST(ClosedForms, FreeBodyFlipsAsDzhanibekovSaw) {
  BuildOptions options;
  options.root = "floating";
  options.gravity = {0, 0, 0};
  const Model m = build({"nut", {make_link("nut", 1.5, {0, 0, 0}, Sym3<double>::diagonal(1, 2, 3))}, {}}, options);
  Data d(m);
  Random random(8);
  const Vector start = random_configuration(m, random);
  const auto fly = [&](double h, Vector& q, Vector& v) {
    q = start;
    v = vec({0, 0, 0, 0.01, 1, 0.02});
    advance(m, d, q, v, h, static_cast<int>(std::lround(5 / h)));
  };
  const auto momentum = [&](const Vector& q, const Vector& v) {
    const Mat3<double> R = frame_pose(m, d, q, "nut").R;
    return eigen(R * Vec3<double>{v(3), 2 * v(4), 3 * v(5)});
  };
  Vector q, v, w;
  fly(2.5e-3, q, v);
  const Eigen::Vector3d flipped(-0.21722751746863, 0.97617222130852, 0.12686974205274);  // long double, at t = 5
  EXPECT_TRUE(within(v.tail(3), flipped, 1e-11, 1));
  EXPECT_TRUE(within(v.head(3), Eigen::Vector3d::Zero(), 1e-15, 1));
  const Eigen::Vector3d L = momentum(start, vec({0, 0, 0, 0.01, 1, 0.02}));
  EXPECT_TRUE(within(momentum(q, v), L, 1e-10, L.norm()));
  EXPECT_NEAR(kinetic_energy(m, d, q, v), 0.5 * (0.0001 + 2 + 3 * 0.0004), 1e-11);
  // Fourth order: twice the step, 16 times the error, in attitude too.
  double error[2];
  for (int k = 0; k < 2; ++k) {
    fly(k == 0 ? 0.1 : 0.05, q, v);
    error[k] = (momentum(q, v) - L).norm() + (v.tail(3) - flipped).norm();
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.4);
}

TEST(ClosedForms, ATreeInSpaceKeepsItsEnergyAndMomentum) {
  RobotDescription r = random_description(31, 8, "floating");
  for (JointDescription& j : r.joints) {
    j.mimic = {};
    j.damping = {};
    if (j.type == "spherical_zyx" || j.type == "universal" || j.type == "ellipsoid") j.rotor_inertia = {0.3};
  }
  BuildOptions options;
  options.gravity = {0, 0, 0};
  const Model m = build(r, options);
  Data d(m);
  RandomState x = random_state(m, 6, 0.3);
  const auto energy = [&] { return kinetic_energy(m, d, x.q, x.v) + potential_energy(m, d, x.q); };
  const auto velocity = [&] {
    forward_kinematics(m, d, x.q, x.v);
    return eigen(centre_of_mass_velocity(m, d));
  };
  const double E = energy();
  const Eigen::Vector3d c = eigen(centre_of_mass(m, d, x.q)), rate = velocity();
  advance(m, d, x.q, x.v, 1e-3, 500);
  // Fourth order, h = 1e-3: some 1e-12 of each over 500 steps of joints that turn at 10 rad/s.
  EXPECT_NEAR(energy(), E, 1e-7 * std::abs(E));
  EXPECT_TRUE(within(velocity(), rate, 1e-8, 1));
  EXPECT_TRUE(within(eigen(centre_of_mass(m, d, x.q)), c + 0.5 * rate, 1e-8, 1));
}

}  // namespace
}  // namespace zwang::test
