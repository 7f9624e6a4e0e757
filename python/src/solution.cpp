// SPDX-License-Identifier: BSD-3-Clause
#include "solution.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "bind.hpp"
#include "pickled.hpp"

namespace zwang::python {

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

Output SolutionWriter::make(const char* function, nb::object& array, bool reuse, Index states,
                            std::initializer_list<Index> shape) {
  Output out(function, "out", reuse && array.is_valid() ? nb::handle(array) : nb::handle(nb::none()), states, shape);
  array = out.array;
  return out;
}

SolutionWriter::SolutionWriter(const char* f, SolutionObject& out, bool reuse, Index n)
    : out_(out),
      acceleration_(make(f, out.acceleration, reuse, n, {out.model().nv()})),
      multipliers_(make(f, out.multipliers, reuse, n, {out.layout->rows})),
      motor_torque_(make(f, out.motor_torque, reuse, n, {out.model().nv()})),
      reaction_(make(f, out.reaction, reuse, n, {out.model().nv()})),
      articulated_(make(f, out.articulated, reuse, n, {out.model().nv()})),
      residual_(make(f, out.residual, reuse, n, {out.layout->rows})),
      wrench_(make(f, out.wrench, reuse, n, {static_cast<Index>(out.layout->parts.size()), 6})),
      zwang_(make(f, out.zwang, reuse, n, {})),
      wrenches_(make(f, out.wrenches, reuse, n, {static_cast<Index>(out.layout->joints.size()), 6})),
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
  out_.solve = states_ < 0 && out_.core ? ++out_.core->solves : 0;
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

// --- copies and pickle ----------------------------------------------------------------------------------------------

namespace {

/// The numbers of a Solution: where they are, and their shape for one state.
struct Part {
  nb::object SolutionObject::*array;
  Index shape[2];  ///< -1: no such dimension
};
std::vector<Part> parts_of(const RowLayout& layout, Index nv) {
  using S = SolutionObject;
  const auto size = [](const auto& list) { return static_cast<Index>(list.size()); };
  const Index rows = layout.rows, constraints = size(layout.parts), groups = size(layout.groups);
  return {{&S::acceleration, {nv, -1}},
          {&S::multipliers, {rows, -1}},
          {&S::motor_torque, {nv, -1}},
          {&S::reaction, {nv, -1}},
          {&S::articulated, {nv, -1}},
          {&S::residual, {rows, -1}},
          {&S::wrench, {constraints, 6}},
          {&S::zwang, {-1, -1}},
          {&S::wrenches, {size(layout.joints), 6}},
          {&S::position_error, {rows, -1}},
          {&S::velocity_error, {rows, -1}},
          {&S::power, {constraints, -1}},
          {&S::group_wrench, {groups, 6}},
          {&S::group_power, {groups, -1}}};
}

}  // namespace

SolutionObject SolutionObject::snapshot() {
  complete();
  SolutionObject copy;
  copy.layout = layout;
  copy.states = states;
  for (const Part& part : parts_of(*layout, 0)) copy.*part.array = (this->*part.array).attr("copy")();
  if (status.is_valid()) copy.status = status.attr("copy")();
  copy.reports = reports;
  return copy;
}

nb::tuple state_of(SolutionObject& s) {
  s.complete();
  const RowLayout& layout = *s.layout;
  const auto texts = [](const std::vector<std::string>& all) {
    return tuple_of(all, [](const std::string& x) { return text_of(x); });
  };
  const nb::tuple constraints = tuple_of(layout.parts, [&](const RowLayout::Part& p) {
    return nb::make_tuple(text_of(p.name), text_of(p.frame), text_of(p.in), texts(p.row_names), text_of(p.type),
                          text_of(p.other), static_cast<int>(p.held.role), static_cast<int>(p.held.policy),
                          p.held.priority, p.held.active);
  });
  const nb::tuple groups = tuple_of(
      layout.groups, [&](const RowLayout::Group& g) { return nb::make_tuple(text_of(g.name), texts(g.members)); });
  const nb::tuple arrays = tuple_of(parts_of(layout, 0), [&](const Part& p) { return s.*p.array; });
  const nb::tuple reports = FieldWriter::tuple_of(s.reports);
  return nb::make_tuple(constraints, groups, texts(layout.joints), s.states, arrays,
                        s.status.is_valid() && s.states >= 0 ? s.status : nb::object(nb::none()), reports);
}

SolutionObject solution_from(nb::handle given) {
  static PyObject* slot;
  const nb::handle array = kept(slot, "numpy", "array");
  const Pickled read("Solution");
  const nb::tuple state = read.parts(given, 7, "the state");
  constexpr Index most = std::numeric_limits<Index>::max();
  auto layout = std::make_shared<RowLayout>();
  for (const nb::handle x : read.list(state[0], most, "constraints")) {
    const nb::tuple t = read.parts(x, 10, "a constraint");
    RowLayout::Held held;
    held.role = static_cast<Role>(read.count(t[6], 0, static_cast<Index>(Role::driver), "a role"));
    held.policy = static_cast<Policy>(read.count(t[7], 0, static_cast<Index>(Policy::soft), "a policy"));
    held.priority = read.count(t[8], std::numeric_limits<Index>::min(), most, "a priority");
    held.active = nb::cast<bool>(t[9]);
    layout->parts.push_back({read.text(t[0], "a name"), read.text(t[1], "a frame"), read.text(t[2], "axes"),
                             read.text(t[4], "a type"), read.text(t[5], "a frame"), held,
                             read.texts(t[3], k_most_rows, "names of rows"), layout->rows});
    layout->rows += static_cast<Index>(layout->parts.back().row_names.size());
    if (layout->rows > k_most_rows) read.refuse("more than " + std::to_string(k_most_rows) + " rows");
  }
  for (const nb::handle x : read.list(state[1], most, "groups")) {
    const nb::tuple t = read.parts(x, 2, "a group");
    layout->groups.push_back({read.text(t[0], "a name"), read.texts(t[1], most, "members")});
  }
  layout->joints = read.texts(state[2], most, "joints");
  SolutionObject made;
  made.states = read.count(state[3], -1, most, "the number of states");
  const auto numbers_in = [&](nb::handle x, std::span<const Index> shape) {
    const bool single = made.states >= 0 && Input::is_single(x);  // of a batch in float32
    const nb::object copy =
        array(x, nb::arg("dtype") = single ? "float32" : "float64", nb::arg("order") = "C", nb::arg("copy") = true);
    return Output("Solution", "state", copy, made.states, shape, single).array;
  };
  const nb::tuple arrays = read.parts(state[4], 14, "the numbers");
  const nb::object shape_of_first = nb::getattr(nb::object(arrays[0]), "shape", nb::none());
  if (!PyTuple_Check(shape_of_first.ptr()) || nb::len(shape_of_first) == 0) read.refuse("the acceleration is no array");
  const nb::object last = shape_of_first[nb::len(shape_of_first) - 1];
  const std::vector<Part> parts = parts_of(*layout, read.count(last, 0, most, "nv"));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Index* const shape = parts[k].shape;
    const std::size_t dimensions = shape[0] < 0 ? 0 : shape[1] < 0 ? 1 : 2;
    made.*parts[k].array = numbers_in(arrays[k], std::span(shape, dimensions));
  }
  const std::size_t count = made.states < 0 ? 1 : static_cast<std::size_t>(made.states);
  if (made.states < 0 && !nb::object(state[5]).is_none()) read.refuse("one state has no array of status");
  if (made.states >= 0) {
    made.status = array(state[5], nb::arg("dtype") = "uint8", nb::arg("copy") = true);
    const StatusOutput check("Solution", made.status, made.states);
  }
  const nb::object reports = read.list(state[6], most, "reports");
  if (nb::len(reports) != count) read.refuse("another number of reports than of states");
  for (const nb::handle x : reports) made.reports.push_back(report_from(x));
  made.layout = std::move(layout);
  return made;
}

}  // namespace zwang::python
