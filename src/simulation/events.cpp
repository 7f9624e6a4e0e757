// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/core/error.hpp"

namespace zwang {
namespace {

/// Constraints of the set that names of constraints and groups stand for.
std::vector<std::string> constraints_of(const ConstraintSet& set, const std::vector<std::string>& names,
                                        const std::string& event) {
  std::vector<std::string> out, known;
  for (const std::string& name : names) {
    bool found = false;
    for (const Constraint& x : set.constraints())
      if (x.name.value() == name) out.push_back(name), found = true;
    for (const ConstraintGroup& group : set.groups())
      if (group.name == name) {
        for (const Index k : group.members) out.push_back(set.constraints()[static_cast<std::size_t>(k)].name);
        found = true;
      }
    if (found) continue;
    for (const Constraint& x : set.constraints()) known.push_back(x.name);
    for (const ConstraintGroup& group : set.groups()) known.push_back(group.name);
    detail::throw_unknown(("event '" + event + "': constraint").c_str(), name, known);
  }
  return out;
}

}  // namespace

void Events::add(const SimulationEvent& event) {
  if (event.function == nullptr) throw std::invalid_argument("Simulator: event '" + event.name + "' has no function");
  One x{event, constraints_of(motion_.set, event.on, event.name), constraints_of(motion_.set, event.off, event.name),
        constraints_of(motion_.set, event.bounce, event.name), restitution_of(motion_.set, event.restitution)};
  for (const double E : x.restitution)
    if (!(E >= 0 && E <= 1))
      throw std::invalid_argument("Simulator: event '" + event.name + "': restitution is a number in [0, 1]; got " +
                                  std::to_string(E));
  if (x.on.empty() && x.off.empty() && x.bounce.empty() && !event.stop)
    throw std::invalid_argument("Simulator: event '" + event.name + "' does nothing; expected on, off, bounce or stop");
  forces_ = forces_ || event.function->reads_forces();
  impulse_.resize(static_cast<std::size_t>(motion_.set.rows()));
  restitution_.resize(impulse_.size());
  list_.push_back(std::move(x));
}

void Events::measure(const SimulationState& state, double One::*to) {
  for (One& x : list_) {
    x.*to = (*x.event.function)(state);
    if (!std::isfinite(x.*to))
      throw std::invalid_argument("Simulator: event '" + x.event.name +
                                  "' has a value that is not finite at t = " + std::to_string(state.time));
  }
}

bool Events::has_work(const One& x) const {
  if (x.event.stop || !x.bounce.empty()) return true;
  const auto is_active = [&](const std::string& name) { return motion_.set[name].active.value(); };
  return !std::all_of(x.on.begin(), x.on.end(), is_active) || std::any_of(x.off.begin(), x.off.end(), is_active);
}

bool Events::crosses(const One& x) const {
  const bool falls = x.now >= 0 && x.next < 0, rises = x.now <= 0 && x.next > 0;
  const bool wanted =
      (falls && x.event.crossing != Crossing::rising) || (rises && x.event.crossing != Crossing::falling);
  return wanted && has_work(x);
}
bool Events::crosses() const {
  return std::any_of(list_.begin(), list_.end(), [&](const One& x) { return crosses(x); });
}
double Events::fraction() const {
  double first = 1;
  for (const One& x : list_)
    if (crosses(x)) first = std::min(first, x.now / (x.now - x.next));
  return first;
}

bool Events::narrow(const SimulationState& state) {
  bool before = false;
  for (One& x : list_) {
    const double value = (*x.event.function)(state), end = x.next;
    x.next = value;
    before = before || crosses(x);
    x.next = end;
  }
  measure(state, before ? &One::next : &One::now);
  return before;
}

bool Events::apply(MovementState& state, Outcome& outcome) {
  std::fill(restitution_.begin(), restitution_.end(), 0.0);
  Restitution model = Restitution::newton;
  for (const One& x : list_) {
    if (!crosses(x)) continue;
    outcome.stop = outcome.stop || x.event.stop;
    if (x.on.empty() && x.bounce.empty()) continue;
    outcome.struck = true;
    model = x.event.model;
    for (std::size_t r = 0; r < restitution_.size(); ++r) restitution_[r] = std::max(restitution_[r], x.restitution[r]);
  }
  std::vector<const One*> crossed;
  for (const One& x : list_)
    if (crosses(x)) crossed.push_back(&x);
  std::vector<std::string> back;  // what acts in the impulse alone
  for (const One* x : crossed) {
    for (const std::string& name : x->on) motion_.set.set_active(name, true);
    for (const std::string& name : x->bounce)
      if (!motion_.set[name].active) {
        motion_.set.set_active(name, true);
        back.push_back(name);
      }
  }
  motion_.forget();
  if (outcome.struck) {
    Prescribed still = motion_.prescribed();
    for (PrescribedCoordinate& p : still) p.acceleration = 0;
    motion_.apply_control(state.time, state.q.data(), state.v.data());  // target velocities
    const Impulse& r =
        motion_.solver.impulse({.q = {state.q.data(), state.q.size()},
                                .v = {state.v.data(), state.v.size()},
                                .restitution = {restitution_.data(), static_cast<Index>(restitution_.size())},
                                .model = model,
                                .prescribed = &still});
    if (r.report.status != Status::ok) return motion_.fail(r.report.status, "the impulse: " + r.report.explain());
    std::copy_n(r.velocity.data(), state.v.size(), state.v.data());
    std::copy_n(r.multipliers.data(), static_cast<Index>(impulse_.size()), impulse_.data());
    outcome.energy_before = r.energy_before;
    outcome.energy_after = r.energy_after;
  }
  for (const std::string& name : back) motion_.set.set_active(name, false);
  for (const One* x : crossed)
    for (const std::string& name : x->off) motion_.set.set_active(name, false);
  return true;
}

}  // namespace zwang
