// SPDX-License-Identifier: BSD-3-Clause
// Limits of rows and motors where rows have any scale, demands are far beyond the limits and rows depend on each other;
// and that an answer does not depend on what the solver has solved before.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/effort.hpp"
#include "support/random.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
constexpr double k_none = std::numeric_limits<double>::infinity(), k_epsilon = std::numeric_limits<double>::epsilon();

const Model& arm() {
  static const Model model = load(ZWANG_MODELS "/arm7.urdf");
  return model;
}
const Model& quadruped() {
  static const Model model = [] {
    LoadOptions options;
    options.root = "floating";
    return load(ZWANG_MODELS "/quadruped.urdf", options);
  }();
  return model;
}
std::vector<double> row(Random& random, double scale = 1) {
  std::vector<double> x(6);
  for (double& entry : x) entry = scale * random.normal();
  return x;
}
double power(Random& random, int low, int high) { return std::pow(10.0, low + random.below(high - low + 1)); }

/// One driver row of any scale: lambda is that without limits, or the nearest that all motors allow.
TEST(ScaledLimits, OfMotorsOfOneRowAreAClosedForm) {
  const int n = arm().nv(), seeds = effort(2000, 50);
  int ok = 0, reached = 0, infeasible = 0;
  double worst = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 100);
    const double scale = power(random, -10, 6), beta = power(random, 0, 3);
    ConstraintSet set(arm());
    set.add(FrameConstraint{.name = "t",
                            .frame = seed % 3 ? "tool0" : "link4",
                            .rows = rows(row(random, scale)),
                            .beta = {beta},
                            .role = Role::driver});
    const Vector q = random_configuration(arm(), random), v = Vector::Zero(n), tau = 10 * random.vector(n);
    const SolveInput input{.q = q, .v = v, .tau = tau};
    Solver free(arm(), set);
    const Solution& without = free.solve(input);
    ASSERT_EQ(without.report.status, Status::ok);
    const double lambda = without.multipliers(0);
    const Vector motion_without = without.acceleration, rest = Vector::Zero(n);
    const Solution& pull = free.solve({.q = q, .v = v, .tau = rest});
    const Vector J = pull.motor_torque / pull.multipliers(0);
    ConstraintSet none(arm());
    Solver unconstrained(arm(), none);
    const Vector unmoved = unconstrained.solve(input).acceleration, pushed = motion_without - unmoved;
    SolverSettings settings;
    double low = -k_none, high = k_none, out = 0;  // what motors allow; how far one that the row leaves alone is beyond
    Vector lower = Vector::Constant(n, -k_none), upper = -lower;
    for (int y = 0; y < n; ++y) {
      if (random.below(3) == 0) continue;
      const double tight = random.below(4) == 0 ? 0 : random.below(4) == 0 ? power(random, -12, -2) : 30;
      lower(y) = std::min(tau(y), 0.0) - random.uniform(0, 1) * tight;
      upper(y) = std::max(tau(y), 0.0) + random.uniform(0, 1) * tight;
      if (random.below(40) == 0) upper(y) = tau(y) - 0.5, lower(y) = upper(y) - 3;  // tau is beyond it
      limit_motor(arm(), settings.motor_limits, arm().coordinate_names()[static_cast<std::size_t>(y)], lower(y),
                  upper(y));
      const double from = (lower(y) - tau(y)) / J(y), to = (upper(y) - tau(y)) / J(y);
      if (std::fabs(J(y)) > 1e-12 * J.norm())
        low = std::max(low, std::min(from, to)), high = std::min(high, std::max(from, to));
      else
        out = std::max({out, lower(y) - tau(y), tau(y) - upper(y)});
    }
    if (settings.motor_limits.empty()) continue;
    Solver solver(arm(), set, settings);
    const Solution& got = solver.solve(input);
    if (low > high || out > 0) {
      // Limits that leave a gap of rounding may be kept to rounding.
      const bool is_clear = out > 0 || low - high > 1e-6 * (std::fabs(low) + std::fabs(high));
      if (is_clear) { EXPECT_EQ(got.report.status, Status::infeasible) << seed << got.report.explain(); }
      infeasible += is_clear;
      continue;
    }
    const double best = std::clamp(lambda, low, high);
    ASSERT_EQ(got.report.status, Status::ok) << seed << got.report.explain();
    ++ok;
    reached += best != lambda;
    // `feasibility` of the terms of a torque; lambda is between what limits allow that are wider and narrower by that.
    const double l = got.multipliers(0);
    double wide_low = -k_none, wide_high = k_none, near_low = -k_none, near_high = k_none;
    for (int y = 0; y < n; ++y) {
      const double terms = std::fabs(tau(y)) + std::fabs(J(y) * l);
      const auto off = [&](double limit) { return 1e-9 * (terms + std::fabs(limit)); };
      if (!(upper(y) < k_none)) continue;
      EXPECT_LE(got.motor_torque(y), upper(y) + off(upper(y))) << seed;
      EXPECT_GE(got.motor_torque(y), lower(y) - off(lower(y))) << seed;
      if (!(std::fabs(J(y)) > 1e-12 * J.norm())) continue;
      for (const double sign : {1.0, -1.0}) {
        const double x = (lower(y) - tau(y) - sign * off(lower(y))) / J(y),
                     z = (upper(y) - tau(y) + sign * off(upper(y))) / J(y);
        double &to_low = sign > 0 ? wide_low : near_low, &to_high = sign > 0 ? wide_high : near_high;
        to_low = std::max(to_low, J(y) > 0 ? x : z);
        to_high = std::min(to_high, J(y) > 0 ? z : x);
      }
    }
    const double slack = 1e-9 * std::fabs(l);
    if (best < lambda) {
      EXPECT_GE(l, std::min(near_high, lambda) - slack) << seed << got.report.explain();
      EXPECT_LE(l, std::min(wide_high, lambda) + slack) << seed << got.report.explain();
    } else {
      EXPECT_LE(l, std::max(near_low, lambda) + slack) << seed << got.report.explain();
      EXPECT_GE(l, std::max(wide_low, lambda) - slack) << seed << got.report.explain();
    }
    const Vector motion = unmoved + pushed * (l / lambda);
    const double off = (got.acceleration - motion).norm() /
                       (1 + motion.norm() + pushed.norm() * std::fabs(l / lambda) + unmoved.norm());
    EXPECT_LT(off, 1e-10) << seed;
    worst = std::max(worst, off);
  }
  printf("ok %d, at a limit %d, infeasible %d; worst motion %.1e\n", ok, reached, infeasible, worst);
  EXPECT_GT(reached, ok / 4);
}

/// A row that depends on another: its limit is kept in its own unit, and the other does the rest.
TEST(ScaledLimits, OfARowThatDependsOnAnotherAreKept) {
  const int n = arm().nv(), seeds = effort(2000, 50);
  int reached = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 7000);
    const double scale = power(random, -9, 6);
    const std::vector<double> of = row(random);
    const bool has_sense = random.below(2) == 1;
    ConstraintSet set(arm());
    FrameConstraint a{.name = "a", .frame = "link4", .rows = rows(of)};
    if (has_sense) a.sense = {Sense::at_least};
    set.add(a);
    const Vector q = random_configuration(arm(), random), v = Vector::Zero(n), tau = 20 * random.vector(n);
    const SolveInput input{.q = q, .v = v, .tau = tau};
    Solver alone(arm(), set);
    const double total = alone.solve(input).multipliers(0);
    const Vector motion = alone.solution().acceleration;
    if (std::fabs(total) < 1e-6) continue;
    const double limit =
        std::fabs(total) * scale / (1 + scale * scale) * power(random, -12, 0) * random.uniform(0.1, 2);
    std::vector<double> copy = of;
    for (double& x : copy) x *= scale;
    a.name = "b";
    a.rows = rows(copy);
    a.limit = {limit};
    set.add(a);
    Solver solver(arm(), set);
    const Solution& got = solver.solve(input);
    ASSERT_EQ(got.report.status, Status::ok) << seed << got.report.explain();
    EXPECT_LE(std::fabs(got.multipliers(1)), limit * (1 + 64 * k_epsilon)) << seed;
    EXPECT_NEAR(got.multipliers(0) + scale * got.multipliers(1), total, 1e-9 * std::fabs(total)) << seed;
    EXPECT_LT((got.acceleration - motion).norm(), 1e-9 * (1 + motion.norm())) << seed;
    if (has_sense) { EXPECT_GE(got.multipliers(0), -1e-9 * std::fabs(total)) << seed; }
    reached += std::fabs(got.multipliers(1)) > 0.5 * limit;
  }
  EXPECT_GT(reached, seeds / 10);
}

/// Rows in other units: the same motion, and the same torques.
TEST(ScaledLimits, DoNotDependOnTheUnitOfARow) {
  const int n = quadruped().nv(), seeds = effort(1000, 40);
  int ok = 0, reached = 0, other = 0;
  double worst = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 20000);
    ConstraintSet set(quadruped()), scaled(quadruped());
    const char* const frames[] = {"LF_foot", "RF_foot", "LH_hip", "trunk"};
    const int count = 2 + random.below(4);
    std::vector<double> first;
    std::string frame_of_first;
    for (int k = 0; k < count; ++k) {
      FrameConstraint c{.name = std::to_string(k), .frame = frames[random.below(4)], .role = Role::driver};
      std::vector<double> of = row(random);
      double beta = power(random, -1, 2);
      if (k > 0 && random.below(3) == 0) {  // a copy of the first row, or nearly so
        const double angle = random.below(2) ? 0 : 1e-4;
        for (std::size_t i = 0; i < 6; ++i) of[i] = first[i] + angle * of[i];
        c.frame = frame_of_first;
        beta = set["0"].beta[0];
      }
      if (k == 0) first = of, frame_of_first = c.frame;
      c.rows = rows(of);
      c.beta = {beta};
      if (random.below(4) == 0) c.sense = {Sense::at_least};
      if (random.below(3) == 0) c.limit = {power(random, 0, 2)};
      set.add(c);
      const double s = power(random, -8, 8);
      for (double& x : of) x *= s;
      c.rows = rows(of);
      c.beta = {beta * s};
      if (c.limit.size() > 0) c.limit = {c.limit[0] / s};
      scaled.add(c);
    }
    SolverSettings settings;
    const Vector q = random_configuration(quadruped(), random), v = Vector::Zero(n), tau = 5 * random.vector(n);
    for (int y = 6; y < n; ++y)
      if (random.below(2)) {
        const double limit = std::fabs(tau(y)) + power(random, -1, 2);
        limit_motor(quadruped(), settings.motor_limits, quadruped().coordinate_names()[static_cast<std::size_t>(y)],
                    -limit, limit);
      }
    const SolveInput input{.q = q, .v = v, .tau = tau};
    Solver a(quadruped(), set, settings), b(quadruped(), scaled, settings);
    const Solution &one = a.solve(input), &two = b.solve(input);
    EXPECT_EQ(one.report.status, two.report.status) << seed << one.report.explain() << two.report.explain();
    if (one.report.status != Status::ok || two.report.status != Status::ok) {
      ++other;
      continue;
    }
    ++ok;
    reached += !one.report.motors_at_limit.empty();
    const double off = (one.acceleration - two.acceleration).norm() / (1 + one.acceleration.norm());
    worst = std::max(worst, off);
    EXPECT_LT(off, 1e-7) << seed;  // near copies of 1e-4
  }
  printf("ok %d, motors at a limit in %d, other %d; worst motion %.1e\n", ok, reached, other, worst);
  EXPECT_LT(other, seeds / 10);
}

/// Random histories on one solver, whose last state is solved by a new one.
TEST(ScaledLimits, AreTheSameWhateverWasSolvedBefore) {
  const Model& model = quadruped();
  const int n = model.nv(), seeds = effort(1000, 40);
  int ok = 0, infeasible = 0, other = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 50000);
    const auto frame = [&] { return model.link_names()[1 + static_cast<std::size_t>(random.below(12))]; };
    ConstraintSet set(model);
    const bool many = seed % 2 == 1;  // more rows than the robot can satisfy, in most states
    set.add(FrameConstraint{.name = "a",
                            .frame = std::string(frame()),
                            .rows = rows(many ? "angular" : "linear.x angular.z"),
                            .role = Role::driver});
    set.add(FrameConstraint{.name = "b",
                            .frame = "RH_foot",
                            .rows = rows(many ? "all" : "linear"),
                            .role = many || seed % 5 ? Role::driver : Role::physical});
    std::vector<double> three;
    for (int k = 0; k < (many ? 3 : 1); ++k)
      for (const double x : row(random, many ? 1 : power(random, -6, 2))) three.push_back(x);
    FrameConstraint c{.name = "c", .frame = "LH_hip", .rows = rows(three)};
    c.sense = {Sense::at_least};
    if (!many && random.below(3) == 0) c.limit = {power(random, -2, 3)};
    set.add(c);
    SolverSettings settings;
    for (int y = 6; y < n && (many || seed % 4); ++y)
      if (random.below(2)) {
        const double limit = std::pow(10.0, random.uniform(0, 2));
        limit_motor(model, settings.motor_limits, model.coordinate_names()[static_cast<std::size_t>(y)], -limit, limit);
      }
    Solver used(model, set, settings);
    const bool near = random.below(2) == 1;  // states that differ by torques alone
    Vector q = random_configuration(model, random), v = random.vector(n), tau = 10 * random.vector(n);
    const int before = 1 + random.below(4);
    for (int k = 0; k <= before; ++k) {
      if (k > 0) {
        if (!near) q = random_configuration(model, random), v = random.vector(n);
        tau = near ? Vector(tau + random.vector(n)) : Vector(10 * random.vector(n));
      }
      const SolveInput input{.q = q, .v = v, .tau = tau};
      const Solution& got = used.solve(input);
      if (k < before) continue;
      Solver fresh(model, set, settings);
      const Solution& expected = fresh.solve(input);
      ASSERT_EQ(got.report.status, expected.report.status) << seed << got.report.explain();
      ++(got.report.status == Status::ok ? ok : got.report.status == Status::infeasible ? infeasible : other);
      EXPECT_EQ(got.report.motors_at_limit, expected.report.motors_at_limit) << seed;
      EXPECT_EQ(got.report.released, expected.report.released) << seed;
      if (got.report.status == Status::ok) {
        EXPECT_EQ(Vector(got.acceleration), Vector(expected.acceleration)) << seed;
        EXPECT_EQ(Vector(got.multipliers), Vector(expected.multipliers)) << seed;
        EXPECT_EQ(Vector(got.motor_torque), Vector(expected.motor_torque)) << seed;
      } else {
        EXPECT_LE((got.acceleration - expected.acceleration).norm(), 1e-9 * (1 + expected.acceleration.norm())) << seed;
        EXPECT_LE((got.multipliers - expected.multipliers).norm(), 1e-9 * (1 + expected.multipliers.norm())) << seed;
      }
    }
  }
  printf("ok %d, infeasible %d, other %d\n", ok, infeasible, other);
  EXPECT_GT(ok, seeds / 4);
  EXPECT_GT(infeasible, seeds / 20);
}

}  // namespace
}  // namespace zwang::test
