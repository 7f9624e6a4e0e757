// SPDX-License-Identifier: BSD-3-Clause
// Inverse of the mass matrix by articulated bodies: Carpentier 2018; the accelerations at rest that unit torques cause.
//
//   inward    y_i = tau_i - s_i^T p_i,   p_parent += p_i + G_i y_i        on the paths of the columns with torques
//   outward   x_i = y_i / D_i - G_i^T a_parent,   a_i = a_parent + s_i x_i
//
// DIFFERS: sixteen columns of M^-1 side by side; world axes; values passed between a column and its parent stay in
// registers where the two are neighbours. Only the rows up to the last of these columns are computed; the rest is
// mirrored. Reads the columns of page::articulated_cholesky. Writes M^-1 dense. Cost O(n^2). Allocates nothing.
#pragma once
#include "algorithm/page/articulated_cholesky.hpp"
#include "zwang/algorithm/page/mass_matrix_inverse.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Numbers of scratch for each column.
template <class S> inline constexpr Index inverse_scratch = 7 * inverse_lanes<S>;

/// Whether column k has a child other than column k + 1.
template <class T> ZWANG_INLINE bool branches(const Tree<T>& tree, Index k) {
  const Index end = tree.column[k].end;
  return k + 1 < end && tree.column[k + 1].end < end;
}

/// Columns c, c + 1, ... of M^-1, their first rows. u, p: scratch.
template <class S, class W> ZWANG_INLINE void inverse_columns(const Tree<Uniform<S>>& tree,
                                                              const ArticulatedColumn<S>* column, Index c, W* u,
                                                              Force<W>* p, S* out, Index stride) {
  constexpr Index L = inverse_lanes<S>;
  const Index top = c + L < tree.nv ? c + L : tree.nv;
  const W zero(S(0));
  const Force<W> none{{zero, zero, zero}, {zero, zero, zero}};
  for (Index i = 0; i < top; ++i)
    if (tree.column[i].end > c && branches(tree, i)) p[i] = none;
  Force<W> x = none;
  for (Index i = top - 1; i >= 0; --i) {
    const ArticulatedColumn<S>& e = column[i];
    if (tree.column[i].end <= c) {  // moves none of the columns
      u[i] = zero;
      x = none;
      continue;
    }
    if (branches(tree, i)) x += p[i];
    W y = -dot(e.s, x);
    if (i >= c) y += one_in_lane<S, L>(i - c);
    u[i] = y * e.inv_D;
    x += e.G * y;
    const Index parent = tree.column[i].parent;
    if (parent == i - 1) continue;
    if (parent >= 0) p[parent] += x;
    x = none;
  }
  Motion<W> a{none.f, none.n};
  for (Index i = 0; i < top; ++i) {
    const ArticulatedColumn<S>& e = column[i];
    const Index parent = tree.column[i].parent;
    if (parent != i - 1) a = parent >= 0 ? Motion<W>{p[parent].f, p[parent].n} : Motion<W>{none.f, none.n};
    const W x_i = u[i] - dot(a, e.G);
    a += e.s * x_i;
    if (branches(tree, i)) p[i] = {a.v, a.w};  // outward the same memory holds accelerations
    store_first(out + i * stride + c, x_i, tree.nv - c);
  }
}

/// `column` [nv] is what page::articulated_cholesky left, `scratch` [nv * inverse_scratch] is aligned like a Buffer.
template <class S> void articulated_inverse(const Tree<Uniform<S>>& tree, const ArticulatedColumn<S>* column,
                                            S* scratch, S* out, Index stride) {
  constexpr Index L = inverse_lanes<S>;
  using W = SideOf<S, L>;
  W* const u = reinterpret_cast<W*>(scratch);
  Force<W>* const p = reinterpret_cast<Force<W>*>(scratch + tree.nv * L);
  for (Index c = 0; c < tree.nv; c += L) inverse_columns(tree, column, c, u, p, out, stride);
  mirror_upper(out, stride, tree.nv);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
