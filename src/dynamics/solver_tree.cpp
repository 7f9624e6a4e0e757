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

void TreeWorkspaces::solve(TreeMethod which, const TreeProblem& problem, TreeAnswer& answer) {
  switch (which) {
    case TreeMethod::constrained_aba:
    case TreeMethod::loop_aba: return loops->solve(problem, answer);
    case TreeMethod::embedding: return embedding->solve(problem, answer);
    case TreeMethod::none: break;
  }
  answer.outcome = dense::KktOutcome::unsupported;
}

/// Workspaces of the method, where they are not there yet: for all constraints of the set.
void SolverImpl::make_room_on_tree() {
  if (trees == nullptr) trees = std::make_unique<TreeWorkspaces>();
  const bool loops = method->tree == TreeMethod::constrained_aba || method->tree == TreeMethod::loop_aba;
  if (loops && (trees->loops == nullptr || !trees->loops->serves(constraints())))
    trees->loops = std::make_unique<LoopArticulated>(data.tree(), constraints(), capacity, part_row_capacity);
  if (method->tree == TreeMethod::embedding && trees->embedding == nullptr)
    trees->embedding = std::make_unique<EmbeddingWorkspace>(data.tree(), rows.room);
}

/// What a method on the tree does not do.
void SolverImpl::refuse_on_tree() const {
  if (method->tree != TreeMethod::constrained_aba && method->tree != TreeMethod::loop_aba) return;
  for (const Joint& j : data.model().joints())
    if (!j.mimic.leader.empty())
      throw UnsupportedError("Solver: method " + settings.method + " has no shared coordinates; joint '" + j.name +
                             "' mimics '" + j.mimic.leader + "': popov_vereshchagin does that");
  for (const Constraint& x : constraints()) {
    if (!x.active) continue;
    const bool between = part_count(x) - (first_body(x) == 0 ? 1 : 0) > 1;
    if (between && method->tree == TreeMethod::constrained_aba)
      throw UnsupportedError("Solver: method constrained_aba is for rows on one moving body; constraint '" + x.name +
                             "' acts on several: loop_aba does that");
    if (between && x.name == trees->loops->too_dense())
      throw UnsupportedError("Solver: method loop_aba would couple nearly all bodies; constraint '" + x.name +
                             "' acts on " + std::to_string(part_count(x)) + " bodies: popov_vereshchagin does that");
  }
}

/// False where the rows have to go to the root.
bool SolverImpl::solve_on_tree() {
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
  std::fill_n(size.data(), rows.m, 0.0);
  TreeAnswer answer{acceleration.data(), lambda_sweep.data(), size.data()};
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
  if (!rows_hold()) return false;
  if (answer.dependent.count > 0 && !relate_on_tree(answer.dependent)) return false;
  if (any_prescribed) find_forces_of_motion();
  factored = true;
  data.stages |= stage_factor;
  solution.report.status = Status::ok;
  return true;
}

/// The hard rows hold at the accelerations in `data`: each residual beside the magnitude of its terms (row_residual).
bool SolverImpl::rows_hold() {
  double *const value = lambda_root.data(), *const scale = b_root.data();  // nothing is at the root
  const auto add = [&](Index row, Index body, const Force<double>& K) {
    const Motion<double>&a = data.acceleration.joint[body], &bias = data.velocity.bias[body];
    for (Index c = 0; c < 6; ++c) {
      value[row] += K[c] * a[c];
      scale[row] += std::fabs(K[c] * a[c]) + std::fabs(K[c] * bias[c]);
    }
    for (Index c = 0; c < 3; ++c) scale[row] += std::fabs(K.f[c] * data.gravity[c]);
  };
  for (Index k = 0; k < rows.m; ++k) {
    value[k] = page::attached_residual(rows, k);
    scale[k] = std::fabs(value[k]) + size[k];
    add(k, rows.body[k], page::attached_row(rows, k));
  }
  for (Index k = 0; k < rows.further; ++k)
    add(rows.further_row[k], rows.further_body[k], page::row_at(rows, rows.further_place[k]));
  for (Index k = 0; k < rows.m; ++k)
    if (!(rows.compliance[k] > 0) && !(std::fabs(value[k]) <= settings.feasibility * scale[k])) return false;
  return true;
}

/// Rows that depend on each other, for rank and certificates: what others see of a root. False where the library's rank
/// is another.
bool SolverImpl::relate_on_tree(const DependentRows& x) {
  rows.early = false;
  rows.root_rows = x.count;
  for (Index k = 0; k < rows.m; ++k) root_of[k] = -1;
  for (Index i = 0; i < x.count; ++i) {
    const Index k = x.row[i];
    root_of[k] = i;
    attached_of[i] = k;
    rows.root_slot[i] = rows.slot[k];
    level[i] = 0;
    size[i] = std::fabs(page::attached_residual(rows, k));
    b_root[i] = x.b[i];
    lambda_root[i] = lambda_sweep[k];
    page::set_lane(rows.l.data(), rows.root_slot[i], -x.b[i]);
  }
  Index n = 0;
  for (Index r = 0; r < row_count(); ++r)
    if (sweep_row[r] >= 0 && root_of[sweep_row[r]] >= 0) order[n++] = root_of[sweep_row[r]];
  numbered = ranked = false;
  root.gather(x.count, x.Lambda, x.bound);
  factor_root();
  free_motion = x.strength;
  return root.rank() == x.rank;
}

/// What moves prescribed coordinates as they are: their rows of M a + h - J^T lambda.
void SolverImpl::find_forces_of_motion() {
  const Tree<double>& tree = data.tree();
  kernels().state->inverse_dynamics(&data, q.data(), v.data(), acceleration.data(), motor_torque.data());
  page::kinematics(data, q.data(), v.data(), acceleration.data());
  std::fill_n(torque.data(), tree.nv, 0.0);
  joint_forces(true, true, torque.data());
  for (Index k = 0; k < tree.spanning_nv; ++k) data.articulated.given_force[k] = 0;
  for (unsigned char& x : seen) x = 0;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Index y = tree.column[k].v;
    const bool first = prescribed[y] != 0 && seen[y] == 0;
    seen[y] = 1;
    if (first) data.articulated.given_force[k] = (motor_torque[y] - torque[y]) / tree.column[k].multiplier;
  }
}

}  // namespace zwang
