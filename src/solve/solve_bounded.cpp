// SPDX-License-Identifier: BSD-3-Clause
// A solve of rows of which some have a sense or a limit, or drivers of motors with limits: the rows that hold are found,
// and are then ordinary rows.
//
//   as in the last solve  the rows held then are held again; the answer stands where all conditions hold by a margin
//   otherwise             ActiveSet finds the rows that hold; their answer is certified, and checked against the others
// So the answer does not depend on what was solved before.
#include <algorithm>

#include "algorithm/support.hpp"
#include "solve/solver_parts.hpp"

namespace zwang {

void SolverParts::solve_bounded() {
  const RowPolicy policy(settings);
  if (inequalities == nullptr) make_inequalities();
  Inequalities& x = *inequalities;
  x.evaluate(problem, *method, settings.motor_limits);
  border = nullptr;
  if (x.has_levels()) return solve_bounded_levels(policy);
  if (last_.bounded == problem.rows.reading && x.may_stay(problem)) {
    solve_by(policy);
    const SolveReport& r = solution.report;
    if (r.status == Status::stopped) return;
    if (factor != nullptr && r.status == Status::ok && r.rank == r.rows) {
      const auto violation = check_bounds();
      if (violation.clear && violation.largest <= settings.feasibility) return report_bounds(violation);
    }
  }
  const Inequalities::Choice choice = x.choose(policy);
  if (is_stopped()) return;
  if (choice.singular >= 0) return refuse_massless(choice.singular);
  if (x.has_limited() && x.stiffened() >= 0) return refuse_massless(x.stiffened());
  x.load(problem);
  hold(x.has_idle());
  solve_by(policy);
  if (factor == nullptr) return;
  auto violation = check_bounds();
  const auto holds = [&] { return solution.report.status == Status::ok && violation.largest <= settings.feasibility; };
  for (const bool drivers : {false, true}) {  // rows that hold without a force let go; then drivers act as found
    if (holds()) break;
    const bool found =
        violation.beyond || (choice.end == ActiveSet::End::found && solution.report.status == Status::infeasible);
    if (!(drivers ? found && x.fix_drivers() : x.has_idle())) continue;
    x.load(problem);
    hold(false);
    solve_by(policy);
    if (factor == nullptr) return;
    violation = check_bounds();
  }
  report_bounds(violation);
}

/// Rows of several priorities: as without bounds where that is within them, else by LevelForces.
void SolverParts::solve_bounded_levels(const RowPolicy& policy) {
  Inequalities& x = *inequalities;
  const auto stands = [&](const Inequalities::Violation& v) { return v.largest <= settings.feasibility; };
  hold(true);  // nothing has been chosen: all rows hold
  solve_by(policy);
  if (factor == nullptr) return;
  if (solution.report.status != Status::ok) return warn();
  auto violation = x.beyond_bounds(bounded_numbers(), settings.feasibility);
  if (stands(violation)) return report_bounds(violation);
  const Inequalities::Choice choice = x.choose_by_levels(policy, bounded_numbers());
  if (is_stopped()) return;
  if (choice.singular >= 0) return refuse_massless(choice.singular);
  if (x.stiffened() >= 0) return refuse_massless(x.stiffened());
  x.load(problem);
  hold(false);
  solve_by(policy);
  if (factor == nullptr) return;
  add_limited();
  tell_errors();
  violation = x.measure_levels(bounded_numbers(), settings.feasibility);
  SolveReport& r = solution.report;
  x.name_levels(bounded_numbers(), settings.feasibility, r);
  r.complementarity = violation.largest;
  warn();
  border = "a row or a motor is at its limit";
  if (stands(violation)) return;
  r.status = violation.out_of_reach || (violation.beyond && x.limits_contradict()) ? Status::infeasible
                                                                                   : Status::not_converged;
}

void SolverParts::refuse_massless(Index coordinate) {
  refuse(Status::singular_mass, "");
  solution.report.singular_joint = detail::joint_of_coordinate(problem.state.data.model(), coordinate).name;
}

/// Holds the rows that were chosen.
void SolverParts::hold(bool idle) {
  clear_report();
  problem.reader.release(inequalities->released(idle), problem.rows);
  read();
  if (problem.rows.shock != nullptr) RowReader::take_shock(problem.layout, problem.rows);
  last_.bounded = inequalities->has_limited() ? 0 : problem.rows.reading;
}

Inequalities::Numbers SolverParts::bounded_numbers() const {
  return {answer.acceleration.data(), numbers.multipliers.data(), numbers.motor_torque.data()};
}

/// Adds to the solution what rows at their limit do, and measures how well all conditions hold.
Inequalities::Violation SolverParts::check_bounds() {
  if (inequalities->has_limited()) add_limited();
  tell_errors();
  return inequalities->measure(bounded_numbers(), settings.feasibility);
}

/// Errors of the rows that are released.
void SolverParts::tell_errors() {
  const Problem& whole = inequalities->whole;
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Index r = whole.rows.row_of[k];
    if (!problem.rows.released[r]) continue;
    const Inequalities::Errors e = inequalities->errors_of(k, answer.acceleration.data());
    certificate.position_error[r] = e.position;
    certificate.velocity_error[r] = e.velocity;
    certificate.residual[r] = e.residual;
  }
}

void SolverParts::add_limited() {
  const Inequalities& x = *inequalities;
  const Index nv = bias_.size();
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& of = problem.layout.constraint(c);
    const Index first = problem.layout.first_row_of(c);
    for (Index i = 0; of.active && i < of.size(); ++i) {
      const double lambda = x.limited(first + i);
      if (lambda == 0) continue;
      const double* const row =
          of.relation != nullptr ? &x.whole.rows.as_given[6 * (first + i)] : of.rows_on_body->matrix.data() + 6 * i;
      numbers.multipliers[first + i] = lambda;
      for (Index d = 0; d < 6; ++d) numbers.wrench[6 * c + d] += row[d] * lambda;
    }
  }
  std::fill_n(bias_.data(), nv, 0.0);
  x.add_torques(Role::driver, bias_.data());
  for (Index y = 0; y < nv; ++y) {
    numbers.motor_torque[y] += bias_[y];
    numbers.driver_torque[y] += bias_[y];
  }
  x.add_torques(Role::physical, numbers.reaction.data());
  x.add_torques(Role::physical, bias_.data());
  problem.add_joint_forces(true, true, answer.lambda.data(), bias_.data());
  solution.zwang = inequalities->energy(bias_.data());
}

void SolverParts::report_bounds(const Inequalities::Violation& violation) {
  SolveReport& r = solution.report;
  inequalities->name(problem, bounded_numbers(), settings.feasibility, r);
  r.complementarity = violation.largest;
  warn();
  if (r.status == Status::ok && !(violation.largest <= settings.feasibility)) {
    const Index k = inequalities->contradicted();
    const bool impossible = k >= 0 || violation.out_of_reach || (violation.beyond && inequalities->limits_contradict());
    r.status = impossible ? Status::infeasible : Status::not_converged;
    if (k >= 0 && k < inequalities->whole.rows.m) r.infeasible.push_back(inequalities->whole.row_name(k));
  }
  border = inequalities->has_limited() ? "a row or a motor is at its limit"
           : !violation.clear          ? "a row or a motor with a limit is at the border of its conditions"
                                       : nullptr;
}

void SolverParts::make_inequalities() { inequalities = std::make_unique<Inequalities>(problem); }

}  // namespace zwang
