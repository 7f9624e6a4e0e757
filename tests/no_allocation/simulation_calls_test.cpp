// SPDX-License-Identifier: BSD-3-Clause
// Steps of a motion allocate nothing: every integrator, loops with dependent rows, projection, a control and an event.
#include <gtest/gtest.h>

#include "simulation/cases.hpp"
#include "support/no_allocation.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

TEST(SimulationCalls, StepsAllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const DoubleFourBar bars(0.05);
  BuildOptions options;
  options.root = "floating";
  const Model quadruped = build(sample("quadruped"), options);
  ConstraintSet foot(quadruped);
  foot.add(ContactConstraint{.name = "foot", .frame = "LF_foot", .normal = {0, 0, 1}});
  const ConstraintSet nothing(quadruped);
  struct {
    const Model& model;
    const ConstraintSet& set;
    Eigen::VectorXd q;
  } const cases[] = {{bars.model, bars.set, bars.at(1.0)},
                     {quadruped, foot, neutral(quadruped)},
                     {quadruped, nothing, neutral(quadruped)}};
  for (const auto& x : cases)
    for (const std::string& name : integrators())
      for (const Keep keep : {Keep::stabilisation, Keep::projection}) {
        if (name == "variational" && x.set.rows() == 3) continue;  // its rows have no position error
        SCOPED_TRACE(name + " " + name_of(keep));
        Simulator simulator(x.model, x.set, {.time = 1, .dt = 1e-3, .integrator = integrator_of(name), .keep = keep});
        simulator.set_control([](SimulationStage& s) { s.tau[0] = 0.1 * s.v[0]; });
        simulator.add_event(
            {.name = "fast", .function = coordinate_rate(x.model, x.model.coordinate_names()[0], 100), .stop = true});
        ASSERT_TRUE(simulator.start({.q = x.q})) << simulator.report().reason;
        simulator.step();  // factors that are made where they are first needed
        EXPECT_NO_ALLOCATION({
          for (int k = 0; k < 20; ++k) EXPECT_TRUE(simulator.step());
        });
      }
}

}  // namespace
}  // namespace zwang::test
