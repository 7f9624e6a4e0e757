// SPDX-License-Identifier: BSD-3-Clause
#include "solution.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "bind.hpp"
#include "pickled.hpp"
#include "zwang/constraint/rows.hpp"

namespace zwang::python {

// --- rows_result.hpp: what results have in common -------------------------------------------------------------------

RowLayout::RowLayout(const ConstraintSet& set) : version(set.version()) {
  for (const Constraint& c : set.constraints()) {
    parts.push_back({c.name, c.frame, c.in, c.type, c.other, Held(c), c.row_names, rows});
    rows += c.size();
  }
  for (const Joint& j : set.model().joints())
    if (!j.lumped) joints.push_back(j.name);
  for (const ConstraintGroup& g : set.groups()) {
    groups.push_back({g.name, {}});
    for (const Index k : g.members) groups.back().members.push_back(parts[static_cast<std::size_t>(k)].name);
  }
}

bool RowLayout::is_of(const ConstraintSet& set) const {
  if (version != set.version() || groups.size() != set.groups().size()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].held != Held(set.constraints()[k])) return false;
  return true;
}

void RowLayout::check(const Pickled& read) {
  for (Part& part : parts) {
    part.first = rows;
    if (part.row_names.size() > static_cast<std::size_t>(k_most_rows - rows))
      read.refuse("more than " + std::to_string(k_most_rows) + " rows");
    rows += static_cast<Index>(part.row_names.size());
  }
}

std::pair<std::array<Index, 2>, std::size_t> ArrayShape::extents(const RowLayout& layout, Index coordinates) const {
  const auto count = [&] {
    switch (of) {
      case one: return std::size_t(0);
      case nv: return static_cast<std::size_t>(coordinates);
      case rows: return static_cast<std::size_t>(layout.rows);
      case constraints: return layout.parts.size();
      case groups: return layout.groups.size();
      case joints: return layout.joints.size();
    }
    return std::size_t(0);
  };
  return {{static_cast<Index>(count()), columns}, of == one ? 0U : columns == 0 ? 1U : 2U};
}

nb::object number_or_array(Index states, nb::object array) {
  return states < 0 ? nb::object(nb::float_(array)) : array;
}

nb::object part_of(const nb::object& array, Index states, ArrayShape shape, const RowLayout::Part& rows,
                   std::size_t index) {
  const auto at = [&](auto... last) { return nb::object(array[nb::make_tuple(nb::ellipsis(), last...)]); };
  if (shape.of == ArrayShape::rows)
    return at(nb::slice(rows.first, rows.first + static_cast<Index>(rows.row_names.size())));
  if (shape.columns > 0) return at(index, nb::slice(nb::none(), nb::none(), nb::none()));
  return number_or_array(states, at(index));
}

nb::object array_from(const Pickled& read, const char* type, nb::handle given, Index states, ArrayShape shape,
                      const RowLayout& layout, Index& nv) {
  static PyObject* slot;
  if (nv < 0) {
    const nb::object extents = nb::getattr(given, "shape", nb::none());
    if (!PyTuple_Check(extents.ptr()) || nb::len(extents) == 0) read.refuse("its first array is none");
    nv = read.count(extents[nb::len(extents) - 1], 0, std::numeric_limits<Index>::max(), "nv");
  }
  const bool single = states >= 0 && Input::is_single(given);  // of a batch in float32
  const nb::object copy = kept(slot, "numpy", "array")(given, nb::arg("dtype") = single ? "float32" : "float64",
                                                       nb::arg("order") = "C", nb::arg("copy") = true);
  const auto [extent, dimensions] = shape.extents(layout, nv);
  return Output(type, "state", copy, states, std::span(extent.data(), dimensions), single).array;
}

void check_result(const Pickled& read, const char* type, RowsResult& made, bool report_of_each) {
  static PyObject* slot;
  if (made.states < 0 && made.status.is_valid()) read.refuse("one state has no array of status");
  if (made.states >= 0) {
    const nb::object given = made.status.is_valid() ? made.status : nb::none();
    made.status = kept(slot, "numpy", "array")(given, nb::arg("dtype") = "uint8", nb::arg("copy") = true);
    const StatusOutput check(type, made.status, made.states);
  }
  const Index reports = made.states < 0 ? 1 : report_of_each ? made.states : 0;
  if (made.reports.size() != static_cast<std::size_t>(reports)) read.refuse("another number of reports than of states");
  for (const ReportObject& r : made.reports) r.check(read);
}

// --- Solution -------------------------------------------------------------------------------------------------------

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
