// SPDX-License-Identifier: BSD-3-Clause
// MotionStart: how every motion begins, that of a Simulator and that of a copy of a BatchSimulator.
#pragma once
#include "simulation/fastest_rates.hpp"
#include "simulation/keeper.hpp"
#include "simulation/stepper.hpp"

namespace zwang {

/// Whether the keeper takes part. Its begin() is the caller's, before put_on_rows().
bool keeps_rows(const Movement& motion, const Stepper& stepper);

struct MotionStart {
  Movement& motion;
  Keeper& keeper;
  Stepper& stepper;
  FastestRates& rates;
  MovementState &now, &next;
  double h;  ///< length of the first step
  SimulationReport& report;

  /// `now` becomes the state nearest to that of the input at which the rows hold and nothing overlaps, with notes on
  /// what that has changed. `next` is overwritten. False: the reason is that of the movement.
  bool put_on_rows(const SimulationInput& input);
  /// After the first Movement::accelerate(): false where joints are too fast for the steps. Notes what the solve warns
  /// of: of rows of one constraint the first.
  bool look();
};

}  // namespace zwang
