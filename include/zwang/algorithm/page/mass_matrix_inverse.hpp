// SPDX-License-Identifier: BSD-3-Clause
// Inverse of the mass matrix from its tree-sparse factors: M^-1 = W^T D^-1 W with W = L^-T, whose row pattern is the
// tree's.
// DIFFERS from the articulated-body form of Carpentier 2018: one page serves shared coordinates too.
// Reads a factor of page::ltl_factor. Writes M^-1 dense. Cost O(n d^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/tree_cholesky.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> void mass_matrix_inverse(const TreeFactor<S>& f, S* out, Index stride) {
  for (Index c = 0; c < f.n; ++c) {  // column c of M^-1: L^-T e_c reaches only the path of c, L^-1 everything after
    S* const x = out + c * stride;   // symmetric: row c is column c
    for (Index k = 0; k < f.n; ++k) x[k] = S(k == c ? 1 : 0);
    for (Index k = c; k >= 0; k = f.parent[k])
      for (Index j = f.parent[k]; j >= 0; j = f.parent[j]) x[j] -= f.at(k, j) * x[k];
    for (Index k = c; k >= 0; k = f.parent[k]) x[k] = x[k] / f.at(k, k);
    ltl_solve_lower(f, x);
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
