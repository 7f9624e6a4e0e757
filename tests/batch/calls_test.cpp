// SPDX-License-Identifier: BSD-3-Clause
// How a call of a batch may end and where it may be made: stopped by the callback, by an exception of a user's joint,
// in a forked process, beside another batch.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "batch/arrays.hpp"
#include "support/child.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::test {
namespace {

/// Asked at every look (interval 0): says no, or throws, at a look of a given number.
struct Stopper {
  long stop_at = 0, calls = 0, last = 0, states = 0;
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

/// A gate at which a second thread waits until the callback opens it, and the calling thread until the second has come:
/// then the calling thread is done first.
struct Gate {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> reached{false}, open{false};
  void pass() {
    const bool is_caller = std::this_thread::get_id() == caller;
    if (!is_caller) reached = true;
    while (!(is_caller ? reached : open)) std::this_thread::yield();
  }
};

/// A user's joint that refuses to move, or waits at a gate, where it is told so.
std::atomic<bool> refuses{false};
std::atomic<Gate*> gate{nullptr};
struct Moody {
  static constexpr const char* name = "moody";
  static constexpr int nq = 1, nv = 1;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    if (refuses) throw std::domain_error("moody");
    if (gate.load() != nullptr) gate.load()->pass();
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

constexpr long k_group = 256;  ///< states between two looks
/// States of which each of up to three threads has several groups.
struct Many {
  Model model = moody_chain();
  long n = 10 * k_group + 5;
  StateTiles<double> q{n, model.nq()}, v{n, model.nv()}, M{n, model.nv() * model.nv()};
  Many() {
    Random random(3);
    for (long s = 0; s < n; ++s)
      for (Index k = 0; k < model.nv(); ++k) q(s, k) = random.uniform(-3, 3), v(s, k) = 0.1;
  }
};

TEST(BatchCalls, TheCallbackStops) {
  Many x;
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Batch batch(x.model, {.threads = threads});
    Stopper stopper{.stop_at = 2};
    batch.on_progress(Stopper::look, &stopper, 0);
    const BatchReport& r = batch.mass_matrix_inverse(x.q, x.M);
    ASSERT_TRUE(r.stopped);
    EXPECT_EQ(stopper.calls, 2);
    EXPECT_EQ(stopper.states, x.n);
    EXPECT_EQ(r.states, x.n);
    EXPECT_GE(stopper.last, k_group);
    EXPECT_GE(r.ok, stopper.last);
    if (threads == 1) { EXPECT_EQ(r.ok, k_group); }
    EXPECT_LE(r.ok, x.n - x.n / 3 + k_group) << "the calling thread goes on";
    long ok = 0;
    Batch calm(x.model, {.threads = 1});
    StateTiles<double> one_q(1, x.model.nq()), one(1, x.M.size());
    for (long s = 0; s < x.n; ++s) {
      ok += r.status(s) == Status::ok;
      if (s % 97 != 0 && s + 1 != x.n) continue;
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

TEST(BatchCalls, TheCallbackIsAskedBeforeEachGroupOfStates) {
  Many x;
  Batch batch(x.model, {.threads = 1});
  Stopper counter;
  batch.on_progress(Stopper::look, &counter, 0);
  EXPECT_TRUE(batch.mass_matrix_inverse(x.q, x.M).good());
  EXPECT_EQ(counter.calls, 11);
  EXPECT_EQ(counter.last, 10 * k_group);
  batch.on_progress(Stopper::look, &counter, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(batch.mass_matrix_inverse(x.q, x.M).good());
  EXPECT_EQ(counter.calls, 11) << "the interval is not over";
}

TEST(BatchCalls, AnIntervalThatIsNoTimeIsRefused) {
  const Model m = build(sample("arm7"));
  const ConstraintSet set(m);
  Batch batch(m);
  BatchSolver solver(m, set);
  BatchDerivatives derivatives(m, set);
  Stopper counter;
  for (const double wrong : {-1e-300, -std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(batch.on_progress(Stopper::look, &counter, wrong), std::invalid_argument);
    EXPECT_THROW(solver.on_progress(Stopper::look, &counter, wrong), std::invalid_argument);
    EXPECT_THROW(derivatives.on_progress(Stopper::look, &counter, wrong), std::invalid_argument);
  }
}

/// Asked while the calling thread waits for another one: opens the gate, and perhaps throws.
struct Opener {
  Gate gate;
  bool throws = false;
  long calls = 0, last = 0;
  static bool look(void* context, long done, long) {
    Opener& x = *static_cast<Opener*>(context);
    ++x.calls;
    x.last = done;
    if (done < k_group) return true;
    x.gate.open = true;
    if (x.throws) throw std::runtime_error("enough");
    return true;
  }
};

TEST(BatchCalls, TheCallbackIsAskedWhileOtherThreadsAreAtWork) {
  Many x;
  for (const bool throws : {false, true}) {
    Batch batch(x.model, {.threads = 2});
    Opener opener;
    opener.throws = throws;
    batch.on_progress(Opener::look, &opener, 0);
    StateTiles<double> q(2 * k_group, x.model.nq()), M(2 * k_group, x.M.size());  // a group for each thread
    for (long s = 0; s < 2 * k_group; ++s)
      for (Index k = 0; k < x.model.nq(); ++k) q(s, k) = x.q(s, k);
    gate = &opener.gate;
    if (throws) {
      EXPECT_THROW(batch.mass_matrix_inverse(q, M), std::runtime_error);
    } else {
      EXPECT_TRUE(batch.mass_matrix_inverse(q, M).good());
    }
    gate = nullptr;
    EXPECT_EQ(batch.report().ok, 2 * k_group) << "what others have begun is done";
    EXPECT_EQ(batch.report().stopped, throws);
    EXPECT_GE(opener.last, k_group);
    if (throws) { EXPECT_EQ(opener.calls, 2) << "nobody is asked again"; }
  }
}

TEST(BatchCalls, TheCallbackStopsASolver) {
  const Many x;
  ConstraintSet set(x.model);
  set.add(FrameConstraint{.name = "tip", .frame = x.model.links().back().name, .rows = rows("linear")});
  BatchSolver solver(x.model, set, {}, {.threads = 2});
  Stopper stopper{.stop_at = 9};
  solver.on_progress(Stopper::look, &stopper, 0);
  StateTiles<double> q(x.n, x.model.nq()), v(x.n, x.model.nv());
  const BatchReport& r = solver.rollout({.q = x.q, .v = x.v, .steps = 10, .step = 1e-4}, {.q = q, .v = v});
  ASSERT_TRUE(r.stopped);
  EXPECT_EQ(stopper.calls, 9);
  EXPECT_LT(r.ok, x.n);
  for (long s = 0; s < x.n; ++s) {
    ASSERT_TRUE(r.status(s) == Status::ok || r.status(s) == Status::stopped);
    ASSERT_EQ(std::isfinite(q(s, 0)) && std::isfinite(v(s, 3)), r.status(s) == Status::ok);
  }
}

TEST(BatchCalls, TheCallbackIsAskedBetweenTilesOfALongRollout) {
  const Many x;
  const ConstraintSet set(x.model);
  BatchSolver solver(x.model, set, {}, {.threads = 1});
  solver.on_progress([](void*, long done, long) { return done == 0; }, nullptr, 0);
  StateTiles<double> q(x.n, x.model.nq()), v(x.n, x.model.nv());
  const BatchReport& r = solver.rollout({.q = x.q, .v = x.v, .steps = 100, .step = 1e-5}, {.q = q, .v = v});
  EXPECT_TRUE(r.stopped);
  EXPECT_EQ(r.ok, 32);
}

/// All steps would take hours: where nobody is asked, the test does not end.
constexpr Index k_endless = 100'000'000;

TEST(BatchCalls, TheCallbackStopsAFewStatesOnALongWay) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const States<double> x = random_states(m, 8, 3);
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "foot", .frame = m.links().back().name, .rows = rows("linear")});
  StateRows<double> q(8, m.nq());
  for (const char* method : {"automatic", "dense_qr"}) {  // in lanes, and one at a time
    BatchSolver solver(m, set, {.method = method}, {.threads = 2});
    Stopper stopper{.stop_at = 5};
    solver.on_progress(Stopper::look, &stopper, 0);
    const BatchReport& r = solver.rollout({.q = x.q, .steps = k_endless, .step = 1e-9}, {.q = q});
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(stopper.calls, 5);
    expect_numbers_where_ok(r, q);
    EXPECT_EQ(r.ok, 0);
  }
}

TEST(BatchCalls, TheCallbackStopsAnotherThreadOnALongWay) {
  const Model m = build(sample("arm7"));
  States<double> x = random_states(m, 64, 3);
  x.q.topRows(32).setConstant(std::nan(""));  // the calling thread has nothing to do
  ConstraintSet set(m);
  set.add(FrameConstraint{.name = "tool", .frame = "tool0", .rows = rows("linear")});
  BatchSolver solver(m, set, {.method = "dense_qr"}, {.threads = 2});  // one state at a time
  solver.on_progress([](void*, long done, long) { return done < 32; }, nullptr, 0);
  StateRows<double> q(64, m.nq());
  const BatchReport& r = solver.rollout({.q = x.q, .steps = k_endless, .step = 1e-9}, {.q = q});
  EXPECT_TRUE(r.stopped);
  for (long s = 0; s < 64; ++s) {
    ASSERT_EQ(r.status(s), s < 32 ? Status::non_finite_input : Status::stopped) << s;
    ASSERT_TRUE(std::isnan(q(s, 0))) << s;
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
  Many x;
  for (const int threads : {1, 3}) {
    Batch batch(x.model, {.threads = threads});
    Stopper stopper{.stop_at = 2, .throws = true};
    batch.on_progress(Stopper::look, &stopper, 0);
    EXPECT_THROW(batch.mass_matrix_inverse(x.q, x.M), std::runtime_error);
    EXPECT_EQ(stopper.calls, 2) << "it stops the batch";
    expect_numbers_where_ok(batch.report(), x.M);
    EXPECT_GE(batch.report().ok, k_group);
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
    end_with_parent();
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
