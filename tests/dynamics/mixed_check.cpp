// SPDX-License-Identifier: BSD-3-Clause
// What a Solution of a hybrid problem must be (mixed.hpp).
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "dynamics/mixed.hpp"
#include "support/close.hpp"

namespace zwang::test {

namespace {

constexpr double k_unit = 2.3e-16;

Vec wide(const VectorView& v) { return v.cast<Real>(); }
Vec zeros(const Vec& like) { return Vec::Zero(like.size()); }

std::string_view name_of_row(const ConstraintSet& set, const Posed& p, Eigen::Index i) {
  const Constraint& c = constraint_of(set, p, i);
  Eigen::Index first = i;
  while (first > 0 && p.constraint[static_cast<std::size_t>(first - 1)] == p.constraint[static_cast<std::size_t>(i)])
    --first;
  return c.row_names[static_cast<std::size_t>(i - first)];
}

/// J^T lambda of the driver rows and of the physical ones, and the magnitude of their terms.
struct RowForces {
  Vec driver, physical, size;
};
RowForces row_forces(const Mixed& x, const Posed& p, const Vec& lambda) {
  RowForces f{Vec::Zero(p.M.rows()), Vec::Zero(p.M.rows()), Vec::Zero(p.M.rows())};
  for (Eigen::Index i = 0; i < p.A.rows(); ++i) {
    const bool driver =
        role_of(x.constraints[static_cast<std::size_t>(p.constraint[static_cast<std::size_t>(i)])]) == Role::driver;
    (driver ? f.driver : f.physical) += p.A.row(i).transpose() * lambda(i);
    f.size += p.A.row(i).transpose().cwiseAbs() * std::fabs(lambda(i));
  }
  return f;
}

/// What rounding of a row is measured against, at the oracle's motion.
Vec row_size(const Stated& s, const reference::HybridMotion& oracle, const Vec& a) {
  Vec size = size_of_rows(s.posed, a) + s.posed.reach * oracle.free.cwiseAbs() + (oracle.target - s.posed.b).cwiseAbs();
  size += s.posed.reach * (oracle.acceleration - oracle.free).cwiseAbs();
  return size;
}

void expect_forces(const Robot& robot, const Mixed& x, const Stated& s, const Solution& got) {
  const Posed& p = s.posed;
  const std::vector<bool> held = held_coordinates(robot.model, x.prescribed);
  const Vec a = wide(got.acceleration), lambda = active_part(p, got.multipliers);
  const RowForces f = row_forces(x, p, lambda);
  const Vec needed = p.M * a + p.h - f.physical;
  const Vec size = p.M.cwiseAbs() * a.cwiseAbs() + p.h.cwiseAbs() + p.tau.cwiseAbs() + f.size;
  const double scale = 1e-300 + static_cast<double>(size.maxCoeff());
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const bool given = held[static_cast<std::size_t>(k)];
    const Real motor = got.motor_torque(k), reaction = got.reaction(k);
    // A sweep over 60 bodies rounds each term some hundred times; the equation itself is asked at free coordinates.
    EXPECT_LE(std::fabs(motor - needed(k)), 1e-10L * (given ? scale : size(k) + 1e-3L * scale)) << "coordinate " << k;
    if (!given) { EXPECT_LE(std::fabs(motor - p.tau(k) - f.driver(k)), 1e-12L * scale) << "coordinate " << k; }
    EXPECT_LE(std::fabs(reaction - f.physical(k)), 1e-12L * scale) << "coordinate " << k;
  }
  for (const PrescribedCoordinate& c : x.prescribed) EXPECT_EQ(got.acceleration(c.v), c.acceleration);

  if (Eigen::LLT<Mat>(p.M).info() != Eigen::Success) return;  // plain forward dynamics has no answer there
  Data data(robot.model);
  const Eigen::VectorXd motor = got.motor_torque;
  const Vec again =
      wide(forward_dynamics(robot.model, data, x.state.q, x.state.v, motor, with_reactions(robot, x, *s.state, got)));
  const Vec away = p.M * (again - a);  // as forces: free of the condition of M
  EXPECT_TRUE(within(away, zeros(away), 1e-11, scale)) << "forward dynamics under the published forces moves elsewhere";
}

void expect_residuals(const Stated& s, const reference::HybridMotion& oracle, const Solution& got) {
  const Posed& p = s.posed;
  const Vec a = wide(got.acceleration), size = row_size(s, oracle, a), lambda = active_part(p, got.multipliers);
  const Vec residual = p.A * a - oracle.target, published = active_part(p, got.residual);
  for (Eigen::Index i = 0; i < residual.size(); ++i) {
    // What drivers left out would do is solved for: its rounding grows with the condition of the inertia.
    const Real shift = std::fabs(oracle.target(i) - p.b(i));
    const Real slack = 1e-11L * size(i) + std::min<Real>(2000 * k_unit * oracle.amplification, 1e-4L) * shift;
    EXPECT_LE(std::fabs(residual(i) - published(i)), slack) << "row " << i << ": not the true residual";
    if (s.problem.R(i) > 0) {
      EXPECT_LE(std::fabs(published(i) + s.problem.R(i) * lambda(i)),
                1e-10L * (size(i) + s.problem.R(i) * std::fabs(lambda(i))))
          << "row " << i << " is soft";
    }
  }
}

bool named(const std::vector<std::string_view>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Rows that the oracle misses beyond doubt are given up, for a reason that may be; rows that it holds are not.
void expect_given_up(const Mixed& x, const Stated& s, const ConstraintSet& set, const reference::HybridMotion& oracle,
                     const Solution& got, Tally& tally) {
  const SolveReport& report = got.report;
  const Vec size = row_size(s, oracle, oracle.acceleration);
  const bool damped = x.settings.singularity == Singularity::damping;
  // Nothing gives way to the highest level in use.
  int top = 1 << 30;
  for (Eigen::Index i = 0; i < s.posed.A.rows(); ++i)
    if (s.problem.R(i) == 0) top = std::min(top, s.problem.level[static_cast<std::size_t>(i)]);
  const bool exact = x.settings.singularity != Singularity::proximal && oracle.amplification < 1e4;
  bool doubt = !exact, missed_at_top = false;
  for (Eigen::Index i = 0; i < s.posed.A.rows(); ++i) {
    const std::string_view name = name_of_row(set, s.posed, i);
    const auto found =
        std::find_if(report.given_up.begin(), report.given_up.end(), [&](const GivenUp& g) { return g.row == name; });
    const bool says = found != report.given_up.end();
    const int level = s.problem.level[static_cast<std::size_t>(i)];
    if (s.problem.R(i) > 0) {
      EXPECT_FALSE(says) << name << " is soft";
      continue;
    }
    const Real relative = size(i) > 0 ? std::fabs(oracle.residual(i)) / size(i) : 0;
    const bool missed = relative > 1e-6L, kept = relative < 1e-14L * (1 + 1e-2L * oracle.amplification);
    if (missed) { EXPECT_TRUE(says) << name << ": " << report.explain(); }
    if (kept && exact) { EXPECT_FALSE(says) << name << ": " << report.explain(); }
    doubt = doubt || !(missed || kept);
    missed_at_top = missed_at_top || (missed && level == top);
    if (!says) continue;
    ++tally.given_up;
    EXPECT_EQ(found->amount, got.residual(s.posed.row[static_cast<std::size_t>(i)]));
    EXPECT_EQ(found->reason == GivenUp::Reason::damping, damped);
    if (level == top) { EXPECT_NE(found->reason, GivenUp::Reason::priority) << name; }
    EXPECT_EQ(named(report.infeasible, name), level == top && !damped && report.status != Status::not_converged)
        << name << ": " << report.explain();
  }
  if (doubt) return;
  EXPECT_EQ(report.status, missed_at_top && !damped ? Status::infeasible : Status::ok) << report.explain();
  tally.infeasible += report.status == Status::infeasible;
}

}  // namespace

void expect_laws(const Robot& robot, const Mixed& x, const Stated& s, const ConstraintSet& set,
                 const reference::HybridMotion& oracle, const Solution& got) {
  ASSERT_EQ(got.report.rows, s.posed.A.rows());
  ASSERT_EQ(got.multipliers.size(), set.rows());
  ASSERT_TRUE(got.acceleration.allFinite() && got.multipliers.allFinite());
  expect_forces(robot, x, s, got);
  expect_residuals(s, oracle, got);
  for (const AnyConstraint& c : x.constraints)
    if (!is_active(c)) { EXPECT_EQ(got[name_of(c)].multipliers.norm(), 0); }
}

bool expect_oracle(const Mixed& x, const Stated& s, const ConstraintSet& set, const reference::HybridMotion& oracle,
                   const Solution& got, Tally& tally) {
  ++tally.all;
  if (!oracle.clear()) {
    ++tally.unclear;
    return false;
  }
  const Vec lambda = active_part(s.posed, got.multipliers), error = wide(got.acceleration) - oracle.acceleration;
  // Lambda holds the squares of the rows: its condition enters squared once more in lambda. Measured: 30 eps k.
  const double k = static_cast<double>(oracle.amplification);
  double tolerance = std::min(std::max(1e-10, 5000 * k_unit * k), 1e-4);
  // Proximal steps divide by mu, 1e-8 of Lambda: its rounding, and what dependent rows contradict each other by.
  const bool proximal = x.settings.singularity == Singularity::proximal;
  if (proximal) tolerance = std::max(tolerance, std::min(1e8 * k_unit * k, 1e-5));
  const Real moved = (oracle.acceleration - oracle.free).cwiseAbs().maxCoeff();
  const double scale = 1e-300 + static_cast<double>(oracle.free.cwiseAbs().maxCoeff() + moved);
  EXPECT_TRUE(within(error, zeros(error), tolerance, scale)) << "k " << k;
  tally.beyond_flat += !proximal && error.cwiseAbs().maxCoeff() > 1e-10L * scale;
  if (lambda.size() > 0) {
    EXPECT_TRUE(within(lambda, oracle.multipliers, std::min(std::max(1e-10, tolerance * k), 1e-3),
                       1e-3 + static_cast<double>(oracle.multipliers.cwiseAbs().maxCoeff())))
        << "k " << k;
  }
  EXPECT_TRUE(within(got.zwang, oracle.zwang, std::min(std::max(1e-10, tolerance * k), 1e-3),
                     1e-3 + static_cast<double>(oracle.zwang)));
  EXPECT_EQ(got.report.rank, oracle.rank) << got.report.explain();
  expect_given_up(x, s, set, oracle, got, tally);
  tally.deficient += oracle.rank < s.posed.A.rows();
  tally.prescribed += !x.prescribed.empty();
  bool soft = false, levels = false, left_out = false;
  for (Eigen::Index i = 0; i < s.posed.A.rows(); ++i) {
    soft = soft || s.problem.R(i) > 0;
    levels = levels || s.problem.level[static_cast<std::size_t>(i)] > 0;
    left_out = left_out || s.problem.left_out[static_cast<std::size_t>(i)] != 0;
  }
  tally.soft += soft;
  tally.levels += levels;
  tally.left_out += left_out;
  return true;
}

/// What every joint transmits: with the wrenches from outside and of the world, not with what the motors make.
static void expect_joint_wrenches(const Robot& robot, const Mixed& x, const Stated& s, const Solver& solver) {
  const Solution& got = solver.solution();
  std::vector<reference::External> external;
  for (const ExternalWrench& w : with_reactions(robot, x, *s.state, got)) {
    external.push_back({robot.model.frame(w.frame).name, {}, reference::Axes::local_world_aligned});
    if (w.in == Reference::local) external.back().in = reference::Axes::local;
    if (w.in == Reference::world) external.back().in = reference::Axes::world;
    for (int k = 0; k < 6; ++k) external.back().wrench(k) = w.wrench[k];
  }
  const auto all = s.state->joint_wrenches(wide(got.acceleration), external);
  Real size = 1e-300L;  // small differences of large forces near a singular configuration
  for (const auto& [name, wrench] : all) size = std::max(size, wrench.cwiseAbs().maxCoeff());
  Eigen::MatrixXd columns(6, robot.model.joints().size());
  solver.joint_wrenches(columns);
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const Joint& j = robot.model.joints()[static_cast<std::size_t>(k)];
    EXPECT_TRUE(!j.lumped || columns.col(k).isZero(0)) << j.name;
    if (j.lumped || !all.contains(j.name)) continue;
    EXPECT_TRUE(within(columns.col(k), Vec(all.at(j.name)), 1e-9, static_cast<double>(size))) << j.name;
    const Force<double> f = solver.joint_wrench(j.child);
    Vec wrench(6);
    wrench << f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z;
    EXPECT_TRUE(within(wrench, Vec(all.at(j.name)), 1e-9, static_cast<double>(size))) << j.name;
  }
}

void check(const Robot& robot, const Mixed& x, Tally& tally) {
  const Stated s = stated(robot, x);
  const reference::HybridMotion oracle = solve(s);
  const ConstraintSet set = x.set(robot.model);
  Solver solver(robot.model, set, x.settings);
  const Solution& got = solver.solve(x.input());
  SCOPED_TRACE(std::string("method ") + x.settings.method + ", singularity " + name_of(x.settings.singularity));
  expect_laws(robot, x, s, set, oracle, got);
  expect_joint_wrenches(robot, x, s, solver);
  expect_oracle(x, s, set, oracle, got, tally);
}

}  // namespace zwang::test
