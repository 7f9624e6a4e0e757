// SPDX-License-Identifier: BSD-3-Clause
// All terms of one state by the rows of coriolis_rows.hpp, without shared coordinates. What is computed says
// all_terms.hpp, which remains the readable form; a test holds both equal.
//
// Reads q, v. Writes every entry of the matrices, position and velocity stages, derivative.variation,
// derivative.subtree. Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/all_terms.hpp"
#include "zwang/algorithm/page/coriolis_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Of everything that moves, from the rows of subtrees.
template <class S> Vec3<S> centre_from_rows(BasicData<S>& data) {
  const auto& tree = data.tree();
  const S* const rows = subtree_rows_of(data);
  const Uniform<S> mass = moving_mass(data), inv = mass > 0 ? Uniform<S>(1) / mass : Uniform<S>(0);
  Vec3<S> centre = Vec3<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    if (tree.body[i].nv == 0) continue;  // fixed to the ground: no body in front of it moves
    const S* const x = rows + k_subtree_numbers * i;
    centre += (Vec3<S>{x[1], x[2], x[3]} + data.position.centre[tree.body[i].root] * x[0]) * inv;
    i = tree.body[i].last - 1;
  }
  return centre;
}

/// Returns whether both square matrices are known to be finite.
template <class S> bool all_terms_rows(BasicData<S>& data, const S* q, const S* v, const AllTermsView<S>& out) {
  const auto& tree = data.tree();
  const Index n = tree.nv;
  const auto square = [=](S* x) ZWANG_LAMBDA { return MatrixView<S>{x, n, n, 1, n}; };
  kinematics(data, q, v);
  const bool finite =
      coriolis_rows<k_coriolis, k_mass>(data, q, v, square(out.coriolis_matrix), square(out.mass_matrix));
  const ColumnBlocks<S> blocks(data);
  const Vec3<S> c = centre_from_rows(data);
  for (Index k = 0; k < n; ++k) {
    const auto& column = tree.column[k];
    const Force<S> F = blocks.force(k, k_F), momentum = with_reference_point(F, from_branch_to(data, column.body, c));
    const Motion<S> s = data.articulated.column[k].s;
    const Motion<S> seen = with_reference_point(s, -data.position.centre[tree.body[column.body].root]);
    out.mass_matrix[k * n + k] += column.armature * data.armature_factor;
    out.gravity[k] = -dot(F.f, data.gravity);
    for (Index r = 0; r < 6; ++r) {
      out.centroidal_map(r, k) = momentum[r];
      out.columns(r, k) = seen[r];
    }
  }
  return finite;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
