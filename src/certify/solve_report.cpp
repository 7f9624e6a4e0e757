// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/certify/solve_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/words.hpp"
#include "factor/method.hpp"

namespace zwang {
namespace {

using words::list;
using words::number;

}  // namespace

std::string SolveWarning::text() const {
  const std::string name(row), at(coordinate);
  switch (kind) {
    case Kind::driver_on_unactuated:
      return "driver row '" + name + "' leans on '" + at + "', which has no motor: driver rows ask " + number(value) +
             " of it";
    case Kind::contact_pulls: return "'" + name + "' pulls: its multiplier is " + number(value);
    case Kind::position_violates:
      return "the configuration violates '" + name + "': it is open by " + number(value) +
             ", and no time_constant closes it";
    case Kind::velocity_violates:
      return "the velocity violates '" + name + "': the state moves along it by " + number(value);
    case Kind::massless_joint: return "'" + at + "' moves no inertia; the rows alone determine it";
    case Kind::prescribed_on_unactuated:
      return "'" + at + "' is prescribed and has no motor: its motion needs " + number(value) + " there beyond tau";
    case Kind::energy_grows:
      return "energy grows by " + number(value) +
             " J in the rows: their numbers of restitution cannot belong to one impact without motors";
    case Kind::no_compression:
      return "the compression of '" + name + "' gives " + number(value) +
             " J and takes nothing: its rows are held, without restitution";
    case Kind::motor_beyond_limit:
      return "the motor of '" + at + "' gives " + number(value) +
             " more than its limit, and no driver row changes that";
    case Kind::contact_enters:
      return "'" + name + "' leaves the impact into what it touches, with " + number(value) +
             ": give it sense = at_least, or restitution where it hits";
    case Kind::beyond_effort:
      return "the motor of '" + at + "' would have to give " + number(value) +
             " times its effort limit; motor_limits keeps motors within theirs";
  }
  return name;
}

namespace {

/// The sentence about rows that depend on each other.
std::string dependency_text(const SolveReport& r, const Dependency& d) {
  std::string sum;
  for (const DependencyTerm& t : r.terms_of(d)) {
    const std::string size = number(std::fabs(t.coefficient));
    sum += sum.empty() ? (t.coefficient < 0 ? "-" : "") : (t.coefficient < 0 ? " - " : " + ");
    sum += (size == "1" ? "" : size + " ") + std::string(t.row);
  }
  if (d.size == 1) {
    return d.conflicting ? " Row " + sum + " cannot be moved at all and is asked for " + number(d.contradiction) + "."
                         : " Row " + sum + " cannot be moved at all.";
  }
  return " No motion changes " + sum + (d.conflicting ? ", which the rows ask to be " + number(d.contradiction) : "") +
         ".";
}

/// Why the rows were eliminated at this place.
std::string place_text(const SolveReport& r) {
  const PlaceOfRows& p = r.place;
  switch (p.reason) {
    case PlaceOfRows::Reason::asked:
    case PlaceOfRows::Reason::own_paths:
    case PlaceOfRows::Reason::few_rows: break;
    case PlaceOfRows::Reason::estimated:
      return std::string(" Chosen: ") + r.method + " (estimates: " + number(p.root) + " us at the root, " +
             number(p.where_met) + " where they meet, " + number(p.early) + " early, " + number(p.loops) +
             " by loop_aba).";
    case PlaceOfRows::Reason::dependent: return " The rows went to the root, where dependent ones are told apart.";
    case PlaceOfRows::Reason::settings: return " The rows went to the root, as the settings or mimic joints ask.";
  }
  return {};
}

/// A warning as a sentence. If the state violates several rows of one constraint, only the worst is reported.
std::string note_text(const SolveReport& r, const SolveWarning& w) {
  using Kind = SolveWarning::Kind;
  const auto constraint_of = [](std::string_view row) { return row.substr(0, row.rfind(':')); };
  std::string of;
  if (w.kind == Kind::position_violates || w.kind == Kind::velocity_violates) {
    const SolveWarning* worst = nullptr;
    int count = 0;
    for (const SolveWarning& other : r.warnings) {
      if (other.kind != w.kind || constraint_of(other.row) != constraint_of(w.row)) continue;
      ++count;
      if (worst == nullptr || std::fabs(other.value) > std::fabs(worst->value)) worst = &other;
    }
    if (worst != &w) return {};
    if (count > 1) of = " (the most of its " + std::to_string(count) + " rows)";
  }
  return " Note: " + w.text() + of + ".";
}

}  // namespace

std::span<const DependencyTerm> SolveReport::terms_of(const Dependency& d) const {
  return {terms.data() + d.first, static_cast<std::size_t>(d.size)};
}

std::string SolveReport::explain() const {
  std::string s;
  Index missed = 0;  // those that give way to a limit are not among `rows`
  for (const GivenUp& g : given_up) missed += g.reason != GivenUp::Reason::limit;
  switch (status) {
    case Status::overflow: s = "The result is not finite: the numbers of the input leave the range of double."; break;
    case Status::not_differentiable: s = "The solution has no derivative here."; break;
    case Status::drifted: s = "The rows of a motion do not hold at its end."; break;
    case Status::stopped: s = "The caller stopped the computation before it was done."; break;
    case Status::ok:
      if (rows == 0) {
        s = released.empty() && at_limit.empty() && given_up.empty() ? "No row is active: free motion."
                                                                     : "No row is held.";
        break;
      }
      s = (missed == 0 ? (rows == 1 ? "The" : "All " + std::to_string(rows))
                       : std::to_string(rows - missed) + " of " + std::to_string(rows)) +
          (rows == 1 ? " row holds" : " rows hold") + " (largest relative residual " + number(residual) + "), rank " +
          std::to_string(rank) + ".";
      break;
    case Status::infeasible:
      if (infeasible.empty()) {
        s = "No forces of the rows keep the motors within their limits.";
        break;
      }
      s = "No motion satisfies " +
          (rows == 0   ? "the rows"
           : rows == 1 ? "the row (rank " + std::to_string(rank) + ")"
                       : "all " + std::to_string(rows) + " rows (rank " + std::to_string(rank) + ")") +
          ". Not held: " + list(infeasible) + "; they are met in least squares, largest relative residual " +
          number(residual) + ".";
      break;
    case Status::singular_mass:
      s = "Joint '" + std::string(singular_joint) +
          "' moves no inertia: give its link a mass or the joint a rotor inertia, or hold it by rows.";
      break;
    case Status::non_finite_input:
    case Status::invalid_input:
      s = "The input '" + std::string(invalid) + "' was refused: " +
          (status == Status::non_finite_input ? "an entry is not finite."
           : invalid == "constraints"         ? "they or the settings were changed to something that cannot be solved."
           : invalid == "solver"              ? "it was moved from, or is solving already."
           : invalid == "restitution"         ? "it is a number in [0, 1], for all rows or for each."
           : invalid == "model"
               ? "there is no such restitution, not for these settings, or not with these numbers for one constraint."
           : invalid == "prescribed" ? "it names a coordinate twice or one that is not there, or is not finite."
                                     : "its size or its quaternions are wrong.");
      break;
    case Status::not_converged:
      s = iterations > 1 ? "The method stopped before its tolerance after " + std::to_string(iterations) +
                               " iterations, residual " + number(residual) + "."
                         : "Not certified: the motion may miss the best that a level of its rows allows by more than "
                           "rounding explains, residual " +
                               number(residual) + ".";
      break;
  }
  const auto tell = [&](const std::vector<std::string_view>& names, const char* what) {
    if (!names.empty()) s += std::string(" ") + what + list(names) + ".";
  };
  const auto is_missed = [&](std::string_view row) {
    return std::any_of(given_up.begin(), given_up.end(), [&](const GivenUp& g) { return g.row == row; }) ||
           std::find(infeasible.begin(), infeasible.end(), row) != infeasible.end();
  };
  std::vector<std::string_view> holding;  // rows that press against their side and are missed are told below
  std::copy_if(held.begin(), held.end(), std::back_inserter(holding), [&](auto row) { return !is_missed(row); });
  tell(holding, "Of the rows with a sense or a limit, held: ");
  tell(released, holding.empty() ? "Of the rows with a sense or a limit, let go: " : "Let go: ");
  tell(at_limit, "At their limit, and giving way: ");
  tell(motors_at_limit, "Motors at their limit: ");
  for (const GivenUp& g : given_up) {
    const char* why = g.reason == GivenUp::Reason::priority  ? " gives way to rows of higher priority by "
                      : g.reason == GivenUp::Reason::damping ? " is missed, for the damping, by "
                      : g.reason == GivenUp::Reason::limit   ? " gives way to a limit by "
                                                             : " is missed by ";
    s += " " + std::string(g.row) + why + number(g.amount) + ".";
  }
  for (const Dependency& d : dependencies) s += dependency_text(*this, d);
  if (!redundant.empty()) s += " Redundant: " + list(redundant) + "; the multipliers are the smallest that serve.";
  if (rows > 0 && (status == Status::ok || status == Status::infeasible)) s += place_text(*this);
  for (const SolveWarning& w : warnings) s += note_text(*this, w);
  return s;
}

}  // namespace zwang
