// SPDX-License-Identifier: BSD-3-Clause
// Steps of a batch of scenes allocate nothing once its copies have touched, on one thread and on two.
#include "simulation/many_copies.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {
namespace {

TEST(BatchSimulatorCalls, StepsAllocateNothing) {
  ZWANG_NEEDS_ALLOCATION_COUNT();
  const Quadrupeds x(6);
  for (const int threads : {1, 2}) {
    BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, 6, {.threads = threads});
    ASSERT_EQ(batch.reset({.q = x.q, .v = x.v}).ok, 6);
    for (int k = 0; k < 20; ++k) batch.step(x.holding(batch));
    StateRows<double> tau = x.holding(batch);
    EXPECT_NO_ALLOCATION({
      for (int k = 0; k < 500; ++k) {
        for (Eigen::Index c = 0; c < 6; ++c)
          for (Eigen::Index i = 6; i < tau.cols(); ++i)
            tau(c, i) = 300 * (x.q(0, i + 1) - batch.q()(c, i + 1)) - 8 * batch.v()(c, i);
        batch.step(tau);
      }
    });
    EXPECT_EQ(batch.report().ok, 6);
    EXPECT_GT(batch.report(0).contact.warm_steps, 100);
  }
}

}  // namespace
}  // namespace zwang::test
