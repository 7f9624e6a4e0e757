// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix by composite rigid bodies: Walker & Orin 1982; Featherstone 2008, table 6.2.
//
//   inward    I^c_p += I^c_i;   F = I^c_i S_k;   M_kk = S_k^T F + armature;   M_jk = S_j^T F for every column j towards
//   the root
//
// DIFFERS: world axes about the branch's centre, so that F needs no transform on its way up; columns that mimic one
// coordinate
// add up in it, M = G^T M_s G.
// Reads q. Writes M (dense, row length `stride`, both triangles), mass.composite. Cost O(n d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/kinematics.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Inertias of the subtrees in world axes about the branch's centre; columns and placements must be there.
template <class S> ZWANG_INLINE void composite_inertias(BasicData<S>& data) {
  const auto& tree = data.tree();
  for (Index i = 1; i <= tree.n; ++i) data.mass.composite[i] = data.position.placement[i] * data.inertia[i];
  for (Index i = tree.n; i > 0; --i)
    if (tree.body[i].parent > 0) data.mass.composite[tree.body[i].parent] += data.mass.composite[i];
}

/// Calls add(row column k, column j, S_j^T I^c S_k) for k and every j on its path to the root, j <= k; armature is in k
/// = j.
template <class S, class Add> ZWANG_INLINE void composite_products(BasicData<S>& data, Add&& add) {
  const auto& tree = data.tree();
  for (Index k = tree.spanning_nv - 1; k >= 0; --k) {
    const auto& c = tree.column[k];
    const Motion<S>& s = data.articulated.column[k].s;
    const Force<S> F = data.mass.composite[c.body] * s;
    add(k, k, dot(s, F) + c.armature * data.armature_factor);
    for (Index j = c.parent; j >= 0; j = tree.column[j].parent) add(k, j, dot(data.articulated.column[j].s, F));
  }
}

template <class S> void mass_matrix(BasicData<S>& data, const S* q, S* M, Index stride) {
  const auto& tree = data.tree();
  columns(data, q);
  composite_inertias(data);
  for (Index r = 0; r < tree.nv; ++r)
    for (Index c = 0; c < tree.nv; ++c) M[r * stride + c] = S(0);
  if (!tree.mimic) {
    composite_products(data,
                       [&](Index k, Index j, const S& x) ZWANG_LAMBDA { M[k * stride + j] = M[j * stride + k] = x; });
    return;
  }
  composite_products(data, [&](Index k, Index j, const S& x) ZWANG_LAMBDA {
    const auto &ck = tree.column[k], &cj = tree.column[j];
    const S y = x * (ck.multiplier * cj.multiplier);
    M[ck.v * stride + cj.v] += y;
    if (k != j) M[cj.v * stride + ck.v] += y;
  });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
