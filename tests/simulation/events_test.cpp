// SPDX-License-Identifier: BSD-3-Clause
// Events: what may rebound, functions that are past zero when they are needed, what happens at one instant.
#include <gtest/gtest.h>

#include "simulation/cases.hpp"
#include "support/says.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_gravity = 9.81;

/// Two bodies of 2 kg, each on a vertical rail of its own.
Model two_lifts() {
  RobotDescription d{.name = "lifts"};
  d.links = {{.name = "base"}};
  for (const char* name : {"box", "other"}) {
    d.links.push_back({.name = name, .mass = 2, .inertia = Sym3<double>::diagonal(1, 1, 1)});
    d.joints.push_back({.name = std::string(name) + "_rail", .type = "prismatic", .parent = "base", .child = name});
  }
  return build(d);
}
ConstraintSet floors(const Model& m) {
  ConstraintSet set(m);
  for (const char* name : {"box", "other"})
    set.add(ContactConstraint{
        .name = std::string(name) + "_floor", .frame = name, .normal = {0, 0, 1}, .rows = 1, .active = false});
  return set;
}
std::shared_ptr<EventFunction> height(const Model& m, const char* frame, double over = 0) {
  return point_height(m, frame, {0, 0, 0}, {0, 0, 1}, over);
}
/// A time that has come: falls through zero.
struct Clock : EventFunction {
  explicit Clock(double at) : at_(at) {}
  double operator()(const SimulationState& s) override { return at_ - s.time; }
  double at_;
};
std::shared_ptr<EventFunction> clock_at(double time) { return std::make_shared<Clock>(time); }

TEST(Events, RowsThatAreSwitchedOnDoNotRebound) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  const auto add = [&](const SimulationEvent& e) { Simulator(m, set).add_event(e); };
  const auto over = height(m, "box");
  const SimulationEvent refused[] = {
      {.name = "hit", .function = over, .on = {"box_floor"}, .restitution = {{"box_floor", {0.8}}}},
      {.name = "hit", .function = over, .on = {"box_floor"}, .bounce = {"box_floor"}},
      {.name = "hit",
       .function = over,
       .on = {"box_floor"},
       .bounce = {"other_floor"},
       .restitution = {{"box_floor", {0.1}}}},
      {.name = "hit", .function = over, .bounce = {"other_floor"}, .restitution = {{"box_floor", {1}}}},
  };
  for (const SimulationEvent& e : refused) {
    EXPECT_THROW(add(e), std::invalid_argument);
    for (const char* word : {"hit", "box_floor", "bounce"}) EXPECT_SAYS(word, add(e));
  }
  EXPECT_NO_THROW(add({.name = "hit", .function = over, .on = {"box_floor"}, .restitution = {{"box_floor", {0}}}}));
  EXPECT_NO_THROW(add({.name = "hit",
                       .function = over,
                       .on = {"other_floor"},
                       .bounce = {"box_floor"},
                       .restitution = {{"box_floor", {0.5}}}}));
}

/// Two events of one instant: what one switches on holds, whatever the other lets rebound. No energy comes from it.
TEST(Events, WhatIsSwitchedOnHoldsWhereAnotherEventLetsItBounce) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  const NumbersByName back = {{"box_floor", {0.8}}};
  for (const bool first : {true, false})
    for (const double from : {0.1, 1.0, 7.0})
      for (const Restitution model : {Restitution::newton, Restitution::poisson}) {
        Simulator x(m, set, {.time = 2, .dt = 1e-2, .integrator = Integrator::rk4});
        const SimulationEvent rest{.name = "rest", .function = height(m, "box"), .on = {"box_floor"}};
        const SimulationEvent hit{
            .name = "hit", .function = height(m, "box"), .bounce = {"box_floor"}, .restitution = back, .model = model};
        x.add_event(first ? rest : hit);
        x.add_event(first ? hit : rest);
        Vector q(2);
        q << from, 100;
        const Trajectory t = x.run({.q = q});
        ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
        ASSERT_EQ(t.events.size(), 2u);
        EXPECT_NEAR(t.q()(0, t.states() - 1), 0, 1e-10);
        EXPECT_NEAR(t.v()(0, t.states() - 1), 0, 1e-12);
        for (std::size_t k = 1; k < t.energy.size(); ++k) EXPECT_LE(t.energy[k], t.energy[k - 1] + 1e-9);
      }
}

/// A row that already holds is not thrown back: a bounce has nothing to do there.
TEST(Events, RowsThatHoldDoNotBounce) {
  const Model m = two_lifts();
  ConstraintSet set = floors(m);
  set["box_floor"].active = true;
  Simulator x(m, set, {.time = 1, .dt = 1e-2, .integrator = Integrator::rk4});
  x.add_event({.name = "hit",
               .function = clock_at(0.5),
               .bounce = {"box_floor"},
               .restitution = {{"box_floor", {1}}},
               .model = Restitution::poisson});
  const Trajectory t = x.run({.q = neutral(m)});
  EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_TRUE(t.events.empty());
  EXPECT_NEAR(t.q()(0, t.states() - 1), 0, 1e-12);
}

/// The row is switched off where its event's function is past zero by `depth` already:
/// the body lands where it goes deeper.
TEST(Events, LandWhereTheRowWasSwitchedOffPastZero) {
  const Model m = two_lifts();
  for (const double depth : {0.0, 1e-17, 1e-9, 5e-4})
    for (const Integrator i : {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit})
      for (const double off : {0.1, 0.2345, 0.5}) {
        ConstraintSet set = floors(m);
        set["box_floor"].active = true;
        Simulator x(m, set, {.time = 1, .dt = 1e-2, .integrator = i});
        x.add_event({.name = "land", .function = height(m, "box"), .on = {"box_floor"}});
        x.add_event({.name = "let go", .function = clock_at(off), .off = {"box_floor"}});
        Vector q(2);
        q << -depth, 1000;
        const Trajectory t = x.run({.q = q});
        ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
        ASSERT_EQ(t.events.size(), 2u) << depth << " " << name_of(i);
        EXPECT_EQ(t.events[0].name, "let go");
        EXPECT_EQ(t.events[1].name, "land");
        // 1e-12 deeper after the root of 2e-12 / g
        EXPECT_NEAR(t.events[1].time, off, 1e-6);
        EXPECT_GT(t.q().row(0).minCoeff(), -depth - 1e-11);
      }
}

/// The same upwards: a body that is pushed against a ceiling, and a joint against its stop.
TEST(Events, ReachAStopAgainThatTheyHavePassed) {
  const Model m = pendulum();
  for (const double past : {0.0, 1e-9, 5e-4}) {
    ConstraintSet set(m);
    set.add(JointConstraint{.name = "stop", .coordinates = {"pin"}});
    Simulator x(m, set, {.time = 1, .dt = 1e-2, .integrator = Integrator::rk4});
    x.add_event({.name = "at the stop",
                 .function = coordinate_value(m, "pin", 0.3),
                 .crossing = Crossing::rising,
                 .on = {"stop"}});
    x.add_event({.name = "let go", .function = clock_at(0.4), .off = {"stop"}});
    x.set_control([](SimulationStage& s) { s.tau[0] = 20; });
    const Vector q = Vector::Constant(1, 0.3 + past);
    const Trajectory t = x.run({.q = q});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    ASSERT_EQ(t.events.size(), 2u);
    EXPECT_EQ(t.events[1].name, "at the stop");
    EXPECT_LT(t.q().row(0).maxCoeff(), 0.3 + past + 1e-11);
  }
}

/// Time goes on: what was switched on at a time is not switched on again when it is switched off.
TEST(Events, DoNotHappenAgainWhereTheirFunctionHasGoneOn) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  for (const double off : {0.31, 0.5, 0.8}) {
    Simulator x(m, set, {.time = 1, .dt = 1e-2, .integrator = Integrator::rk4});
    x.add_event({.name = "hold", .function = clock_at(0.3), .on = {"box_floor"}});
    x.add_event({.name = "let go", .function = clock_at(off), .off = {"box_floor"}});
    const Trajectory t = x.run({.q = neutral(m)});
    ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
    EXPECT_EQ(t.events.size(), 2u);
    EXPECT_NEAR(t.v()(0, t.states() - 1), -k_gravity * (1 - off), 1e-9);
  }
}

/// A body that comes up below its floor and turns there lands where it turns.
TEST(Events, TakeTheirLevelAlongWhereTheFunctionComesBack) {
  const Model m = two_lifts();
  ConstraintSet set = floors(m);
  set["box_floor"].active = true;
  const double depth = 5e-4, push = 2 * k_gravity + 4;  // 2 m/s^2 upwards for 0.01 s, then free: 1e-4 + 0.02^2 / 2 g
  Simulator x(m, set, {.time = 1, .dt = 1e-3, .integrator = Integrator::rk4});
  x.add_event({.name = "land", .function = height(m, "box"), .on = {"box_floor"}});
  x.add_event({.name = "let go", .function = clock_at(0.1), .off = {"box_floor"}});
  x.set_control([&](SimulationStage& s) { s.tau[0] = s.time < 0.11 - 1e-9 ? push : 0; });
  Vector q(2);
  q << -depth, 1000;
  const Trajectory t = x.run({.q = q});
  ASSERT_EQ(t.events.size(), 2u);
  const double top = -depth + 1e-4 + 4e-4 / (2 * k_gravity);
  EXPECT_NEAR(t.q()(0, t.states() - 1), top, 5e-5);  // the control changes within a step
  EXPECT_NEAR(t.q()(0, t.states() - 1), t.q().row(0).maxCoeff(), 1e-5);
}

/// It lands while it is pulled up: the impulse stops it, the row would pull, so it is let go at the same instant.
TEST(Events, LetGoAtOnceOfARowThatWouldPull) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  for (const double push : {20.0, 40.0, 200.0})  // more than the weight, 19.62 N
    for (const Integrator i : {Integrator::rk4, Integrator::half_explicit}) {
      Simulator x(m, set, {.time = 1, .dt = 1e-3, .integrator = i});
      x.add_event({.name = "land", .function = height(m, "box"), .on = {"box_floor"}});
      x.add_event({.name = "lift", .function = row_multiplier(set, "box_floor:normal"), .off = {"box_floor"}});
      Vector q(2), v(2), tau(2);
      q << 0.5, 1000;
      v << -30, 0;
      tau << push, 0;
      const Trajectory t = x.run({.q = q, .v = v, .tau = tau});
      ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
      ASSERT_EQ(t.events.size(), 2u) << push;
      EXPECT_EQ(t.events[1].name, "lift");
      EXPECT_EQ(t.events[0].time, t.events[1].time);
      const double a = push / 2 - k_gravity, left = 1 - t.events[0].time;
      EXPECT_NEAR(t.events[0].time, (30 - std::sqrt(900 - 2 * a * 0.5)) / a, 1e-11);
      EXPECT_NEAR(t.q()(0, t.states() - 1), a * left * left / 2, 1e-10);
    }
}

/// Two bodies that reach their floors at the same time: no one falls through.
TEST(Events, AreAllDueThatCrossAtOneInstant) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  for (const double apart : {0.0, 1e-17, 1e-14, 1e-12, 1e-9})
    for (const double from : {0.3, 1.7})
      for (const Keep keep : {Keep::stabilisation, Keep::projection}) {
        Simulator x(m, set, {.time = 1, .dt = 1e-2, .integrator = Integrator::rk4, .keep = keep});
        for (const char* name : {"box", "other"})
          x.add_event({.name = name, .function = height(m, name), .on = {std::string(name) + "_floor"}});
        Vector q(2);
        q << from, from + apart;
        const Trajectory t = x.run({.q = q});
        ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
        EXPECT_EQ(t.events.size(), 2u);
        EXPECT_GT(t.q().minCoeff(), -1e-11);
      }
}

TEST(Events, SayThatTheyBeginPastZero) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  const auto notes = [&](double z, Crossing crossing) {
    Simulator x(m, set, {.time = 0.1, .integrator = Integrator::rk4});
    x.add_event({.name = "land", .function = height(m, "box"), .crossing = crossing, .on = {"box_floor"}});
    Vector q(2);
    q << z, 1;
    const Trajectory t = x.run({.q = q});
    EXPECT_EQ(t.events.size(), z < 0 && z > -1e-9 ? 1u : 0u);  // by rounding: it stands on the floor
    std::size_t found = 0;
    for (const SimulationNote& note : t.report.notes)
      found += note.text.find("'land' begins past zero") != std::string::npos;
    return found;
  };
  EXPECT_EQ(notes(-0.1, Crossing::falling), 1u);
  EXPECT_EQ(notes(0.1, Crossing::falling), 0u);
  EXPECT_EQ(notes(1, Crossing::rising), 1u);
  EXPECT_EQ(notes(-1e-17, Crossing::falling), 0u);
}

/// The body falls for three steps, is then pushed down, and hits the floor within the first step that knows of it.
TEST(Events, ComeWhenForcesThatHaveChangedBringThem) {
  const Model m = two_lifts();
  const ConstraintSet set = floors(m);
  const double dt = 0.01, fallen = 3 * dt, last = 0.008, pushed = 100, down = k_gravity + pushed, back = 0.5;
  for (const Integrator i :
       {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit, Integrator::dormand_prince}) {
    const bool first_order = i == Integrator::semi_implicit;  // q moves with the velocity at the end of each part
    const double speed = k_gravity * fallen, hit = speed + down * last, rest = dt - last;
    const double before = first_order ? 2 * speed * dt : speed * fallen / 2;
    const double from = before + speed * last + (first_order ? 1 : 0.5) * down * last * last;
    Simulator x(m, set, {.time = 1, .dt = dt, .integrator = i});
    double push = 0;
    x.set_control([&](SimulationStage& s) { s.tau[0] = push; });
    x.add_event(
        {.name = "hit", .function = height(m, "box"), .bounce = {"box_floor"}, .restitution = {{"box_floor", {back}}}});
    Vector q(2);
    q << from, 100;
    ASSERT_TRUE(x.start({.q = q}));
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(x.step());
    push = -2 * pushed;
    x.forces_changed();
    ASSERT_TRUE(x.step());
    EXPECT_NEAR(x.state().v[0], back * hit - down * rest, 1e-9) << name_of(i);
    EXPECT_NEAR(x.state().q[0], (back * hit - (first_order ? 1 : 0.5) * down * rest) * rest, 1e-11) << name_of(i);
    EXPECT_NEAR(x.state().time, fallen + dt, 1e-15);
    EXPECT_NEAR(x.state().acceleration[0], -down, 1e-10);
  }
}

/// What an event watches jumps with the forces: the body leaves the floor from the very state at which they change.
TEST(Events, OfForcesThatHaveChangedComeAtOnce) {
  const Model m = two_lifts();
  ConstraintSet set = floors(m);
  set["box_floor"].active = true;
  const double dt = 0.01;
  for (const Integrator i :
       {Integrator::semi_implicit, Integrator::rk4, Integrator::half_explicit, Integrator::dormand_prince}) {
    Simulator x(m, set, {.time = 1, .dt = dt, .integrator = i});
    double push = 0;
    x.set_control([&](SimulationStage& s) { s.tau[0] = push; });
    x.add_event({.name = "lift", .function = row_multiplier(set, "box_floor:normal"), .off = {"box_floor"}});
    Vector q(2);
    q << 0, 100;
    ASSERT_TRUE(x.start({.q = q}));
    for (const double less : {0.0, 0.5, 1.0}) {  // of its weight, carried; the last leaves no force, and no crossing
      push = less * 2 * k_gravity;
      x.forces_changed();
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(x.step());
      EXPECT_NEAR(x.state().multipliers[0], (1 - less) * 2 * k_gravity, 1e-12) << name_of(i);
      EXPECT_NEAR(x.state().v[0], 0, 1e-15);
    }
    push = 2 * (k_gravity + 6);
    x.forces_changed();
    EXPECT_NEAR(x.state().multipliers[0], 0, 1e-12);  // of the state as it was reached
    for (int k = 1; k < 4; ++k) {
      ASSERT_TRUE(x.step());
      EXPECT_NEAR(x.state().v[0], 6 * k * dt, 1e-11) << name_of(i) << ", step " << k;
      EXPECT_EQ(x.state().multipliers[0], 0.0);
    }
  }
}

/// A row with a sense that does not regard where it is holds bodies in the air: refused, at once and where an event
/// would switch it on. One that looks ahead, and what a driver demands, are right.
TEST(Events, RowsWithASenseRegardWhereTheyAre) {
  const Model m = two_lifts();
  const auto with = [&](const ContactConstraint& c) {
    ConstraintSet set(m);
    set.add(c);
    return set;
  };
  const ContactConstraint bare{
      .name = "floor", .frame = "box", .normal = {0, 0, 1}, .rows = 1, .sense = {Sense::at_least}};
  ContactConstraint placed = bare, ahead = bare, demand = bare, off = bare;
  placed.has_target = ahead.has_target = true;
  ahead.stabilisation = {0.01, 1};
  demand.role = Role::driver;
  off.active = false;
  for (const ContactConstraint& c : {bare, placed}) {
    const ConstraintSet set = with(c);
    EXPECT_THROW(Simulator(m, set), UnsupportedError);
    for (const char* word : {"floor", "in the air", "time_constant", "events"}) EXPECT_SAYS(word, Simulator(m, set));
  }
  const ConstraintSet later = with(off);
  Simulator x(m, later);
  EXPECT_THROW(x.add_event({.name = "land", .function = height(m, "box"), .on = {"floor"}}), UnsupportedError);
  EXPECT_NO_THROW(x.add_event({.name = "hit", .function = height(m, "box"), .bounce = {"floor"}}));
  EXPECT_NO_THROW(Simulator(m, with(demand)));
  ConstraintSet pin(m);
  pin.add(JointConstraint{.name = "stop", .coordinates = {"box_rail"}, .sense = {Sense::at_most}});
  EXPECT_THROW(Simulator(m, pin), UnsupportedError);
  // Thrown up from the floor, it comes down and stays.
  Vector q(2), v(2);
  q << 0.1, 100;
  v << 2, 0;
  const Trajectory t = simulate(m, with(ahead), {.q = q, .v = v}, {.time = 2, .integrator = Integrator::rk4});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  EXPECT_NEAR(t.q().row(0).maxCoeff(), 0.1 + 4 / (2 * k_gravity), 1e-5);
  EXPECT_NEAR(t.q()(0, t.states() - 1), 0, 1e-6);
}

}  // namespace
}  // namespace zwang::test
