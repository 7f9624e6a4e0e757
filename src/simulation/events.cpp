// SPDX-License-Identifier: BSD-3-Clause
// Where an event falls or rises. A function passes its levels, low <= 0 <= high. They are zero,
// except where the function has passed zero while there was nothing to switch: until there is, its
// level follows its value. Where it falls:
//   nothing to switch on    low = min(0, value - rounding); none where that is below -1e-3: it has to rise over zero
//   something to switch on  low = min(0, max(low, value - rounding)): a value that comes back takes its level along
//   crossed                 now >= low and next < low
// So a foot that is 1e-5 m below its floor when it is lifted lands where it goes deeper. What is applied at an instant
// may change functions at once (multipliers do): those that jump over their level are applied at this instant, too.
#include "simulation/events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/core/error.hpp"

namespace zwang {
namespace {

/// Of a function's unit, or of its value: what it may be past a level by rounding.
constexpr double k_past = 1e-12;
/// Of a function's unit: what it may be past zero by drift. Beyond it the function has gone on, as time does.
constexpr double k_near = 1e-3;
constexpr double k_never = std::numeric_limits<double>::infinity();

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Rows that are switched on hold, so that they cannot rebound; others rebound where `bounce` names them.
void check_rebound(const ConstraintSet& set, const std::string& event, const std::vector<std::string>& on,
                   const std::vector<std::string>& bounce, const std::vector<double>& restitution) {
  const auto refuse = [&](const Constraint& x, const char* what) {
    throw std::invalid_argument("Simulator: event '" + event + "': constraint '" + x.name.value() + "' " + what);
  };
  Index r = 0;
  for (const Constraint& x : set.constraints()) {
    const bool is_on = has(on, x.name), bounces = has(bounce, x.name);
    if (is_on && bounces) refuse(x, "is in on and in bounce; give one of them: on holds it, bounce throws it back");
    bool rebounds = false;
    for (Index i = 0; i < x.size(); ++i) rebounds = rebounds || restitution[static_cast<std::size_t>(r++)] > 0;
    if (rebounds && is_on)
      refuse(
          x,
          "is switched on with a restitution: it would hold the velocity of its rebound; name it in bounce instead of "
          "on, or leave its restitution out");
    if (rebounds && !bounces) refuse(x, "has a restitution and is not in bounce; name it there");
  }
}

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

void Events::add(const SimulationEvent& event, Index number) {
  if (event.function == nullptr) throw std::invalid_argument("Simulator: event '" + event.name + "' has no function");
  One x{event,
        number,
        constraints_of(motion_.set, event.on, event.name),
        constraints_of(motion_.set, event.off, event.name),
        constraints_of(motion_.set, event.bounce, event.name),
        restitution_of(motion_.set, event.restitution)};
  for (const double E : x.restitution)
    if (!(E >= 0 && E <= 1))
      throw std::invalid_argument("Simulator: event '" + event.name + "': restitution is a number in [0, 1]; got " +
                                  std::to_string(E));
  if (motion_.settings.integrator != Integrator::contact)
    for (const std::string& name : x.on) detail::check_looks_ahead("Simulator", motion_.set[name]);
  for (const auto* names : {&x.on, &x.bounce})
    for (const std::string& name : *names)
      if (motion_.settings.integrator == Integrator::contact && motion_.set[name].is_sided())
        throw UnsupportedError("Simulator: event '" + event.name + "': integrator 'contact' finds the impacts of '" +
                               name + "', which has a sense, by itself: leave it active");
  check_rebound(motion_.set, event.name, x.on, x.bounce, x.restitution);
  if (x.on.empty() && x.off.empty() && x.bounce.empty() && !event.stop)
    throw std::invalid_argument("Simulator: event '" + event.name + "' does nothing; expected on, off, bounce or stop");
  forces_ = forces_ || event.function->reads_forces();
  impulse_.resize(static_cast<std::size_t>(motion_.rows));
  restitution_.resize(static_cast<std::size_t>(motion_.set.rows()));
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

/// Constraints that are active do not bounce: they hold.
bool Events::has_work(const One& x) const {
  if (x.event.stop) return true;
  const auto is_active = [&](const std::string& name) { return motion_.set[name].active.value(); };
  const auto all = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(), is_active);
  };
  return !all(x.on) || !all(x.bounce) || std::any_of(x.off.begin(), x.off.end(), is_active);
}

void Events::begin(const SimulationState& state, std::vector<SimulationNote>& notes) {
  measure(state, &One::now);
  for (One& x : list_) {
    x.low = x.high = 0;
    x.applied = false;
    if (!has_work(x)) {
      settle(x);
      continue;
    }
    x.low = x.now < -k_past ? -k_never : std::min(0.0, x.now);
    x.high = x.now > k_past ? k_never : std::max(0.0, x.now);
    const bool waits = x.event.crossing == Crossing::falling  ? x.low == -k_never
                       : x.event.crossing == Crossing::rising ? x.high == k_never
                                                              : false;
    if (waits)
      notes.push_back(
          {"begins past zero: " + x.event.name,
           "event '" + x.event.name + "' begins past zero: it waits until its function has come back over zero"});
  }
}

void Events::measure_now(const SimulationState& state) {
  measure(state, &One::now);
  for (One& x : list_) settle(x);
}

/// The levels after the value `now`. Events that only switch off or stop pass zero itself.
void Events::settle(One& x) const {
  const double rounding = k_past * std::max(1.0, std::fabs(x.now));
  const double low = x.now - rounding, high = x.now + rounding;
  if (x.on.empty() && x.bounce.empty()) {
    x.low = x.high = 0;
  } else if (x.applied || !has_work(x)) {
    x.low = x.now < -k_near ? -k_never : std::min(0.0, low);
    x.high = x.now > k_near ? k_never : std::max(0.0, high);
  } else {
    if (x.low != -k_never || x.now >= 0) x.low = std::min(0.0, std::max(x.low, low));
    if (x.high != k_never || x.now <= 0) x.high = std::max(0.0, std::min(x.high, high));
  }
  x.applied = false;
}

bool Events::jumps(const SimulationState& state) {
  measure(state, &One::next);
  bool some = false;
  for (One& x : list_) {
    if (!x.applied && crosses(x)) {
      some = true;
      continue;
    }
    x.now = x.next;
    settle(x);
  }
  return some;
}

bool Events::crosses(const One& x) const {
  const bool falls = x.now >= x.low && x.next < x.low, rises = x.now <= x.high && x.next > x.high;
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
    if (crosses(x)) first = std::min(first, (x.now - (x.next < x.now ? x.low : x.high)) / (x.now - x.next));
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
  std::vector<One*> crossed;
  for (One& x : list_) {
    if (!has_work(x)) settle(x);  // what is switched on here begins from where it is now
    if (!crosses(x)) continue;
    crossed.push_back(&x);
    outcome.stop = outcome.stop || x.event.stop;
    if (x.on.empty() && x.bounce.empty()) continue;
    outcome.struck = true;
    model = x.event.model;
    for (std::size_t r = 0; r < restitution_.size(); ++r) restitution_[r] = std::max(restitution_[r], x.restitution[r]);
  }
  motion_.friction.release(motion_.set);  // a force without an impulse
  for (const One* x : crossed)
    for (const std::string& name : x->off) motion_.set.set_active(name, false);
  for (One* x : crossed) {
    x->applied = true;
    for (const std::string& name : x->on) motion_.set.set_active(name, true);
  }
  hold();
  std::vector<std::string> back;  // what acts in the impulse alone
  for (const One* x : crossed)
    for (const std::string& name : x->bounce)
      if (!motion_.set[name].active) {
        motion_.set.set_active(name, true);
        back.push_back(name);
      }
  motion_.forget();
  if (outcome.struck) {
    Prescribed still = motion_.prescribed();
    for (PrescribedCoordinate& p : still) p.acceleration = 0;
    motion_.apply_control(state.time, state.q.data(), state.v.data());  // target velocities
    const Movement::WithoutSided without(motion_);  // what touches takes no part in impulses of events
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
  motion_.friction.begin(state.v.data(), static_cast<Index>(state.v.size()), motion_.prescribed(), motion_.set);
  return true;
}

/// Rows that hold after the impulse have no restitution.
void Events::hold() {
  std::size_t r = 0;
  for (const Constraint& x : motion_.set.constraints())
    for (Index i = 0; i < x.size(); ++i, ++r)
      if (x.active) restitution_[r] = 0;
}

}  // namespace zwang
