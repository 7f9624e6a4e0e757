// SPDX-License-Identifier: BSD-3-Clause
// A state that cannot be computed has a Status and NaN; its neighbours are to the bit what they are without it. Wrong
// sizes are refused with the argument's name, what it has and what is expected.
#include <gtest/gtest.h>

#include <functional>

#include "batch/arrays.hpp"
#include "zwang/batch/batch_solver.hpp"
#include "zwang/model/sample.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchStatus : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchStatus, Numbers);

template <class T> bool all_nan(const T& row) { return row.array().isNaN().all(); }

Model quadruped() { return build(sample("quadruped"), {.root = "floating"}); }

/// Spoils a few states one after the other and looks at all.
template <class T> void expect_alone(const std::function<void(States<T>&, long)>& spoil, Status expected) {
  const Model m = quadruped();
  const long n = 70;
  const States<T> good = random_states<T>(m, n, 3);
  BasicBatch<T> batch(m, {.threads = 2});
  StateRows<T> tau(n, m.nv()), a(n, m.nv()), got(n, m.nv());
  batch.inverse_dynamics(good.q, good.v, good.a, tau);
  batch.forward_dynamics(good.q, good.v, good.tau, a);
  for (const std::vector<long>& spoiled : {std::vector<long>{0}, {7}, {33, 34, 69}, {69}}) {
    States<T> x = good;
    for (const long s : spoiled) spoil(x, s);
    const auto check = [&](const StateRows<T>& right) {
      EXPECT_EQ(batch.report().states, n);
      EXPECT_EQ(batch.report().ok, n - static_cast<long>(spoiled.size()));
      EXPECT_FALSE(batch.report().good());
      for (long s = 0; s < n; ++s) {
        const bool bad = std::find(spoiled.begin(), spoiled.end(), s) != spoiled.end();
        EXPECT_EQ(batch.report().status(s), bad ? expected : Status::ok) << s;
        if (bad) {
          EXPECT_TRUE(all_nan(got.row(s))) << s;
        } else {
          EXPECT_TRUE(same_bits(got.row(s), right.row(s))) << s;
        }
      }
    };
    batch.inverse_dynamics(x.q, x.v, x.a, got);
    check(tau);
    batch.forward_dynamics(x.q, x.v, x.tau, got);
    check(a);
  }
}

TYPED_TEST(BatchStatus, NumbersThatAreNotFinite) {
  using T = TypeParam;
  for (const T bad :
       {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    expect_alone<T>([&](States<T>& x, long s) { x.v(s, 4) = bad; }, Status::non_finite_input);
    expect_alone<T>([&](States<T>& x, long s) { x.q(s, 9) = bad; }, Status::non_finite_input);
    expect_alone<T>([&](States<T>& x, long s) { x.q(s, 4) = bad; }, Status::non_finite_input);  // of a quaternion
    expect_alone<T>([&](States<T>& x, long s) { x.a(s, 17) = x.tau(s, 17) = bad; }, Status::non_finite_input);
  }
}

TYPED_TEST(BatchStatus, WrenchesThatAreNotFinite) {
  using T = TypeParam;
  const Model m = quadruped();
  const long n = 40;
  const States<T> x = random_states<T>(m, n, 3);
  StateRows<T> w = StateRows<T>::Ones(n, 6), right(n, m.nv()), tau(n, m.nv());
  BasicBatch<T> batch(m, {.threads = 1});
  const FrameId foot = m.find_frame("LF_foot");
  for (const Reference in : {Reference::local, Reference::world}) {
    w.setOnes();
    EXPECT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, right, {}, {{foot, w, in}}).good());
    w(13, 5) = std::numeric_limits<T>::infinity();
    batch.inverse_dynamics(x.q, x.v, x.a, tau, {}, {{foot, w, in}});
    EXPECT_EQ(batch.report().ok, n - 1);
    EXPECT_EQ(batch.report().status(13), Status::non_finite_input);
    EXPECT_TRUE(all_nan(tau.row(13)) && same_bits(tau.topRows(13), right.topRows(13)) &&
                same_bits(tau.bottomRows(26), right.bottomRows(26)));
  }
}

TYPED_TEST(BatchStatus, QuaternionsOfAnotherLength) {
  using T = TypeParam;
  expect_alone<T>([](States<T>& x, long s) { x.q.row(s).segment(3, 4) *= T(1.001); }, Status::invalid_input);
  expect_alone<T>([](States<T>& x, long s) { x.q.row(s).segment(3, 4) *= T(1 - 4e-6); }, Status::invalid_input);
  expect_alone<T>([](States<T>& x, long s) { x.q.row(s).segment(3, 4).setZero(); }, Status::invalid_input);
  const Model m = quadruped();  // within the tolerance
  States<T> x = random_states<T>(m, 9, 3);
  x.q.middleCols(3, 4) *= T(1 + 5e-7);
  StateRows<T> tau(9, m.nv());
  EXPECT_TRUE(BasicBatch<T>(m, {.threads = 1}).inverse_dynamics(x.q, x.v, x.a, tau).good());
}

TYPED_TEST(BatchStatus, ResultsBeyondTheRange) {
  using T = TypeParam;
  expect_alone<T>(
      [](States<T>& x, long s) { x.v.row(s).tail(12).setConstant(std::sqrt(std::numeric_limits<T>::max()) * T(4)); },
      Status::overflow);
}

/// With all_or_nothing a state whose numbers are refused stops the call before anything is written.
TYPED_TEST(BatchStatus, AllOrNothing) {
  using T = TypeParam;
  const Model m = quadruped();
  const long n = 700;
  const States<T> good = random_states<T>(m, n, 3);
  ConstraintSet set(m);
  set.add(ContactConstraint{.name = "foot", .frame = "LF_foot"});
  StateRows<T> right(n, m.nv()), beta = StateRows<T>::Zero(n, 3), active = StateRows<T>::Ones(n, 1);
  for (const int threads : {1, 3}) {
    BasicBatch<T> batch(m, {.threads = threads});
    BasicBatchSolver<T> solver(m, set, {}, {.threads = threads});
    batch.all_or_nothing(true);
    solver.all_or_nothing(true);
    EXPECT_TRUE(batch.inverse_dynamics(good.q, good.v, good.a, right).good());
    for (const long bad : {0L, 300L, n - 1})
      for (const bool length : {false, true}) {
        States<T> x = random_states<T>(m, n, 3);
        if (length)
          x.q.row(bad).segment(3, 4) *= T(1.01);
        else
          x.v(bad, 2) = std::numeric_limits<T>::quiet_NaN();
        StateRows<T> out = StateRows<T>::Constant(n, m.nv(), T(3)), at(n, m.nq());
        const auto expect = [&](const BatchReport& r, long where, Status status) {
          EXPECT_TRUE((out.array() == T(3)).all());
          EXPECT_EQ(r.ok, 0);
          for (long s = 0; s < n; ++s) ASSERT_EQ(r.status(s), s == where ? status : Status::stopped);
        };
        const Status status = length ? Status::invalid_input : Status::non_finite_input;
        expect(batch.inverse_dynamics(x.q, x.v, x.a, out), bad, status);
        StateTiles<T> tiles(n, m.nq());
        for (long s = 0; s < n; ++s)
          for (Index k = 0; k < m.nq(); ++k) tiles(s, k) = x.q(s, k);
        if (length) expect(batch.gravity_forces(tiles, out), bad, status);
        expect(solver.solve({.q = x.q, .v = x.v}, {.acceleration = out}), bad, status);
        expect(solver.rollout({.q = x.q, .v = x.v, .steps = 2, .step = T(1e-3)}, {.v = out}), bad, status);
        beta(bad, 1) = std::numeric_limits<T>::infinity();
        expect(solver.solve({.q = good.q, .beta = beta}, {.acceleration = out}), bad, Status::non_finite_input);
        active(bad, 0) = 0;  // then nobody reads it
        EXPECT_TRUE(solver.solve({.q = good.q, .beta = beta, .active = active}, {.acceleration = out}).good());
        active(bad, 0) = 1, beta(bad, 1) = 0;
      }
    batch.all_or_nothing(false);
    States<T> x = random_states<T>(m, n, 3);
    x.v(9, 2) = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(batch.inverse_dynamics(x.q, x.v, x.a, right).ok, n - 1);
  }
}

/// A pendulum with a link without mass at its end.
Model massless_tip() {
  RobotDescription d = sample_chain(3);
  d.links.back().mass = 0;
  d.links.back().inertia = {};
  d.links.back().centre = {};
  return build(d);
}

TYPED_TEST(BatchStatus, MassMatricesThatAreSingular) {
  using T = TypeParam;
  const Model m = massless_tip();
  const long n = 21;
  const States<T> x = random_states<T>(m, n, 4);
  BasicBatch<T> batch(m, {.threads = 1});
  StateRows<T> a(n, m.nv()), M(n, m.nv() * m.nv());
  EXPECT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, a).good());
  EXPECT_TRUE(batch.mass_matrix(x.q, M).good());
  for (int call = 0; call < 3; ++call) {
    if (call == 0) batch.forward_dynamics(x.q, x.v, x.tau, a);
    if (call == 1) batch.mass_matrix_inverse(x.q, M);
    if (call == 2) batch.mass_matrix_solve(x.q, x.tau, a);
    EXPECT_EQ(batch.report().ok, 0) << call;
    for (long s = 0; s < n; ++s) EXPECT_EQ(batch.report().status(s), Status::singular_mass) << call;
    EXPECT_TRUE(all_nan(call == 1 ? M : a)) << call;
  }
}

/// A slider without mass carries a pendulum: singular where the pendulum points along the rail.
TYPED_TEST(BatchStatus, MassMatricesThatAreSingularInAFewStates) {
  using T = TypeParam;
  RobotDescription d;
  d.name = "slider";
  d.links = {{"base", 1, {}, {1, 0, 1, 0, 0, 1}}, {"cart", 0, {}, {}}, {"bob", 1, {1, 0, 0}, {}}};
  JointDescription rail, hinge;
  rail.name = "rail", rail.type = "prismatic", rail.parent = "base", rail.child = "cart", rail.axis = {1, 0, 0};
  hinge.name = "hinge", hinge.type = "revolute", hinge.parent = "cart", hinge.child = "bob", hinge.axis = {0, 1, 0};
  d.joints = {rail, hinge};
  const Model m = build(d);
  const long n = 35;
  StateRows<T> q = StateRows<T>::Constant(n, 2, T(0.3)), zero = StateRows<T>::Zero(n, 2), a(n, 2), right(n, 2);
  BasicBatch<T> batch(m, {.threads = 1});
  EXPECT_TRUE(batch.forward_dynamics(q, zero, zero, right).good());
  q(5, 1) = q(34, 1) = static_cast<T>(3.14159265358979323846 / 2);
  batch.forward_dynamics(q, zero, zero, a);
  EXPECT_EQ(batch.report().ok, n - 2);
  for (long s = 0; s < n; ++s) {
    const bool singular = s == 5 || s == 34;
    EXPECT_EQ(batch.report().status(s), singular ? Status::singular_mass : Status::ok) << s;
    if (singular) {
      EXPECT_TRUE(all_nan(a.row(s)));
    } else {
      EXPECT_TRUE(same_bits(a.row(s), right.row(s)));
    }
  }
}

template <class Call> std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) { return e.what(); }
  return "not refused";
}

TYPED_TEST(BatchStatus, WrongSizesAreRefusedByName) {
  using T = TypeParam;
  const Model m = quadruped();
  BasicBatch<T> batch(m, {.threads = 1});
  const States<T> x = random_states<T>(m, 5, 4);
  StateRows<T> tau(5, m.nv()), few(4, m.nv()), narrow(5, m.nv() - 1), pose(5, 12);
  const auto expect = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
  };
  expect(refusal([&] { batch.inverse_dynamics(x.v, x.v, x.a, tau); }), {"inverse_dynamics", "q", "18", "19"});
  expect(refusal([&] { batch.inverse_dynamics(x.q, few, x.a, tau); }), {"v.rows()", "4", "5"});
  expect(refusal([&] { batch.inverse_dynamics(x.q, x.v, narrow, tau); }), {"a.cols()", "17", "18"});
  expect(refusal([&] { batch.inverse_dynamics(x.q, x.v, x.a, narrow); }), {"tau.cols()", "17", "18"});
  expect(refusal([&] { batch.inverse_dynamics(x.q, x.v, x.a, few); }), {"tau.rows()", "4", "5"});
  expect(refusal([&] { batch.frame_pose(x.q, m.links()[0].frame, pose); }), {"pose.cols()", "12", "16"});
  expect(refusal([&] { batch.inverse_dynamics(x.q, x.v, x.a, {}); }), {"tau"});
  expect(refusal([&] { batch.inverse_dynamics({}, x.v, x.a, tau); }), {"q"});
  const Eigen::Matrix<T, Eigen::Dynamic, 1> one = x.q.row(0);
  expect(refusal([&] { batch.gravity_forces(StatesIn<T>::for_all(one), tau); }), {"q", "how many states"});
  expect(refusal([&] {
           batch.bias_forces(x.q, x.v, tau, {}, {{m.links()[0].frame, x.v, Reference::local}});
         }),
         {"external wrench", "18", "6"});
  expect(refusal([&] {
           batch.bias_forces(x.q, x.v, tau, {}, {{m.links()[0].frame, {}, Reference::local}});
         }),
         {"external wrench"});
  EXPECT_THROW(batch.frame_pose(x.q, FrameId(100000), pose), std::exception);
  EXPECT_TRUE(batch.inverse_dynamics(x.q, x.v, x.a, tau).good());  // and goes on
}

}  // namespace
}  // namespace zwang::test
