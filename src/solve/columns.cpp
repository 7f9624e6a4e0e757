// SPDX-License-Identifier: BSD-3-Clause
// Many right-hand sides with the factor of the last solve, and the operators that follow from it.
#include <algorithm>

#include "solve/solver_parts.hpp"

namespace zwang {

/// Solves for sides_. The published solution stays.
void SolverParts::solve_sides(const RowPolicy& policy) {
  if (!factor->apply(problem, policy, answer, sides_))
    throw std::runtime_error(std::string("Solver: method ") + solved_by->name +
                             " has not settled on this right-hand side; popov_vereshchagin does not iterate");
}

void SolverParts::prepare_right_hand_sides(const char* function) {
  read_rows_again(function);
  if (!can_resolve())
    throw std::logic_error(std::string(function) +
                           ": the settings or levels are others than in the last solve, and ask for another "
                           "factorisation; call solve() first");
}

void SolverParts::solve_columns(MatrixIn tau, MatrixIn beta, MatrixOut acceleration, MatrixOut multipliers) {
  const Index count = static_cast<Index>(tau.cols()), nv = problem.state.data.tree().nv, most = RightHandSides::most;
  prepare_right_hand_sides("Solver::solve_columns");
  const Rows& rows = problem.rows;
  for (Index c = 0; c < count; ++c)
    for (Index r = 0; r < problem.layout.rows(); ++r)
      if (rows.sweep_row[r] >= 0 && !is_finite(beta(r, c)))
        detail::throw_not_finite("Solver::solve_columns", "beta", r, beta(r, c));
  for (Index k = 0; k < problem.rows.m; ++k)  // the values with beta = 0
    residual_[k] += problem.constraint_of(k).beta[problem.row_in_constraint(k)];
  problem.state.bias_forces(bias_.data());
  const bool leaves_out = rows.traits.leaves_out;
  if (leaves_out) std::copy_n(answer.left_out.data(), problem.rows.m, left_out_.data());
  factor->leave_drivers_out(problem, answer);
  for (Index first = 0; first < count; first += most) {
    const Index here = sides_.count = std::min<Index>(most, count - first);
    const auto column = [&](Index c) { return first + std::min(c, here - 1); };
    for (Index y = 0; y < nv; ++y) {
      for (Index c = 0; c < most; ++c) sides_.tau[y].set(c, tau(y, column(c)));
      sides_.given[y] = Columns(problem.state.prescribed.is[y] ? problem.state.prescribed.value[y] : 0.0);
    }
    for (Index k = 0; k < problem.rows.m; ++k)
      for (Index c = 0; c < most; ++c) sides_.b[k].set(c, beta(rows.row_of[k], column(c)) - residual_[k]);
    factor->leave_drivers_out(problem, sides_);
    for (Index y = 0; y < nv; ++y) sides_.tau[y] += Columns(problem.state.total[y] - problem.state.tau[y] - bias_[y]);
    solve_sides(RowPolicy(settings));
    for (Index c = 0; c < here; ++c) {
      for (Index y = 0; y < nv; ++y) acceleration(y, first + c) = sides_.acceleration[y][c];
      for (Index r = 0; r < problem.layout.rows(); ++r) {
        const Index k = rows.sweep_row[r];
        multipliers(r, first + c) = k >= 0         ? sides_.lambda[k][c]
                                    : is_limited() ? bounded->chooser.choice().force[r]
                                                   : 0.0;
      }
    }
  }
  if (leaves_out) std::copy_n(left_out_.data(), problem.rows.m, answer.left_out.data());
}

/// Columns of Lambda^+, of M^-1 J^T Lambda^+, or of 1 - M^-1 J^T Lambda^+ J:
/// responses without any other cause of motion.
void SolverParts::operator_columns(MatrixOut out, Operator which) {
  const Index nv = problem.state.data.tree().nv, count = static_cast<Index>(out.cols());
  RowPolicy policy(settings);
  if (policy.singularity != Singularity::weighted) policy.singularity = Singularity::truncation;
  policy.levels = false;
  Index n = 0;  // active rows in the user's order
  for (Index r = 0; r < problem.layout.rows(); ++r)
    if (problem.rows.sweep_row[r] >= 0) active_row_[n++] = problem.rows.sweep_row[r];
  for (Index first = 0; first < count; first += RightHandSides::most) {
    const Index here = sides_.count = std::min<Index>(RightHandSides::most, count - first);
    sides_.clear();
    for (Index c = 0; c < here; ++c) ask_of_operator(which, first + c, c);
    solve_sides(policy);
    for (Index c = 0; c < here; ++c) {
      for (Index k = 0; which == Operator::inertia && k < n; ++k)
        out(k, first + c) = problem.is_hard(active_row_[k]) ? sides_.lambda[active_row_[k]][c] : 0.0;
      for (Index y = 0; which != Operator::inertia && y < nv; ++y) {
        const double x = problem.state.prescribed.is[y] ? 0.0 : sides_.acceleration[y][c];
        out(y, first + c) = which == Operator::projector ? (y == first + c ? 1.0 : 0.0) - x : x;
      }
    }
  }
}

/// Right-hand side of the rows for column `column` of an operator: a unit vector, or the row accelerations that a unit
/// of a coordinate causes.
void SolverParts::ask_of_operator(Operator which, Index column, Index lane) {
  if (which != Operator::projector) {
    const Index k = active_row_[column];
    if (problem.is_hard(k)) sides_.b[k].set(lane, 1);
    return;
  }
  const Tree<double>& tree = problem.state.data.tree();
  for (Index j = 0; j < tree.spanning_nv; ++j)
    for (Index k = 0; tree.column[j].v == column && k < problem.rows.m; ++k)
      if (problem.is_hard(k)) sides_.b[k].set(lane, sides_.b[k][lane] + problem.jacobian(k, j));
}

}  // namespace zwang
