// SPDX-License-Identifier: BSD-3-Clause
// Scenes of contact with closed forms: inclines, sliding, rolling, bouncing, stacks, Painlevé's rod, contradictions.
#include <gtest/gtest.h>

#include <numbers>

#include "simulation/scenery.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// Gravity turned instead of the plane. Below the angle of friction, at it and above it: v = g (sin - mu cos) t.
TEST(ContactScenes, ABoxOnAnInclineStaysOrSlidesAsCoulombSays) {
  for (const double angle : {20 * std::numbers::pi / 180, std::atan(0.5), 35 * std::numbers::pi / 180}) {
    const LooseBodies b({box("box", 2, {0.4, 0.3, 0.2}, {0, 0, 0.1})},
                        {k_fall * std::sin(angle), 0, -k_fall * std::cos(angle)});
    Scenery run(b, on_ground(b.model, 0.5), touching(0.5, 1e-3));
    ASSERT_TRUE(run.all()) << run.report().reason;
    const double speed = 0.5 * std::max(0.0, k_fall * (std::sin(angle) - 0.5 * std::cos(angle)));
    const VectorView v = run.state().v;
    EXPECT_NEAR(v[0], speed, 1e-14 * (1 + speed)) << angle;
    // A gap is known to the rounding of the lengths it is made of, and a speed is a gap in a step.
    for (int k = 1; k < 6; ++k) EXPECT_NEAR(v[k], 0, 4 * 2.2e-16 * 0.4 / 1e-3) << k;
    EXPECT_LE(run.report().contact.residual, 1e-12);
    EXPECT_EQ(run.report().contact.cold_steps, 0);
  }
}

/// The discrete sum of v_k = v_0 - k mu g h, and its order beside v_0^2 / (2 mu g).
TEST(ContactScenes, ASlidingBoxStopsWhereTheSumSays) {
  double before = 0;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    LooseBodies b({{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1}, .velocity = {2, 1, 0}}});
    Scenery run(b, on_ground(b.model, 0.3), touching(1, h));
    ASSERT_TRUE(run.all()) << run.report().reason;
    const double v0 = std::sqrt(5.0), slower = 0.3 * k_fall * h;
    double sum = 0;
    for (double v = v0 - slower; v > 0; v -= slower) sum += h * v;
    const double way = b.place(run.state().q, "box").head<2>().norm();
    EXPECT_NEAR(way, sum, 1e-12);
    EXPECT_NEAR(run.state().v.norm(), 0, 1e-13);
    const double off = std::fabs(way - v0 * v0 / (0.6 * k_fall));
    if (before > 0) { EXPECT_NEAR(std::log2(before / off), 1, 0.05); }
    before = off;
  }
}

TEST(ContactScenes, ASlidingBallRollsWithFiveSeventhsOfItsSpeed) {
  LooseBodies b({{.name = "ball", .size = {0.1, 0, 0}, .at = {0, 0, 0.1}, .velocity = {1, 0, 0}, .ball = true}});
  Scenery run(b, on_ground(b.model, 0.2), touching(0.4, 1e-3));
  ASSERT_TRUE(run.all()) << run.report().reason;
  const VectorView v = run.state().v;
  EXPECT_NEAR(v.head<3>().norm(), 5 / 7., 1e-13);
  EXPECT_NEAR(v.tail<3>().norm(), 50 / 7., 1e-12);
}

/// What the law of a pair does not say is that of the shapes, so that the ball bounces as before.
TEST(ContactScenes, ALawOfAPairLeavesWhatItDoesNotSay) {
  const LooseBodies b({ball("ball", 1, 0.1, {0, 0, 1.1})});
  Scene scene = on_ground(b.model, 0, 0.8);
  Scenery shapes(b, scene, touching(0.9, 1e-3));
  scene.set_pair("ball", "ground", {.friction = 0.5});
  Scenery pair(b, scene, touching(0.9, 1e-3));
  ASSERT_TRUE(shapes.all() && pair.all()) << pair.report().reason;
  EXPECT_EQ(pair.report().contact.impacts, 1);
  EXPECT_EQ(pair.state().q, shapes.state().q);
  for (const double x : {-1.0, unknown, unlimited}) {
    EXPECT_THROW(scene.set_pair("ball", "ground", {.friction = x}), std::invalid_argument) << x;
    EXPECT_THROW(scene.add_shape({.name = "b", .solid = Solid::sphere(1), .law = {.friction = x}}),
                 std::invalid_argument)
        << x;
    EXPECT_THROW(Scene(b.model).add_ground({.law = {.friction = x}}), std::invalid_argument) << x;
    scene.friction = x;
    EXPECT_THROW(Simulator(b.model, ConstraintSet(b.model), touching(1, 1e-3), scene), std::invalid_argument) << x;
  }
  EXPECT_THROW(scene.set_pair("ball", "ground", {.restitution = unknown}), std::invalid_argument);
  EXPECT_THROW(scene.add_shape({.name = "soft", .solid = Solid::sphere(1), .law = {.stiffness = unknown}}),
               std::invalid_argument);
}

/// A mesh that was not found is refused by name, or left out by name; what is left touches as it would alone.
TEST(ContactScenes, AMeshThatIsMissingIsLeftOutWhereThatIsAskedFor) {
  const LooseBodies whole({ball("ball", 1, 0.1, {0, 0, 0.1})});
  RobotDescription d = whole.model.description();
  Shape skin{.kind = Shape::Kind::mesh, .collision = true};
  for (int k = 0; k < 6; ++k) {
    skin.mesh = "package://toys/" + std::to_string(k) + ".stl";
    d.links[1].shapes.insert(d.links[1].shapes.begin(), skin);
  }
  const Model model = build(d);
  try {
    const Scene scene(model);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("toys/5.stl"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("missing_meshes"), std::string::npos) << error.what();
  }
  const Scene scene(model, {.missing_meshes = true});
  ASSERT_EQ(scene.shapes().size(), 1u);
  ASSERT_EQ(scene.notes().size(), 1u);
  for (const char* word : {"5.stl", "2.stl", "'ball'", "2 more"})
    EXPECT_NE(scene.notes()[0].find(word), std::string::npos) << scene.notes()[0];
  Scene ground = scene;
  ground.add_ground();
  Scenery run(model, whole.q, whole.v, ground, touching(0.1, 1e-3));
  ASSERT_TRUE(run.all()) << run.report().reason;
  EXPECT_NEAR(run.load(ground, "ground"), k_fall, 1e-12 * k_fall);
}

/// Steps in which nothing touches are exact for a parabola: after k impacts the top is e^2k of the height.
TEST(ContactScenes, ABallBouncesToItsHeights) {
  LooseBodies b({ball("ball", 1, 0.1, {0, 0, 1.1})});
  Scenery run(b, on_ground(b.model, 0, 0.8), touching(3.9, 1e-3));
  double fastest = 0, fell = std::sqrt(2 / k_fall), speed = std::sqrt(2 * k_fall), at = fell;
  int impacts = 0;
  while (run.simulator.step()) {
    const SimulationState& s = run.state();
    if (run.report().contact.impacts > impacts) {
      ++impacts;
      speed *= 0.8;
      const double since = s.time - at;
      EXPECT_NEAR(s.v[2], speed - k_fall * since, 1e-12 * impacts) << impacts;
      at += 2 * speed / k_fall;
      if (impacts == 12) break;
    }
    fastest = std::max(fastest, s.v[2]);
  }
  EXPECT_EQ(impacts, 12) << run.report().reason;
}

/// Its energy never rises, it lies on a face in the end, nothing sinks in.
TEST(ContactScenes, AThrownBoxLosesEnergyAndLies) {
  const double c = std::cos(0.5), s = std::sin(0.5);
  Loose thrown{
      .name = "box", .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.6}, .velocity = {2, 0.5, -1}, .turning = {3, -5, 2}};
  thrown.turned.R[0] = {c, -s, 0};
  thrown.turned.R[1] = {s, c, 0};
  const LooseBodies b({thrown});
  Scenery run(b, on_ground(b.model, 0.5), touching(2.5, 1e-3));
  double energy = run.state().energy;
  while (run.simulator.step()) {
    const double now = run.state().energy;
    EXPECT_LE(now, energy + 1e-12);
    energy = now;
  }
  const SimulationReport& r = run.report();
  EXPECT_EQ(r.status, Status::ok) << r.reason;
  EXPECT_NEAR(energy, k_fall * 0.1, 1e-9);
  EXPECT_LE(r.contact.penetration, 1e-10);
  EXPECT_LE(run.state().v.norm(), 1e-12);
}

/// Friction decelerates as on rigid ground; the depth is m g / (4 k).
TEST(ContactScenes, SoftGroundGivesWayByItsStiffness) {
  for (const double k : {1e4, 1e6, 1e9}) {
    const double depth = 2 * k_fall / (4 * k);
    LooseBodies b(
        {{.name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1 - depth}, .velocity = {1, 0, 0}}});
    Scene scene(b.model);
    scene.add_ground({.law = {.friction = 0, .stiffness = k, .damping = 100}});
    Scenery run(b, scene, touching(0.2, 1e-3));
    ASSERT_TRUE(run.all()) << run.report().reason;
    EXPECT_NEAR(run.state().v[0], 1, 1e-12);
    EXPECT_NEAR(b.place(run.state().q, "box").z(), 0.1 - depth, 1e-9 * depth + 1e-15);
  }
}

/// Where it begins 1 cm inside it is lifted, without speed.
TEST(ContactScenes, WhatBeginsInsideIsLiftedWithoutAJump) {
  LooseBodies b({box("box", 2, {0.4, 0.3, 0.2}, {0, 0, 0.09})});
  Scenery run(b, on_ground(b.model, 0.5), touching(0.2, 1e-3));
  EXPECT_NEAR(b.place(run.state().q, "box").z(), 0.1, 1e-10);
  ASSERT_TRUE(run.all()) << run.report().reason;
  EXPECT_NEAR(b.place(run.state().q, "box").z(), 0.1, 1e-10);
  EXPECT_LE(run.state().v.norm(), 1e-12);
  ASSERT_FALSE(run.report().notes.empty());
  EXPECT_NE(run.report().notes[0].text.find("by up to 0.01"), std::string::npos);
}

}  // namespace
}  // namespace zwang::test
