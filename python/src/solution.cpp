// SPDX-License-Identifier: BSD-3-Clause
#include "solution.hpp"

#include <cstdio>
#include <limits>

#include "bind.hpp"

namespace zwang::python {

std::string_view ReportObject::own(std::string_view name) {
  return name.empty() ? std::string_view() : names_.emplace_back(name);
}

void ReportObject::assign(const SolveReport& r) {
  names_.clear();
  report = r;
  for (std::string_view& name : report.redundant) name = own(name);
  for (std::string_view& name : report.infeasible) name = own(name);
  for (GivenUp& g : report.given_up) g.row = own(g.row);
  for (DependencyTerm& t : report.terms) t.row = own(t.row);
  for (SolveWarning& w : report.warnings) w.row = own(w.row), w.coordinate = own(w.coordinate);
  report.singular_joint = own(report.singular_joint);
  report.invalid = own(report.invalid);
}

RowLayout::RowLayout(const ConstraintSet& set) : version(set.version()) {
  for (const Constraint& c : set.constraints()) {
    parts.push_back({c.name, c.frame, c.in, c.row_names, rows});
    rows += c.size();
  }
  for (const ConstraintGroup& g : set.groups()) {
    groups.push_back({g.name, {}});
    for (const Index k : g.members) groups.back().members.push_back(parts[static_cast<std::size_t>(k)].name);
  }
}

Index wrench_count(const Model& model) {
  Index n = 0;
  for (const Joint& j : model.joints()) n += j.lumped ? 0 : 1;
  return n;
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

Output SolutionWriter::make(const char* function, nb::object& array, bool reuse, Index states,
                            std::initializer_list<Index> shape) {
  Output out(function, "out", reuse && array.is_valid() ? nb::handle(array) : nb::handle(nb::none()), states, shape);
  array = out.array;
  return out;
}

SolutionWriter::SolutionWriter(const char* f, SolutionObject& out, bool reuse, Index n)
    : out_(out),
      acceleration_(make(f, out.acceleration, reuse, n, {out.robot.model.nv()})),
      multipliers_(make(f, out.multipliers, reuse, n, {out.layout->rows})),
      motor_torque_(make(f, out.motor_torque, reuse, n, {out.robot.model.nv()})),
      reaction_(make(f, out.reaction, reuse, n, {out.robot.model.nv()})),
      articulated_(make(f, out.articulated, reuse, n, {out.robot.model.nv()})),
      residual_(make(f, out.residual, reuse, n, {out.layout->rows})),
      wrench_(make(f, out.wrench, reuse, n, {static_cast<Index>(out.layout->parts.size()), 6})),
      zwang_(make(f, out.zwang, reuse, n, {})),
      wrenches_(make(f, out.wrenches, reuse, n, {wrench_count(out.robot.model), 6})),
      position_error_(make(f, out.position_error, reuse, n, {out.layout->rows})),
      velocity_error_(make(f, out.velocity_error, reuse, n, {out.layout->rows})),
      power_(make(f, out.power, reuse, n, {static_cast<Index>(out.layout->parts.size())})),
      group_wrench_(make(f, out.group_wrench, reuse, n, {static_cast<Index>(out.layout->groups.size()), 6})),
      group_power_(make(f, out.group_power, reuse, n, {static_cast<Index>(out.layout->groups.size())})) {
  states_ = n;
  reports_.resize(static_cast<std::size_t>(n < 0 ? 1 : n));
}

void SolutionWriter::finish() {
  out_.states = states_;
  out_.reports.swap(reports_);
  out_.question = nullptr;
}

void SolutionWriter::put(Index k, const Solution& s) {
  acceleration_.put(k, s.acceleration.data());
  motor_torque_.put(k, s.motor_torque.data());
  reaction_.put(k, s.reaction.data());
  articulated_.put(k, s.articulated_constraint_torque.data());
  multipliers_.put(k, s.multipliers.data());
  residual_.put(k, s.residual.data());
  zwang_.put(k, s.zwang);
  Index c = 0;
  for (const RowLayout::Part& part : out_.layout->parts) {
    const ConstraintSolution one = s[part.name];
    for (Index i = 0; i < 6; ++i) *wrench_.entry(k, c, i) = one.wrench[i];
    *power_.entry(k, c++, 0) = one.power;
  }
  position_error_.put(k, s.position_error.data());
  velocity_error_.put(k, s.velocity_error.data());
  Index g = 0;
  for (const RowLayout::Group& group : out_.layout->groups) {
    const GroupSolution one = s.group(group.name);
    for (int i = 0; i < 6; ++i) *group_wrench_.entry(k, g, i) = one.wrench[i];
    *group_power_.entry(k, g++, 0) = one.power;
  }
  joint_wrenches(*out_.core, wrenches_, k);
  reports_[static_cast<std::size_t>(k)].assign(s.report);
}

void SolutionWriter::put_failed(Index k, const SolveReport& report) {
  for (const Output* out :
       {&acceleration_, &multipliers_, &motor_torque_, &reaction_, &articulated_, &residual_, &wrench_, &zwang_,
        &wrenches_, &position_error_, &velocity_error_, &power_, &group_wrench_, &group_power_})
    out->fill(k, std::numeric_limits<double>::quiet_NaN());
  reports_[static_cast<std::size_t>(k)].assign(report);
}

void SolutionWriter::refuse_overlap(const char* function, const Input& input) const {
  for (const Output* out :
       {&acceleration_, &multipliers_, &motor_torque_, &reaction_, &articulated_, &residual_, &wrench_, &zwang_,
        &position_error_, &velocity_error_, &power_, &group_wrench_, &group_power_})
    out->refuse_overlap(function, input.memory(), input.name());
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
  return "SolveReport: " + status_text(r.report) + ", method " + r.report.method;
}

std::string solution_table(const SolutionObject& s) {
  if (s.states >= 0) return "Solution of " + std::to_string(s.states) + " states";
  std::string text = "Solution: " + status_text(s.reports.front().report);
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
