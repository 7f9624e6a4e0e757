// SPDX-License-Identifier: BSD-3-Clause
// Trajectory in Python: the arrays of one motion, or of N.
#pragma once
#include "bind.hpp"
#include "robot.hpp"
#include "zwang/simulation.hpp"

namespace zwang::python {

/// scene: of integrator contact, whose shapes the contacts name.
nb::object trajectory(const Robot& robot, const ConstraintSet& set, const Trajectory& motion,
                      const Scene* scene = nullptr);
nb::object trajectories(const Robot& robot, const ConstraintSet& set, const std::vector<Trajectory>& motions,
                        const Scene* scene);
void bind_trajectory(nb::module_& m);

}  // namespace zwang::python
