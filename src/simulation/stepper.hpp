// SPDX-License-Identifier: BSD-3-Clause
// Stepper: a step of an integrator. One file each; integrators.cpp has THE list.
#pragma once
#include "simulation/movement.hpp"

namespace zwang {

class Stepper {
 public:
  virtual ~Stepper();
  /// From a state to that after h. False: Movement::status and reason say why. Depends on its arguments alone.
  virtual bool step(double h, const MovementState& from, MovementState& to) = 0;
  /// The step with which joint damping is implicit, in a step of length h.
  virtual double implicit(double) const { return 0; }
  virtual bool keeps_velocities() const { return false; }  ///< at the end of a step J v = target_velocity
  virtual bool keeps_positions() const { return false; }   ///< and phi = target
  /// At the start of a motion, once the inputs are known: throws UnsupportedError for what it does not take.
  virtual void begin() {}
  virtual long iterations() const { return 0; }
  virtual double largest_error() const { return 0; }  ///< of the parts of steps, where it is estimated
};

std::unique_ptr<Stepper> make_semi_implicit(Movement& motion);
std::unique_ptr<Stepper> make_rk4(Movement& motion);
std::unique_ptr<Stepper> make_half_explicit(Movement& motion);
std::unique_ptr<Stepper> make_variational(Movement& motion);
std::unique_ptr<Stepper> make_dormand_prince(Movement& motion);

/// A line of the list of integrators.
struct IntegratorRow {
  const char* name;
  std::unique_ptr<Stepper> (*make)(Movement& motion);
  /// Largest step times rate of a linear damper, and times frequency of a linear spring, that does not grow or swing:
  /// where the stability function of the method leaves [0, 1] or the unit circle.
  double dampers, springs;
};
const IntegratorRow& integrator_row(Integrator integrator);

}  // namespace zwang
