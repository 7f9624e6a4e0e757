// SPDX-License-Identifier: BSD-3-Clause
// Inverse of the mass matrix from its tree-sparse factors: M^-1 = W^T D^-1 W with W = L^-T, whose row pattern is the
// tree's.
// DIFFERS from the articulated-body form of Carpentier 2018 (articulated_inverse.hpp): one page serves shared coordinates
// too, and shallow trees take less time. Columns of M^-1 side by side, rows up to the last of them, the rest mirrored.
// Reads a factor of page::ltl_factor. Writes M^-1 dense. Cost O(n^2 d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/tree_cholesky.hpp"
#include "zwang/core/side_by_side.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// How many columns of M^-1 are computed side by side.
template <class S> inline constexpr Index inverse_lanes = side_lanes<S> == 1 ? 1 : 16;

/// `scratch` [n * inverse_lanes] is aligned like a Buffer; one column at a time needs none.
template <class S> void mass_matrix_inverse(const TreeFactor<S>& f, S* out, Index stride, S* scratch) {
  constexpr Index L = inverse_lanes<S>;
  using W = SideOf<S, L>;
  for (Index c = 0; c < f.n; c += L) {
    const Index top = c + L < f.n ? c + L : f.n, rows = L == 1 ? f.n : top;
    W* const x = reinterpret_cast<W*>(L == 1 ? out + c * stride : scratch);  // symmetric: row c is column c
    for (Index k = 0; k < rows; ++k)
      x[k] = side_of<S, L>([=](int l) ZWANG_LAMBDA { return S(Uniform<S>(l == k - c ? 1 : 0)); });
    const auto next = [&](Index k) ZWANG_LAMBDA { return L == 1 ? f.parent[k] : k - 1; };
    for (Index k = top - 1; k >= 0; k = next(k))  // L^-T e reaches the paths of these columns alone
      for (Index j = f.parent[k]; j >= 0; j = f.parent[j]) x[j] -= x[k] * f.at(k, j);
    for (Index k = top - 1; k >= 0; k = next(k)) x[k] = x[k] * (Uniform<S>(1) / f.at(k, k));
    for (Index k = 0; k < rows; ++k) {
      for (Index j = f.parent[k]; j >= 0; j = f.parent[j]) x[k] -= x[j] * f.at(k, j);
      if constexpr (L != 1) store_first(out + k * stride + c, x[k], f.n - c);
    }
  }
  if constexpr (L != 1) mirror_upper(out, stride, f.n);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
