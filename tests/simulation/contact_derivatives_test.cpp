// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of steps with contact: beside differences of the whole step, closed forms, and what they refuse.
#include <gtest/gtest.h>

#include <numbers>

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

TEST(ContactDerivatives, BallsInTheAir) {
  LooseBodies of({ball("a", 1, 0.2, {0, 0, 1}), ball("b", 2, 0.3, {0.1, 0.05, 1.5 + 1e-4})});
  of.v << 0, 0, 0, 3, 1, 2, 1, -0.5, -2, -2, 1, 1;
  EXPECT_LE(disagreement(loose(of, Scene(of.model), 2e-2), 1e-4), 1e-7);
}

/// Bodies whose frames are below the ground come closer to it while they turn, and are taken apart after a step.
TEST(ContactDerivatives, WhatIsTakenApart) {
  for (const bool box : {false, true}) {
    RobotDescription d{.name = "deep"};
    LinkDescription link{.name = "body", .mass = 2, .centre = {0.02, 0.01, 0.5}};
    link.inertia = Sym3<double>::diagonal(0.02, 0.03, 0.025);
    Shape shape{.kind = box ? Shape::Kind::box : Shape::Kind::sphere, .collision = true, .name = "shape"};
    for (double& x : shape.size) x = 0.1;
    shape.origin = {exp_so3(Vec3<double>{0.6, 0.5, 0.2}), {0, 0, 0.5}};
    link.shapes = {shape};
    d.links = {{.name = "base"}, link};
    JointDescription j{.name = "free", .type = "floating", .parent = "base", .child = "body"};
    j.origin.p = {0, 0, -0.4 + 1e-4};
    if (box) {
      double low = 0;
      for (int k = 0; k < 8; ++k)
        low = std::min(
            low, (shape.origin.R * Vec3<double>{k & 1 ? 0.05 : -0.05, k & 2 ? 0.05 : -0.05, k & 4 ? 0.05 : -0.05}).z);
      j.origin.p.z = -0.5 - low + 1e-4;
    }
    d.joints = {j};
    const Model m = build(d);
    Vector q = zwang::neutral(m), v(6);
    v << 0.5, 0.2, -0.3, 3, 2, 1;
    const StepCase c{m, ConstraintSet(m), touching(1, 1e-2), on_ground(m, 0.5), q, v, Vector::Constant(6, 0.1)};
    ContactDerivatives of(c.model, c.set, c.settings, c.scene);
    EXPECT_GT(of.step(c.input(c.q, c.v, c.tau)).taken_apart, 1e-4);
    EXPECT_LE(disagreement(c, 1e-5), 1e-8);
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

/// A quadruped in the step in which its feet come down, and some later.
TEST(ContactDerivatives, AQuadruped) {
  const Model m = load(ZWANG_MODELS "/quadruped.urdf", {{.root = "floating"}});
  Vector q = zwang::neutral(m), v = Vector::Zero(m.nv());
  q(2) = 0.6;
  for (Index k = 0; k < m.nv(); ++k) v(k) = 0.2 * std::sin(1.0 + k);
  const Scene scene = on_ground(m, 0.6);
  ContactDerivatives d(m, ConstraintSet(m), touching(1, 1e-3), scene);
  int touching_steps = 0;
  int steps = 0;
  for (const ContactStepDerivatives* x = &d.step({.q = q, .v = v}); touching_steps < 5; x = &d.next()) {
    ASSERT_EQ(x->status, Status::ok) << x->reason;
    ASSERT_LT(++steps, 1000);
    if (!x->is_free) {
      ++touching_steps;
      const StepCase c{m, ConstraintSet(m), touching(1, 1e-3), scene, q, v, Vector::Zero(m.nv())};
      EXPECT_LE(disagreement(c, 1e-6), 1e-6);
    }
    q = x->q, v = x->v;
  }
}

/// Rows of the set and prescribed coordinates hold beside the contacts.
TEST(ContactDerivatives, RowsOfTheSetAndPrescribedCoordinates) {
  const Model m = load(ZWANG_MODELS "/quadruped.urdf", {{.root = "floating"}});
  ConstraintSet set(m);
  FrameConstraint held{.name = "held", .frame = "trunk"};
  held.rows = rows("angular.z linear.y");
  held.stabilisation = {0.1, 1};
  held.has_target = true;
  held.target_pose.p = {0, 0, 0.5};
  set.add(held);
  SimulationSettings s = touching(1, 1e-3);
  s.keep = Keep::stabilisation;
  Vector q = zwang::neutral(m), v = Vector::Zero(m.nv());
  q(2) = 0.6;
  for (Index k = 0; k < m.nv(); ++k) v(k) = 0.2 * std::sin(1.0 + k);
  const Scene scene = on_ground(m, 0.6);
  const Prescribed prescribed = {{.v = 8, .acceleration = 3.0}};
  ContactDerivatives d(m, set, s, scene);
  int steps = 0;
  for (const ContactStepDerivatives* x = &d.step({.q = q, .v = v, .prescribed = &prescribed});; x = &d.next()) {
    ASSERT_EQ(x->status, Status::ok) << x->reason;
    ASSERT_LT(++steps, 1000);
    if (!x->is_free) break;
    q = x->q, v = x->v;
  }
  StepCase c{m, set, s, scene, q, v, Vector::Zero(m.nv()), prescribed};
  EXPECT_LE(disagreement(c, 1e-6), 1e-6);
}

/// Rows of the set with a sense: far away they change nothing; where one may act, also while overlaps are taken apart,
/// the step is not differentiated.
TEST(ContactDerivatives, RowsWithASenseAreLeftOutOrRefused) {
  Loose rod{.name = "rod", .mass = 1, .size = {0.4, 0.2, 0.2}, .at = {0, 0, 0.02}, .bare = true};
  rod.velocity = {0.1, 0, -1};
  const LooseBodies of({rod});
  Scene scene = on_ground(of.model, 0.3);
  SceneShape tip{.name = "tip", .link = "rod", .solid = Solid::sphere(0.02)};
  tip.pose.p = {0.3, 0, 0};
  scene.add_shape(tip);
  const auto with = [&](double below, double at, int before) {
    ConstraintSet set(of.model);
    for (int k = 0; k <= before; ++k) {
      const bool last = k == before;
      ContactConstraint c{.name = "row" + std::to_string(k), .frame = "rod", .point = {last ? at : 0, 0, 0}, .rows = 1};
      c.sense = {Sense::at_least};
      c.has_target = true;
      c.target_point = {last ? at : 0, 0, last ? 0.02 - below : -50.0};
      set.add(c);
    }
    return set;
  };
  SimulationSettings s = touching(1, 5e-3);
  s.keep = Keep::stabilisation;
  ContactDerivatives without(of.model, ConstraintSet(of.model), s, scene), far(of.model, with(20, 0, 3), s, scene);
  const ContactStepDerivatives &a = without.step({.q = of.q, .v = of.v}), &b = far.step({.q = of.q, .v = of.v});
  ASSERT_EQ(a.status, Status::ok) << a.reason;
  ASSERT_EQ(b.status, Status::ok) << b.reason;
  EXPECT_FALSE(a.is_free);
  for (const auto part : {&StepJacobian::q, &StepJacobian::v, &StepJacobian::tau}) {
    EXPECT_EQ((a.v_by.*part - b.v_by.*part).norm(), 0);
    EXPECT_EQ((a.q_by.*part - b.q_by.*part).norm(), 0);
  }
  for (const int before : {0, 39})
    for (const double below : {1.1e-2, 1.44e-2, 1.7e-2}) {
      ContactDerivatives near(of.model, with(below, -1, before), s, scene);
      const ContactStepDerivatives& d = near.step({.q = of.q, .v = of.v});
      EXPECT_EQ(d.status, Status::not_differentiable) << before << ", " << below;
      EXPECT_NE(d.reason.find("row" + std::to_string(before)), std::string::npos) << d.reason;
    }
}

/// A planar robot whose joints have limits, dampers, springs and dry friction.
TEST(ContactDerivatives, LimitsFrictionAndDampers) {
  RobotDescription r{.name = "arm"};
  r.links = {{.name = "base"}, rod("one"), rod("two"), rod("three")};
  JointDescription a{.name = "slides", .type = "planar", .parent = "base", .child = "one"};
  JointDescription b = hinge("b", "one", "two", {0, 0, -1}), c = hinge("c", "two", "three", {0, 0, -1});
  a.axis = {0, 1, 0};
  b.lower = {-1}, b.upper = {0.5}, b.damping = {3.0}, b.friction = {0.4};
  c.lower = {-0.3}, c.upper = {2}, c.damping = {0.5}, c.friction = {0.2}, c.stiffness = {4};
  r.joints = {a, b, c};
  const Model m = build(r);
  SimulationSettings s = touching(1, 1e-3);
  s.solver.joint_effects.friction = true;
  Vector q = zwang::neutral(m), v(m.nv());
  const Index qb = m.joint("b").q.first, qc = m.joint("c").q.first;
  v << 0.3, 0.2, 1, 2, -1;
  q(qb) = 0.5 - 5e-4, q(qc) = 0.7;
  EXPECT_LE(disagreement({m, ConstraintSet(m), s, Scene(m), q, v, Vector::Zero(m.nv())}, 1e-6), 1e-7);
  q(qb) = 0, q(qc) = -0.3 + 3e-4, v(m.joint("b").v.first) = 1e-4;  // friction holds b
  EXPECT_LE(disagreement({m, ConstraintSet(m), s, Scene(m), q, v, Vector::Constant(m.nv(), 0.01)}, 1e-6), 1e-7);
}

/// A block slides along x: v_y' (1 + h mu g / |v'|) = v_y, whatever else.
TEST(ContactDerivatives, ASlidingBlockTurnsItsFriction) {
  LooseBodies of({box("a", 2, {0.2, 0.2, 0.1}, {0, 0, 0.05})});
  of.v(0) = 1.5;
  const double h = 1e-3, mu = 0.5, after = 1.5 - h * mu * k_fall;
  ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, h), on_ground(of.model, mu));
  const ContactStepDerivatives& x = d.step({.q = of.q, .v = of.v});
  ASSERT_EQ(x.status, Status::ok) << x.reason;
  EXPECT_TRUE(x.is_unique);
  EXPECT_NEAR(x.v_by.v(0, 0), 1, 1e-13);
  EXPECT_NEAR(x.v_by.v(1, 1), 1 / (1 + h * mu * k_fall / after), 1e-13);
  EXPECT_NEAR(x.v_by.tau(0, 2), mu * h / 2, 1e-15);  // an upward force takes load off
  for (const Index k : {2, 3, 4}) EXPECT_NEAR(x.v_by.v.row(k).cwiseAbs().maxCoeff(), 0, 1e-13) << k;
}

/// What sticks on four points moves by nothing.
TEST(ContactDerivatives, WhatSticksDoesNotMove) {
  LooseBodies of({box("a", 2, {0.2, 0.2, 0.1}, {0, 0, 0.05})});
  ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, 1e-3), on_ground(of.model, 0.5));
  const ContactStepDerivatives& x = d.step({.q = of.q, .v = of.v});
  ASSERT_EQ(x.status, Status::ok) << x.reason;
  EXPECT_TRUE(x.is_unique);
  EXPECT_LE(x.v_by.v.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE(x.v_by.tau.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((x.q_by.q - Matrix::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-12);
}

/// Linear momentum of two bodies that touch is that before: so are its derivatives.
TEST(ContactDerivatives, MomentumIsKept) {
  LooseBodies of({ball("a", 1, 0.2, {0, 0, 1}), ball("b", 2, 0.3, {0.1, 0.05, 1.49})}, {0, 0, 0});
  of.v << 0, 0, 0.3, 3, 1, 2, 1, -0.5, -2, -2, 1, 1;
  Scene scene(of.model);
  scene.friction = 0.4;
  ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, 1e-2), scene);
  const ContactStepDerivatives& x = d.step({.q = of.q, .v = of.v});
  ASSERT_EQ(x.status, Status::ok) << x.reason;
  EXPECT_FALSE(x.is_free);
  const Index n = of.model.nv();
  Data data(of.model);
  const auto momentum = [&](const Vector& q, const Vector& v) {
    Matrix out(3, 2 * n);
    const CentroidalDerivatives<> c = centroidal_derivatives(of.model, data, q, v, Vector::Zero(n));
    out << c.momentum.q.topRows(3), c.momentum.v.topRows(3);
    return out;
  };
  Matrix by_state(2 * n, 2 * n);
  by_state << x.q_by.q, x.q_by.v, x.v_by.q, x.v_by.v;
  EXPECT_LE((momentum(x.q, x.v) * by_state - momentum(of.q, of.v)).cwiseAbs().maxCoeff(), 1e-10);
}

/// The numbers of the step are those of a Simulator, and next() goes on as it does.
TEST(ContactDerivatives, TheStepIsThatOfASimulator) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 0.21});
  b.turning = {2, -1, 3};
  b.velocity = {1, 2, -1};
  const LooseBodies of({b});
  const Scene scene = on_ground(of.model, 0.5);
  Scenery run(of, scene, touching(1, 1e-3));
  ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, 1e-3), scene);
  const ContactStepDerivatives* x = &d.step({.q = of.q, .v = of.v});
  for (int k = 0; k < 60; ++k, x = &d.next()) {
    ASSERT_TRUE(run.simulator.step());
    ASSERT_EQ(Vector(x->q), Vector(run.state().q)) << k;
    ASSERT_EQ(Vector(x->v), Vector(run.state().v)) << k;
  }
}

/// Products are those with the matrices.
TEST(ContactDerivatives, Products) {
  Loose b = box("a", 2, {0.3, 0.2, 0.4}, {0, 0, 0.2 + 1e-4});
  b.turning = {0.2, -0.1, 0.3};
  b.velocity = {1, 2, -1};
  const LooseBodies of({b});
  ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, 1e-3), on_ground(of.model, 0.5));
  const ContactStepDerivatives& x = d.step({.q = of.q, .v = of.v});
  ASSERT_EQ(x.status, Status::ok) << x.reason;
  Vector w(18), u(12);
  for (Index k = 0; k < 18; ++k) w(k) = std::sin(2.0 + k);
  for (Index k = 0; k < 12; ++k) u(k) = std::cos(1.0 + k);
  const Matrix D = whole(x);
  const StepVariation along = d.jvp(w.head(6).eval(), w.segment(6, 6).eval(), w.tail(6).eval());
  Vector both(12), gradient(18);
  both << along.q, along.v;
  const double size = D.cwiseAbs().maxCoeff();
  EXPECT_LE((both - D * w).cwiseAbs().maxCoeff(), 1e-14 * size);
  const StepGradient g = d.vjp(u.head(6).eval(), u.tail(6).eval());
  gradient << g.q, g.v, g.tau;
  EXPECT_LE((gradient - D.transpose() * u).cwiseAbs().maxCoeff(), 1e-14 * size);
  EXPECT_THROW(d.vjp(w, {}), std::invalid_argument);
}

/// Between two states there is no one derivative, and the answer says where.
TEST(ContactDerivatives, Borders) {
  const auto only = [](const ContactStepDerivatives& d, ContactBorder::What what, const std::string& name) {
    EXPECT_EQ(d.status, Status::ok) << d.reason;
    EXPECT_FALSE(d.is_unique);
    ASSERT_FALSE(d.borders.empty());
    for (const ContactBorder& x : d.borders) {
      EXPECT_EQ(x.what, what);
      EXPECT_NE(x.name.find(name), std::string::npos) << x.name;
    }
  };
  {  // it touches without a force
    const LooseBodies of({ball("a", 1, 0.1, {0, 0, 0.1})}, {0, 0, 0});
    ContactDerivatives d(of.model, ConstraintSet(of.model), touching(1, 1e-3), on_ground(of.model, 0.5));
    only(d.step({.q = of.q, .v = of.v}), ContactBorder::What::grazes, "ground");
  }
  {  // pushed with all that friction can hold
    const LooseBodies of({ball("a", 1, 0.1, {0, 0, 0.1})});
    RobotDescription r{.name = "block"};
    LinkDescription block{.name = "block", .mass = 1};
    block.shapes = {{.kind = Shape::Kind::box, .collision = true, .name = "block", .size = {0.2, 0.2, 0.2}}};
    r.links = {{.name = "base"}, {.name = "cart", .mass = 1}, block};
    r.joints = {{.name = "x", .type = "prismatic", .parent = "base", .child = "cart"},
                {.name = "z", .type = "prismatic", .parent = "cart", .child = "block"}};
    r.joints[0].axis = {1, 0, 0}, r.joints[1].axis = {0, 0, 1};
    r.joints[1].origin.p = {0, 0, 0.1};
    const Model m = build(r);
    Vector tau(2);
    tau << 0.5 * k_fall, 0;
    const Vector q = Vector::Zero(2);
    ContactDerivatives d(m, ConstraintSet(m), touching(1, 1e-3), on_ground(m, 0.5));
    only(d.step({.q = q, .tau = tau}), ContactBorder::What::slides, "ground");
    tau(0) *= 0.999;
    EXPECT_TRUE(d.step({.q = q, .tau = tau}).is_unique);
  }
  {  // a joint's dry friction at its bound
    RobotDescription r{.name = "wheel"};
    r.links = {{.name = "base"}, {.name = "wheel", .mass = 1, .inertia = Sym3<double>::diagonal(0.02, 0.02, 0.02)}};
    JointDescription j{.name = "pin", .type = "continuous", .parent = "base", .child = "wheel"};
    j.friction = {2};
    r.joints = {j};
    const Model m = build(r);
    SimulationSettings s = touching(1, 1e-3);
    s.solver.joint_effects.friction = true;
    ContactDerivatives d(m, ConstraintSet(m), s, Scene(m));
    const Vector q = zwang::neutral(m);
    only(d.step({.q = q, .tau = std::vector<double>{2.0}}), ContactBorder::What::yields, "pin");
  }
}

TEST(ContactDerivatives, WhatHasNone) {
  const LooseBodies of({ball("a", 1, 0.1, {0, 0, 0.1 + 1e-4})});
  Vector v = of.v;
  v(2) = -1;
  ContactDerivatives bouncing(of.model, ConstraintSet(of.model), touching(1, 1e-3), on_ground(of.model, 0.5, 0.8));
  const ContactStepDerivatives& d = bouncing.step({.q = of.q, .v = v});
  EXPECT_EQ(d.status, Status::not_differentiable);
  EXPECT_NE(d.reason.find("restitution, of 'ground and a'"), std::string::npos) << d.reason;
  EXPECT_TRUE((d.v_by.v.array() == 0).all());
  EXPECT_THROW(bouncing.vjp(v, v), std::logic_error);
  EXPECT_THROW(bouncing.next(), std::logic_error);
  Vector q = of.q;
  q(2) -= 1e-3;
  const ContactStepDerivatives& inside = bouncing.step({.q = q, .v = v});
  EXPECT_EQ(inside.status, Status::not_differentiable);
  EXPECT_NE(inside.reason.find("overlap"), std::string::npos) << inside.reason;

  ConstraintSet set(of.model);
  set.add(FrameConstraint{.name = "held", .frame = "a", .rows = rows("linear.x")});
  EXPECT_THROW(ContactDerivatives(of.model, set, touching(1, 1e-3), Scene(of.model)), UnsupportedError);
  SimulationSettings other = touching(1, 1e-3);
  other.integrator = Integrator::rk4;
  EXPECT_THROW(ContactDerivatives(of.model, ConstraintSet(of.model), other, Scene(of.model)), std::invalid_argument);
  EXPECT_THROW(bouncing.step({.q = v}), std::invalid_argument);
}

/// Both ends of a capsule stick on soft ground. Their rows along the axis are the same where it lies; tilted by 1e-6
/// rad they permit another motion, which a step, whose impulses have an accuracy, does not know: that is said.
TEST(ContactDerivatives, RowsThatNearlyDependAreNamed) {
  for (const double tilt : {0.0, 1e-8, 1e-6, 3e-6}) {
    RobotDescription d{.name = "capsule"};
    LinkDescription link{.name = "capsule", .mass = 2, .inertia = Sym3<double>::diagonal(0.02, 0.02, 0.002)};
    Shape shape{.kind = Shape::Kind::capsule, .collision = true, .name = "capsule"};
    shape.size[0] = 0.05, shape.size[1] = 0.2;
    link.shapes = {shape};
    d.links = {{.name = "base"}, link};
    JointDescription free{.name = "free", .type = "floating", .parent = "base", .child = "capsule"};
    free.origin.R = exp_so3(Vec3<double>{0, std::numbers::pi / 2 + tilt, 0});
    free.origin.p = {0, 0, 0.05 - 2 * k_fall / 2 / 1e4};
    d.joints = {free};
    const Model m = build(d);
    Scene scene(m);
    scene.add_ground({.law = {.friction = 0.8, .stiffness = 1e4, .damping = 100}});
    ContactDerivatives derivatives(m, ConstraintSet(m), touching(1, 1e-3), scene);
    const Vector q = zwang::neutral(m), v = Vector::Zero(m.nv());
    const ContactStepDerivatives& x = derivatives.step({.q = q, .v = v});
    ASSERT_EQ(x.status, Status::ok) << x.reason;
    ASSERT_FALSE(x.is_free);
    EXPECT_EQ(x.is_unique, tilt < 1e-7) << tilt;
    for (const ContactBorder& b : x.borders) EXPECT_EQ(b.what, ContactBorder::What::depends) << tilt;
  }
}

}  // namespace
}  // namespace zwang::test
