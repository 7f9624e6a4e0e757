// SPDX-License-Identifier: BSD-3-Clause
// State: a robot at one state, with the forces and the prescribed accelerations that act on it; no rows.
//
//   M a + h = tau        a_k given where coordinate k is prescribed
#pragma once
#include "linear/interruption.hpp"
#include "rows/outside_wrenches.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/rows/settings.hpp"

namespace zwang {

/// Coordinates whose accelerations are given.
struct PrescribedCoordinates {
  explicit PrescribedCoordinates(Index nv = 0) : is(nv), value(nv), seen(nv) {}
  bool any = false;
  Buffer<unsigned char> is;    ///< [nv]
  Buffer<double> value;        ///< [nv] at the coordinates where `is` is set
  Buffer<unsigned char> seen;  ///< [nv] scratch for checks
};

struct State {
  explicit State(const Model& model);

  void set(const double* position, const double* velocity);  ///< velocity nullptr: at rest
  void take_prescribed(const Prescribed* list);
  bool prescribes_the_same(const Prescribed* list) const;
  /// Torques (nullptr: none) and external wrenches; `total` also includes the passive joint effects.
  void take_forces(const double* torque, const Externals* external);
  /// h [nv]: the torques that keep the joint accelerations zero under velocities, gravity and external wrenches.
  void bias_forces(double* h) { starting_torques(true, true, true, h); }
  /// The same for selected causes.
  void starting_torques(bool velocity, bool gravity, bool external, double* h);
  /// data.acceleration from the accelerations of the coordinates; positions and velocities are not changed.
  void accelerate(const double* qdd);

  Data data;
  Buffer<double> q, v, tau, total;  ///< total: tau plus passive joint effects
  OutsideWrenches outside;          ///< the external wrenches, for derivatives; valid while `data` has any
  JointEffects effects = {};
  PrescribedCoordinates prescribed;
  Interruption interruption;     ///< of the solve that is going on
  Buffer<Force<double>> force;   ///< [n + 1] scratch
  Buffer<unsigned char> loaded;  ///< [n + 1] scratch
};

}  // namespace zwang
