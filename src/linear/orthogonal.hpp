// SPDX-License-Identifier: BSD-3-Clause
// Gram and Schmidt: what of a vector lies along orthonormal rows is taken out of it.
#pragma once
#include "zwang/core/index.hpp"
#include "zwang/core/strips.hpp"

namespace zwang::dense {

/// x := x - sum_k (u_k . x) u_k for `count` orthonormal rows u_k of n numbers, `stride` apart. Twice: once leaves
/// rounding of what was taken out, which is large beside the rest where x nearly lies in their span.
/// along(k, u_k . x): of each pass.
template <class F> void orthogonalise(Index count, const double* rows, Index stride, Index n, double* x, F&& along) {
  for (int twice = 0; twice < 2; ++twice)
    for (Index k = 0; k < count; ++k) {
      const double* const u = rows + k * stride;
      const double product = dot(n, u, x);
      along(k, product);
      subtract_multiple(n, product, u, x);
    }
}
inline void orthogonalise(Index count, const double* rows, Index stride, Index n, double* x) {
  orthogonalise(count, rows, stride, n, x, [](Index, double) {});
}

}  // namespace zwang::dense
