// SPDX-License-Identifier: BSD-3-Clause
// A = L L^T of small dense matrices: L replaces the lower triangle, the upper one is not read. Rows are stored one
// after the other, `stride` numbers apart.
#pragma once
#include <cmath>

#include "linear/interruption.hpp"
#include "zwang/core/config.hpp"

namespace zwang::dense {

/// The first row whose pivot is not above `least` times its diagonal entry; -1: A is positive definite. Where it is
/// stopped, the row that it came to.
inline Index cholesky(Index n, Index stride, double least, double* A, const Interruption* stop = nullptr) {
  for (Index k = 0; k < n; ++k) {
    if (is_asked(stop)) return k;
    double* const row = A + k * stride;
    const double diagonal = row[k];
    for (Index j = 0; j <= k; ++j) {
      const double* const other = A + j * stride;
      double sum = row[j];
      for (Index i = 0; i < j; ++i) sum -= row[i] * other[i];
      if (j < k)
        row[j] = sum / other[j];
      else if (sum > least * diagonal)
        row[k] = std::sqrt(sum);
      else
        return k;
    }
  }
  return -1;
}
/// x := L^-1 x
inline void solve_lower(Index n, Index stride, const double* L, double* x) {
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < k; ++j) x[k] -= L[k * stride + j] * x[j];
    x[k] /= L[k * stride + k];
  }
}
/// x := L^-T x
inline void solve_upper(Index n, Index stride, const double* L, double* x) {
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j < n; ++j) x[k] -= L[j * stride + k] * x[j];
    x[k] /= L[k * stride + k];
  }
}

}  // namespace zwang::dense
