// SPDX-License-Identifier: BSD-3-Clause
// Inverse of the mass matrix from its tree-sparse factors: M^-1 = W^T D^-1 W, W = L^-T with the tree's row pattern.
// One state of double has inverse_by_rows.hpp instead.
// DIFFERS from the articulated-body form of Carpentier 2018 (articulated_inverse.hpp): one page serves shared
// coordinates too, and shallow trees take less time. Columns of M^-1 side by side, rows up to the last of them, the
// rest mirrored. Reads a factor of page::ltl_factor. Writes M^-1 dense. Cost O(n^2 d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/tree_cholesky.hpp"
#include "zwang/core/side_by_side.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// `scratch` [n * inverse_lanes] is aligned like a Buffer.
template <class S> void mass_matrix_inverse(const TreeFactor<S>& f, S* out, Index stride, S* scratch) {
  constexpr Index L = inverse_lanes<S>;
  SideOf<S, L>* const x = reinterpret_cast<SideOf<S, L>*>(scratch);
  for (Index c = 0; c < f.n; c += L) {
    const Index top = c + L < f.n ? c + L : f.n;
    for (Index k = 0; k < top; ++k) x[k] = one_in_lane<S, L>(k - c);
    for (Index k = top - 1; k >= 0; --k)
      for (Index j = f.parent[k]; j >= 0; j = f.parent[j]) x[j] -= x[k] * f.at(k, j);
    for (Index k = 0; k < top; ++k) {
      x[k] = x[k] * (Uniform<S>(1) / f.at(k, k));
      for (Index j = f.parent[k]; j >= 0; j = f.parent[j]) x[k] -= x[j] * f.at(k, j);
      store_first(out + k * stride + c, x[k], f.n - c);
    }
  }
  mirror_upper(out, stride, f.n);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
