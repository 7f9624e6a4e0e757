// SPDX-License-Identifier: BSD-3-Clause
// ContactSolver: closed forms, the laws checked apart from it, and what it says where there is no answer.
#include "zwang/contact/contact_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>

namespace zwang::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = ContactCone::Kind;
constexpr double k_eps = std::numeric_limits<double>::epsilon();
constexpr double k_g = 9.81;

/// A point of mass m on a plane: W = 1/sqrt(m), y = sqrt(m) v, rows t1 t2 n.
struct Block {
  explicit Block(double mu, double kilograms = 2)
      : mass(kilograms),
        cones{{.mu = mu}},
        W(MatrixXd::Identity(3, 3) / std::sqrt(kilograms)) {}
  /// One step with an acceleration; the contact holds the plane.
  const ContactReport& step(double h, const Eigen::Vector3d& acceleration) {
    const VectorXd y = std::sqrt(mass) * (v + h * acceleration);
    const ContactReport& r = solver.solve(cones, {.W = W, .y = y, .warm = impulse});
    v = solver.velocity() / std::sqrt(mass);
    impulse = solver.impulses();
    return r;
  }
  double mass;
  std::vector<ContactCone> cones;
  MatrixXd W;
  ContactSolver solver;
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  VectorXd impulse = VectorXd::Zero(3);
};
Eigen::Vector3d on_incline(double angle) { return {k_g * std::sin(angle), 0, -k_g * std::cos(angle)}; }

TEST(ContactSolver, ABlockOnAnInclineStaysOrSlidesAsCoulombSays) {
  const double mu = 0.5, h = 1e-3;
  for (const double degrees : {0.0, 20.0, 26.0}) {
    Block b(mu);
    for (int k = 0; k < 500; ++k) EXPECT_EQ(b.step(h, on_incline(degrees * std::numbers::pi / 180)).status, Status::ok);
    EXPECT_LT(b.v.norm(), 1e-15) << degrees;
    EXPECT_NEAR(b.impulse[2], b.mass * k_g * h * std::cos(degrees * std::numbers::pi / 180),
                4 * k_eps * b.mass * k_g * h);
  }
  Block edge(mu);  // at the angle of friction
  for (int k = 0; k < 500; ++k) edge.step(h, on_incline(std::atan(mu)));
  EXPECT_LT(edge.v.norm(), 1e-15);
  Block sliding(mu);
  const double angle = 35 * std::numbers::pi / 180, expected = k_g * (std::sin(angle) - mu * std::cos(angle)) * 0.5;
  for (int k = 0; k < 500; ++k) sliding.step(h, on_incline(angle));
  EXPECT_NEAR(sliding.v[0], expected, 500 * k_eps * expected);  // a rounding each step
  EXPECT_LT(std::fabs(sliding.v[2]), 1e-15);
}

TEST(ContactSolver, WhatSeparatesIsLeftAlone) {
  Block b(0.7);
  const ContactReport& r = b.step(1e-3, {0.5, 0.25, 3});
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_EQ(r.stage, ContactStage::none);
  EXPECT_EQ(b.impulse, VectorXd::Zero(3));
  EXPECT_EQ(r.residual, 0);
}

TEST(ContactSolver, AGapIsClosedAtMost) {
  Block b(0.3);  // falls with 2 m/s over a gap of 1 mm in a step of 1 ms: 1 m/s is left
  const VectorXd y = std::sqrt(b.mass) * Eigen::Vector3d(0, 0, -2), offset = Eigen::Vector3d(0, 0, 1);
  EXPECT_EQ(b.solver.solve(b.cones, {.W = b.W, .y = y, .offset = offset}).status, Status::ok);
  EXPECT_NEAR(b.solver.velocity()[2] / std::sqrt(b.mass), -1, 4 * k_eps);
  EXPECT_NEAR(b.solver.impulses()[2], b.mass, 4 * k_eps * b.mass);
}

/// 50 points under one box: forces are not unique, their sum is.
TEST(ContactSolver, RedundantPointsCarryTheWeight) {
  const double mass = 3, h = 1e-3, a = 0.4, b = 0.2, c = 0.1;
  const double I[3] = {mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12};
  VectorXd root(6);
  root << Eigen::Vector3d::Constant(1 / std::sqrt(mass)), 1 / std::sqrt(I[0]), 1 / std::sqrt(I[1]), 1 / std::sqrt(I[2]);
  for (const double push : {0.0, 5.0, 20.0}) {  // of 14.7 N that friction can hold
    const int points = 50;
    MatrixXd W(6, 3 * points);
    for (int k = 0; k < points; ++k) {
      const Eigen::Vector3d r(a * (std::fmod(0.618 * k, 1.0) - 0.5), b * (std::fmod(0.414 * k, 1.0) - 0.5), -c / 2);
      for (int row = 0; row < 3; ++row) {
        const Eigen::Vector3d axis = Eigen::Vector3d::Unit(row);
        W.col(3 * k + row) << axis, r.cross(axis);
      }
    }
    W = root.asDiagonal() * W;
    VectorXd y = VectorXd::Zero(6);
    y[0] = h * push / std::sqrt(mass);
    y[2] = -h * k_g * std::sqrt(mass);
    ContactSolver solver;
    const ContactReport& r = solver.solve(std::vector<ContactCone>(points, {.mu = 0.5}), {.W = W, .y = y});
    ASSERT_EQ(r.status, Status::ok) << r.explain();
    double normal = 0, along = 0;
    for (int k = 0; k < points; ++k) normal += solver.impulses()[3 * k + 2], along += solver.impulses()[3 * k];
    EXPECT_NEAR(normal, mass * k_g * h, 1e-12 * mass * k_g * h);
    EXPECT_NEAR(along, -h * std::min(push, 0.5 * mass * k_g), 1e-12 * mass * k_g * h);
  }
}

/// A box between two fingers, four points each, pressed with P; its weight may be carried by any of them. Loads that
/// are given at a corner of each face are spread: a corner alone would let the box turn about it in the next step.
TEST(ContactSolver, LoadsOfAFaceAreThoseOfEqualStiffness) {
  const double mass = 0.4, h = 1e-3, x = 0.08, y = 0.04, z = 0.08, press = 7;
  const double I[3] = {mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12};
  VectorXd root(8);  // the fingers are two coordinates along x
  root << Eigen::Vector3d::Constant(1 / std::sqrt(mass)), 1 / std::sqrt(I[0]), 1 / std::sqrt(I[1]), 1 / std::sqrt(I[2]),
      Eigen::Vector2d::Constant(1 / std::sqrt(0.2));
  MatrixXd W = MatrixXd::Zero(8, 24);
  VectorXd warm = VectorXd::Zero(24);
  for (int k = 0; k < 8; ++k) {
    const double side = k < 4 ? -1 : 1;
    const Eigen::Vector3d r(side * x / 2, (k & 1 ? 1 : -1) * y / 2, (k & 2 ? 1 : -1) * z / 2);
    const Eigen::Vector3d axes[] = {{0, 1, 0}, {0, 0, -side}, {-side, 0, 0}};
    for (int row = 0; row < 3; ++row) {
      W.col(3 * k + row).head(6) << axes[row], r.cross(axes[row]);
      W(k < 4 ? 6 : 7, 3 * k + row) = -axes[row].x();
    }
    if ((k & 3) == 2) warm[3 * k + 2] = h * press;
  }
  W = root.asDiagonal() * W;
  VectorXd free = VectorXd::Zero(8);
  free[2] = -h * k_g * mass;
  free[6] = h * press, free[7] = -h * press;
  free.array() *= root.array();
  ContactSolver solver;
  for (int step = 0; step < 3; ++step) {
    const ContactReport& r = solver.solve(std::vector<ContactCone>(8, {.mu = 0.5}), {.W = W, .y = free, .warm = warm});
    ASSERT_EQ(r.status, Status::ok) << r.explain();
    warm = solver.impulses();
    if (step == 0) continue;  // the first may begin to turn about the corners that it was given
    EXPECT_LT(solver.velocity().norm(), 1e-12);
    for (int k = 0; k < 8; ++k) {
      EXPECT_NEAR(warm[3 * k + 2], h * press / 4, 1e-9 * h * press) << k;
      EXPECT_NEAR(std::fabs(warm[3 * k + 1]), h * mass * k_g / 8, 1e-9 * h * press) << k;
    }
  }
}

/// The rod of Painlevé: G_nn 1.6, G_tt 3.4, G_nt 1.2, mu 2 > 4/3, its tip slides with 1 m/s. As the step goes to 0 the
/// impulse goes to G_nt v / det G = 0.3: a shock without a collision.
TEST(ContactSolver, PainlevesRodIsStoppedByAShock) {
  Eigen::Matrix3d G;
  G << 3.4, 0, 1.2, 0, 1, 0, 1.2, 0, 1.6;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    const VectorXd g = Eigen::Vector3d(1, 0, -k_g * h);
    ContactSolver solver;
    const ContactReport& r = solver.solve({{.mu = 2}}, ContactMatrixInput{.G = G, .g = g});
    ASSERT_EQ(r.status, Status::ok) << r.explain();
    EXPECT_NEAR(solver.impulses()[2], 0.3, 10 * h);
    EXPECT_EQ(r.not_unique, std::vector<Index>());  // it sticks in the end
    const VectorXd slow = Eigen::Vector3d(1, 0, -k_g * h);
    const ContactReport& below = solver.solve({{.mu = 1.2}}, ContactMatrixInput{.G = G, .g = slow});
    ASSERT_EQ(below.status, Status::ok);
    EXPECT_NEAR(solver.impulses()[2] / h, k_g / (1.6 - 1.2 * 1.2), 1e-9);
  }
}

TEST(ContactSolver, TwoPlatensThatCloseAreNamed) {
  // Rows: a wall that nothing moves towards, two platens that close on a mass from above and below, a loose limit.
  MatrixXd W(2, 4);
  W << 0, 1, -1, 0, 1, 0, 0, 0.5;
  const VectorXd y = Eigen::Vector2d(0.1, 0.3), offset = Eigen::Vector4d(0, -1, -1, 0);
  const std::vector<ContactCone> cones(4, {.kind = Kind::unilateral});
  ContactSolver solver;
  const ContactReport& r = solver.solve(cones, {.W = W, .y = y, .offset = offset});
  EXPECT_EQ(r.status, Status::infeasible) << r.explain();
  EXPECT_EQ(r.conflicts, (std::vector<Index>{1, 2}));
  const VectorXd opening = Eigen::Vector4d(0, -1, 1.5, 0);
  EXPECT_EQ(solver.solve(cones, {.W = W, .y = y, .offset = opening}).status, Status::ok);
}

/// A point between two planes that move and are not parallel. Impulses that move nothing contradict the offsets, but
/// where the point slips along one plane it leaves the other.
TEST(ContactSolver, WhatSlipsOutOfAWedgeIsNotContradicted) {
  const Eigen::Vector3d normals[] = {Eigen::Vector3d(-0.5, 0, 1).normalized(),
                                     Eigen::Vector3d(-0.75, 0, -1).normalized()};
  const Eigen::Vector3d planes[] = {{-0.25, 0, 0}, {0, 0, -0.75}};
  MatrixXd W(3, 6);
  VectorXd offset(6);
  for (int k = 0; k < 2; ++k) {
    Eigen::Matrix3d axes;
    axes << Eigen::Vector3d::UnitY().cross(normals[k]), Eigen::Vector3d::UnitY(), normals[k];
    W.middleCols(3 * k, 3) = axes;
    offset.segment(3 * k, 3) = -axes.transpose() * planes[k];
  }
  const VectorXd y = Eigen::Vector3d(-1.25, 0, 1.5);
  ContactSolver solver;
  const ContactReport& r = solver.solve({{.mu = 1.25}, {.mu = 1.25}}, {.W = W, .y = y, .offset = offset});
  EXPECT_EQ(r.status, Status::ok) << r.explain();
}

TEST(ContactSolver, ImpulsesWithoutEndAreNoAnswer) {
  Eigen::Matrix3d W;
  W << 1, 0, 0.5, 0, 1, 0.3, 0, 0, 1;
  const VectorXd y = Eigen::Vector3d(1, 0.2, -1);
  for (const double mu : {1.0, 10.0, 1e3, 1e4, 1e6}) {
    ContactSolver solver;
    const ContactReport& r = solver.solve({{.mu = mu}}, {.W = W, .y = y});
    if (r.status == Status::ok) {
      EXPECT_LE(solver.velocity().norm(), y.norm() * (1 + 4 * k_eps)) << mu;  // contacts at rest add no energy
    } else {
      EXPECT_EQ(r.status, Status::not_converged) << mu;
    }
    EXPECT_LT(solver.impulses().cwiseAbs().maxCoeff(), 1e6) << mu;
  }
}

TEST(ContactSolver, AStartOfRoundingIsNoAnswer) {
  MatrixXd W(1, 2);
  W << 1, -1;
  const VectorXd y = VectorXd::Constant(1, -1);
  const std::vector<ContactCone> cones(2, {.kind = Kind::unilateral});
  for (const double size : {1e4, 1e8, 1e12, 1e16, 1e17, 1e100}) {
    const VectorXd warm = VectorXd::Constant(2, size);
    ContactSolver solver;
    const ContactReport& r = solver.solve(cones, {.W = W, .y = y, .warm = warm});
    ASSERT_EQ(r.status, Status::ok) << size << r.explain();
    EXPECT_NEAR(solver.impulses()[0] - solver.impulses()[1], 1, 1e-9) << size;
    EXPECT_NEAR(solver.row_velocities()[0], 0, 1e-9) << size;
  }
}

TEST(ContactSolver, RowsThatAreSmallBesideOthersCount) {
  MatrixXd G(2, 2);
  G << 1e8, 0, 0, 1e-7;
  const VectorXd g = Eigen::Vector2d(-1, -1);
  const std::vector<ContactCone> cones(2, {.kind = Kind::unilateral});
  ContactSolver solver;
  ASSERT_EQ(solver.solve(cones, ContactMatrixInput{.G = G, .g = g}).status, Status::ok);
  EXPECT_NEAR(solver.impulses()[0], 1e-8, 1e-22);
  EXPECT_NEAR(solver.impulses()[1], 1e7, 1e-7);
  G(1, 1) = -1e-8;
  EXPECT_THROW(solver.solve(cones, ContactMatrixInput{.G = G, .g = g}), std::invalid_argument);
}

TEST(ContactSolver, ARefusedCallLeavesNothingOfTheOneBefore) {
  Block b(0.5);
  b.step(1e-3, {1, 0, -k_g});
  const VectorXd nan = VectorXd::Constant(3, std::nan(""));
  const ContactReport& r = b.solver.solve(b.cones, {.W = b.W, .y = nan});
  EXPECT_EQ(r.status, Status::non_finite_input);
  EXPECT_EQ(r.admm_iterations + r.polish_iterations, 0);
  EXPECT_TRUE(std::isnan(r.signorini) && std::isnan(r.residual));
  EXPECT_TRUE(std::isnan(b.solver.impulses()[2]));
}

TEST(ContactSolver, DryFrictionHoldsUpToItsBound) {
  MatrixXd W(1, 1);
  W << 0.5;  // inertia 4
  ContactSolver solver;
  const std::vector<ContactCone> cones = {{.kind = Kind::friction, .bound = 2}};
  const auto slides = [&](double v) {
    const VectorXd y = VectorXd::Constant(1, 2 * v);
    EXPECT_EQ(solver.solve(cones, {.W = W, .y = y}).status, Status::ok);
    return solver.row_velocities()[0];
  };
  EXPECT_EQ(slides(0), 0);
  EXPECT_NEAR(slides(0.4), 0, k_eps);
  EXPECT_NEAR(slides(-0.5), 0, k_eps);  // just held: 4 * 0.5 = 2
  EXPECT_NEAR(slides(1), 0.5, 4 * k_eps);
  EXPECT_NEAR(slides(-3), -2.5, 4 * k_eps);
}

TEST(ContactSolver, ASoftContactGivesWayAsItsSpring) {
  const double mass = 2, h = 1e-3, stiffness = 1e6;
  Block b(0.5, mass);
  const VectorXd R = Eigen::Vector3d(0, 0, 1 / (h * h * stiffness));
  const VectorXd y = std::sqrt(mass) * h * Eigen::Vector3d(0, 0, -k_g);
  ASSERT_EQ(b.solver.solve(b.cones, {.W = b.W, .y = y, .compliance = R}).status, Status::ok);
  // (1/m + R) lambda = g h
  EXPECT_NEAR(b.solver.impulses()[2], k_g * h / (1 / mass + R[2]), 4 * k_eps);
  EXPECT_NEAR(b.solver.row_velocities()[2], 0, 1e-17);
}

TEST(ContactSolver, WithoutFrictionItIsALinearComplementarityProblem) {
  MatrixXd G(3, 3);
  G << 2, 0.5, 0.1, 0.5, 1, -0.2, 0.1, -0.2, 1.5;
  const VectorXd g = Eigen::Vector3d(-1, 0.5, -2);
  ContactSolver solver;
  const std::vector<ContactCone> cones(3, {.kind = Kind::unilateral});
  ASSERT_EQ(solver.solve(cones, ContactMatrixInput{.G = G, .g = g}).status, Status::ok);
  // All 8 sets of closed rows by hand: one of them keeps every sign.
  int found = 0;
  for (int set = 0; set < 8; ++set) {
    std::vector<int> closed;
    for (int k = 0; k < 3; ++k)
      if (set >> k & 1) closed.push_back(k);
    VectorXd l = VectorXd::Zero(3);
    if (!closed.empty()) l(closed) = -MatrixXd(G(closed, closed)).llt().solve(VectorXd(g(closed)));
    const VectorXd s = G * l + g;
    if (l.minCoeff() < 0 || s.minCoeff() < -1e-14) continue;
    ++found;
    EXPECT_LT((l - solver.impulses()).norm(), 1e-14);
  }
  EXPECT_EQ(found, 1);
}

TEST(ContactSolver, NoMuLetsItSlideWhateverItsSpeed) {
  Block b(0);
  b.v = {3, 4, 0};
  EXPECT_EQ(b.step(1e-3, {0, 0, -k_g}).status, Status::ok);
  EXPECT_EQ(b.v[0], 3);
  EXPECT_NEAR(b.v[2], 0, k_eps);
  b.v.setZero();  // and at rest: no tangential impulse
  EXPECT_EQ(b.step(1e-3, {0, 0, -k_g}).status, Status::ok);
  EXPECT_EQ(b.impulse[0], 0);
}

TEST(ContactSolver, UnitsDoNotMatter) {
  for (const double mass : {1e-6, 1.0, 1e6})
    for (const double speed : {1e-6, 1.0, 1e6}) {
      Block b(0.5, mass);
      const ContactReport& r = b.step(1, speed * Eigen::Vector3d(1, 0, -1));
      ASSERT_EQ(r.status, Status::ok);
      EXPECT_NEAR(b.v[0] / speed, 0.5, 8 * k_eps);
      EXPECT_NEAR(b.impulse[2] / (mass * speed), 1, 8 * k_eps);
    }
}

TEST(ContactSolver, HostileInputEndsInWords) {
  ContactSolver solver;
  const std::vector<ContactCone> one(1);
  const MatrixXd W = MatrixXd::Identity(3, 3);
  const VectorXd y = Eigen::Vector3d(0, 0, -1), two = VectorXd::Zero(2);
  EXPECT_THROW(solver.solve({}, {.W = W, .y = y}), std::invalid_argument);
  EXPECT_THROW(solver.solve(one, {.W = W, .y = two}), std::invalid_argument);
  EXPECT_THROW(solver.solve(one, {.W = W, .y = y, .offset = two}), std::invalid_argument);
  EXPECT_THROW(solver.solve(one, {.W = W, .y = y, .warm = two}), std::invalid_argument);
  EXPECT_THROW(solver.solve({{.mu = -1}}, {.W = W, .y = y}), std::invalid_argument);
  const VectorXd negative = Eigen::Vector3d(0, -1, 0);
  EXPECT_THROW(solver.solve(one, {.W = W, .y = y, .compliance = negative}), std::invalid_argument);
  EXPECT_THROW(solver.solve(one, ContactMatrixInput{.G = -W, .g = y}), std::invalid_argument);
  MatrixXd skew = W;
  skew(0, 2) = 1;
  EXPECT_THROW(solver.solve(one, ContactMatrixInput{.G = skew, .g = y}), std::invalid_argument);
  EXPECT_THROW(ContactSolver({.accept = 0}), std::invalid_argument);
  EXPECT_THROW(ContactSolver({.accept = 1e-13}), std::invalid_argument);  // below target
  for (const double x : {std::nan(""), double{INFINITY}}) {
    const VectorXd wrong = Eigen::Vector3d(0, x, 0);
    EXPECT_EQ(solver.solve(one, {.W = W, .y = wrong}).status, Status::non_finite_input);
    EXPECT_TRUE(std::isnan(solver.impulses()[0]));
    EXPECT_EQ(solver.solve({{.mu = x}}, {.W = W, .y = y}).status, Status::non_finite_input);
  }
  // Nothing at all; rows that move nothing; a wall that comes at what cannot move.
  EXPECT_EQ(solver.solve({}, {.W = MatrixXd(3, 0), .y = y}).status, Status::ok);
  EXPECT_EQ(solver.solve(one, {.W = MatrixXd::Zero(3, 3), .y = y}).status, Status::ok);
  const VectorXd coming = Eigen::Vector3d(0, 0, -1);
  const ContactReport& stuck = solver.solve(one, {.W = MatrixXd::Zero(3, 3), .y = y, .offset = coming});
  EXPECT_EQ(stuck.status, Status::infeasible) << stuck.explain();
  EXPECT_EQ(stuck.conflicts, std::vector<Index>{0});
  // Friction of any size.
  for (const double mu : {1e-12, 1e6}) {
    const VectorXd fast = Eigen::Vector3d(1, 1, -1);
    const ContactReport& r = solver.solve({{.mu = mu}}, {.W = W, .y = fast});
    EXPECT_EQ(r.status, Status::ok) << mu << r.explain();
    EXPECT_NEAR(solver.impulses()[2], 1, 1e-9);
  }
  MatrixXd not_a_number = W;
  not_a_number(1, 1) = std::nan("");
  EXPECT_EQ(solver.solve(one, ContactMatrixInput{.G = not_a_number, .g = y}).status, Status::non_finite_input);
  // Numbers whose squares have no double: nothing can be said.
  const VectorXd huge = Eigen::Vector3d(1e160, 0, -1e160);
  EXPECT_EQ(solver.solve({{.mu = 0.5}}, {.W = W, .y = huge}).status, Status::overflow);
  EXPECT_EQ(solver.solve({{.mu = 0.5}}, {.W = 1e200 * W, .y = y}).status, Status::overflow);
}

TEST(ContactSolver, AStopEndsIt) {
  int asked = 0;
  ContactSettings settings{.accept = 1e-14, .target = 1e-300};  // never enough
  settings.stop = {[](void* count) { return ++*static_cast<int*>(count) > 40; }, &asked};
  ContactSolver solver(settings);
  const MatrixXd W = Eigen::Matrix3d::Identity() + 0.3 * Eigen::Matrix3d::Ones();
  const VectorXd y = Eigen::Vector3d(0.3, 0.1, -1);
  const ContactReport& r = solver.solve({{.mu = 0.4}}, {.W = W, .y = y});
  EXPECT_TRUE(r.status == Status::stopped || r.status == Status::ok);
  EXPECT_LT(asked, 60);
}

}  // namespace
}  // namespace zwang::test
