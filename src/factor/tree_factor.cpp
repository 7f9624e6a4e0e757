// SPDX-License-Identifier: BSD-3-Clause
#include "factor/tree_factor.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"

namespace zwang {

using dense::KktOutcome;

TreeFactor::TreeFactor(const Problem& problem, const char* name)
    : name_(name),
      tau_(problem.state.data.model().nv()),
      given_(problem.state.data.model().nv()),
      residual_(problem.layout.capacity),
      acceleration_(problem.state.data.model().nv()),
      lambda_(problem.layout.capacity),
      value_(problem.layout.capacity),
      size_(problem.layout.capacity) {}

TreeProblem TreeFactor::stated(Problem& problem, const RowPolicy& policy) const {
  return {problem.state.data,    problem.rows,
          tau_.data(),           residual_.data(),
          given_.data(),         policy.pivot_tolerance(problem.rows.m),
          policy.max_iterations, &problem.state.interruption};
}

void TreeFactor::solve(Problem& problem, const RowPolicy& policy, Answer& answer) {
  const page::RowNumbers<double>& rows = problem.rows;
  const Index nv = problem.state.data.tree().nv;
  answer.begin();
  answer.outcome = Outcome::to_root;
  leave_drivers_out(problem, answer);
  page::kinematics(problem.state.data, problem.state.q.data(), problem.state.v.data());
  problem.attach();
  answer.hard.take(problem, nullptr, 0);
  answer.hard.system.gather(0, 0, nullptr, nullptr);
  answer.hard.weighed = false;
  answer.hard.factor(problem, policy, 0, [](MassWeightedRows&) {});
  for (Index y = 0; y < nv; ++y) {
    tau_[y] = problem.state.total[y];
    given_[y] = problem.state.prescribed.is[y] ? problem.state.prescribed.value[y] : 0.0;
  }
  for (Index k = 0; k < rows.m; ++k) {
    residual_[k] = page::attached_residual(rows, k);
    answer.scale[k] = 0;
  }
  TreeAnswer found{answer.acceleration.data(), answer.lambda.data(), answer.scale.data()};
  walk(stated(problem, policy), found);
  if (found.outcome != KktOutcome::ok) return;
  for (Index y = 0; problem.state.prescribed.any && y < nv; ++y)
    if (problem.state.prescribed.is[y]) answer.acceleration[y] = problem.state.prescribed.value[y];
  page::kinematics(problem.state.data, problem.state.q.data(), problem.state.v.data(), answer.acceleration.data());
  if (!holds(problem, policy, answer)) return;
  if (found.dependent.count > 0 && !relate(problem, policy, found.dependent, answer)) return;
  answer.method = name_;
  answer.iterations = found.iterations;
  std::fill_n(answer.articulated.data(), nv, 0.0);
  if (problem.state.prescribed.any) {
    problem.state.bias_forces(tau_.data());
    problem.torques_of_motion(answer.acceleration.data(), answer.lambda.data(), answer.given_torque.data());
    for (Index y = 0; y < nv; ++y) answer.given_torque[y] += tau_[y];
  }
  problem.state.data.stages |= stage_factor;
  answer.outcome = Outcome::solved;
}

/// Whether the hard rows are satisfied by the accelerations in `data`:
/// each residual relative to the magnitude of its terms.
bool TreeFactor::holds(const Problem& problem, const RowPolicy& policy, const Answer& answer) {
  const page::RowNumbers<double>& rows = problem.rows;
  const Data& data = problem.state.data;
  const auto add = [&](Index row, Index body, const Force<double>& K) {
    const Motion<double>&a = data.acceleration.joint[body], &bias = data.velocity.bias[body];
    for (Index c = 0; c < 6; ++c) {
      value_[row] += K[c] * a[c];
      size_[row] += std::fabs(K[c] * a[c]) + std::fabs(K[c] * bias[c]);
    }
    for (Index c = 0; c < 3; ++c) size_[row] += std::fabs(K.f[c] * data.gravity[c]);
  };
  for (Index k = 0; k < rows.m; ++k) {
    value_[k] = page::attached_residual(rows, k);
    size_[k] = std::fabs(value_[k]) + answer.scale[k];
    add(k, rows.body[k], page::attached_row(rows, k));
  }
  for (Index k = 0; k < rows.further; ++k)
    add(rows.further_row[k], rows.further_body[k], page::row_at(rows, rows.further_place[k]));
  for (Index k = 0; k < rows.m; ++k)
    if (!(rows.compliance[k] > 0) && !(std::fabs(value_[k]) <= policy.feasibility * size_[k])) return false;
  return true;
}

/// Copies dependent rows into the form that a root leaves, for rank and certificates.
/// False if the rank rule finds another rank.
bool TreeFactor::relate(const Problem& problem, const RowPolicy& policy, const DependentRows& x, Answer& answer) const {
  HardRows& hard = answer.hard;
  const Index nv = problem.state.data.tree().nv;
  hard.take(problem, x.row, x.count);
  for (Index i = 0; i < x.count; ++i) {
    hard.size[i] = std::fabs(page::attached_residual(problem.rows, x.row[i]));
    hard.b[i] = x.b[i];
    hard.lambda[i] = answer.lambda[x.row[i]];
  }
  hard.system.gather(x.count, nv, x.W, x.bound);
  constexpr double k_gross = 1e4;  // as large as g^2 usually is: clusters do not measure it
  hard.factor(problem, policy, k_gross, [&](MassWeightedRows& W) {
    W.begin(nv, 0, x.count);
    for (Index i = 0; i < x.count; ++i) std::copy_n(x.W + i * nv, nv, W.hard_row(i));
  });
  hard.free_motion = x.strength;
  return hard.rank() == x.rank;
}

/// b, lambda and |q''| of the rows in `hard` for column c, which certificates read.
void TreeFactor::state_hard_rows(const Problem& problem, const RightHandSides& sides, Index c, const TreeAnswer& found,
                                 HardRows& hard) const {
  const Tree<double>& tree = problem.state.data.tree();
  hard.free_motion = found.dependent.strength;
  for (Index i = 0; i < hard.count; ++i) {
    const Index k = hard.row[i];
    hard.b[i] = sides.b[k][c];
    hard.size[i] = std::fabs(hard.b[i]);
    hard.lambda[i] = lambda_[k];
    for (Index j = 0; problem.state.prescribed.any && j < tree.spanning_nv; ++j)
      if (problem.state.prescribed.is[tree.column[j].v]) hard.b[i] -= problem.jacobian(k, j) * given_[tree.column[j].v];
  }
}

bool TreeFactor::apply(Problem& problem, const RowPolicy& policy, Answer& answer, RightHandSides& sides) {
  const Index nv = problem.state.data.tree().nv;
  bool good = true;
  for (Index c = 0; good && c < sides.count; ++c) {
    for (Index y = 0; y < nv; ++y) {
      tau_[y] = sides.tau[y][c];
      given_[y] = sides.given[y][c];
    }
    for (Index k = 0; k < problem.rows.m; ++k) residual_[k] = -sides.b[k][c];
    TreeAnswer found{acceleration_.data(), lambda_.data(), answer.scale.data()};
    walk_again(stated(problem, policy), found);
    good = found.outcome == KktOutcome::ok;
    state_hard_rows(problem, sides, c, found, answer.hard);
    for (Index y = 0; y < nv; ++y) {
      if (problem.state.prescribed.is[y]) acceleration_[y] = given_[y];
      sides.acceleration[y].set(c, acceleration_[y]);
      sides.articulated[y].set(c, 0.0);
    }
    for (Index k = 0; k < problem.rows.m; ++k) sides.lambda[k].set(c, lambda_[k]);
    if (!problem.state.prescribed.any) continue;
    problem.state.accelerate(acceleration_.data());
    problem.torques_of_motion(acceleration_.data(), lambda_.data(), tau_.data());
    for (Index y = 0; y < nv; ++y) sides.given_torque[y].set(c, problem.state.prescribed.is[y] ? tau_[y] : 0.0);
  }
  problem.state.accelerate(answer.acceleration.data());
  return good;
}

}  // namespace zwang
