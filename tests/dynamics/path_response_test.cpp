// SPDX-License-Identifier: BSD-3-Clause
// Gradients and products of solutions whose rows end on their own paths: one right-hand side is answered by what the
// solve has left. They are those of a factorisation at the root, each other's adjoints, and leave the solver as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "dynamics/limbs.hpp"
#include "support/close.hpp"
#include "support/effort.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;

constexpr double k_roundings = 20;  ///< half a one has been seen
constexpr double k_epsilon = std::numeric_limits<double>::epsilon();
/// Roundings of an elimination of up to 40 columns, relative to terms that are a part of those that cancel in it.
constexpr double k_rest = 5e3 * k_epsilon;

/// All parts of a gradient, one after the other, and of which each number is.
std::vector<std::pair<const char*, Vector>> parts_of(const InputGradient& g) {
  std::vector<std::pair<const char*, Vector>> out;
  const auto add = [&](const char* name, const auto& x) { out.emplace_back(name, Vector(x)); };
  add("q", g.q);
  add("v", g.v);
  add("tau", g.tau);
  add("prescribed", g.prescribed);
  add("force", g.force);
  add("beta", g.beta);
  add("target", g.target);
  add("target velocity", g.target_velocity);
  add("compliance", g.compliance);
  add("time constant", g.time_constant);
  add("damping ratio", g.damping_ratio);
  add("armature", g.armature);
  add("damping", g.damping);
  add("stiffness", g.stiffness);
  add("inertial parameters", g.inertial_parameters);
  add("placement", Vector(g.placement.reshaped()).unaryExpr([](double x) { return x == x ? x : 0.0; }));
  add("gravity", Vector(Eigen::Map<const Eigen::Vector3d>(g.gravity.data())));
  return out;
}
double size_of(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }
bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// A robot with limbs and rows on them, solved along their own paths and at the root.
struct Solved {
  explicit Solved(std::uint64_t seed)
      : options{.limbs = 2 + static_cast<int>(seed % 6)},
        robot(random_limbs(seed, options)),
        x(random_rows_on_limbs(robot, seed, options)),
        set(x.set(robot.model)),
        paths(robot.model, set),
        root(robot.model, set, {.method = "popov_vereshchagin"}),
        random(seed + 7),
        push{
            ExternalWrench{robot.model.find_frame("tip0"), {1, -2, 3, 0.5, 0.2, -0.1}, Reference::local_world_aligned}},
        went(how_it_goes(robot.model, set, input(), paths.settings())) {
    paths.solve(input());
    root.solve(input());
    const int nv = static_cast<int>(robot.model.nv()), rows = static_cast<int>(set.rows());
    a = random.vector(nv);
    lambda = random.vector(rows);
    torque = random.vector(nv);
  }
  SolveInput input() const { return {.q = x.state.q, .v = x.state.v, .tau = x.state.tau, .external = &push}; }
  SolutionGradient weights() const { return {a, lambda, torque}; }
  /// Both factors lose what they may lose of their rows (Went::doubt), of the largest part of a gradient.
  bool is_clear() const { return went.way == Way::own_paths && went.doubt < 1e4; }
  double tolerance() const { return k_roundings * k_epsilon * (100 + went.doubt); }

  LimbOptions options;
  Robot robot;
  Imposed x;
  ConstraintSet set;
  Solver paths, root;
  Random random;
  Externals push;
  Went went;
  Vector a, lambda, torque;
};

/// What an answer leaves of M x - J^T lambda = tau and J x = b, relative to the terms of each: of rows those of the
/// motion M^-1 (tau + J^T lambda) before anything in it cancels.
double rest_of(Problem& p, const RightHandSides& sides, const Vector& tau, const Vector& b) {
  const Tree<double>& tree = p.state.data.tree();
  Vector x(tau.size()), lambda(b.size()), torque(tau.size()), force(tau.size());
  for (Index y = 0; y < tree.nv; ++y) x(y) = sides.acceleration[y][0];
  for (Index k = 0; k < p.rows.m; ++k) lambda(k) = sides.lambda[k][0];
  p.state.accelerate(x.data());
  p.torques_of_motion(x.data(), lambda.data(), torque.data());
  force.setZero();
  p.add_joint_forces(true, true, lambda.data(), force.data());
  double worst = size_of(tau - torque) / (size_of(tau) + size_of(force) + size_of(torque + force));
  const Model& model = p.state.data.model();
  Data data(model);
  TreeCholesky factor(model);
  Eigen::MatrixXd inverse(model.nv(), model.nv());
  factor.compute(data, Vector(Eigen::Map<const Vector>(p.state.q.data(), model.nq())), p.state.effects);
  factor.inverse(inverse);
  const Vector gross = inverse.cwiseAbs() * (tau.cwiseAbs() + force.cwiseAbs());
  for (Index k = 0; k < p.rows.m; ++k) {
    double value = b(k), terms = std::fabs(b(k));
    for (Index c = 0; c < tree.spanning_nv; ++c) {
      value -= p.jacobian(k, c) * x(tree.column[c].v);
      terms += std::fabs(p.jacobian(k, c)) * gross(tree.column[c].v);
    }
    worst = std::max(worst, std::fabs(value) / terms);
  }
  return worst;
}

/// By what the solve has left, and by the factorisation that a second sweep makes: both solve the equations up to
/// rounding, and only the second is a factorisation.
TEST(PathResponse, SolvesTheEquations) {
  int answered = 0, asked = 0;
  double worst = 0, worst_by_factor = 0;
  for (int seed = 0; seed < effort(600, 60); ++seed) {
    SCOPED_TRACE(seed);
    Solved s(static_cast<std::uint64_t>(seed));
    if (!s.is_clear()) continue;
    SolverParts parts(s.robot.model, s.set, {});
    parts.read();
    parts.solve(s.input());
    PathFactor& factor = parts.factors.paths;
    ASSERT_EQ(parts.factor, &factor);
    Problem& p = parts.problem;
    RightHandSides sides(p);
    Vector tau = s.random.vector(static_cast<int>(p.state.data.tree().nv)), b = s.random.vector(p.rows.m);
    if (seed % 3 == 1) tau.setZero();
    if (seed % 3 == 2) b.setZero();
    const auto ask = [&] {
      sides.clear();
      for (Index y = 0; y < tau.size(); ++y) sides.tau[y] = Columns(tau(y));
      for (Index k = 0; k < b.size(); ++k) sides.b[k] = Columns(b(k));
    };
    ++asked;
    ask();
    if (!factor.respond(p, sides)) continue;
    ++answered;
    const double rest = rest_of(p, sides, tau, b);
    EXPECT_LT(rest, k_rest);
    worst = std::max(worst, rest);
    sides.count = 2;  // more than one: for a factorisation
    EXPECT_FALSE(factor.respond(p, sides));
    sides.count = 1;
    ask();
    ASSERT_TRUE(factor.apply(p, RowPolicy(parts.settings), parts.answer, sides));
    worst_by_factor = std::max(worst_by_factor, rest_of(p, sides, tau, b));
    EXPECT_FALSE(factor.respond(p, sides)) << "there is a factorisation now";
  }
  EXPECT_GT(answered, effort(600, 60) / 4);
  EXPECT_GE(answered, asked - asked / 50);
  std::printf("  %d of %d answered; they leave %.2g epsilon, a factorisation %.2g\n", answered, asked,
              worst / k_epsilon, worst_by_factor / k_epsilon);
}

TEST(PathResponse, GivesTheGradientOfTheFactorAtTheRoot) {
  int compared = 0, ends[3] = {0, 0, 0};
  for (int seed = 0; seed < effort(600, 60); ++seed) {
    SCOPED_TRACE(seed);
    Solved s(static_cast<std::uint64_t>(seed));
    if (!s.is_clear()) continue;
    const InputGradient &got = s.paths.vjp(s.weights()), &expected = s.root.vjp(s.weights());
    ASSERT_EQ(got.status, expected.status) << got.reason << " / " << expected.reason;
    if (got.status != Status::ok) continue;
    const auto x = parts_of(got), y = parts_of(expected);
    double size = 1;
    for (const auto& part : y) size = std::max(size, size_of(part.second));
    for (std::size_t k = 0; k < x.size(); ++k)
      EXPECT_TRUE(within(x[k].second, y[k].second, s.tolerance(), size)) << x[k].first;
    ++compared;
    ++ends[static_cast<int>(s.went.ends)];
  }
  EXPECT_GT(compared, effort(600, 60) / 4);
  for (const int count : ends) EXPECT_GT(count, 0);
}

/// w . (J d) = (J^T w) . d of the product from the right.
TEST(PathResponse, IsItsOwnAdjoint) {
  int compared = 0;
  for (int seed = 0; seed < effort(300, 40); ++seed) {
    SCOPED_TRACE(seed);
    Solved s(static_cast<std::uint64_t>(seed));
    if (!s.is_clear()) continue;
    const int nv = static_cast<int>(s.a.size()), rows = static_cast<int>(s.lambda.size());
    const Vector q = s.random.vector(nv), v = s.random.vector(nv), tau = s.random.vector(nv),
                 beta = s.random.vector(rows);
    const SolutionVariation& right = s.paths.jvp({q, v, tau, beta});
    if (right.status != Status::ok) continue;
    const auto product = [](const auto& x, const Vector& y) { return x.size() > 0 ? x.dot(y) : 0.0; };
    const double along =
        product(right.acceleration, s.a) + product(right.multipliers, s.lambda) + product(right.motor_torque, s.torque);
    const InputGradient& g = s.paths.vjp(s.weights());
    ASSERT_EQ(g.status, Status::ok);
    const double back = product(g.q, q) + product(g.v, v) + product(g.tau, tau) + product(g.beta, beta);
    const double size = 1 + size_of(g.q) + size_of(g.v) + size_of(g.tau) + size_of(g.beta) +
                        size_of(right.acceleration) + size_of(right.multipliers) + size_of(right.motor_torque);
    EXPECT_NEAR(along, back, s.tolerance() * size * nv);
    ++compared;
  }
  EXPECT_GT(compared, effort(300, 40) / 4);
}

/// Neither the solution nor later calls know that a gradient was asked for; and it is the same again.
TEST(PathResponse, LeavesTheSolverAsItWas) {
  int compared = 0;
  for (int seed = 0; seed < effort(200, 40); ++seed) {
    SCOPED_TRACE(seed);
    Solved s(static_cast<std::uint64_t>(seed)), other(static_cast<std::uint64_t>(seed));
    if (s.went.way != Way::own_paths) continue;
    const auto first = parts_of(s.paths.vjp(s.weights()));
    EXPECT_TRUE(same_bits(s.paths.solution().acceleration, other.paths.solution().acceleration));
    EXPECT_TRUE(same_bits(s.paths.solution().multipliers, other.paths.solution().multipliers));
    const auto again = parts_of(s.paths.vjp(s.weights()));
    for (std::size_t k = 0; k < first.size(); ++k)
      EXPECT_TRUE(same_bits(first[k].second, again[k].second)) << first[k].first;
    const Vector tau = s.random.vector(static_cast<int>(s.a.size()), 5);
    const Solution &a = s.paths.resolve({.tau = tau}), &b = other.paths.resolve({.tau = tau});
    EXPECT_TRUE(same_bits(a.acceleration, b.acceleration)) << "resolve() sees the gradient";
    EXPECT_TRUE(same_bits(a.multipliers, b.multipliers)) << "resolve() sees the gradient";
    EXPECT_TRUE(same_bits(a.motor_torque, b.motor_torque)) << "resolve() sees the gradient";
    const auto after = parts_of(s.paths.vjp(s.weights())), without = parts_of(other.paths.vjp(s.weights()));
    for (std::size_t k = 0; k < after.size(); ++k)
      EXPECT_TRUE(same_bits(after[k].second, without[k].second)) << after[k].first;
    ++compared;
  }
  EXPECT_GT(compared, effort(200, 40) / 4);
}

/// A gradient at the factor that resolve() has made is that without it.
TEST(PathResponse, AgreesWithTheFactorThatIsMadeLater) {
  int compared = 0;
  for (int seed = 0; seed < effort(200, 40); ++seed) {
    SCOPED_TRACE(seed);
    Solved s(static_cast<std::uint64_t>(seed));
    if (!s.is_clear()) continue;
    const InputGradient& g = s.paths.vjp(s.weights());
    if (g.status != Status::ok) continue;
    const auto before = parts_of(g);
    s.paths.resolve({.tau = s.x.state.tau, .external = &s.push});
    const auto after = parts_of(s.paths.vjp(s.weights()));
    double size = 1;
    for (const auto& part : before) size = std::max(size, size_of(part.second));
    for (std::size_t k = 0; k < before.size(); ++k)
      EXPECT_TRUE(within(before[k].second, after[k].second, s.tolerance(), size)) << before[k].first;
    ++compared;
  }
  EXPECT_GT(compared, effort(200, 40) / 4);
}

}  // namespace
}  // namespace zwang::test
