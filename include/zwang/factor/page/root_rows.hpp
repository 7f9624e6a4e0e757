// SPDX-License-Identifier: BSD-3-Clause
// The rows that have reached the root as a dense system Lambda lambda = -l, and a way to solve it for every scalar.
#pragma once
#include "zwang/factor/page/sweep_stage.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// The entry of Lambda for slots s and t of blocks b >= c.
template <class S> ZWANG_INLINE S lane_of_tile(const SweepStage<S>& r, Index s, Index t) {
  constexpr Index lanes = SweepStage<S>::lanes;
  return lane<S>(r.tile(s / lanes, t / lanes) + s % lanes, t % lanes);
}
/// The dense Lambda (lower triangle, row by row) of the rows at the root.
template <class S> ZWANG_INLINE void gather_rows(const SweepStage<S>& r, S* A, Index stride) {
  for (Index i = 0; i < r.root.count; ++i) {
    for (Index j = 0; j <= i; ++j) A[i * stride + j] = lane_of_tile(r, r.root.slot[i], r.root.slot[j]);
  }
}
/// b = -l of the rows at the root.
template <class S> ZWANG_INLINE void gather_right_hand_side(const SweepStage<S>& r, S* b) {
  for (Index i = 0; i < r.root.count; ++i) b[i] = -lane<S>(r.strand.l.data(), r.root.slot[i]);
}
template <class S> ZWANG_INLINE void gather_rows(const SweepStage<S>& r, S* A, Index stride, S* b) {
  gather_rows(r, A, stride);
  gather_right_hand_side(r, b);
}
template <class S> ZWANG_INLINE void scatter_rows(SweepStage<S>& r, const S* lambda) {
  for (Index i = 0; i < r.root.count; ++i) set_lane(r.block.lambda.data(), r.root.slot[i], lambda[i]);
}

/// The entry of Lambda for two slots: blocks of the lower triangle are stored, those on the diagonal whole.
template <class S> ZWANG_INLINE S root_entry(const SweepStage<S>& r, Index s, Index t) {
  const Index row = s / SweepStage<S>::lanes < t / SweepStage<S>::lanes ? t : s;
  return lane_of_tile(r, row, row == s ? t : s);
}
/// f(t, Lambda_ts) for every row t that is eliminated after soft row k.
template <class S, class F> ZWANG_INLINE void for_each_after_soft(const SweepStage<S>& r, Index k, F&& f) {
  const Index s = r.root.soft_slot[k];
  for (Index j = k + 1; j < r.root.soft; ++j) f(r.root.soft_slot[j], root_entry(r, s, r.root.soft_slot[j]));
  for (Index j = 0; j < r.root.count; ++j) f(r.root.slot[j], root_entry(r, s, r.root.slot[j]));
}
/// Eliminates soft rows at the root, sigma = Lambda_ss including R: Lambda_tu -= Lambda_ts Lambda_us / sigma.
template <class S> ZWANG_INLINE void eliminate_soft(SweepStage<S>& r) {
  for (Index k = 0; k < r.root.soft; ++k) {
    const S inv = Uniform<S>(1) / root_entry(r, r.root.soft_slot[k], r.root.soft_slot[k]);
    for_each_after_soft(r, k, [&](Index t, const S& f) {
      for_each_after_soft(r, k, [&](Index u, const S& g) {
        if (u / SweepStage<S>::lanes > t / SweepStage<S>::lanes) return;
        constexpr Index lanes = SweepStage<S>::lanes;
        set_lane(r.tile(t / lanes, u / lanes) + t % lanes, u % lanes, lane_of_tile(r, t, u) - f * g * inv);
      });
    });
  }
}
/// One number per slot, stored in blocks.
template <class S, class Rows> struct BySlot {
  Rows* rows;
  ZWANG_INLINE S operator[](Index s) const { return lane<S>(rows, s); }
  ZWANG_INLINE void set(Index s, const S& x) const { set_lane(rows, s, x); }
};
/// The same as an array.
template <class R> struct ByIndex {
  R* x;
  ZWANG_INLINE const R& operator[](Index s) const { return x[s]; }
  ZWANG_INLINE void set(Index s, const R& value) const { x[s] = value; }
};
/// l_t -= Lambda_ts l_s / sigma in the inward pass.
template <class S, class L> ZWANG_INLINE void carry_soft(const SweepStage<S>& r, const L& l) {
  for (Index k = 0; k < r.root.soft; ++k) {
    const Index s = r.root.soft_slot[k];
    const auto x = l[s] * (Uniform<S>(1) / root_entry(r, s, s));
    for_each_after_soft(r, k, [&](Index t, const S& f) { l.set(t, l[t] - x * f); });
  }
}
/// lambda_s = -(l_s + sum Lambda_ts lambda_t) / sigma in the outward pass.
template <class S, class L> ZWANG_INLINE void recover_soft(const SweepStage<S>& r, const L& l, const L& lambda) {
  for (Index k = r.root.soft; k-- > 0;) {
    const Index s = r.root.soft_slot[k];
    auto x = l[s];
    for_each_after_soft(r, k, [&](Index t, const S& f) { x += lambda[t] * f; });
    lambda.set(s, x * (Uniform<S>(-1) / root_entry(r, s, s)));
  }
}

/// LDL^T by selection, for every scalar: a row whose pivot is below `tolerance` times its bound is dropped
/// (lambda = 0). A is the lower triangle and is overwritten; x is b on entry and lambda on return.
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
