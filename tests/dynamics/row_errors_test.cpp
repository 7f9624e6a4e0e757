// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of what rows say of a state, and by the numbers of their stabilisation, against differences of what
// ConstraintEvaluator and Solver publish.
#include <gtest/gtest.h>

#include "dynamics/mixed.hpp"
#include "support/effort.hpp"
#include "support/eigen.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/constraint_evaluator.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Random constraints of every other type beside frames, contacts and loops.
void add_others(const Robot& robot, Random& random, ConstraintSet& set) {
  const auto frame = [&] {
    const auto& all = robot.model.frames();
    return all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))].name;
  };
  const auto try_to_add = [&](const auto& c) {
    try {
      set.add(c);
    } catch (const std::exception&) {}  // two frames on one body, and so on
  };
  const Stabilisation held{random.uniform(0.2, 1), random.uniform(0.5, 1.5)};
  CentreOfMassConstraint balance{.name = "balance", .matrix = {1, 0.3, -0.2, 0.4, -1, 2}, .beta = {0.7, -0.4}};
  balance.stabilisation = held;
  balance.target = {0.1, 0.3};
  balance.target_velocity = {0.4, -0.2};
  try_to_add(balance);
  DistanceConstraint rod{.name = "rod", .frame = frame(), .point = {0.3, 0.2, 0.1}, .other = frame()};
  rod.other_point = {1, -1.2, 0.4};
  rod.length = 0.5;
  rod.beta = {1.5};
  rod.stabilisation = held;
  try_to_add(rod);
  RollingConstraint wheel{.name = "wheel", .frame = frame()};
  wheel.radius = 0.3;
  wheel.normal = random.direction();
  wheel.axis = random.direction();
  wheel.stabilisation = held;
  wheel.target_velocity = {0.3, 0.2, -0.1};
  try_to_add(wheel);
  std::vector<std::string> coordinates;
  for (const Joint& j : robot.model.joints())
    if (j.mimic.leader.empty() && j.v.size == 1 && j.q.size == 1)
      coordinates.push_back(robot.model.coordinate_names()[static_cast<std::size_t>(j.v.first)]);
  if (coordinates.size() < 2) return;
  coordinates.resize(2);
  CouplingConstraint cam{.name = "cam", .coordinates = coordinates, .polynomial = {0.1, -0.4, 0.3, 0.2}};
  cam.stabilisation = held;
  cam.target_velocity = {0.2};
  try_to_add(cam);
}

struct Errors {
  Vector residual, velocity, position;
};
Errors operator*(double k, const Errors& x) { return {k * x.residual, k * x.velocity, k * x.position}; }
Errors operator+(const Errors& x, const Errors& y) {
  return {x.residual + y.residual, x.velocity + y.velocity, x.position + y.position};
}

/// Of the active rows, at a state that is moved along (dq, dv, da) by e.
Errors errors(const Robot& robot, ConstraintEvaluator& rows, const Mixed& x, const Vector& a, const Vector& d, double e,
              char by) {
  Vector q = x.state.q, v = x.state.v, acceleration = a;
  if (by == 'q') integrate(robot.model, x.state.q, e * d, q);
  if (by == 'v') v += e * d;
  if (by == 'a') acceleration += e * d;
  rows.evaluate(q, v);
  Matrix J(rows.rows(), robot.model.nv());
  rows.jacobian(J);
  return {J * acceleration - rows.gamma(), rows.velocity_error(), rows.position_error()};
}

TEST(RowErrors, AreDifferencesOfWhatTheRowsSay) {
  int compared = 0, with_position = 0;
  for (int seed = 0; seed < effort(80, 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 900;
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
    const Mixed x = random_mixed(robot, at, one_level());
    ConstraintSet set = x.set(robot.model);
    Random random(at);
    if (x.settings.method != "pv_soft") add_others(robot, random, set);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status != Status::ok) continue;
    const SolutionDerivatives& d = solver.derivatives();
    if (d.status != Status::ok) continue;
    const Vector a = s.acceleration;
    std::vector<Index> active;
    Index r = 0;
    for (const Constraint& c : set.constraints())
      for (Index k = 0; k < c.size(); ++k, ++r)
        if (c.active) active.push_back(r);
    ConstraintEvaluator rows(robot.model, set);
    const Errors here = errors(robot, rows, x, a, a, 0, 'a');
    const Vector along = random.vector(static_cast<int>(robot.model.nv()));
    for (const char by : {'q', 'v', 'a'}) {
      const auto difference = [&](double h) {
        const auto pair = [&](double k) {
          return errors(robot, rows, x, a, along, k * h, by) + -1.0 * errors(robot, rows, x, a, along, -k * h, by);
        };
        return (1 / (12 * h)) * (8 * pair(1) + -1.0 * pair(2));
      };
      const Errors coarse = difference(2e-4), fine = difference(1e-4);
      const Matrix none = Matrix::Zero(set.rows(), robot.model.nv());
      const Vector residual = (by == 'q' ? d.residual.q : by == 'v' ? d.residual.v : d.residual.a) * along;
      const Vector velocity =
          by == 'a' ? Vector(none * along) : Vector((by == 'q' ? d.velocity_error.q : d.velocity_error.v) * along);
      const Vector position = by == 'q' ? Vector(d.position_error.q * along) : Vector(none * along);
      const double size = 1 + largest(d.residual.q) + largest(d.residual.v) + largest(d.residual.a);
      for (std::size_t i = 0; i < active.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const Index row = active[i];
        const auto near = [&](const char* name, double got, double f, double c) {
          EXPECT_LT(std::fabs(got - f), 20 * std::fabs(c - f) + 1e-8 * size)
              << name << " of row " << row << " by " << by;
        };
        EXPECT_NEAR(s.residual(row), here.residual(k), 1e-9 * (size + largest(here.residual)));
        near("residual", residual(row), fine.residual(k), coarse.residual(k));
        near("velocity error", velocity(row), fine.velocity(k), coarse.velocity(k));
        EXPECT_EQ(std::isnan(here.position(k)), std::isnan(d.position_error.q(row, 0)));
        if (std::isnan(here.position(k))) continue;
        near("position error", position(row), fine.position(k), coarse.position(k));
        ++with_position;
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, effort(80, 24) / 4);
  EXPECT_GT(with_position, effort(80, 24));
}

/// Whatever method has solved.
TEST(RowErrors, AreThoseOfEveryMethod) {
  int compared = 0;
  for (int seed = 0; seed < effort(12, 24); ++seed) {
    const auto at = static_cast<std::uint64_t>(seed) + 70;
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 5);
    MixedOptions options;
    options.priorities = options.drivers_left_out = options.other_singularities = false;
    options.soft = options.early = options.prescribed = false;
    Mixed x = random_mixed(robot, at, options);
    ConstraintSet set = x.set(robot.model);
    Matrix first[3];
    for (const std::string& method : methods()) {
      SCOPED_TRACE(method);
      x.settings.method = method;
      try {
        Solver solver(robot.model, set, x.settings);
        const Solution& s = solver.solve(x.input());
        if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
        const SolutionDerivatives& d = solver.derivatives();
        ASSERT_EQ(d.status, Status::ok) << d.reason;
        const Matrix now[] = {d.residual.q, d.velocity_error.q, d.residual.a};
        for (int i = 0; i < 3; ++i) {
          if (first[i].size() == 0) first[i] = now[i];
          EXPECT_LT(largest(now[i] - first[i]), 1e-8 * (largest(first[i]) + 1)) << i;
        }
        ++compared;
      } catch (const UnsupportedError&) {}
    }
  }
  EXPECT_GT(compared, effort(12, 24) * 4);
}

TEST(StabilisationGradient, IsTheDifferenceOfSolves) {
  int compared = 0;
  for (int seed = 0; seed < effort(240, 96); ++seed) {
    SCOPED_TRACE(seed);
    const auto at = static_cast<std::uint64_t>(seed) + 300;
    const Robot robot = random_robot_of_all_joints(at, 3 + seed % 6);
    const Mixed x = random_mixed(robot, at, one_level());
    ConstraintSet set = x.set(robot.model);
    Random random(at);
    if (x.settings.method != "pv_soft") add_others(robot, random, set);
    Solver solver(robot.model, set, x.settings);
    const Solution& s = solver.solve(x.input());
    if (s.report.status != Status::ok || s.report.rank < s.report.rows) continue;
    const int nv = static_cast<int>(robot.model.nv());
    const Vector wa = random.vector(nv), wl = random.vector(static_cast<int>(set.rows())), wt = random.vector(nv);
    const InputGradient g = solver.vjp({wa, wl, wt});
    ASSERT_EQ(g.status, Status::ok) << g.reason;
    const Vector by_time = g.time_constant, by_ratio = g.damping_ratio;
    ASSERT_EQ(by_time.size(), set.size());
    Index k = 0;
    for (const Constraint& c : std::vector<Constraint>(set.constraints())) {
      const Index of = k++;
      const Stabilisation held = c.stabilisation;
      if (!c.active || c.relation == nullptr || !(held.time_constant > 0)) {
        EXPECT_EQ(by_time(of), 0);
        EXPECT_EQ(by_ratio(of), 0);
        continue;
      }
      const auto scalar = [&](double T, double ratio) {
        set[c.name].stabilisation = Stabilisation{T, ratio};
        const Solution& moved = solver.solve(x.input());
        return wa.dot(moved.acceleration) + wl.dot(moved.multipliers) + wt.dot(moved.motor_torque);
      };
      const auto difference = [&](auto&& f, double h) {
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
      };
      const double T = held.time_constant, h = 1e-3 * T;
      const double t = difference([&](double e) { return scalar(T + e, held.damping_ratio); }, h);
      const double z = difference([&](double e) { return scalar(T, held.damping_ratio + e); }, 1e-3);
      const double size = std::fabs(scalar(T, held.damping_ratio)) + 1;
      set[c.name].stabilisation = held;
      EXPECT_LT(std::fabs(by_time(of) - t), 1e-8 * (size / T + std::fabs(t))) << c.name;
      EXPECT_LT(std::fabs(by_ratio(of) - z), 1e-8 * (size + std::fabs(z))) << c.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, effort(240, 96) / 4);
}

}  // namespace
}  // namespace zwang::test
