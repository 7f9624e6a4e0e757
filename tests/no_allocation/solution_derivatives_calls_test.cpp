// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a solution allocate in their first call alone.
#include "support/no_allocation.hpp"
#include "zwang/dynamics/derivatives.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

TEST(SolutionDerivativeCalls, AllocateInTheirFirstCallOnly) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Model robot = build(sample_quadruped(), {.root = "floating"});
  ConstraintSet set(robot);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot"});
  set.add(FrameConstraint{
      .name = "axes", .frame = "RF_foot", .rows = rows("linear.x"), .in = "LH_foot", .role = Role::driver});
  set.add(LoopConstraint{
      .name = "loop", .frame = "RF_foot", .other = "RH_foot", .rows = rows("linear.z"), .stabilisation = {0.3, 1}});
  set.add(CentreOfMassConstraint{.name = "centre", .rows = rows("linear.y")});
  Solver solver(robot, set);
  Eigen::VectorXd q = neutral(robot);
  const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(robot.nv(), -0.5, 0.7);
  q = integrate(robot, q, d);
  const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(set.rows(), -1, 1);
  Externals external;
  for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned})
    external.push_back(external_wrench(robot, "RH_foot", {1, 2, 3, 4, 5, 6}, in));
  const SolveInput input{.q = q, .v = d, .tau = d, .external = &external};
  const auto all = [&] {
    solver.solve(input);
    bool ok = solver.derivatives().status == Status::ok;
    ok = ok && solver.vjp({d, w, d}).status == Status::ok;
    ok = ok && solver.jvp({d, d, d, w}).status == Status::ok;
    return ok && solver.hvp({d, d, d, w}, {d, w, d}).status == Status::ok;
  };
  ASSERT_TRUE(all());
  const AllocationGuard guard;
  EXPECT_TRUE(all());
  EXPECT_TRUE(all());
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace zwang::test
