// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: torques and multipliers of a motion.
//
//   P J^T lambda = P t,   y = Y (t - J^T lambda),   t = M a + h
// The solution is a particular one plus directions of two kinds: those that J^T sees at motors only, which move torques
// from one motor to another, and those that J^T does not see, internal forces of redundant rows. u = V^T y + N^T w
// (Motors); |u - u*| is least with w = N u* and the least |y - V u*|.
#include <algorithm>
#include <cmath>

#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {

/// How many levels of force_span the equations of motion decide: 0, where motors reach all of them.
Index InverseParts::levels_of_carry() const {
  return settings.penalty > 0 ? force_span.levels() : motors.alone == 0 ? 0 : 1;
}

/// How many directions of multipliers that decides.
Index InverseParts::decided_of_carry() const {
  const Index levels = levels_of_carry();
  return levels == 0 ? 0 : levels < force_span.levels() ? force_span.first_of_level(1) : force_span.rank();
}

/// Particular multipliers: those that the equations of motion without motors, or with `penalty` all of them, require.
void InverseParts::carry() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  const bool by_penalty = settings.penalty > 0;
  for (Index c = 0; c < n; ++c) forces[c] = p.hsoft[c] + dot(n, p.Msoft.data() + c * n, a.data());  // t
  for (Index k = 0; k < n; ++k) {
    more[k] = 0;
    motors.each_term(k, [&](Index c, double x) { more[k] += x * (forces[c] - (by_penalty ? tau[c] : 0.0)); });
    more[k] *= p.column[motors.coordinate[k]];
  }
  const Index levels = levels_of_carry();
  force_span.solve(levels, more.data(), lambda.data());
  for (Index j = 0; j < p.physical_rows; ++j) lambda[j] *= p.inverse[p.physical[j]];
}

/// Least squares along basis vectors `first` to `end` of multipliers: torque |u - u*|^2 + force |lambda - lambda*|^2.
void InverseParts::choose(const InverseInput& input, Index first, Index end, double torque, double force) {
  const InverseProblem& p = problem;
  const Index m = p.physical_rows, count = end - first;
  if (count == 0 || m == 0) return;
  Index height = 0;
  const auto equation = [&](double left_side, double factor, auto&& entry) {
    more[height] = factor * left_side;
    for (Index k = 0; k < count; ++k) least_squares.column(k)[height] = factor * entry(force_span.basis(first + k));
    ++height;
  };
  motors.read(forces.data(), work.data());
  for (Index k = 0; torque > 0 && k < motors.reach; ++k) {
    const double* const pull = p.pull.data() + k * m;
    double now = work[k];
    for (Index j = 0; j < motors.count; ++j) now -= motors.along[k * motors.count + j] * p.motor_wish[j];
    now -= dot(m, pull, lambda.data());
    equation(now, std::sqrt(torque), [&](const double* way) {
      double sum = 0;
      for (Index j = 0; j < m; ++j) sum += pull[j] * p.inverse[p.physical[j]] * way[j];
      return sum;
    });
  }
  for (Index j = 0; force > 0 && j < m; ++j) {
    const Index at = rows.row_of_set(p.physical[j]);
    const double wish = input.force_wish.size() > 0 ? input.force_wish.data()[at] : 0.0;
    equation(wish - lambda[j], std::sqrt(force), [&](const double* way) { return p.inverse[p.physical[j]] * way[j]; });
  }
  least_squares.factor_in_order(height, count);
  least_squares.apply_transposed(more.data());
  least_squares.solve_upper(more.data());
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < m; ++j) lambda[j] += p.inverse[p.physical[j]] * force_span.basis(first + k)[j] * more[k];
}

void InverseParts::choose_forces(const InverseInput& input) {
  carry();
  const Index decided = decided_of_carry(), seen = force_span.rank(), all = problem.physical_rows;
  const double torque = settings.penalty > 0 ? 0 : settings.torque, force = settings.penalty > 0 ? 0 : settings.force;
  force_span.complete();
  solution.report.choices = seen - decided;
  if (force > 0) {
    choose(input, decided, all, torque, force);
  } else {
    choose(input, decided, seen, torque, 0);
    choose(input, seen, all, 0, 1);
  }
  find_bounds();
  if (settings.penalty > 0) return;
  for (Index l = 0; l < motors.count - motors.reach; ++l)
    bounds.idle[l] = dot(motors.count, motors.idle.data() + l * motors.count, problem.motor_wish.data());
  find_motors();
  obey_bounds(input);
}

/// u of forces, lambda and w.
void InverseParts::find_motors() {
  const Index m = problem.physical_rows, count = motors.count;
  motors.read(forces.data(), work.data());
  std::fill(u.begin(), u.end(), 0.0);
  bounds.motor_scale = 0;
  bounds.force_scale = problem.scale;
  for (Index j = 0; j < m; ++j)
    bounds.force_scale = std::max(bounds.force_scale, std::fabs(lambda[j]) * problem.length[problem.physical[j]]);
  for (Index k = 0; k < motors.reach; ++k) {
    const double* const pull = problem.pull.data() + k * m;
    double y = work[k], terms = std::fabs(y);
    for (Index j = 0; j < m; ++j) {
      y -= pull[j] * lambda[j];
      terms += std::fabs(pull[j] * lambda[j]);
    }
    subtract_multiple(count, -y, motors.along.data() + k * count, u.data());
    bounds.motor_scale = std::max(bounds.motor_scale, terms);
  }
  for (Index l = 0; l < count - motors.reach; ++l) {
    subtract_multiple(count, -bounds.idle[l], motors.idle.data() + l * count, u.data());
    bounds.motor_scale = std::max(bounds.motor_scale, std::fabs(bounds.idle[l]));
  }
}

void InverseParts::publish() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  std::fill(reaction.begin(), reaction.end(), 0.0);
  std::fill(multipliers.begin(), multipliers.end(), 0.0);
  const auto add = [&](Index i, double force) {
    multipliers[rows.row_of_set(i)] = force;
    subtract_multiple(n, -force, rows.row(i), reaction.data());
  };
  for (Index j = 0; j < p.physical_rows; ++j) add(p.physical[j], lambda[j]);
  for (Index k = 0; k < p.soft_rows; ++k) {
    const Index i = p.soft[k];
    add(i, (rows.gamma[i] - dot(n, rows.row(i), a.data())) / rows.compliance(i));
  }
  if (settings.penalty > 0) {
    for (Index c = 0, j = 0; c < n; ++c)
      if (motors.actuated[static_cast<std::size_t>(c)]) u[j++] = tau[c];
    return;
  }
  motors.apply(u.data(), tau.data());
}

}  // namespace zwang
