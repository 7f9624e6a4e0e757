// SPDX-License-Identifier: BSD-3-Clause
// What a motion in time (simulate, rollout) should be told beforehand:
// what it leaves out of the robot's file, and states that do not fit the rows.
#pragma once
#include "zwang/solve/solver.hpp"

namespace zwang {

/// One sentence that names what the robot's file says of its joints and a motion with this set and
/// these settings leaves out: limits, friction, effort, speed, each with the word that turns it
/// on. Empty where there is nothing of that. keeps_limits: an integrator does.
std::string left_out_of_motion(const Model& model, const ConstraintSet& constraints, const SolverSettings& settings,
                               bool keeps_limits = false);

}  // namespace zwang
