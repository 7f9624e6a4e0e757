// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies, by every method: switched on and off, with new targets and gains, without one allocation.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

TEST(NoLoopAllocation, WhateverIsSwitchedByAnyMethod) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  for (const char* sample_name : {"quadruped", "zoo", "gripper"}) {
    const Model m = build(sample(sample_name), {.root = "floating"});
    const RandomState x = random_state(m, 5);
    const auto& links = m.links();
    const std::string a = links.back().name, b = links[links.size() / 2].name, c = links[1].name;
    ConstraintSet set(m);
    set.add(LoopConstraint{.name = "hinge", .frame = a, .other = b, .rows = joint_rows("hinge")});
    set.add(LoopConstraint{
        .name = "soft", .frame = c, .other = a, .rows = rows("linear.z"), .policy = Policy::soft, .compliance = {0.1}});
    set.add(DistanceConstraint{.name = "rod", .frame = b, .point = {0.1, 0, 0}, .other = c, .length = 0.5});
    set.add(CentreOfMassConstraint{.name = "balance", .rows = rows("linear.x linear.y"), .active = false});
    set.add(FrameConstraint{.name = "held", .frame = b, .rows = rows("linear.x")});
    set.add_group("between bodies", {"rod", "hinge", "soft"});
    const std::string group = "between bodies";
    for (const char* name : {"hinge", "rod"}) {
      set[name].target.assign(set[name].beta.size(), 0.0);
      set[name].target_velocity.assign(set[name].beta.size(), 0.0);
    }
    std::vector<Constraint*> all;
    for (const char* name : {"hinge", "soft", "rod", "balance", "held"}) all.push_back(&set[name]);
    for (const std::string& method : methods()) {
      if (method == "pv_soft" || method == "constrained_aba") continue;             // soft rows; rows on one body
      if (method == "loop_aba" && std::string(sample_name) == "gripper") continue;  // it mimics
      SolverSettings settings;
      settings.method = method;
      Solver solver(m, set, settings);
      Random random(3);
      solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
      const AllocationGuard guard;
      for (int k = 0; k < 3000; ++k) {
        Constraint& y = *all[static_cast<std::size_t>(random.below(5))];
        switch (random.below(4)) {
          case 0: y.active = !y.active; break;
          case 1: y.beta[0] = random.uniform(-2, 2); break;
          case 2:
            if (y.relation != nullptr) y.stabilisation.time_constant = random.uniform(0.1, 1);
            break;
          case 3:
            if (!y.target.empty()) y.target[0] = random.uniform(-1, 1);
        }
        solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
        if (k % 3 == 0) solver.resolve({.tau = x.tau});
        if (k % 5 == 0) set.set_active(group, solver.solution().group(group).power > 0);
      }
      EXPECT_EQ(guard.count(), 0) << sample_name << " by " << method;
    }
  }
}

TEST(NoLoopAllocation, ConstrainedAbaOnRowsOfOneBody) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const RandomState x = random_state(m, 5);
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    set.add(FrameConstraint{.name = foot, .frame = foot, .rows = rows("linear")});
  SolverSettings settings;
  settings.method = "constrained_aba";
  Solver solver(m, set, settings);
  solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
  Constraint* const feet[] = {&set["LF_foot"], &set["RH_foot"]};
  Random random(3);
  int by_itself = 0;
  const AllocationGuard guard;
  for (int k = 0; k < 3000; ++k) {
    Constraint& y = *feet[random.below(2)];
    if (random.below(2))
      y.active = !y.active;
    else
      y.beta[0] = random.uniform(-2, 2);
    by_itself += solver.solve({.q = x.q, .v = x.v, .tau = x.tau}).report.iterations > 1;
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(by_itself, 3000);
}

}  // namespace
}  // namespace zwang::test
