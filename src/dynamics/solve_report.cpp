// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/dynamics/solve_report.hpp"

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

}  // namespace

std::string SolveWarning::text() const {
  const std::string name(row);
  switch (kind) {
    case Kind::driver_on_unactuated:
      return "driver rows ask " + number(value) + " of '" + name + "', which has no motor";
    case Kind::contact_pulls: return "'" + name + "' pulls: its multiplier is " + number(value);
    case Kind::moving_contact: return "the point of '" + name + "' moves along it by " + number(value) + " m/s";
  }
  return name;
}

std::string SolveReport::explain() const {
  std::string s;
  switch (status) {
    case Status::overflow: s = "The result is not finite: the numbers of the input leave the range of double."; break;
    case Status::ok:
      if (rows == 0) {
        s = "No row is active: free motion.";
        break;
      }
      s = "All " + std::to_string(rows) + " rows hold (largest relative residual " + number(residual) + "), rank " +
          std::to_string(rank) + ".";
      break;
    case Status::infeasible:
      s = "No motion satisfies all " + std::to_string(rows) + " rows (rank " + std::to_string(rank) +
          "). Not held: " + list(infeasible) + "; they are met in least squares, largest relative residual " +
          number(residual) + ".";
      break;
    case Status::singular_mass:
      s = "Joint '" + std::string(singular_joint) +
          "' moves no inertia: give its link a mass or the joint a rotor inertia.";
      break;
    case Status::non_finite_input:
    case Status::invalid_input:
      s = "The input '" + std::string(invalid) + "' was refused: " +
          (status == Status::non_finite_input ? "an entry is not finite."
           : invalid == "constraints" ? "they were changed, or a beta has a wrong size or an entry that is not finite."
                                      : "its size or its quaternions are wrong.");
      break;
    case Status::not_converged:
      s = "The method stopped before its tolerance, residual " + number(residual) + ".";
      break;
  }
  if (!redundant.empty()) s += " Redundant: " + list(redundant) + "; the multipliers are the smallest that serve.";
  for (const SolveWarning& w : warnings) s += " Note: " + w.text() + ".";
  return s;
}

}  // namespace zwang
