// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of dynamics, exact to rounding, for every joint.
//
// Derivatives by q are those along q (+) d at d = 0, one column for each coordinate of v: d is a body increment of the
// joint's group (model/joints/groups.hpp), a plain sum where q' = v. External wrenches are constant in the axes in
// which they are given. Coulomb friction is piecewise constant and has no part. Matrices are nv x nv, written whole.
// Forms that return them: algorithm/values.hpp.
//
// Each throws what the function that it differentiates throws, std::invalid_argument naming an output of the
// wrong size, and ArithmeticOverflowError.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang {

/// d tau of inverse_dynamics(): by q, by v and by a, which is the mass matrix. Singh, Russell & Wensing 2022. Cost
/// O(n d). Leaves positions, velocities and accelerations of the bodies in Data.
void inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut by_q,
                                  MatrixOut by_v, MatrixOut by_a, ExternalsIn external = {},
                                  const JointEffects& effects = {});

/// d a of forward_dynamics(): by q, by v and by tau, which is the inverse of the mass matrix:
/// -M^-1 d tau/dq and -M^-1 d tau/dv of inverse dynamics at the accelerations of forward dynamics, which it returns.
/// `factor`, made for the model, holds the factors of M afterwards. Cost that of forward dynamics, which leaves the
/// factors, of d tau and of solving for all columns; where joints share coordinates, or bodies have hardly any inertia
/// beside what they carry, the factors are those of M. Throws SingularMassError.
VectorView forward_dynamics_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                        VectorIn tau, MatrixOut by_q, MatrixOut by_v, MatrixOut by_tau,
                                        ExternalsIn external = {}, const JointEffects& effects = {});

/// d of bias_forces() by q and v.
void bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q, MatrixOut by_v,
                             ExternalsIn external = {}, const JointEffects& effects = {});
/// d of gravity_forces() by q.
void gravity_forces_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q);
/// d of static_torque() by q.
void static_torque_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q, ExternalsIn external = {},
                               const JointEffects& effects = {});

}  // namespace zwang
