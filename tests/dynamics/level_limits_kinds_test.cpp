// SPDX-License-Identifier: BSD-3-Clause
// Limits of rows and motors on several levels, on an arm: every kind of row, scaled, soft, weighted and dependent,
// by several methods, against every choice of bounds in long double (level_limits_oracle.hpp).
#include <gtest/gtest.h>

#include "dynamics/level_limits_oracle.hpp"
#include "support/effort.hpp"
#include "support/robots.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/zwang.hpp"

namespace zwang::test {
namespace {

constexpr int k_nv = 7;
using Vector = Eigen::VectorXd;

struct ArmProblem {
  ConstraintSet set;
  SolverSettings settings;
  Vector q, v, tau;
  int bounds = 0;
};

void draw_state(Random& random, ArmProblem& x) {
  x.q = x.v = x.tau = Vector(k_nv);
  for (int i = 0; i < k_nv; ++i) {
    x.q(i) = random.uniform(-3.1, 3.1);
    x.v(i) = random.uniform(-2, 2);
    x.tau(i) = random.uniform(-20, 20);
  }
}

/// What a constraint of n rows has beside its rows, which are scaled by `scale`.
template <class Type> void draw_options(Random& random, int number, int n, double scale, ArmProblem& x, Type& c) {
  c.name = "c" + std::to_string(number);
  c.role = random.below(4) ? Role::driver : Role::physical;
  c.priority = number < 2 ? number : random.below(3);
  for (int i = 0; i < n; ++i) c.beta.push_back(random.uniform(-5, 5) * scale);
  if (random.below(2) && x.bounds + n <= 4) {
    c.limit.assign(static_cast<std::size_t>(n), std::pow(10.0, random.uniform(-1, 2)) / scale);
    x.bounds += n;
  }
  if (random.below(5) == 0) {
    c.policy = Policy::soft;
    c.priority = 0;
    c.compliance.assign(static_cast<std::size_t>(n), std::pow(10.0, random.uniform(-5, 1)) * scale * scale);
  } else if (random.below(4) == 0) {
    c.weight.assign(static_cast<std::size_t>(n), std::pow(10.0, random.uniform(-1, 1)));
  }
}

ArmProblem draw(const Model& arm, std::uint64_t seed) {
  Random random(seed);
  ArmProblem x{.set = ConstraintSet(arm), .settings = {}, .q = {}, .v = {}, .tau = {}};
  std::vector<double> sum(k_nv, 0.0);
  for (int number = 0, count = 2 + random.below(3); number < count; ++number) {
    const int kind = random.below(5);
    if (kind < 2) {
      FrameConstraint c{.frame = random.below(2) ? "link5" : "tool0", .rows = rows("linear.x angular.y")};
      if (kind == 0) c.rows = rows("linear");
      draw_options(random, number, static_cast<int>(c.rows.size()), 1, x, c);
      x.set.add(c);
    } else if (kind == 2) {
      ContactConstraint c{.frame = "tool0", .rows = 1};
      draw_options(random, number, 1, 1, x, c);
      x.set.add(c);
    } else {
      CouplingConstraint c{.coordinates = arm.coordinate_names(), .ratio = std::vector<double>(k_nv, 0.0)};
      const bool depends = random.below(3) == 0 && sum[0] != 0;
      const double scale = random.below(3) ? 1.0 : std::pow(10.0, random.uniform(-6, 6));
      for (std::size_t i = 0; i < sum.size(); ++i) {
        if (!depends) sum[i] += c.ratio[i] = i == 0 ? 1.0 : random.below(2) * random.uniform(-2, 2);
        c.ratio[i] = scale * (depends ? sum[i] : c.ratio[i]);
      }
      draw_options(random, number, 1, scale, x, c);
      x.set.add(c);
    }
  }
  draw_state(random, x);
  const char* const methods[] = {"automatic", "popov_vereshchagin", "pv_early"};
  x.settings.method = methods[random.below(3)];
  if (random.below(5) == 0) x.settings.singularity = Singularity::weighted;
  if (random.below(4) == 0) {
    const int y = random.below(k_nv);
    limit_motor(arm, x.settings.motor_limits, arm.coordinate_names()[static_cast<std::size_t>(y)],
                std::min(x.tau(y), 0.0) - std::pow(10.0, random.uniform(-1, 2)),
                std::max(x.tau(y), 0.0) + std::pow(10.0, random.uniform(-1, 2)));
    ++x.bounds;
  }
  return x;
}

LevelProblem stated(const Model& arm, const ArmProblem& x) {
  ConstraintEvaluator rows(arm, x.set);
  rows.evaluate(x.q, x.v);
  const Index m = rows.rows();
  Eigen::MatrixXd J(m, k_nv), M(k_nv, k_nv);
  rows.jacobian(J);
  for (Index k = 0; k < m; ++k)
    for (Index y = 0; y < k_nv; ++y)
      if (std::fabs(J(k, y)) < 1e-14 * J.row(k).norm()) J(k, y) = 0;  // rounding is no motion
  Data data(arm);
  mass_matrix(arm, data, x.q, M);
  const Vector h = inverse_dynamics(arm, data, x.q, x.v, Vector::Zero(k_nv));
  LevelProblem p;
  p.M = M.cast<Real>();
  p.A = J.cast<Real>();
  p.force = (x.tau - h).cast<Real>();
  p.b = Vector(rows.gamma()).cast<Real>();
  p.R = Vec::Zero(m);
  p.weight = Vec::Ones(m);
  p.upper = Vec::Constant(m, std::numeric_limits<Real>::infinity());
  Mat driven = p.A;
  Eigen::Index k = 0;
  for (const Constraint& c : x.set.constraints())
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.size()); ++i, ++k) {
      p.level.push_back(c.priority.value());
      if (c.policy == Policy::soft) p.R(k) = c.compliance[i];
      if (x.settings.singularity == Singularity::weighted && !c.weight.empty()) p.weight(k) = c.weight[i];
      if (!c.limit.empty()) p.upper(k) = c.limit[i];
      if (c.role == Role::physical) driven.row(k).setZero();
    }
  p.lower = -p.upper;
  p.motors.resize(0, m);
  for (Index y = 0; y < k_nv && !x.settings.motor_limits.empty(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    if (!(x.settings.motor_limits.upper[at] < std::numeric_limits<double>::infinity())) continue;
    p.motors = driven.col(y).transpose();
    p.motor_lower = Vec::Constant(1, Real(x.settings.motor_limits.lower[at]) - Real(x.tau(y)));
    p.motor_upper = Vec::Constant(1, Real(x.settings.motor_limits.upper[at]) - Real(x.tau(y)));
  }
  return p;
}

bool has_levels(const ConstraintSet& set) {
  int first = -1;
  bool levels = false;
  for (const Constraint& c : set.constraints()) {
    if (c.policy == Policy::soft) continue;
    levels = levels || (first >= 0 && c.priority.value() != first);
    first = c.priority.value();
  }
  return levels;
}

/// An answer that is ok is the best of every level. Of problems with forces within limits nearly all are ok; rows of
/// the first level that contradict each other are told as such, whatever their limits.
TEST(LevelLimits, OfEveryKind) {
  const Model arm = load(models_folder() + "/arm7.urdf");
  int ok = 0, other = 0, contradictory = 0, at_bound = 0, soft = 0;
  double worst = 0;
  for (int seed = 0; seed < effort(2400, 200); ++seed) {
    const ArmProblem x = draw(arm, static_cast<std::uint64_t>(seed));
    if (x.bounds == 0 || !has_levels(x.set)) continue;
    Solver solver(arm, x.set, x.settings);
    const Solution& got = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
    const LevelProblem p = stated(arm, x);
    LevelOracle oracle(p);
    const LevelMotion best = oracle.solve();
    if (!best.clear) continue;
    ASSERT_TRUE(best.found) << seed;
    if (got.report.status != Status::ok) {
      bool conflict = false;
      for (const GivenUp& g : got.report.given_up) conflict = conflict || g.reason == GivenUp::Reason::conflict;
      ++(conflict && got.report.status == Status::infeasible ? contradictory : other);
      continue;
    }
    ++ok;
    at_bound += best.at_bound > 0;
    soft += p.R.maxCoeff() > 0;
    const Vec lambda = Vector(got.multipliers).cast<Real>();
    for (Eigen::Index k = 0; k < lambda.size(); ++k)
      EXPECT_LE(std::fabs(lambda(k)), p.upper(k) * (1 + 4 * epsilon_of<double>)) << seed;
    Vec y = Vec::Zero(best.y.size());
    y.head(k_nv) = oracle.L().transpose() * got.acceleration.cast<Real>();
    y.tail(lambda.size()) = (p.R.array().sqrt() * lambda.array()).matrix();
    const Real size = best.size + y.norm();
    EXPECT_LT((oracle.motion(lambda) - y).norm(), 1e-9L * size) << seed;  // that of forces within the limits
    const Real off = oracle.worse(y, best) / size;
    EXPECT_LT(off, 1e-9L) << seed << got.report.explain();
    worst = std::max(worst, static_cast<double>(off));
  }
  printf("ok %d (at a bound %d, soft %d), contradictory %d, other %d; largest miss %.1e\n", ok, at_bound, soft,
         contradictory, other, worst);
  EXPECT_LE(other, 1 + ok / 500);
  EXPECT_GT(at_bound, ok / 2);
  EXPECT_GT(soft, ok / 10);
}

/// Drivers with limits and a contact on the first level, a joint on the second one: all are ok, as on one level.
TEST(LevelLimits, OfRowsAloneAreKept) {
  const Model arm = load(models_folder() + "/arm7.urdf");
  for (int seed = 0; seed < effort(1000, 40); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    ArmProblem x{.set = ConstraintSet(arm), .settings = {}, .q = {}, .v = {}, .tau = {}};
    x.set.add(CouplingConstraint{
        .name = "a", .coordinates = {"joint2"}, .ratio = {1}, .beta = {random.uniform(-2, 2)}, .role = Role::driver});
    x.set["a"].priority = random.below(3);
    x.set.add(ContactConstraint{.name = "b", .frame = "tool0", .rows = 1, .role = Role::driver});
    FrameConstraint c{.name = "c", .frame = "link5", .rows = rows("linear"), .role = Role::driver};
    c.limit.assign(3, std::pow(10.0, random.uniform(0, 2)));
    if (random.below(2)) {
      c.policy = Policy::soft;
      c.compliance.assign(3, std::pow(10.0, random.uniform(-6, 0)));
    }
    x.set.add(c);
    draw_state(random, x);
    Solver solver(arm, x.set);
    const Solution& got = solver.solve({.q = x.q, .v = x.v, .tau = x.tau});
    EXPECT_EQ(got.report.status, Status::ok) << seed << got.report.explain();
  }
}

}  // namespace
}  // namespace zwang::test
