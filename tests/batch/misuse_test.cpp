// SPDX-License-Identifier: BSD-3-Clause
// Mistakes of a C++ program around batches: objects that were moved from, arrays that are nowhere, reports of nothing,
// and rows that call the batch that evaluates them.
#include <gtest/gtest.h>

#include <atomic>

#include "batch/arrays.hpp"
#include "support/says.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchMisuse : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchMisuse, Numbers);

TYPED_TEST(BatchMisuse, OfABatchThatWasMovedFrom) {
  using T = TypeParam;
  const Model m = build(sample_arm7());
  const States<T> x = random_states<T>(m, 5, 1);
  StateRows<T> out(5, m.nv());
  BasicBatch<T> a(m, {.threads = 1});
  BasicBatch<T> b = std::move(a);
  EXPECT_TRUE(b.inverse_dynamics(x.q, x.v, x.a, out).good());
  EXPECT_SAYS("moved from", a.inverse_dynamics(x.q, x.v, x.a, out));
  EXPECT_SAYS("moved from", a.model());
  EXPECT_SAYS("moved from", a.threads());
  EXPECT_SAYS("moved from", a.lanes());
  EXPECT_SAYS("moved from", a.reserve(3));
  EXPECT_SAYS("moved from", a.report());
  EXPECT_SAYS("moved from", a.on_progress(nullptr, nullptr));
  const ConstraintSet set(m);
  BasicBatchSolver<T> c(m, set, {}, {.threads = 1});
  BasicBatchSolver<T> d = std::move(c);
  EXPECT_TRUE(d.solve({.q = x.q}, {.acceleration = out}).good());
  EXPECT_SAYS("moved from", c.solve({.q = x.q}, {.acceleration = out}));
  EXPECT_SAYS("moved from", c.rollout({.q = x.q}, {.v = out}));
  EXPECT_SAYS("moved from", c.model());
  EXPECT_SAYS("moved from", c.settings());
  EXPECT_SAYS("moved from", c.threads());
  EXPECT_SAYS("moved from", c.reserve(3));
  EXPECT_SAYS("moved from", c.report());
  EXPECT_SAYS("moved from", c.solved_alone());
  EXPECT_SAYS("moved from", c.on_progress(nullptr, nullptr));
}

TYPED_TEST(BatchMisuse, OfArraysThatAreNowhere) {
  using T = TypeParam;
  const Model m = build(sample_arm7());
  const States<T> x = random_states<T>(m, 5, 1);
  StateRows<T> out(5, m.nv());
  Eigen::Map<StateRows<T>> nowhere(nullptr, 5, m.nv());
  const Eigen::Map<const StateRows<T>> nothing(nullptr, 5, m.nv());
  BasicBatch<T> batch(m, {.threads = 1});
  EXPECT_SAYS("'q' is a null pointer", batch.inverse_dynamics(nothing, x.v, x.a, out));
  EXPECT_SAYS("'v' is a null pointer", batch.inverse_dynamics(x.q, nothing, x.a, out));
  EXPECT_SAYS("'tau' is a null pointer", batch.inverse_dynamics(x.q, x.v, x.a, nowhere));
  const Eigen::Map<const StateRows<T>> no_push(nullptr, 5, 6);
  const BatchWrenches<T> push{{m.find_frame(m.links().back().name), no_push, Reference::world}};
  EXPECT_SAYS("is a null pointer", batch.inverse_dynamics(x.q, x.v, x.a, out, {}, push));
  const ConstraintSet set(m);
  BasicBatchSolver<T> solver(m, set, {}, {.threads = 1});
  EXPECT_SAYS("'q' is a null pointer", solver.solve({.q = nothing}, {.acceleration = out}));
  EXPECT_SAYS("is a null pointer",
              solver.solve({.q = x.q, .prescribed = {0, 1, 2, 3, 4, 5, 6}, .prescribed_acceleration = nothing},
                           {.acceleration = out}));
}

TYPED_TEST(BatchMisuse, OfAReportOfNothing) {
  const BatchReport none;
  EXPECT_THROW(none.status(0), std::out_of_range);
  const Model m = build(sample_arm7());
  BasicBatch<TypeParam> batch(m, {.threads = 1});
  EXPECT_THROW(batch.report().status(0), std::out_of_range);
  const States<TypeParam> x = random_states<TypeParam>(m, 5, 1);
  StateRows<TypeParam> out(5, m.nv());
  const BatchReport& report = batch.gravity_forces(x.q, out);
  EXPECT_EQ(report.status(4), Status::ok);
  EXPECT_THROW(report.status(5), std::out_of_range);
  EXPECT_THROW(report.status(-1), std::out_of_range);
}

/// Rows of the user are evaluated by the threads of the batch, one state after the other.
TYPED_TEST(BatchMisuse, OfABatchByRowsThatItEvaluates) {
  using T = TypeParam;
  struct Rows : CustomRows {
    std::function<void()> then = [] {};
    Index rows() const override { return 1; }
    void evaluate(const double* q, const double*, double* phi, double* J, double*) const override {
      phi[0] = q[0];
      J[0] = 1;
      then();
    }
  };
  const Model m = build(sample_arm7());
  const States<T> x = random_states<T>(m, 40, 1);
  StateRows<T> out(40, m.nv()), other(40, m.nv());
  const auto own = std::make_shared<Rows>();
  ConstraintSet set(m);
  CustomConstraint c{.name = "own"};
  c.rows = own;
  set.add(c);
  for (const int threads : {1, 2}) {
    BasicBatchSolver<T> solver(m, set, {}, {.threads = threads});
    std::atomic<int> refused{0};
    const auto refuses = [&](const std::function<void()>& f) {
      refused += message_of(f).find("is at work") != std::string::npos;
    };
    own->then = [&] {
      refuses([&] { solver.solve({.q = x.q}, {.acceleration = other}); });
      refuses([&] { solver.reserve(100000); });
    };
    EXPECT_TRUE(solver.solve({.q = x.q}, {.acceleration = out}).good());
    EXPECT_GE(refused, 80);
    EXPECT_LE(out.col(0).cwiseAbs().maxCoeff(), T(1e-4));
    own->then = [] {};
    EXPECT_TRUE(solver.solve({.q = x.q}, {.acceleration = out}).good()) << "it is usable afterwards";
  }
}

}  // namespace
}  // namespace zwang::test
