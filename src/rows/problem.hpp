// SPDX-License-Identifier: BSD-3-Clause
// Problem: constrained dynamics at one state, independent of the method that solves it.
//
//   M a + h = tau + J^T lambda,   J a + R lambda = beta - J' v        a_k given where coordinate k is prescribed
// RowReader reads the rows of the set; RelationNumbers evaluates at the state those that act between bodies. A sweep
// attaches the rows to the bodies on its way, attach() does so without a sweep. `rows` then holds K and l of every row.
#pragma once
#include "linear/interruption.hpp"
#include "rows/outside_wrenches.hpp"
#include "rows/relation_numbers.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

/// Coordinates whose accelerations are given.
struct PrescribedCoordinates {
  explicit PrescribedCoordinates(Index nv = 0) : is(nv), value(nv), seen(nv) {}
  bool any = false;
  Buffer<unsigned char> is;    ///< [nv]
  Buffer<double> value;        ///< [nv] at the coordinates where `is` is set
  Buffer<unsigned char> seen;  ///< [nv] scratch for checks
};

struct Problem {
  Problem(const Model& model, const ConstraintSet& set, Index spare_rows, bool may_be_early);

  /// Reads the set as it is now; throws if it is not valid for the purpose.
  void read(const RowPurpose& purpose) { reader.read(layout, purpose); }
  void set_state(const double* position, const double* velocity);  ///< velocity nullptr: at rest
  void take_prescribed(const Prescribed* list);
  bool prescribes_the_same(const Prescribed* list) const;
  /// Torques (nullptr: none) and external wrenches; `total` also includes the passive joint effects.
  void take_forces(const double* torque, const Externals* external);
  /// Prepares rows between bodies, and rows in the axes of a body that the sweep enters later, before a sweep begins.
  void prepare_rows();
  /// Attaches the rows to their bodies without a sweep: K, l, R of each. Reads positions and velocities of `data`.
  void attach();
  /// Residuals at zero joint acceleration of the rows as the set has them now, into l [m]. False if these rows are not
  /// the attached ones.
  bool read_again(double* l);

  // The attached rows, by their index in the sweep.
  const Constraint& constraint_of(Index k) const { return layout.constraint(reader.constraint_of[k]); }
  std::size_t row_in_constraint(Index k) const {
    return static_cast<std::size_t>(reader.row_of[k] - layout.first_row_of(reader.constraint_of[k]));
  }
  /// The acceleration that a row asks for, or the change of velocity.
  double asked(Index k) const {
    return reader.shock != nullptr ? reader.shock->change[reader.row_of[k]]
                                   : constraint_of(k).beta[row_in_constraint(k)];
  }
  std::string_view row_name(Index k) const { return constraint_of(k).row_names[row_in_constraint(k)]; }
  /// How far the row of a relation may be off, relative to its size, because the relation is not closed: a loop that an
  /// integrator has left by 1e-8 of its length must not gain directions. 0 for other rows.
  double openness(Index k) const;
  /// The same for the row's right-hand side, which also follows the velocities: openness + how far they violate the
  /// relation, relative to the velocities in it.
  double drift(Index k) const;
  bool is_hard(Index k) const { return rows.compliance[k] == 0; }
  /// Entry of J: K s of a row for a column of the tree, all joints in between rigid.
  double jacobian(Index k, Index column) const;
  /// What rounding may leave of a residual: 8 (n + m) eps times the sizes of the row's wrenches and of the accelerations
  /// in `data`, which do not vanish where the row holds by symmetry.
  double rounding(Index k) const;
  /// Adds J^T lambda of physical rows, of driver rows or of both to out [nv]. Visits only the paths from their bodies.
  void add_joint_forces(bool physical, bool driver, const double* lambda, double* out);
  /// h [nv]: the torques that keep the joint accelerations zero under velocities, gravity and external wrenches.
  void bias_forces(double* h) { starting_torques(true, true, true, h); }
  /// The same for selected causes.
  void starting_torques(bool velocity, bool gravity, bool external, double* h);
  /// out [nv] = M q'' - J^T lambda; data.acceleration must belong to q''.
  void torques_of_motion(const double* qdd, const double* lambda, double* out);
  /// data.acceleration from the accelerations of the coordinates; positions and velocities are not changed.
  void accelerate(const double* qdd);
  Buffer<Force<double>>& body_force() { return force_; }  ///< [n + 1] scratch for callers

  Data data;
  RowLayout layout;
  RowReader reader;
  RelationNumbers relations;
  page::RowNumbers<double> rows;
  /// Somebody has evaluated the relations and the kinematics at this state: prepare_rows() and attach() do not.
  bool relations_known = false;
  Buffer<double> q, v, tau, total;  ///< total: tau plus passive joint effects
  OutsideWrenches outside;          ///< the external wrenches, for derivatives; valid while `data` has any
  JointEffects effects = {};
  PrescribedCoordinates prescribed;
  Interruption interruption;     ///< of the solve that is going on
  const char* border = nullptr;  ///< why the solution has no derivative: a row is at the border of its conditions

 private:
  Buffer<Force<double>> force_;   ///< [n + 1] scratch
  Buffer<unsigned char> loaded_;  ///< [n + 1] scratch
};

}  // namespace zwang
