// SPDX-License-Identifier: BSD-3-Clause
// try_...: the calls of kinematics.hpp, dynamics.hpp, quantities.hpp, supported.hpp and derivatives.hpp for callers
// that take no exceptions. Those of other derivatives: real_time_derivatives.hpp.
//
// Each takes the arguments of the call of its name, then the result, and returns a Status instead of throwing:
//   invalid_input     a wrong size, a frame that the model does not have, a quaternion that is not of unit length,
//                     Data of another model, or a case that the call does not support
//   non_finite_input  NaN or infinity in q, v, a, tau or a wrench
//   singular_mass     a coordinate without inertia, or with less than the rounding of what it moves (forward_dynamics
//                     and its derivatives, articulated_inertia)
//   overflow          finite arguments, a result beyond the range of double
// `out` is what the call computed if the status is `ok`; after `invalid_input` and `non_finite_input` it is as before.
// Nothing is allocated as long as the status is neither `overflow` nor `singular_mass`; forward and inverse dynamics
// never allocate. (Arguments that Eigen must copy first, such as sums, are allocated by the caller.)
#pragma once
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/algorithm/supported.hpp"

namespace zwang {

// --- kinematics -----------------------------------------------------------------------------------------------------

Status try_forward_kinematics(const Model& model, Data& data, VectorIn q) noexcept;
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v) noexcept;
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) noexcept;
Status try_frame_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, Transform<double>& out) noexcept;
Status try_frame_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                          Motion<double>& out) noexcept;
Status try_frame_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                              AccelerationKind kind, Reference reference, Motion<double>& out,
                              bool with_gravity = false) noexcept;
Status try_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                    MatrixOut out) noexcept;
Status try_jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                        MatrixOut out) noexcept;
Status try_jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point,
                       MatrixOut out) noexcept;
Status try_relative_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                         Transform<double>& out) noexcept;
Status try_relative_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, FrameIn seen_from,
                             Reference reference, Motion<double>& out) noexcept;
Status try_relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                             Reference reference, MatrixOut out) noexcept;

// --- dynamics -------------------------------------------------------------------------------------------------------

Status try_inverse_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorOut out,
                            ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn tau, VectorOut out,
                            ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;
Status try_bias_forces(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out, ExternalsIn external = {},
                       const JointEffects& effects = {}) noexcept;
Status try_gravity_forces(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept;
Status try_static_torque(const Model& model, Data& data, VectorIn q, VectorOut out, ExternalsIn external = {},
                         const JointEffects& effects = {}) noexcept;
Status try_mass_matrix(const Model& model, Data& data, VectorIn q, MatrixOut out,
                       const JointEffects& effects = {}) noexcept;
Status try_coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept;
Status try_generalised_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut momentum,
                                VectorOut coriolis, const JointEffects& effects = {}) noexcept;
Status try_kinetic_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                          const JointEffects& effects = {}) noexcept;
Status try_potential_energy(const Model& model, Data& data, VectorIn q, double& out,
                            const JointEffects& effects = {}) noexcept;
Status try_mechanical_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                             const JointEffects& effects = {}) noexcept;

// --- centre of mass and momentum ------------------------------------------------------------------------------------

Status try_centre_of_mass(const Model& model, Data& data, VectorIn q, Vec3<double>& out) noexcept;
Status try_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, Vec3<double>& out) noexcept;
Status try_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                       Vec3<double>& out) noexcept;
Status try_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept;
Status try_centroidal_map(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept;
Status try_centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept;
Status try_centroidal_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, Force<double>& out) noexcept;
Status try_centroidal_momentum_rate(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                    Force<double>& out) noexcept;
Status try_centroidal_inertia(const Model& model, Data& data, VectorIn q, Inertia<double>& out) noexcept;

// --- subtrees, columns, regressors ----------------------------------------------------------------------------------

Status try_subtree_centre_of_mass(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                  Vec3<double>& out) noexcept;
Status try_subtree_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                           Vec3<double>& out) noexcept;
Status try_subtree_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                               FrameIn frame, Vec3<double>& out) noexcept;
Status try_subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                           MatrixOut out) noexcept;
Status try_composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept;
Status try_composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                  MatrixOut out) noexcept;
Status try_articulated_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, MatrixOut out,
                               const JointEffects& effects = {}) noexcept;
Status try_body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                         Force<double>& out) noexcept;
Status try_kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                             VectorOut out) noexcept;
Status try_column_rates(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut S,
                        MatrixOut psi_dot, MatrixOut psi_ddot) noexcept;
Status try_joint_columns(const Model& model, Data& data, VectorIn q, VectorIn v, JointId joint, MatrixOut S,
                         MatrixOut S_dot, Motion<double>& bias) noexcept;
Status try_inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                      MatrixOut out) noexcept;
Status try_frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           MatrixOut out) noexcept;
Status try_kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out) noexcept;
Status try_potential_energy_regressor(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept;
Status try_momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept;
Status try_static_regressor(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept;
Status try_friction_regressor(const Model& model, VectorIn v, MatrixOut out) noexcept;
Status try_kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                               MatrixOut out) noexcept;
Status try_supported_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept;
Status try_supported_force(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           Force<double>& out, ExternalsIn external = {}) noexcept;

// --- derivatives ----------------------------------------------------------------------------------------------------

Status try_inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                        MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external = {},
                                        const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                        VectorIn tau, MatrixOut by_q, MatrixOut by_v, MatrixOut by_tau,
                                        ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;
Status try_bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                   MatrixOut by_v, ExternalsIn external = {},
                                   const JointEffects& effects = {}) noexcept;
Status try_gravity_forces_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q) noexcept;
Status try_static_torque_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q,
                                     ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;

}  // namespace zwang
