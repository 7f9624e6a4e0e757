// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the last solution of a Solver, at the factor that the solve left, whatever method solved.
//
//   r1 = ID(q, v, q'') + passive - tau - J^T lambda = 0,   r2 = J q'' + J' v + R lambda - beta + stabilisation = 0
//   d(q'', lambda) = -A^-1 [d r1; d r2]  by any input,   A = [M, -J^T; J, R]
// By q: along q (+) d, one column for each coordinate of v. beta, targets, R, external wrenches in the axes in which
// they are given, prescribed accelerations and settings are constant. mu of `damping` and `proximal` is held at its
// value. Rows are those of the set, in order of insertion; inactive ones have zeros.
//
// Dependent rows: the derivatives at constant rank, lambda of least norm. Where there is none, or none that
// could be told from rounding, the status is `not_differentiable`, `reason` says why and all numbers are 0: the
// last solve is not ok, rows are contradictory or given up, the rank changes nearby, rows leave drivers
// uncompensated, or rows written by the user.
#pragma once
#include <string_view>

#include "zwang/solve/solver.hpp"

namespace zwang {

/// A matrix of the solver's: valid until the next call that computes it, or the end of the Solver.
using JacobianView = Eigen::Map<const Eigen::MatrixXd>;

/// Derivatives of one vector.
struct SolutionJacobian {
  JacobianView q{nullptr, 0, 0}, v{nullptr, 0, 0}, tau{nullptr, 0, 0};  ///< [size x nv]
  JacobianView beta{nullptr, 0, 0};                                     ///< [size x rows]
};
/// Derivatives of what rows say of a state, [rows x nv]: for solvers to which accelerations are unknowns.
struct RowsByPosition {
  JacobianView q{nullptr, 0, 0};
};
/// How a quantity of the rows varies with q and v.
struct RowsByVelocity : RowsByPosition {
  JacobianView v{nullptr, 0, 0};
};
/// How a quantity of the rows varies with q, v and a.
struct RowsByAcceleration : RowsByVelocity {
  JacobianView a{nullptr, 0, 0};
};
/// Derivatives of the parts of a solution.
struct SolutionDerivatives {
  Status status = Status::ok;
  std::string_view reason = {};
  SolutionJacobian acceleration, multipliers;
  /// Of tau + J^T lambda of driver rows, and of the torques at prescribed coordinates.
  SolutionJacobian motor_torque;
  /// Of Solution::residual, J a + J' v + stabilisation - beta, by q, v and a as if each were free. `a` is J.
  RowsByAcceleration residual;
  RowsByVelocity velocity_error;  ///< of Solution::velocity_error, J v - target_velocity; `v` is J
  /// Of Solution::position_error: J of the rows that have one, NaN where the error itself is NaN.
  RowsByPosition position_error;
};
/// Derivatives of one of the three by a generalised force that is no motor's, such as J_f^T of a wrench on a frame:
/// [size x nv]. As by tau, but that the motors of prescribed coordinates answer for it.
inline Eigen::MatrixXd by_generalised_force(const SolutionDerivatives& d, const SolutionJacobian& of) {
  Eigen::MatrixXd out = of.tau;
  if (&of == &d.motor_torque && d.status == Status::ok)
    for (Eigen::Index y = 0; y < out.rows(); ++y) out(y, y) -= 1;
  return out;
}

/// The weights of the solution in a scalar: its gradient by each vector. Empty ones are zero.
struct SolutionGradient {
  ConstVector acceleration = {};  ///< [nv]
  ConstVector multipliers = {};   ///< [rows]
  ConstVector motor_torque = {};  ///< [nv]
};
/// Whether vjp() gives the two parts that cost most, a seventh to a fifth of its time. What is left out is empty.
struct GradientParts {
  bool inertial_parameters = true, placement = true;
};
/// The gradient of that scalar by what the solve has read.
struct InputGradient {
  Status status = Status::ok;
  std::string_view reason = {};
  VectorView q{nullptr, 0}, v{nullptr, 0}, tau{nullptr, 0};  ///< [nv]
  VectorView prescribed{nullptr, 0};  ///< [nv] by the accelerations of prescribed coordinates; 0 at others
  /// [nv] by a generalised force that is no motor's. By a wrench on a frame: J_f times it.
  VectorView force{nullptr, 0};
  VectorView beta{nullptr, 0};  ///< [rows]
  /// [rows]; 0 without stabilisation. `target`: 0 at rows of velocities alone, whose position error is NaN.
  VectorView target{nullptr, 0}, target_velocity{nullptr, 0};
  VectorView compliance{nullptr, 0};  ///< [rows]; 0 of hard rows
  /// [constraints] by Stabilisation::time_constant and damping_ratio; 0 without stabilisation.
  VectorView time_constant{nullptr, 0}, damping_ratio{nullptr, 0};
  VectorView armature{nullptr, 0}, damping{nullptr, 0}, stiffness{nullptr, 0};  ///< [nv] of the coordinates' joints
  Eigen::Vector3d gravity;
  VectorView inertial_parameters{nullptr, 0};  ///< [10 links] in the order of inertial_parameters(model)
  /// [6 x joints] along X exp(d), X the joint frame in its parent link, d = [shift; turn] in joint
  /// axes. Constraints on frames behind the joint move with it. NaN at joints that were merged into a
  /// body: build without `lump` to have them.
  JacobianView placement{nullptr, 0, 0};
};

/// A direction in which inputs vary. Empty ones do not.
struct InputVariation {
  ConstVector q = {}, v = {}, tau = {};  ///< [nv]
  ConstVector beta = {};                 ///< [rows]
  ConstVector force = {};                ///< [nv] generalised forces that are no motor's
};
/// How the solution varies along it.
struct SolutionVariation {
  Status status = Status::ok;
  std::string_view reason = {};
  VectorView acceleration{nullptr, 0}, multipliers{nullptr, 0}, motor_torque{nullptr, 0};
};

/// How the gradient varies along a direction d of the inputs: H d, H the scalar's Hessian by q, v, tau and beta.
/// Component x is L_d L_x s: increments of q on the right, first those of the gradient, then that of d. Within a joint
/// whose increments do not commute H is not symmetric: d1.(H d2) - d2.(H d1) = [d2, d1].(gradient by q), [.,.] the
/// bracket of the joint's group. Its symmetric part is the Hessian of s(q (+) d) by d at 0.
struct GradientVariation {
  Status status = Status::ok;
  std::string_view reason = {};
  VectorView q{nullptr, 0}, v{nullptr, 0}, tau{nullptr, 0};  ///< [nv]
  VectorView beta{nullptr, 0};                               ///< [rows]
  VectorView prescribed{nullptr, 0}, force{nullptr, 0};      ///< [nv] as those of InputGradient
};

}  // namespace zwang
