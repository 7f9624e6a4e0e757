// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix by composite rigid bodies: Walker & Orin 1982; Featherstone 2008, table 6.2.
//
//   inward    I^c_p += I^c_i
//   product   F_k = I^c_i S_k;   M_jk = S_j^T F_k for every column k of the subtree of column j;   M_kk += armature
//
// DIFFERS: world axes about the branch's centre, so that F needs no transform on its way up; rows instead of paths,
// since the columns of a subtree are contiguous; bodies and columns side by side (core/side_by_side.hpp); the products
// have a page of their own (column_products.hpp).
// Reads q. Writes M (dense, row length `stride`, both triangles), mass. Cost O(n d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/column_products.hpp"
#include "zwang/algorithm/page/kinematics.hpp"
#include "zwang/spatial/gathered.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Inertias of the bodies i, i + 1, ..., as many as a Side holds, in world axes about the branch's centre.
template <class S> ZWANG_INLINE Inertia<Side<S>> inertias_in_world(const BasicData<S>& data, Index i) {
  if constexpr (bodies_in_lanes<S>) {
    static_assert(side_lanes<S> == k_lane_bodies);
    return load_poses(&data.position.placement[i]) * data.lanes.inertia[i / k_lane_bodies];
  } else {
    constexpr Index L = side_lanes<S>;
    using T = Uniform<S>;
    const Index n = data.tree().n;
    const auto body = [=](Index l) ZWANG_LAMBDA { return i + l < n ? i + l : n; };
    const Transform<S>* const X = data.position.placement.data();
    const Inertia<T>* const J = data.inertia.data();
    return transforms_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return X[body(l)]; }) *
           inertias_of<T, L>([=](int l) ZWANG_LAMBDA -> auto& { return J[body(l)]; });
  }
}

/// Inertias of the subtrees in world axes about the branch's centre; placements must be there.
template <class S> ZWANG_INLINE void composite_inertias(BasicData<S>& data) {
  const auto& tree = data.tree();
  const Index n = tree.n, stride = data.mass.stride;
  S* const c = data.mass.composite.data();
  for (Index i = 1; i <= n; i += side_lanes<S>)
    inertia_to(inertias_in_world(data, i),
               [=](Index r, const Side<S>& x) ZWANG_LAMBDA { store_side(c + r * stride + i - 1, x); });
  S sum[10];  // of the subtree before, for its parent: most often the next body
  for (Index i = n, heir = 0; i > 0; heir = tree.body[i--].parent) {
    const Index parent = tree.body[i].parent;
    S* const x = c + i - 1;
#pragma GCC unroll 10
    for (Index r = 0; r < 10; ++r) sum[r] = x[r * stride] = heir == i ? x[r * stride] + sum[r] : x[r * stride];
    if (parent > 0 && parent < i - 1)
#pragma GCC unroll 10
      for (Index r = 0; r < 10; ++r) c[r * stride + parent - 1] += sum[r];
  }
}

/// F_k = I^c S_k of every column: those of single-column joints in a row together, those of any other joint together.
template <class S> ZWANG_INLINE void column_forces(BasicData<S>& data) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  for (Index k = 0, count = 0; k < tree.spanning_nv; k += count) {
    const Index i = tree.column[k].body;
    const bool single = tree.body[i].nv == 1;
    count = columns_alike(tree, k, L);
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const Motion<Side<S>> s =
        motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[l < count ? l : count - 1].s; });
    const S* const c = data.mass.composite.data() + i - 1;
    const Force<Side<S>> F =
        single ? inertia_from<Side<S>>([=](int r) ZWANG_LAMBDA { return load_side(c + r * stride); }) * s
               : inertia_from<S>([=](int r) ZWANG_LAMBDA { return c[r * stride]; }) * s;
#pragma GCC unroll 6
    for (Index r = 0; r < 6; ++r) store_side(data.mass.force.data() + r * stride + k, F[r]);
  }
}

/// M from mass.force.
template <class S> void mass_matrix_of_forces(const BasicData<S>& data, S* M, Index stride) {
  const auto& tree = data.tree();
  if (tree.mimic) return merged_mass_matrix(data, M, stride);
  column_products(data, M, stride);
  for (Index k = 0; k < tree.nv; ++k) M[k * stride + k] += tree.column[k].armature * data.armature_factor;
}

template <class S> void mass_matrix(BasicData<S>& data, const S* q, S* M, Index stride) {
  columns(data, q);
  composite_inertias(data);
  column_forces(data);
  mass_matrix_of_forces(data, M, stride);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
