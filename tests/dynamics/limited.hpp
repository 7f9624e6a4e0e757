// SPDX-License-Identifier: BSD-3-Clause
// Robots whose motors have limits, and what holds where rows or motors are bounded.
#pragma once
#include <cmath>
#include <limits>

#include "dynamics/mixed.hpp"
#include "support/no_allocation.hpp"

namespace zwang::test {

/// Two carriages on rails of their own, without gravity along them, of 2 kg and 3 kg.
inline Model carriages(double effort = 10) {
  RobotDescription d{.name = "carriages"};
  d.links.push_back({.name = "world"});
  for (const int i : {0, 1}) {
    const std::string name = i == 0 ? "a" : "b";
    d.links.push_back({.name = name, .mass = 2.0 + i, .inertia = Sym3<double>::diagonal(1, 1, 1)});
    d.joints.push_back({.name = name + "_rail",
                        .type = "prismatic",
                        .parent = "world",
                        .child = name,
                        .axis = {1, 0, 0},
                        .effort = {effort}});
  }
  return Robot(d).model;
}
inline CouplingConstraint coupling(const std::string& name, std::vector<double> ratio, double beta,
                                   Role role = Role::driver) {
  return {.name = name, .coordinates = {"a_rail", "b_rail"}, .ratio = std::move(ratio), .beta = {beta}, .role = role};
}

/// Solves under other torques allocate nothing.
inline void expect_no_allocation(const Model& model, const ConstraintSet& set, const Mixed& x, int seed) {
  Solver solver(model, set, x.settings);
  Random random(static_cast<std::uint64_t>(seed));
  SolveInput input = x.input();
  solver.solve(input);
  for (int k = 0; k < 6; ++k) {
    const Eigen::VectorXd tau = x.state.tau + 3 * random.vector(static_cast<int>(x.state.tau.size()));
    input.tau = tau;
    EXPECT_NO_ALLOCATION(solver.solve(input));
  }
}

inline constexpr Real k_infinite = std::numeric_limits<Real>::infinity();

/// A random problem with limited motors, and rows with senses and limits in some.
struct Limited {
  Robot robot;
  Mixed x;
  ConstraintSet set;
  Stated s;
  Vec lower, upper;              ///< of the multipliers of active rows
  Vec motor_lower, motor_upper;  ///< of u - tau, infinite where the coordinate is prescribed
  std::vector<Eigen::Index> motors, bounded;
  Mat A;  ///< driver rows, 0 for the others

  Limited(std::uint64_t seed, bool rows, bool senses = true)
      : robot(random_robot_of_all_joints(seed, 3 + static_cast<int>(seed) % 7)),
        x(make(robot, seed, rows, senses)),
        set(x.set(robot.model)),
        s(stated(robot, x)) {
    const Posed& p = s.posed;
    lower = Vec::Constant(p.A.rows(), -k_infinite);
    upper = -lower;
    A = p.A;
    for (Eigen::Index k = 0; k < lower.size(); ++k) {
      const Constraint& c = constraint_of(set, p, k);
      if (c.role == Role::physical) A.row(k).setZero();
      Eigen::Index first = k;
      while (first > 0 && constraint_of(set, p, first - 1).name == c.name) --first;
      const auto i = static_cast<std::size_t>(k - first);
      const Sense sense = c.sense.empty() ? Sense::equal : c.sense[i];
      const Real limit = c.limit.empty() ? k_infinite : Real(c.limit[i]);
      lower(k) = sense == Sense::at_least ? 0 : -limit;
      upper(k) = sense == Sense::at_most ? 0 : limit;
      if (lower(k) > -k_infinite || upper(k) < k_infinite) bounded.push_back(k);
    }
    const std::vector<bool> held = held_coordinates(robot.model, x.prescribed);
    motor_lower = Vec::Constant(robot.model.nv(), -k_infinite);
    motor_upper = -motor_lower;
    for (Eigen::Index y = 0; y < motor_lower.size(); ++y) {
      const auto at = static_cast<std::size_t>(y);
      if (held[at] || !(x.settings.motor_limits.upper[at] < std::numeric_limits<double>::infinity())) continue;
      motors.push_back(y);
      motor_lower(y) = x.settings.motor_limits.lower[at] - p.tau(y);
      motor_upper(y) = x.settings.motor_limits.upper[at] - p.tau(y);
    }
  }
  static Mixed make(const Robot& robot, std::uint64_t seed, bool rows, bool senses) {
    Mixed x = random_mixed(robot, seed, one_level());
    Random random(seed * 13 + 5);
    for (AnyConstraint& any : x.constraints)
      std::visit(
          [&](auto& c) {
            if (random.below(4) != 0) c.role = Role::driver;
            if (!rows || random.below(2)) return;
            const auto n = static_cast<std::size_t>(bind(robot.model, c).size());
            c.sense.resize(n);
            if (senses) c.sense[0] = static_cast<Sense>(random.below(3));
            if (random.below(2) || !senses) c.limit.assign(n, std::pow(10.0, random.uniform(-1, 2)));
          },
          any);
    const auto nv = static_cast<std::size_t>(robot.model.nv());
    MotorLimits& m = x.settings.motor_limits;
    m.lower.assign(nv, -std::numeric_limits<double>::infinity());
    m.upper.assign(nv, std::numeric_limits<double>::infinity());
    for (int i = 0; i < 3; ++i) {
      const auto y = static_cast<std::size_t>(random.below(static_cast<int>(nv)));
      const double tau = random.below(3) ? x.state.tau[static_cast<Eigen::Index>(y)] : 0.0;
      const double size = random.below(6) == 0 ? 0.0 : std::pow(10.0, random.uniform(-1, 2));
      m.lower[y] = tau - size * random.uniform(0, 1);
      m.upper[y] = tau + size;
    }
    return x;
  }
  Vec compliance() const { return s.problem.R.size() > 0 ? s.problem.R : Vec::Zero(s.posed.A.rows()); }
};

}  // namespace zwang::test
