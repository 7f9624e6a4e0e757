// SPDX-License-Identifier: BSD-3-Clause
// Drift: how far a motion has left its rows, and whether it has made or lost energy.
//
// A row is judged beside its size: 1 for an angle, the extent of the robot for a length (the largest distance of a body
// from the centre of its branch), of a unit multiplier's wrench the larger of force times extent and moment. Judged are
// rows of position that are physical and not soft; a driver's rows are goals, and the position of a row that prescribes
// an acceleration is not held. Rows may be as far off as where the motion began, or where rows were switched or targets
// changed last: they close from there.
#pragma once
#include "simulation/movement.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

class Drift {
 public:
  explicit Drift(Movement& motion);
  /// At the first state, after a solve there.
  void begin(const SimulationState& state, const SimulationInput& input);
  /// The errors of the state of the last solve.
  void measure(const Solution& solution, SimulationState& into);
  /// The state that was measured last is one of the motion's.
  void accept(const SimulationState& state, SimulationReport& report);
  void struck(SimulationReport& report);  ///< an impulse has acted
  /// At the end: false where rows were left further than the tolerance. Then the reason is that of the movement.
  bool holds();

 private:
  void find_sizes(const double* q, const double* v);
  bool undriven(const SimulationInput& input) const;

  Movement& motion_;
  Data data_;            ///< of the energy
  Buffer<double> size_;  ///< [rows]
  bool keeps_energy_ = false, begun_ = false;
  double first_energy_ = 0;
  double now_ = 0, now_error_ = 0, start_ = 0;  ///< largest error beside the size of its row, and the error itself
  double largest_ = 0, largest_error_ = 0, largest_time_ = 0;
  Index now_row_ = 0, largest_row_ = 0;
  std::uint64_t stamp_ = 0;  ///< of the rows at the last measure()
  bool changed_ = false;     ///< since the last accept()
};

}  // namespace zwang
