// SPDX-License-Identifier: BSD-3-Clause
// Motions with an independent reference: ordinary differential equations of few variables, in long double.
#pragma once
#include <array>
#include <cmath>

#include "zwang/constraint/constraint_set.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/simulation.hpp"

namespace zwang::test {

using Real = long double;

/// Runge & Kutta's method in long double, `steps` steps; f(y) is y'.
template <std::size_t N, class F>
std::array<Real, N> integrate_reference(std::array<Real, N> y, Real time, int steps, F&& f) {
  const Real h = time / steps;
  const auto moved = [](std::array<Real, N> a, Real s, const std::array<Real, N>& d) {
    for (std::size_t k = 0; k < N; ++k) a[k] += s * d[k];
    return a;
  };
  for (int k = 0; k < steps; ++k) {
    const auto k1 = f(y), k2 = f(moved(y, h / 2, k1)), k3 = f(moved(y, h / 2, k2)), k4 = f(moved(y, h, k3));
    for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

/// A thin rod of 1 kg and 1 m along -z of its frame, in the plane x, z.
inline LinkDescription rod(const std::string& name) {
  return {.name = name, .mass = 1, .centre = {0, 0, -0.5}, .inertia = Sym3<double>::diagonal(1 / 12., 1 / 12., 1e-3)};
}
inline JointDescription hinge(const std::string& name, const std::string& parent, const std::string& child,
                              const Vec3<double>& at) {
  JointDescription j{.name = name, .type = "revolute", .parent = parent, .child = child};
  j.origin.p = at;
  j.axis = {0, 1, 0};
  return j;
}

/// theta'' = -(3/2) g sin(theta): a rod on a hinge.
inline Model pendulum() {
  RobotDescription d{.name = "pendulum"};
  d.links = {{.name = "base"}, rod("rod")};
  d.joints = {hinge("pin", "base", "rod", {0, 0, 0})};
  return build(d);
}
inline std::array<Real, 2> pendulum_reference(Real angle, Real rate, Real time, Real factor = 1.5L) {
  return integrate_reference<2>({angle, rate}, time, 20000, [&](const std::array<Real, 2>& y) {
    return std::array<Real, 2>{y[1], -factor * Real(9.81) * std::sin(y[0])};
  });
}

/// Two parallelograms side by side: three rods hang from the ground at x = 0, 1, 2, two rods lie
/// between their ends. All stay parallel: (3/3 + 2) theta'' = -(3/2 + 2) g sin(theta). Two hinges
/// close it by ten rows, of which four count.
struct DoubleFourBar {
  Model model;
  ConstraintSet set;
  explicit DoubleFourBar(double time_constant = 0) : model(make()), set(model) {
    for (const char* k : {"1", "2"})
      set.add(LoopConstraint{.name = std::string("pin") + k,
                             .frame = std::string("end") + k,
                             .other = std::string("tip") + k,
                             .rows = joint_rows("hinge", {0, 1, 0}),
                             .stabilisation = {time_constant, 1}});
  }
  /// All rods at an angle to the vertical.
  Eigen::VectorXd at(double angle) const {
    Eigen::VectorXd q(model.nq());
    for (const char* name : {"crank1", "crank2", "crank3"}) q[model.joint(name).q.first] = angle;
    for (const char* name : {"coupler1", "coupler2"}) q[model.joint(name).q.first] = -angle;
    return q;
  }
  static constexpr Real factor = 3.5L / 3;

 private:
  static Model make() {
    RobotDescription d{.name = "double_four_bar"};
    d.links = {{.name = "base"}, rod("rod1"), rod("rod2"), rod("rod3")};
    for (const char* name : {"bar1", "bar2"}) {
      LinkDescription bar = rod(name);
      bar.centre = {0.5, 0, 0};
      bar.inertia = Sym3<double>::diagonal(1e-3, 1 / 12., 1 / 12.);
      d.links.push_back(bar);
    }
    d.joints = {hinge("crank1", "base", "rod1", {0, 0, 0}), hinge("crank2", "base", "rod2", {1, 0, 0}),
                hinge("crank3", "base", "rod3", {2, 0, 0}), hinge("coupler1", "rod1", "bar1", {0, 0, -1}),
                hinge("coupler2", "rod2", "bar2", {0, 0, -1})};
    const Mat3<double> one = Mat3<double>::identity();
    d.frames = {{"end1", "bar1", {one, {1, 0, 0}}},
                {"end2", "bar2", {one, {1, 0, 0}}},
                {"tip1", "rod2", {one, {0, 0, -1}}},
                {"tip2", "rod3", {one, {0, 0, -1}}}};
    return build(d);
  }
};

/// Andrews' squeezing mechanism (Hairer & Wanner 1996, sec. VII.7; the test set for IVP solvers): seven bodies in a
/// plane without gravity, three loops at one point. K1 turns K2, whose end pushes K3, K4 on K5, and K6 on K7.
struct Squeezer {
  Model model;
  ConstraintSet set;
  Squeezer() : model(make()), set(model) {
    for (const char* end : {"K3", "K4", "K6"})
      set.add(LoopConstraint{.name = end,
                             .frame = "end of K2",
                             .other = std::string("end of ") + end,
                             .rows = joint_rows("hinge", {0, 0, 1})});
  }
  /// beta, Theta, gamma, Phi, delta, Omega, epsilon in the order of the joints.
  Eigen::VectorXd in_order(const std::array<double, 7>& x) const {
    Eigen::VectorXd q(7);
    const char* const names[] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
    for (std::size_t k = 0; k < 7; ++k) q[model.joint(names[k]).q.first] = x[k];
    return q;
  }
  Eigen::VectorXd start() const {
    return in_order({-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
                     -0.222668390165885885, 1.23054744454982119});
  }
  /// A motor of 0.033 N m turns K1; a spring of 4530 N/m pulls K3.
  void drive(SimulationStage& s) const {
    const double gamma = s.q[model.joint("gamma").q.first], sn = std::sin(gamma), cs = std::cos(gamma);
    const double x = 0.02 * cs + 0.018 * sn - 0.03635 - 0.014, y = 0.02 * sn - 0.018 * cs + 0.03273 - 0.072;
    const double length = std::hypot(x, y), force = -4530 * (length - 0.07785) / length;
    s.tau[model.joint("beta").v.first] = 0.033;
    s.tau[model.joint("gamma").v.first] = force * (x * (0.018 * cs - 0.02 * sn) + y * (0.02 * cs + 0.018 * sn));
  }

 private:
  static Model make() {
    RobotDescription d{.name = "squeezer"};
    const auto body = [&](const char* name, double mass, double inertia, double x, double y) {
      d.links.push_back({.name = name,
                         .mass = mass,
                         .centre = {x, y, 0},
                         .inertia = Sym3<double>::diagonal(inertia, inertia, inertia)});
    };
    d.links = {{.name = "ground"}};
    body("K1", 0.04325, 2.194e-6, 0.00092, 0);
    body("K2", 0.00365, 4.410e-7, -0.0115, 0);
    body("K3", 0.02373, 5.255e-6, 0.01043, -0.01874);
    body("K4", 0.00706, 5.667e-7, 0, -(0.02 - 0.01421));
    body("K5", 0.07050, 1.169e-5, 0.02308, 0.00916);
    body("K6", 0.00706, 5.667e-7, 0.02 - 0.01421, 0);
    body("K7", 0.05498, 1.912e-5, -0.00449, -0.01228);
    const auto joint = [&](const char* name, const char* parent, const char* child, double x, double y) {
      JointDescription j = hinge(name, parent, child, {x, y, 0});
      j.axis = {0, 0, 1};
      d.joints.push_back(j);
    };
    joint("beta", "ground", "K1", 0, 0);
    joint("Theta", "K1", "K2", 0.007, 0);
    joint("gamma", "ground", "K3", -0.03635, 0.03273);
    joint("delta", "ground", "K5", -0.06934, -0.00227);
    joint("Phi", "K5", "K4", 0.04, 0);
    joint("epsilon", "ground", "K7", -0.06934, -0.00227);
    joint("Omega", "K7", "K6", 0, -0.04);
    const Mat3<double> one = Mat3<double>::identity();
    d.frames = {{"end of K2", "K2", {one, {-0.028, 0, 0}}},
                {"end of K3", "K3", {one, {0, -0.035, 0}}},
                {"end of K4", "K4", {one, {0, -0.02, 0}}},
                {"end of K6", "K6", {one, {0.02, 0, 0}}}};
    BuildOptions options;
    options.gravity = {0, 0, 0};
    return build(d, options);
  }
};

/// A floating body whose centre of mass lies beside its frame.
inline Model free_body() {
  RobotDescription d{.name = "body"};
  d.links = {
      {.name = "base"},
      {.name = "body", .mass = 2, .centre = {0.1, -0.2, 0.15}, .inertia = Sym3<double>::diagonal(0.3, 0.5, 0.7)}};
  d.joints = {{.name = "free", .type = "floating", .parent = "base", .child = "body"}};
  return build(d);
}
/// Where it is after a time: Euler's equations for the rate of turn, the quaternion's rate, and free fall of the
/// centre. q as in the model, for a start at the neutral configuration with twist v.
inline std::array<Real, 7> free_body_reference(const Eigen::VectorXd& v, Real time) {
  const std::array<Real, 3> I{0.3L, 0.5L, 0.7L}, c{0.1L, -0.2L, 0.15L};
  std::array<Real, 7> y{v[3], v[4], v[5], 0, 0, 0, 1};  // w, quaternion x y z w
  y = integrate_reference<7>(y, time, 20000, [&](const std::array<Real, 7>& s) {
    const Real x = s[0], w = s[1], z = s[2];
    return std::array<Real, 7>{(I[1] - I[2]) * w * z / I[0],         (I[2] - I[0]) * z * x / I[1],
                               (I[0] - I[1]) * x * w / I[2],         (s[6] * x + s[4] * z - s[5] * w) / 2,
                               (s[6] * w + s[5] * x - s[3] * z) / 2, (s[6] * z + s[3] * w - s[4] * x) / 2,
                               -(s[3] * x + s[4] * w + s[5] * z) / 2};
  });
  const Real a = y[3], b = y[4], d = y[5], e = y[6];
  const Real R[3][3] = {{1 - 2 * (b * b + d * d), 2 * (a * b - d * e), 2 * (a * d + b * e)},
                        {2 * (a * b + d * e), 1 - 2 * (a * a + d * d), 2 * (b * d - a * e)},
                        {2 * (a * d - b * e), 2 * (b * d + a * e), 1 - 2 * (a * a + b * b)}};
  const std::array<Real, 3> w0{v[3], v[4], v[5]};
  std::array<Real, 7> q{0, 0, 0, a, b, d, e};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Real start = v[i] + w0[static_cast<std::size_t>(j)] * c[static_cast<std::size_t>(k)] -
                       w0[static_cast<std::size_t>(k)] * c[static_cast<std::size_t>(j)];
    Real arm = 0;
    for (int l = 0; l < 3; ++l) arm += R[i][l] * c[static_cast<std::size_t>(l)];
    q[static_cast<std::size_t>(i)] =
        c[static_cast<std::size_t>(i)] + start * time - (i == 2 ? Real(9.81) / 2 * time * time : 0) - arm;
  }
  return q;
}

}  // namespace zwang::test
