// SPDX-License-Identifier: BSD-3-Clause
// A motion with contact, step by step.
#pragma once
#include "simulation/loose_bodies.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang::test {

struct Scenery {
  Scenery(const LooseBodies& of, const Scene& scene, const SimulationSettings& settings)
      : Scenery(of.model, of.q, of.v, scene, settings) {}
  Scenery(const Model& of, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Scene& scene,
          const SimulationSettings& settings)
      : model(of),
        set(model),
        simulator(model, set, settings, scene) {
    begun = simulator.start({.q = q, .v = v});
  }
  /// True: to the end of its time.
  bool all() {
    while (simulator.step()) {}
    return simulator.report().status == Status::ok;
  }
  const SimulationState& state() const { return simulator.state(); }
  const SimulationReport& report() const { return simulator.report(); }
  /// Sum of the normal forces between a shape and what is named `on`.
  double load(const Scene& scene, const std::string& on) const {
    double sum = 0;
    for (const ContactState& c : state().contacts)
      if (c.what == ContactState::What::point && (scene.shapes()[static_cast<std::size_t>(c.a)].name == on ||
                                                  scene.shapes()[static_cast<std::size_t>(c.b)].name == on))
        sum += dot(c.force, c.normal);
    return sum;
  }
  Model model;
  ConstraintSet set;
  Simulator simulator;
  bool begun = false;
};

inline Scene on_ground(const Model& model, double friction, double restitution = 0) {
  Scene scene(model);
  scene.add_ground({.law = {.friction = friction, .restitution = restitution}});
  return scene;
}

}  // namespace zwang::test
