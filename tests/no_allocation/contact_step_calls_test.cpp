// SPDX-License-Identifier: BSD-3-Clause
// Steps with contact allocate nothing where there are no more points than at the start: a box that lies and slides,
// balls that bounce, limits and dry friction, a step that finds no answer but in the last stages.
#include "simulation/scenery.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

TEST(ContactStepCalls, AllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Loose sliding = box("box", 2, {0.4, 0.3, 0.2}, {0, 0, 0.1});
  sliding.velocity = {2, 1, 0};
  sliding.turning = {0, 0, 3};
  const LooseBodies b({sliding, ball("ball", 1, 0.1, {1, 0, 0.4}), box("other", 1, {0.2, 0.2, 0.2}, {0, 0, 0.3})});
  Scene scene = on_ground(b.model, 0.4);
  scene.set_pair("ball", "ground", {.friction = 0.5, .restitution = 0.7});
  Scenery run(b, scene, touching(1, 1e-3));
  ASSERT_TRUE(run.begun) << run.report().reason;
  const auto steps = [&] {
    for (int k = 0; k < 600; ++k) run.simulator.step();
  };
  EXPECT_NO_ALLOCATION(steps());
  EXPECT_EQ(run.report().status, Status::ok) << run.report().reason;
  EXPECT_GT(run.report().contact.impacts, 0);
}

/// Contacts of a set, a rope, and events of what touches.
TEST(ContactStepCalls, RowsOfTheUserAllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  Loose sliding{
      .name = "box", .mass = 2, .size = {0.4, 0.3, 0.2}, .at = {0, 0, 0.1}, .velocity = {2, 1, 0}, .bare = true};
  const LooseBodies b({sliding, {.name = "weight", .at = {0.3, 0, 0.6}, .bare = true}});
  ConstraintSet set(b.model);
  for (int k = 0; k < 4; ++k)
    set.add(ContactConstraint{.name = "corner" + std::to_string(k),
                              .frame = "box",
                              .point = {k & 1 ? 0.2 : -0.2, k & 2 ? 0.15 : -0.15, -0.1},
                              .friction = 0.3,
                              .sense = {Sense::at_least},
                              .has_target = true});
  set.add(DistanceConstraint{.name = "rope",
                             .frame = "base",
                             .point = {0, 0, 1},
                             .other = "weight",
                             .length = 0.8,
                             .sense = {Sense::at_most}});
  Simulator s(b.model, set, touching(1, 1e-3), Scene(b.model));
  s.add_event({.name = "leave", .contact = ContactChange{ContactChange::Kind::leave, "corner0"}});
  ASSERT_TRUE(s.start({.q = b.q, .v = b.v})) << s.report().reason;
  for (int k = 0; k < 300; ++k) s.step();  // the rope is taut for the first time
  const auto steps = [&] {
    for (int k = 0; k < 500; ++k) s.step();
  };
  EXPECT_NO_ALLOCATION(steps());
  EXPECT_EQ(s.report().status, Status::ok) << s.report().reason;
  EXPECT_EQ(s.state().contacts.size(), 5u);
}

}  // namespace
}  // namespace zwang::test
