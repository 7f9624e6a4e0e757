// SPDX-License-Identifier: BSD-3-Clause
// Trajectory: the states of a motion, its events, and how it ended.
#pragma once
#include <limits>

#include "zwang/simulation/settings.hpp"

namespace zwang {

/// What a motion by Integrator::contact says of its contacts: the worst of its steps, and their numbers.
struct ContactTotals {
  double residual = 0;     ///< as ContactReport::residual
  double signorini = 0;    ///< likewise [m/s, N s]
  double coulomb = 0;      ///< likewise [N s]
  double dissipation = 0;  ///< likewise [J]
  double penetration = 0;  ///< of surfaces that do not give way, after a step [m]
  long free_steps = 0;     ///< nothing touched: steps of rk4
  long warm_steps = 0;     ///< answered from the impulses of the step before
  long cold_steps = 0;     ///< by ADMM and what follows it
  long iterations = 0;     ///< of the active-set method
  long impacts = 0;        ///< with restitution
  long halved = 0;  ///< parts of a step that were halved: no impulses found, or too large a turn or change of inertia
  Index most_points = 0;
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ContactTotals>) {
  using T = ContactTotals;
  v.record("ContactTotals", "What a motion says of its contacts: the worst of its steps, and their numbers.");
  v("residual", &T::residual, "largest distance from a pair that obeys the laws, beside the speeds");
  v("signorini", &T::signorini, "largest of -sigma_n, -lambda_n, min(|lambda_n|, |sigma_n|)");
  v("coulomb", &T::coulomb, "largest |lambda_t| - mu lambda_n");
  v("dissipation", &T::dissipation, "largest |lambda_t . sigma_t + mu lambda_n |sigma_t||");
  v("penetration", &T::penetration, "of surfaces that do not give way [m]");
  v("free_steps", &T::free_steps, "steps in which nothing touched");
  v("warm_steps", &T::warm_steps, "steps answered from the impulses of the step before");
  v("cold_steps", &T::cold_steps, "steps by ADMM and what follows it");
  v("iterations", &T::iterations, "of the active-set method");
  v("impacts", &T::impacts, "with restitution");
  v("halved", &T::halved,
    "parts of a step that were halved: no impulses found, a turn by > 1 rad, or an inertia that changes by a fifth");
  v("most_points", &T::most_points, "points, limits and frictions of one step");
}

/// A sentence for the user. `about` is the same in all motions that say the same of one row or event,
/// whatever its numbers.
struct SimulationNote {
  std::string about, text;
};

/// How a motion ended.
struct SimulationReport {
  /// ok: at the end of its time, or at an event that stops. stopped: by the progress callback. infeasible,
  /// singular_mass, not_converged, overflow: what the solve, the projection or the integrator's iteration said of the
  /// step that is missing; not_converged also where joints' dampers or springs are too fast for the step. drifted: at
  /// the end of its time, but rows do not hold (SimulationSettings::drift_tolerance).
  Status status = Status::ok;
  std::string reason = {};  ///< in sentences; empty if ok
  double time = 0;          ///< of the last good state [s]
  long steps = 0;           ///< that were completed
  long iterations = 0;      ///< of implicit steps, and parts of dormand_prince, in all
  double step_error =
      0;  ///< of dormand_prince: the largest estimate of a part's error, as SimulationSettings::accuracy
  double start_distance = 0;  ///< from the given configuration to the first state, in the metric of the mass matrix
  double error = 0, velocity_error = 0;  ///< the largest of the states
  double kinetic_energy = 0;             ///< the largest of the states [J], where energy_drift is a number
  /// Largest difference of kinetic and potential energy from that of the first state [J]. NaN where
  /// something does work or may: torques, wrenches, control, prescribed coordinates, dampers, friction,
  /// impulses, rows that move, give way or have a sense.
  double energy_drift = std::numeric_limits<double>::quiet_NaN();
  ContactTotals contact = {};              ///< of Integrator::contact
  std::vector<SimulationNote> notes = {};  ///< on what the motion leaves out and finds at its start
};

/// An event that has happened.
struct EventRecord {
  double time = 0;
  Index event = 0;  ///< in the order of add_event()
  std::string name = {};
  std::vector<double> impulse = {};            ///< multipliers of all rows; empty where there was no impulse
  double energy_before = 0, energy_after = 0;  ///< kinetic [J]; NaN of a change of contact
  long state = 0;  ///< of the trajectory: the first after the event; the one before has the same time
  /// Of a change of contact: shapes, constraints (empty: the world), coordinates, and where in the world [m], of a step
  /// at its start, of an impact with restitution at its instant. `state` is the first that is not before it.
  std::string a = {}, b = {};
  Vec3<double> point{0, 0, 0};
  bool has_place = false;  ///< point is known: of shapes and of contacts with friction; not of limits and other rows
};

/// Numbers of one state after those of the other.
struct Trajectory {
  Index nq = 0, nv = 0, rows = 0;
  std::vector<double> time = {};                       ///< [states]
  std::vector<double> q_numbers = {}, v_numbers = {};  ///< [states * nq], [states * nv]
  std::vector<double> acceleration_numbers = {};       ///< [states * nv]
  std::vector<double> multiplier_numbers = {};         ///< [states * rows]
  /// [states * nv] Solution::motor_torque at each state; of a planned motion inverse_dynamics(),
  /// NaN where there are loops
  std::vector<double> motor_torque_numbers = {};
  std::vector<double> energy = {}, error = {}, velocity_error = {};  ///< [states]
  std::vector<EventRecord> events = {};
  std::vector<ContactState> contacts = {};  ///< of Integrator::contact, those of a state after those of the other
  std::vector<long> contact_count = {};     ///< [states] how many there are of each state; empty without contacts
  SimulationReport report = {};

  using View = Eigen::Map<const Eigen::MatrixXd>;
  Eigen::Index states() const { return static_cast<Eigen::Index>(time.size()); }
  /// A state in each column.
  View q() const { return {q_numbers.data(), nq, states()}; }
  View v() const { return {v_numbers.data(), nv, states()}; }
  View acceleration() const { return {acceleration_numbers.data(), nv, states()}; }
  View multipliers() const { return {multiplier_numbers.data(), rows, states()}; }
  View motor_torque() const { return {motor_torque_numbers.data(), nv, states()}; }
};

}  // namespace zwang
