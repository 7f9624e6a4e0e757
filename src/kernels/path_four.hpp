// SPDX-License-Identifier: BSD-3-Clause
// Two to four blocks of up to three rows that end at the same body after equally many columns, side by side: the steps
// of path_rows.hpp with a block in each lane, so that four chains of dependent operations are one.
#pragma once
#include "kernels/path_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace path_rows {

/// f(i, j) of the four blocks; lanes without a block repeat the first.
template <class F> ZWANG_INLINE void each_block(Index count, F&& f) {
#pragma GCC unroll 4
  for (Index i = 0; i < 4; ++i) f(i, i < count ? i : 0);
}
/// Four numbers of each block, as four registers of lanes.
template <class At> ZWANG_INLINE void gather(Few (&x)[4], Index count, At&& at) {
  each_block(count, [&](Index i, Index j) ZWANG_LAMBDA { x[i] = Few::load(at(j)); });
  transpose(x);
}
template <class At> ZWANG_INLINE void gather_six(Few (&x)[8], Index count, At&& at) {
  Few low[4], high[4];
  gather(low, count, at);
  gather(high, count, [&](Index j) ZWANG_LAMBDA { return at(j) + 4; });
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[i] = low[i];
    x[4 + i] = high[i];
  }
}
ZWANG_INLINE bool positive(const Few& x) {
  bool all_positive = true;
#pragma GCC unroll 4
  for (int p = 0; p < Few::parts; ++p) all_positive = all(less(Few::Part(0.0), x.part[p])) && all_positive;
  return all_positive;
}

/// Carries the blocks from `first` on along their paths and factors them.
ZWANG_INLINE void carry_four(const BasicData<double>& data, const page::RowNumbers<double>& rows, PathStage& t,
                             PathBlock* first, Index k0, PathFour& z) {
  const Index count = first->together, columns = first->columns;
  const auto row_numbers = [&](auto&& of) ZWANG_LAMBDA {
    return [&, of](Index j) ZWANG_LAMBDA { return reinterpret_cast<const double*>(&of(k0 + j)); };
  };
  Force<Few> K[3];
  Few l[3], force2[3], moment2[3], x[4];
#pragma GCC unroll 6
  for (Index d = 0; d < 6; ++d) {
    gather(x, count,
           row_numbers([&](Index k) ZWANG_LAMBDA -> const Many& { return rows.K[t.block[k].strand[0].group][d]; }));
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) K[r][d] = x[r] * (1.0 - z.absent[r]);
  }
  gather(x, count,
         row_numbers([&](Index k) ZWANG_LAMBDA -> const Many& { return rows.l[t.block[k].strand[0].group]; }));
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) l[r] = x[r] * (1.0 - z.absent[r]);
  gather(x, count, row_numbers([&](Index k) ZWANG_LAMBDA -> const Many& { return t.block[k].force2[0]; }));
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) force2[r] = x[r];
  gather(x, count, row_numbers([&](Index k) ZWANG_LAMBDA -> const Many& { return t.block[k].moment2[0]; }));
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) moment2[r] = x[r];
  Few a00 = z.absent[0], a11 = z.absent[1], a22 = z.absent[2], a01(0.0), a02(0.0), a12(0.0), linear(0.0), angular(0.0);
  for (Index j = 0; j < columns; ++j) {
    const auto column = [&](Index i) ZWANG_LAMBDA -> const Eliminated<double>& {
      return data.articulated.column[t.path[first[i].first + j]];
    };
    Few s[8], U[8];
    gather_six(s, count, [&](Index i) ZWANG_LAMBDA { return &column(i).s.v.x; });
    gather_six(U, count, [&](Index i) ZWANG_LAMBDA { return &column(i).U.f.x; });
    const Few inv_D = Few::of([&](int i) ZWANG_LAMBDA { return column(i < count ? i : 0).inv_D; });
    const Few u = Few::of([&](int i) ZWANG_LAMBDA { return column(i < count ? i : 0).u; });
    Few w[3], g[3];
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) {
      w[r] =
          (K[r].f.x * s[0] + K[r].f.y * s[1] + K[r].f.z * s[2]) + (K[r].n.x * s[3] + K[r].n.y * s[4] + K[r].n.z * s[5]);
      g[r] = w[r] * inv_D;
      z.w[j][r] = w[r];
      l[r] += w[r] * u;
#pragma GCC unroll 6
      for (Index d = 0; d < 6; ++d) K[r][d] -= U[d] * g[r];
    }
    z.inv_D[j] = inv_D;
    a00 += w[0] * g[0];
    a01 += w[0] * g[1];
    a02 += w[0] * g[2];
    a11 += w[1] * g[1];
    a12 += w[1] * g[2];
    a22 += w[2] * g[2];
    linear += (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) * inv_D;
    angular += (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]) * inv_D;
  }
  const Few i0 = 1.0 / a00, l10 = a01 * i0, l20 = a02 * i0;
  const Few d1 = a11 - l10 * a01, rest = a12 - l10 * a02, i1 = 1.0 / d1, l21 = rest * i1;
  const Few d2 = (a22 - l20 * a02) - l21 * rest, i2 = 1.0 / d2, m20 = l10 * l21 - l20;
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) {
    z.K[r] = K[r];
    z.l[r] = l[r];
  }
  z.L[0] = l10;
  z.L[1] = l20;
  z.L[2] = l21;
  z.pivot[0] = i0;
  z.pivot[1] = i1;
  z.pivot[2] = i2;
  const Few there[3] = {1.0 - z.absent[0], 1.0 - z.absent[1], 1.0 - z.absent[2]};
  const Few trace = (i0 + l10 * l10 * i1 + m20 * m20 * i2) * a00 * there[0] + (i1 + l21 * l21 * i2) * a11 * there[1] +
                    i2 * a22 * there[2];
  const auto bound = [&](int r) ZWANG_LAMBDA { return (force2[r] * linear + moment2[r] * angular) * there[r]; };
  Few bounds[4] = {bound(0), bound(1), bound(2), Few(0.0)};
  const Few spread = bounds[0] * i0 + bounds[1] / a11 + bounds[2] / a22;
  transpose(bounds);
  const bool regular = positive(a00) && positive(d1) && positive(d2);
  for (Index i = 0; i < count; ++i) {
    const int lane = static_cast<int>(i);
    t.doubt.take(regular ? trace[lane] : std::numeric_limits<double>::infinity(), spread[lane], first[i].count);
    store(bounds[i], first[i].bound);
  }
}

/// I_A += K^T Lambda^-1 K,  p_A += K^T Lambda^-1 l of all of them.
ZWANG_INLINE void absorb_four(const PathFour& z, Carried& x) {
  Force<Few> K[3] = {z.K[0], z.K[1], z.K[2]}, G[3];
  Few l[3] = {z.l[0], z.l[1], z.l[2]};
  const auto subtract = [&](int r, int s, const Few& f) ZWANG_LAMBDA {  // row s times f from row r
#pragma GCC unroll 6
    for (Index d = 0; d < 6; ++d) K[r][d] -= K[s][d] * f;
    l[r] -= l[s] * f;
  };
  subtract(1, 0, z.L[0]);
  subtract(2, 0, z.L[1]);
  subtract(2, 1, z.L[2]);
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r)
#pragma GCC unroll 6
    for (Index d = 0; d < 6; ++d) G[r][d] = K[r][d] * z.pivot[r];
  Few A[6][6], p[6];
#pragma GCC unroll 6
  for (Index i = 0; i < 6; ++i) {
#pragma GCC unroll 6
    for (Index j = 0; j <= i; ++j) A[i][j] = A[j][i] = G[0][i] * K[0][j] + G[1][i] * K[1][j] + G[2][i] * K[2][j];
    p[i] = G[0][i] * l[0] + G[1][i] * l[1] + G[2][i] * l[2];
  }
  x.IA.c0 += sums(A[0]);
  x.IA.c1 += sums(A[1]);
  x.IA.c2 += sums(A[2]);
  x.IA.c3 += sums(A[3]);
  x.IA.c4 += sums(A[4]);
  x.IA.c5 += sums(A[5]);
  x.pA.x += sums(p);
  x.gross_mass += sum(A[0][0] + A[1][1] + A[2][2]);
  x.gross_moment += sum(A[3][3] + A[4][4] + A[5][5]);
}

ZWANG_INLINE void recover_four(PathStage& t, PathBlock* first, const PathFour& z, const Motion<double>& a) {
  Few x[3];
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) x[r] = z.l[r] + along_rows(z.K[r], a);
  solve_three(z.L, z.pivot, x);
  const Few &x0 = x[0], &x1 = x[1], &x2 = x[2];
  Few energy(0.0), force[6];
#pragma GCC unroll 6
  for (Index d = 0; d < 6; ++d) force[d] = z.K[0][d] * x0 + z.K[1][d] * x1 + z.K[2][d] * x2;
  t.end_force.x += sums(force);
  const Index count = first->together;
  for (Index j = 0; j < first->columns; ++j) {
    const Few f = z.w[j][0] * x0 + z.w[j][1] * x1 + z.w[j][2] * x2;
    energy += f * f * z.inv_D[j];
    for (Index i = 0; i < count; ++i) t.pushed[t.path[first[i].first + j]] = f[static_cast<int>(i)];
  }
  t.energy += sum(energy);
  Few lambda[4] = {x0, x1, x2, Few(0.0)};
  transpose(lambda);
  for (Index i = 0; i < count; ++i) store(lambda[i], first[i].lambda);
}

}  // namespace path_rows
}  // namespace ZWANG_ISA
}  // namespace zwang
