// SPDX-License-Identifier: BSD-3-Clause
// Constrained inverse dynamics: what is true of the answer, whatever way it was found.
#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "linear/vectors.hpp"
#include "question/inverse/inverse_parts.hpp"
#include "zwang/core/scalar.hpp"
#include "zwang/core/strips.hpp"

namespace zwang {
namespace {

/// Of coefficients of a dependency: below, they are rounding of zeros.
constexpr double k_no_coefficient = 1e-9;
constexpr double k_cancelled = 64 * epsilon_of<double>;

}  // namespace

/// The rows by their numbers, M a + h = tau + J^T lambda by inverse dynamics.
void InverseParts::check_equations() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  InverseReport& r = solution.report;
  const auto row_residual = [&](Index i) {
    double left = rows.compliance(i) * multipliers[rows.row_of_set(i)] - rows.gamma[i];
    double terms = std::fabs(rows.gamma[i]) + std::fabs(left + rows.gamma[i]) + p.length[i] * p.scale;
    for (Index c = 0; c < n; ++c) {
      left += rows.row(i)[c] * a[c];
      terms += rows.magnitudes(i)[c] * std::fabs(a[c]);
    }
    return terms > 0 ? std::fabs(left) / terms : 0.0;
  };
  for (Index j = 0; j < p.physical_rows; ++j) {
    const double residual = row_residual(p.physical[j]);
    if (residual > settings.feasibility) r.infeasible.push_back(rows.name(p.physical[j]));
    r.residual = std::max(r.residual, residual);
  }
  for (Index k = 0; k < p.soft_rows; ++k) r.residual = std::max(r.residual, row_residual(p.soft[k]));
  double* const needed = work.data();
  needed_torques(a.data(), needed);
  for (Index c = 0; c < n; ++c) {
    double terms = std::fabs(p.h[c]) + std::fabs(tau[c]) + p.scale / p.column[c];
    for (Index d = 0; d < n; ++d) terms += std::fabs(p.M[c * n + d] * a[d]);
    for (Index i = 0; i < rows.rows; ++i) terms += std::fabs(rows.row(i)[c] * multipliers[rows.row_of_set(i)]);
    const double left = std::fabs(needed[c] - tau[c] - reaction[c]);
    if (terms > 0) r.motion = std::max(r.motion, left / terms);
  }
}

void InverseParts::find_missed() {
  const InverseProblem& p = problem;
  const double bound = settings.feasibility * p.scale;
  InverseReport& r = solution.report;
  const std::vector<std::string>& names = rows.problem.state.data.model().coordinate_names();
  for (Index k = 0; k < p.driver_rows; ++k) {
    const Index i = p.driver[k];
    const double left = dot(rows.nv, rows.row(i), a.data()) - rows.gamma[i];
    if (std::fabs(left) * p.inverse[i] > bound) r.missed.push_back({MotionTerm::Kind::row, rows.name(i), left});
  }
  for (Index c = 0; c < rows.nv; ++c) {
    const bool counts = p.weight[c] > 0 && (settings.penalty == 0 || motors.actuated[static_cast<std::size_t>(c)]);
    const double left = a[c] - p.wish[c];
    if (counts && std::fabs(left) / p.column[c] > bound)
      r.missed.push_back({MotionTerm::Kind::demand, names[static_cast<std::size_t>(c)], left});
  }
}

/// A condition that depends on those before it and contradicts them: together they are a minimal set.
void InverseParts::find_conflict(Index row) {
  const InverseProblem& p = problem;
  const Index count = motion_span.dependency(row, 0, work.data());
  double left = conditions.target[row], bound = settings.feasibility * p.scale, largest = 1;
  for (Index k = 0; k < count; ++k) {
    left -= work[k] * conditions.target[motion_span.row_of(k)];
    bound += 256 * epsilon_of<double> * std::fabs(work[k]) * p.scale;
    largest = std::max(largest, std::fabs(work[k]));
  }
  if (!(std::fabs(left) > bound)) return;
  InverseReport& r = solution.report;
  const std::vector<std::string>& names = rows.problem.state.data.model().coordinate_names();
  const double unit = 1 / conditions.scale[row];
  const Index first = static_cast<Index>(r.terms.size());
  const auto add = [&](MotionTerm::Kind kind, std::string_view name, double coefficient) {
    if (r.terms.size() < r.terms.capacity()) r.terms.push_back({kind, name, coefficient});
  };
  const auto add_condition = [&](Index at, double factor) {
    const Condition& x = conditions.of[at];
    if (x.kind == MotionTerm::Kind::row) return add(x.kind, rows.name(x.index), factor * conditions.scale[at]);
    if (x.kind == MotionTerm::Kind::demand)
      return add(x.kind, names[static_cast<std::size_t>(x.index)], factor * conditions.scale[at]);
    const Index carried = force_span.dependency(x.index, 0, more.data()), own = motors.coordinate[x.index];
    const double scale = conditions.scale[at] / p.column[own];
    std::fill(right.begin(), right.end(), 0.0);
    const auto gather = [&](Index equation, double by) {
      motors.each_term(equation, [&](Index c, double entry) { right[c] += by * entry; });
    };
    for (Index k = 0; k < carried; ++k)
      if (std::fabs(more[k]) > k_no_coefficient)
        gather(force_span.row_of(k), -factor * more[k] * scale * p.column[motors.coordinate[force_span.row_of(k)]]);
    gather(x.index, factor * conditions.scale[at]);
    for (Index c = 0; c < rows.nv; ++c)
      if (c != own && right[c] != 0) add(x.kind, names[static_cast<std::size_t>(c)], right[c]);
    add(x.kind, names[static_cast<std::size_t>(own)], right[own]);
  };
  for (Index k = 0; k < count; ++k)
    if (std::fabs(work[k]) > k_no_coefficient * largest) add_condition(motion_span.row_of(k), -work[k] * unit);
  add_condition(row, unit);
  r.conflicts.push_back({first, static_cast<Index>(r.terms.size()) - first, left * unit});
}

/// Along the directions that demands decide, of 1/2 |sqrt(w) (a - a*)|^2_M.
double InverseParts::motion_gradient() {
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  if (settings.penalty > 0 || !p.in_mass) return 0;
  for (Index c = 0; c < n; ++c) work[c] = p.weight[c] * (a[c] - p.wish[c]);
  double worst = 0;
  for (Index k = motion_span.first_of_level(motion_span.levels() - 1); k < motion_span.rank(); ++k) {
    double sum = 0, terms = 0;
    for (Index c = 0; c < n; ++c) {
      const double along = p.weight[c] * p.column[c] * motion_span.basis(k)[c];
      for (Index d = 0; d < n; ++d) {
        sum += along * p.M[c * n + d] * work[d];
        terms += std::fabs(along * p.M[c * n + d]) *
                 (p.weight[d] * (std::fabs(a[d]) + std::fabs(p.wish[d])) + p.scale * p.column[d]);
      }
    }
    if (terms > 0) worst = std::max(worst, std::fabs(sum) / terms);
  }
  return worst;
}

/// Along the directions of lambda that torques see, of 1/2 t |u - u*|^2 + 1/2 f |lambda - lambda*|^2.
double InverseParts::force_gradient(const InverseInput& input) const {
  const InverseProblem& p = problem;
  const Index m = p.physical_rows, nu = motors.count, choices = solution.report.choices;
  double worst = 0;
  for (Index k = force_span.rank() - choices; k < force_span.rank(); ++k) {
    const double* const way = force_span.basis(k);
    double sum = 0, terms = 0;
    for (Index l = 0; l < motors.reach; ++l) {
      const double *const along = motors.along.data() + l * nu, *const pull = p.pull.data() + l * m;
      double slope = 0, slopes = 0;
      for (Index j = 0; j < m; ++j) {
        slope += pull[j] * p.inverse[p.physical[j]] * way[j];
        slopes += std::fabs(pull[j] * p.inverse[p.physical[j]] * way[j]);
      }
      const double y = dot(nu, along, u.data()), wish = dot(nu, along, p.motor_wish.data());
      sum -= settings.torque * slope * (y - wish);
      terms += settings.torque * slopes * (std::fabs(y) + std::fabs(wish) + bounds.motor_scale);
    }
    for (Index j = 0; j < m; ++j) {
      const Index i = p.physical[j], at = rows.row_of_set(i);
      const double along = p.inverse[i] * way[j];
      const double wish = input.force_wish.size() > 0 ? input.force_wish.data()[at] : 0;
      sum += settings.force * along * (multipliers[at] - wish);
      // lambda may be the rounding of larger forces that cancel in it
      const double length = p.length[i], cancelled = length > 0 ? bounds.force_scale / length : 0.0;
      terms += settings.force * std::fabs(along) * (std::fabs(multipliers[at]) + std::fabs(wish) + cancelled);
    }
    if (terms > 0) worst = std::max(worst, std::fabs(sum) / terms);
  }
  return worst;
}

/// Of a cone relative to its own terms, beside the rounding of the forces that cancel in them.
void InverseParts::find_outside() {
  InverseReport& r = solution.report;
  const std::vector<std::string>& names = rows.problem.state.data.model().coordinate_names();
  double largest = 0;
  for (Index j = 0; j < problem.physical_rows; ++j) largest = std::max(largest, std::fabs(lambda[j]));
  for (Index k = 0; k < bounds.count; ++k) {
    const ForceBound& b = bounds.list[k];
    const double left = outside(b), scale = scale_of(b);
    if (b.kind == ForceBound::Kind::open) continue;
    if (b.kind == ForceBound::Kind::cone) {
      const double along_normal = std::fabs(along(b, 0, lambda.data(), u.data(), a.data()));
      if (left > settings.feasibility * (left + 2 * along_normal) + k_cancelled * scale)
        r.outside.push_back(rows.constraint_of(problem.physical[b.at]).name.value());
      if (largest > 0) r.cone = std::max(r.cone, left / largest);
      continue;
    }
    if (scale > 0) r.bound = std::max(r.bound, left / scale);
    if (left > settings.feasibility * scale)
      r.beyond.push_back(b.kind == ForceBound::Kind::motor
                             ? std::string_view(motors.names[static_cast<std::size_t>(b.at)])
                         : b.kind == ForceBound::Kind::effort ? std::string_view(names[static_cast<std::size_t>(b.at)])
                                                              : rows.name(problem.physical[b.at]));
  }
}

void InverseParts::name_pulling() {
  const InverseProblem& p = problem;
  for (Index j = 0; j < p.physical_rows; ++j) {
    const Constraint& x = rows.constraint_of(p.physical[j]);
    const bool last = j + 1 == p.physical_rows || &rows.constraint_of(p.physical[j + 1]) != &x;
    const bool pushes = sense_of(p.physical[j]) == Sense::at_least;  // is in `beyond`, or does not pull
    if (x.unilateral && last && !pushes && multipliers[rows.row_of_set(p.physical[j])] < 0)
      solution.report.pulling.push_back(x.name.value());
  }
}

void InverseParts::certify(const InverseInput& input) {
  InverseReport& r = solution.report;
  const InverseProblem& p = problem;
  const Index n = rows.nv;
  if (!all_finite(n, a.data()) || !all_finite(n, tau.data()) || !all_finite(n, reaction.data()) ||
      !all_finite(multipliers.size(), multipliers.data()))
    return refuse(Status::overflow, {});
  r.rows = p.physical_rows;
  r.motors = motors.count;
  check_equations();
  r.optimality = std::max(bounds.demands_give_way ? 0.0 : motion_gradient(),
                          bounds.active ? bounds.program.residual() : force_gradient(input));
  find_outside();
  find_missed();
  bool holds = true;
  for (Index i = 0; i < motion_span.rows(); ++i) {
    const Condition& x = conditions.of[i];
    if (x.kind == MotionTerm::Kind::motion && !(std::fabs(conditions.met[i] - conditions.target[i]) <=
                                                settings.feasibility * (p.scale + std::fabs(conditions.target[i])))) {
      holds = false;
      r.singular_joint =
          rows.problem.state.data.model().coordinate_names()[static_cast<std::size_t>(motors.coordinate[x.index])];
    }
    if (motion_span.counts(i)) continue;
    if (x.kind == MotionTerm::Kind::row && rows.constraint_of(x.index).role == Role::physical)
      r.redundant.push_back(rows.name(x.index));
    find_conflict(i);
  }
  name_pulling();
  name_senses();
  const bool unbound = !r.outside.empty() || !r.beyond.empty();
  if (unbound && bounds.outcome == dense::ConeOutcome::infeasible) find_minimal_set();
  const bool undecided = unbound && bounds.outcome != dense::ConeOutcome::infeasible;
  const bool exact = !undecided && r.motion <= settings.feasibility && r.optimality <= settings.feasibility &&
                     (r.residual <= settings.feasibility || !r.infeasible.empty());
  r.status = !holds                                                                             ? Status::singular_mass
             : !exact                                                                           ? Status::not_converged
             : !r.infeasible.empty() || unbound || (settings.penalty == 0 && !r.missed.empty()) ? Status::infeasible
                                                                                                : Status::ok;
}

}  // namespace zwang
