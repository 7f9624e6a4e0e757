// SPDX-License-Identifier: BSD-3-Clause
// Derivatives in lanes: products with a vector agree with the matrices and each other, wrenches in all axes at once,
// and a state that is refused or needs care leaves its neighbours alone.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/cases.hpp"
#include "batch/arrays.hpp"
#include "zwang/algorithm/algorithm_row.hpp"

namespace zwang::test {
namespace {

template <class T> class BatchDynamicsDerivatives : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchDynamicsDerivatives, Numbers);

/// Random states, directions, weights, and wrenches in all axes.
template <class T> struct Problem {
  Problem(const Case& c, long n, std::uint64_t seed)
      : x(random_states<T>(c.model, n, seed)),
        d(random_states<T>(c.model, n, seed + 1)),
        weights(random_states<T>(c.model, n, seed + 2)) {
    Random random(seed);
    for (const Reference in : {Reference::local, Reference::world, Reference::local_world_aligned}) {
      StateRows<T>& push = push_of[static_cast<int>(in)];
      push = StateRows<T>(n, 6);
      for (long s = 0; s < n; ++s) push.row(s) = random.vector(6, 5).template cast<T>();
      external.push_back({c.model.find_frame(random_frame(c, random)), push, in});
    }
    options.effects.friction = true;
  }
  States<T> x, d, weights;
  StateRows<T> push_of[3];
  BatchWrenches<T> external;
  AlgorithmOptions options;
};

template <class T> using Square = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T> Eigen::MatrixXd square(const StateRows<T>& x, long s, Index nv) {
  return Square<T>(x.row(s).data(), nv, nv).template cast<double>();
}

/// <w, J d> = <J^T w, d>, and J d is the matrices times d: of inverse and of forward dynamics.
TYPED_TEST(BatchDynamicsDerivatives, ProductsFromBothSidesAreThoseOfTheMatrices) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(12)); ++seed) {
    const Case c = random_case(seed, 3 + static_cast<int>(seed % 6));
    SCOPED_TRACE(c.name);
    const long n = 13;
    const Index nv = c.model.nv();
    const Problem<T> p(c, n, 100 + seed);
    BasicBatch<T> batch(c.model, {.threads = 1});
    for (const bool forward : {false, true}) {
      SCOPED_TRACE(forward ? "forward" : "inverse");
      const std::string name = forward ? "forward_dynamics" : "inverse_dynamics";
      const StateRows<T>&third = forward ? p.x.tau : p.x.a, &along = p.d.a, &w = p.weights.v;
      StateRows<T> by[3], gradient[3], product(n, nv);
      for (int k = 0; k < 3; ++k) by[k] = StateRows<T>(n, nv * nv), gradient[k] = StateRows<T>(n, nv);
      batch.run(algorithm(name + "_derivatives"), {p.x.q, p.x.v, third}, {by[0], by[1], by[2]}, p.options, p.external);
      batch.run(algorithm(name + "_jvp"), {p.x.q, p.x.v, third, p.d.v, p.d.tau, along}, {product}, p.options,
                p.external);
      batch.run(algorithm(name + "_vjp"), {p.x.q, p.x.v, third, w}, {gradient[0], gradient[1], gradient[2]}, p.options,
                p.external);
      for (long s = 0; s < n; ++s) {
        if (batch.report().status(s) != Status::ok) continue;
        const Eigen::VectorXd d[3] = {p.d.v_of(s), p.d.tau_of(s), p.d.a_of(s)}, ws = p.weights.v_of(s);
        const Eigen::VectorXd Jd = product.row(s).transpose().template cast<double>();
        Eigen::VectorXd expected = Eigen::VectorXd::Zero(nv);
        double pairing = 0, terms = 1;
        for (int k = 0; k < 3; ++k) {
          const Eigen::MatrixXd J = square(by[k], s, nv);
          expected += J * d[k];
          pairing += gradient[k].row(s).template cast<double>().dot(d[k]);
          terms += J.norm() * d[k].norm() * (1 + ws.norm());
        }
        const double tolerance = (forward ? 1e6 : 1e3) * k_epsilon<T> * terms;  // forward: as badly conditioned as M
        EXPECT_LE((Jd - expected).norm(), tolerance) << s;
        EXPECT_LE(std::abs(ws.dot(Jd) - pairing), tolerance) << s;
      }
    }
  }
}

/// Results that are left out are not missed, and vectors that are absent are zeros.
TEST(BatchDynamicsDerivatives, PartsOfThemAreTheSame) {
  const Case c = random_case(4, 6);
  const long n = 9;
  const Index nv = c.model.nv();
  const Problem<double> p(c, n, 7);
  Batch batch(c.model, {.threads = 1});
  StateRows<double> q(n, nv * nv), v(n, nv * nv), a(n, nv * nv), alone(n, nv * nv);
  StateRows<double> some(n, nv), same(n, nv), zeros = StateRows<double>::Zero(n, nv);
  for (const char* name : {"inverse_dynamics", "forward_dynamics"}) {
    const Algorithm &whole = algorithm(std::string(name) + "_derivatives"),
                    &jvp = algorithm(std::string(name) + "_jvp");
    batch.run(whole, {p.x.q, p.x.v, p.x.a}, {q, v, a}, p.options, p.external);
    batch.run(whole, {p.x.q, p.x.v, p.x.a}, {{}, alone, {}}, p.options, p.external);
    EXPECT_TRUE(same_bits(v, alone)) << name;
    batch.run(jvp, {p.x.q, p.x.v, p.x.a, p.d.v, {}, {}}, {some}, p.options, p.external);
    batch.run(jvp, {p.x.q, p.x.v, p.x.a, p.d.v, zeros, zeros}, {same}, p.options, p.external);
    EXPECT_TRUE(same_bits(some, same)) << name;
  }
}

/// Each row of the list with derivatives, with good arguments of a robot.
struct Asked {
  const Algorithm* row;
  std::vector<StatesIn<double>> in;
};
std::vector<Asked> all_rows(const States<double>& x, const States<double>& d) {
  std::vector<Asked> out;
  for (const Algorithm& row : algorithms()) {
    if (!row.named) continue;
    Asked asked{&row, {x.q}};
    const StateRows<double>* const more[] = {&x.v, &x.tau, &d.v, &d.a, &d.tau};
    for (const Argument& a : row.takes)
      if (a.what == Takes::tangent) asked.in.push_back(*more[asked.in.size() - 1]);
    out.push_back(asked);
  }
  return out;
}
std::vector<StateRows<double>> evaluated(Batch& batch, const Asked& asked, long n) {
  std::vector<StateRows<double>> rows;
  for (const Result& r : asked.row->gives) rows.emplace_back(n, numbers_of(r.shape, sizes_of(batch.model(), {})));
  std::vector<StatesOut<double>> out(rows.begin(), rows.end());
  batch.run(*asked.row, asked.in, out);
  return rows;
}

TEST(BatchDynamicsDerivatives, AStateThatIsRefusedHasAStatusAndItsNeighboursTheSameBits) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const long n = 21;
  const States<double> good = random_states(m, n, 3), d = random_states(m, n, 4);
  Batch batch(m, {.threads = 2});
  const auto spoil = [&](States<double>& x) {
    x.q(6, 9) = std::numeric_limits<double>::quiet_NaN();
    x.q.row(13).segment(3, 4) *= 1.1;
  };
  States<double> bad = good;
  spoil(bad);
  const std::vector<Asked> right = all_rows(good, d), spoiled = all_rows(bad, d);
  for (std::size_t k = 0; k < right.size(); ++k) {
    SCOPED_TRACE(right[k].row->name);
    const std::vector<StateRows<double>> expected = evaluated(batch, right[k], n);
    EXPECT_TRUE(batch.report().good());
    const std::vector<StateRows<double>> got = evaluated(batch, spoiled[k], n);
    EXPECT_EQ(batch.report().status(6), Status::non_finite_input);
    EXPECT_EQ(batch.report().status(13), Status::invalid_input);
    for (long s = 0; s < n; ++s)
      for (std::size_t r = 0; r < got.size(); ++r)
        if (s == 6 || s == 13) {
          EXPECT_TRUE(got[r].row(s).array().isNaN().all()) << s;
        } else {
          EXPECT_TRUE(same_bits(got[r].row(s), expected[r].row(s))) << s;
        }
  }
}

/// v so large that products of v leave the range of double.
TEST(BatchDynamicsDerivatives, ResultsBeyondTheRangeOfDoubleAreSaidToBe) {
  const Model m = build(sample("quadruped"), {.root = "floating"});
  const long n = 6;
  States<double> x = random_states(m, n, 3);
  x.v.row(2).setConstant(1e200);
  Batch batch(m, {.threads = 1});
  StateRows<double> by_q(n, m.nv() * m.nv()), by_v = by_q;
  batch.run(algorithm("bias_forces_derivatives"), {x.q, x.v}, {by_q, by_v});
  for (long s = 0; s < n; ++s) EXPECT_EQ(batch.report().status(s), s == 2 ? Status::overflow : Status::ok);
  EXPECT_TRUE(by_q.row(2).array().isNaN().all());
}

/// A hinge whose axis meets another one's in some states, with a massless link between them.
Model wrist() {
  LinkDescription tool = make_link("tool", 2, {0.02, 0.1, 0.3}, {0.04, 0.002, 0, 0.05, 0.003, 0.02});
  RobotDescription robot;
  robot.name = "wrist";
  robot.links = {make_link("base", 1, Vec3<double>::zero(), {1, 0, 0, 1, 0, 1}),
                 make_link("arm", 1, {0.1, 0, 0.2}, {0.1, 0, 0, 0.1, 0, 0.1})};
  for (const char* name : {"yaw", "pitch"}) robot.links.push_back(LinkDescription{.name = name});
  robot.links.push_back(tool);
  robot.joints = {make_joint("a", "continuous", "base", "arm", {0, 1, 0}),
                  make_joint("w1", "continuous", "arm", "yaw", {0, 0, 1}, {0, 0, 0.5}),
                  make_joint("w2", "continuous", "yaw", "pitch", {0, 1, 0}),
                  make_joint("w3", "continuous", "pitch", "tool", {1, 0, 0})};
  return build(robot);
}

/// In gimbal lock a column has no inertia; next to it the elimination needs care, which other lanes must not see.
TEST(BatchDynamicsDerivatives, GimbalLockIsSaidAndItsNeighboursKeepTheirBits) {
  const Model m = wrist();
  const long n = 12;
  const States<double> good = random_states(m, n, 5), d = random_states(m, n, 6);
  const double right_angle = std::acos(-1.0) / 2;
  States<double> bad = good;
  bad.q(5, 2) = right_angle;
  bad.q(9, 2) = right_angle - 1e-5;
  Batch batch(m, {.threads = 1});
  const std::vector<Asked> right = all_rows(good, d), locked = all_rows(bad, d);
  for (std::size_t k = 0; k < right.size(); ++k) {
    SCOPED_TRACE(right[k].row->name);
    const bool inverts = std::string(right[k].row->name).starts_with("forward");
    const std::vector<StateRows<double>> expected = evaluated(batch, right[k], n);
    const std::vector<StateRows<double>> got = evaluated(batch, locked[k], n);
    EXPECT_EQ(batch.report().status(5), inverts ? Status::singular_mass : Status::ok);
    EXPECT_EQ(batch.report().status(9), Status::ok);
    for (long s = 0; s < n; ++s)
      for (std::size_t r = 0; r < got.size(); ++r)
        if (s != 5 && s != 9) { EXPECT_TRUE(same_bits(got[r].row(s), expected[r].row(s))) << s; }
  }
}

}  // namespace
}  // namespace zwang::test
