// SPDX-License-Identifier: BSD-3-Clause
// The pages on a scalar of a user's own that records its operations: gradients of inverse and forward dynamics by a
// reverse sweep against inverse_dynamics_vjp and forward_dynamics_vjp, for every joint type and mimic joints.
// Tolerance: both add some 200 numbers a body on a path of up to 20 bodies: 1e-12; by M^-1 with its condition.
#include <gtest/gtest.h>

#include <type_traits>

#include "algorithm/cases.hpp"
#include "support/tape.hpp"
#include "zwang/algorithm/derivative_products.hpp"
#include "zwang/algorithm/page/applied.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/generic.hpp"

namespace zwang::test {
namespace {

using tape::Number;
using Vector = Eigen::VectorXd;
using Numbers = std::vector<Number>;

static_assert(!std::is_convertible_v<Number, double> && !std::is_convertible_v<Number, bool>);
static_assert(!std::is_constructible_v<bool, tape::Choice>);

/// Inputs of a record: q (+) d at d = 0, v and one more.
struct Recorded {
  tape::Tape record;
  Numbers d, v, last, q;
  Recorded(const Model& m, const Vector& at, const Vector& rate, const Vector& third) {
    Numbers q0(at.data(), at.data() + at.size());
    for (Index k = 0; k < m.nv(); ++k) d.push_back(record.input(0));
    for (const double x : rate) v.push_back(record.input(x));
    for (const double x : third) last.push_back(record.input(x));
    q.resize(q0.size());
    page::integrate(m.tree<double>(), q0.data(), d.data(), q.data());
  }
  /// The gradient of w . y, and y.
  struct Result {
    Vector y, by_q, by_v, by_last;
  };
  Result gradient(const Numbers& y, const Vector& w) {
    Number sum(0.0);
    for (std::size_t k = 0; k < y.size(); ++k) sum += y[k] * w(static_cast<Eigen::Index>(k));
    const tape::Tape::Gradient g = record.gradient(sum);
    const auto by = [&](const Numbers& x) {
      Vector out(static_cast<Eigen::Index>(x.size()));
      for (std::size_t k = 0; k < x.size(); ++k) out(static_cast<Eigen::Index>(k)) = g[x[k]];
      return out;
    };
    Vector value(w.size());
    for (std::size_t k = 0; k < y.size(); ++k) value(static_cast<Eigen::Index>(k)) = y[k].value;
    return {value, by(d), by(v), by(last)};
  }
};

/// Every joint type of the library, mimics, rotors, dampers and springs; no user-defined joints.
Case random_robot_case(std::uint64_t seed) {
  RandomRobot options;
  options.joints = 1 + static_cast<int>(seed % 12);
  const char* roots[] = {"fixed", "floating", "planar", "spherical"};
  options.root = roots[seed % 4];
  options.mimic = 0.35;
  RobotDescription robot = random_robot(seed, options);
  for (JointDescription& j : robot.joints)  // parts may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  return Case(robot, {}, "seed " + std::to_string(seed));
}

constexpr page::PassiveEffects k_passive{true, false, true};

TEST(PagesOnATape, GiveTheGradientOfInverseDynamics) {
  for (int seed = 0; seed < effort(30); ++seed) {
    const Case c = random_robot_case(static_cast<std::uint64_t>(seed) + 50);
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    if (m.nv() == 0) continue;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Random random(8);
    const Vector w = random.vector(m.nv());
    Recorded r(m, x.q, x.v, x.a);
    BasicData<Number> data(m);
    Numbers tau(static_cast<std::size_t>(m.nv()), Number(0.0));
    page::inverse_dynamics(data, r.q.data(), r.v.data(), r.last.data(), tau.data());
    page::add_passive(m.tree<double>(), r.q.data(), r.v.data(), k_passive, -1.0, tau.data());
    const Recorded::Result got = r.gradient(tau, w);
    Data plain(m);
    Vector by_q(m.nv()), by_v = by_q, by_a = by_q;
    inverse_dynamics_vjp(m, plain, x.q, x.v, x.a, w, by_q, by_v, by_a);
    EXPECT_TRUE(close(got.y, Vector(inverse_dynamics(m, plain, x.q, x.v, x.a)), 1e-12));
    const double scale = largest(by_q) + largest(by_v) + 1;
    EXPECT_TRUE(within(got.by_q, by_q, 1e-12, scale));
    EXPECT_TRUE(within(got.by_v, by_v, 1e-12, scale));
    EXPECT_TRUE(within(got.by_last, by_a, 1e-12, largest(by_a) + 1));
  }
}

TEST(PagesOnATape, GiveTheGradientOfForwardDynamics) {
  int compared = 0;
  for (int seed = 0; seed < effort(30); ++seed) {
    const Case c = random_robot_case(static_cast<std::uint64_t>(seed) + 90);
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    if (m.nv() == 0) continue;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Random random(8);
    const Vector w = random.vector(m.nv());
    Data plain(m);
    TreeCholesky factor(m);
    Vector by_q(m.nv()), by_v = by_q, by_tau = by_q, a;
    try {
      a = forward_dynamics_vjp(m, plain, factor, x.q, x.v, x.tau, w, by_q, by_v, by_tau);
    } catch (const SingularMassError&) { continue; }
    Recorded r(m, x.q, x.v, x.tau);
    BasicData<Number> data(m);
    Numbers tau = r.last, y(tau.size());
    page::add_passive(m.tree<double>(), r.q.data(), r.v.data(), k_passive, 1.0, tau.data());
    ASSERT_TRUE(page::forward_dynamics(data, r.q.data(), r.v.data(), tau.data(), y.data()));
    const Recorded::Result got = r.gradient(y, w);
    // y = M^-1 w carries the condition of M, which largest(M) largest(M^-1) nv bounds
    const auto d = inverse_dynamics_derivatives(m, plain, x.q, x.v, a);
    Eigen::MatrixXd inverse(m.nv(), m.nv());
    factor.inverse(inverse);
    const double n = static_cast<double>(m.nv()), condition = largest(d.a) * largest(inverse) * n;
    const double size = condition * (largest(by_tau) + largest(inverse) * w.cwiseAbs().sum() * 1e-3);
    EXPECT_TRUE(within(got.y, a, 1e-12, condition * largest(a)));
    EXPECT_TRUE(within(got.by_last, by_tau, 1e-12, size));
    EXPECT_TRUE(within(got.by_q, by_q, 1e-12, size * (largest(d.q) + 1) * n));
    EXPECT_TRUE(within(got.by_v, by_v, 1e-12, size * (largest(d.v) + 1) * n));
    ++compared;
  }
  EXPECT_GT(compared, effort(30) / 2);
}

/// Operations of forward dynamics of a chain of n links of 0.1 m behind one of 10 km, whose angles are at most `bend`.
std::size_t operations_of_chain(int n, double bend, bool doubtful) {
  RobotDescription d{.name = "chain"};
  d.links.push_back({.name = "base"});
  for (int k = 0; k < n; ++k) {
    const std::string name = std::to_string(k);
    d.links.push_back(
        {.name = name, .mass = 0.1, .centre = {0.05, 0, 0}, .inertia = Sym3<double>::diagonal(1e-5, 1e-4, 1e-4)});
    JointDescription j{
        .name = "j" + name, .type = "continuous", .parent = d.links[static_cast<std::size_t>(k)].name, .child = name};
    j.origin.p = {k == 0 ? 0.0 : k == 1 ? 1e4 : 0.1, 0, 0};
    j.axis = k % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
    d.joints.push_back(j);
  }
  const Model m = build(d);
  Random random(3);
  const Vector q = bend * random.vector(m.nv()), v = random.vector(m.nv()), tau = random.vector(m.nv());
  Recorded r(m, q, v, tau);
  BasicData<Number> data(m);
  Numbers y(r.last.size());
  const std::size_t before = r.record.size();
  EXPECT_TRUE(page::forward_dynamics(data, r.q.data(), r.v.data(), r.last.data(), y.data()));
  EXPECT_EQ(any(page::is_doubtful(data)), doubtful) << n << " links";
  return r.record.size() - before;
}

/// Long chains that are nearly straight lose digits, so that their motion is measured and refined: some more sweeps,
/// each of a cost that grows like the length.
TEST(PagesOnATape, RefiningTheMotionOfAStraightChainCostsAFewSweeps) {
  const int n = effort(300, 300);
  const auto whole = static_cast<double>(operations_of_chain(n, 1e-3, true)),
             half = static_cast<double>(operations_of_chain(n / 2, 1e-3, true));
  EXPECT_LT(std::abs(whole - 2 * half), 0.02 * whole) << "a part that grows like the square of the length";
}

}  // namespace
}  // namespace zwang::test
