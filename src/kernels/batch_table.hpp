// SPDX-License-Identifier: BSD-3-Clause
// The table of batch kernels for one scalar.
#pragma once
#include "kernels/batch_tasks.hpp"
#include "kernels/constrained.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

template <class S> constexpr BatchKernels<Uniform<S>> table() {
  BatchKernels<Uniform<S>> t{};
  t.lanes = lanes_of<S>;
  t.make = make<S>;
  t.drop = drop<S>;
  t.inverse_dynamics = inverse_dynamics<S>;
  t.forward_dynamics = forward_dynamics<S>;
  t.bias_forces = bias_forces<S>;
  t.gravity_forces = gravity_forces<S>;
  t.mass_matrix = mass_matrix<S>;
  t.mass_matrix_inverse = mass_matrix_inverse<S>;
  t.mass_matrix_solve = mass_matrix_solve<S>;
  t.frame_pose = frame_pose<S>;
  t.frame_poses = frame_poses<S>;
  t.frame_velocity = frame_velocity<S>;
  t.frame_acceleration = frame_acceleration<S>;
  t.jacobian = jacobian<S>;
  t.jacobian_dot = jacobian_dot<S>;
  t.centre_of_mass = centre_of_mass<S>;
  t.centre_of_mass_jacobian = centre_of_mass_jacobian<S>;
  t.kinetic_energy = kinetic_energy<S>;
  t.potential_energy = potential_energy<S>;
  t.integrate = integrate<S>;
  t.difference = difference<S>;
  t.make_constrained = make_constrained<S>;
  t.drop_constrained = drop_constrained<S>;
  t.constrained = constrained<S>;
  t.rollout = rollout<S>;
  return t;
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
