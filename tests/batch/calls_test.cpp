// SPDX-License-Identifier: BSD-3-Clause
// How a call of a batch may end and where it may be made: stopped by the callback, by an exception of a user's joint,
// in a forked process, beside another batch.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "batch/arrays.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::test {
namespace {

struct Stopper {
  int calls = 0, stop_at = 0;
  long last = 0, states = 0;
  bool throws = false;
  static bool look(void* context, long done, long states) {
    Stopper& s = *static_cast<Stopper*>(context);
    EXPECT_LE(s.last, done);
    s.last = done;
    s.states = states;
    if (++s.calls != s.stop_at) return true;
    if (s.throws) throw std::runtime_error("enough");
    return false;
  }
};

/// A user's joint that takes its time, or refuses to move, where it is told so.
std::atomic<bool> refuses{false}, dawdles{false};
struct Moody {
  static constexpr const char* name = "moody";
  static constexpr int nq = 1, nv = 1;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    if (refuses) throw std::domain_error("moody");
    if (dawdles) std::this_thread::sleep_for(std::chrono::microseconds(50));
    X.R = Mat3<S>::identity();
    X.p = {q[0], S(0), S(0)};
  }
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>* s) {
    s[0] = {{S(1), S(0), S(0)}, Vec3<S>::zero()};
  }
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>* r) {
    r[0] = Motion<S>::zero();
  }
};

/// Every state is ok or was not reached, and then it has no numbers of an earlier call.
template <class Numbers> void expect_numbers_where_ok(const BatchReport& r, const Numbers& x) {
  long ok = 0;
  for (long s = 0; s < r.states; ++s) {
    ASSERT_TRUE(r.status(s) == Status::ok || r.status(s) == Status::stopped);
    ASSERT_EQ(std::isfinite(x(s, 0)), r.status(s) == Status::ok) << s;
    ok += r.status(s) == Status::ok;
  }
  EXPECT_EQ(ok, r.ok);
}

Model moody_chain() {
  RobotDescription d = sample_chain(4);
  d.joints.back().type = "user";
  d.joints.back().user = user_joint<Moody>();
  return build(d);
}

/// A batch that takes a few tenths of a second, so that the callback is asked.
struct Long {
  Model model = moody_chain();
  long n = 20000;
  StateTiles<double> q{n, model.nq()}, v{n, model.nv()}, M{n, model.nv() * model.nv()};
  Long() {
    Random random(3);
    for (long s = 0; s < n; ++s)
      for (Index k = 0; k < model.nv(); ++k) q(s, k) = random.uniform(-3, 3), v(s, k) = 0.1;
    dawdles = true;
  }
  ~Long() { dawdles = false; }
};

TEST(BatchCalls, TheCallbackStops) {
  Long x;
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    dawdles = true;
    Batch batch(x.model, {.threads = threads});
    Stopper stopper;
    stopper.stop_at = 1;
    batch.on_progress(Stopper::look, &stopper);
    const BatchReport& r = batch.mass_matrix_inverse(x.q, x.M);
    dawdles = false;
    ASSERT_TRUE(r.stopped);
    EXPECT_EQ(stopper.calls, 1);
    EXPECT_EQ(stopper.states, x.n);
    EXPECT_EQ(r.states, x.n);
    EXPECT_FALSE(r.good());
    EXPECT_GE(r.ok, stopper.last);
    long ok = 0;
    Batch calm(x.model, {.threads = 1});
    StateTiles<double> one_q(1, x.model.nq()), one(1, x.M.size());
    for (long s = 0; s < x.n; ++s) {
      ok += r.status(s) == Status::ok;
      if (s % 997 != 0 && s + 1 != x.n) continue;
      if (r.status(s) == Status::ok) {
        for (Index k = 0; k < x.model.nq(); ++k) one_q(0, k) = x.q(s, k);
        calm.mass_matrix_inverse(one_q, one);
        for (Index k = 0; k < one.size(); ++k) ASSERT_EQ(one(0, k), x.M(s, k)) << s;
      } else {
        EXPECT_EQ(r.status(s), Status::stopped);
        for (Index k = 0; k < one.size(); ++k) ASSERT_TRUE(std::isnan(x.M(s, k))) << s;
      }
    }
    EXPECT_EQ(ok, r.ok);
    batch.on_progress(nullptr, nullptr);
    EXPECT_TRUE(batch.mass_matrix_inverse(x.q, x.M).good());
    EXPECT_FALSE(batch.report().stopped);
  }
}

TEST(BatchCalls, TheCallbackStopsASolver) {
  const Long x;
  ConstraintSet set(x.model);
  set.add(FrameConstraint{.name = "tip", .frame = x.model.links().back().name, .rows = rows("linear")});
  BatchSolver solver(x.model, set, {}, {.threads = 2});
  Stopper stopper;
  stopper.stop_at = 1;
  solver.on_progress(Stopper::look, &stopper);
  StateTiles<double> q(x.n, x.model.nq()), v(x.n, x.model.nv());
  const BatchReport& r = solver.rollout({.q = x.q, .v = x.v, .steps = 10, .step = 1e-4}, {.q = q, .v = v});
  ASSERT_TRUE(r.stopped);
  EXPECT_LT(r.ok, x.n);
  for (long s = 0; s < x.n; ++s) {
    ASSERT_TRUE(r.status(s) == Status::ok || r.status(s) == Status::stopped);
    ASSERT_EQ(std::isfinite(q(s, 0)) && std::isfinite(v(s, 3)), r.status(s) == Status::ok);
  }
}

TEST(BatchCalls, TheCallbackIsAskedBetweenTilesOfALongRollout) {
  Long x;
  const ConstraintSet set(x.model);
  BatchSolver solver(x.model, set, {}, {.threads = 1});
  Stopper stopper;
  stopper.stop_at = 1;
  solver.on_progress(Stopper::look, &stopper);
  StateTiles<double> q(x.n, x.model.nq()), v(x.n, x.model.nv());
  const BatchReport& r = solver.rollout({.q = x.q, .v = x.v, .steps = 100, .step = 1e-5}, {.q = q, .v = v});
  EXPECT_TRUE(r.stopped);
  EXPECT_LE(r.ok, 32);  // which take more than the tenth of a second after which it is asked
}

TEST(BatchCalls, TheCallbackStopsAFewStatesOnALongWay) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const States<double> x = random_states(m, 8, 3);
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "foot", .frame = m.links().back().name, .rows = rows("linear")});
  set.add(FrameConstraint{.name = "again", .frame = m.links().back().name, .rows = rows("linear"), .active = false});
  StateRows<double> q(8, m.nq());
  for (const bool dependent : {false, true}) {  // in lanes, and one at a time
    set["again"].active = dependent;
    BatchSolver solver(m, set, {}, {.threads = 2});
    Stopper stopper;
    stopper.stop_at = 2;
    solver.on_progress(Stopper::look, &stopper);
    const auto begin = std::chrono::steady_clock::now();
    const BatchReport& r = solver.rollout({.q = x.q, .steps = 100'000'000, .step = 1e-9}, {.q = q});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << "all steps take hours";
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(stopper.calls, 2);
    expect_numbers_where_ok(r, q);
    EXPECT_EQ(r.ok, 0);
  }
}

TEST(BatchCalls, TrajectoriesShareNoMemoryWithInputs) {
  const Model m = build(sample("arm7"));
  const States<double> x = random_states(m, 5, 3);
  ConstraintSet set(m);
  BatchSolver solver(m, set);
  StateRows<double> all = StateRows<double>::Zero(5, 4 * m.nq());  // q, and three steps beside it
  all.leftCols(m.nq()) = x.q;
  const auto roll = [&](int column) {
    solver.rollout({.q = all.leftCols(m.nq()), .steps = 3}, {.q_trajectory = all.middleCols(column, 3 * m.nq())});
  };
  EXPECT_NO_THROW(roll(m.nq()));
  EXPECT_THROW(roll(m.nq() - 1), std::invalid_argument);
  EXPECT_THROW(roll(0), std::invalid_argument);
}

TEST(BatchCalls, AMatrixWithoutRowsIsNotAnAbsentOne) {
  const Model m = build(sample("arm7"));
  const States<double> x = random_states(m, 5, 3);
  ConstraintSet set(m);
  BatchSolver solver(m, set);
  StateRows<double> a(5, m.nv()), none;
  EXPECT_NO_THROW(solver.solve({.q = x.q}, {.acceleration = a}));
  EXPECT_THROW(solver.solve({.q = x.q, .v = none}, {.acceleration = a}), std::invalid_argument);
  EXPECT_THROW(solver.solve({.q = x.q}, {.acceleration = none}), std::invalid_argument);
  EXPECT_THROW(solver.solve({.q = x.q, .prescribed_acceleration = a}, {.acceleration = a}), std::invalid_argument);
}

TEST(BatchCalls, TheCallbackMayThrow) {
  Long x;
  for (const int threads : {1, 3}) {
    dawdles = true;
    Batch batch(x.model, {.threads = threads});
    Stopper stopper;
    stopper.stop_at = 1;
    stopper.throws = true;
    batch.on_progress(Stopper::look, &stopper);
    EXPECT_THROW(batch.mass_matrix_inverse(x.q, x.M), std::runtime_error);
    dawdles = false;
    EXPECT_EQ(stopper.calls, 1) << "it stops the batch";
    expect_numbers_where_ok(batch.report(), x.M);
    EXPECT_LT(batch.report().ok, x.n);
    batch.on_progress(nullptr, nullptr);
    EXPECT_TRUE(batch.mass_matrix_inverse(x.q, x.M).good());
  }
}

TEST(BatchCalls, AUsersExceptionReachesTheCaller) {
  const Model m = moody_chain();
  const long n = 200;
  const States<double> x = random_states(m, n, 3);
  StateRows<double> tau(n, m.nv());
  for (const int threads : {1, 4}) {
    Batch batch(m, {.threads = threads});
    EXPECT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, tau).good());
    refuses = true;
    EXPECT_THROW(batch.inverse_dynamics(x.q, x.v, x.a, tau), std::domain_error);
    refuses = false;
    EXPECT_FALSE(batch.report().good());
    expect_numbers_where_ok(batch.report(), tau);
    EXPECT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, tau).good());
    EXPECT_TRUE(batch.report().good());
  }
}

TEST(BatchCalls, WorksInAForkedProcess) {
  if (k_sanitized) GTEST_SKIP() << "threads after fork are not for sanitizers";
  const Model m = build(sample("arm7"));
  const long n = 500;
  const States<double> x = random_states(m, n, 3);
  StateRows<double> tau(n, m.nv()), again(n, m.nv());
  Batch batch(m, {.threads = 3});
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "hold", .frame = "tool0"});
  BatchSolver solver(m, set, {}, {.threads = 3});
  StateRows<double> a(n, m.nv());
  batch.inverse_dynamics(x.q, x.v, x.a, tau);
  solver.solve({.q = x.q}, {.acceleration = a});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(30);
    batch.inverse_dynamics(x.q, x.v, x.a, again);
    StateRows<double> b(n, m.nv());
    solver.solve({.q = x.q}, {.acceleration = b});
    Batch fresh(m, {.threads = 2});
    fresh.inverse_dynamics(x.q, x.v, x.a, again);
    ::_exit(same_bits(tau, again) && same_bits(a, b) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  batch.inverse_dynamics(x.q, x.v, x.a, again);
  EXPECT_TRUE(same_bits(tau, again));
}

TEST(BatchCalls, MovesAndOtherModels) {
  const Model m = build(sample("arm7")), other = build(sample("gripper"));
  const States<double> x = random_states(m, 40, 3);
  StateRows<double> tau(40, m.nv()), again(40, m.nv());
  Batch a(m, {.threads = 2});
  EXPECT_GE(a.lanes(), 2);
  EXPECT_EQ(FloatBatch(m, {.threads = 1}).lanes(), 2 * a.lanes());
  a.inverse_dynamics(x.q, x.v, x.a, tau);
  Batch b = std::move(a);
  b.inverse_dynamics(x.q, x.v, x.a, again);
  EXPECT_TRUE(same_bits(tau, again));
  a = Batch(other, {.threads = 2});
  EXPECT_THROW(a.inverse_dynamics(x.q, x.v, x.a, again), std::invalid_argument);
  EXPECT_THROW(BatchSolver(other, ConstraintSet(m)), WorkspaceMismatch);
}

}  // namespace
}  // namespace zwang::test
