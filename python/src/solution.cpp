// SPDX-License-Identifier: BSD-3-Clause
#include "solution.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "bind.hpp"
#include "pickled.hpp"

namespace zwang::python {

std::uint64_t stamp_of_rows(const ConstraintSet& set) {
  std::uint64_t sum = set.version();
  for (const Constraint& c : set.constraints())
    sum += c.active.stamp() + c.policy.stamp() + c.compliance.stamp() + c.row_names.stamp();
  return sum;
}

void joint_wrenches(SolverCore& core, const Output& out, Index state) {
  const Status status = core.solver.solution().report.status;
  Eigen::MatrixXd& f = core.wrenches;
  if (status == Status::singular_mass || status == Status::overflow)
    f.setZero();
  else
    core.solver.joint_wrenches(f);
  Index row = 0, column = -1;
  for (const Joint& j : core.solver.model().joints()) {
    ++column;
    if (j.lumped) continue;
    for (Index k = 0; k < 6; ++k) *out.entry(state, row, k) = f(k, column);
    ++row;
  }
}

void list_arrays(RowArrayList<SolutionObject>& v) {
  using T = SolutionObject;
  using X = Solution;
  using C = ConstraintSolution;
  using S = ArrayShape;
  v("acceleration", &T::acceleration, S::nv, &X::acceleration, "q'' [rad/s^2, m/s^2], (nv,)");
  v("multipliers", &T::multipliers, S::rows, &X::multipliers,
    "lambda of all rows in order of insertion; 0 for inactive ones", "lambda, rows as given; 0 where not active");
  v("motor_torque", &T::motor_torque, S::nv, &X::motor_torque,
    "tau + J^T lambda of driver rows [N m, N], (nv,); at prescribed coordinates what moves them so");
  v("reaction", &T::reaction, S::nv, &X::reaction, "J^T lambda of physical rows [N m, N], (nv,)");
  v.late("articulated_constraint_torque", &T::articulated, S::nv, &X::articulated_constraint_torque,
         "w^T lambda, (nv,): KDL's quantity, not a torque to command");
  v.late("residual", &T::residual, S::rows, &X::residual, "K a - beta of all rows",
         "K a - beta, raw (soft rows: -R lambda)");
  v.late("wrench", &T::wrench, {S::constraints, 6}, &C::wrench, nullptr,
         "K^T lambda [force; moment] on the body, axes of in_, about the point; (6,)");
  v.late("zwang", &T::zwang, S::one, &X::zwang, "Z = 1/2 |q'' - q''_free|^2_M [J/s^2]; (N,) of N states");
  v.late("joint_wrenches", &T::wrenches, {S::joints, 6}, {});
  v.late("position_error", &T::position_error, S::rows, &X::position_error,
         "phi - target of all rows; NaN where a row has no position error", "phi - target, as in Solution");
  v.late("velocity_error", &T::velocity_error, S::rows, &X::velocity_error, "phi' - target_velocity of all rows",
         "phi' - target_velocity, as in Solution");
  v.late("power", &T::power, S::constraints, &C::power, nullptr,
         "of its multipliers, sum of lambda phi' [W]; (N,) of N states");
  v.late("group_wrench", &T::group_wrench, {S::groups, 6}, &GroupSolution::wrench);
  v.late("group_power", &T::group_power, S::groups, &GroupSolution::power);
}

void SolutionWriter::finish() {
  out_.states = states_;
  out_.reports.swap(reports_);
  out_.question = nullptr;
}

void SolutionWriter::put(Index k, const Solution& s) {
  out_.solve = states_ < 0 && out_.core ? ++out_.core->solves : 0;
  arrays_.put(k, s);
  joint_wrenches(*out_.core, arrays_[&SolutionObject::wrenches], k);
  reports_[static_cast<std::size_t>(k)].assign(s.report);
}

void SolutionWriter::put_failed(Index k, const SolveReport& report) {
  arrays_.fill(k, std::numeric_limits<double>::quiet_NaN());
  reports_[static_cast<std::size_t>(k)].assign(report);
}

namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}
std::string tiny(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", x);
  return x == 0 ? "0" : text;
}
std::string status_text(const SolveReport& r) {
  return std::string(name_of(r.status)) + ", rank " + std::to_string(r.rank) + " of " + std::to_string(r.rows) +
         " rows, residual " + tiny(r.residual);
}

}  // namespace

std::string report_table(const ReportObject& r) {
  return "SolveReport: " + status_text(r.record) + ", method " + r.record.method;
}

std::string solution_table(const SolutionObject& s) {
  if (s.states >= 0) return "Solution of " + std::to_string(s.states) + " states";
  std::string text = "Solution: " + status_text(s.reports.front().record);
  Exported lambda, residual;
  lambda.open(s.multipliers, PyBUF_STRIDES);
  residual.open(s.residual, PyBUF_STRIDES);
  std::vector<std::vector<std::string>> rows{{"row", "multiplier", "residual"}};
  for (const RowLayout::Part& part : s.layout->parts)
    for (std::size_t i = 0; i < part.row_names.size(); ++i) {
      const std::size_t row = static_cast<std::size_t>(part.first) + i;
      rows.push_back({part.row_names[i], number(static_cast<const double*>(lambda->buf)[row]),
                      tiny(static_cast<const double*>(residual->buf)[row])});
    }
  return s.layout->rows == 0 ? text : text + table(rows);
}

}  // namespace zwang::python
