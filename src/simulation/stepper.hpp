// SPDX-License-Identifier: BSD-3-Clause
// Stepper: a step of an integrator, and what the list of integrators (zwang/simulation/settings.hpp) has of each.
#pragma once
#include "simulation/contact_rows.hpp"
#include "simulation/movement.hpp"
#include "zwang/simulation/trajectory.hpp"

namespace zwang {

/// What a motion by Integrator::contact carries from step to step besides its state.
struct ContactMemory {
  ContactMemory() { contacts.reserve(64); }
  std::vector<ContactState> contacts = {};  ///< of the last step, sorted
  std::vector<bool> left_out = {};          ///< pairs, found at the start; empty: none
  ContactRow deepest = {};                  ///< overlap of the motion
  double depth = 0;
  int hard = 0;            ///< steps in a row that took the last stages of a ContactSolver
  bool said_many = false;  ///< that impacts were many
};
struct ContactRecord;
/// A point that bounces, at its instant.
struct ContactImpact {
  double time;
  ContactState at;
};

class Stepper {
 public:
  virtual ~Stepper();
  /// From a state to that after h. False: Movement::status and reason say why. Depends on its arguments alone.
  virtual bool step(double h, const MovementState& from, MovementState& to) = 0;
  /// At the first state, which it may move. False: as step().
  virtual bool start(MovementState&, double /*h*/, SimulationReport&) { return true; }
  /// The state that step() has reached last is one of the motion's.
  virtual void accept(SimulationReport&) {}
  /// Means over the step in place of what a solve at its end says: q'', multipliers of the user's rows, torques of the
  /// motors. False: a solve says it.
  virtual bool means(double* /*acceleration*/, double* /*multipliers*/, double* /*motor_torque*/) const {
    return false;
  }
  virtual std::span<const ContactState> contacts() const { return {}; }
  /// Changes the motion that it steps: what it has kept of this one against that of another. start() keeps nothing.
  virtual void exchange(ContactMemory&) {}
  virtual std::span<const ContactImpact> impacts() const { return {}; }  ///< of the step that was accepted last
  /// At the end of a motion: what did not hold on its way, in a sentence; empty: all did.
  virtual std::string broken() const { return {}; }
  /// The step with which joint damping is implicit, in a step of length h.
  virtual double implicit(double) const { return 0; }
  /// From now on step() writes there what it does. False: it does not.
  virtual bool record(ContactRecord*) { return false; }
  virtual bool keeps_velocities() const { return false; }  ///< at the end of a step J v = target_velocity
  virtual bool keeps_positions() const { return false; }   ///< and phi = target
  /// At the start of a motion, once the inputs are known: throws UnsupportedError for what it does not take.
  virtual void begin() {}
  virtual long iterations() const { return 0; }
  virtual double largest_error() const { return 0; }  ///< of the parts of steps, where it is estimated
};

/// An integrator of the list. `integrator::<name>` is defined in the file that has its Stepper.
struct IntegratorRow {
  const char* name;
  std::unique_ptr<Stepper> (*make)(Movement& motion);
  /// Largest step times rate of a linear damper, and times frequency of a linear spring, that does not grow or swing:
  /// where the stability function of the method leaves [0, 1] or the unit circle.
  double dampers, springs;
};
const IntegratorRow& integrator_row(Integrator integrator);
bool is_integrator(Integrator integrator);  ///< one of the list

namespace integrator {
#define ZWANG_DECLARATION(name) extern const IntegratorRow name;
ZWANG_INTEGRATORS(ZWANG_DECLARATION)
#undef ZWANG_DECLARATION
}  // namespace integrator

}  // namespace zwang
