// SPDX-License-Identifier: BSD-3-Clause
// A model as a table, as print(model) shows it.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bind.hpp"

namespace zwang::python {
namespace {

constexpr std::size_t k_rows = 60;  ///< of a long table; the others are only counted

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", x);
  return std::isnan(x) ? "?" : std::isinf(x) ? "-" : text;
}
std::string range_text(Range r) {
  return r.size == 0   ? ""
         : r.size == 1 ? std::to_string(r.first)
                       : std::to_string(r.first) + ".." + std::to_string(r.end() - 1);
}
/// Characters of a UTF-8 text.
std::size_t width(const std::string& s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

using Row = std::vector<std::string>;

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) line += ' ' + row[c] + std::string(widths[c] - width(row[c]) + 1, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += '\n' + line;
  }
  return text;
}

namespace {

Row row_of(const Model& m, const Joint& j) {
  const bool single = j.q.size == 1 && j.v.size == 1 && j.mimic.leader.empty();
  const auto entry = [](const std::vector<double>& x, Range r) { return number(x[static_cast<std::size_t>(r.first)]); };
  std::string remark;
  if (!j.mimic.leader.empty())
    remark = "mimics " + j.mimic.leader;
  else if (j.lumped)
    remark = j.body.value == 0 ? "merged into the ground" : "merged into its parent";
  else if (j.v.size > 0 && !m.actuated()[static_cast<std::size_t>(j.v.first)])
    remark = "no motor";
  return {j.name,
          j.type,
          j.parent ? m.links()[static_cast<std::size_t>(j.parent.value)].name : "world",
          m.links()[static_cast<std::size_t>(j.child.value)].name,
          range_text(j.q),
          range_text(j.v),
          single ? entry(m.lower(), j.q) : "",
          single ? entry(m.upper(), j.q) : "",
          single ? entry(m.effort_limit(), j.v) : "",
          remark};
}

}  // namespace

std::string model_table(const Robot& robot) {
  const Model& m = robot.model;
  std::string text = "Model '" + m.name() + "': " + std::to_string(m.links().size()) + " links, " +
                     std::to_string(m.joints().size()) + " joints, nq = " + std::to_string(m.nq()) +
                     ", nv = " + std::to_string(m.nv()) + ", " + number(m.mass()) + " kg";
  if (m.joints().empty()) return text;
  std::vector<Row> rows{{"joint", "type", "parent", "child", "q", "v", "lower", "upper", "effort", ""}};
  for (std::size_t k = 0; k < std::min(k_rows, m.joints().size()); ++k) rows.push_back(row_of(m, m.joints()[k]));
  text += table(rows);
  if (m.joints().size() > k_rows) text += "\n  ... and " + std::to_string(m.joints().size() - k_rows) + " more joints";
  if (m.loops().empty()) return text;
  std::vector<Row> loops{{"loop closed by", "type", "parent", "child", "rows"}};
  for (std::size_t k = 0; k < std::min(k_rows, m.loops().size()); ++k) {
    const Loop& l = m.loops()[k];
    loops.push_back({l.name, l.type, m.links()[static_cast<std::size_t>(l.parent.value)].name,
                     m.links()[static_cast<std::size_t>(l.child.value)].name,
                     std::to_string(loop_constraint(m, l).rows.size())});
  }
  text += table(loops);
  if (m.loops().size() > k_rows) text += "\n  ... and " + std::to_string(m.loops().size() - k_rows) + " more loops";
  return text;
}

}  // namespace zwang::python
