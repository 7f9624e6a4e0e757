// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "zwang/model/data_size.hpp"

namespace zwang::cli {
namespace {

/// Columns that a UTF-8 text takes, counting one per character.
std::size_t width(const std::string& s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Decimals that show six digits of the largest entry, or -1 where a power of ten is needed.
int decimals(const std::vector<double>& x) {
  double largest = 0;
  for (const double v : x) largest = std::isfinite(v) ? std::max(largest, std::fabs(v)) : largest;
  if (largest == 0) return 1;
  const int magnitude = static_cast<int>(std::floor(std::log10(largest)));
  return magnitude < -4 || magnitude > 7 ? -1 : std::clamp(5 - magnitude, 1, 8);
}
std::string fixed(double x, int decimals) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  if (decimals < 0) return fmt::format("{:.5e}", x);
  const std::string s = fmt::format("{:.{}f}", x, decimals);
  const bool zero = s.find_first_of("123456789") == std::string::npos;
  return zero && s[0] == '-' ? s.substr(1) : s;  // no minus sign before a zero
}

std::string tiny(double x) { return x == 0 ? "0" : fmt::format("{:.1e}", x); }

/// In lines of at most 118 columns, broken between words, two columns in.
std::string paragraph(const std::string& text) {
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && width(line) + 1 + width(word) > 116) {
      out += "  " + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return out + "  " + line + '\n';
}

std::string bound(const std::vector<double>& limits, Range range, Index k) {
  const double x = limits[static_cast<std::size_t>(range.first + k)];
  return std::isnan(x) ? "?" : std::isinf(x) ? "-" : fmt::format("{:.5g}", x);
}
std::string range_text(Range r) {
  return r.size == 0 ? "" : r.size == 1 ? fmt::format("{}", r.first) : fmt::format("{}..{}", r.first, r.end() - 1);
}

std::vector<double> entries(VectorView v) { return {v.data(), v.data() + v.size()}; }

std::string remark(const Model& model, const Joint& joint) {
  if (!joint.mimic.leader.empty())
    return fmt::format("mimics {}: {:.6g} q {:+.6g}", joint.mimic.leader, joint.mimic.multiplier, joint.mimic.offset);
  if (joint.lumped) return joint.body.value == 0 ? "merged into the ground" : "merged into its parent";
  if (joint.v.size > 0 && !model.actuated()[static_cast<std::size_t>(joint.v.first)]) return "no motor";
  return "";
}

std::string joints_table(const Model& model) {
  std::vector<std::string> name, type, parent, child, q, v, lower, upper, velocity, effort, remarks;
  for (const Joint& j : model.joints()) {
    // A row per joint; the limits of several coordinates would need rows of their own and are in --json.
    const bool single = j.q.size == 1 && j.v.size == 1 && j.mimic.leader.empty();
    name.push_back(j.name);
    type.push_back(j.type);
    parent.push_back(j.parent ? model.links()[static_cast<std::size_t>(j.parent.value)].name : "world");
    child.push_back(model.links()[static_cast<std::size_t>(j.child.value)].name);
    q.push_back(range_text(j.q));
    v.push_back(range_text(j.v));
    lower.push_back(single ? bound(model.lower(), j.q, 0) : "");
    upper.push_back(single ? bound(model.upper(), j.q, 0) : "");
    velocity.push_back(single ? bound(model.velocity_limit(), j.v, 0) : "");
    effort.push_back(single ? bound(model.effort_limit(), j.v, 0) : "");
    remarks.push_back(remark(model, j));
  }
  return Table()
      .text("joint", name)
      .text("type", type)
      .text("parent", parent)
      .text("child", child)
      .text("q", q)
      .text("v", v)
      .text("lower [rad, m]", lower)
      .text("upper", upper)
      .text("speed [rad/s, m/s]", velocity)
      .text("effort [N m, N]", effort)
      .text("", remarks)
      .str();
}

std::string links_table(const Model& model) {
  std::vector<std::string> name, parent, body;
  std::vector<double> mass, x, y, z, ixx, iyy, izz;
  for (const Link& l : model.links()) {
    name.push_back(l.name);
    parent.push_back(l.parent ? model.links()[static_cast<std::size_t>(l.parent.value)].name : "");
    body.push_back(l.body.value == 0 ? "ground" : fmt::format("{}", l.body.value));
    mass.push_back(l.mass);
    x.push_back(l.centre.x), y.push_back(l.centre.y), z.push_back(l.centre.z);
    ixx.push_back(l.inertia.xx), iyy.push_back(l.inertia.yy), izz.push_back(l.inertia.zz);
  }
  return Table()
      .text("link", name)
      .text("parent", parent)
      .text("body", body)
      .numbers("mass [kg]", mass)
      .numbers("centre x [m]", x)
      .numbers("y", y)
      .numbers("z", z)
      .numbers("Ixx [kg m²]", ixx)
      .numbers("Iyy", iyy)
      .numbers("Izz", izz)
      .str();
}

std::string loops_table(const Model& model) {
  std::vector<std::string> name, type, parent, child, rows;
  for (const Loop& loop : model.loops()) {
    const LoopConstraint c = loop_constraint(model, loop);
    name.push_back(loop.name);
    type.push_back(loop.type);
    parent.push_back(model.links()[static_cast<std::size_t>(loop.parent.value)].name);
    child.push_back(model.links()[static_cast<std::size_t>(loop.child.value)].name);
    rows.push_back(fmt::format("{}", c.rows.size()));
  }
  return Table()
      .text("loop closed by", name)
      .text("type", type)
      .text("parent", parent)
      .text("child", child)
      .right("rows", rows)
      .str();
}

/// Policies and levels are shown where one of them is not the default.
std::string rows_table(const ConstraintSet& constraints, const Solution& s) {
  std::vector<std::string> row, role, policy, level;
  std::vector<double> lambda, residual;
  bool policies = false, levels = false;
  for (const Constraint& c : constraints.constraints()) {
    const ConstraintSolution part = s[c.name];
    policies = policies || c.policy != Policy::hard;
    levels = levels || c.priority != 0;
    for (Index k = 0; k < c.size(); ++k) {
      row.push_back(c.row_names[static_cast<std::size_t>(k)]);
      role.push_back(c.active ? name_of(c.role) : "inactive");
      policy.push_back(name_of(c.policy));
      level.push_back(fmt::format("{}", c.priority.value()));
      lambda.push_back(part.multipliers[k]);
      residual.push_back(part.residual[k]);
    }
  }
  Table table;
  table.text("row", row).text("role", role);
  if (policies) table.text("policy", policy);
  if (levels) table.right("priority", level);
  return table.numbers("multiplier [N, N m]", lambda).tiny("residual [m/s², rad/s²]", residual).str();
}

}  // namespace

Table& Table::text(const std::string& header, const std::vector<std::string>& cells) {
  const bool empty = std::all_of(cells.begin(), cells.end(), [](const std::string& c) { return c.empty(); });
  if (!empty) columns_.push_back({header, cells, false});
  return *this;
}
Table& Table::numbers(const std::string& header, const std::vector<double>& cells) {
  const int digits = decimals(cells);
  columns_.push_back({header, {}, true});
  for (const double x : cells) columns_.back().cells.push_back(fixed(x, digits));
  return *this;
}
Table& Table::right(const std::string& header, const std::vector<std::string>& cells) {
  columns_.push_back({header, cells, true});
  return *this;
}
Table& Table::tiny(const std::string& header, const std::vector<double>& cells) {
  columns_.push_back({header, {}, true});
  for (const double x : cells) columns_.back().cells.push_back(cli::tiny(x));
  return *this;
}

std::string Table::str() const {
  std::string out;
  const std::size_t rows = columns_.empty() ? 0 : columns_.front().cells.size();
  std::vector<std::size_t> widths;
  for (const Column& c : columns_) {
    std::size_t w = width(c.header);
    for (const std::string& cell : c.cells) w = std::max(w, width(cell));
    widths.push_back(w);
  }
  for (std::size_t row = 0; row <= rows; ++row) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = row == 0 ? columns_[c].header : columns_[c].cells[row - 1];
      const std::string fill(widths[c] - width(cell), ' ');
      line += "  " + (columns_[c].right ? fill + cell : cell + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string model_table(const Model& model) {
  const Vec3<double>& g = model.gravity();
  return fmt::format(
             "{}: {} links, {} joints, {} moving bodies, nq {}, nv {}, {:.6g} kg, gravity ({:g}, {:g}, {:g}) m/s²\n\n",
             model.name(), model.links().size(), model.joints().size(), model.bodies(), model.nq(), model.nv(),
             model.mass(), g.x, g.y, g.z) +
         (model.joints().empty() ? std::string() : joints_table(model) + "  (limits: - none, ? unknown)\n\n") +
         links_table(model) + (model.loops().empty() ? std::string() : '\n' + loops_table(model));
}

std::string data_line(const Model& model) {
  const std::size_t bytes = bytes_of(Data(model));
  const std::string each =
      model.bodies() == 0 ? "" : fmt::format(", {} a moving body", bytes / static_cast<std::size_t>(model.bodies()));
  return fmt::format("\nData: {} bytes{}\n", bytes, each);
}

std::string configuration_table(const Model& model, VectorView q) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (Index k = 0; k < model.nq(); ++k)
    for (const Joint& j : model.joints()) {
      if (!j.mimic.leader.empty() || k < j.q.first || k >= j.q.end()) continue;
      names.push_back(j.q.size == 1 ? j.name : j.name + ".q[" + std::to_string(k - j.q.first) + "]");
      numbers.push_back(q[k]);
    }
  return Table().text("coordinate", names).numbers("q [rad, m]", numbers).str();
}

std::string coordinate_table(const Model& model, const std::string& header, VectorView values) {
  return Table().text("coordinate", model.coordinate_names()).numbers(header, entries(values)).str();
}

std::string solution_table(const Problem& p, const Solution& s) {
  std::vector<std::string> prescribed(p.model.coordinate_names().size());
  for (const PrescribedCoordinate& c : p.prescribed) prescribed[static_cast<std::size_t>(c.v)] = "prescribed";
  std::string out = Table()
                        .text("coordinate", p.model.coordinate_names())
                        .numbers("acceleration [rad/s², m/s²]", entries(s.acceleration))
                        .numbers("motor torque [N m, N]", entries(s.motor_torque))
                        .numbers("reaction [N m, N]", entries(s.reaction))
                        .text("", prescribed)
                        .str();
  if (p.constraints.rows() > 0) out += '\n' + rows_table(p.constraints, s);
  const SolveReport& r = s.report;
  out += fmt::format("\n  rank {} of {}, residual {:.1e} (relative), zwang {:.6g}, {}, {}, {}\n", r.rank,
                     counted(r.rows, "row"), r.residual, s.zwang, r.method, r.singularity, name_of(r.status));
  out += paragraph(r.explain());
  return out;
}

std::string impulse_table(const Problem& p, const Impulse& x) {
  std::vector<std::string> prescribed(p.model.coordinate_names().size());
  for (const PrescribedCoordinate& c : p.prescribed) prescribed[static_cast<std::size_t>(c.v)] = "prescribed";
  std::string out = Table()
                        .text("coordinate", p.model.coordinate_names())
                        .numbers("before [rad/s, m/s]", entries(VectorView(p.v.data(), p.v.size())))
                        .numbers("after [rad/s, m/s]", entries(x.velocity))
                        .numbers("motor impulse [N m s, N s]", entries(x.motor_impulse))
                        .numbers("reaction [N m s, N s]", entries(x.reaction))
                        .text("", prescribed)
                        .str();
  std::vector<std::string> row, name;
  std::vector<double> lambda, restitution, energy;
  for (const Constraint& c : p.constraints.constraints()) {
    name.push_back(c.name);
    energy.push_back(x[c.name].energy);
    for (const std::string& r : c.row_names.value()) row.push_back(r + (c.active ? "" : " (inactive)"));
  }
  if (!row.empty()) {
    out += '\n' + Table()
                      .text("row", row)
                      .numbers("restitution", p.restitution)
                      .numbers("before [m/s, rad/s]", entries(x.velocity_before))
                      .numbers("after [m/s, rad/s]", entries(x.velocity_after))
                      .numbers("impulse [N s, N m s]", entries(x.multipliers))
                      .str();
    out += '\n' + Table().text("constraint", name).numbers("work on the robot [J]", energy).str();
  }
  const SolveReport& r = x.report;
  out += fmt::format("\n  kinetic energy {:.6g} J before, {:.6g} J after; {}\n", x.energy_before, x.energy_after,
                     name_of(p.impact));
  out += fmt::format("  rank {} of {}, residual {:.1e} (relative), {}, {}, {}\n", r.rank, counted(r.rows, "row"),
                     r.residual, r.method, r.singularity, name_of(r.status));
  return out + paragraph(r.explain());
}

std::string methods_table(const std::vector<MethodResult>& results) {
  std::vector<std::string> method, singularity, status, rank, residual, difference, zwang, time, reason;
  for (const MethodResult& m : results) {
    const bool done = m.refused.empty();
    method.push_back(m.method);
    singularity.push_back(m.singularity);
    status.push_back(done ? name_of(m.status) : "unsupported");
    rank.push_back(done ? fmt::format("{} of {}", m.rank, m.rows) : "-");
    residual.push_back(done ? tiny(m.residual) : "-");
    difference.push_back(done ? tiny(m.difference) : "-");
    zwang.push_back(done ? fmt::format("{:.6g}", m.zwang) : "-");
    time.push_back(done ? fmt::format("{:.2f}", m.microseconds) : "-");
    reason.push_back(printable(m.refused, 200));
  }
  return Table()
      .text("method", method)
      .text("singularity", singularity)
      .text("status", status)
      .text("rank", rank)
      .right("residual", residual)
      .right("difference", difference)
      .right("zwang", zwang)
      .right("time [µs]", time)
      .text("", reason)
      .str();
}

}  // namespace zwang::cli
