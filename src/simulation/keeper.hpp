// SPDX-License-Identifier: BSD-3-Clause
// Keeper: the nearest state at which the rows of a motion hold, in the metric of the mass matrix;
// of ones where some motion has no inertia.
#pragma once
#include "simulation/movement.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang {

/// The first row that prescribes an acceleration, but no target velocity that belongs to it; else the number of rows.
/// Its position is not held.
std::size_t acceleration_asked(const Constraint& x);

class Keeper {
 public:
  explicit Keeper(Movement& motion);
  /// Prescribed coordinates stay where they are. always: also with Keep::automatic all hard rows take part.
  void begin(bool always);
  /// Applies the control, whose targets the rows have. Fills `distance`, if given. Throws std::invalid_argument for a
  /// row that prescribes an acceleration, and whose velocity would be held nevertheless.
  bool project(MovementState& state, double* distance = nullptr);
  double moved() const { return moved_; }  ///< largest change of a coordinate by the last project() [rad, m]

 private:
  bool follow();
  Movement& motion_;
  ConstraintSet held_;  ///< what takes part is active
  std::vector<std::uint64_t> seen_;
  bool some_ = false, always_ = false;
  Buffer<double> change_;  ///< [nv]
  double moved_ = 0;
  std::unique_ptr<Assembler> by_mass_, by_ones_;
};

}  // namespace zwang
