// SPDX-License-Identifier: BSD-3-Clause
#include "solve/bounded_solve.hpp"

#include <algorithm>

#include "solve/solver_parts.hpp"

namespace zwang {

BoundedSolve::BoundedSolve(SolverParts& of)
    : chooser(of.problem),
      s_(of),
      torque_(of.problem.state.data.model().nv()) {}

void BoundedSolve::solve() {
  const RowPolicy policy(s_.settings);
  chooser.evaluate(s_.problem, *s_.method, s_.settings.motor_limits);
  s_.border = nullptr;
  if (chooser.has_levels()) return solve_levels(policy);
  if (stands_as_before(policy)) return;
  const Choice& choice = chooser.choose(policy);
  if (s_.is_stopped()) return;
  if (choice.singular >= 0) return s_.refuse_massless(choice.singular);
  if (choice.limited && chooser.stiffened() >= 0) return s_.refuse_massless(chooser.stiffened());
  const SolveReport& r = s_.solution.report;
  Violation violation;
  const auto solve_with = [&](bool idle) {
    chooser.load(s_.problem);
    hold(idle);
    s_.solve_forces_by(policy);
    if (s_.factor != nullptr) violation = check();
    return s_.factor != nullptr || r.status == Status::overflow;
  };
  const auto holds = [&] { return r.status == Status::ok && violation.largest <= s_.settings.feasibility; };
  if (!solve_with(choice.idle)) return;
  for (const bool exactly : {false, true}) {  // rows that hold without a force are released; then all is chosen anew
    if (holds()) break;
    if (!(exactly ? chooser.choose_exactly(policy) : choice.idle)) continue;
    if (!solve_with(false)) return;
  }
  if (s_.is_stopped() || s_.factor == nullptr) return;
  report(violation);
}

/// The rows held in the last solve are held again. True if their answer stands.
bool BoundedSolve::stands_as_before(const RowPolicy& policy) {
  if (chosen_for_ != s_.problem.rows.reading || !chooser.may_stay(s_.problem)) return false;
  s_.solve_forces_by(policy);
  const SolveReport& r = s_.solution.report;
  if (r.status == Status::stopped) return true;
  if (s_.factor == nullptr || r.status != Status::ok || r.rank != r.rows) return false;
  const Violation violation = check();
  if (!violation.clear || !(violation.largest <= s_.settings.feasibility)) return false;
  report(violation);
  return true;
}

/// Rows of several priorities: as without bounds where that is within them, else by LevelForces.
void BoundedSolve::solve_levels(const RowPolicy& policy) {
  const double feasibility = s_.settings.feasibility;
  const auto stands = [&](const Violation& v) { return v.largest <= feasibility; };
  hold(true);  // nothing has been chosen: all rows hold
  s_.solve_by(policy);
  if (s_.factor == nullptr) return;
  SolveReport& r = s_.solution.report;
  if (r.status != Status::ok) return s_.warn();
  Violation violation = chooser.beyond_bounds(found(), feasibility);
  if (stands(violation)) {
    s_.settle_forces(policy);
    if (r.status == Status::ok) violation = chooser.beyond_bounds(found(), feasibility);
    if (r.status == Status::ok && stands(violation)) return report(violation);
  }
  const Choice& choice = chooser.choose_by_levels(policy, found());
  if (s_.is_stopped()) return;
  if (choice.singular >= 0) return s_.refuse_massless(choice.singular);
  if (chooser.stiffened() >= 0) return s_.refuse_massless(chooser.stiffened());
  chooser.load(s_.problem);
  hold(false);
  s_.solve_forces_by(policy);
  if (s_.factor == nullptr) return;
  add_limited();
  add_errors();
  violation = chooser.measure_levels(found(), feasibility);
  chooser.name_levels(found(), feasibility, r);
  r.complementarity = violation.largest;
  s_.warn();
  s_.border = "a row or a motor is at its limit";
  if (stands(violation)) return;
  r.status = violation.out_of_reach || (violation.beyond && chooser.limits_contradict()) ? Status::infeasible
                                                                                         : Status::not_converged;
}

/// Holds the rows that were chosen.
void BoundedSolve::hold(bool idle) {
  clear_lists(s_.solution.report);
  s_.problem.reader.release(chooser.release(idle), s_.problem.rows);
  s_.read();
  if (s_.problem.rows.shock != nullptr) RowReader::take_shock(s_.problem.layout, s_.problem.rows);
  chosen_for_ = is_limited() ? 0 : s_.problem.rows.reading;
}

Found BoundedSolve::found() const {
  return {s_.answer.acceleration.data(), s_.numbers.multipliers.data(), s_.numbers.motor_torque.data()};
}

/// Adds to the solution what rows at their limit do, and measures how well all conditions hold.
Violation BoundedSolve::check() {
  if (is_limited()) add_limited();
  add_errors();
  return chooser.measure(found(), s_.settings.feasibility);
}

/// Errors of the rows that are released.
void BoundedSolve::add_errors() {
  const Problem& whole = chooser.whole;
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Index r = whole.rows.row_of[k];
    if (!s_.problem.rows.released[r]) continue;
    const Chooser::Errors e = chooser.errors_of(k, s_.answer.acceleration.data());
    s_.certificate.position_error[r] = e.position;
    s_.certificate.velocity_error[r] = e.velocity;
    s_.certificate.residual[r] = e.residual;
  }
}

void BoundedSolve::add_limited() {
  const Problem& problem = s_.problem;
  const Choice& choice = chooser.choice();
  SolutionNumbers& to = s_.numbers;
  for (Index c = 0; c < problem.layout.count; ++c) {
    const Constraint& of = problem.layout.constraint(c);
    const Index first = problem.layout.first_row_of(c);
    for (Index i = 0; of.active && i < of.size(); ++i) {
      const double lambda = choice.force[first + i];
      if (lambda == 0) continue;
      const double* const row = of.relation != nullptr ? &chooser.whole.rows.as_given[6 * (first + i)]
                                                       : of.rows_on_body->matrix.data() + 6 * i;
      to.multipliers[first + i] = lambda;
      for (Index d = 0; d < 6; ++d) to.wrench[6 * c + d] += row[d] * lambda;
    }
  }
  std::fill_n(torque_.data(), torque_.size(), 0.0);
  choice.add_torques(Role::driver, torque_.data());
  for (Index y = 0; y < torque_.size(); ++y) {
    to.motor_torque[y] += torque_[y];
    to.driver_torque[y] += torque_[y];
  }
  choice.add_torques(Role::physical, to.reaction.data());
  choice.add_torques(Role::physical, torque_.data());
  s_.problem.add_joint_forces(true, true, s_.answer.lambda.data(), torque_.data());
  s_.solution.zwang = chooser.energy(torque_.data());
}

void BoundedSolve::report(const Violation& violation) {
  SolveReport& r = s_.solution.report;
  chooser.name(s_.problem, found(), s_.settings.feasibility, r);
  r.complementarity = violation.largest;
  s_.warn();
  if (r.status == Status::ok && !(violation.largest <= s_.settings.feasibility)) {
    const Index k = chooser.contradicted();
    const bool impossible = k >= 0 || violation.out_of_reach || (violation.beyond && chooser.limits_contradict());
    r.status = impossible ? Status::infeasible : Status::not_converged;
    if (k >= 0 && k < chooser.whole.rows.m) r.infeasible.push_back(chooser.whole.row_name(k));
  }
  s_.border = !r.at_limit.empty() || !r.motors_at_limit.empty() ? "a row or a motor is at its limit"
              : is_limited()     ? "rows depend on each other, and their forces were chosen within limits"
              : !violation.clear ? "a row or a motor with a limit is at the border of its conditions"
                                 : nullptr;
}

}  // namespace zwang
