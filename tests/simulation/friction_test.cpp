// SPDX-License-Identifier: BSD-3-Clause
// Coulomb friction in a motion: joints stop, stick and let go as the closed forms say, and no step makes energy of it.
#include <gtest/gtest.h>

#include "simulation/cases.hpp"
#include "support/says.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_g = 9.81;

SimulationSettings rubbing(Integrator integrator, double time, double dt) {
  SimulationSettings s{.time = time, .dt = dt, .integrator = integrator};
  s.solver.joint_effects.friction = true;
  return s;
}
constexpr Integrator k_explicit[] = {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit,
                                     Integrator::dormand_prince};

/// A block of 1 kg on a rail that falls by `slope`.
Model block(double slope, double friction, double damping = 0) {
  RobotDescription d{.name = "slide"};
  d.links = {{.name = "base"}, {.name = "block", .mass = 1, .inertia = Sym3<double>::diagonal(0.01, 0.01, 0.01)}};
  JointDescription j{.name = "rail", .type = "prismatic", .parent = "base", .child = "block"};
  j.axis = {std::cos(slope), 0, -std::sin(slope)};
  j.friction = {friction};
  j.damping = {damping};
  d.joints = {j};
  return build(d);
}

/// It slides up with 3 m/s, stops after v / (g sin + c), and there sticks or slides down.
TEST(MotionFriction, ABlockOnASlopeStopsAndSticksOrSlidesBack) {
  const double slope = 0.2, push = k_g * std::sin(slope);
  for (const Integrator i : k_explicit)
    for (const double c : {0.5, 1.9, 1.96, 4.0})
      for (const double dt : {1e-3, 0.0137}) {
        const Model m = block(slope, c);
        const ConstraintSet none(m);
        const Vector q = Vector::Zero(1), v = Vector::Constant(1, -3);
        const Trajectory t = simulate(m, none, {.q = q, .v = v}, rubbing(i, 3, dt));
        ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
        const double stop = 3 / (push + c), down = std::max(push - c, 0.0), top = -4.5 / (push + c);
        const double off = i == Integrator::semi_implicit ? 5 * dt : 1e-9;
        EXPECT_NEAR(t.q().row(0).minCoeff(), top, off + 5 * dt * dt) << c;
        EXPECT_NEAR(t.q()(0, t.states() - 1), top + down / 2 * (3 - stop) * (3 - stop), off) << c;
        EXPECT_NEAR(t.v()(0, t.states() - 1), down * (3 - stop), off) << c;
        EXPECT_TRUE(down > 0 || t.v()(0, t.states() - 1) == 0.0);
        if (i == Integrator::semi_implicit) continue;  // whose energy swings by dt of itself
        for (std::size_t k = 1; k < t.energy.size(); ++k) EXPECT_LE(t.energy[k], t.energy[k - 1] + 1e-12);
      }
}

/// A motor of growing torque: the joint lets go when its torque passes c, to the order of the step.
TEST(MotionFriction, AJointLetsGoWhereItsTorquePassesTheFriction) {
  for (const Integrator i : k_explicit)
    for (const double c : {2.0, 3.3, 7.0}) {
      const Model m = block(0, c);
      const ConstraintSet none(m);
      const Trajectory t =
          simulate(m, none, {.q = neutral(m)}, rubbing(i, 2, 1e-3), [](SimulationStage& s) { s.tau[0] = 6 * s.time; });
      ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
      const double free = std::max(2 - c / 6, 0.0);
      EXPECT_NEAR(t.v()(0, t.states() - 1), 3 * free * free, i == Integrator::semi_implicit ? 2e-2 : 1e-5);
      EXPECT_NEAR(t.q()(0, t.states() - 1), free * free * free, i == Integrator::semi_implicit ? 2e-2 : 1e-5);
      EXPECT_TRUE(free > 0 || t.q().row(0).cwiseAbs().maxCoeff() == 0.0);
    }
}

/// A pendulum comes to rest where gravity no longer moves it, in a finite time,
/// and loses as much as its friction takes.
TEST(MotionFriction, APendulumSticksBesideItsLowestPosition) {
  RobotDescription d{.name = "pendulum"};
  d.links = {{.name = "base"}, rod("rod")};
  d.joints = {hinge("pin", "base", "rod", {0, 0, 0})};
  for (const double c : {0.3, 1.0, 2.0}) {
    d.joints[0].friction = {c};
    const Model m = build(d);
    const ConstraintSet none(m);
    for (const Integrator i : {Integrator::rk4, Integrator::half_explicit}) {
      const Vector q = Vector::Constant(1, 1.2);
      const Trajectory t = simulate(m, none, {.q = q}, rubbing(i, 20, 2e-3));
      ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
      double way = 0;
      for (Eigen::Index k = 1; k < t.states(); ++k) way += std::abs(t.q()(0, k) - t.q()(0, k - 1));
      EXPECT_EQ(t.v()(0, t.states() - 1), 0.0);
      EXPECT_LE(k_g / 2 * std::sin(std::abs(t.q()(0, t.states() - 1))), c);
      // A turn lies within a step: the way is shorter by at most v dt there.
      EXPECT_NEAR(t.energy.front() - t.energy.back(), c * way, 20 * c * 2e-3 * 2e-3 * k_g);
      for (std::size_t k = 1; k < t.energy.size(); ++k) EXPECT_LE(t.energy[k], t.energy[k - 1] + 1e-11);
    }
  }
}

/// Order 4 stays, though the motion stops and turns within a step.
TEST(MotionFriction, KeepsTheOrderOfTheIntegrator) {
  RobotDescription d{.name = "pendulum"};
  d.links = {{.name = "base"}, rod("rod")};
  d.joints = {hinge("pin", "base", "rod", {0, 0, 0})};
  d.joints[0].friction = {0.7};
  const Model m = build(d);
  const ConstraintSet none(m);
  const Vector q = Vector::Constant(1, 1.5);
  const auto end = [&](double dt) {
    const Trajectory t = simulate(m, none, {.q = q}, rubbing(Integrator::rk4, 2, dt));
    return t.q()(0, t.states() - 1);
  };
  const double exact = end(1e-3), coarse = std::abs(end(0.04) - exact), fine = std::abs(end(0.02) - exact);
  EXPECT_GT(coarse / fine, 10) << coarse << " " << fine;
  EXPECT_LT(fine, 1e-5);
}

/// Several joints, one of which may hold while others slide; a random robot loses energy at every step.
TEST(MotionFriction, NoEnergyComesFromIt) {
  for (const char* name : {"arm7", "cart_pole", "gripper"}) {
    RobotDescription d = sample(name);
    for (JointDescription& j : d.joints)
      if (j.type != "fixed") j.friction = {3}, j.damping = {0};
    const Model m = build(d);
    const ConstraintSet none(m);
    Vector q = neutral(m), v = Vector::Zero(m.nv());
    for (Index k = 0; k < m.nv(); ++k) q[k] += 0.3 * std::sin(k + 1.0), v[k] = k % 3 == 0 ? 0 : std::cos(5.0 * k);
    const Trajectory t = simulate(m, none, {.q = q, .v = v}, rubbing(Integrator::rk4, 2, 1e-3));
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    for (std::size_t k = 1; k < t.energy.size(); ++k)
      EXPECT_LE(t.energy[k], t.energy[k - 1] + 1e-9 * std::abs(t.energy[0])) << name << " " << k;
    EXPECT_LT(t.energy.back(), t.energy.front());
  }
}

/// Beside rows of the user: a four-bar with friction in a joint, and one joint prescribed; and what has no rows for it.
TEST(MotionFriction, StandsBesideRowsOfTheUser) {
  const DoubleFourBar bars;
  RobotDescription d = bars.model.description();
  for (JointDescription& j : d.joints)
    if (j.name == "crank1") j.friction = {40};
  const Model m = build(d);
  ConstraintSet set(m);
  for (const char* k : {"1", "2"})
    set.add(LoopConstraint{.name = std::string("pin") + k,
                           .frame = std::string("end") + k,
                           .other = std::string("tip") + k,
                           .rows = joint_rows("hinge", {0, 1, 0})});
  const Vector q = bars.at(0.3);
  SimulationSettings s = rubbing(Integrator::rk4, 1, 1e-3);
  s.keep = Keep::projection;
  const Trajectory held = simulate(m, set, {.q = q}, s);
  ASSERT_EQ(held.report.status, Status::ok) << held.report.reason;
  EXPECT_EQ(held.rows, set.rows());
  EXPECT_LT((held.q().colwise() - q).cwiseAbs().maxCoeff(), 1e-9);  // (3/2 + 2) g sin 0.3 = 10.1 < 40
  s.integrator = Integrator::variational;
  EXPECT_THROW(simulate(m, set, {.q = q}, s), UnsupportedError);
}

/// A wall throws the block back: v^2 = 4 - 4 x, half of it returns, and it stops v^2 / 4 before the wall.
TEST(MotionFriction, AnImpactTurnsWhatSlides) {
  const Model m = block(0, 2);
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "wall", .coordinates = {"rail"}, .active = false});
  for (const Integrator i : {Integrator::rk4, Integrator::half_explicit})
    for (const double at : {0.1, 0.3, 0.6}) {
      Simulator x(m, set, rubbing(i, 3, 1e-2));
      x.add_event({.name = "hit",
                   .function = coordinate_value(m, "rail", at),
                   .crossing = Crossing::rising,
                   .bounce = {"wall"},
                   .restitution = {{"wall", {0.5}}}});
      const Vector q = Vector::Zero(1), v = Vector::Constant(1, 2);
      const Trajectory t = x.run({.q = q, .v = v});
      ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
      ASSERT_EQ(t.events.size(), 1u);
      ASSERT_EQ(t.events[0].impulse.size(), 1u);
      const double speed = std::sqrt(4 - 4 * at);
      EXPECT_NEAR(t.events[0].impulse[0], -1.5 * speed, 1e-10);
      EXPECT_NEAR(t.q()(0, t.states() - 1), at - speed * speed / 16, 1e-10);
      EXPECT_EQ(t.v()(0, t.states() - 1), 0.0);
    }
}

/// A push of another size between two steps counts from the next one on: what sticks lets go or stays, what slides is
/// braked, stops within a step, and there sticks or slides back. 1 kg, c = 4; to each push the steps, the acceleration
/// while v has the sign of the beginning, and that after a stop.
TEST(MotionFriction, KnowsForcesThatHaveChangedFromTheNextStepOn) {
  struct Push {
    double force;
    int steps;
    double slides, after;
  };
  const Push pushes[] = {{3, 3, 0, 0},   {-4, 2, 0, 0},    {7, 5, 3, 3},   {-2, 4, -6, 0},
                         {3.9, 2, 0, 0}, {-10, 4, -6, -6}, {10, 4, 14, 6}, {0, 3, -4, 0}};
  const Model m = block(0, 4);
  const ConstraintSet none(m);
  const double dt = 0.01;
  for (const Integrator i : k_explicit) {
    Simulator x(m, none, rubbing(i, 1, dt));
    double push = 0, q = 0, v = 0;
    x.set_control([&](SimulationStage& s) { s.tau[0] = push; });
    ASSERT_TRUE(x.start({.q = neutral(m)}));
    for (const Push& p : pushes) {
      push = p.force;
      x.forces_changed();
      const double stop = v * p.slides < 0 ? -v / p.slides : p.steps * dt;  // from now; none: the end
      for (int k = 1; k <= p.steps; ++k) {
        ASSERT_TRUE(x.step()) << x.report().reason;
        const double t = k * dt, first = std::min(t, stop), then = t - first;
        const double right = v + p.slides * first + p.after * then;
        const double place = q + (v + p.slides / 2 * first) * first + p.after / 2 * then * then;
        EXPECT_NEAR(x.state().v[0], right, 1e-12) << name_of(i) << ", " << p.force << " N, step " << k;
        EXPECT_TRUE(x.state().v[0] == 0.0 || p.after != 0 || t < stop + dt / 100) << name_of(i) << ", " << p.force;
        EXPECT_NEAR(x.state().q[0], place, i == Integrator::semi_implicit ? 5e-3 : 1e-12) << name_of(i);
        if (k < p.steps) continue;
        q = x.state().q[0];
        v = x.state().v[0];
      }
    }
  }
}

/// The same as of a motion that begins there with the new torques: a pendulum that swings, stops, and hits a wall.
TEST(MotionFriction, GoesOnWithForcesThatHaveChangedAsAMotionThatBeginsWithThem) {
  RobotDescription d{.name = "pendulum"};
  d.links = {{.name = "base"}, rod("rod")};
  d.joints = {hinge("pin", "base", "rod", {0, 0, 0})};
  d.joints[0].friction = {2.5};
  const Model m = build(d);
  ConstraintSet set(m);
  set.add(JointConstraint{.name = "wall", .coordinates = {"pin"}, .active = false});
  const SimulationEvent hit{.name = "hit",
                            .function = coordinate_value(m, "pin", 0.6),
                            .crossing = Crossing::rising,
                            .bounce = {"wall"},
                            .restitution = {{"wall", {0.5}}}};
  for (const Integrator i : k_explicit) {
    const SimulationSettings settings = rubbing(i, 10, 0.01);
    Simulator x(m, set, settings);
    double push = 0;
    x.set_control([&](SimulationStage& s) { s.tau[0] = push; });
    x.add_event(hit);
    const Vector first = Vector::Constant(1, -1.0);
    ASSERT_TRUE(x.start({.q = first}));
    int stops = 0, hits = 0;
    for (const double next : {0.0, 1.5, -3.0, 2.0, 0.4, -6.0, 1.0, 1.5}) {
      push = next;
      x.forces_changed();
      const Vector q = x.state().q, v = x.state().v, tau = Vector::Constant(1, next);
      Simulator anew(m, set, settings);
      anew.add_event(hit);
      ASSERT_TRUE(anew.start({.q = q, .v = v, .tau = tau, .time = x.state().time}));
      for (int k = 0; k < 60; ++k) {
        const double before = x.state().v[0];
        ASSERT_TRUE(x.step()) << x.report().reason;
        ASSERT_TRUE(anew.step()) << anew.report().reason;
        ASSERT_NEAR(x.state().q[0], anew.state().q[0], 1e-11) << name_of(i) << ", " << next << " N m, step " << k;
        ASSERT_NEAR(x.state().v[0], anew.state().v[0], 1e-11) << name_of(i) << ", " << next << " N m, step " << k;
        stops += before != 0 && x.state().v[0] == 0;
        hits += before > 0.5 && x.state().v[0] < -0.2;
      }
    }
    EXPECT_GT(stops, 0) << name_of(i);
    EXPECT_GT(hits, 0) << name_of(i);
  }
}

TEST(MotionFriction, ARestingSolveAndARolloutRefuseIt) {
  const Model m = block(0, 2);
  ConstraintSet none(m);
  SolverSettings s;
  s.joint_effects.friction = true;
  Solver solver(m, none, s);
  const Vector q = neutral(m), v = Vector::Zero(1), moving = Vector::Ones(1);
  EXPECT_THROW(solver.solve({.q = q}), std::invalid_argument);
  for (const char* word : {"rail", "at rest", "limit"}) EXPECT_SAYS(word, solver.solve({.q = q, .v = v}));
  EXPECT_EQ(solver.try_solve({.q = q, .v = v}).report.status, Status::invalid_input);
  EXPECT_NEAR(solver.solve({.q = q, .v = moving}).acceleration[0], -2, 1e-12);
  Prescribed list;
  prescribe(m, list, "rail", {1});
  EXPECT_EQ(solver.solve({.q = q, .v = v, .prescribed = &list}).report.status, Status::ok);

  BatchSolver batch(m, none, s);
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(3, 1), V(3, 1), A(3, 1);
  V << 1, 0, -1;
  batch.solve({.q = Q, .v = V}, {.acceleration = A});
  EXPECT_EQ(batch.report().status(0), Status::ok);
  EXPECT_EQ(batch.report().status(1), Status::invalid_input);
  EXPECT_NEAR(A(2, 0), 2, 1e-12);
  EXPECT_THROW(batch.rollout({.q = Q, .v = V}, {}), UnsupportedError);
  EXPECT_SAYS("simulate", batch.rollout({.q = Q, .v = V}, {}));
}

}  // namespace
}  // namespace zwang::test
