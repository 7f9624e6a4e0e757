// SPDX-License-Identifier: BSD-3-Clause
// FrictionStep: a step with joint friction, in as many parts as stops divide it into (joint_friction.hpp).
#pragma once
#include "simulation/stepper.hpp"

namespace zwang {

class FrictionStep {
 public:
  explicit FrictionStep(Movement& motion) : motion_(motion), from_(motion.model.nq(), motion.model.nv()) {}
  /// As Stepper::step, from the last state for which JointFriction::keep() was called.
  bool step(Stepper& stepper, double h, const MovementState& from, MovementState& to);

 private:
  bool part(Stepper& stepper, double h, MovementState& to);
  Movement& motion_;
  MovementState from_;  ///< of the part
};

}  // namespace zwang
