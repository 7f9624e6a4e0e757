// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/question/assembly_report.hpp"

#include <cstdio>

namespace zwang {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  for (char& c : text)
    if (c == ',') c = '.';  // a host program may have set a locale with another decimal sign
  return text;
}
std::string list(const std::vector<std::string_view>& names) {
  std::string s;
  for (const std::string_view& n : names) s += (s.empty() ? "" : ", ") + std::string(n);
  return s;
}
std::string count(Index n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

std::string AssemblyReport::explain() const {
  std::string s;
  if (status == Status::singular_mass) return "The mass matrix is singular: kinetic lengths of steps do not exist.";
  if (status == Status::overflow) return "Numbers leave the range of double.";
  const bool of_velocities = velocity_rows > 0 && rows == velocity_rows && evaluations == 0;
  if (status == Status::ok) {
    s = "All " + count(rows, "row") + " hold: residual " + number(of_velocities ? velocity_residual : residual) +
        ", rank " + std::to_string(rank) + ".";
    if (!of_velocities) s += " " + count(iterations, "step") + ", distance " + number(distance) + ".";
    if (attempt > 0) s += " From q0 the rows did not meet; they do from random start " + std::to_string(attempt) + ".";
    if (!nearest)
      s += " The point is not shown to be the nearest: along the rows its gradient is still " + number(stationarity) +
           ".";
  } else {
    s = std::to_string(unmet.size()) + " of " + count(rows, "row") + " do not hold: " + list(unmet) + "; residual " +
        number(unmet.empty() || of_velocities ? velocity_residual : residual) + ".";
    s += status == Status::infeasible ? " No small motion brings them nearer (gradient " + number(gradient) + ")."
                                      : " The search ended before that was certain (gradient " + number(gradient) +
                                            "; " + count(iterations, "step") + ").";
  }
  if (!redundant.empty()) s += " Redundant: " + list(redundant) + ".";
  if (!held.empty()) s += " Rows with a sense that hold as equalities: " + list(held) + ".";
  if (!released.empty()) s += " Open: " + list(released) + ".";
  if (!at_limit.empty()) s += " At a limit: " + list(at_limit) + ".";
  if (!of_velocities && conditioning < 1e-4)
    s += " The configuration is nearly singular: the smallest angle between rows is " + number(conditioning) + ".";
  if (!without_position.empty()) s += " Without a position to reach: " + list(without_position) + ".";
  return s;
}

}  // namespace zwang
