// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/real_time.hpp"

#include <algorithm>

#include "algorithm/arguments.hpp"

namespace zwang {

namespace {

using detail::Arguments;
using detail::checked;

void give(const VectorView& from, VectorOut& out) { std::copy_n(from.data(), from.size(), out.data()); }

}  // namespace

// --- kinematics -----------------------------------------------------------------------------------------------------

Status try_forward_kinematics(const Model& model, Data& data, VectorIn q) noexcept {
  return Arguments(model, data).configuration(q).run([&] { forward_kinematics(model, data, q); });
}
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] { forward_kinematics(model, data, q, v); });
}
Status try_forward_kinematics(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).run([&] {
    forward_kinematics(model, data, q, v, a);
  });
}
Status try_frame_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, Transform<double>& out) noexcept {
  return checked<"frame_pose">(model, data, q, frame).run([&] { out = frame_pose(model, data, q, frame); });
}
Status try_frame_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                          Motion<double>& out) noexcept {
  return checked<"frame_velocity">(model, data, q, v, frame).run([&] {
    out = frame_velocity(model, data, q, v, frame, reference);
  });
}
Status try_frame_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                              AccelerationKind kind, Reference reference, Motion<double>& out,
                              bool with_gravity) noexcept {
  return checked<"frame_acceleration">(model, data, q, v, a, frame).run([&] {
    out = frame_acceleration(model, data, q, v, a, frame, kind, reference, with_gravity);
  });
}
Status try_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                    MatrixOut out) noexcept {
  return checked<"jacobian">(model, data, q, frame, out).run([&] { jacobian(model, data, q, frame, reference, out); });
}
Status try_jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, Reference reference,
                        MatrixOut out) noexcept {
  return checked<"jacobian_dot">(model, data, q, v, frame, out).run([&] {
    jacobian_dot(model, data, q, v, frame, reference, out);
  });
}
Status try_jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point,
                       MatrixOut out) noexcept {
  return checked<"jacobian_at">(model, data, q, frame, point, out).run([&] {
    jacobian_at(model, data, q, frame, point, out);
  });
}
Status try_relative_pose(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                         Transform<double>& out) noexcept {
  return checked<"relative_pose">(model, data, q, frame, seen_from).run([&] {
    out = relative_pose(model, data, q, frame, seen_from);
  });
}
Status try_relative_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame, FrameIn seen_from,
                             Reference reference, Motion<double>& out) noexcept {
  return checked<"relative_velocity">(model, data, q, v, frame, seen_from).run([&] {
    out = relative_velocity(model, data, q, v, frame, seen_from, reference);
  });
}
Status try_relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                             Reference reference, MatrixOut out) noexcept {
  return checked<"relative_jacobian">(model, data, q, frame, seen_from, out).run([&] {
    relative_jacobian(model, data, q, frame, seen_from, reference, out);
  });
}

// --- dynamics -------------------------------------------------------------------------------------------------------

Status try_bias_forces(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out, ExternalsIn external,
                       const JointEffects& effects) noexcept {
  return checked<"bias_forces">(model, data, q, v, out, external).run([&] {
    give(bias_forces(model, data, q, v, external, effects), out);
  });
}
Status try_gravity_forces(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept {
  return checked<"gravity_forces">(model, data, q, out).run([&] { give(gravity_forces(model, data, q), out); });
}
Status try_static_torque(const Model& model, Data& data, VectorIn q, VectorOut out, ExternalsIn external,
                         const JointEffects& effects) noexcept {
  return checked<"static_torque">(model, data, q, out, external).run([&] {
    give(static_torque(model, data, q, external, effects), out);
  });
}
Status try_mass_matrix(const Model& model, Data& data, VectorIn q, MatrixOut out,
                       const JointEffects& effects) noexcept {
  return checked<"mass_matrix">(model, data, q, out).run([&] { mass_matrix(model, data, q, out, effects); });
}
Status try_coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return checked<"coriolis_matrix">(model, data, q, v, out).run([&] { coriolis_matrix(model, data, q, v, out); });
}
Status try_generalised_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut momentum,
                                VectorOut coriolis, const JointEffects& effects) noexcept {
  return checked<"generalised_momentum">(model, data, q, v, momentum, coriolis).run([&] {
    generalised_momentum(model, data, q, v, momentum, coriolis, effects);
  });
}
Status try_kinetic_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                          const JointEffects& effects) noexcept {
  return checked<"kinetic_energy">(model, data, q, v).run([&] { out = kinetic_energy(model, data, q, v, effects); });
}
Status try_potential_energy(const Model& model, Data& data, VectorIn q, double& out,
                            const JointEffects& effects) noexcept {
  return checked<"potential_energy">(model, data, q).run([&] { out = potential_energy(model, data, q, effects); });
}
Status try_mechanical_energy(const Model& model, Data& data, VectorIn q, VectorIn v, double& out,
                             const JointEffects& effects) noexcept {
  return checked<"mechanical_energy">(model, data, q, v).run([&] {
    out = mechanical_energy(model, data, q, v, effects);
  });
}

// --- centre of mass and momentum ------------------------------------------------------------------------------------

Status try_centre_of_mass(const Model& model, Data& data, VectorIn q, Vec3<double>& out) noexcept {
  return checked<"centre_of_mass">(model, data, q).run([&] { out = centre_of_mass(model, data, q); });
}
Status try_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, Vec3<double>& out) noexcept {
  return checked<"centre_of_mass_velocity">(model, data, q, v).run([&] {
    out = centre_of_mass_velocity(model, data, q, v);
  });
}
Status try_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                       Vec3<double>& out) noexcept {
  return checked<"centre_of_mass_acceleration">(model, data, q, v, a).run([&] {
    out = centre_of_mass_acceleration(model, data, q, v, a);
  });
}
Status try_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return checked<"centre_of_mass_jacobian">(model, data, q, out).run([&] {
    centre_of_mass_jacobian(model, data, q, out);
  });
}
Status try_centroidal_map(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return checked<"centroidal_map">(model, data, q, out).run([&] { centroidal_map(model, data, q, out); });
}
Status try_centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return checked<"centroidal_map_dot">(model, data, q, v, out).run([&] { centroidal_map_dot(model, data, q, v, out); });
}
Status try_centroidal_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, Force<double>& out) noexcept {
  return checked<"centroidal_momentum">(model, data, q, v).run([&] { out = centroidal_momentum(model, data, q, v); });
}
Status try_centroidal_momentum_rate(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                    Force<double>& out) noexcept {
  return checked<"centroidal_momentum_rate">(model, data, q, v, a).run([&] {
    out = centroidal_momentum_rate(model, data, q, v, a);
  });
}
Status try_centroidal_inertia(const Model& model, Data& data, VectorIn q, Inertia<double>& out) noexcept {
  return checked<"centroidal_inertia">(model, data, q).run([&] { out = centroidal_inertia(model, data, q); });
}

// --- subtrees, columns, regressors ----------------------------------------------------------------------------------

Status try_subtree_centre_of_mass(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                  Vec3<double>& out) noexcept {
  return checked<"subtree_centre_of_mass">(model, data, q, frame).run([&] {
    out = subtree_centre_of_mass(model, data, q, frame);
  });
}
Status try_subtree_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                           Vec3<double>& out) noexcept {
  return checked<"subtree_centre_of_mass_velocity">(model, data, q, v, frame).run([&] {
    out = subtree_centre_of_mass_velocity(model, data, q, v, frame);
  });
}
Status try_subtree_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                               FrameIn frame, Vec3<double>& out) noexcept {
  return checked<"subtree_centre_of_mass_acceleration">(model, data, q, v, a, frame).run([&] {
    out = subtree_centre_of_mass_acceleration(model, data, q, v, a, frame);
  });
}
Status try_subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                           MatrixOut out) noexcept {
  return checked<"subtree_centre_of_mass_jacobian">(model, data, q, frame, out).run([&] {
    subtree_centre_of_mass_jacobian(model, data, q, frame, out);
  });
}
Status try_composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept {
  return checked<"composite_inertia">(model, data, q, frame).run([&] {
    out = composite_inertia(model, data, q, frame);
  });
}
Status try_composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                                  MatrixOut out) noexcept {
  return checked<"composite_inertia_rate">(model, data, q, v, frame, out).run([&] {
    composite_inertia_rate(model, data, q, v, frame, out);
  });
}
Status try_articulated_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, MatrixOut out,
                               const JointEffects& effects) noexcept {
  return checked<"articulated_inertia">(model, data, q, frame, out).run([&] {
    articulated_inertia(model, data, q, frame, out, effects);
  });
}
Status try_body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame,
                         Force<double>& out) noexcept {
  return checked<"body_momentum">(model, data, q, v, frame).run([&] { out = body_momentum(model, data, q, v, frame); });
}
Status try_kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                             VectorOut out) noexcept {
  return checked<"kinematic_hessian">(model, data, q, frame, out).run([&] {
    kinematic_hessian(model, data, q, frame, reference, out);
  });
}
Status try_column_rates(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut S,
                        MatrixOut psi_dot, MatrixOut psi_ddot) noexcept {
  return checked<"column_rates">(model, data, q, v, a, S, psi_dot, psi_ddot).run([&] {
    column_rates(model, data, q, v, a, S, psi_dot, psi_ddot);
  });
}
Status try_joint_columns(const Model& model, Data& data, VectorIn q, VectorIn v, JointId joint, MatrixOut S,
                         MatrixOut S_dot, Motion<double>& bias) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).run([&] {
    bias = joint_columns(model, data, q, v, joint, S, S_dot);
  });
}
Status try_inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                      MatrixOut out) noexcept {
  return checked<"inverse_dynamics_regressor">(model, data, q, v, a, out).run([&] {
    inverse_dynamics_regressor(model, data, q, v, a, out);
  });
}
Status try_frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           MatrixOut out) noexcept {
  return checked<"frame_regressor">(model, data, q, v, a, frame, out).run([&] {
    frame_regressor(model, data, q, v, a, frame, out);
  });
}
Status try_kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out) noexcept {
  return checked<"kinetic_energy_regressor">(model, data, q, v, out).run([&] {
    kinetic_energy_regressor(model, data, q, v, out);
  });
}
Status try_potential_energy_regressor(const Model& model, Data& data, VectorIn q, VectorOut out) noexcept {
  return checked<"potential_energy_regressor">(model, data, q, out).run([&] {
    potential_energy_regressor(model, data, q, out);
  });
}
Status try_momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) noexcept {
  return checked<"momentum_regressor">(model, data, q, v, out).run([&] { momentum_regressor(model, data, q, v, out); });
}
Status try_static_regressor(const Model& model, Data& data, VectorIn q, MatrixOut out) noexcept {
  return checked<"static_regressor">(model, data, q, out).run([&] { static_regressor(model, data, q, out); });
}

Status try_friction_regressor(const Model& model, VectorIn v, MatrixOut out) noexcept {
  if (v.size() != model.nv() || out.rows() != model.nv() || out.cols() != 2 * model.nv()) return Status::invalid_input;
  if (!all_finite(v.data(), v.size())) return Status::non_finite_input;
  friction_regressor(model, v, out);
  return Status::ok;
}
Status try_kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn frame, Reference reference,
                               MatrixOut out) noexcept {
  return checked<"kinematic_regressor">(model, data, q, frame, out).run([&] {
    kinematic_regressor(model, data, q, frame, reference, out);
  });
}

Status try_supported_inertia(const Model& model, Data& data, VectorIn q, FrameIn frame, Inertia<double>& out) noexcept {
  return Arguments(model, data).configuration(q).frame(frame).run([&] {
    out = supported_inertia(model, data, q, frame);
  });
}
Status try_supported_force(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame,
                           Force<double>& out, ExternalsIn external) noexcept {
  return Arguments(model, data).configuration(q).tangent(v).tangent(a).frame(frame).wrenches(external).run([&] {
    out = supported_force(model, data, q, v, a, frame, external);
  });
}

Status try_inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                        MatrixOut by_q, MatrixOut by_v, MatrixOut by_a, ExternalsIn external,
                                        const JointEffects& effects) noexcept {
  return checked<"inverse_dynamics_derivatives">(model, data, q, v, a, external, by_q, by_v, by_a).run([&] {
    inverse_dynamics_derivatives(model, data, q, v, a, by_q, by_v, by_a, external, effects);
  });
}
Status try_forward_dynamics_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q, VectorIn v,
                                        VectorIn tau, MatrixOut by_q, MatrixOut by_v, MatrixOut by_tau,
                                        ExternalsIn external, const JointEffects& effects) noexcept {
  return checked<"forward_dynamics_derivatives">(model, data, q, v, tau, external, by_q, by_v, by_tau).run([&] {
    forward_dynamics_derivatives(model, data, factor, q, v, tau, by_q, by_v, by_tau, external, effects);
  });
}
Status try_bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut by_q,
                                   MatrixOut by_v, ExternalsIn external, const JointEffects& effects) noexcept {
  return checked<"bias_forces_derivatives">(model, data, q, v, external, by_q, by_v).run([&] {
    bias_forces_derivatives(model, data, q, v, by_q, by_v, external, effects);
  });
}
Status try_gravity_forces_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q) noexcept {
  return checked<"gravity_forces_derivatives">(model, data, q, by_q).run([&] {
    gravity_forces_derivatives(model, data, q, by_q);
  });
}
Status try_static_torque_derivatives(const Model& model, Data& data, VectorIn q, MatrixOut by_q, ExternalsIn external,
                                     const JointEffects& effects) noexcept {
  return checked<"static_torque_derivatives">(model, data, q, external, by_q).run([&] {
    static_torque_derivatives(model, data, q, by_q, external, effects);
  });
}

}  // namespace zwang
