// SPDX-License-Identifier: BSD-3-Clause
// BatchDerivatives gives the numbers of a fresh Solver for each state, to the bit: so does every number of threads and
// every place in the batch. A state without derivatives is a status and zeros.
#include "zwang/batch/batch_derivatives.hpp"

#include <gtest/gtest.h>

#include "batch/against_solver.hpp"
#include "zwang/model/sample.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Matrix = Eigen::MatrixXd;
template <class T> using Rows = StateRows<T>;

/// Feet of which some slip, a driver, soft rows, a loop with stabilisation, all switched and moved from state to state,
/// some of whose rows depend on each other; wrenches in all axes, prescribed coordinates.
template <class T> struct Feet {
  Model model = build(sample("quadruped"), {.root = "floating"});
  ConstraintSet set{model};
  Problem<T> p;
  explicit Feet(long n) {
    set.add(ContactConstraint{.name = "left", .frame = "LF_foot"});
    set.add(ContactConstraint{.name = "slips", .frame = "RF_foot", .rows = 1, .role = Role::driver});
    set.add(FrameConstraint{
        .name = "lean", .frame = "LH_foot", .rows = rows("linear"), .policy = Policy::soft, .compliance = {0.1}});
    set.add(LoopConstraint{.name = "tied",
                           .frame = "RH_foot",
                           .other = "LH_foot",
                           .rows = rows("linear"),
                           .stabilisation = {0.3, 0.8},
                           .target = {0.1, 0.2, 0.3}});
    set.add(ContactConstraint{.name = "again", .frame = "LF_foot"});  // depends on `left` where it is on
    p = problem_of<T>(model, n, 31);
    Random random(8);
    p.beta.resize(n, set.rows());
    p.active.resize(n, set.size());
    p.given.resize(n, 2);
    p.prescribed = {8, 14};
    for (long s = 0; s < n; ++s) {
      for (Index k = 0; k < set.rows(); ++k) p.beta(s, k) = static_cast<T>(random.uniform(-5, 5));
      for (Index k = 0; k < set.size(); ++k) p.active(s, k) = static_cast<T>(k < 4 ? random.below(4) > 0 : s % 7 == 0);
      if (s % 7 == 0) p.active(s, 0) = 1;
      if (s % 14 == 0) p.beta.row(s).tail(3) = p.beta.row(s).head(3);  // consistent; contradictory at 7, 21 ...
      for (int k = 0; k < 2; ++k) p.given(s, k) = static_cast<T>(random.uniform(-2, 2));
    }
    add_wrenches(model, p, 4);
  }
};

/// All matrices of N states.
template <class T> struct Jacobians {
  Rows<T> x[12], r[6];
  Jacobians(const Model& m, Index rows, long n) {
    const Index nv = m.nv(), size[] = {nv, rows, nv};
    for (int i = 0; i < 12; ++i) x[i].resize(n, size[i / 4] * (i % 4 == 3 ? rows : nv));
    for (Rows<T>& y : r) y.resize(n, rows * nv);
  }
  BatchSolutionDerivatives<T> out() {
    const auto jacobian = [&](int i) {
      return BatchSolutionJacobian<T>{x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
    };
    return {jacobian(0), jacobian(1), jacobian(2), {r[0], r[1], r[2]}, {r[3], r[4]}, {r[5]}};
  }
};
template <class T> struct Gradients {
  Rows<T> x[17];
  BatchInputGradient<T> out(const Model& m, const ConstraintSet& set, long n) {
    const Index nv = m.nv(), rows = set.rows(), of = set.size();
    const auto joints = static_cast<Index>(m.joints().size()), links = static_cast<Index>(m.links().size());
    const Index size[] = {nv, nv, nv, nv, nv, rows, rows, rows, rows, of, of, nv, nv, nv, 3, 10 * links, 6 * joints};
    for (int i = 0; i < 17; ++i) x[i].resize(n, size[i]);
    return {x[0], x[1],  x[2],  x[3],  x[4],  x[5],  x[6],  x[7], x[8],
            x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16]};
  }
};
template <class T> struct Variations {
  Rows<T> x[3];
  BatchSolutionVariation<T> out(const Model& m, Index rows, long n) {
    x[0].resize(n, m.nv()), x[1].resize(n, rows), x[2].resize(n, m.nv());
    return {x[0], x[1], x[2]};
  }
};
template <class T> struct Vectors {
  Rows<T> a, l, t, q, v, tau, beta, force;
  Vectors(const Model& m, Index rows, long n) {
    Random random(77);
    for (Rows<T>* x : {&a, &t, &q, &v, &tau, &force, &l, &beta}) {
      x->resize(n, x == &l || x == &beta ? rows : m.nv());
      for (long s = 0; s < n; ++s) x->row(s) = random.vector(static_cast<int>(x->cols())).template cast<T>();
    }
  }
};

/// One state's numbers, row by row, as T.
template <class T, class Numbers> void expect_row(const Rows<T>& got, long s, const Numbers& one, const char* name) {
  Rows<T> expected(1, one.size());
  Index k = 0;
  for (Eigen::Index i = 0; i < one.rows(); ++i)
    for (Eigen::Index j = 0; j < one.cols(); ++j) expected(0, k++) = static_cast<T>(one(i, j));
  EXPECT_TRUE(same_bits(Rows<T>(got.row(s)), expected)) << name << " of state " << s;
}

template <class T> class BatchDerivativesOf : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchDerivativesOf, Numbers);

TYPED_TEST(BatchDerivativesOf, HaveTheBitsOfAFreshSolverForEachState) {
  using T = TypeParam;
  const long n = 43;
  Feet<T> c(n);
  const Model& m = c.model;
  const Index rows = c.set.rows();
  SolverSettings settings, single;
  if (sizeof(T) == sizeof(float)) single.tolerance = 64 * static_cast<double>(k_epsilon<T>);
  Jacobians<T> d(m, rows, n);
  Gradients<T> g;
  Variations<T> y;
  const Vectors<T> w(m, rows, n);
  BasicBatchDerivatives<T> batch(m, c.set, settings, {.threads = 2});
  const BatchReport report = batch.derivatives(c.p.input(), d.out());
  const std::vector<unsigned char> statuses(report.status_data, report.status_data + n);
  std::vector<std::string> reasons;
  for (long s = 0; s < n; ++s) reasons.emplace_back(batch.reason(s));
  batch.vjp(c.p.input(), {w.a, w.l, w.t}, g.out(m, c.set, n));
  EXPECT_EQ(std::memcmp(statuses.data(), batch.report().status_data, statuses.size()), 0);
  batch.jvp(c.p.input(), {w.q, w.v, w.tau, w.beta, w.force}, y.out(m, rows, n));
  int ok = 0, without = 0;
  for (long s = 0; s < n; ++s) {
    ConstraintSet own = c.set;
    Solver solver(m, own, single);
    by_solver(c.p, s, own, solver);
    const SolutionDerivatives& one = solver.derivatives();
    ASSERT_EQ(static_cast<Status>(statuses[static_cast<std::size_t>(s)]), one.status) << s;
    ASSERT_EQ(reasons[static_cast<std::size_t>(s)], one.reason) << s;
    (one.status == Status::ok ? ok : without) += 1;
    int i = 0;
    for (const SolutionJacobian* x : {&one.acceleration, &one.multipliers, &one.motor_torque})
      for (const JacobianView* by : {&x->q, &x->v, &x->tau, &x->beta}) expect_row(d.x[i++], s, *by, "jacobian");
    i = 0;
    for (const JacobianView* by : {&one.residual.q, &one.residual.v, &one.residual.a, &one.velocity_error.q,
                                   &one.velocity_error.v, &one.position_error.q})
      expect_row(d.r[i++], s, *by, "rows");
    const auto vector = [&](const Rows<T>& x) { return Eigen::VectorXd(x.row(s).template cast<double>()); };
    const InputGradient& left = solver.vjp({vector(w.a), vector(w.l), vector(w.t)});
    i = 0;
    for (const VectorView* by :
         {&left.q, &left.v, &left.tau, &left.prescribed, &left.force, &left.beta, &left.target, &left.target_velocity,
          &left.compliance, &left.time_constant, &left.damping_ratio, &left.armature, &left.damping, &left.stiffness})
      expect_row(g.x[i++], s, *by, "gradient");
    expect_row(g.x[14], s, left.gravity, "gravity");
    expect_row(g.x[15], s, left.inertial_parameters, "inertial parameters");
    expect_row(g.x[16], s, left.placement.transpose(), "placement");
    const SolutionVariation& right =
        solver.jvp({vector(w.q), vector(w.v), vector(w.tau), vector(w.beta), vector(w.force)});
    i = 0;
    for (const VectorView* by : {&right.acceleration, &right.multipliers, &right.motor_torque})
      expect_row(y.x[i++], s, *by, "variation");
  }
  EXPECT_GT(ok, n / 2);
  EXPECT_GT(without, 1);
}

TYPED_TEST(BatchDerivativesOf, DoNotDependOnThreadsOrPlace) {
  using T = TypeParam;
  const long n = 43;
  Feet<T> c(n);
  const Model& m = c.model;
  const Index rows = c.set.rows();
  const Vectors<T> w(m, rows, n);
  Gradients<T> one, many, back;
  BasicBatchDerivatives<T> alone(m, c.set, {}, {.threads = 1}), three(m, c.set, {}, {.threads = 3});
  alone.vjp(c.p.input(), {w.a, w.l, w.t}, one.out(m, c.set, n));
  three.vjp(c.p.input(), {w.a, w.l, w.t}, many.out(m, c.set, n));
  for (int i = 0; i < 17; ++i) EXPECT_TRUE(same_bits(one.x[i], many.x[i])) << i;
  // The states in reverse order, weights with them.
  Problem<T> reversed = c.p;
  Rows<T> a = w.a, l = w.l, t = w.t;
  for (Rows<T>* x : {&reversed.x.q, &reversed.x.v, &reversed.x.tau, &reversed.beta, &reversed.active, &reversed.given,
                     &reversed.wrench[0], &reversed.wrench[1], &reversed.wrench[2], &a, &l, &t})
    *x = Rows<T>(x->colwise().reverse());
  alone.vjp(reversed.input(), {a, l, t}, back.out(m, c.set, n));
  for (int i = 0; i < 17; ++i) EXPECT_TRUE(same_bits(one.x[i], Rows<T>(back.x[i].colwise().reverse()))) << i;
}

/// A solver chooses another factor after a state whose rows nearly depend on each other;
/// the next state must not see it.
TEST(BatchDerivatives, DoNotRememberASingularState) {
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  FrameConstraint c{.name = "tool", .frame = "tool0"};
  c.stabilisation = {0.2, 0.9};
  c.has_target = true;
  set.add(c);
  const long n = 6;
  Problem<double> p = problem_of<double>(m, n, 3);
  p.x.q.row(0).setZero();  // stretched
  Rows<double> by_q(n, m.nv());
  const Rows<double> w = Rows<double>::Ones(n, m.nv());
  BatchDerivatives batch(m, set, {}, {.threads = 1});
  batch.vjp(p.input(), {.acceleration = w, .motor_torque = w}, {.q = by_q});
  EXPECT_EQ(batch.report().status(0), Status::not_differentiable);
  for (long s = 1; s < n; ++s) {
    ConstraintSet own = set;
    Solver solver(m, own);
    by_solver(p, s, own, solver);
    const Eigen::VectorXd ones = w.row(s);
    const InputGradient& one = solver.vjp({.acceleration = ones, .motor_torque = ones});
    ASSERT_EQ(one.status, Status::ok) << one.reason;
    expect_row(by_q, s, one.q, "q");
  }
}

TEST(BatchDerivatives, OfRefusedStatesAreTheirStatusAndNaN) {
  const long n = 9;
  Feet<double> c(n);
  const Model& m = c.model;
  Vectors<double> w(m, c.set.rows(), n);
  const double bad = std::numeric_limits<double>::quiet_NaN();
  c.p.x.q(1, 3) = bad;
  c.p.x.q.row(2).segment(3, 4) *= 2;  // not of unit length
  c.p.wrench[0](3, 1) = bad;
  w.a(4, 2) = bad;
  Gradients<double> g;
  BatchDerivatives batch(m, c.set, {}, {.threads = 2});
  batch.vjp(c.p.input(), {w.a, w.l, w.t}, g.out(m, c.set, n));
  for (long s = 1; s <= 4; ++s) {
    EXPECT_EQ(batch.report().status(s), s == 2 ? Status::invalid_input : Status::non_finite_input) << s;
    for (const Rows<double>& x : g.x) EXPECT_TRUE(x.row(s).array().isNaN().all());
    EXPECT_TRUE(batch.reason(s).empty());
  }
  EXPECT_EQ(batch.report().status(7), Status::not_differentiable);  // contradictory
  EXPECT_EQ(batch.reason(7), "the last solve is not ok");
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(g.x[i].row(7).isZero(0)) << i;
  EXPECT_EQ(batch.report().status(8), Status::ok);
  EXPECT_THROW(batch.reason(n), std::out_of_range);
  Rows<double> wrong(n, 5);
  EXPECT_THROW(batch.vjp(c.p.input(), {w.a}, {.q = wrong}), std::invalid_argument);
  EXPECT_THROW(batch.vjp(c.p.input(), {.multipliers = wrong}, {}), std::invalid_argument);
  Rows<double> short_of_one(n - 1, m.nv());
  EXPECT_THROW(batch.jvp(c.p.input(), {.q = short_of_one}, {}), std::invalid_argument);
  EXPECT_THROW(batch.set_gravity({0, bad, 0}), std::invalid_argument);
}

TEST(BatchDerivatives, FollowTheSetTheSettingsAndGravity) {
  const long n = 5;
  Feet<double> c(n);
  const Model& m = c.model;
  c.p.active.resize(0, 0);
  c.p.beta.resize(0, 0);
  c.set["again"].active = false;
  BatchDerivatives batch(m, c.set, {}, {.threads = 2});
  const Vec3<double> moon{0.1, 0, -1.6};
  const auto compare = [&](const std::string& method) {
    Rows<double> by_q(n, m.nv()), by_beta(n, c.set.rows());
    batch.settings().method = method;
    const Rows<double> w = Rows<double>::Ones(1, m.nv());
    batch.vjp(c.p.input(), {.acceleration = StatesIn<double>::for_all(w.row(0))}, {.q = by_q, .beta = by_beta});
    for (long s = 0; s < n; ++s) {
      ConstraintSet own = c.set;
      SolverSettings settings;
      settings.method = method;
      Solver solver(m, own, settings);
      solver.data().gravity = moon;
      by_solver(c.p, s, own, solver);
      const InputGradient& one = solver.vjp({.acceleration = Eigen::VectorXd(w.row(0))});
      ASSERT_EQ(one.status, Status::ok) << one.reason;
      expect_row(by_q, s, one.q, "q");
      expect_row(by_beta, s, one.beta, "beta");
    }
  };
  batch.set_gravity(moon);
  compare("automatic");
  c.set["left"].beta = {3, 4, 5};
  compare("automatic");
  c.set.add(ContactConstraint{.name = "more", .frame = "RH_foot", .rows = 1});
  compare("popov_vereshchagin");
  c.set["lean"].active = c.set["tied"].active = false;
  compare("dense_lu");
}

TEST(BatchDerivatives, StopWhereTheCallbackSaysSo) {
  struct Own final : CustomRows {  // without derivatives
    Index rows() const override { return 1; }
    void evaluate(const double* q, const double*, double* phi, double* J, double* drift) const override {
      phi[0] = q[0], J[0] = 1, drift[0] = 0;
    }
  };
  const long n = 1000;
  const Model m = build(sample("arm7"));
  ConstraintSet set(m);
  CustomConstraint c{.name = "own", .rows = std::make_shared<Own>()};
  c.coordinates = {m.coordinate_names()[0]};
  set.add(c);
  BatchDerivatives batch(m, set, {}, {.threads = 2});
  const States<double> x = random_states(m, n, 3);
  const Rows<double> w = Rows<double>::Ones(n, m.nv());
  Rows<double> by_q(n, m.nv());
  int looks = 0;
  batch.on_progress([](void* context, long, long) { return ++*static_cast<int*>(context) < 2; }, &looks, 0);
  const BatchReport& report = batch.vjp({.q = x.q, .v = x.v}, {.acceleration = w}, {.q = by_q});
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(looks, 2);
  long reached = 0;
  for (long s = 0; s < n; ++s) {
    const bool stopped = report.status(s) == Status::stopped;
    reached += !stopped;
    ASSERT_TRUE(stopped || report.status(s) == Status::not_differentiable) << s;
    ASSERT_EQ(std::isnan(by_q(s, 0)), stopped) << s;
  }
  EXPECT_GT(reached, 0);
  EXPECT_LT(reached, n);
  batch.on_progress(nullptr, nullptr);
  EXPECT_FALSE(batch.vjp({.q = x.q, .v = x.v}, {.acceleration = w}, {.q = by_q}).stopped);
  for (long s = 0; s < n; ++s) ASSERT_EQ(batch.report().status(s), Status::not_differentiable) << s;
}

}  // namespace
}  // namespace zwang::test
