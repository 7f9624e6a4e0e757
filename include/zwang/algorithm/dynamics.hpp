// SPDX-License-Identifier: BSD-3-Clause
// Inverse and forward dynamics, mass matrix, bias and gravity, energies, centre of mass: M(q) a + h(q, v) = tau.
//
// h holds velocity products, gravity, external wrenches and JointEffects. Vectors of coordinates
// have nq or nv entries in the model's order. Sizes, finiteness and the match of Data and Model are checked in every
// call (std::invalid_argument, WorkspaceMismatch); nothing is allocated. Views returned live in Data until the same
// call is repeated.
#pragma once
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/core/status.hpp"

namespace zwang {

/// tau that produces the acceleration a. [N m, N]. Luh, Walker & Paul 1980. Cost O(n). Also fills joint wrenches.
VectorView inverse_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                            ExternalsIn external = {}, const JointEffects& effects = {});
/// h(q, v): inverse dynamics at a = 0.
VectorView bias_forces(const Model& model, Data& data, VectorIn q, VectorIn v, ExternalsIn external = {},
                       const JointEffects& effects = {});
/// All of gravity alone, whatever gravity_scale is: the motor torques that hold the robot still without springs.
VectorView gravity_forces(const Model& model, Data& data, VectorIn q);

/// a from tau. [rad/s^2, m/s^2]. Featherstone 2008, ch. 7. Cost O(n). Also fills velocities and accelerations of all
/// bodies. Throws SingularMassError naming the joint where a column has no inertia.
VectorView forward_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau,
                            ExternalsIn external = {}, const JointEffects& effects = {});

/// M(q), nv x nv, symmetric, both triangles. Walker & Orin 1982. Cost O(n d).
void mass_matrix(const Model& model, Data& data, VectorIn q, MatrixOut out, const JointEffects& effects = {});

/// The wrench that a joint transmits to its child link, in the child link's axes about its origin: what a force-torque
/// sensor in the joint reads. Reads the last inverse dynamics.
Force<double> joint_wrench(const Model& model, const Data& data, LinkId child);

/// 1/2 v^T M v [J]
double kinetic_energy(const Model& model, Data& data, VectorIn q, VectorIn v, const JointEffects& effects = {});
/// -sum gravity_scale m g.c over moving links, plus springs [J]; zero at the world's origin.
double potential_energy(const Model& model, Data& data, VectorIn q, const JointEffects& effects = {});

/// Centre of mass of everything that moves [m], world.
Vec3<double> centre_of_mass(const Model& model, Data& data, VectorIn q);
/// Its velocity [m/s] and acceleration [m/s^2], world axes. Without q they read the stages of forward_kinematics.
Vec3<double> centre_of_mass_velocity(const Model& model, const Data& data);
Vec3<double> centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v);
Vec3<double> centre_of_mass_acceleration(const Model& model, const Data& data);
Vec3<double> centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a);
/// 3 x nv
void centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, MatrixOut out);

/// The recursive Newton-Euler algorithm: another name of inverse_dynamics.
inline VectorView rnea(const Model& m, Data& d, VectorIn q, VectorIn v, VectorIn a) {
  return inverse_dynamics(m, d, q, v, a);
}
/// The articulated-body algorithm: another name of forward_dynamics.
inline VectorView aba(const Model& m, Data& d, VectorIn q, VectorIn v, VectorIn tau) {
  return forward_dynamics(m, d, q, v, tau);
}

}  // namespace zwang
