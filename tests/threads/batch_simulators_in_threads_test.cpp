// SPDX-License-Identifier: BSD-3-Clause
// Batches of scenes in threads of their own, each with threads of its own, on one Model and one Scene.
#include <gtest/gtest.h>

#include <thread>

#include "simulation/many_copies.hpp"

namespace zwang::test {
namespace {

StateRows<double> moved(const Quadrupeds& x, int threads) {
  const auto n = static_cast<Index>(x.q.rows());
  BatchSimulator batch(x.model, x.set, touching(1, 1e-3), x.scene, n, {.threads = threads});
  int looks = 0;
  batch.on_progress([](void* context, long, long) { return ++*static_cast<int*>(context) > 0; }, &looks, 0);
  batch.reset({.q = x.q, .v = x.v});
  for (int k = 0; k < 20; ++k) batch.step(x.holding(batch), 10);
  EXPECT_GE(looks, 20);
  EXPECT_EQ(batch.report().ok, n);
  return batch.q();
}

TEST(BatchSimulatorsInThreads, ShareAModelAndAScene) {
  const Quadrupeds x(19);
  const StateRows<double> serial = moved(x, 1);
  std::vector<StateRows<double>> found(3);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&, k] { found[k] = moved(x, 1 + static_cast<int>(k)); });
  for (std::thread& t : threads) t.join();
  for (const auto& q : found) EXPECT_TRUE(q == serial);
}

}  // namespace
}  // namespace zwang::test
