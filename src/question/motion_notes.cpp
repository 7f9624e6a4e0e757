// SPDX-License-Identifier: BSD-3-Clause
#include "question/motion_notes.hpp"

#include <algorithm>
#include <cmath>

namespace zwang {
namespace {

/// Rows of add_joint_limits() on a coordinate.
bool has_limit_rows(const ConstraintSet& set, const std::string& coordinate) {
  for (const Constraint& x : set.constraints())
    if (x.active && (x.name.value() == coordinate + ":lower" || x.name.value() == coordinate + ":upper")) return true;
  return false;
}

}  // namespace

std::string left_out_of_motion(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings,
                               bool keeps_limits) {
  int limits = 0, friction = 0, effort = 0, speed = 0;
  for (const Joint& j : model.joints()) {
    if (!j.mimic.leader.empty()) continue;  // its leader has them
    const auto any = [](const std::vector<double>& all, Index first, Index size, auto&& counts) {
      const auto from = all.begin() + first;
      return std::any_of(from, from + size, counts);
    };
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto above = [](double x) { return std::isfinite(x) && x > 0; };
    bool kept = keeps_limits;
    for (Index k = 0; k < j.v.size; ++k)
      kept = kept || has_limit_rows(constraints, model.coordinate_names()[static_cast<std::size_t>(j.v.first + k)]);
    limits +=
        !kept && (any(model.lower(), j.q.first, j.q.size, finite) || any(model.upper(), j.q.first, j.q.size, finite));
    friction += !settings.joint_effects.friction && any(model.friction(), j.v.first, j.v.size, above);
    effort += settings.motor_limits.empty() && any(model.effort_limit(), j.v.first, j.v.size, above);
    speed += any(model.velocity_limit(), j.v.first, j.v.size, above);
  }
  int open = 0;  // a set that holds a loop has it under its name, or is the user's own
  for (const Loop& loop : model.loops())
    open += std::none_of(constraints.constraints().begin(), constraints.constraints().end(),
                         [&](const Constraint& x) { return x.type.value() == "loop" || x.name.value() == loop.name; });
  std::string list;
  const auto add = [&](int count, const char* what, const char* word) {
    if (count == 0) return;
    list += list.empty() ? "" : ", ";
    list += std::string(what) + " of " + std::to_string(count) + (count == 1 ? " joint (" : " joints (") + word + ")";
  };
  add(open, "loops", "add_loops() closes them");
  add(limits, "limits", "add_joint_limits(time_constant=T) keeps them");
  add(friction, "friction", "joint_effects with friction counts it");
  add(effort, "effort", "motor_limits bounds drivers by it");
  add(speed, "speed", "time_path() and move() plan within it");
  return list.empty() ? "" : "left out of this motion: " + list;
}

}  // namespace zwang
