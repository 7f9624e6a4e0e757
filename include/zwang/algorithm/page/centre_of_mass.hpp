// SPDX-License-Identifier: BSD-3-Clause
// Centre of mass of everything that moves, its velocity, acceleration and Jacobian; kinetic and potential energy.
//
//   m c = sum of (m c)_i,  m c' = sum of linear momenta,  m c'' = sum of (I a + v x* I v).f
//   T = 1/2 sum v^T I v + 1/2 v^T armature v,   V = -sum m g.c
// DIFFERS: sums go over branches' centres, so that distance from the map's origin costs no digits.
// Reads position (velocity, acceleration) stages. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/jacobian.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> struct CentreOfMass {
  Uniform<S> mass;
  Vec3<S> position, velocity, acceleration;  ///< world; velocity and acceleration only where the stages hold them
};

/// Whether q moves a body: links behind fixed joints on the ground are bodies too where they are not lumped.
template <class T> ZWANG_INLINE bool moves(const Tree<T>& tree, Index i) {
  while (i > 0 && tree.body[i].nv == 0) i = tree.body[i].parent;
  return i > 0;
}
/// Of everything that moves.
template <class S> Uniform<S> moving_mass(const BasicData<S>& data) {
  Uniform<S> mass(0);
  for (Index i = 1; i <= data.tree().n; ++i)
    if (moves(data.tree(), i)) mass += data.inertia[i].m;
  return mass;
}

template <class S> CentreOfMass<S> centre_of_mass(const BasicData<S>& data) {
  const auto& tree = data.tree();
  const bool v = data.stages & stage_velocity, a = data.stages & stage_acceleration;
  CentreOfMass<S> c{moving_mass(data), Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  const Uniform<S> inv = c.mass > 0 ? Uniform<S>(1) / c.mass : Uniform<S>(0);
  for (Index i = 1; i <= tree.n; ++i) {
    if (!moves(tree, i)) continue;
    const Inertia<S> I = data.position.placement[i] * data.inertia[i];
    c.position += I.h * inv + data.position.centre[tree.body[i].root] * (data.inertia[i].m * inv);
    if (!v) continue;
    const Motion<S>& twist = data.velocity.twist[i];
    const Force<S> momentum = I * twist;
    c.velocity += momentum.f * inv;
    if (a) c.acceleration += (I * body_acceleration(data, i) + cross(twist, momentum)).f * inv;
  }
  return c;
}

/// 3 x nv. Needs columns and placements; overwrites the mass stage.
template <class S> void centre_of_mass_jacobian(BasicData<S>& data, const MatrixView<S>& J) {
  const auto& tree = data.tree();
  composite_inertias(data);
  column_forces(data);
  const Uniform<S> mass = moving_mass(data);
  const Uniform<S> inv = mass > 0 ? Uniform<S>(1) / mass : Uniform<S>(0);
  clear(J);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    for (Index r = 0; r < 3; ++r) J(r, c.v) += data.mass.force[r * data.mass.stride + k] * (inv * c.multiplier);
  }
}

/// Needs position and velocity; v is the spanning tree's.
template <class S> S kinetic_energy(const BasicData<S>& data, const S* v) {
  const auto& tree = data.tree();
  S T(0);
  for (Index i = 1; i <= tree.n; ++i) {
    const Motion<S> x = inverse_times(data.position.placement[i], data.velocity.twist[i]);
    T += dot(x, data.inertia[i] * x);
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) T += v[k] * v[k] * (tree.column[k].armature * data.armature_factor);
  return T * Uniform<S>(0.5);
}

template <class S> S potential_energy(const BasicData<S>& data) {
  const auto& tree = data.tree();
  S V(0);
  for (Index i = 1; i <= tree.n; ++i) {
    if (!moves(tree, i)) continue;
    const Vec3<S> mc = data.position.placement[i].R * data.inertia[i].h +
                       (data.position.placement[i].p + data.position.centre[tree.body[i].root]) * data.inertia[i].m;
    V -= dot(mc, data.gravity);
  }
  return V;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
