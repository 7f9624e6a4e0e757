// SPDX-License-Identifier: BSD-3-Clause
// Senses, limits of rows and limits of motors on hostile sets (hostile_limits.hpp): the conditions of
// docs/inequalities.md in long double, from the numbers of a solution alone. 1e5 sets with ZWANG_WHOLE_TABLE=1.
#include <gtest/gtest.h>

#include "dynamics/hostile_limits.hpp"

namespace zwang::test {
namespace {

using namespace hostile;

/// The unit of lambda_k: its bound; where that is 0, its terms.
Real unit_of_force(const HostileLimits& x, Eigen::Index k, Real lambda, Real bound, Real free) {
  const Real all = x.weight(k) * x.weight(k) + x.R(k);
  return std::max(std::fabs(lambda), bound != 0 ? std::fabs(bound) : (x.size(k) + x.weight(k) * free) / all);
}

/// One level: w + D nu = 0 inside, > 0 at the lower bound only, < 0 at the upper one only; nu > 0 only at the upper
/// limit of a motor, < 0 only at the lower one.
Kkt check_one_level(const HostileLimits& x, const Vec& a, const Vec& lambda, const Vec& u) {
  Kkt worst;
  check_forces(x, a, lambda, u, worst);
  const Eigen::Index m = x.A.rows(), nv = x.M.rows();
  const Mat L = Eigen::LLT<Mat>(x.M).matrixL();
  const Real free = L.triangularView<Eigen::Lower>().solve(Vec(x.x.state.tau.cast<Real>() - x.h)).norm(),
             moved = (L.transpose() * a).norm();
  const Vec w = x.A * a + x.R.cwiseProduct(lambda) - x.b;
  Vec terms(m);
  const Real rounding = 16 * epsilon_of<double> * static_cast<Real>(nv + m) *
                        (free + moved + x.weight.dot(lambda.cwiseAbs()));  // of the motion, as forces are doubles
  std::vector<Vec> columns;  // what may act: slacks of rows at a bound, slips of motors at a limit
  std::vector<Eigen::Index> motor;
  for (Eigen::Index k = 0; k < m; ++k) {
    terms(k) = x.size(k) + x.reach.row(k).dot(a.cwiseAbs()) + std::fabs(x.R(k) * lambda(k));
    for (const Real bound : {x.lower(k), x.upper(k)}) {
      if (!(std::fabs(bound) < k_open)) continue;
      const bool high = bound == x.upper(k);
      const Real inside = high ? bound - lambda(k) : lambda(k) - bound,
                 unit = unit_of_force(x, k, lambda(k), bound, free);
      worst.add(std::max(-inside, Real(0)), k_promise * unit, "limit", k);
      if (inside > k_promise * unit) continue;
      columns.push_back(Vec::Unit(m, k) * (high ? 1 : -1));
      motor.push_back(-1);
    }
  }
  for (Eigen::Index y = 0; y < nv; ++y)
    for (const Real limit : {x.motor_lower(y), x.motor_upper(y)}) {
      if (!(std::fabs(limit) < k_open)) continue;
      const bool high = limit == x.motor_upper(y);
      const Real given = u(y), all = std::fabs(x.x.state.tau(y)) + x.D.col(y).cwiseAbs().dot(lambda.cwiseAbs());
      if ((high ? limit - given : given - limit) > k_promise * (all + std::fabs(limit))) continue;
      columns.push_back(x.D.col(y) * (high ? 1 : -1));
      motor.push_back(y);
    }
  const auto n = static_cast<Eigen::Index>(columns.size());
  Kkt best;
  for (int round = 0; round < 4; ++round) {  // slips are terms of rows, too
    Mat B(m, n);
    Vec norms(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      B.col(j) = columns[static_cast<std::size_t>(j)].cwiseQuotient(terms);
      norms(j) = B.col(j).norm() > 0 ? B.col(j).norm() : Real(1);
      B.col(j) /= norms(j);
    }
    const Vec z = least_squares_of_signs(B, -w.cwiseQuotient(terms));
    const Vec left = w.cwiseQuotient(terms) + B * z;
    Kkt here;
    Vec slips = Vec::Zero(m);
    for (Eigen::Index j = 0; j < n; ++j)
      if (motor[static_cast<std::size_t>(j)] >= 0) slips += B.col(j).cwiseAbs().cwiseProduct(terms) * z(j);
    for (Eigen::Index k = 0; k < m; ++k)
      here.add(std::fabs(left(k)) * terms(k), k_promise * (terms(k) + slips(k)) + rounding * x.weight(k), "row", k);
    if (round == 0 || here.worst < best.worst) best = here;
    terms += slips;
  }
  best.motion = worst.motion;
  if (best.worst > worst.worst) worst = best;
  return worst;
}

TEST(LimitsKkt, OfOneLevel) {
  const int sets = hostile_sets(2000);
  Rates made, other;
  int false_ok = 0, lost = 0, motion = 0, without = 0;
  for (int seed = first_seed(), end = seed + sets; seed < end; ++seed) {
    const HostileLimits x(static_cast<std::uint64_t>(seed), false);
    const ConstraintSet set = x.set();
    Solver solver(x.robot.model, set, x.x.settings);
    const Solution& got = solver.solve(x.x.input());
    Rates& rates = x.made ? made : other;
    ++rates.all;
    if (got.report.status != Status::ok) {
      lost += got.report.status != Status::infeasible;
      rates.miss(name_of(got.report.status), seed);
      continue;
    }
    ++rates.ok;
    rates.at_bound += !got.report.at_limit.empty() || !got.report.motors_at_limit.empty();
    const Vec a = got.acceleration.cast<Real>(), lambda = got.multipliers.cast<Real>(),
              u = got.motor_torque.cast<Real>();
    const Kkt off = check_one_level(x, a, lambda, u);
    if (off.motion > 1) ++(x.has_bounds() ? motion : without), rates.miss("ok, beyond: motion", seed);
    if (off.worst <= 1) continue;
    rates.miss("ok, beyond: " + off.of.substr(0, off.of.find(' ')), seed);
    EXPECT_LE(off.worst, 1) << seed << " " << off.of << "\n" << got.report.explain();
    ++false_ok;
  }
  made.print("from an answer");
  other.print("from nothing");
  EXPECT_EQ(false_ok, 0);
  EXPECT_LE(motion, sets / 10000);
  EXPECT_LE(without, 1 + sets / 400);
  EXPECT_GE(made.ok, made.all - std::max(1, made.all / 1000));
  EXPECT_LE(lost, std::max(2, sets / 200));
  EXPECT_GT(made.at_bound, made.all / 8);
  EXPECT_GT(other.ok, other.all / 4);
}

/// Rows and near copies of them, and limits that no motor reaches: multipliers are refined, the motion stays, and Z is
/// 1/2 |q'' - q''_free|^2_M. Rounding of the acceleration without rows, of M and of the motion: 1e6 ulps of Z.
TEST(LimitsKkt, LeaveZToTheMotionWhereRowsNearlyDepend) {
  const Model m = build(sample("arm7"));
  const Index nv = m.nv();
  int solved = 0;
  for (int seed = 0; seed < effort(400); ++seed) {
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(1000 + seed));
    std::vector<double> A(static_cast<std::size_t>(6 * (1 + seed % 4))), B;
    for (double& a : A) a = random.uniform(-1, 1);
    const double apart = std::pow(10.0, -7 - seed / 4 % 4);
    for (const double a : A) B.push_back(a + apart * random.uniform(-1, 1));
    ConstraintSet set(m);
    set.add(FrameConstraint{.name = "rows", .frame = "tool0", .rows = rows(A)});
    set.add(FrameConstraint{.name = "copies", .frame = "tool0", .rows = rows(B), .priority = seed / 16 % 2});
    SolverSettings settings;
    settings.motor_limits.lower.assign(static_cast<std::size_t>(nv), -1e3);
    settings.motor_limits.upper.assign(static_cast<std::size_t>(nv), 1e3);
    Solver solver(m, set, settings);
    const Eigen::VectorXd tau = Eigen::VectorXd::Ones(nv);
    const Solution& s = solver.solve({.q = x.q, .v = x.v, .tau = tau});
    if (s.report.status != Status::ok) continue;
    ++solved;
    Data data(m);
    const Eigen::VectorXd away = s.acceleration - forward_dynamics(m, data, x.q, x.v, tau);
    const double Z = 0.5 * away.dot(mass_matrix(m, data, x.q) * away);
    EXPECT_NEAR(s.zwang, Z, 1e6 * std::numeric_limits<double>::epsilon() * Z) << seed;
  }
  EXPECT_GT(solved, effort(400) * 9 / 10);
}

}  // namespace
}  // namespace zwang::test
