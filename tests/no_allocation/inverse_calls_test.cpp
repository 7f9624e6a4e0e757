// SPDX-License-Identifier: BSD-3-Clause
// ConstrainedInverseDynamics allocates nothing in solve and try_solve, from the first one on: met demands, conflicts,
// redundant rows, penalties, refusals.
#include "support/no_allocation.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang::test {
namespace {

TEST(InverseCalls, SolveAllocatesNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  LoadOptions options;
  options.root = "floating";
  const Model model = load(model_file("quadruped.urdf"), options);
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(ContactConstraint{.name = "again", .frame = "RH_foot"});
  set.add(FrameConstraint{.name = "trunk", .frame = "trunk", .rows = rows("angular"), .role = Role::driver});
  const Eigen::VectorXd q = random(model, 3), v = Eigen::VectorXd::Ones(model.nv()), a = -v;
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(model.nv()), nan = v;
  weight.tail(6).setZero();
  nan(2) = std::nan("");
  const Externals external{external_wrench(model, model.find_frame("trunk"), {1, 2, 3, 4, 5, 6})};
  ConstrainedInverseDynamics inverse(model, set);
  EXPECT_NO_ALLOCATION(inverse.solve({.q = q, .v = v, .a = a}));
  EXPECT_EQ(inverse.solution().report.redundant.size(), 3U);
  EXPECT_EQ(inverse.solution().report.status, Status::infeasible);
  EXPECT_FALSE(inverse.solution().report.conflicts.empty());
  EXPECT_NO_ALLOCATION(inverse.solve({.q = q, .v = v, .a = a, .weight = weight, .external = &external}));
  EXPECT_NO_ALLOCATION(inverse.try_solve({.q = q, .v = nan}));
  set["LF_foot"].active = false;
  inverse.settings().force = 1e-3;
  EXPECT_NO_ALLOCATION(inverse.try_solve({.q = q, .v = v, .a = a}));
  inverse.settings().friction = {{"RH_foot", 0.3}, {"RF_foot", 0.3}};
  EXPECT_NO_ALLOCATION(inverse.try_solve({.q = q, .v = v, .a = a}));
  inverse.settings().friction.clear();
  set["trunk"].active = false;
  inverse.settings().penalty = 100;
  EXPECT_NO_ALLOCATION(inverse.try_solve({.q = q, .v = v, .a = a}));
  EXPECT_EQ(inverse.solution().report.status, Status::ok);
}

}  // namespace
}  // namespace zwang::test
