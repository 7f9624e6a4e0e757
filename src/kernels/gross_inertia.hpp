// SPDX-License-Identifier: BSD-3-Clause
// The scale of a pivot of the mass matrix: the bound m |s.v|^2 + tr(I) |s.w|^2 of each coordinate's own inertia, which
// is free of cancellation, as in forward dynamics. M_kk is no such scale: for a coordinate that moves almost no inertia
// far from the branch's centre it is only rounding.
#pragma once
#include "zwang/algorithm/page/mass_matrix.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// bound [nv], of what page::mass_matrix has left.
template <class S> ZWANG_INLINE void gross_inertias(const BasicData<S>& data, S* bound) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  for (Index k = 0; k < tree.nv; ++k) bound[k] = S(Uniform<S>(0));
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    const S* const c = data.mass.composite.data() + column.body - 1;  // m, h, xx, xy, xz, yy, yz, zz of the subtree
    const Motion<S>& s = data.articulated.column[k].s;
    const S trace = c[4 * stride] + c[7 * stride] + c[9 * stride];
    bound[column.v] += (c[0] * dot(s.v, s.v) + trace * dot(s.w, s.w)) * (column.multiplier * column.multiplier);
  }
}

}  // namespace ZWANG_ISA
}  // namespace zwang
