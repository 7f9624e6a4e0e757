// SPDX-License-Identifier: BSD-3-Clause
// The rows that have reached the root as a dense system Lambda lambda = -l, and a way to solve it for every scalar.
#pragma once
#include "zwang/dynamics/page/row_stage.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The dense Lambda (lower triangle, row by row) of the rows at the root.
template <class S> ZWANG_INLINE void gather_rows(const RowStage<S>& r, S* A, Index stride) {
  for (Index i = 0; i < r.root_rows; ++i) {
    const auto* row = &r.Lambda[r.root_slot[i] * r.max_blocks];
    for (Index j = 0; j <= i; ++j) A[i * stride + j] = lane<S>(row, r.root_slot[j]);
  }
}
/// b = -l of the rows at the root.
template <class S> ZWANG_INLINE void gather_right_hand_side(const RowStage<S>& r, S* b) {
  for (Index i = 0; i < r.root_rows; ++i) b[i] = -lane<S>(r.l.data(), r.root_slot[i]);
}
template <class S> ZWANG_INLINE void gather_rows(const RowStage<S>& r, S* A, Index stride, S* b) {
  gather_rows(r, A, stride);
  gather_right_hand_side(r, b);
}
template <class S> ZWANG_INLINE void scatter_rows(RowStage<S>& r, const S* lambda) {
  for (Index i = 0; i < r.root_rows; ++i) set_lane(r.lambda.data(), r.root_slot[i], lambda[i]);
}

/// LDL^T by selection, for every scalar: a pivot below `tolerance` of its bound drops its row (lambda = 0 there).
/// A is the lower triangle and is overwritten; x is b in and lambda out.
template <class S> void solve_by_selection(Index m, S* A, Index stride, const S* bound, Uniform<S> tolerance, S* x) {
  for (Index j = 0; j < m; ++j) {
    const S d = A[j * stride + j];
    const auto keep = less(bound[j] * tolerance, d);
    const S inv = select(keep, S(Uniform<S>(1)) / select(keep, d, S(Uniform<S>(1))), S(Uniform<S>(0)));
    A[j * stride + j] = inv;
    for (Index i = j + 1; i < m; ++i) {
      const S g = A[i * stride + j] * inv;
      for (Index k = j + 1; k <= i; ++k) A[i * stride + k] -= g * A[k * stride + j];
      x[i] -= g * x[j];
    }
  }
  for (Index j = m - 1; j >= 0; --j) {
    S s = x[j];
    for (Index i = j + 1; i < m; ++i) s -= A[i * stride + j] * x[i];
    x[j] = s * A[j * stride + j];
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
