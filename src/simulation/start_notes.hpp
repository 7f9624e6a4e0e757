// SPDX-License-Identifier: BSD-3-Clause
// Notes on the start of a motion.
#pragma once
#include "simulation/movement.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

/// What the solve of the first state warns of: of rows of one constraint the first.
void note_warnings(const SolveReport& of, std::vector<SimulationNote>& notes);
/// Where the rows do not permit the velocities that were given; v: those that they permit.
void note_velocity(const SimulationInput& input, const ConstVector& v, std::vector<SimulationNote>& notes);

}  // namespace zwang
