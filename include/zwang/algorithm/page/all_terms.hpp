// SPDX-License-Identifier: BSD-3-Clause
// The terms of  M a + C v + g = tau  and the momentum about the centre of mass at one state, from one pass outward and
// one inward: Featherstone 2008, ch. 6; Echeandia & Wensing 2021; Orin, Goswami & Lee 2013.
//
//   F_k = I^c S_k;   M_jk = S_j^T F_k;   g_k = -F_k.f gravity;   column k of A: F_k about the centre of mass;   C as in
//   coriolis.hpp, whose sweep computes the rest
//
// Reads q, v. Writes the matrices, position, velocity, mass and momentum stages.
// Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/centroidal.hpp"
#include "zwang/algorithm/page/coriolis.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Of everything that moves; potential energy of gravity alone.
template <class S> struct TotalTerms {
  Vec3<S> centre, velocity;
  S kinetic_energy, potential_energy;
};
/// M, C column by column, nv x nv, without gaps; gravity and bias = C v + gravity [nv]; columns about the world's
/// origin and centroidal map, 6 x nv.
template <class S> struct AllTermsView {
  S *mass_matrix, *coriolis_matrix, *gravity, *bias;
  MatrixView<S> columns, centroidal_map;
  TotalTerms<S>* total;
};

template <class S> void all_terms(BasicData<S>& data, const S* q, const S* v, const AllTermsView<S>& out) {
  const auto& tree = data.tree();
  coriolis_matrix(data, q, v, out.coriolis_matrix, tree.nv, true);
  mass_matrix_of_forces(data, out.mass_matrix, tree.nv);
  clear(out.columns);
  clear(out.centroidal_map);
  for (Index k = 0; k < tree.nv; ++k) out.gravity[k] = S(0);
  const Vec3<S> c = centre_from_composites(data, false).position;
  const Index stride = data.mass.stride;
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    const S* const x = data.mass.force.data() + k;
    const Force<S> F{{x[0], x[stride], x[2 * stride]}, {x[3 * stride], x[4 * stride], x[5 * stride]}};
    const Motion<S> s = data.articulated.column[k].s;
    out.gravity[column.v] -= dot(F.f, data.gravity) * column.multiplier;
    const Force<S> momentum = with_reference_point(F, from_branch_to(data, column.body, c));
    const Motion<S> seen = with_reference_point(s, -data.position.centre[tree.body[column.body].root]);
    for (Index r = 0; r < 6; ++r) {
      out.centroidal_map(r, column.v) += momentum[r] * column.multiplier;
      out.columns(r, column.v) += seen[r] * column.multiplier;
    }
  }
  for (Index r = 0; r < tree.nv; ++r) {
    out.bias[r] = out.gravity[r];
    for (Index k = 0; k < tree.nv; ++k) out.bias[r] += out.coriolis_matrix[k * tree.nv + r] * v[k];
  }
  const CentreOfMass<S> centre = centre_of_mass(data);
  *out.total = {centre.position, centre.velocity, kinetic_energy(data, tree.mimic ? data.v_spanning.data() : v),
                potential_energy(data)};
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
