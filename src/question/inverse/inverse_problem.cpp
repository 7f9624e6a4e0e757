// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: the numbers at the state.
#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"
#include "question/inverse/inverse_parts.hpp"

namespace zwang {

InverseProblem::InverseProblem(Index nv, Index rows, Index motors)
    : M(nv * nv),
      Msoft(nv * nv),
      h(nv),
      hsoft(nv),
      wish(nv),
      weight(nv),
      motor_wish(motors),
      lower(motors),
      upper(motors),
      pull(nv * rows),
      column(nv),
      length(rows),
      inverse(rows),
      physical(rows),
      soft(rows),
      driver(rows) {}

InverseParts::InverseParts(const Model& model, const ConstraintSet& set, Motors of, const InverseSettings& s)
    : rows(model, set, "ConstrainedInverseDynamics"),
      settings(s),
      motors(std::move(of)),
      problem(model.nv(), rows.problem.layout.capacity, motors.count),
      force_span(model.nv(), rows.problem.layout.capacity),
      motion_span(rows.problem.layout.capacity + 2 * model.nv(), model.nv()),
      conditions(rows.problem.layout.capacity + 2 * model.nv()),
      asked(model.nv(), conditions.of.size()),
      senses(model.nv(), rows.problem.layout.capacity),
      work(model.nv() + rows.problem.layout.capacity + motors.count),
      more(work.size()),
      least_squares(work.size(), rows.problem.layout.capacity),
      matrix(model.nv() * model.nv()),
      right(model.nv()),
      a(model.nv()),
      tau(model.nv()),
      u(motors.count),
      lambda(rows.problem.layout.capacity),
      multipliers(rows.problem.layout.capacity),
      reaction(model.nv()),
      forces(model.nv()),
      bounds(model.nv(), rows.problem.layout.capacity, motors.count) {
  InverseReport& r = solution.report;
  const auto most = static_cast<std::size_t>(conditions.of.size() + bounds.list.size());
  for (auto* list : {&r.held, &r.released, &r.beyond}) list->reserve(most);
  r.redundant.reserve(most);
  r.infeasible.reserve(most);
  r.pulling.reserve(most);
  r.outside.reserve(most);
  r.missed.reserve(most);
  r.conflicts.reserve(most + 1);
  r.terms.reserve(most * most);
}

void InverseParts::refuse(Status status, std::string_view what) {
  InverseReport& r = solution.report;
  for (auto* list : {&r.redundant, &r.infeasible, &r.pulling, &r.outside, &r.held, &r.released, &r.beyond})
    list->clear();
  r.missed.clear();
  r.conflicts.clear();
  r.terms.clear();
  r.rows = r.rank = r.motors = r.conditions = r.choices = 0;
  r.residual = r.motion = r.optimality = r.cone = r.bound = 0;
  r.status = status;
  r.singular_joint = {};
  r.invalid = what;
  for (Buffer<double>* x : {&a, &tau, &u, &multipliers, &reaction}) std::fill(x->begin(), x->end(), 0.0);
}

/// Physical hard rows, soft ones and driver rows; the first and last by priority, then by insertion.
void InverseParts::sort_rows() {
  InverseProblem& p = problem;
  p.physical_rows = p.soft_rows = p.driver_rows = 0;
  p.open = 0;
  for (Index i = 0; i < rows.rows; ++i) {
    const Constraint& x = rows.constraint_of(i);
    const bool soft = rows.compliance(i) > 0;
    if (senses.open[i]) continue;
    if (x.role == Role::driver && soft)
      throw UnsupportedError("ConstrainedInverseDynamics: constraint '" + x.name +
                             "' is a soft driver; driver rows are demands here: make it hard");
    if (!x.compensate.all())
      throw UnsupportedError("ConstrainedInverseDynamics: constraint '" + x.name +
                             "' leaves causes of motion uncompensated, which only forward dynamics does");
    if (soft)
      p.soft[p.soft_rows++] = i;
    else if (x.role == Role::driver)
      p.driver[p.driver_rows++] = i;
    else
      p.physical[p.physical_rows++] = i;
    if (!soft && x.role == Role::physical) p.open = std::max(p.open, rows.openness(i));
  }
  const auto by_priority = [&](Index i, Index j) {
    const int one = rows.constraint_of(i).priority, other = rows.constraint_of(j).priority;
    return one != other ? one < other : i < j;
  };
  std::sort(p.physical.data(), p.physical.data() + p.physical_rows, by_priority);
  std::sort(p.driver.data(), p.driver.data() + p.driver_rows, by_priority);
}

void InverseParts::add_soft_rows() {
  InverseProblem& p = problem;
  const Index n = rows.nv;
  std::copy_n(p.M.data(), n * n, p.Msoft.data());
  std::copy_n(p.h.data(), n, p.hsoft.data());
  for (Index k = 0; k < p.soft_rows; ++k) {
    const Index i = p.soft[k];
    const double *const J = rows.row(i), stiffness = 1 / rows.compliance(i);
    for (Index c = 0; c < n; ++c) {
      if (J[c] == 0) continue;
      p.hsoft[c] -= J[c] * stiffness * rows.gamma[i];
      for (Index d = 0; d < n; ++d) p.Msoft[c * n + d] += J[c] * stiffness * J[d];
    }
  }
}

/// Inverse dynamics with the wrenches and effects of joints of this solve.
void InverseParts::needed_torques(const double* acceleration, double* out) {
  Problem& p = rows.problem;
  page::inverse_dynamics(p.state.data, p.state.q.data(), p.state.v.data(), acceleration, out);
  detail::add_passive(p.state.data, p.state.q.data(), p.state.v.data(), settings.joint_effects, -1.0, out);
}

void InverseParts::read(const InverseInput& input) {
  InverseProblem& p = problem;
  const Index n = rows.nv;
  Data& data = rows.problem.state.data;
  rows.evaluate(input.q.data(), input.v.size() > 0 ? input.v.data() : nullptr);
  rows.evaluate_magnitudes();
  check_senses();
  sort_rows();
  read_motors(input);
  detail::set_external(rows.problem.state.data.model(), data, rows.problem.state.q.data(),
                       input.external != nullptr ? input.external->data() : nullptr,
                       input.external != nullptr ? static_cast<Index>(input.external->size()) : 0,
                       settings.joint_effects.gravity_scale);
  data.armature_factor = settings.joint_effects.armature ? 1.0 : 0.0;
  page::mass_matrix(data, rows.problem.state.q.data(), p.M.data(), n);
  std::fill(right.begin(), right.end(), 0.0);
  needed_torques(right.data(), p.h.data());
  constexpr const char* function = "constrained_inverse_dynamics";
  detail::check_result(p.M.data(), n * n, function);
  detail::check_result(p.h.data(), n, function);
  detail::check_result(rows.gamma.data(), rows.rows, function);
  detail::check_result(rows.jacobian.data(), rows.rows * n, function);
  add_soft_rows();
  p.scale = 0;
  p.in_mass = true;
  for (Index c = 0; c < n; ++c) {
    const double inertia = p.M[c * n + c];
    p.column[c] = inertia > 0 ? 1 / std::sqrt(inertia) : 1;
    p.wish[c] = input.a.size() > 0 ? input.a.data()[c] : 0;
    p.weight[c] = input.a.size() == 0 ? 0 : input.weight.size() > 0 ? std::sqrt(input.weight.data()[c]) : 1;
    p.scale = std::max({p.scale, std::fabs(p.wish[c]) / p.column[c], std::fabs(p.h[c]) * p.column[c]});
  }
  for (Index i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (Index c = 0; c < n; ++c) {
      const double x = rows.magnitudes(i)[c] * p.column[c];
      sum += x * x;
    }
    p.length[i] = std::sqrt(sum);
    p.inverse[i] = sum > 0 ? 1 / p.length[i] : 1;
    p.scale = std::max(p.scale, std::fabs(rows.gamma[i]) * p.inverse[i]);
  }
}

void InverseParts::read_motors(const InverseInput& input) {
  InverseProblem& p = problem;
  const std::vector<double>& effort = rows.problem.state.data.model().effort_limit();
  const auto number = [](const ConstVector& x, Index j, double otherwise) {
    return x.size() > 0 ? x.data()[j] : otherwise;
  };
  for (Index j = 0, c = 0; j < motors.count; ++j, ++c) {
    while (!motors.mapped && !motors.actuated[static_cast<std::size_t>(c)]) ++c;
    p.motor_wish[j] = number(input.torque_wish, motors.mapped ? j : c, 0);
    p.lower[j] = number(input.motor_lower, j, -unlimited);
    p.upper[j] = number(input.motor_upper, j, unlimited);
    if (motors.mapped || !settings.effort_limits) continue;
    if (const double most = effort[static_cast<std::size_t>(c)]; most < unlimited) {
      p.lower[j] = std::max(p.lower[j], -most);
      p.upper[j] = std::min(p.upper[j], most);
    }
  }
}

/// Motion and forces with the rows that are held.
void InverseParts::answer(const InverseInput& input) {
  sort_rows();
  solution.report.conditions = 0;
  span_forces();
  span_motion();
  move();
  choose_forces(input);
}

/// The answer for the rows that are held, and those that the motion goes against.
void InverseParts::solve_held(const InverseInput& input) {
  refuse(Status::ok, {});
  answer(input);
  while (hold_violated()) answer(input);
  publish();
  certify(input);
}

/// The desired motion first decides which rows with a sense are held. Contacts that would have to pull are released,
/// unless a demand needs them; where that has no solution, they are held again.
void InverseParts::solve(const InverseInput& input) {
  refuse(Status::ok, {});
  read(input);
  hold_touching();
  solve_held(input);
  if (!release_pulling()) return;
  solve_held(input);
  if (solution.report.status == Status::ok) return;
  std::fill(senses.released.begin(), senses.released.end(), static_cast<unsigned char>(0));
  hold_touching();
  solve_held(input);
}

}  // namespace zwang
