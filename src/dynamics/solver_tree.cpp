// SPDX-License-Identifier: BSD-3-Clause
// Solves by the algorithms that walk the tree by themselves. Rows that they find dependent, or that do not settle, go to
// the root: the answer is the same, and the report names them.
#include "dynamics/solver_tree.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "core/kernel_table.hpp"
#include "dynamics/solver_impl.hpp"

namespace zwang {

void TreeWorkspaces::solve(TreeMethod which, const TreeProblem&, TreeAnswer& answer) {
  switch (which) {
    case TreeMethod::none: break;
  }
  answer.outcome = dense::KktOutcome::unsupported;
}

/// False where the rows have to go to the root.
bool SolverImpl::solve_on_tree() {
  if (trees == nullptr) trees = std::make_unique<TreeWorkspaces>();
  page::kinematics(data, q.data(), v.data());
  if (any_relation) evaluate_relations();
  attach_alone();
  rows.early = true;  // none is at the root
  rows.root_rows = 0;
  number_rows();
  root.gather(0, nullptr, nullptr);
  root.factor(nullptr, settings.tolerance);
  weighed = false;
  std::fill_n(uncompensated.data(), rows.m, 0.0);
  TreeAnswer answer{acceleration.data(), lambda_sweep.data()};
  const double tolerance = settings.tolerance > 0 ? settings.tolerance : 64 * epsilon_of<double> * rows.m;
  const TreeProblem problem{data, rows, total.data(), tolerance, settings.max_iterations};
  trees->solve(method->tree, problem, answer);
  if (answer.outcome != dense::KktOutcome::ok) return false;
  converged = true;
  iterations = answer.iterations;
  stiffened = false;
  massless_column = -1;
  for (Index s = 0; s < rows.blocks * page::RowStage<double>::lanes; ++s) page::set_lane(rows.lambda.data(), s, 0.0);
  for (Index k = 0; k < rows.m; ++k)
    if (rows.slot[k] >= 0) page::set_lane(rows.lambda.data(), rows.slot[k], lambda_sweep[k]);
  for (Index k = 0; any_prescribed && k < data.tree().nv; ++k)
    if (prescribed[k]) acceleration[k] = prescribed_value[k];
  page::kinematics(data, q.data(), v.data(), acceleration.data());
  for (Index k = 0; k < rows.m; ++k) {
    const page::RowResidual<double> e = page::row_residual(data, rows, k);
    if (!(rows.compliance[k] > 0) && !(std::fabs(e.value) <= settings.feasibility * e.scale)) return false;
  }
  if (any_prescribed) find_forces_of_motion();
  factored = true;
  data.stages |= stage_factor;
  solution.report.status = Status::ok;
  return true;
}

/// What moves prescribed coordinates as they are: their rows of M a + h - J^T lambda.
void SolverImpl::find_forces_of_motion() {
  const Tree<double>& tree = data.tree();
  kernels().state->inverse_dynamics(&data, q.data(), v.data(), acceleration.data(), motor_torque.data());
  page::kinematics(data, q.data(), v.data(), acceleration.data());
  std::fill_n(torque.data(), tree.nv, 0.0);
  joint_forces(true, true, torque.data());
  for (Index k = 0; k < tree.spanning_nv; ++k) data.articulated.given_force[k] = 0;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index y = tree.column[k].v;
    bool first = prescribed[y] != 0;
    for (Index j = 0; j < k; ++j) first = first && tree.column[j].v != y;
    if (first) data.articulated.given_force[k] = (motor_torque[y] - torque[y]) / tree.column[k].multiplier;
  }
}

}  // namespace zwang
