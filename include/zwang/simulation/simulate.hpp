// SPDX-License-Identifier: BSD-3-Clause
// simulate: a whole motion, or many of them on threads.
#pragma once
#include "zwang/simulation/simulator.hpp"

namespace zwang {

Trajectory simulate(const Model& model, const ConstraintSet& constraints, const SimulationInput& input,
                    const SimulationSettings& settings = {});
/// With what the robot can touch: Integrator::contact.
Trajectory simulate(const Model& model, const ConstraintSet& constraints, const SimulationInput& input,
                    const SimulationSettings& settings, const Scene& scene);
/// tau and targets by a function of the state: SimulationControl's operator.
template <class F>
requires requires(F& f, SimulationStage& stage) { f(stage); }
Trajectory simulate(const Model& model, const ConstraintSet& constraints, const SimulationInput& input,
                    const SimulationSettings& settings, F control) {
  Simulator simulator(model, constraints, settings);
  simulator.set_control(std::move(control));
  return simulator.run(input);
}

/// Many motions of one model, each by a Simulator of its own: a state in each column of q and v; of tau one column for
/// all or one for each motion. threads: as BatchOptions. The numbers are those of simulate(), to the bit, for every
/// number of threads. A state that is refused has a trajectory without states, with its status. progress: called by the
/// calling thread after each step of its motions, and again and again while it waits for the others, with the motions
/// that are done and their number; false ends all of them. scene: of Integrator::contact, or nullptr.
std::vector<Trajectory> simulate_states(const Model& model, const ConstraintSet& constraints, MatrixIn q, MatrixIn v,
                                        MatrixIn tau, const SimulationSettings& settings = {}, int threads = 0,
                                        SimulationProgress progress = nullptr, void* context = nullptr,
                                        const Scene* scene = nullptr);

}  // namespace zwang
