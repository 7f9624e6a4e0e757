// SPDX-License-Identifier: BSD-3-Clause
// All terms of one state by the rows of coriolis_rows.hpp, without shared coordinates. What is computed says
// all_terms.hpp, which remains the readable form; a test holds both equal.
//
// DIFFERS: the centre of mass, its velocity and the potential energy are sums of the subtrees that hang on the ground.
// Reads q, v. Writes every entry, position and velocity stages, derivative.variation,
// derivative.subtree. Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "algorithm/page/coriolis_rows.hpp"
#include "zwang/algorithm/page/all_terms.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// All but the kinetic energy, from the rows of the subtrees that hang on the ground. Masses are added as moving_mass()
/// adds them: a row's sum has another rounding.
template <class S> TotalTerms<S> total_of_rows(BasicData<S>& data) {
  const auto& tree = data.tree();
  const S* const rows = subtree_rows_of(data);
  Uniform<S> mass(0);
  Vec3<S> moment = Vec3<S>::zero(), momentum = Vec3<S>::zero();
  for (Index i = 1; i <= tree.n; ++i) {
    if (tree.body[i].nv == 0) continue;  // fixed to the ground: no body in front of it moves
    const S* const x = rows + k_subtree_numbers * i;
    const Index last = tree.body[i].last - 1;
    Uniform<S> own(0);
    for (Index j = i; j <= last; ++j) own += data.inertia[j].m;
    moment += Vec3<S>{x[1], x[2], x[3]} + data.position.centre[tree.body[i].root] * own;
    momentum += Vec3<S>{x[10], x[11], x[12]};
    mass += own;
    i = last;
  }
  const Uniform<S> inv = mass > 0 ? Uniform<S>(1) / mass : Uniform<S>(0);
  return {moment * inv, momentum * inv, S(Uniform<S>(0)), -dot(moment, data.gravity)};
}

/// bias = C v + gravity.
template <class S> void add_coriolis_forces(Index n, const S* v, const AllTermsView<S>& out) {
  constexpr Index L = k_sides<S>;
  Index r = 0;
  for (; r + L <= n; r += L) {
    Sides<S> bias = load_sides(out.gravity + r);
    for (Index k = 0; k < n; ++k) bias += load_sides(out.coriolis_matrix + k * n + r) * v[k];
    store_sides(out.bias + r, bias);
  }
  for (; r < n; ++r) {
    out.bias[r] = out.gravity[r];
    for (Index k = 0; k < n; ++k) out.bias[r] += out.coriolis_matrix[k * n + r] * v[k];
  }
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
  *out.total = total_of_rows(data);
  const Vec3<S>& c = out.total->centre;
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
  out.total->kinetic_energy = kinetic_energy(data, v);
  add_coriolis_forces(n, v, out);
  return finite;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
