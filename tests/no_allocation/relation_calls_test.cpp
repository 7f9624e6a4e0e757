// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies: no type of constraint allocates when it is evaluated.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

struct Own : CustomRows {
  Index rows() const override { return 2; }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    for (int r = 0; r < 2; ++r) {
      phi[r] = q[r];
      J[r] = 1 + v[r];
      Jdot_v[r] = v[r];
    }
  }
};

ConstraintSet one_of_each(const Model& m) {
  ConstraintSet set(m);
  set.add(LoopConstraint{.name = "loop", .frame = "LF_foot", .other = "RH_foot"});
  set.add(LoopConstraint{
      .name = "points", .frame = "LF_foot", .other = "RH_foot", .rows = rows("linear"), .in = "local_world_aligned"});
  set.add(DistanceConstraint{.name = "rod", .frame = "LF_foot", .other = "RH_foot", .length = 1});
  set.add(RollingConstraint{.name = "wheel", .frame = "RF_foot", .radius = 0.1, .axis = {0, 1, 0}});
  const std::vector<std::string> legs{m.coordinate_names()[6], m.coordinate_names()[8]};
  set.add(CouplingConstraint{.name = "gear", .coordinates = legs, .polynomial = {1, 2, 3}});
  set.add(CentreOfMassConstraint{.name = "balance"});
  set.add(CustomConstraint{.name = "own", .rows = std::make_shared<Own>()});
  set.add(FrameConstraint{.name = "hold", .frame = "LH_foot", .has_target = true});
  set.add(ContactConstraint{.name = "touch", .frame = "RF_foot", .has_target = true});
  return set;
}

TEST(NoAllocationOfRelations, WhenEvaluated) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  BuildOptions options;
  options.root = "floating";
  const Model m = build(sample("quadruped"), options);
  const ConstraintSet set = one_of_each(m);
  Data data(m);
  const RandomState x = random_state(m, 3);
  forward_kinematics(m, data, x.q, x.v);
  std::vector<double> phi(6), gamma(6), given(36);
  std::vector<Force<double>> K(static_cast<std::size_t>(6 * m.bodies()));
  for (const Constraint& c : set.constraints()) {
    const AllocationGuard guard;
    for (int k = 0; k < 3; ++k)
      c.relation->evaluate(data, x.q.data(), x.v.data(), {phi.data(), gamma.data(), K.data(), given.data()});
    const long count = guard.count();
    EXPECT_EQ(count, 0) << c.name;
  }
}

}  // namespace
}  // namespace zwang::test
