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

}  // namespace
}  // namespace zwang::test
