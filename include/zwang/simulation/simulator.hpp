// SPDX-License-Identifier: BSD-3-Clause
// Simulator: motion in time, a step at a time.
//
//   zwang::Simulator simulator(model, constraints, {.dt = 1e-3, .integrator = zwang::Integrator::rk4});
//   simulator.set_control([](zwang::SimulationStage& x) { x.tau[0] = -2 * x.v[0]; });
//   simulator.start({.q = q, .v = v});
//   while (simulator.step()) use(simulator.state());
//
//   q' = v on the joints' groups,    M(q) q'' + h(q, v) = tau(t, q, v) + J^T lambda,    J q'' = beta - J' v
#pragma once
#include <memory>

#include "zwang/core/owned.hpp"
#include "zwang/simulation/scene.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

namespace detail {
template <class F> struct ControlOf : SimulationControl {
  explicit ControlOf(F&& f) : function(std::move(f)) {}
  void operator()(SimulationStage& stage) override { function(stage); }
  F function;
};
}  // namespace detail

/// Has its own copy of the set as it was at construction: events and the control change that. start() allocates; step()
/// allocates nothing, but at the first event with an impulse, where a motion ends early, and where a state within a
/// step has no solution and the step is divided. The numbers of a motion depend on its input alone, to the bit.
class Simulator {
 public:
  /// Throws std::invalid_argument for settings, UnsupportedError for rows that an integrator does not take:
  /// `variational` needs hard equalities with a position error, and no prescribed coordinates.
  Simulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings = {});
  /// With what the robot can touch, for Integrator::contact; without a scene it is that of the robot's own shapes.
  /// Throws std::invalid_argument where another integrator is asked for, WorkspaceMismatch for the scene of another
  /// model.
  Simulator(const Model& model, const ConstraintSet& constraints, const SimulationSettings& settings,
            const Scene& scene);
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  void set_control(std::unique_ptr<SimulationControl> control);
  template <class F>
  requires requires(F& f, SimulationStage& stage) { f(stage); }
  void set_control(F f) { set_control(std::unique_ptr<SimulationControl>(new detail::ControlOf<F>(std::move(f)))); }
  /// To be called between two steps, or in on_progress, after a change of what the control reads beside time, q and v,
  /// such as a torque that a user has typed. The next step calls the control at the present state; without this it
  /// takes over the accelerations that the last step ended with. state() stays as it is. Allocates nothing.
  void forces_changed();
  /// Throws std::invalid_argument for unknown names. Before start().
  void add_event(const SimulationEvent& event);
  void on_progress(SimulationProgress callback, void* context);

  /// The first state. With projection, half_explicit and variational it is the nearest one at which the rows hold: its
  /// distance from the given one is in the report. Throws std::invalid_argument for wrong sizes and entries that are
  /// not finite. False where already this state has no solution.
  bool start(const SimulationInput& input);
  /// A step, or the part of it that is left at the end. False: the motion is at its end; report() says why, state() is
  /// the last good one.
  bool step();
  /// start(), all steps, and a record of the states.
  Trajectory run(const SimulationInput& input);

  const SimulationState& state() const;
  const SimulationReport& report() const;
  const std::vector<EventRecord>& events() const;  ///< that have happened
  const SimulationSettings& settings() const;
  const Model& model() const;
  const ConstraintSet& constraints() const;  ///< its own, as it is now

 private:
  struct Impl;
  Owned<Impl> impl_;
};

}  // namespace zwang
