// SPDX-License-Identifier: BSD-3-Clause
// Rows at the root that are independent beyond doubt: Lambda lambda = b by the inverse of the equilibrated rows
// E = S^-1 Lambda S^-1, with s_i^2 a bound of Lambda_ii that is free of cancellation. The inverse is found by the sweep
// operator (Goodnight 1979): a pivot d = X_kk replaces the symmetric X, at first E, by
//
//   X_ij -= X_ik X_kj / d,   X_ik /= d,   X_kk = -1 / d         and after all of them X = -E^-1
//
// Pivots are taken in order and nothing is permuted: each step is rows times numbers, eight columns at a time. The
// trace of the inverse tells whether every row counts beyond doubt (linear/rank_revealing.hpp). One refinement makes
// lambda as accurate as by a factorisation.
#pragma once
#include "core/kernel_table.hpp"
#include "zwang/factor/page/sweep_stage.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace regular {

using Eight = Wide<double, 8>;
constexpr Index k_lanes = 8;

/// f(i) of the first of every eight of n numbers.
template <class F> ZWANG_INLINE void each_eight(Index n, F&& f) {
  for (Index i = 0; i < n; i += k_lanes) f(i);
}
ZWANG_INLINE Index padded(Index n) { return (n + k_lanes - 1) / k_lanes * k_lanes; }

/// Lambda of the rows at the root from its blocks, both triangles with zeros behind, and the bounds of its diagonal. A
/// store may reach into places that later stores overwrite, and into the gap of eight numbers between rows of the
/// matrix.
inline void gather(const page::SweepStage<double>& stage, const RootRows& x) {
  const Index* const live = stage.live.stack.data();
  const auto size = [&](Index j) ZWANG_LAMBDA { return stage.strand.filled[live[j]]; };
  const auto block = [&](Index j, Index r, Index k)
                         ZWANG_LAMBDA -> const Eight& { return stage.tile(live[j], live[k])[r]; };
  const Index tail = padded(x.m) - k_lanes;
  for (Index i = 0; i < x.m; ++i) Eight(0.0).store(x.A + i * x.stride + tail);
  for (Index j = 0, row = 0; j < stage.live.top; row += size(j++)) {
    stage.strand.bound[live[j]].store(x.bound + row);
    for (Index k = 0, column = 0; k <= j; column += size(k++))
      for (Index r = 0; r < size(j); ++r) block(j, r, k).store(x.A + (row + r) * x.stride + column);
  }
  for (Index k = 0, row = 0; k < stage.live.top; row += size(k++))
    for (Index j = k + 1, column = row + size(k); j < stage.live.top; column += size(j++)) {
      Eight tile[k_lanes];
#pragma GCC unroll 8
      for (Index r = 0; r < k_lanes; ++r) tile[r] = r < size(j) ? block(j, r, k) : Eight(0.0);
      transpose(tile);
#pragma GCC unroll 8
      for (Index r = 0; r < k_lanes; ++r)
        if (r < size(k)) tile[r].store(x.A + (row + r) * x.stride + column);
    }
}

/// scale = S, inv_scale = S^-1. Rows without a bound stay as they are.
inline void find_scale(const RootRows& x) {
  using Part = Eight::Part;
  for (Index i = 0; i < padded(x.m); i += Eight::part_lanes) {
    const Part bound = Part::load(x.bound + i), one(1.0);
    const Part scale = sqrt(select(less(Part(0.0), bound), bound, one));
    scale.store(x.scale + i);
    (one / scale).store(x.inv_scale + i);
  }
}

/// Pivot k in a system of at most B eights: every row whole.
template <int B> ZWANG_INLINE void take_pivot(const RootRows& x, Index k, double inv) {
  double* const pivot = x.X + k * x.stride;
  const double* const unit = x.unit - k;
  Eight p[B], r[B];
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) {
    p[b] = Eight::load(pivot + b * k_lanes);
    r[b] = (p[b] - Eight::load(unit + b * k_lanes)) * inv;  // 1 - 1 / d in column k, where X_ik / d is to be left
  }
  const auto row = [&](Index i) ZWANG_LAMBDA {
    double* const to = x.X + i * x.stride;
#pragma GCC unroll 2
    for (int b = 0; b < B; ++b) (Eight::load(to + b * k_lanes) - r[b] * pivot[i]).store(to + b * k_lanes);
  };
  for (Index i = k + 1; i < x.m; ++i) row(i);  // the next pivot's first
  for (Index i = 0; i < k; ++i) row(i);
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) (p[b] * inv - Eight::load(unit + b * k_lanes) * (1 + inv)).store(pivot + b * k_lanes);
}

/// The same in any system, from each row's eight on the diagonal on: half the work.
/// The row of the pivot is column k above that.
inline void take_pivot(const RootRows& x, Index k, double inv) {
  const Index end = padded(x.m), own = k / k_lanes * k_lanes;
  const auto eight_of = [](Index i) ZWANG_LAMBDA { return i / k_lanes * k_lanes; };
  double *const p = x.rest, *const r = x.lambda;
  each_eight(end, [&](Index c) ZWANG_LAMBDA {
    const Eight row = c < own ? Eight::of([&](int l) ZWANG_LAMBDA { return x.X[(c + l) * x.stride + k]; })
                              : Eight::load(x.X + k * x.stride + c);
    row.store(p + c);
    ((row - Eight::load(x.unit - k + c)) * inv).store(r + c);
  });
  for (Index i = 0; i < x.m; ++i) {
    if (i == k) continue;
    double* const to = x.X + i * x.stride;
    for (Index c = eight_of(i); c < end; c += k_lanes) (Eight::load(to + c) - Eight::load(r + c) * p[i]).store(to + c);
  }
  for (Index c = own; c < end; c += k_lanes)
    (Eight::load(p + c) * inv - Eight::load(x.unit - k + c) * (1 + inv)).store(x.X + k * x.stride + c);
}
/// Copies the upper triangle to the lower one.
inline void mirror(const RootRows& x) {
  for (Index i = 0; i < x.m; i += k_lanes)
    for (Index j = i + k_lanes; j < padded(x.m); j += k_lanes) {
      Eight tile[k_lanes];
#pragma GCC unroll 8
      for (Index r = 0; r < k_lanes; ++r) tile[r] = Eight::load(x.X + (i + r) * x.stride + j);
      transpose(tile);
#pragma GCC unroll 8
      for (Index r = 0; r < k_lanes; ++r)
        if (j + r < x.m) tile[r].store(x.X + (j + r) * x.stride + i);
    }
}

/// X = -E^-1.
inline RootDoubt invert(const RootRows& x) {
  const Index end = padded(x.m);
  find_scale(x);
  for (Index i = 0; i < x.m; ++i)
    each_eight(end, [&](Index j) ZWANG_LAMBDA {
      const Eight a = Eight::load(x.A + i * x.stride + j) * Eight::load(x.inv_scale + j);
      (a * x.inv_scale[i]).store(x.X + i * x.stride + j);
    });
  RootDoubt doubt{0, 0};
  for (Index k = 0; k < x.m; ++k) {
    doubt.spread += 1 / x.X[k * x.stride + k];  // bound_k / Lambda_kk
  }
  for (Index k = 0; k < x.m; ++k) {
    const double d = x.X[k * x.stride + k];
    if (!(d > 0)) return {std::numeric_limits<double>::infinity(), doubt.spread};
    if (x.stop.asked != nullptr && x.stop.asked(x.stop.context))
      return {std::numeric_limits<double>::infinity(), doubt.spread};
    if (end == k_lanes)
      take_pivot<1>(x, k, 1 / d);
    else if (end == 2 * k_lanes)
      take_pivot<2>(x, k, 1 / d);
    else
      take_pivot(x, k, 1 / d);
  }
  if (end > 2 * k_lanes) mirror(x);
  for (Index k = 0; k < x.m; ++k)
    doubt.trace -= x.X[k * x.stride + k] * (x.A[k * x.stride + k] * x.inv_scale[k] * x.inv_scale[k]);
  return doubt;
}

/// M y in the eight numbers from c on, of a symmetric M.
ZWANG_INLINE Eight product(const RootRows& x, const double* M, const double* y, Index c) {
  Eight even(0.0), odd(0.0);
  Index i = 0;
  for (; i + 2 <= x.m; i += 2) {
    even += Eight::load(M + i * x.stride + c) * y[i];
    odd += Eight::load(M + (i + 1) * x.stride + c) * y[i + 1];
  }
  if (i < x.m) even += Eight::load(M + i * x.stride + c) * y[i];
  return even + odd;
}

/// x.lambda of x.b.
inline void solve(const RootRows& x) {
  const Index end = padded(x.m);
  const auto at = [](const double* p, Index c) ZWANG_LAMBDA { return Eight::load(p + c); };
  double* const y = x.rest;
  each_eight(end, [&](Index c) ZWANG_LAMBDA { (at(x.b, c) * at(x.inv_scale, c)).store(y + c); });
  each_eight(end, [&](Index c) ZWANG_LAMBDA { (-product(x, x.X, y, c) * at(x.inv_scale, c)).store(x.lambda + c); });
  each_eight(end, [&](Index c) ZWANG_LAMBDA {
    ((at(x.b, c) - product(x, x.A, x.lambda, c)) * at(x.inv_scale, c)).store(y + c);
  });
  each_eight(end, [&](Index c) ZWANG_LAMBDA {
    (at(x.lambda, c) - product(x, x.X, y, c) * at(x.inv_scale, c)).store(x.lambda + c);
  });
}

}  // namespace regular
}  // namespace ZWANG_ISA
}  // namespace zwang
