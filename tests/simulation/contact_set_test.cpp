// SPDX-License-Identifier: BSD-3-Clause
// Rows of a user's set that push or pull alone, in a motion by integrator contact: beside scenes of the same law, and
// closed forms.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulation/scenery.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

constexpr double k_mu = 0.4;

ContactConstraint corner(const std::string& name, const Vec3<double>& point, std::optional<double> friction) {
  return {.name = name,
          .frame = "box",
          .point = point,
          .rows = friction ? 3 : 1,
          .friction = friction,
          .sense = {Sense::at_least},
          .has_target = true};
}
/// The corners of a box over the ground z >= 0.
ConstraintSet corners_of(const Model& model, const Vec3<double>& size, std::optional<double> friction) {
  ConstraintSet set(model);
  for (int k = 0; k < 8; ++k)
    set.add(corner("corner" + std::to_string(k),
                   {(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z},
                   friction));
  return set;
}

/// A box that slides and spins on its lower corners, as contacts of a set and as a shape over the ground, is the same
/// problem in every step.
TEST(ContactSet, CornersMoveABoxAsItsShapeDoes) {
  const Vec3<double> size{0.4, 0.3, 0.2};
  Loose one{.name = "box", .mass = 2, .size = size, .at = {0, 0, 0.1}, .velocity = {1, 0.4, 0}, .turning = {0, 0, 6}};
  const LooseBodies shaped({one});
  one.bare = true;
  const LooseBodies bare({one});
  Scenery scene(shaped, on_ground(shaped.model, k_mu), touching(1, 1e-3));
  Simulator simulator(bare.model, corners_of(bare.model, size, k_mu), touching(1, 1e-3), Scene(bare.model));
  ASSERT_TRUE(scene.begun && simulator.start({.q = bare.q, .v = bare.v}));
  double off = 0;
  while (scene.simulator.step() && simulator.step()) {
    const SimulationState &a = scene.state(), &b = simulator.state();
    off = std::max({off, (a.q - b.q).cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff()});
    double push_a = 0, push_b = 0;
    for (const ContactState& c : a.contacts) push_a += c.force.z;
    for (const ContactState& c : b.contacts) push_b += c.force.z;
    ASSERT_NEAR(push_a, push_b, 1e-9 * (1 + push_a)) << a.time;
  }
  EXPECT_EQ(simulator.report().status, Status::ok) << simulator.report().reason;
  EXPECT_EQ(scene.report().status, Status::ok) << scene.report().reason;
  // A speed is a gap in a step: 2.2e-16 of 0.4 m in 1e-3 s, in each of 1000 steps; and tens of it where a slip ends,
  // whose direction is divided by its speed.
  EXPECT_LE(off, 3e4 * 2.2e-16 * 0.4 / 1e-3);
  EXPECT_LE(simulator.state().v.norm(), 1e-12);  // friction has stopped it
}

/// A box that is thrown comes to rest on a face, and impulses never give it kinetic energy.
TEST(ContactSet, AThrownBoxComesToRest) {
  const Vec3<double> size{0.4, 0.3, 0.2};
  const LooseBodies b({{.name = "box",
                        .mass = 2,
                        .size = size,
                        .at = {0, 0, 0.4},
                        .velocity = {1, 0.4, 0},
                        .turning = {1, 2, 0.5},
                        .bare = true}});
  Simulator s(b.model, corners_of(b.model, size, k_mu), touching(2, 1e-3), Scene(b.model));
  ASSERT_TRUE(s.start({.q = b.q, .v = b.v}));
  double energy = s.state().energy;
  while (s.step()) {
    ASSERT_LE(s.state().energy, energy + 2 * k_fall * 1e-5) << s.state().time;  // overlaps are taken apart
    energy = s.state().energy;
  }
  EXPECT_EQ(s.report().status, Status::ok) << s.report().reason;
  EXPECT_LE(s.state().v.norm(), 1e-11);
  EXPECT_NEAR(b.place(s.state().q, "box").z(), 0.1, 1e-9);
  EXPECT_LE(s.report().contact.penetration, 1e-10);
}

/// v = v_0 - mu g t; multipliers are those of the records, and what the motors are asked for is nothing.
TEST(ContactSet, APointWithFrictionSlidesAsCoulombSays) {
  LooseBodies b(
      {{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1}, .velocity = {2, 1, 0}, .bare = true}});
  const ConstraintSet set = corners_of(b.model, {0.4, 0.3, 0.2}, k_mu);
  Simulator s(b.model, set, touching(0.2, 1e-3), Scene(b.model));
  ASSERT_TRUE(s.start({.q = b.q, .v = b.v}));
  while (s.step()) {
    double up = 0, against = 0;
    Index row = 0;
    for (const Constraint& c : set.constraints()) {
      EXPECT_GE(s.state().multipliers[row + 2], 0) << c.name.value();
      up += s.state().multipliers[row + 2];
      against += std::hypot(s.state().multipliers[row], s.state().multipliers[row + 1]);
      row += 3;
    }
    ASSERT_NEAR(up, 2 * k_fall, 1e-10);
    ASSERT_NEAR(against, k_mu * up, 1e-10);
    ASSERT_EQ(s.state().contacts.size(), 4u);
    for (const ContactState& c : s.state().contacts) {
      EXPECT_EQ(c.what, ContactState::What::contact);
      EXPECT_EQ(c.kind, ContactState::Kind::slip);
      EXPECT_NEAR(c.point.z, 0, 1e-12);
      EXPECT_EQ(c.normal.z, 1);
      EXPECT_NEAR(c.force.z, s.state().multipliers[c.coordinate + 2], 1e-12);
    }
  }
  ASSERT_EQ(s.report().status, Status::ok) << s.report().reason;
  const double v0 = std::sqrt(5.0);
  EXPECT_NEAR(s.state().v.head<3>().norm(), v0 - k_mu * k_fall * 0.2, 1e-12);
  EXPECT_EQ(s.report().contact.cold_steps, 0);
}

/// A weight on a rope of 1 m falls freely until the rope is taut, is caught without bouncing, and hangs by m g.
TEST(ContactSet, ARopePullsAloneAndIsNeverLonger) {
  LooseBodies b({{.name = "box", .mass = 3, .at = {0.3, 0, -0.4}, .bare = true}});
  ConstraintSet set(b.model);
  set.add(DistanceConstraint{.name = "rope", .frame = "base", .other = "box", .length = 1, .sense = {Sense::at_most}});
  Simulator s(b.model, set, touching(4, 1e-3), Scene(b.model));
  ASSERT_TRUE(s.start({.q = b.q, .v = b.v})) << s.report().reason;
  const double taut = std::sqrt(2 * (std::sqrt(1 - 0.09) - 0.4) / k_fall);
  double energy = s.state().energy;
  bool caught = false;
  while (s.step()) {
    const Eigen::Vector3d p = b.place(s.state().q, "box");
    ASSERT_LE(p.norm(), 1 + 1e-9);
    ASSERT_LE(s.state().multipliers[0], 1e-12);
    const double stretch = 0.5 * std::pow(1e-3 * s.state().v.norm(), 2);  // of a step, which is taken back
    ASSERT_LE(s.state().energy, energy + 3 * k_fall * stretch + 1e-12) << s.state().time;
    energy = s.state().energy;
    if (s.state().time < taut - 1e-3) {
      ASSERT_NEAR(p.z(), -0.4 - 0.5 * k_fall * s.state().time * s.state().time, 1e-12);
    }
    caught = caught || s.state().multipliers[0] < 0;
  }
  ASSERT_EQ(s.report().status, Status::ok) << s.report().reason;
  EXPECT_TRUE(caught);
  // At rest straight below: the pull is the weight.
  LooseBodies below({{.name = "box", .mass = 3, .at = {0, 0, -1}, .bare = true}});
  Simulator hangs(
      below.model,
      [&] {
        ConstraintSet one(below.model);
        one.add(DistanceConstraint{
            .name = "rope", .frame = "base", .other = "box", .length = 1, .sense = {Sense::at_most}});
        return one;
      }(),
      touching(0.1, 1e-3), Scene(below.model));
  ASSERT_TRUE(hangs.start({.q = below.q, .v = below.v}));
  while (hangs.step()) ASSERT_NEAR(hangs.state().multipliers[0], -3 * k_fall, 1e-10);
  EXPECT_EQ(hangs.state().contacts.front().what, ContactState::What::row);
  EXPECT_NEAR(hangs.state().contacts.front().force.x, -3 * k_fall, 1e-10);
}

/// Limits of joints as rows of the set, and as the scene has them.
TEST(ContactSet, LimitsAsRowsAreLimits) {
  RobotDescription d{.name = "stopped"};
  LinkDescription rod{.name = "rod", .mass = 2, .centre = {0.5, 0, 0}};
  rod.inertia = Sym3<double>::diagonal(0.01, 0.2, 0.2);
  d.links = {{.name = "base"}, rod};
  d.joints = {{.name = "pin",
               .type = "revolute",
               .parent = "base",
               .child = "rod",
               .axis = {0, 1, 0},
               .lower = {-0.5},
               .upper = {0.7}}};
  const Model m = build(d);
  Scene limits(m), none(m);
  none.limits = false;
  ConstraintSet set(m);
  ASSERT_EQ(set.add_joint_limits({.time_constant = 0.1}), 2);
  Simulator a(m, ConstraintSet(m), touching(2, 1e-3), limits), b(m, set, touching(2, 1e-3), none);
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), v = Eigen::VectorXd::Constant(1, -5);
  ASSERT_TRUE(a.start({.q = q, .v = v}) && b.start({.q = q, .v = v}));
  double lowest = 0;
  while (a.step() && b.step()) {
    ASSERT_NEAR(a.state().q[0], b.state().q[0], 1e-12);
    ASSERT_NEAR(a.state().v[0], b.state().v[0], 1e-11);
    lowest = std::min(lowest, b.state().q[0]);
  }
  EXPECT_EQ(b.report().status, Status::ok) << b.report().reason;
  EXPECT_NEAR(lowest, -0.5, 1e-11);
  EXPECT_NEAR(b.state().q[0], 0.7, 1e-11);
  const Eigen::VectorXd force = b.state().multipliers;
  EXPECT_NEAR(force.cwiseAbs().maxCoeff(), 2 * k_fall * 0.5 * std::cos(0.7), 1e-9);
}

/// What a control switches off lets go; what is apart at the start is left alone, what overlaps is taken apart.
TEST(ContactSet, SwitchesAreFollowed) {
  LooseBodies b({{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1}, .bare = true}});
  Simulator s(b.model, corners_of(b.model, {0.4, 0.3, 0.2}, std::nullopt), touching(0.2, 1e-3), Scene(b.model));
  s.set_control([](SimulationStage& x) {
    for (int k = 0; k < 8; ++k) x.constraints["corner" + std::to_string(k)].active = x.time < 0.1 - 1e-9;
  });
  ASSERT_TRUE(s.start({.q = b.q, .v = b.v}));
  while (s.step()) {
    if (s.state().time < 0.1) { ASSERT_NEAR(b.place(s.state().q, "box").z(), 0.1, 1e-12); }
  }
  ASSERT_EQ(s.report().status, Status::ok) << s.report().reason;
  EXPECT_NEAR(b.place(s.state().q, "box").z(), 0.1 - 0.5 * k_fall * 0.01, 1e-3 * k_fall * 0.1);
  EXPECT_FALSE(s.constraints()["corner0"].active);

  LooseBodies inside({{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.09}, .bare = true}});
  Simulator lifted(inside.model, corners_of(inside.model, {0.4, 0.3, 0.2}, 0.5), touching(0.1, 1e-3),
                   Scene(inside.model));
  const Trajectory t = lifted.run({.q = inside.q, .v = inside.v});
  EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_NEAR(inside.place(VectorView(t.q_numbers.data(), t.nq), "box").z(), 0.1, 1e-10);
  ASSERT_FALSE(t.report.notes.empty());
  EXPECT_NE(t.report.notes.back().text.find("corner"), std::string::npos);
}

/// Without shapes nothing can touch, which a note says; not where rows of the set do.
TEST(ContactSet, RowsTouchWithoutShapes) {
  const Vec3<double> size{0.4, 0.3, 0.2};
  const LooseBodies bare({{.name = "box", .mass = 2, .size = size, .at = {0, 0, 0.1}, .bare = true}});
  const auto said = [&](const ConstraintSet& set) {
    const Trajectory t =
        Simulator(bare.model, set, touching(0.01, 1e-3), Scene(bare.model)).run({.q = bare.q, .v = bare.v});
    EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
    return std::any_of(t.report.notes.begin(), t.report.notes.end(), [](const SimulationNote& note) {
      return note.text.find("nothing that moves can touch") != std::string::npos;
    });
  };
  EXPECT_TRUE(said(ConstraintSet(bare.model)));
  EXPECT_FALSE(said(corners_of(bare.model, size, k_mu)));
}

/// Rows of a step do not hide that others drift: a rod without feedback, beside a contact that is at rest.
TEST(ContactSet, DriftOfOtherRowsIsSaid) {
  LooseBodies b(
      {{.name = "box", .mass = 2, .at = {3, 0, 0}, .bare = true}, {.name = "weight", .at = {1, 0, 0}, .bare = true}});
  ConstraintSet set(b.model);
  set.add(DistanceConstraint{.name = "rod", .frame = "base", .other = "weight", .length = 1});
  set.add(corner("foot", {0, 0, 0}, 0.5));
  Simulator s(b.model, set, {.time = 2, .dt = 0.02, .integrator = Integrator::contact, .keep = Keep::stabilisation},
              Scene(b.model));
  const Trajectory t = s.run({.q = b.q, .v = b.v});
  EXPECT_EQ(t.report.status, Status::drifted) << t.report.reason;
  EXPECT_NE(t.report.reason.find("rod"), std::string::npos) << t.report.reason;
}

std::string refusal(const Model& model, const ConstraintSet& set) {
  try {
    Simulator(model, set, touching(1, 1e-3), Scene(model));
  } catch (const UnsupportedError& error) { return error.what(); }
  return "";
}

TEST(ContactSet, WhatAStepDoesNotTakeIsRefusedByName) {
  const LooseBodies b({{.name = "box", .bare = true}});
  const auto with = [&](auto&& change) {
    ConstraintSet set(b.model);
    ContactConstraint c = corner("foot", {0, 0, 0}, std::nullopt);
    change(c);
    set.add(c);
    return refusal(b.model, set);
  };
  EXPECT_EQ(with([](ContactConstraint&) {}), "");
  EXPECT_EQ(with([](ContactConstraint& c) { c.rows = 3, c.friction = 0.5; }), "");
  const std::pair<const char*, void (*)(ContactConstraint&)> wrong[] = {
      {"a limit", [](ContactConstraint& c) { c.limit = {5}; }},
      {"a compliance", [](ContactConstraint& c) { c.policy = Policy::soft, c.compliance = {1}; }},
      {"motors", [](ContactConstraint& c) { c.role = Role::driver; }},
      {"a priority", [](ContactConstraint& c) { c.priority = 1; }},
      {"compensate", [](ContactConstraint& c) { c.compensate.gravity = false; }},
      {"target_point", [](ContactConstraint& c) { c.has_target = false; }},
      {"a beta", [](ContactConstraint& c) { c.beta = {1}; }},
      {"target_velocity", [](ContactConstraint& c) { c.target_velocity = {1}; }},
      {"rows=1 or a friction", [](ContactConstraint& c) { c.rows = 3; }}};
  for (const auto& [word, change] : wrong) {
    const std::string text = with(change);
    EXPECT_NE(text.find("'foot'"), std::string::npos) << word << ": " << text;
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  // A friction is a number, of three rows that push; solvers refuse it.
  for (const double mu : {-1.0, std::nan(""), unlimited})
    EXPECT_THROW(ConstraintSet(b.model).add(corner("foot", {0, 0, 0}, mu)), std::invalid_argument) << mu;
  for (const auto change : {+[](ContactConstraint& c) { c.rows = 1; }, +[](ContactConstraint& c) { c.sense = {}; }}) {
    ContactConstraint c = corner("foot", {0, 0, 0}, 0.5);
    change(c);
    EXPECT_THROW(ConstraintSet(b.model).add(c), std::invalid_argument);
  }
  ConstraintSet set(b.model);
  set.add(corner("foot", {0, 0, 0}, 0.5));
  Solver solver(b.model, ConstraintSet(b.model));
  try {
    Solver(b.model, set).solve({.q = b.q, .v = b.v});
    ADD_FAILURE();
  } catch (const UnsupportedError& error) {
    EXPECT_NE(std::string(error.what()).find("friction of constraint 'foot'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Simulator(b.model, set, {.integrator = Integrator::rk4}), UnsupportedError);
  set["foot"].friction = std::optional<double>();
  set["foot"].sense = std::vector<Sense>(3, Sense::equal);
  EXPECT_NO_THROW(Solver(b.model, set).solve({.q = b.q, .v = b.v}));
  // Events of the set leave impacts to the step.
  set["foot"].sense = std::vector<Sense>{Sense::at_least, Sense::at_least, Sense::at_least};
  Simulator s(b.model, set, touching(1, 1e-3), Scene(b.model));
  EXPECT_THROW(
      s.add_event({.name = "hit", .function = point_height(b.model, "box", {0, 0, 0}, {0, 0, 1}), .on = {"foot"}}),
      UnsupportedError);
  EXPECT_NO_THROW(
      s.add_event({.name = "off", .function = point_height(b.model, "box", {0, 0, 0}, {0, 0, 1}), .off = {"foot"}}));
}

}  // namespace
}  // namespace zwang::test
