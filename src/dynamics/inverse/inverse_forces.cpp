// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: torques and multipliers of a motion.
//
//   P J^T lambda = P t,   tau = S (t - J^T lambda),   t = M a + h
// The solution is a particular one plus directions of two kinds: those that J^T sees at motors only, which move torques
// from one motor to another, and those that J^T does not see, internal forces of redundant rows.
#include <algorithm>
#include <cmath>

#include "dynamics/inverse/inverse_parts.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {

/// Particular multipliers: what the equations of motion without motors, or with `penalty` all of them, ask for.
/// Returns how many directions that has decided.
Index InverseParts::carry() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  const bool by_penalty = settings.penalty > 0, all_motors = actuated[static_cast<std::size_t>(coordinate[0])];
  for (Index c = 0; c < n; ++c) forces[c] = p.hsoft[c] + dot(n, p.Msoft.data() + c * n, a.data());  // t
  for (Index k = 0; k < n; ++k)
    more[k] = (forces[coordinate[k]] - (by_penalty ? tau[coordinate[k]] : 0.0)) * p.column[coordinate[k]];
  const Index levels = by_penalty ? force_span.levels() : all_motors ? 0 : 1;
  force_span.solve(levels, more.data(), lambda.data());
  for (Index j = 0; j < p.physical_rows; ++j) lambda[j] *= p.inverse[p.physical[j]];
  return levels == 0 ? 0 : levels < force_span.levels() ? force_span.first_of_level(1) : force_span.rank();
}

/// Least squares along basis vectors `first` to `end` of multipliers: torque |tau - tau*|^2 + force |lambda - lambda*|^2.
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
  for (Index c = 0; torque > 0 && c < rows.nv; ++c) {
    if (!actuated[static_cast<std::size_t>(c)]) continue;
    double now = forces[c] - (input.torque_wish.size() > 0 ? input.torque_wish.data()[c] : 0.0);
    for (Index j = 0; j < m; ++j) now -= rows.row(p.physical[j])[c] * lambda[j];
    equation(now, std::sqrt(torque), [&](const double* u) {
      double sum = 0;
      for (Index j = 0; j < m; ++j) sum += rows.row(p.physical[j])[c] * p.inverse[p.physical[j]] * u[j];
      return sum;
    });
  }
  for (Index j = 0; force > 0 && j < m; ++j) {
    const Index at = rows.row_of_set(p.physical[j]);
    const double wish = input.force_wish.size() > 0 ? input.force_wish.data()[at] : 0.0;
    equation(wish - lambda[j], std::sqrt(force), [&](const double* u) { return p.inverse[p.physical[j]] * u[j]; });
  }
  least_squares.factor_in_order(height, count);
  least_squares.apply_transposed(more.data());
  least_squares.solve_upper(more.data());
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < m; ++j) lambda[j] += p.inverse[p.physical[j]] * force_span.basis(first + k)[j] * more[k];
}

void InverseParts::choose_forces(const InverseInput& input) {
  const Index decided = carry(), seen = force_span.rank(), all = problem.physical_rows;
  const double torque = settings.penalty > 0 ? 0 : settings.torque, force = settings.penalty > 0 ? 0 : settings.force;
  force_span.complete();
  solution.report.choices = seen - decided;
  if (force > 0) {
    choose(input, decided, all, torque, force);
  } else {
    choose(input, decided, seen, torque, 0);
    choose(input, seen, all, 0, 1);
  }
  obey_cones(input, decided);
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
  if (settings.penalty > 0) return;
  for (Index c = 0; c < n; ++c) {
    double torque = 0;
    if (actuated[static_cast<std::size_t>(c)]) {
      torque = forces[c];
      for (Index j = 0; j < p.physical_rows; ++j) torque -= rows.row(p.physical[j])[c] * lambda[j];
    }
    tau[c] = torque;
  }
}

}  // namespace zwang
