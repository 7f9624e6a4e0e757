// SPDX-License-Identifier: BSD-3-Clause
// Certificate: warnings about facts that the results do not show.
#include <algorithm>
#include <cmath>

#include "certify/certificate.hpp"
#include "core/kernel_table.hpp"

namespace zwang {
namespace {

/// What of an error a row with a sense does not allow.
double beyond(double error, Sense sense) {
  return sense == Sense::at_least && error > 0 ? 0.0 : sense == Sense::at_most && error < 0 ? 0.0 : error;
}

}  // namespace

void Certificate::warn(const Problem& problem, const Problem& all, const Answer& answer, const double* multipliers,
                       const double* driver_torque, const double* motor_torque, SolveReport& report) const {
  if (answer.stiffened && answer.massless >= 0) {
    const auto at = static_cast<std::size_t>(answer.massless);
    report.warnings.push_back(
        {SolveWarning::Kind::massless_joint, {}, 0, problem.state.data.model().coordinate_names()[at]});
  }
  if (all.rows.traits.driver && all.rows.m > 0) warn_unactuated(problem, all, multipliers, driver_torque, report);
  if (problem.state.prescribed.any) warn_prescribed(problem, motor_torque, report);
  warn_of_state(problem, multipliers, report);
}

void Certificate::warn_effort(const Problem& problem, const MotorLimits& limits, const double* driver_torque,
                              const double* motor_torque, SolveReport& report) {
  const Model& model = problem.state.data.model();
  double largest = 1 + 1e-9;  // a torque at its limit, and rounding
  std::size_t where = 0;
  for (Index y = 0; y < model.nv(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    const bool prescribed = problem.state.prescribed.any && problem.state.prescribed.is[y];  // moves whatever it takes
    const bool asked = prescribed || (driver_torque[y] != 0 && limits.empty());
    const double effort = model.effort_limit()[at];  // NaN where the model has none
    if (!asked || !model.actuated()[at] || !(effort > 0)) continue;
    if (const double ratio = std::fabs(motor_torque[y]) / effort; ratio > largest) largest = ratio, where = at + 1;
  }
  if (where > 0)
    report.warnings.push_back({SolveWarning::Kind::beyond_effort, {}, largest, model.coordinate_names()[where - 1]});
}

/// Contacts with a pulling force, and relations that the state violates.
void Certificate::warn_of_state(const Problem& problem, const double* multipliers, SolveReport& report) const {
  using Kind = SolveWarning::Kind;
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& x = problem.layout.constraint(c);
    if (!x.active || x.role == Role::driver) continue;
    const Index first = problem.layout.first_row_of(c), last = first + x.size() - 1;
    if (x.unilateral && multipliers[last] < 0)
      report.warnings.push_back({Kind::contact_pulls, x.row_names.back(), multipliers[last]});
    // A centre of mass without a target is held at its position.
    const bool anywhere = x.relation != nullptr && x.target.empty() && x.relation->position_is_free();
    const bool closes = x.stabilisation.time_constant > 0;
    for (Index i = 0; i < x.size(); ++i) {
      const std::string_view name = x.row_names[static_cast<std::size_t>(i)];
      const Sense sense = x.sense.empty() ? Sense::equal : x.sense[static_cast<std::size_t>(i)];
      const bool apart = beyond(position_error[first + i], sense) == 0 && std::fabs(position_error[first + i]) > k_fast;
      const double open = anywhere || closes ? 0.0 : beyond(position_error[first + i], sense);
      if (std::fabs(open) > k_fast || (drifted_[first + i] && open != 0))
        report.warnings.push_back({Kind::position_violates, name, open});
      if (problem.rows.shock != nullptr) continue;  // an impulse is asked to change these velocities
      const double speed = apart ? 0.0 : beyond(velocity_error[first + i], sense);
      if (std::fabs(speed) > k_fast || (drifted_[first + i] && speed != 0))
        report.warnings.push_back({Kind::velocity_violates, name, speed});
    }
  }
}

/// Prescribed coordinates without a motor whose accelerations need a force beyond tau: more than the roundings of the
/// torques, and of the weight and the inertia forces of the robot, of which they are differences.
void Certificate::warn_prescribed(const Problem& problem, const double* motor_torque, SolveReport& report) {
  const Model& model = problem.state.data.model();
  const PrescribedCoordinates& given = problem.state.prescribed;
  double torque = 0, acceleration = norm(problem.state.data.gravity);
  for (Index y = 0; y < model.nv(); ++y) {
    torque = std::max(torque, std::fabs(motor_torque[y]));
    if (given.is[y]) acceleration = std::max(acceleration, std::fabs(given.value[y]));
  }
  const double rounding = 1e-9 * (torque + model.mass() * acceleration);
  for (Index y = 0; y < model.nv(); ++y) {
    const auto at = static_cast<std::size_t>(y);
    if (!given.is[y] || model.actuated()[at]) continue;
    const double x = motor_torque[y] - problem.state.tau[y];
    if (std::fabs(x) > rounding)
      report.warnings.push_back({SolveWarning::Kind::prescribed_on_unactuated, {}, x, model.coordinate_names()[at]});
  }
}

/// Coordinates without a motor at which driver rows need a force beyond the roundings of torques and weight,
/// each with the row that needs the largest.
void Certificate::warn_unactuated(const Problem& problem, const Problem& all, const double* multipliers,
                                  const double* driver_torque, SolveReport& report) {
  const Model& model = problem.state.data.model();
  const Tree<double>& tree = problem.state.data.tree();
  const auto rounding = [&] {
    double largest = 0;
    for (Index k = 0; k < tree.nv; ++k) largest = std::max(largest, std::fabs(problem.state.tau[k] + driver_torque[k]));
    return 1e-9 * largest + 64 * epsilon_of<double> * model.mass() * norm(problem.state.data.gravity);
  };
  for (Index y = 0; y < tree.nv; ++y) {
    if (model.actuated()[static_cast<std::size_t>(y)] ||
        (problem.state.prescribed.any && problem.state.prescribed.is[y]))
      continue;
    const double x = driver_torque[y];
    if (x == 0 || !(std::fabs(x) > rounding())) continue;
    Index asks = -1;
    double most = 0;
    for (Index k = 0; k < all.rows.m; ++k) {
      if (all.constraint_of(k).role != Role::driver) continue;
      double share = 0;
      for (Index column = 0; column < tree.spanning_nv; ++column)
        if (tree.column[column].v == y) share += all.jacobian(k, column) * multipliers[all.rows.row_of[k]];
      if (std::fabs(share) <= most) continue;
      most = std::fabs(share);
      asks = k;
    }
    if (asks >= 0)
      report.warnings.push_back({SolveWarning::Kind::driver_on_unactuated, all.row_name(asks), x,
                                 model.coordinate_names()[static_cast<std::size_t>(y)]});
  }
}

}  // namespace zwang
