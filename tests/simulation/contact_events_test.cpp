// SPDX-License-Identifier: BSD-3-Clause
// Events of integrator contact: what begins and ceases to touch, by times of closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/scenery.hpp"
#include "support/says.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

using Kind = ContactChange::Kind;

SimulationEvent touch(const std::string& a = "", const std::string& b = "", bool stop = false) {
  return {.name = "touch", .contact = ContactChange{Kind::touch, a, b}, .stop = stop};
}
SimulationEvent leave(const std::string& a = "", const std::string& b = "") {
  return {.name = "leave", .contact = ContactChange{Kind::leave, a, b}};
}

/// Impacts with restitution are events of their own instants: after the first fall of 1 m every flight takes 0.8 of the
/// one before.
TEST(ContactEvents, AnImpactIsATouchAndALeaveAtItsInstant) {
  const LooseBodies b({ball("ball", 1, 0.1, {0.3, 0, 1.1})});
  const Scene scene = on_ground(b.model, 0, 0.8);
  const ConstraintSet none(b.model);
  Simulator s(b.model, none, touching(2, 1e-3), scene);
  s.add_event(touch("ball", "ground"));
  s.add_event(leave());
  const Trajectory t = s.run({.q = b.q, .v = b.v});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  ASSERT_GE(t.events.size(), 6u);
  ASSERT_EQ(static_cast<long>(t.events.size()), 2 * t.report.contact.impacts);
  double at = std::sqrt(2 / k_fall), flight = 2 * at;
  for (std::size_t k = 0; k + 1 < t.events.size(); k += 2) {
    for (std::size_t i = 0; i < 2; ++i) {
      const EventRecord& e = t.events[k + i];
      EXPECT_EQ(e.name, i == 0 ? "touch" : "leave");
      EXPECT_EQ(e.event, static_cast<Index>(i));
      EXPECT_TRUE(std::isnan(e.energy_before) && std::isnan(e.energy_after));
      EXPECT_NEAR(e.time, at, 1e-11);
      EXPECT_EQ(std::minmax(e.a, e.b), std::minmax(std::string("ball"), std::string("ground")));
      EXPECT_TRUE(e.has_place);
      EXPECT_NEAR(e.point.x, 0.3, 1e-12);
      EXPECT_NEAR(e.point.z, 0, 1e-9);
      ASSERT_LT(static_cast<std::size_t>(e.state), t.time.size());
      EXPECT_GE(t.time[static_cast<std::size_t>(e.state)], e.time);
      EXPECT_LT(t.time[static_cast<std::size_t>(e.state - 1)], e.time);
    }
    flight *= 0.8;
    at += flight;
  }
}

/// Without restitution a body touches at the end of the step in which it arrives. It leaves in the step that lifts it.
TEST(ContactEvents, WhatLandsTouchesOnceAndLeavesWhenItIsLifted) {
  const LooseBodies b({box("box", 2, {0.2, 0.2, 0.2}, {0, 0, 0.6}), ball("other", 1, 0.1, {2, 0, 0.1})});
  const ConstraintSet none(b.model);
  Simulator s(b.model, none, touching(1, 1e-3), on_ground(b.model, 0.5));
  for (const char* name : {"box", "other"}) s.add_event(touch(name));
  s.add_event(leave("ground", "box"));
  const Index z = b.model.joint("free box").v.first + 2;
  s.set_control([z](SimulationStage& x) { x.tau[z] = x.time > 0.7 - 1e-9 ? 30 : 0; });
  const Trajectory t = s.run({.q = b.q, .v = b.v});
  ASSERT_EQ(t.report.status, Status::ok) << t.report.reason;
  ASSERT_EQ(t.events.size(), 2u);  // the ball lies there from the start
  const double fall = std::sqrt(2 * 0.5 / k_fall);
  EXPECT_EQ(t.events[0].name, "touch");
  EXPECT_EQ(t.events[0].event, 0);
  EXPECT_GE(t.events[0].time, fall - 1e-3);
  EXPECT_LE(t.events[0].time, fall + 1.5e-3);
  EXPECT_EQ(t.time[static_cast<std::size_t>(t.events[0].state)], t.events[0].time);
  EXPECT_EQ(t.events[1].name, "leave");
  EXPECT_EQ(t.events[1].event, 2);
  EXPECT_NEAR(t.events[1].time, 0.701, 1e-9);
}

/// It ends the motion with its step; a limit and a row of the set touch, too, under their own names.
TEST(ContactEvents, ATouchMayStopTheMotion) {
  LooseBodies b({{.name = "box", .mass = 3, .at = {0.3, 0, -0.4}, .bare = true}});
  ConstraintSet set(b.model);
  set.add(DistanceConstraint{.name = "rope", .frame = "base", .other = "box", .length = 1, .sense = {Sense::at_most}});
  Simulator s(b.model, set, {.time = 4, .dt = 1e-3, .integrator = Integrator::contact, .every = 100}, Scene(b.model));
  s.add_event(touch("rope", "", true));
  for (int run = 0; run < 2; ++run) {
    const Trajectory t = s.run({.q = b.q, .v = b.v});
    const double taut = std::sqrt(2 * (std::sqrt(1 - 0.09) - 0.4) / k_fall);
    EXPECT_EQ(t.report.status, Status::ok) << t.report.reason;
    ASSERT_EQ(t.events.size(), 1u);
    EXPECT_EQ(t.events[0].a, "");
    EXPECT_EQ(t.events[0].b, "rope");
    EXPECT_FALSE(t.events[0].has_place);
    EXPECT_EQ(t.report.time, t.events[0].time);
    EXPECT_EQ(t.time.back(), t.report.time);
    EXPECT_TRUE(std::isnan(t.events[0].energy_before) && std::isnan(t.events[0].energy_after));
    EXPECT_GE(t.report.time, taut - 1e-3);
    EXPECT_LE(t.report.time, taut + 1.5e-3);
    EXPECT_EQ(t.events[0].state, static_cast<long>(t.time.size()) - 1);
  }
}

TEST(ContactEvents, WhatIsNoSuchEventIsRefusedByName) {
  const LooseBodies b({ball("ball", 1, 0.1, {0, 0, 1})});
  const ConstraintSet none(b.model);
  const auto add = [&](const SimulationEvent& e, Integrator integrator = Integrator::contact) {
    SimulationSettings settings = touching(1, 1e-3);
    settings.integrator = integrator;
    (integrator == Integrator::contact ? Simulator(b.model, none, settings, on_ground(b.model, 0.5))
                                       : Simulator(b.model, none, settings))
        .add_event(e);
  };
  EXPECT_NO_THROW(add(touch("ball", "ground")));
  EXPECT_SAYS("ground", add(touch("ball", "grund")));
  EXPECT_SAYS("integrator 'contact'", add(touch("ball"), Integrator::rk4));
  SimulationEvent e = touch("ball");
  e.on = {"something"};
  EXPECT_SAYS("recorded, or stops", add(e));
  e = touch("ball");
  e.function = point_height(b.model, "ball", {0, 0, 0}, {0, 0, 1});
  EXPECT_SAYS("one of them", add(e));
}

}  // namespace
}  // namespace zwang::test
