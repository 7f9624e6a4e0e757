// SPDX-License-Identifier: BSD-3-Clause
// What is published of a solve: forces, residuals, torques, and the report in the user's names.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "dynamics/solver_impl.hpp"
#include "dynamics/vectors.hpp"

namespace zwang {

void SolverImpl::publish() {
  const Index nv = data.model().nv();
  std::copy_n(tau.data(), nv, motor_torque.data());
  for (Index k = 0; any_prescribed && k < nv; ++k)
    if (prescribed[k]) motor_torque[k] = 0;
  std::fill_n(reaction.data(), nv, 0.0);
  for (Buffer<double>* b : {&lambda, &residual, &relative, &velocity_error}) std::fill_n(b->data(), row_count(), 0.0);
  std::fill_n(position_error.data(), row_count(), std::numeric_limits<double>::quiet_NaN());
  std::fill_n(wrench.data(), 6 * added, 0.0);
  solution.zwang = largest_relative = 0;
  all_held = true;
  if (rows.m > 0) wrenches();
  if (rows.m > 0 && role_used[1]) joint_forces(false, true, motor_torque.data());
  if (any_prescribed) prescribed_torques();
  if (rows.m > 0 && role_used[0]) joint_forces(true, false, reaction.data());
  if (rows.m == 0)
    std::fill_n(articulated.data(), nv, 0.0);
  else if (data.tree().mimic)
    page::articulated_torque(data, rows, articulated.data());
  else
    std::copy_n(rows.pushed.data(), nv, articulated.data());
  if (rows.m > 0 && (any_soft || rows.early || stiffened || by_matrices() || by_tree))
    solution.zwang = constraint_energy();
}

/// lambda, residuals and wrenches of all rows.
void SolverImpl::wrenches() {
  kernels().hybrid->residuals(&data, &rows, row_value.data(), row_scale.data(), row_speed.data());
  for (Index k = 0; k < rows.m; ++k) {
    lambda_sweep[k] = rows.slot[k] >= 0 ? page::lane<double>(rows.lambda.data(), rows.slot[k]) : 0.0;
    if (rows.stiffness[k] > 0)
      lambda_sweep[k] -= rows.stiffness[k] * page::lane<double>(row_value.data(), rows.place[k]);
  }
  for (Index k = 0; k < rows.further; ++k)  // what further bodies add
    for (Buffer<page::RowStage<double>::Rows>* x : {&row_value, &row_scale, &row_speed}) {
      const Index at = rows.place[rows.further_row[k]];
      page::set_lane(x->data(), at,
                     page::lane<double>(x->data(), at) + page::lane<double>(x->data(), rows.further_place[k]));
    }
  if (stiffened && !by_matrices()) {  // residuals that remain have added to lambda what moves nothing
    for (Index i = 0; i < rows.root_rows; ++i) lambda_root[i] = lambda_sweep[attached_of[i]];
    root.least_norm(lambda_root.data());
    for (Index i = 0; i < rows.root_rows; ++i) lambda_sweep[attached_of[i]] = lambda_root[i];
  }
  // By Cauchy and Schwarz the accelerations that a row sums up are at most sqrt(Lambda_ii) (|q''_free|_M + |q'' -
  // q''_free|_M): a scale that stays where a row holds by cancellation or by symmetry.
  if (answers_exactly())
    solution.zwang =
        0.5 * std::inner_product(lambda_root.data(), lambda_root.data() + rows.root_rows, b_root.data(), 0.0);
  else
    solution.zwang = root.energy(lambda_root.data());
  const double strength = free_motion + std::sqrt(2 * std::fabs(solution.zwang));
  // What the rows ask for, met or not, leaves its rounding in all of them: levels and dependent rows are turned into
  // each other.
  double demand = 0, largest_scale = 0;
  for (Index i = 0; i < rows.root_rows; ++i) largest_scale = std::max(largest_scale, root.row_scale(i));
  for (Index i = 0; i < rows.root_rows; ++i)
    if (root.row_scale(i) > 1e-9 * largest_scale)  // a row that nothing moves but rounding asks in vain
      demand = std::max(demand, std::fabs(b_root[i]) / root.row_scale(i));
  const double noise = 64 * epsilon_of<double> * rows.root_rows * demand;
  Index k = 0;
  for (std::size_t entry = 0; entry < active.size(); ++entry) {
    if (active_part[entry] > 0) continue;
    const Index c = active_constraint[entry];
    const Constraint& x = constraint(c);
    const double* matrix =
        x.relation != nullptr ? &as_given[6 * first_row[static_cast<std::size_t>(c)]] : x.rows_on_body->matrix.data();
    double* const w = &wrench[6 * c];
    for (std::size_t i = 0; i < x.beta.size(); ++i, ++k, matrix += 6) {
      const Index r = row_of[k];
      lambda[r] = lambda_sweep[k];
      if (x.relation != nullptr) position_error[r] = phi[r];
      velocity_error[r] = page::lane<double>(row_speed.data(), rows.place[k]) -
                          (x.target_velocity.empty() ? 0.0 : x.target_velocity[i]);
      for (Index d = 0; d < 6; ++d) w[d] += matrix[d] * lambda[r];
      residual[r] = page::lane<double>(row_value.data(), rows.place[k]) - uncompensated[k];
      if (rows.slot[k] < 0 || rows.compliance[k] > 0) continue;  // a soft row holds by construction
      double scale =
          page::lane<double>(row_scale.data(), rows.place[k]) + std::fabs(x.beta[i]) + std::fabs(uncompensated[k]);
      if (root_of[k] >= 0) scale += root.row_scale(root_of[k]) * strength;
      if (by_tree && rows.root_rows == 0) scale += size[k];
      const bool rounding = root_of[k] >= 0 && std::fabs(residual[r]) <= noise * root.row_scale(root_of[k]);
      relative[r] = scale == 0 || rounding ? 0.0 : std::fabs(residual[r]) / scale;
      all_held = all_held && relative[r] <= settings.feasibility;
      largest_relative = std::max(largest_relative, relative[r]);
    }
  }
}

double SolverImpl::power(Index c) const {
  double sum = 0;
  const Constraint& x = constraint(c);
  for (Index i = 0, r = first_row[static_cast<std::size_t>(c)]; i < x.size(); ++i, ++r)
    sum += lambda[r] *
           (velocity_error[r] + (x.target_velocity.empty() ? 0.0 : x.target_velocity[static_cast<std::size_t>(i)]));
  return sum;
}

/// out += J^T lambda of physical rows, driver rows or both: only on the paths from their bodies to the ground.
void SolverImpl::joint_forces(bool physical, bool driver, double* out) {
  const auto& tree = data.tree();
  Buffer<Force<double>>& force = driver_force;
  std::fill_n(loaded.data(), tree.n + 1, static_cast<unsigned char>(0));
  Force<double> f = Force<double>::zero();  // on body i, from what is behind it
  bool any = false;
  const auto wanted = [&](Index k) {
    return role_used[1] && constraint(constraint_of[k]).role == Role::driver ? driver : physical;
  };
  for (Index i = tree.n, k = rows.m, j = rows.further; i > 0; --i) {
    for (; k > 0 && rows.body[k - 1] == i; --k) {  // rows are sorted by body
      if (!wanted(k - 1)) continue;
      f += page::attached_row(rows, k - 1) * lambda_sweep[k - 1];
      any = true;
    }
    for (; j > 0 && rows.further_body[j - 1] == i; --j) {
      const Index row = rows.further_row[j - 1];
      if (!wanted(row)) continue;
      f += page::row_at(rows, rows.further_place[j - 1]) * lambda_sweep[row];
      any = true;
    }
    if (loaded[i]) f += force[i];
    any = any || loaded[i];
    if (!any) continue;
    const auto& b = tree.body[i];
    for (Index column = b.v; column < b.v + b.nv; ++column)
      out[tree.column[column].v] += dot(data.articulated.column[column].s, f) * tree.column[column].multiplier;
    if (b.parent == i - 1) continue;
    if (loaded[b.parent]) f += force[b.parent];
    force[b.parent] = f;
    loaded[b.parent] = 1;
    f = Force<double>::zero();
    any = false;
  }
}

/// What moves the prescribed coordinates as they are: the rows act on the bodies, and driver rows are asked of the
/// motors.
void SolverImpl::prescribed_torques() {
  const Tree<double>& tree = data.tree();
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (data.articulated.is_given[k])
      motor_torque[tree.column[k].v] += data.articulated.given_force[k] * tree.column[k].multiplier;
  for (Index k = 0; k < tree.nv; ++k)
    if (prescribed[k]) motor_torque[k] -= total[k] - tau[k];  // what the joints do by themselves
}

/// Z = 1/2 t^T M^+ t with t = J^T lambda of all rows: M q'' + h = tau + t.
double SolverImpl::constraint_energy() {
  const Index nv = data.model().nv();
  std::fill_n(torque.data(), nv, 0.0);
  joint_forces(true, true, torque.data());
  if (!data.tree().mimic) return kernels().hybrid->energy(&data, torque.data());
  // By a sweep from rest, without rows.
  for (Index i = 0; i <= data.tree().n; ++i) free_data.inertia[i] = data.inertia[i];
  free_data.gravity = Vec3<double>::zero();
  free_data.armature_factor = data.armature_factor;
  free_data.force.has_external = false;
  auto& a = free_data.articulated;
  a.has_given = any_prescribed || stiffened || any_soft;
  for (Index k = 0; k < data.tree().spanning_nv; ++k) {
    a.is_given[k] = any_prescribed ? data.articulated.is_given[k] : 0;
    a.given[k] = 0;
  }
  for (double& x : free_data.work) x = 0;
  page::NoRiders<double> nobody;
  // A coordinate that moves no inertia has no part in |q''|_M: it is held.
  for (Index tries = 0; tries <= nv; ++tries) {
    if (page::articulated_sweep(free_data, q.data(), free_data.work.data(), torque.data(),
                                free_data.acceleration_out.data(), nobody))
      break;
    a.has_given = true;
    const Index held = data.tree().column[a.singular_column].v;
    for (Index k = 0; k < data.tree().spanning_nv; ++k)
      if (data.tree().column[k].v == held) a.is_given[k] = 1;
  }
  double z = 0;
  for (Index k = 0; k < nv; ++k) z += 0.5 * torque[k] * free_data.acceleration_out[k];
  return z;
}

void SolverImpl::report() {
  SolveReport& r = solution.report;
  r.method = by_matrices() || by_tree             ? method->published
             : rows.early                         ? place == Method::Rows::where_met ? "bbo" : "pv_early"
             : method->rows == Method::Rows::soft ? "pv_soft"
                                                  : "popov_vereshchagin";
  r.singularity = name_of(settings.singularity);
  r.iterations = iterations;
  r.rows = rows.m;
  r.rank = rows.m - rows.root_rows + (rows.root_rows > 0 ? root.rank() : 0);
  r.tolerance = settings.tolerance > 0 ? settings.tolerance : 64 * epsilon_of<double> * rows.m;
  r.residual = 0;
  const bool reduced = rows.root_rows > 0 && root.rank() < rows.root_rows;
  if (reduced || !all_held) std::fill_n(contradicted.data(), contradicted.size(), static_cast<unsigned char>(0));
  if (reduced && !rows.early) dependencies();
  if (!all_held) given_up();
  if (all_held) r.residual = largest_relative;
  for (Index c = 0; !all_held && c < added; ++c) {
    const Constraint& x = constraint(c);
    for (Index i = 0; x.active && i < x.size(); ++i) {
      const Index row = first_row[static_cast<std::size_t>(c)] + i;
      const bool gives_way = many_levels && x.priority > first_level && !(relative[row] <= settings.feasibility);
      if (!gives_way) r.residual = std::max(r.residual, relative[row]);
    }
  }
  if (!r.infeasible.empty()) r.status = Status::infeasible;
  if (!converged) r.status = Status::not_converged;
  warn();
}

/// One minimal set per redundant row, in the user's order of the redundant rows.
void SolverImpl::dependencies() {
  SolveReport& r = solution.report;
  const auto name_of_root = [&](Index i) { return row_name(attached_of[i]); };
  const RankRevealing::Measure measure{size.data(), free_motion, settings.feasibility};
  page::gather_right_hand_side(rows, b_root.data());
  for (Index i = 0; i < rows.root_rows; ++i) b_root[i] += uncompensated[attached_of[i]];
  const Index count = root.circuits(order.data(), b_root.data(), measure);
  for (Index k = count; k-- > 0;) {  // found from the last row to the first
    const RankRevealing::Circuit x = root.circuit(k);
    const auto first = static_cast<Index>(r.terms.size());
    bool one_level = true;
    for (Index i = 0; i < rows.root_rows; ++i) {
      const double c = x.c[order[i] * root.capacity()];
      if (c == 0) continue;
      r.terms.push_back({name_of_root(order[i]), c});
      one_level = one_level && level[order[i]] == level[x.row];
    }
    for (Index i = 0; i < rows.root_rows; ++i)
      if (x.c[i * root.capacity()] != 0 && one_level && x.conflicting) contradicted[row_of[attached_of[i]]] = 1;
    r.dependencies.push_back({first, static_cast<Index>(r.terms.size()) - first, x.contradiction, x.conflicting});
    r.redundant.push_back(name_of_root(x.row));
  }
}

void SolverImpl::given_up() {
  SolveReport& r = solution.report;
  const bool damped = settings.singularity == Singularity::damping;
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = constraint(c);
    for (Index i = 0; x.active && i < x.size(); ++i) {
      const Index row = first_row[static_cast<std::size_t>(c)] + i;
      if (relative[row] <= settings.feasibility) continue;
      const std::string_view name = x.row_names[static_cast<std::size_t>(i)];
      const bool top = x.priority == first_level;
      const GivenUp::Reason reason = damped                     ? GivenUp::Reason::damping
                                     : top || contradicted[row] ? GivenUp::Reason::conflict
                                                                : GivenUp::Reason::priority;
      r.given_up.push_back({name, residual[row], reason});
      if (reason == GivenUp::Reason::conflict && top && converged) r.infeasible.push_back(name);
    }
  }
}

void SolverImpl::warn() {
  std::vector<SolveWarning>& warnings = solution.report.warnings;
  if (stiffened && massless_column >= 0) {
    const auto at = static_cast<std::size_t>(data.tree().column[massless_column].v);
    warnings.push_back({SolveWarning::Kind::massless_joint, {}, 0, data.model().coordinate_names()[at]});
  }
  if (role_used[1] && rows.m > 0) warn_unactuated();
  for (Index c = 0; c < added; ++c) {
    const Constraint& x = constraint(c);
    if (!x.active || x.role == Role::driver) continue;
    const Index first = first_row[static_cast<std::size_t>(c)], last = first + x.size() - 1;
    if (x.unilateral && lambda[last] < 0)
      warnings.push_back({SolveWarning::Kind::contact_pulls, x.row_names.back(), lambda[last]});
    // A centre of mass without a target is held where it is.
    const bool anywhere = x.relation != nullptr && x.target.empty() && x.relation->position_is_free();
    const bool closes = x.stabilisation.time_constant > 0;
    for (Index i = 0; i < x.size(); ++i) {
      const double open = anywhere || closes ? 0.0 : position_error[first + i];
      if (std::fabs(open) > 1e-6)
        warnings.push_back({SolveWarning::Kind::position_violates, x.row_names[static_cast<std::size_t>(i)], open});
      const double speed = velocity_error[first + i];
      if (std::fabs(speed) > 1e-6)
        warnings.push_back({SolveWarning::Kind::velocity_violates, x.row_names[static_cast<std::size_t>(i)], speed});
    }
  }
}

/// Coordinates without a motor that driver rows ask something of, each with the row that asks most.
void SolverImpl::warn_unactuated() {
  const Model& model = data.model();
  const Index nv = model.nv();
  double largest = 0;
  for (Index k = 0; k < nv; ++k) largest = std::max(largest, std::fabs(motor_torque[k]));
  for (Index y = 0; y < nv; ++y) {
    if (model.actuated()[static_cast<std::size_t>(y)] || (any_prescribed && prescribed[y])) continue;
    const double x = motor_torque[y] - tau[y];
    if (!(std::fabs(x) > 1e-9 * largest)) continue;
    Index asks = -1;
    double most = 0;
    for (Index k = 0; k < rows.m; ++k) {
      if (constraint(constraint_of[k]).role != Role::driver) continue;
      double share = 0;
      for (Index column = 0; column < data.tree().spanning_nv; ++column)
        if (data.tree().column[column].v == y) share += row_of_jacobian(k, column) * lambda_sweep[k];
      if (std::fabs(share) <= most) continue;
      most = std::fabs(share);
      asks = k;
    }
    if (asks >= 0)
      solution.report.warnings.push_back({SolveWarning::Kind::driver_on_unactuated, row_name(asks), x,
                                          model.coordinate_names()[static_cast<std::size_t>(y)]});
  }
}

/// Finite input may still exceed the range of double on the way.
bool SolverImpl::finite() const {
  bool good = is_finite(solution.zwang);
  for (const Buffer<double>* b : {&acceleration, &lambda, &motor_torque, &reaction})
    good = good && all_finite(b->size(), b->data());
  return good;
}

void SolverImpl::clear_report() {
  SolveReport& r = solution.report;
  r.redundant.clear();
  r.infeasible.clear();
  r.given_up.clear();
  r.dependencies.clear();
  r.terms.clear();
  r.warnings.clear();
  r.singular_joint = r.invalid = {};
}

void SolverImpl::refuse(Status status, const char* argument) {
  SolveReport& r = solution.report;
  clear_report();
  r.status = status;
  r.invalid = argument;
  r.rows = r.rank = rows.m = 0;
  r.residual = 0;
  for (Buffer<double>* b : {&acceleration, &lambda, &motor_torque, &reaction, &articulated, &residual, &wrench,
                            &position_error, &velocity_error})
    for (double& x : *b) x = 0;
  solution.zwang = 0;
  factored = false;
}

void SolverImpl::joint_wrenches(MatrixOut out) {
  const Tree<double>& tree = data.tree();
  Buffer<Force<double>>& f = physical_force;
  for (Index i = 1; i <= tree.n; ++i) f[i] = page::inertial_force(data, i);
  for (Index k = 0; k < rows.m; ++k)
    if (constraint(constraint_of[k]).role == Role::physical)
      page::for_each_part(rows, k, [&](Index body, const Force<double>& K) { f[body] -= K * lambda_sweep[k]; });
  for (Index i = tree.n; i > 0; --i)
    if (tree.body[i].parent > 0) f[tree.body[i].parent] += f[i];
  Index column = 0;
  for (const Joint& j : data.model().joints()) {
    Force<double> w = Force<double>::zero();
    if (!j.lumped) {
      const Link& link = data.model().links()[static_cast<std::size_t>(j.child.value)];
      const Index body = link.body.value;
      w = inverse_times(data.position.placement[body] * link.in_body, f[body]);
    }
    for (Index k = 0; k < 6; ++k) out(k, column) = w[k];
    ++column;
  }
}

Force<double> SolverImpl::joint_wrench(LinkId child) const {
  const Link& link = data.model().links()[static_cast<std::size_t>(child.value)];
  const Index body = link.body.value, last = data.tree().body[body].last;
  Force<double> f = Force<double>::zero();
  for (Index i = body; i < last; ++i) f += page::inertial_force(data, i);
  for (Index k = 0; k < rows.m; ++k)
    if (constraint(constraint_of[k]).role == Role::physical)
      page::for_each_part(rows, k, [&](Index i, const Force<double>& K) {
        if (i >= body && i < last) f -= K * lambda_sweep[k];
      });
  return inverse_times(data.position.placement[body] * link.in_body, f);
}

}  // namespace zwang
