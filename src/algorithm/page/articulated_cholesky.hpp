// SPDX-License-Identifier: BSD-3-Clause
// M = L^T D L without M: the articulated-body recursion eliminates the columns of M from the tips (Ascher, Pai &
// Cloutier 1997; Rodriguez, Jain & Kreutz-Delgado 1992). In world axes a column and its ancestors need no transform:
//
//   U_k = I_A s_k,   D_k = s_k^T U_k + armature,   L_ki = U_k^T s_i / D_k   for every column i towards the root
//
// DIFFERS from tree_cholesky.hpp, the page it is tested against: from q instead of M, O(n d) instead of O(n d^2); only
// where no coordinates are shared.
// Reads q. Writes L and D as page::ltl_factor does (entries below the diagonal that are not on a path are 0), position,
// columns, mass. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/column_products.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The part of an eliminated column that M^-1 needs.
template <class S> struct ArticulatedColumn {
  Motion<S> s;  ///< world axes about the centre
  Force<S> G;   ///< U / D
  S inv_D;
};

/// L and D of the columns that a sweep without prescribed accelerations has eliminated. `keep` [nv] is for
/// articulated_inverse; nullptr: not wanted.
template <class S> void factor_of_columns(BasicData<S>& data, S* a, Index stride, ArticulatedColumn<S>* keep) {
  const auto& tree = data.tree();
  for (Index k = 0; k < tree.nv; ++k) {
    const Eliminated<S>& e = data.articulated.column[k];
    const Force<S> G{e.U.f * e.inv_D, e.U.n * e.inv_D};
    if (keep != nullptr) keep[k] = {e.s, G, e.inv_D};
    S* const at = data.mass.force.data() + k;
    for (Index r = 0; r < 6; ++r) at[r * data.mass.stride] = G[r];
  }
  column_products(data, a, stride);
  for (Index k = 0; k < tree.nv; ++k) a[k * stride + k] = Uniform<S>(1) / data.articulated.column[k].inv_D;
}

/// Returns the first column without inertia (the results are then invalid), or -1.
/// `keep` [nv] is for articulated_inverse.
template <class S>
Index articulated_cholesky(BasicData<S>& data, const S* q, S* a, Index stride, ArticulatedColumn<S>* keep) {
  const auto& tree = data.tree();
  S* const zero = data.mass.force.data();
  for (Index k = 0; k < tree.nv; ++k) zero[k] = S(0);
  data.force.has_external = false;
  forward_dynamics(data, q, zero, zero, zero + data.mass.stride);  // at rest, for its columns
  data.stages = stage_position | stage_columns;
  factor_of_columns(data, a, stride, keep);
  return data.articulated.singular_column;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
