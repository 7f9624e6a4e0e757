// SPDX-License-Identifier: BSD-3-Clause
// Trajectory in Python: the arrays of one motion, or of N.
#pragma once
#include "bind.hpp"
#include "robot.hpp"
#include "zwang/simulation.hpp"

namespace zwang::python {

nb::object trajectory(const Robot& robot, const ConstraintSet& set, const Trajectory& motion);
nb::object trajectories(const Robot& robot, const ConstraintSet& set, const std::vector<Trajectory>& motions);
void bind_trajectory(nb::module_& m);

}  // namespace zwang::python
