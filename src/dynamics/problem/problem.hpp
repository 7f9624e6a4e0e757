// SPDX-License-Identifier: BSD-3-Clause
// Problem: constrained dynamics at one state, before anybody has chosen how to solve it.
//
//   M a + h = tau + J^T lambda,   J a + R lambda = beta - J' v        a_k given where coordinate k is prescribed
// The rows are those of the set (RowReader), at the state as far as they act between bodies (RelationNumbers); a sweep
// attaches them to the bodies while it passes, attach() without one. `rows` holds them then: K and l of every row.
#pragma once
#include "dynamics/problem/relation_numbers.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

/// Coordinates whose accelerations are given.
struct PrescribedCoordinates {
  explicit PrescribedCoordinates(Index nv = 0) : is(nv), value(nv), seen(nv) {}
  bool any = false;
  Buffer<unsigned char> is;    ///< [nv]
  Buffer<double> value;        ///< [nv] of those
  Buffer<unsigned char> seen;  ///< [nv] scratch of checks
};

struct Problem {
  Problem(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early);

  /// The set as it is now, for a method and a policy of dependent rows; throws what is wrong with it.
  void read(const Method& method, Singularity singularity) {
    reader.read(layout, method, singularity);
    rows.joined = reader.traits.joined;
  }
  void set_state(const double* position, const double* velocity);  ///< velocity nullptr: at rest
  void take_prescribed(const Prescribed* list);
  bool prescribes_the_same(const Prescribed* list) const;
  /// Torques (nullptr: none) and wrenches from outside; `total` gets the passive joint effects.
  void take_forces(const double* torque, const Externals* external);
  /// What rows between bodies, and rows that look ahead, need to know before a sweep begins.
  void prepare_rows();
  /// The rows at their bodies without a sweep: K, l, R of each. Reads positions and velocities of `data`.
  void attach();
  /// Residuals at zero joint acceleration of the rows as the set has them now, into l [m]. False where these are not the
  /// rows that are attached.
  bool read_again(double* l);

  // The rows as attached, by their place in the sweep.
  const Constraint& constraint_of(Index k) const { return layout.constraint(reader.constraint_of[k]); }
  std::size_t row_in_constraint(Index k) const {
    return static_cast<std::size_t>(reader.row_of[k] - layout.first_row_of(reader.constraint_of[k]));
  }
  std::string_view row_name(Index k) const { return constraint_of(k).row_names[row_in_constraint(k)]; }
  bool is_hard(Index k) const { return rows.slot[k] >= 0 && rows.compliance[k] == 0; }
  /// K s of a row along a column of the tree, with everything between them rigid.
  double jacobian(Index k, Index column) const;
  /// out [nv] = J^T lambda of physical rows, of driver rows or of both, added: only on the paths from their bodies.
  void add_joint_forces(bool physical, bool driver, const double* lambda, double* out);
  /// h [nv]: the torques that hold the joints at zero acceleration against velocities, gravity and external wrenches.
  void bias_forces(double* h) { starting_torques(true, true, true, h); }
  /// The same of some causes.
  void starting_torques(bool velocity, bool gravity, bool external, double* h);
  /// out [nv] = M q'' - J^T lambda, where data.acceleration is that of q''.
  void torques_of_motion(const double* qdd, const double* lambda, double* out);
  /// data.acceleration from the accelerations of the coordinates; positions and velocities stand.
  void accelerate(const double* qdd);
  Buffer<Force<double>>& body_force() { return force_; }  ///< [n + 1] scratch of whoever asks

  Data data;
  RowLayout layout;
  RowReader reader;
  RelationNumbers relations;
  page::RowStage<double> rows;
  Buffer<double> q, v, tau, total;  ///< total: torques with passive joint effects
  JointEffects effects = {};
  PrescribedCoordinates prescribed;

 private:
  Buffer<Force<double>> force_;   ///< [n + 1] scratch
  Buffer<unsigned char> loaded_;  ///< [n + 1] scratch
};

}  // namespace zwang
