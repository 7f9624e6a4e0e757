// SPDX-License-Identifier: BSD-3-Clause
// try_...: the calls of kinematics_derivatives.hpp, joint_wrench_derivatives.hpp, derivative_products.hpp,
// second_derivatives.hpp, parameter_derivatives.hpp and all_terms.hpp for callers that take no exceptions. What they
// return, and when outputs are written: algorithm/real_time.hpp, which has the other calls.
#pragma once
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/derivative_products.hpp"
#include "zwang/algorithm/joint_wrench_derivatives.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"
#include "zwang/algorithm/parameter_derivatives.hpp"
#include "zwang/algorithm/real_time.hpp"
#include "zwang/algorithm/second_derivatives.hpp"

namespace zwang {

Status try_all_terms(const Model& model, Data& data, VectorIn q, VectorIn v, AllTerms& out,
                     const JointEffects& effects = {}) noexcept;

// --- of kinematics and of wrenches -----------------------------------------------------------------------------------

Status try_frame_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                      Reference reference, MatrixOut by_q, MatrixOut by_v) noexcept;
Status try_frame_acceleration_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                          FrameIn frame, AccelerationKind kind, Reference reference, MatrixOut by_q,
                                          MatrixOut by_v, MatrixOut by_a, bool with_gravity = false) noexcept;
Status try_centre_of_mass_velocity_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                               MatrixOut by_v) noexcept;
Status try_centroidal_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                  MatrixOut momentum_by_q, MatrixOut momentum_by_v, MatrixOut rate_by_q,
                                  MatrixOut rate_by_v, MatrixOut rate_by_a) noexcept;
Status try_joint_wrench_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, JointId joint,
                                    MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external = {}) noexcept;

// --- products with a vector ------------------------------------------------------------------------------------------

Status try_inverse_dynamics_jvp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn dq,
                                VectorIn dv, VectorIn da, VectorOut dtau, ExternalsIn external = {},
                                const JointEffects& effects = {}) noexcept;
Status try_inverse_dynamics_vjp(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, VectorIn w,
                                VectorOut by_q, VectorOut by_v, VectorOut by_a, ExternalsIn external = {},
                                const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics_jvp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn dq, VectorIn dv, VectorIn dtau, VectorOut da,
                                ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics_vjp(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                VectorIn tau, VectorIn w, VectorOut by_q, VectorOut by_v, VectorOut by_tau,
                                ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;

// --- by parameters ---------------------------------------------------------------------------------------------------

Status try_inverse_dynamics_parameter_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                                  Parameter parameter, MatrixOut out, ExternalsIn external = {},
                                                  const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics_parameter_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                                  VectorIn v, VectorIn tau, Parameter parameter, MatrixOut out,
                                                  ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;
Status try_inverse_dynamics_wrench_derivatives(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                               Reference reference, MatrixOut out) noexcept;
Status try_forward_dynamics_wrench_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               FrameIn frame, Reference reference, MatrixOut out,
                                               const JointEffects& effects = {}) noexcept;

// --- of second order -------------------------------------------------------------------------------------------------

Status try_inverse_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                               SecondDerivatives& out, ExternalsIn external = {},
                                               const JointEffects& effects = {}) noexcept;
Status try_forward_dynamics_second_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               VectorIn v, VectorIn tau, ForwardSecondDerivatives& out,
                                               ExternalsIn external = {}, const JointEffects& effects = {}) noexcept;

}  // namespace zwang
