// SPDX-License-Identifier: BSD-3-Clause
// Coriolis matrix, centroidal dynamics, regressors, the Hessian of kinematics, inertias and momenta of subtrees.
//
// Vectors of coordinates have nq or nv entries in the model's order. Matrices are overwritten. Sizes,
// finiteness and the match of Data and Model are checked in every call (std::invalid_argument,
// WorkspaceMismatch); nothing is allocated.
#pragma once
#include "zwang/algorithm/dynamics.hpp"

namespace zwang {

// --- M a + C v + g = tau --------------------------------------------------------------------------------------------

/// C(q, v), nv x nv: C v + gravity_forces = bias_forces (damping, springs, gravity_scale off, no wrenches), and
/// dM/dt - 2 C is skew, for every joint type. Echeandia & Wensing 2021. Cost O(n d).
void coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out);
/// p = M v, the momentum of the coordinates [N m s, N s], and C^T v [N m, N], which the turning axes of the joints add
/// to its rate: dp/dt = tau + C^T v - gravity_forces (those effects off, no external wrenches), for every joint
/// type. De Luca & Mattone 2005. Both nv; cost O(n), without M and C.
void generalised_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut momentum,
                          VectorOut coriolis, const JointEffects& effects = {});
/// Torques that hold the robot still against gravity, springs and external wrenches: inverse dynamics at v = a = 0. The
/// view is that of bias_forces, too.
VectorView static_torque(const Model& model, Data& data, VectorIn q, ExternalsIn external = {},
                         const JointEffects& effects = {});
/// Kinetic plus potential energy [J].
double mechanical_energy(const Model& model, Data& data, VectorIn q, VectorIn v, const JointEffects& effects = {});

// --- momentum about the centre of mass, world axes ------------------------------------------------------------------

/// A(q), 6 x nv: [linear; angular] momentum of everything that moves, about its centre of mass, is A v. Orin, Goswami &
/// Lee 2013. Cost O(n d). Rotors are not counted.
void centroidal_map(const Model& model, Data& data, VectorIn q, MatrixOut out);
/// dA/dt, 6 x nv: A a + (dA/dt) v is the rate of that momentum.
void centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out);
/// A v [kg m/s; kg m^2/s] by one pass over the bodies.
Force<double> centroidal_momentum(const Model& model, Data& data, VectorIn q, VectorIn v);
/// Its rate [N; N m]: the sum of all external wrenches and of gravity, about the centre of mass.
Force<double> centroidal_momentum_rate(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a);
/// Inertia of everything that moves as one body, about its centre of mass, world axes; h is zero.
Inertia<double> centroidal_inertia(const Model& model, Data& data, VectorIn q);

// --- one link, and what hangs on it ---------------------------------------------------------------------------------

/// Mass of the frame's body and of everything that it carries [kg].
double subtree_mass(const Model& model, const Data& data, FrameIn frame);
/// Their centre of mass [m], world. Zero mass: the body's origin.
Vec3<double> subtree_centre_of_mass(const Model& model, Data& data, VectorIn q, FrameIn frame);
/// Its velocity [m/s] and acceleration [m/s^2], world axes.
Vec3<double> subtree_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame);
Vec3<double> subtree_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                                 FrameIn frame);
/// J with that velocity = J v, 3 x nv. Cost O(bodies of the subtree times d).
void subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, MatrixOut out);
/// Inertia of the frame's body and of everything that it carries, as one rigid body,
/// about the frame's origin, its axes.
Inertia<double> composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame);
/// d/dt of the 6 x 6 matrix of that inertia with axes that do not turn and a point that does not move: v x* I - I v x
/// of every body; 6 x 6, linear rows first, about the frame's origin, its axes.
void composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, MatrixOut out);
/// The inertia that a wrench on the frame meets if all joints behind it are free and the joint that carries it is cut:
/// 6 x 6, about the frame's origin, its axes. Featherstone 2008, chapter 7. Throws SingularMassError.
void articulated_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, MatrixOut out,
                         const JointEffects& effects = {});
/// Momentum of the frame's body, everything lumped into it, about the frame's origin, its axes [kg m/s; kg m^2/s].
Force<double> body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame);
/// An alias.
inline Force<double> link_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame) {
  return body_momentum(model, data, q, v, frame);
}

// --- columns --------------------------------------------------------------------------------------------------------

/// Coordinates whose motion moves the frame, ascending: the columns of its Jacobian that are not zero by construction.
std::vector<Index> support(const Model& model, FrameIn frame);
/// Columns of one joint, world axes about the world's origin, 6 x its coordinates: S, and dS/dt; of a joint
/// that mimics, per unit of its leader. Returns the bias dS/dt v of the joint: what it adds to its child's
/// spatial acceleration at zero joint acceleration, relative to the link before it. Throws
/// std::invalid_argument for a lumped joint.
Motion<double> joint_columns(const Model& model, Data& data, VectorIn q, VectorIn v, JointId joint, MatrixOut S,
                             MatrixOut S_dot);
/// S of all joints about the world's origin, world axes, 6 x nv: what column_rates gives first. Reads the positions
/// of forward_kinematics. Of coordinates that several joints share: the sum.
void joint_columns(const Model& model, Data& data, MatrixOut S);
/// dJ/dq of a frame's Jacobian: d J[r, k]/d q_j at out[(r nv + k) nv + j], 6 nv nv numbers, for increments q (+) dq.
/// Carpentier & Mansard 2018. Cost O(d^2), writing O(n^2).
void kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference, VectorOut out);
/// Columns of all joints about the world's origin, world axes, 6 x nv each: S; psi_dot = v_p x S; and psi_ddot = a_p x
/// S + v_p x psi_dot, where v_p, a_p (minus gravity) are of the body before the joint. Of coordinates that several
/// joints share: the sums. Singh, Russell & Wensing 2022.
void column_rates(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut S, MatrixOut psi_dot,
                  MatrixOut psi_ddot);

// --- linear in the inertial parameters of links ---------------------------------------------------------------------
// Ten a link, in the order of model.links(): m, m c, I about the link's origin (xx xy yy xz yz zz), in link axes.

/// phi [10 links] of the model, without payloads of Data.
void inertial_parameters(const Model& model, VectorOut out);
/// Y, nv x 10 links: Y phi = inverse_dynamics (all JointEffects off; no external wrenches).
/// Atkeson, An & Hollerbach 1986. Cost O(links d).
void inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut out);
/// 6 x 10: the wrench, in the frame's axes about its origin, that moves a body with these parameters (in the frame's
/// axes) along with the frame.
void frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame, MatrixOut out);
/// 6 x 10 of one free body: velocity, and acceleration minus gravity (both spatial), in its axes about its origin.
void body_regressor(const Motion<double>& velocity, const Motion<double>& acceleration, MatrixOut out);
/// y [10 links] with y.phi the kinetic energy of links, without rotors.
void kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out);
/// y [10 links] with y.phi the potential energy in all of gravity, without springs.
void potential_energy_regressor(const Model& model, Data& data, VectorIn q, VectorOut out);
/// 6 x 10 links: momentum about the world's origin, world axes.
void momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out);
/// 3 x 4 links: the centre of mass from (m, m c) of the links, divided by the mass of what moves.
void static_regressor(const Model& model, Data& data, VectorIn q, MatrixOut out);

/// nv x 2 nv: diag(v), diag(sign v): times (damping, Coulomb friction) of the coordinates,
/// the torques that inverse dynamics adds for them.
void friction_regressor(const Model& model, VectorIn v, MatrixOut out);
/// 6 x 6 joints, linear rows first: the velocity of the frame if each joint's placement (description.origin) moved with
/// a twist in its own axes about its own origin, model.joints() in order. For the calibration of geometry.
void kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference, MatrixOut out);

}  // namespace zwang
