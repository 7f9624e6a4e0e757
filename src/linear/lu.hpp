// SPDX-License-Identifier: BSD-3-Clause
// A = P L U of small dense matrices with pivots of columns. Rows are stored one after the other.
#pragma once
#include <cmath>
#include <utility>

#include "zwang/core/config.hpp"

namespace zwang::dense {

/// L, U replace A; `row` [n] the order of rows. False where a pivot is 0 or not finite.
inline bool lu(Index n, double* A, Index* row) {
  for (Index i = 0; i < n; ++i) row[i] = i;
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::fabs(A[i * n + k]) > std::fabs(A[best * n + k])) best = i;
    if (best != k) {
      std::swap(row[k], row[best]);
      for (Index j = 0; j < n; ++j) std::swap(A[k * n + j], A[best * n + j]);
    }
    const double pivot = A[k * n + k];
    if (pivot == 0 || !std::isfinite(pivot)) return false;
    for (Index i = k + 1; i < n; ++i) {
      const double f = A[i * n + k] /= pivot;
      if (f == 0) continue;
      for (Index j = k + 1; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
    }
  }
  return true;
}
/// x := A^-1 r. x and r apart.
inline void solve_lu(Index n, const double* A, const Index* row, const double* r, double* x) {
  for (Index k = 0; k < n; ++k) {
    x[k] = r[row[k]];
    for (Index j = 0; j < k; ++j) x[k] -= A[k * n + j] * x[j];
  }
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j < n; ++j) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
}

}  // namespace zwang::dense
