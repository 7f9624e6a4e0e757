// SPDX-License-Identifier: BSD-3-Clause
#include "solve/solution_numbers.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "core/kernel_table.hpp"
#include "factor/path_factor.hpp"
#include "linear/vectors.hpp"

namespace zwang {

SolutionNumbers::SolutionNumbers(const Problem& problem)
    : multipliers(problem.layout.capacity),
      wrench(6 * problem.layout.constraint_capacity),
      motor_torque(problem.state.data.model().nv()),
      reaction(problem.state.data.model().nv()),
      driver_torque(problem.state.data.model().nv()),
      torque_(problem.state.data.model().nv()),
      free_data_(problem.state.data.model()) {}

void SolutionNumbers::clear() {
  for (Buffer<double>* b : {&multipliers, &wrench, &motor_torque, &reaction, &driver_torque})
    for (double& x : *b) x = 0;
}

bool SolutionNumbers::publish(Problem& problem, const Answer& answer, const Certificate& certificate, Solution& s) {
  wrenches(problem, answer);
  torques(problem, answer);
  s.zwang = problem.rows.m == 0 || answer.only_hard_rows ? certificate.energy : energy(problem, answer);
  return is_finite(s.zwang) && all_finite(motor_torque.size(), motor_torque.data()) &&
         (!problem.rows.traits.physical || all_finite(reaction.size(), reaction.data())) &&
         all_finite(answer.articulated.size(), answer.articulated.data()) &&
         all_finite(6 * problem.layout.count, wrench.data());
}

bool SolutionNumbers::publish_paths(Problem& problem, const Answer& answer, const PathFactor& paths, Solution& s) {
  const Index nv = problem.state.data.tree().nv;
  const RowTraits& traits = problem.rows.traits;
  wrenches(problem, answer);
  if (traits.driver) {
    torques(problem, answer);
  } else {
    std::copy_n(paths.torque(), nv, reaction.data());
    std::copy_n(problem.state.tau.data(), nv, motor_torque.data());
  }
  s.zwang = paths.energy();
  return is_finite(s.zwang) && all_finite(6 * problem.layout.count, wrench.data()) &&
         (!traits.driver || (all_finite(nv, motor_torque.data()) && all_finite(nv, reaction.data())));
}

void SolutionNumbers::wrenches(const Problem& problem, const Answer& answer) {
  const Rows& rows = problem.rows;
  std::fill_n(multipliers.data(), problem.layout.rows(), 0.0);
  std::fill_n(wrench.data(), 6 * problem.layout.count, 0.0);
  Index k = 0;
  for (std::size_t entry = 0; entry < rows.active.size(); ++entry) {
    if (rows.part[entry] > 0) continue;
    const Index c = rows.constraint[entry];
    const Constraint& x = problem.layout.constraint(c);
    const double* matrix = x.relation != nullptr ? &problem.rows.as_given[6 * problem.layout.first_row_of(c)]
                                                 : x.rows_on_body->matrix.data();
    double w[6] = {0, 0, 0, 0, 0, 0};
    const Index first = problem.layout.first_row_of(c);
    for (const Index end = k + rows.active[entry].count; k < end; ++k) {
      const double lambda = multipliers[rows.row_of[k]] = answer.lambda[k];
      const double* const row = matrix + 6 * (rows.row_of[k] - first);
#pragma GCC unroll 6
      for (Index d = 0; d < 6; ++d) w[d] += row[d] * lambda;
    }
    std::copy_n(w, 6, &wrench[6 * c]);
  }
}

/// Motors: tau and J^T lambda of driver rows; at prescribed coordinates the torque that gives them their accelerations.
/// Reaction: J^T lambda of physical rows.
void SolutionNumbers::torques(Problem& problem, const Answer& answer) {
  const Index nv = problem.state.data.tree().nv;
  const PrescribedCoordinates& given = problem.state.prescribed;
  const RowTraits& traits = problem.rows.traits;
  std::fill_n(reaction.data(), nv, 0.0);
  if (problem.rows.m > 0 && traits.physical)
    problem.add_joint_forces(true, false, answer.lambda.data(), reaction.data());
  std::copy_n(problem.state.tau.data(), nv, motor_torque.data());
  std::fill_n(driver_torque.data(), nv, 0.0);
  if (problem.rows.m > 0 && traits.driver) {
    problem.add_joint_forces(false, true, answer.lambda.data(), driver_torque.data());
    for (Index y = 0; y < nv; ++y) motor_torque[y] += driver_torque[y];
  }
  for (Index y = 0; given.any && y < nv; ++y)
    if (given.is[y])  // without the passive joint effects
      motor_torque[y] = driver_torque[y] + answer.given_torque[y] - (problem.state.total[y] - problem.state.tau[y]);
}

/// Z = 1/2 t^T M^+ t with t = J^T lambda of all rows: M q'' + h = tau + t.
double SolutionNumbers::energy(Problem& problem, const Answer& answer) {
  std::fill_n(torque_.data(), torque_.size(), 0.0);
  problem.add_joint_forces(true, true, answer.lambda.data(), torque_.data());
  if (!problem.state.data.tree().mimic) return kernels().hybrid->energy(&problem.state.data, torque_.data());
  return energy_by_sweep(problem, answer.stiffened || problem.rows.traits.soft);
}

/// The same by a sweep from rest, without rows. A coordinate without inertia does not contribute to |q''|_M: hold it.
double SolutionNumbers::energy_by_sweep(Problem& problem, bool holds_massless) {
  const Data& data = problem.state.data;
  const Tree<double>& tree = data.tree();
  const PrescribedCoordinates& given = problem.state.prescribed;
  for (Index i = 0; i <= tree.n; ++i) free_data_.inertia[i] = data.inertia[i];
  free_data_.gravity = Vec3<double>::zero();
  free_data_.armature_factor = data.armature_factor;
  free_data_.force.has_external = false;
  auto& a = free_data_.articulated;
  a.has_given = given.any || holds_massless;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    a.is_given[k] = given.any ? data.articulated.is_given[k] : 0;
    a.given[k] = 0;
  }
  for (double& x : free_data_.work) x = 0;
  page::NoRiders<double> none;
  for (Index tries = 0; tries <= tree.nv; ++tries) {
    if (page::articulated_sweep(free_data_, problem.state.q.data(), free_data_.work.data(), torque_.data(),
                                free_data_.acceleration_out.data(), none))
      break;
    a.has_given = true;
    const Index held = tree.column[a.singular_column].v;
    for (Index k = 0; k < tree.spanning_nv; ++k)
      if (tree.column[k].v == held) a.is_given[k] = 1;
  }
  double z = 0;
  for (Index k = 0; k < tree.nv; ++k) z += 0.5 * torque_[k] * free_data_.acceleration_out[k];
  return z;
}

double SolutionNumbers::power(const Problem& problem, const Certificate& certificate, Index c) const {
  double sum = 0;
  const Constraint& x = problem.layout.constraint(c);
  for (Index i = 0, r = problem.layout.first_row_of(c); i < x.size(); ++i, ++r) {
    const double target = x.target_velocity.empty() ? 0.0 : x.target_velocity[static_cast<std::size_t>(i)];
    sum += multipliers[r] * (certificate.velocity_error[r] + target);
  }
  return sum;
}

}  // namespace zwang
