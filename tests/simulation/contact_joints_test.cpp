// SPDX-License-Identifier: BSD-3-Clause
// Contact together with what joints have: limits, dry friction, loops, dampers; robots of the project on the ground.
#include <gtest/gtest.h>

#include "simulation/cases.hpp"
#include "simulation/scenery.hpp"
#include "zwang/io/load.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

/// A rod on a hinge with limits, dry friction and a damper.
Model stopped(double lower, double upper, double friction, double damping = 0) {
  RobotDescription d{.name = "stopped"};
  d.links = {{.name = "base"}, rod("rod")};
  JointDescription j = hinge("pin", "base", "rod", {0, 0, 0});
  j.lower = {lower};
  j.upper = {upper};
  j.friction = {friction};
  j.damping = {damping};
  d.joints = {j};
  return build(d);
}
SimulationSettings rubbing(double time, double dt) {
  SimulationSettings s = touching(time, dt);
  s.solver.joint_effects.friction = true;
  return s;
}

/// It falls to its limit, stays there to the bit, and the limit carries its weight.
TEST(ContactJoints, AJointStaysBetweenItsLimits) {
  const Model m = stopped(-0.5, 1, 0);
  Scenery run(m, Vector::Constant(1, 0.9), Vector::Constant(1, 8), Scene(m), touching(3, 1e-3));
  double highest = 0, lowest = 0;
  while (run.simulator.step()) {
    highest = std::max(highest, run.state().q[0]);
    lowest = std::min(lowest, run.state().q[0]);
  }
  ASSERT_EQ(run.report().status, Status::ok) << run.report().reason;
  EXPECT_LE(highest, 1 + 1e-11);
  EXPECT_GE(lowest, -0.5 - 1e-11);
  Scenery held(m, Vector::Constant(1, 1), Vector::Zero(1), Scene(m), touching(0.1, 1e-3));
  held.simulator.set_control([](SimulationStage& x) { x.tau[0] = 20; });
  const Vector at = Vector::Constant(1, 1);
  ASSERT_TRUE(held.simulator.start({.q = at}));
  ASSERT_TRUE(held.all()) << held.report().reason;
  EXPECT_EQ(held.state().v[0], 0.0);
  ASSERT_EQ(held.state().contacts.size(), 1u);
  EXPECT_NEAR(held.state().contacts[0].force.x, -(20 - k_fall / 2 * std::sin(1.0)), 1e-12);
}

/// Dry friction holds what it can: below F nothing moves, above it the rest accelerates. At rest in a solve likewise.
TEST(ContactJoints, DryFrictionHoldsAtRest) {
  RobotDescription d{.name = "wheel"};
  d.links = {{.name = "base"}, {.name = "wheel", .mass = 1, .inertia = Sym3<double>::diagonal(0.02, 0.02, 0.02)}};
  JointDescription j{.name = "pin", .type = "continuous", .parent = "base", .child = "wheel"};
  j.friction = {2};
  d.joints = {j};
  const Model m = build(d);
  for (const double torque : {0.5, 1.999, 2.5, -3.0}) {
    Scenery run(m, Vector::Zero(1), Vector::Zero(1), Scene(m), rubbing(1, 1e-3));
    run.simulator.set_control([&](SimulationStage& x) { x.tau[0] = torque; });
    const Vector at = Vector::Zero(1);
    ASSERT_TRUE(run.simulator.start({.q = at}));
    ASSERT_TRUE(run.all()) << run.report().reason;
    const double excess = std::fabs(torque) > 2 ? (std::fabs(torque) - 2) * (torque > 0 ? 1 : -1) : 0;
    EXPECT_NEAR(run.state().v[0], excess / 0.02, 1e-10) << torque;
    if (excess == 0) {
      EXPECT_NEAR(run.state().q[0], 0, 1e-15);  // rounding of h tau / I is a speed
    }
  }
}

/// A damper that joint_effects leaves out does not brake.
TEST(ContactJoints, DampersThatAreLeftOutDoNotBrake) {
  RobotDescription d{.name = "wheel"};
  d.links = {{.name = "base"}, {.name = "wheel", .mass = 1, .inertia = Sym3<double>::diagonal(1, 1, 1)}};
  JointDescription j{.name = "pin", .type = "continuous", .parent = "base", .child = "wheel"};
  j.damping = {100};
  d.joints = {j};
  const Model m = build(d);
  for (const Integrator i : {Integrator::semi_implicit, Integrator::contact})
    for (const bool on : {false, true}) {
      SimulationSettings s{.time = 1, .dt = 1e-2, .integrator = i};
      s.solver.joint_effects.damping = on;
      s.solver.joint_effects.friction = true;
      const Vector q = Vector::Zero(1), tau = Vector::Ones(1);
      const Trajectory t = simulate(m, ConstraintSet(m), {.q = q, .tau = tau}, s);
      ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
      EXPECT_NEAR(t.v()(0, t.states() - 1), on ? 0.01 : 1, 1e-10) << on;
    }
}

/// A damper that is too fast for rk4: the step in which nothing touches takes it at its end, as one with contact does.
TEST(ContactJoints, FastDampersBrakeWhereNothingTouches) {
  const Model m = stopped(-100, 100, 0, 1e4);
  const Vector q = Vector::Zero(1), v = Vector::Ones(1);
  Scenery run(m, q, v, Scene(m), touching(0.1, 1e-2));
  double speed = 1;
  while (run.simulator.step()) {
    EXPECT_LE(std::fabs(run.state().v[0]), std::max(speed, k_fall / 2 / 1e4));  // where gravity moves it at last
    speed = std::fabs(run.state().v[0]);
  }
  EXPECT_EQ(run.report().status, Status::ok) << run.report().reason;
}

/// Forces, accelerations and contacts of a step that was divided are those of the whole step: a ball that spins fast
/// strikes the ground in one of four parts.
TEST(ContactJoints, AStepInPartsSaysWhatTheWholeOneDid) {
  for (const double spin : {0.0, 1500.0}) {
    Loose x = ball("ball", 1, 0.1, {0, 0, 0.1 + 1e-4});
    x.velocity = {0, 0, -1}, x.turning = {0, 0, spin};
    const LooseBodies b({x});
    Scenery run(b, on_ground(b.model, 0.5), touching(3e-3, 1e-3));
    double before = run.state().v[2];
    bool struck = false;
    while (run.simulator.step()) {
      const SimulationState& s = run.state();
      double force = 0;
      for (const ContactState& c : s.contacts) force += c.force.z;
      struck = struck || force > 100;
      EXPECT_NEAR(force, (s.v[2] - before) / 1e-3 + k_fall, 1e-8) << spin << ", " << s.time;
      EXPECT_NEAR(s.acceleration[2], (s.v[2] - before) / 1e-3, 1e-8) << spin << ", " << s.time;
      before = s.v[2];
    }
    EXPECT_TRUE(struck);
    EXPECT_EQ(run.report().status, Status::ok) << run.report().reason;
    EXPECT_EQ(run.report().contact.halved > 0, spin > 0);
  }
}

/// Impacts that make energy (Kane's rod: Newton's law with friction) are said also where something rests beside them.
TEST(ContactJoints, EnergyOfAnImpactIsSaidBesideAContact) {
  for (const bool beside : {false, true}) {
    int made = 0;
    for (int k = 0; k < 65; ++k) {
      const double angle = 0.2 + 0.1 * (k % 13), along = 1.5 * (k / 13 - 2);
      Loose rod{.name = "rod", .mass = 1, .size = {1, 0.02, 0.02}, .at = {0, 0, 0.5 * std::sin(angle) + 0.03}};
      rod.bare = true;
      rod.turned.R = {Vec3<double>{std::cos(angle), 0, std::sin(angle)}, Vec3<double>{0, 1, 0},
                      Vec3<double>{-std::sin(angle), 0, std::cos(angle)}};
      rod.velocity = {along, 0, -1}, rod.turning = {0, 4, 0};
      std::vector<Loose> bodies{rod};
      if (beside) bodies.push_back(ball("ball", 1, 0.1, {3, 0, 0.1}));
      const LooseBodies b(bodies);
      Scene scene(b.model);
      scene.add_ground({.law = {.friction = 0.9}});
      SceneShape tip{.name = "tip", .link = "rod", .solid = Solid::sphere(0.02)};
      tip.pose.p = {0.5, 0, 0};
      scene.add_shape(tip);
      scene.set_pair("tip", "ground", {.friction = 1.2, .restitution = 0.9});
      Scenery run(b, scene, touching(0.05, 1e-3));
      double energy = run.state().energy, rise = 0;
      while (run.simulator.step()) {
        rise = std::max(rise, run.state().energy - energy);
        energy = run.state().energy;
      }
      if (rise < 1e-6) continue;
      ++made;
      const auto& notes = run.report().notes;
      EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const auto& n) { return n.about == "energy_grows"; }))
          << beside << ", " << angle << ", " << along;
    }
    EXPECT_GT(made, 0);
  }
}

/// In flight rk4 keeps the energy as long as a body turns by less than a radian in a step; a step beyond is halved, and
/// one that turns by 40 rad is refused.
TEST(ContactJoints, FastSpinsAreHalvedOrRefused) {
  for (const double w : {900.0, 3000.0, 40000.0}) {
    Loose x = box("box", 1, {0.2, 0.15, 0.1}, {0, 0, 1});
    x.turning = {0.1 * w, w, 0.2 * w};
    const LooseBodies b({x});
    Scenery run(b, on_ground(b.model, 0.5), touching(0.1, 1e-3));
    if (w > 1e4) {
      EXPECT_FALSE(run.begun);
      EXPECT_EQ(run.report().status, Status::not_converged);
      EXPECT_NE(run.report().reason.find("radian"), std::string::npos) << run.report().reason;
      continue;
    }
    const double energy = run.state().energy;
    EXPECT_TRUE(run.all()) << run.report().reason;
    EXPECT_NEAR(run.state().energy, energy, 1e-3 * energy);      // (w h)^5 / 120 a step
    EXPECT_EQ(run.report().contact.halved, w > 1000 ? 200 : 0);  // to quarters
  }
}

/// Angles z, y, x near their singularity: a step of first order would make energy of an inertia that changes within it.
TEST(ContactJoints, NoEnergyComesFromASingularJoint) {
  RobotDescription d{.name = "tilted"};
  LinkDescription body{.name = "box", .mass = 1, .inertia = Sym3<double>::diagonal(0.004, 0.006, 0.005)};
  Shape shape{.kind = Shape::Kind::box, .collision = true, .name = "box"};
  for (int i = 0; i < 3; ++i) shape.size[i] = i == 0 ? 0.2 : i == 1 ? 0.15 : 0.1;
  body.shapes = {shape};
  d.links = {
      {.name = "base"}, {.name = "slide", .mass = 0.5, .inertia = Sym3<double>::diagonal(1e-3, 1e-3, 1e-3)}, body};
  JointDescription lift{.name = "lift", .type = "prismatic", .parent = "base", .child = "slide"};
  lift.axis = {0, 0, 1};
  d.joints = {lift, {.name = "turn", .type = "spherical_zyx", .parent = "slide", .child = "box"}};
  const Model m = build(d);
  for (const double pitch : {0.5, 1.2, 1.5, 1.55})
    for (const double rate : {0.5, 2.0, 5.0}) {
      Vector q(4), v(4);
      q << 0, 0.1, pitch, 0.2;
      v << 0, 0.2 * rate, rate, -0.8 * rate;
      Scene scene(m);
      scene.add_ground({.offset = -0.08, .law = {.friction = 0.5}});
      Scenery run(m, q, v, scene, touching(0.4, 1e-3));
      double energy = run.begun ? run.state().energy : 0;
      while (run.begun && run.simulator.step()) {
        EXPECT_LE(run.state().energy, energy + 0.02) << pitch << ", " << rate << ", " << run.state().time;
        energy = run.state().energy;
      }
      const Status status = run.report().status;
      EXPECT_TRUE(status == Status::ok || status == Status::not_converged || status == Status::singular_mass);
    }
}

/// The torque of a driven joint with a damper in a step with contact: J a + d v, v at the step's end, as in solves
/// whose dampers are implicit. What lies beside it on the ground makes it a step with contact.
TEST(ContactJoints, ADrivenDamperCostsWhatItTakes) {
  RobotDescription d{.name = "driven"};
  Shape shape{.kind = Shape::Kind::sphere, .collision = true, .name = "ball"};
  shape.size[0] = 0.1;
  LinkDescription lying{.name = "ball", .mass = 1, .inertia = Sym3<double>::diagonal(4e-3, 4e-3, 4e-3)};
  lying.shapes = {shape};
  d.links = {{.name = "base"}, {.name = "wheel", .mass = 1, .inertia = Sym3<double>::diagonal(2, 2, 2)}, lying};
  JointDescription pin{.name = "pin", .type = "continuous", .parent = "base", .child = "wheel"};
  pin.damping = {30};
  JointDescription free{.name = "free", .type = "floating", .parent = "base", .child = "ball"};
  free.origin.p = {3, 0, 0.1};
  d.joints = {pin, free};
  const Model m = build(d);
  const Index k = m.joint("pin").v.first;
  const double a = 4, h = 1e-2;
  Vector q = neutral(m), v = Vector::Zero(m.nv());
  v[k] = 1;
  const Prescribed prescribed = {{.v = k, .acceleration = a}};
  const Trajectory t =
      simulate(m, ConstraintSet(m), {.q = q, .v = v, .prescribed = &prescribed}, touching(0.05, h), on_ground(m, 0.5));
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  ASSERT_FALSE(t.contacts.empty());
  for (Index s = 1; s < t.states(); ++s) EXPECT_NEAR(t.motor_torque()(k, s), 2 * a + 30 * t.v()(k, s), 1e-12 * 40) << s;
}

/// A closed loop whose rods lie on the ground: its rows hold, its contacts, too, and nothing rises.
TEST(ContactJoints, ALoopOnTheGroundKeepsItsRows) {
  const DoubleFourBar bars;
  Scene scene(bars.model);
  Shape tip{.kind = Shape::Kind::sphere, .collision = true, .name = "tip"};
  scene.add_shape({.name = "tip",
                   .link = bars.model.links()[1].name,
                   .solid = Solid::sphere(0.05),
                   .pose = {Mat3<double>::identity(), {0, 0, -1}},
                   .law = {.friction = 0.5}});
  scene.add_shape({.name = "wall",
                   .solid = Solid::half_space(),
                   .pose = {Mat3<double>::identity(), {0, 0, -0.9}},
                   .law = {.friction = 0.5}});
  SimulationSettings s = touching(1.5, 1e-3);
  Simulator simulator(bars.model, bars.set, s, scene);
  const Vector at = bars.at(1.2);
  ASSERT_TRUE(simulator.start({.q = at})) << simulator.report().reason;
  double energy = simulator.state().energy;
  bool touched = false;
  while (simulator.step()) {
    EXPECT_LE(simulator.state().energy, energy + 1e-9);
    energy = simulator.state().energy;
    for (const ContactState& x : simulator.state().contacts) touched = touched || x.kind != ContactState::Kind::open;
  }
  EXPECT_EQ(simulator.report().status, Status::ok) << simulator.report().reason;
  EXPECT_TRUE(touched);
  EXPECT_LE(simulator.report().error, 1e-12);
  EXPECT_LE(simulator.report().contact.penetration, 1e-10);
}

/// What a step cannot take is refused by name.
TEST(ContactJoints, RowsThatGiveWayAreRefused) {
  const Model m = stopped(-1, 1, 0);
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "spring", .coordinates = {"pin"}, .policy = Policy::soft, .compliance = {0.1}});
  EXPECT_THROW(Simulator(m, set, touching(1, 1e-3), Scene(m)), UnsupportedError);
  EXPECT_THROW(Simulator(m, ConstraintSet(m), {.integrator = Integrator::rk4}, Scene(m)), std::invalid_argument);
  const Model other = stopped(-1, 1, 0);
  EXPECT_THROW(Simulator(m, ConstraintSet(m), touching(1, 1e-3), Scene(other)), WorkspaceMismatch);
  Scene scene(m);
  EXPECT_THROW(scene.add_ground({.normal = {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(scene.add_ground({.law = {.friction = -1}}), std::invalid_argument);
  EXPECT_THROW(scene.set_pair("rod", "nothing", {}), std::invalid_argument);
  EXPECT_THROW(scene.add_shape({.name = "x", .link = "nothing", .solid = Solid::sphere(1)}), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
