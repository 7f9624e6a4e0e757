// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/friction_step.hpp"

#include <algorithm>
#include <cmath>

namespace zwang {
namespace {

constexpr int k_most_parts = 100, k_most_looks = 200;
constexpr double k_width = 1e-13;  // of a step

}  // namespace

bool FrictionStep::step(Stepper& stepper, double h, const MovementState& from, MovementState& to) {
  JointFriction& friction = motion_.friction;
  from_.copy(from);
  if (friction.start_step(motion_.set)) motion_.forget();
  const double end = from.time + h, shortest = std::max(k_width * h, 4e-16 * std::fabs(end));
  for (int parts = 0; parts < k_most_parts; ++parts) {
    const double left = end - from_.time;
    if (!part(stepper, left, to)) return false;
    double fraction = 1;
    if (!friction.stops(from_.v.data(), to.v.data(), fraction)) {
      friction.settle(to.v.data(), motion_.set);
      motion_.forget();
      to.time = end;
      return true;
    }
    // The first stop: low is before it, high is past it. By secants, and halves where these are slow.
    double low = 0, high = left;
    bool halve = false;
    for (int k = 0; high - low > shortest && k < k_most_looks; ++k) {
      const double before = high - low;
      double at = halve ? low + 0.5 * before : high * fraction;
      at = std::min(std::max(at, low + 0.25 * shortest), high - 0.25 * shortest);
      if (!part(stepper, at, to)) return false;
      double next = 1;
      if (friction.stops(from_.v.data(), to.v.data(), next)) {
        high = at;
        fraction = next;
      } else {
        low = at;
        fraction = std::min(1.0, fraction * (1 + 1e-12) + shortest / high);
      }
      halve = k > 1 && high - low > 0.5 * before;
    }
    if (!part(stepper, high, to)) return false;
    friction.settle(to.v.data(), motion_.set);
    motion_.forget();
    if (high >= left) {
      to.time = end;
      return true;
    }
    from_.copy(to);
  }
  return motion_.fail(Status::not_converged,
                      "joint friction stops and lets go more than 100 times in one step: the step is too long");
}

/// From the same state again: the notes of an earlier try are cleared.
bool FrictionStep::part(Stepper& stepper, double h, MovementState& to) {
  motion_.friction.clear_notes();
  return stepper.step(h, from_, to);
}

}  // namespace zwang
