// SPDX-License-Identifier: BSD-3-Clause
// Value forms: the calls that write a matrix or a long vector, returning one of their own, which is allocated in every
// call. Equation, axes and units stand with the call of the same name.
//
//   const Eigen::MatrixXd C = coriolis_matrix(arm, data, q, v);
//   const auto J = jacobian<zwang::Jacobian>(arm, data, q, "tool0");   // a type of one's own, here with 6 rows
#pragma once
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/quantities.hpp"

namespace zwang {

namespace detail {
/// Calls fill(out) with a matrix of this size and returns it.
template <class Matrix, class Fill> Matrix filled(Index rows, Index columns, const Fill& fill) {
  Matrix out(rows, columns);
  fill(out);
  return out;
}
}  // namespace detail

// --- kinematics ------------------------------------------------------------------------------------------------------

template <class Matrix = Eigen::MatrixXd> Matrix jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame,
                                                          Reference reference = Reference::local_world_aligned) {
  return detail::filled<Matrix>(6, model.nv(), [&](auto& out) { jacobian(model, data, q, frame, reference, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix jacobian_dot(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                              FrameIn frame,
                                                              Reference reference = Reference::local_world_aligned) {
  return detail::filled<Matrix>(6, model.nv(),
                                [&](auto& out) { jacobian_dot(model, data, q, v, frame, reference, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix jacobian_at(const Model& model, Data& data, VectorIn q, FrameIn frame, const Vec3<double>& point) {
  return detail::filled<Matrix>(6, model.nv(), [&](auto& out) { jacobian_at(model, data, q, frame, point, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix relative_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame, FrameIn seen_from,
                         Reference reference = Reference::local_world_aligned) {
  return detail::filled<Matrix>(
      6, model.nv(), [&](auto& out) { relative_jacobian(model, data, q, frame, seen_from, reference, out); });
}
template <class Vector = Eigen::VectorXd>
Vector kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn frame,
                         Reference reference = Reference::local_world_aligned) {
  return detail::filled<Vector>(6 * model.nv() * model.nv(), 1,
                                [&](auto& out) { kinematic_hessian(model, data, q, frame, reference, out); });
}

// --- dynamics --------------------------------------------------------------------------------------------------------

template <class Matrix = Eigen::MatrixXd>
Matrix mass_matrix(const Model& model, Data& data, VectorIn q, const JointEffects& effects = {}) {
  return detail::filled<Matrix>(model.nv(), model.nv(), [&](auto& out) { mass_matrix(model, data, q, out, effects); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v) {
  return detail::filled<Matrix>(model.nv(), model.nv(), [&](auto& out) { coriolis_matrix(model, data, q, v, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q) {
  return detail::filled<Matrix>(3, model.nv(), [&](auto& out) { centre_of_mass_jacobian(model, data, q, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix centroidal_map(const Model& model, Data& data, VectorIn q) {
  return detail::filled<Matrix>(6, model.nv(), [&](auto& out) { centroidal_map(model, data, q, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v) {
  return detail::filled<Matrix>(6, model.nv(), [&](auto& out) { centroidal_map_dot(model, data, q, v, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn frame) {
  return detail::filled<Matrix>(6, 6, [&](auto& out) { composite_inertia_rate(model, data, q, v, frame, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix articulated_inertia(const Model& model, Data& data, VectorIn q,
                                                                     FrameIn frame, const JointEffects& effects = {}) {
  return detail::filled<Matrix>(6, 6, [&](auto& out) { articulated_inertia(model, data, q, frame, out, effects); });
}

template <class Matrix = Eigen::MatrixXd>
Matrix subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn frame) {
  return detail::filled<Matrix>(3, model.nv(),
                                [&](auto& out) { subtree_centre_of_mass_jacobian(model, data, q, frame, out); });
}

// --- regressors ------------------------------------------------------------------------------------------------------

template <class Matrix = Eigen::MatrixXd>
Matrix inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) {
  return detail::filled<Matrix>(model.nv(), 10 * static_cast<Index>(model.links().size()),
                                [&](auto& out) { inverse_dynamics_regressor(model, data, q, v, a, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn frame) {
  return detail::filled<Matrix>(6, 10, [&](auto& out) { frame_regressor(model, data, q, v, a, frame, out); });
}
template <class Vector = Eigen::VectorXd>
Vector kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v) {
  return detail::filled<Vector>(10 * static_cast<Index>(model.links().size()), 1,
                                [&](auto& out) { kinetic_energy_regressor(model, data, q, v, out); });
}
template <class Vector = Eigen::VectorXd>
Vector potential_energy_regressor(const Model& model, Data& data, VectorIn q) {
  return detail::filled<Vector>(10 * static_cast<Index>(model.links().size()), 1,
                                [&](auto& out) { potential_energy_regressor(model, data, q, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v) {
  return detail::filled<Matrix>(6, 10 * static_cast<Index>(model.links().size()),
                                [&](auto& out) { momentum_regressor(model, data, q, v, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix static_regressor(const Model& model, Data& data, VectorIn q) {
  return detail::filled<Matrix>(3, 4 * static_cast<Index>(model.links().size()),
                                [&](auto& out) { static_regressor(model, data, q, out); });
}

template <class Matrix = Eigen::MatrixXd> Matrix friction_regressor(const Model& model, VectorIn v) {
  return detail::filled<Matrix>(model.nv(), 2 * model.nv(), [&](auto& out) { friction_regressor(model, v, out); });
}
template <class Matrix = Eigen::MatrixXd>
Matrix kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn frame,
                           Reference reference = Reference::local_world_aligned) {
  return detail::filled<Matrix>(6, 6 * static_cast<Index>(model.joints().size()),
                                [&](auto& out) { kinematic_regressor(model, data, q, frame, reference, out); });
}
template <class Vector = Eigen::VectorXd> Vector inertial_parameters(const Model& model) {
  return detail::filled<Vector>(10 * static_cast<Index>(model.links().size()), 1,
                                [&](auto& out) { inertial_parameters(model, out); });
}
/// crba: an alias of mass_matrix.
template <class Matrix = Eigen::MatrixXd> Matrix crba(const Model& model, Data& data, VectorIn q) {
  return mass_matrix<Matrix>(model, data, q);
}

// --- derivatives -----------------------------------------------------------------------------------------------------

/// Derivatives of tau by q, v and a, nv x nv each.
template <class Matrix = Eigen::MatrixXd> struct InverseDynamicsDerivatives { Matrix q, v, a; };
/// Derivatives of the accelerations by q, v and tau, nv x nv each.
template <class Matrix = Eigen::MatrixXd> struct ForwardDynamicsDerivatives { Matrix q, v, tau; };
/// Derivatives of h by q and v, nv x nv each.
template <class Matrix = Eigen::MatrixXd> struct BiasForcesDerivatives { Matrix q, v; };

template <class Matrix = Eigen::MatrixXd>
InverseDynamicsDerivatives<Matrix> inverse_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                                VectorIn a, ExternalsIn external = {},
                                                                const JointEffects& effects = {}) {
  const Index n = model.nv();
  InverseDynamicsDerivatives<Matrix> d{Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  inverse_dynamics_derivatives(model, data, q, v, a, d.q, d.v, d.a, external, effects);
  return d;
}
template <class Matrix = Eigen::MatrixXd>
ForwardDynamicsDerivatives<Matrix> forward_dynamics_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                                VectorIn tau, ExternalsIn external = {},
                                                                const JointEffects& effects = {}) {
  const Index n = model.nv();
  TreeCholesky factor(model);
  ForwardDynamicsDerivatives<Matrix> d{Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  forward_dynamics_derivatives(model, data, factor, q, v, tau, d.q, d.v, d.tau, external, effects);
  return d;
}
template <class Matrix = Eigen::MatrixXd>
BiasForcesDerivatives<Matrix> bias_forces_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                      ExternalsIn external = {}, const JointEffects& effects = {}) {
  const Index n = model.nv();
  BiasForcesDerivatives<Matrix> d{Matrix(n, n), Matrix(n, n)};
  bias_forces_derivatives(model, data, q, v, d.q, d.v, external, effects);
  return d;
}
template <class Matrix = Eigen::MatrixXd>
Matrix gravity_forces_derivatives(const Model& model, Data& data, VectorIn q) {
  return detail::filled<Matrix>(model.nv(), model.nv(),
                                [&](auto& out) { gravity_forces_derivatives(model, data, q, out); });
}
template <class Matrix = Eigen::MatrixXd> Matrix static_torque_derivatives(const Model& model, Data& data, VectorIn q,
                                                                           ExternalsIn external = {},
                                                                           const JointEffects& effects = {}) {
  return detail::filled<Matrix>(model.nv(), model.nv(),
                                [&](auto& out) { static_torque_derivatives(model, data, q, out, external, effects); });
}

}  // namespace zwang
