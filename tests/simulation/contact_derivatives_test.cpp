// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of steps with contact: beside differences of the whole step, closed forms, and what they refuse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "simulation/cases.hpp"
#include "simulation/step_differences.hpp"
#include "zwang/io/load.hpp"
#include "zwang/spatial/exp_log.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

StepCase loose(const LooseBodies& of, const Scene& scene, double dt = 1e-3) {
  const Index n = of.model.nv();
  Vector tau(n);
  for (Index k = 0; k < n; ++k) tau(k) = 0.1 * std::sin(1.0 + k);
  return {of.model, ConstraintSet(of.model), touching(1, dt), scene, of.q, of.v, tau};
}

TEST(ContactDerivatives, FreeFlight) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 3});
  b.turned.R = exp_so3(Vec3<double>{0.4, 0.2, -0.3});
  b.turning = {2, -1, 3};
  b.velocity = {1, 2, 0.5};
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.5), 2e-2), 1e-3), 1e-9);
}

/// A corner, an ellipse, a rim of a tilted body meet the ground and slide.
TEST(ContactDerivatives, OnePointSlides) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 0});
  b.turned.R = exp_so3(Vec3<double>{0.4, 0.2, -0.3});
  b.turning = {2, -1, 3};
  b.velocity = {1, 2, -1};
  double low = 0;
  for (int k = 0; k < 8; ++k)
    low = std::min(low, (b.turned.R * Vec3<double>{k & 1 ? 0.15 : -0.15, k & 2 ? 0.1 : -0.1, k & 4 ? 0.2 : -0.2}).z);
  b.at.z = -low + 4e-4;
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.5)), 1e-5), 1e-7);
}

TEST(ContactDerivatives, ABallSticks) {
  Loose b = ball("a", 2, 0.1, {0, 0, 0.1 + 2e-4});
  b.velocity = {0.1, 0.02, -1};
  b.turning = {0.1, 1, 3};
  const LooseBodies of({b});
  EXPECT_LE(disagreement(loose(of, on_ground(of.model, 0.9)), 1e-5), 1e-7);
}


/// Overlaps of curved bodies after a long step are taken apart.
TEST(ContactDerivatives, WhatIsTakenApart) {
  for (const bool turned : {false, true}) {
    LooseBodies of({ball("a", 1, 0.2, {0, 0, 1}), ball("b", 2, 0.3, {0.1, 0.05, 1.5 + 1e-4})});
    of.v << 0, 0, 0, 3, 1, 2, 1, -0.5, -2, -2, 1, 1;
    if (turned) of.v.head(3) << 0.2, 0.4, 1;
    StepCase c = loose(of, Scene(of.model), 2e-2);
    ContactDerivatives d(c.model, c.set, c.settings, c.scene);
    EXPECT_FALSE(d.step(c.input(c.q, c.v, c.tau)).is_free);
    EXPECT_LE(disagreement(c, 1e-4), 1e-7);
  }
}

TEST(ContactDerivatives, SoftPoints) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 0.2 - 1e-4});
  b.velocity = {1, 0.2, -0.1};
  b.turning = {0.2, -0.1, 0.3};
  const LooseBodies of({b});
  Scene scene(of.model);
  scene.add_ground({.law = {.friction = 0.4, .stiffness = 1e4, .damping = 50}});
  EXPECT_LE(disagreement(loose(of, scene), 1e-5), 1e-7);
}

/// Moves the second of two loose bodies along the normal of their least gap to a gap.
void bring_to(const Scene& scene, const Joint& second, double gap, Vector& q) {
  Data data(scene.model());
  std::vector<SurfacePair> points;
  for (int pass = 0; pass < 5; ++pass) {
    points.clear();
    nearest_points(scene.shapes()[0].solid, frame_pose(scene.model(), data, q, scene.shapes()[0].link),
                   scene.shapes()[1].solid, frame_pose(scene.model(), data, q, scene.shapes()[1].link), 1, points);
    const auto least = std::min_element(points.begin(), points.end(),
                                        [](const SurfacePair& x, const SurfacePair& y) { return x.gap < y.gap; });
    const Vec3<double> move = transpose_times(second.description.origin.R, least->normal * (gap - least->gap));
    for (int i = 0; i < 3; ++i) q(second.q.first + i) += move[i];
  }
}

/// Boxes on boxes, crossed capsules, a cylinder on a box: points known by formulas and by differences.
TEST(ContactDerivatives, PairsOfSolids) {
  RobotDescription d{.name = "two"};
  d.links = {{.name = "base"}};
  const auto add = [&](const std::string& name, const Shape& shape, const Vec3<double>& at, const Vec3<double>& turn) {
    LinkDescription link{.name = name, .mass = 1};
    link.inertia = Sym3<double>::diagonal(0.02, 0.03, 0.025);
    link.shapes = {shape};
    link.shapes[0].name = name;
    link.shapes[0].collision = true;
    d.links.push_back(link);
    JointDescription j{.name = "free " + name, .type = "floating", .parent = "base", .child = name};
    j.origin = {exp_so3(turn), at};
    d.joints.push_back(j);
  };
  const Shape capsule{.kind = Shape::Kind::capsule, .size = {0.1, 0.5, 0}},
      cube{.kind = Shape::Kind::box, .size = {0.3, 0.3, 0.3}};
  const Shape drum{.kind = Shape::Kind::cylinder, .size = {0.1, 0.3, 0}};
  struct Two {
    Shape a, b;
    Vec3<double> turn_a, at_b, turn_b;
  };
  const Vec3<double> none{0, 0, 0};
  for (const Two& x : {Two{capsule, capsule, {1.5, 0, 0}, {0, 0, 0.2 + 1e-4}, {1.2, 0.9, 0}},
                       Two{cube, cube, none, {0.1, 0.05, 0.35}, {0.1, -0.2, 0.4}},
                       Two{cube, cube, {0.7, 0, 0}, {0.02, 0.05, 0.45}, {0, 0.8, 1.5}},
                       Two{cube, drum, none, {0.02, 0.05, 0.25 + 1e-4}, {1.5707963267948966, 0.3, 0}}}) {
    d.links.resize(1), d.joints.clear();
    add("a", x.a, {0, 0, 1}, x.turn_a);
    add("b", x.b, x.at_b + Vec3<double>{0, 0, 1}, x.turn_b);
    const Model m = build(d);
    Vector v(m.nv());
    v << 0.1, 0.2, 0.3, 0.3, 0.1, -0.2, 0, 0, 0, 0.2, 0.1, 0.3;
    const Joint& b = m.joint("free b");
    const Vec3<double> down = transpose_times(b.description.origin.R, Vec3<double>{0.3, 0.2, -1});
    v.segment<3>(b.v.first) << down.x, down.y, down.z;
    Vector q = zwang::neutral(m);
    Scene scene(m);
    bring_to(scene, b, 1e-4, q);
    const StepCase c{m, ConstraintSet(m), touching(1, 1e-3), scene, q, v, Vector::Zero(m.nv())};
    EXPECT_LE(disagreement(c, 1e-5), 1e-6);
  }
}

/// A robot on its feet that moves its legs; dampers; dry friction; springs.
TEST(ContactDerivatives, AQuadruped) {
  const Model m = load("models/quadruped.urdf", {{.root = "floating"}});
  Vector q = zwang::neutral(m);
  Scene scene = on_ground(m, 0.6);
  SimulationSettings s = touching(0.25, 1e-3);
  scene.limits = false;
  Simulator falls(m, ConstraintSet(m), s, scene);
  q(2) = 0.3;
  const Trajectory t = falls.run({.q = q});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  StepCase c{m, ConstraintSet(m), s, scene, t.q().col(t.states() - 1), t.v().col(t.states() - 1), Vector::Zero(m.nv())};
  for (Index k = 0; k < m.nv(); ++k) c.v(k) += 0.05 * std::sin(1.0 + k);
  c.q(2) += 1e-4, c.v(2) -= 0.5;
  ContactDerivatives d(c.model, c.set, c.settings, c.scene);
  const auto& x = d.step(c.input(c.q, c.v, c.tau));
  std::cout << name_of(x.status) << x.reason << " free " << x.is_free << " borders " << x.borders.size() << "\n";
  EXPECT_LE(disagreement(c, 1e-5), 1e-6);
}

}  // namespace
}  // namespace zwang::test
