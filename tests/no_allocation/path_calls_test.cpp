// SPDX-License-Identifier: BSD-3-Clause
// Rows that are eliminated at the ends of their own paths, switched between solves, without one allocation: counted by
// the interposed malloc of support/no_allocation.
#include <gtest/gtest.h>

#include "support/no_allocation.hpp"
#include "support/random.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

TEST(NoPathAllocation, InSolvesResolvesAndColumns) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  BuildOptions options;
  options.root = "floating";
  const Model model = build(sample_quadruped(), options);
  ConstraintSet set(model);
  for (const char* foot : {"LF_foot", "RF_foot", "LH_foot", "RH_foot"})
    set.add(ContactConstraint{.name = foot, .frame = foot, .beta = {0.1, 0.2, 0.3}});
  set.add(FrameConstraint{.name = "knee", .frame = "LF_foot", .rows = rows("angular.x"), .active = false});
  set["RF_foot"].role = Role::driver;
  RandomState x = random_state(model, 5);
  const Index nv = model.nv(), m = set.rows();
  Random random(3);
  Eigen::MatrixXd tau(nv, 5), beta(m, 5), a(nv, 5), lambda(m, 5);
  for (Eigen::MatrixXd* all : {&tau, &beta})
    for (double& number : all->reshaped()) number = random.uniform(-1, 1);
  std::vector<Constraint*> all;
  for (const char* name : {"LF_foot", "RF_foot", "LH_foot", "RH_foot", "knee"}) all.push_back(&set[name]);
  for (const char* method : {"automatic", "pv_early"}) {
    Solver solver(model, set, {.method = method});
    int by_paths = 0, at_root = 0;
    const AllocationGuard guard;
    for (int k = 0; k < 20'000; ++k) {
      Constraint& c = *all[static_cast<std::size_t>(random.below(5))];
      if (k % 3 == 0) c.active = !c.active;
      if (!c.beta.empty()) c.beta[0] = random.uniform(-1, 1);
      x.tau[k % nv] = random.uniform(-3, 3);
      const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
      ++(s.report.place.reason == PlaceOfRows::Reason::own_paths ? by_paths : at_root);
      if (k % 4 == 1) solver.resolve({.tau = x.tau});
      if (k % 4 == 2) solver.solve_columns(tau, beta, a, lambda);
    }
    EXPECT_EQ(guard.count(), 0) << method;
    if (method == std::string("automatic")) {
      EXPECT_GE(by_paths, 5000);
      EXPECT_GE(at_root, 100);
    }
  }
}

}  // namespace
}  // namespace zwang::test
