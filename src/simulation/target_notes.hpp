// SPDX-License-Identifier: BSD-3-Clause
// TargetNotes: what a projection hides. A target that moves without its target velocity, or jumps, and a row that is
// switched on where it does not hold: the positions are brought to the rows, but no motion has led there.
#pragma once
#include "simulation/movement.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

class TargetNotes {
 public:
  explicit TargetNotes(Movement& motion);
  void begin();  ///< at the first state, after a solve there
  /// After a solve at a state that is `h` later (0: at an event) and was projected by `moved` [rad, m].
  void look(double h, double moved, std::vector<SimulationNote>& notes);

 private:
  template <class F> void for_held(F&& f) const;
  Movement& motion_;
  Buffer<double> target_, velocity_;  ///< [rows] at the state before
  Buffer<unsigned char> active_;      ///< [constraints] likewise
};

}  // namespace zwang
