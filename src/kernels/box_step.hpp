// SPDX-License-Identifier: BSD-3-Clause
// A damped step within a box: minimise |e - J d|^2 + lambda |d|^2,  low <= d <= high.
//
//   d = J^T y,  (J J^T + lambda 1) y = e          6 x 6, inverted by the symmetric sweep operator (Goodnight 1979)
// Joints that would leave the box go to its wall, and the others are solved for again: a column leaves the inverse by
// Sherman and Morrison's formula, N -= y y^T / (1 + J_i . y) with y = N J_i, N = -(J J^T + lambda 1)^-1. The set of
// walls only grows within a step, and begins empty at the next one.
// Cost: about 650 flops for seven joints, six divisions. Allocates nothing.
#pragma once
#include "kernels/chain_pose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace chain {

/// A becomes -A^-1 by a sweep for each of the six pivots. Rows have lanes 3 and 7 empty.
template <int K> ZWANG_INLINE void sweep_pivot(Eight (&A)[6]) {
  constexpr int L = k_lane[K];
  const Eight row = A[K];
  const double d = 1 / row[L];
  Eight scaled = row * d, minus = scaled;
  scaled.set(L, 1 - d);
  minus.set(L, -d);
  if constexpr (K != 0) A[0] -= spread<k_lane[0]>(row) * scaled;
  if constexpr (K != 1) A[1] -= spread<k_lane[1]>(row) * scaled;
  if constexpr (K != 2) A[2] -= spread<k_lane[2]>(row) * scaled;
  if constexpr (K != 3) A[3] -= spread<k_lane[3]>(row) * scaled;
  if constexpr (K != 4) A[4] -= spread<k_lane[4]>(row) * scaled;
  if constexpr (K != 5) A[5] -= spread<k_lane[5]>(row) * scaled;
  A[K] = minus;
}
ZWANG_INLINE void negative_inverse(Eight (&A)[6]) {
  sweep_pivot<0>(A);
  sweep_pivot<1>(A);
  sweep_pivot<2>(A);
  sweep_pivot<3>(A);
  sweep_pivot<4>(A);
  sweep_pivot<5>(A);
}

ZWANG_INLINE Eight times(const Eight (&A)[6], const Eight& r) {
  return ((A[0] * spread<0>(r) + A[1] * spread<1>(r)) + A[2] * spread<2>(r)) +
         ((A[3] * spread<4>(r) + A[4] * spread<5>(r)) + A[5] * spread<6>(r));
}

template <int L> struct BoxStep {
  using Lanes = Wide<double, L>;
  Eight N[6];         ///< -(J J^T + lambda)^-1 of the joints that are free
  Lanes rows[6];      ///< J, by rows
  Lanes d;            ///< the step
  unsigned held = 0;  ///< bit i: at a wall of the box

  /// `cap`: the whole step is shortened so that no joint moves by more. `period` of a joint, if not nullptr: where d
  /// would leave the box, d +- period is tried first.
  ZWANG_INLINE void solve(int n, const Eight* J, const Eight& e, double lambda, const Lanes& low, const Lanes& high,
                          double cap, const double* period) {
    held = 0;
    by_rows(J);
    factor(n, J, lambda);
    Eight r = e;
    Lanes fixed(0.0), free(1.0);
    for (int pass = 0; pass <= n; ++pass) {
      const Eight y = times(N, r);
      const Lanes x = -(((rows[0] * wide<0>(y) + rows[1] * wide<1>(y)) + rows[2] * wide<2>(y)) +
                        ((rows[3] * wide<4>(y) + rows[4] * wide<5>(y)) + rows[5] * wide<6>(y)));
      d = x * free;
      if (beyond(d, Lanes(-cap), Lanes(cap))) d = d * (cap / largest(d, n));
      d = d + fixed;
      if (!beyond(d, low, high)) return;
      if (!hold(n, J, lambda, low, high, period, r, fixed, free)) return;
    }
  }

 private:
  template <int K> static ZWANG_INLINE Lanes wide(const Eight& y) {
    if constexpr (L == 8)
      return spread<K>(y);
    else
      return Lanes(y[K]);
  }

  ZWANG_INLINE void by_rows(const Eight* J) {
    alignas(64) double numbers[6][L];
#pragma GCC unroll 2
    for (int b = 0; b < L; b += 8) {
      Eight block[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) block[i] = J[b + i];
      transpose(block);
#pragma GCC unroll 6
      for (int a = 0; a < 6; ++a) block[k_lane[a]].store(numbers[a] + b);
    }
#pragma GCC unroll 6
    for (int a = 0; a < 6; ++a) rows[a] = Lanes::load(numbers[a]);
  }

  ZWANG_INLINE void factor(int n, const Eight* J, double lambda) {
#pragma GCC unroll 6
    for (int a = 0; a < 6; ++a) {
      Eight row(0.0);
      row.set(k_lane[a], lambda);
      for (int i = 0; i < n; ++i)
        if (!(held >> i & 1)) row += J[i] * J[i][k_lane[a]];
      N[a] = row;
    }
    negative_inverse(N);
  }

  static ZWANG_INLINE bool beyond(const Lanes& x, const Lanes& low, const Lanes& high) {
    auto out = less(x.part[0], low.part[0]) | less(high.part[0], x.part[0]);
#pragma GCC unroll 16
    for (int i = 1; i < Lanes::parts; ++i) out = out | (less(x.part[i], low.part[i]) | less(high.part[i], x.part[i]));
    return any(out);
  }
  static ZWANG_INLINE double largest(const Lanes& x, int n) {
    double most = 0;
    for (int i = 0; i < n; ++i) most = std::fmax(most, std::fabs(x[i]));
    return most;
  }

  /// Puts the free joints that are beyond the box on its wall. False if there are none.
  ZWANG_INLINE bool hold(int n, const Eight* J, double lambda, const Lanes& low, const Lanes& high,
                         const double* period, Eight& r, Lanes& fixed, Lanes& free) {
    bool some = false, again = false;
    for (int i = 0; i < n; ++i) {
      const double x = d[i];
      if ((held >> i & 1) || (x >= low[i] && x <= high[i])) continue;
      if (period != nullptr && period[i] > 0) {
        const double around = x > high[i] ? x - period[i] : x + period[i];
        if (around >= low[i] && around <= high[i]) {
          d.set(i, around);
          continue;
        }
      }
      const double wall = x > high[i] ? high[i] : low[i];
      held |= 1u << i;
      fixed.set(i, wall);
      free.set(i, 0);
      some = true;
      r -= J[i] * wall;
      const Eight y = times(N, J[i]);
      const double rest = 1 + dot6(J[i], y);
      again = again || rest < 1e-8;  // the column was the only one in some direction: its removal would cancel
      const Eight scaled = y * (1 / rest);
#pragma GCC unroll 6
      for (int a = 0; a < 6; ++a) N[a] -= scaled * y[k_lane[a]];
    }
    if (again) factor(n, J, lambda);
    return some;
  }
};

}  // namespace chain
}  // namespace ZWANG_ISA
}  // namespace zwang
