// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/target_notes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "zwang/constraint/relation.hpp"

namespace zwang {
namespace {

constexpr double k_slow = 1e-6;  // [rad/s, m/s]: a rate that is not worth a word
constexpr double k_rate =
    1e-2;  // of the rates: a velocity that belongs to another motion; one step sees them to its square
constexpr double k_moved = 1e-4;  // [rad, m]: a switch that moves the robot

void add(std::vector<SimulationNote>& notes, std::string about, const std::string& text) {
  if (std::none_of(notes.begin(), notes.end(), [&](const SimulationNote& n) { return n.about == about; }))
    notes.push_back({std::move(about), text});
}

double number(const std::vector<double>& list, Index i) {
  return list.empty() ? 0.0 : list[static_cast<std::size_t>(i)];
}

}  // namespace

TargetNotes::TargetNotes(Movement& motion)
    : motion_(motion),
      target_(motion.set.rows()),
      velocity_(motion.set.rows()),
      active_(static_cast<Index>(motion.set.constraints().size())) {}

/// f(constraint, its place, its first row) of those whose position a projection holds.
template <class F> void TargetNotes::for_held(F&& f) const {
  Index row = 0, place = 0;
  for (const Constraint& x : motion_.set.constraints()) {
    if (has_position(x) && x.policy != Policy::soft && !x.is_bounded() && x.stabilisation.time_constant == 0)
      f(x, place, row);
    row += x.size();
    ++place;
  }
}

void TargetNotes::begin() {
  for_held([&](const Constraint& x, Index place, Index row) {
    active_[place] = x.active;
    for (Index i = 0; i < x.size(); ++i)
      target_[row + i] = number(x.target, i), velocity_[row + i] = number(x.target_velocity, i);
  });
}

void TargetNotes::look(double h, double moved, std::vector<SimulationNote>& notes) {
  char text[320];
  for_held([&](const Constraint& x, Index place, Index row) {
    if (x.active && active_[place] == 0 && moved > k_moved) {
      std::snprintf(
          text, sizeof text,
          "'%s' is switched on where it does not hold: the robot is moved there at once, by up to %.3g; switch it "
          "on where it holds, or give it a time_constant that pulls it there",
          x.name.value().c_str(), moved);
      add(notes, "jumps: " + x.name.value(), text);
    }
    for (Index i = 0; h > 0 && x.active && active_[place] != 0 && i < x.size(); ++i) {
      const double rate = (number(x.target, i) - target_[row + i]) / h;
      const double said = 0.5 * (number(x.target_velocity, i) + velocity_[row + i]);
      if (!(std::fabs(rate - said) > k_slow + k_rate * std::max(std::fabs(rate), std::fabs(said)))) continue;
      std::snprintf(
          text, sizeof text,
          "the target of '%s' moves by %.3g 1/s and its target_velocity is %.3g: velocities and forces are those of "
          "another motion; give it the target_velocity and beta that belong to its target",
          x.row_names[static_cast<std::size_t>(i)].c_str(), rate, said);
      add(notes, "target: " + x.name.value(), text);
    }
  });
  begin();
}

}  // namespace zwang
