// SPDX-License-Identifier: BSD-3-Clause
// Momentum about the centre of mass c, and its matrix: Orin, Goswami & Lee 2013,
// "Centroidal dynamics of a humanoid robot".
//
//   A_k = X* (I^c S_k) in world axes about c,   h_G = A v = [m dc/dt; L]
//   dA_k/dt = X* (I^c dS_k/dt + B^c S_k - S_k x* h^c) - [0; dc/dt x A_k.f]
//   dh_G/dt = sum X* (I a + v x* I v) = dA/dt v + A a
//
// DIFFERS: 1/2 B of composite_momentum.hpp instead of dI/dt as 6 x 6 matrices.
// Bodies that q does not move are left out. Reads position (velocity, acceleration) stages.
// Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/composite_momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// From the centre of body i's branch to the point c.
template <class S> ZWANG_INLINE Vec3<S> from_branch_to(const BasicData<S>& data, Index i, const Vec3<S>& c) {
  return c - data.position.centre[data.tree().body[i].root];
}

/// Momentum of everything that moves about its centre of mass; stages with v.
template <class S> Force<S> centroidal_momentum(const BasicData<S>& data) {
  const auto& tree = data.tree();
  const Vec3<S> c = centre_of_mass(data).position;
  Force<S> h = Force<S>::zero();
  for (Index i = 1; i <= tree.n; ++i)
    h += with_reference_point(data.position.placement[i] * data.inertia[i] * Motion<S>(data.velocity.twist[i]),
                              from_branch_to(data, i, c));
  return h;
}
/// Its rate; stages with a. The centre moves along the momentum, so that its velocity adds nothing.
template <class S> Force<S> centroidal_momentum_rate(const BasicData<S>& data) {
  const auto& tree = data.tree();
  const Vec3<S> c = centre_of_mass(data).position;
  Force<S> rate = Force<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    const Inertia<S> I = data.position.placement[i] * data.inertia[i];
    const Motion<S> twist = data.velocity.twist[i];
    if (!moves(tree, i)) continue;
    rate += with_reference_point(I * body_acceleration(data, i) + cross(twist, I * twist), from_branch_to(data, i, c));
  }
  return rate;
}
/// Of everything that moves, about its centre of mass; h is zero by definition.
template <class S> Inertia<S> centroidal_inertia(const BasicData<S>& data) {
  const auto& tree = data.tree();
  const Vec3<S> c = centre_of_mass(data).position;
  Inertia<S> sum = Inertia<S>::zero();
  for (Index i = 1; i <= tree.n; ++i)
    if (moves(tree, i)) {
      Transform<S> X = data.position.placement[i];
      X.p -= from_branch_to(data, i, c);
      sum += X * data.inertia[i];
    }
  sum.h = Vec3<S>::zero();
  return sum;
}

/// Position of the centre of mass from composite inertias, and its velocity from composite momenta where `moving`.
template <class S> CentreOfMass<S> centre_from_composites(const BasicData<S>& data, bool moving) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  CentreOfMass<S> c{moving_mass(data), Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()};
  const Uniform<S> inv = c.mass > 0 ? Uniform<S>(1) / c.mass : Uniform<S>(0);
  for (Index i = 1; i <= tree.n; ++i) {
    if (tree.body[i].nv == 0) continue;  // fixed to the ground: no body in front of it moves
    const S *const I = data.mass.composite.data() + i - 1, *const h = data.momentum.composite.data() + i - 1;
    c.position +=
        (Vec3<S>{I[stride], I[2 * stride], I[3 * stride]} + data.position.centre[tree.body[i].root] * I[0]) * inv;
    if (moving) c.velocity += Vec3<S>{h[0], h[stride], h[2 * stride]} * inv;
    i = tree.body[i].last - 1;
  }
  return c;
}

/// 6 x nv, linear rows first. Reads columns; overwrites the mass stage.
template <class S> void centroidal_map(BasicData<S>& data, const MatrixView<S>& A) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  composite_inertias(data);
  column_forces(data);
  const Vec3<S> c = centre_from_composites(data, false).position;
  clear(A);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const S* const F = data.mass.force.data() + k;
    const Force<S> f{{F[0], F[stride], F[2 * stride]}, {F[3 * stride], F[4 * stride], F[5 * stride]}};
    const Force<S> seen = with_reference_point(f, from_branch_to(data, tree.column[k].body, c));
    for (Index r = 0; r < 6; ++r) A(r, tree.column[k].v) += seen[r] * tree.column[k].multiplier;
  }
}

/// dA/dt, 6 x nv; `in`, `v` are those of the last kinematics with v, of the spanning tree.
/// Overwrites mass and momentum.
template <class S>
void centroidal_map_dot(BasicData<S>& data, const SweepInput<S>& in, const S* v, const MatrixView<S>& A) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  all_column_rates(data, in, v);
  composite_inertias(data);
  composite_momenta(data);
  const CentreOfMass<S> com = centre_from_composites(data, true);
  for_columns_with_subtrees(
      data, [&](Index, Index k, const auto& s, const auto& ds, const auto& I, const auto& m) ZWANG_LAMBDA {
        const auto half = m.half_times(s), F = I * s, rate = I * ds + half + half - cross(s, m.h);
        for (Index r = 0; r < 6; ++r) {
          store_side(data.momentum.force.data() + r * stride + k, rate[r]);
          store_side(data.mass.force.data() + r * stride + k, F[r]);
        }
      });
  clear(A);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const S *const F = data.momentum.force.data() + k, *const P = data.mass.force.data() + k;
    const Force<S> f{{F[0], F[stride], F[2 * stride]}, {F[3 * stride], F[4 * stride], F[5 * stride]}};
    Force<S> seen = with_reference_point(f, from_branch_to(data, tree.column[k].body, com.position));
    seen.n -= cross(com.velocity, Vec3<S>{P[0], P[stride], P[2 * stride]});
    for (Index r = 0; r < 6; ++r) A(r, tree.column[k].v) += seen[r] * tree.column[k].multiplier;
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
