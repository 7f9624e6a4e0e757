// SPDX-License-Identifier: BSD-3-Clause
// Scenes of contact between several bodies, with closed forms: stacks, mass ratios, rolling on a moving box, momentum,
// Painlevé's rod, contradictions, a motion that is interrupted.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "simulation/scenery.hpp"
#include "support/random.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

/// At rest the ground carries all of it, whatever the masses.
TEST(ContactStacks, AStackRestsAndTheGroundCarriesIt) {
  const std::vector<std::vector<double>> stacks = {
      std::vector<double>(10, 1.0), std::vector<double>(20, 1.0), {1, 1000}, {1, 10, 100, 1000, 10000}};
  for (const std::vector<double>& masses : stacks) {
    std::vector<Loose> boxes;
    double mass = 0;
    for (std::size_t k = 0; k < masses.size(); ++k) {
      boxes.push_back(
          box("box" + std::to_string(k), masses[k], {0.2, 0.2, 0.1}, {0, 0, 0.05 + 0.1 * static_cast<double>(k)}));
      mass += masses[k];
    }
    const LooseBodies b(boxes);
    const Scene scene = on_ground(b.model, 0.5);
    Scenery run(b, scene, touching(0.1, 1e-3));
    ASSERT_TRUE(run.all()) << run.report().reason;
    EXPECT_NEAR(run.load(scene, "ground") / (mass * k_fall), 1, 2e-12) << masses.size();
    EXPECT_LE(run.state().v.norm(), 1e-12) << masses.size();
    EXPECT_LE(run.report().contact.penetration, 1e-11);
  }
}

/// SimBenchmark's rolling: 25 balls on a box that is pushed along its diagonal by 150 N. A ball that rolls on it has
/// 2/7 of its acceleration: (150 - 0.4 35 g) / (10 + 50 / 7).
TEST(ContactStacks, BallsRollOnABoxThatIsPushed) {
  std::vector<Loose> bodies = {box("box", 10, {2, 2, 0.1}, {0, 0, 0.05})};
  for (int i = 0; i < 25; ++i)
    bodies.push_back(ball("ball" + std::to_string(i), 1, 0.1, {-0.8 + 0.4 * (i % 5), -0.8 + 0.4 * (i / 5), 0.2}));
  const LooseBodies b(bodies);
  Scene scene(b.model);
  scene.add_ground({.law = {.friction = 0.4}});
  for (int i = 0; i < 25; ++i) {
    scene.leave_out("ball" + std::to_string(i), "ground");
    scene.set_pair("ball" + std::to_string(i), "box", {.friction = 0.8});
  }
  const ConstraintSet set(b.model);
  Simulator simulator(b.model, set, touching(0.2, 1e-3), scene);
  simulator.set_control([&](SimulationStage& x) {
    const Index first = b.model.joint("free box").v.first;
    x.tau[first] = x.tau[first + 1] = 150 / std::sqrt(2.0);
  });
  ASSERT_TRUE(simulator.start({.q = b.q, .v = b.v}));
  while (simulator.step()) {}
  ASSERT_EQ(simulator.report().status, Status::ok) << simulator.report().reason;
  const double a = (150 - 0.4 * 35 * k_fall) / (10 + 50 / 7.);
  EXPECT_NEAR(a, 0.73850, 5e-6);
  const auto speed = [&](const std::string& name) {
    return simulator.state().v.segment<3>(b.model.joint("free " + name).v.first).norm();
  };
  EXPECT_NEAR(speed("box") / (0.2 * a), 1, 1e-12);
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(speed("ball" + std::to_string(i)) / (0.2 * a * 2 / 7), 1, 1e-11) << i;
}

/// Two balls without gravity meet: momentum stays to the rounding of its terms, with and without a bounce.
TEST(ContactStacks, BallsThatMeetKeepTheirMomentum) {
  for (const double e : {0.0, 0.6, 1.0}) {
    std::vector<Loose> balls = {ball("a", 1, 0.1, {0, 0, 0}), ball("b", 3, 0.2, {1, 0.1, 0.05})};
    balls[0].velocity = {2, 0, 0};
    balls[0].turning = {0, 3, 1};
    balls[1].velocity = {-1, 0, 0};
    const LooseBodies b(balls, {0, 0, 0});
    Scene scene(b.model);
    scene.set_pair("a", "b", {.friction = 0.5, .restitution = e});
    Scenery run(b, scene, touching(0.5, 1e-4));
    Data data(b.model);
    bool met = false;
    while (!met) {
      const Force<double> before = centroidal_momentum(b.model, data, run.state().q, run.state().v);
      ASSERT_TRUE(run.simulator.step()) << run.report().reason;
      met = e > 0 ? run.report().contact.impacts > 0
                  : run.report().contact.warm_steps + run.report().contact.cold_steps > 0;
      const Force<double> after = centroidal_momentum(b.model, data, run.state().q, run.state().v);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(after.f[k], before.f[k], 1e-14) << e;  // momenta of up to 3 kg m/s
      if (met && e == 0) break;  // a step of first order turns the line of the centres
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(after.n[k], before.n[k], 1e-14) << e;
    }
    EXPECT_GT(run.simulator.state().v.norm(), 0);
  }
}

/// 49 balls with e = 1 keep their energy.
TEST(ContactStacks, BallsThatLoseNothingKeepTheirEnergy) {
  std::vector<Loose> balls;
  for (int i = 0; i < 49; ++i)
    balls.push_back(
        ball("b" + std::to_string(i), 10, 0.1, {0.5 * (i % 7), 0.5 * (i / 7), 0.6 + 0.03 * (i % 7) + 0.05 * (i / 7)}));
  const LooseBodies b(balls);
  Scenery run(b, on_ground(b.model, 0, 1), touching(0.5, 1e-3));
  const double before = run.state().energy;
  ASSERT_TRUE(run.all()) << run.report().reason;
  EXPECT_GE(run.report().contact.impacts, 49);
  EXPECT_NEAR(run.state().energy / before, 1, 1e-10);
}

/// A rod of length 2 with tan(angle) = 2 whose tip slides at 1 m/s (Génot & Brogliato 1999): beyond mu = 4/3 there is
/// no force that keeps it sliding; the impulse tends to G_nt v / det G = 0.3 as the step becomes short.
TEST(ContactStacks, PainlevesRodIsStoppedByAShock) {
  const double angle = std::atan(2.0), c = std::cos(angle), s = std::sin(angle);
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    RobotDescription d{.name = "rod"};
    d.links = {{.name = "base"}, {.name = "rod", .mass = 1}};
    d.links[1].inertia = Sym3<double>::diagonal(1 / 3., 1 / 3., 1 / 3.);
    Shape tip{.kind = Shape::Kind::sphere, .collision = true, .name = "tip"};
    tip.size[0] = 1e-9;
    tip.origin.p = {-c, 0, -s};
    d.links[1].shapes = {tip};
    JointDescription j{.name = "free", .type = "planar", .parent = "base", .child = "rod"};
    j.axis = {0, 1, 0};
    j.origin.p = {0, 0, s + 1e-9};
    d.joints = {j};
    const Model m = build(d);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(m.nq()), v = Eigen::VectorXd::Zero(m.nv());
    Data data(m);
    Eigen::MatrixXd J(6, m.nv());
    jacobian(m, data, q, m.find_frame("rod"), Reference::local_world_aligned, J);
    for (Index k = 0; k < 2; ++k) v(k) = J(0, k) * -1;  // of the plane's two axes the one along x
    Scene scene(m);
    scene.add_ground({.law = {.friction = 2}});
    Scenery run(m, q, v, scene, touching(h, h));
    ASSERT_TRUE(run.begun) << run.report().reason;
    double impulse = 0;
    for (const ContactState& x : run.state().contacts) impulse += h * x.force.z;
    EXPECT_NEAR(impulse, 0.3, 10 * h) << h;
  }
}

/// Two plates that are driven against each other with a box between them.
TEST(ContactStacks, PlatesThatCloseOnABoxContradict) {
  RobotDescription d{.name = "press"};
  Shape plate{.kind = Shape::Kind::box, .collision = true}, inner = plate;
  for (int i = 0; i < 3; ++i) plate.size[i] = i < 2 ? 1 : 0.1, inner.size[i] = 0.2;
  d.links = {{.name = "base"}};
  for (const char* name : {"lower", "upper", "box"}) {
    LinkDescription link{.name = name, .mass = 1, .inertia = Sym3<double>::diagonal(0.1, 0.1, 0.1)};
    link.shapes = {std::string(name) == "box" ? inner : plate};
    link.shapes[0].name = name;
    d.links.push_back(link);
    JointDescription j{
        .name = name, .type = std::string(name) == "box" ? "floating" : "prismatic", .parent = "base", .child = name};
    j.origin.p = {0, 0, std::string(name) == "box" ? 0.15 : std::string(name) == "upper" ? 0.3 : 0.0};
    d.joints.push_back(j);
  }
  const Model m = build(d);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(m.nq()), v = Eigen::VectorXd::Zero(m.nv());
  q(m.joint("box").q.first + 6) = 1;
  v(m.joint("upper").v.first) = -0.1;
  Scene scene(m);
  const Prescribed driven = {{m.joint("lower").v.first, 0.0}, {m.joint("upper").v.first, 0.0}};
  const ConstraintSet set(m);
  Simulator simulator(m, set, touching(0.1, 1e-3), scene);
  bool good = simulator.start({.q = q, .v = v, .prescribed = &driven});
  while (good) good = simulator.step();
  EXPECT_EQ(simulator.report().status, Status::infeasible) << simulator.report().reason;
  for (const char* name : {"lower and box", "upper and box"})
    EXPECT_NE(simulator.report().reason.find(name), std::string::npos) << simulator.report().reason;
}

/// A ball that passes a thin wall in one step strikes it all the same; it has no points with it at the step's end.
TEST(ContactStacks, WhatBouncesDoesNotPassAThinWall) {
  for (const double e : {0.0, 0.5}) {
    std::vector<Loose> one = {ball("ball", 1, 0.02, {0, 0, 0.96})};
    one[0].velocity = {0, 0, -100};
    const LooseBodies b(one, {0, 0, 0});
    Scene scene(b.model);
    scene.add_shape({.name = "wall", .solid = Solid::box({1, 1, 0.02}), .law = {.friction = 0, .restitution = e}});
    Scenery run(b, scene, touching(0.02, 1e-3));
    ASSERT_TRUE(run.all()) << run.report().reason;
    EXPECT_GE(b.place(run.state().q, "ball").z(), 0.03 - 1e-9) << e;
    EXPECT_NEAR(run.state().v[2], 100 * e, 1e-9) << e;
  }
}

/// A time of 1e8 s, whose rounding is longer than the width of an impact.
TEST(ContactStacks, ABallBouncesAtALargeTime) {
  const LooseBodies b({ball("ball", 1, 0.1, {0, 0, 0.2})});
  const Scene scene = on_ground(b.model, 0, 0.8);
  Simulator simulator(b.model, ConstraintSet(b.model), touching(0.3, 1e-3), scene);
  ASSERT_TRUE(simulator.start({.q = b.q, .v = b.v, .time = 1e8}));
  for (int k = 0; k < 300; ++k) simulator.step();
  EXPECT_EQ(simulator.report().status, Status::ok) << simulator.report().reason;
  EXPECT_GE(simulator.report().contact.impacts, 1);
}

/// Loose bodies that overlap at the start are taken apart, not left to fall through each other.
TEST(ContactStacks, BoxesThatBeginInsideOfEachOtherStayOnEachOther) {
  const LooseBodies b({box("a", 1, {0.2, 0.2, 0.2}, {0, 0, 0.1}), box("b", 1, {0.2, 0.2, 0.2}, {0, 0, 0.3 - 2e-6})});
  Scenery run(b, on_ground(b.model, 0.5), touching(0.5, 1e-3));
  ASSERT_TRUE(run.all()) << run.report().reason;
  EXPECT_NEAR(b.place(run.state().q, "b").z(), 0.3, 1e-5);
}

/// A box tumbles on ground without friction: taking its overlaps apart turns the body, not its momentum along it.
TEST(ContactStacks, ABoxThatIsTakenApartKeepsItsMomentum) {
  Loose tumbling = box("a", 1, {0.4, 0.3, 0.2}, {0, 0, 0.4});
  tumbling.velocity = {2, 1, 0};
  tumbling.turning = {3, -5, 4};
  const LooseBodies b({tumbling});
  Scenery run(b, on_ground(b.model, 0), touching(1, 1e-2));
  Data data(b.model);
  long touched = 0, checked = 0;
  while (true) {
    const Force<double> before = centroidal_momentum(b.model, data, run.state().q, run.state().v);
    if (!run.simulator.step()) break;
    const long steps = run.report().contact.warm_steps + run.report().contact.cold_steps;
    const Force<double> after = centroidal_momentum(b.model, data, run.state().q, run.state().v);
    if (steps > touched) {  // a step of rk4 turns the axes of the body with an error of its own
      for (int k = 0; k < 2; ++k) EXPECT_NEAR(after.f[k], before.f[k], 1e-13);
      ++checked;
    }
    touched = steps;
  }
  EXPECT_EQ(run.report().status, Status::ok) << run.report().reason;
  EXPECT_GT(checked, 10);
}

/// Six boxes fall on each other, turned at random: edges, faces and corners in turn. Every step is answered, nothing
/// sinks in, and but where shapes are taken apart no step makes energy.
TEST(ContactStacks, BoxesFallOnAHeap) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    std::vector<Loose> boxes;
    for (int k = 0; k < 6; ++k) {
      Loose x = box("box" + std::to_string(k), 1, {0.3, 0.2, 0.1},
                    {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.3 + 0.35 * k});
      x.turned.R = random.pose().R;
      boxes.push_back(x);
    }
    const LooseBodies b(boxes);
    Scenery run(b, on_ground(b.model, 0.5), touching(0.7, 1e-3));
    double energy = run.state().energy;
    while (run.simulator.step()) {
      const bool apart = std::any_of(run.report().notes.begin(), run.report().notes.end(),
                                     [](const SimulationNote& n) { return n.about == "overlap"; });
      EXPECT_LE(run.state().energy, energy + (apart ? 1e-2 : 1e-9)) << seed << ", " << run.state().time;
      energy = run.state().energy;
    }
    EXPECT_EQ(run.report().status, Status::ok) << seed << ": " << run.report().reason;
    EXPECT_LE(run.report().contact.penetration, 1e-9) << seed;
    EXPECT_LE(run.report().contact.residual, 1e-8) << seed;
  }
}

/// A motion that goes on from a saved state and its contacts has the same bits.
TEST(ContactStacks, AMotionGoesOnToTheSameBits) {
  std::vector<Loose> boxes = {box("a", 1, {0.2, 0.2, 0.1}, {0, 0, 0.05}),
                              box("b", 2, {0.2, 0.2, 0.1}, {0.03, 0.01, 0.16})};
  boxes[1].velocity = {0.5, 0.2, 0};
  boxes[1].turning = {1, 0, 2};
  const LooseBodies b(boxes);
  const Scene scene = on_ground(b.model, 0.4);
  Scenery whole(b, scene, touching(2, 1e-3));
  for (int k = 0; k < 300; ++k) ASSERT_TRUE(whole.simulator.step()) << whole.report().reason;
  const Eigen::VectorXd q = whole.state().q, v = whole.state().v;
  const std::vector<ContactState> contacts(whole.state().contacts.begin(), whole.state().contacts.end());
  ASSERT_FALSE(contacts.empty());
  Simulator rest(b.model, ConstraintSet(b.model), touching(2, 1e-3), scene);
  ASSERT_TRUE(rest.start({.q = q, .v = v, .time = whole.state().time, .contacts = contacts}));
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(whole.simulator.step());
    ASSERT_TRUE(rest.step());
    ASSERT_EQ(rest.state().q, whole.state().q) << k;
    ASSERT_EQ(rest.state().v, whole.state().v) << k;
  }
}

/// The last step of a motion is a whole one where its time is a number of steps but for rounding (0.1 - 99 * 0.001 is
/// not 0.001): what goes on from its end has the bits of the longer motion.
TEST(ContactStacks, AMotionEndsWithAWholeStep) {
  Loose moving = box("a", 1, {0.2, 0.2, 0.1}, {0, 0, 0.05});
  moving.velocity = {0.5, 0.2, 0}, moving.turning = {0, 0, 2};
  const LooseBodies b({moving});
  const Scene scene = on_ground(b.model, 0.4);
  for (const double time : {0.05, 0.1, 0.3}) {
    Scenery shorter(b, scene, touching(time, 1e-3)), longer(b, scene, touching(2 * time, 1e-3));
    while (shorter.simulator.step()) ASSERT_TRUE(longer.simulator.step());
    EXPECT_EQ(shorter.state().q, longer.state().q) << time;
    EXPECT_EQ(shorter.state().v, longer.state().v) << time;
  }
}

/// A loose body tumbles as Euler says, with its energy and its momentum in the world, while something else rests on the
/// ground: the step that the scene then takes is of first order, but not for this.
TEST(ContactStacks, WhatTumblesBesideARestingBallKeepsItsEnergy) {
  for (const double speed : {5.0, 60.0}) {
    Loose tumbling = box("box", 2, {0.1, 0.2, 0.4}, {0, 0, 100});
    tumbling.turning = {0.3 * speed, speed, 0.3 * speed};
    tumbling.velocity = {1, 2, 0};
    const LooseBodies b({ball("ball", 1, 0.1, {5, 0, 0.1}), tumbling}, {0, 0, -k_fall});
    Scenery run(b, on_ground(b.model, 0.5), touching(2, 1e-3));
    const Index free = b.model.joint("free box").v.first, q = b.model.joint("free box").q.first;
    const double I[3] = {2.0 / 12 * (0.04 + 0.16), 2.0 / 12 * (0.01 + 0.16), 2.0 / 12 * (0.01 + 0.04)};
    const auto turning = [&](double(&L)[3]) {  // momentum in the world; returns the kinetic energy
      const SimulationState& s = run.state();
      double kinetic = 0, body[3];
      for (int k = 0; k < 3; ++k) {
        body[k] = I[k] * s.v[free + 3 + k];
        kinetic += 0.5 * body[k] * s.v[free + 3 + k];
      }
      const Eigen::Quaterniond turned(s.q[q + 6], s.q[q + 3], s.q[q + 4], s.q[q + 5]);
      const Eigen::Vector3d world = turned * Eigen::Vector3d(body[0], body[1], body[2]);
      for (int k = 0; k < 3; ++k) L[k] = world[k];
      return kinetic;
    };
    double L[3], after[3];
    const double energy = turning(L);
    ASSERT_TRUE(run.all()) << run.report().reason;
    EXPECT_NEAR(turning(after), energy, 1e-4 * energy) << speed;  // rk4: (60e-3)^5 / 120 of a step, 2000 steps
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after[k], L[k], (speed > 10 ? 0.3 : 0.02) * std::sqrt(2 * energy * I[1]));
    EXPECT_NEAR(run.state().v.segment(free, 3).norm(), std::sqrt(1 + 4 + std::pow(2 * k_fall, 2)), 1e-2);
  }
}

}  // namespace
}  // namespace zwang::test
