// SPDX-License-Identifier: BSD-3-Clause
// The Delassus operator: nothing allocates once it is made, whatever rows are on.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/factor/delassus.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

TEST(NoAllocationOfDelassus, WhateverRowsAreOn) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  BuildOptions options;
  options.root = "floating";
  const Model m = build(sample("quadruped"), options);
  ConstraintSet set(m);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot"}) set.add(ContactConstraint{.name = foot, .frame = foot});
  set.add(LoopConstraint{.name = "loop", .frame = "LF_foot", .other = "RH_foot", .rows = rows("linear")});
  Constraint& soft = set["RF_foot"];
  soft.policy = Policy::soft;
  soft.compliance.assign(static_cast<std::size_t>(soft.size()), 1e-3);
  Delassus delassus(m, set);
  const RandomState x = random_state(m, 3);
  const Prescribed held = {{7, 0.0}};
  Eigen::MatrixXd G(12, 12), small(9, 9);
  Eigen::VectorXd b = Eigen::VectorXd::Ones(12), y(12), mu = Eigen::VectorXd::Constant(12, 0.1);
  Eigen::VectorXd less = Eigen::VectorXd::Ones(9), z(9);
  const AllocationGuard guard;
  for (int k = 0; k < 3; ++k) {
    set["loop"].active = k != 1;
    delassus.compute(x.q, {}, k == 2 ? &held : nullptr);
    Eigen::MatrixXd& out = k == 1 ? small : G;
    const Eigen::VectorXd& right = k == 1 ? less : b;
    Eigen::VectorXd& left = k == 1 ? z : y;
    for (const DelassusMethod method : {DelassusMethod::pv_osimr, DelassusMethod::efpa, DelassusMethod::dense})
      delassus.matrix(out, method);
    delassus.apply(right, left);
    delassus.solve(right, 0.1, left);
    if (k != 1) delassus.solve(b, mu, y);
    delassus.damped_inverse(0.1, out);
  }
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(y.allFinite() && z.allFinite());
}

}  // namespace
}  // namespace zwang::test
