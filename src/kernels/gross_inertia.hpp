// SPDX-License-Identifier: BSD-3-Clause
// The scale of a pivot of the mass matrix: the bound m |s.v|^2 + tr(I) |s.w|^2 of each coordinate's own inertia, which
// is free of cancellation, as in forward dynamics. M_kk is no such scale: for a coordinate that moves almost no inertia
// far from the branch's centre it is only rounding.
#pragma once
#include "algorithm/page/subtree_rows.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// bound [nv]; number r of what the subtree of a body is as an inertia: at(body, r).
template <class S, class At> ZWANG_INLINE void put_gross_inertias(const BasicData<S>& data, S* bound, At&& at) {
  const auto& tree = data.tree();
  for (Index k = 0; k < tree.nv; ++k) bound[k] = S(Uniform<S>(0));
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    const Index i = column.body;
    const Motion<S>& s = data.articulated.column[k].s;
    const S trace = at(i, 4) + at(i, 7) + at(i, 9);  // m, h, xx, xy, xz, yy, yz, zz
    bound[column.v] += (at(i, 0) * dot(s.v, s.v) + trace * dot(s.w, s.w)) * (column.multiplier * column.multiplier);
  }
}
/// Of what page::mass_matrix has left.
template <class S> ZWANG_INLINE void gross_inertias(const BasicData<S>& data, S* bound) {
  const S* const c = data.mass.composite.data() - 1;
  put_gross_inertias(data, bound, [&](Index i, Index r) ZWANG_LAMBDA { return c[r * data.mass.stride + i]; });
}
/// Of what page::subtree_rows has left.
template <class S> ZWANG_INLINE void gross_inertias_of_rows(BasicData<S>& data, S* bound) {
  const S* const rows = page::subtree_rows_of(data);
  put_gross_inertias(data, bound, [=](Index i, Index r) ZWANG_LAMBDA { return rows[k_subtree_numbers * i + r]; });
}

}  // namespace ZWANG_ISA
}  // namespace zwang
