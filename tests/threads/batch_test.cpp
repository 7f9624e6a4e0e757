// SPDX-License-Identifier: BSD-3-Clause
// Batches in threads of their own, each with threads of its own, on one Model: results are the serial ones, bit by bit.
#include <gtest/gtest.h>

#include <thread>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/batch/batch_derivatives.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

struct Results {
  StateRows<double> tau, a, q, gradient;
  bool operator==(const Results& o) const { return tau == o.tau && a == o.a && q == o.q && gradient == o.gradient; }
};

/// A few calls of a Batch, of a BatchSolver that leaves some states to the solver of one state,
/// and of BatchDerivatives.
Results work(const Model& m, const StateRows<double>& q, const StateRows<double>& v, int threads) {
  const long n = q.rows();
  Results r{StateRows<double>(n, m.nv()), StateRows<double>(n, m.nv()), StateRows<double>(n, m.nq()),
            StateRows<double>(n, m.nv())};
  Batch batch(m, {.threads = threads});
  ConstraintSet set(m);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot"});
  set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});
  StateRows<double> active = StateRows<double>::Ones(n, 2);
  for (long s = 0; s < n; ++s) active(s, 1) = s % 9 == 0;
  BatchSolver solver(m, set, {}, {.threads = threads});
  BatchDerivatives derivatives(m, set, {}, {.threads = threads});
  const auto look = [](void* context, long, long) {
    ++*static_cast<int*>(context);
    return true;
  };
  int looks = 0;
  batch.on_progress(look, &looks, 0);
  for (int k = 0; k < 3; ++k) {
    batch.inverse_dynamics(q, v, v, r.tau);
    solver.solve({.q = q, .v = v, .active = active}, {.acceleration = r.a});
    solver.rollout({.q = q, .v = v, .steps = 3, .active = active}, {.q = r.q});
    derivatives.vjp({.q = q, .v = v, .active = active}, {.acceleration = v}, {.q = r.gradient});
  }
  EXPECT_GE(looks, 3);
  return r;
}

TEST(BatchesInThreads, ShareAModel) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const long n = effort(1500) + 130;
  StateRows<double> q(n, m.nq()), v(n, m.nv());
  for (long s = 0; s < n; ++s) {
    const RandomState x = random_state(m, static_cast<std::uint64_t>(s));
    q.row(s) = x.q, v.row(s) = x.v;
  }
  const Results serial = work(m, q, v, 1);
  std::vector<Results> found(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] { found[static_cast<std::size_t>(t)] = work(m, q, v, t + 1); });
  for (std::thread& t : threads) t.join();
  for (const Results& r : found) EXPECT_TRUE(r == serial);
}

}  // namespace
}  // namespace zwang::test
