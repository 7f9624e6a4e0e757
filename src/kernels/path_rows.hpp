// SPDX-License-Identifier: BSD-3-Clause
// Hard rows of one state, eliminated at the ends of their own paths: Popov & Vereshchagin 1978;
// Vereshchagin 1989; early elimination as in Sathya & Carpentier 2024 ("Constrained articulated
// body dynamics algorithms"), block by block.
//
// The rows of a body travel inward along their *own path*: the columns that no other rows use. It ends where the path
// of other rows joins, at a free root, or at the ground. Rows between two bodies travel from both; where these strands
// meet, they are added. At the end of the path the block is eliminated at once:
//
//   path     w = K s;   l += w u;   K -= w U^T / D;   Lambda += w w^T / D
//   end      I_A += K^T Lambda^-1 K,   p_A += K^T Lambda^-1 l
//   outward  lambda = -Lambda^-1 (K a + l),   q'' = u - (U^T a - w^T lambda) / D
//
// Paths are disjoint: where the columns of each path move its rows in every direction, all rows together have full
// rank. trace(E^-1) of every block, E = S^-1 Lambda S^-1 with s_i^2 = Lambda_ii, says whether that is beyond doubt
// (linear/rank_revealing.hpp). Everything else (dependent rows, rows on three bodies, soft rows) is for the root
// (page/row_riders.hpp).
//
// DIFFERS from page/row_riders.hpp: a block stays in registers along its path, and its Lambda is that of the path
// alone. Up to three rows are factored as L D L^T, up to eight by the sweep operator (Goodnight 1979), whose lambda is
// refined once. Rows that are not there have a unit pivot. Cost O(n + m). Allocates nothing.
#pragma once
#include "core/kernel_table.hpp"
#include "factor/page/path_stage.hpp"
#include "zwang/spatial/vec4.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace path_rows {

using Few = Wide<double, 4>;
using Many = Wide<double, 8>;
using page::Carried;

template <int n> using Number = std::integral_constant<int, n>;
/// f(register type, number of rows to unroll) for a block of `count` rows.
template <class F> ZWANG_INLINE void for_size(Index count, F&& f) {
  if (count <= 3)
    f(Few(), Number<3>());
  else if (count <= 6)
    f(Many(), Number<6>());
  else
    f(Many(), Number<8>());
}
/// Component i of a wrench in memory, as many lanes as W has.
template <class W> ZWANG_INLINE W load(const Many& x) { return W::load(reinterpret_cast<const double*>(&x)); }
template <class W> ZWANG_INLINE void store(const W& x, Many& to) { x.store(reinterpret_cast<double*>(&to)); }
template <class W> ZWANG_INLINE Force<W> load(const Force<Many>& K) {
  return {{load<W>(K.f.x), load<W>(K.f.y), load<W>(K.f.z)}, {load<W>(K.n.x), load<W>(K.n.y), load<W>(K.n.z)}};
}
template <class W> ZWANG_INLINE void store(const Force<W>& K, Force<Many>& to) {
  store(K.f.x, to.f.x);
  store(K.f.y, to.f.y);
  store(K.f.z, to.f.z);
  store(K.n.x, to.n.x);
  store(K.n.y, to.n.y);
  store(K.n.z, to.n.z);
}
/// 1 in lane r, 0 in the others; k_no_lane: zeros.
alignas(64) inline constexpr double k_unit[24] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr Index k_no_lane = -8;
template <class W> ZWANG_INLINE W unit(Index r) { return W::load(k_unit + 8 - r); }
template <class W> ZWANG_INLINE W absolute(const W& x) {
  W r;
#pragma GCC unroll 8
  for (int p = 0; p < W::parts; ++p) r.part[p] = abs(x.part[p]);
  return r;
}
template <class W> ZWANG_INLINE W root_of(const W& x) {
  W r;
#pragma GCC unroll 8
  for (int p = 0; p < W::parts; ++p) r.part[p] = sqrt(x.part[p]);
  return r;
}
template <class W> ZWANG_INLINE W larger(const W& x, const W& y) {
  W r;
#pragma GCC unroll 8
  for (int p = 0; p < W::parts; ++p) r.part[p] = max(x.part[p], y.part[p]);
  return r;
}

/// Sums of the lanes of six registers, side by side.
ZWANG_INLINE Many sums(const Few (&x)[6]) {
  Few a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {x[4], x[5], Few(0.0), Few(0.0)};
  transpose(a);
  transpose(b);
  return join((a[0] + a[1]) + (a[2] + a[3]), (b[0] + b[1]) + (b[2] + b[3]));
}
ZWANG_INLINE Many sums(const Many (&x)[6]) {
  Many a[8] = {x[0], x[1], x[2], x[3], x[4], x[5], Many(0.0), Many(0.0)};
  transpose(a);
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

/// K and l of rows on one body, where it is now.
template <class W> ZWANG_INLINE void attach_body(const BasicData<double>& data, const page::ActiveRows<double>* entry,
                                                 PathBlock& b, Force<Many>& K0, Many& l0) {
  constexpr Index lanes = page::RowNumbers<double>::lanes;
  Force<W> K{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  W l(0.0), force2(0.0), moment2(0.0), target(0.0);
  for (Index e = 0, at = 0; e < b.strand[0].entries; ++e) {
    const page::ActiveRows<double>& c = entry[b.strand[0].entry + e];
    const page::SeenRows<double> seen(data, *c.rows, c.kind);
    const Index count = page::AttachRows<double>::row_count(c), stride = count + 2 * lanes;
    const double* const column = c.columns + lanes - at;
    W k[7];
#pragma GCC unroll 7
    for (Index d = 0; d < 7; ++d) k[d] = W::load(column + d * stride);
    Vec3<W> lin{k[0], k[1], k[2]}, ang{k[3], k[4], k[5]};
    if (seen.turned) {
      lin = seen.A * lin;
      ang = seen.A * ang;
    }
    const W square = dot(lin, lin);
    K += seen.wrench(lin, ang);
    l += seen.bias(lin, ang) - k[6];
    force2 += square;
    moment2 += dot(ang, ang) + square * seen.reach2;
    target += absolute(k[6]);
    at += count;
  }
  store(K, K0);
  store(l, l0);
  store(force2, b.force2[0]);
  store(moment2, b.moment2[0]);
  store(target, b.target);
}
/// The same of a relation on one of its bodies: its numbers are those of the state already.
template <class W> ZWANG_INLINE void attach_relation(const BasicData<double>& data,
                                                     const page::ActiveRows<double>* entry, PathBlock& b, Index s,
                                                     page::RowNumbers<double>& rows) {
  constexpr Index lanes = page::RowNumbers<double>::lanes;
  const PathStrand& strand = b.strand[s];
  const double* const column = entry[strand.entry].columns + lanes;
  const Index stride = b.count + 2 * lanes;
  W k[7];
#pragma GCC unroll 7
  for (Index d = 0; d < 7; ++d) k[d] = W::load(column + d * stride);
  const Force<W> K{{k[0], k[1], k[2]}, {k[3], k[4], k[5]}};
  const Vec3<double>& p = data.position.placement[strand.body].p;
  const W square = dot(K.f, K.f);
  store(K, rows.K[strand.group]);
  store(s == 0 ? -k[6] : W(0.0), rows.l[strand.group]);
  store(square, b.force2[s]);
  store(dot(K.n, K.n) + square * dot(p, p), b.moment2[s]);
  if (s == 0) store(absolute(k[6]), b.target);
}
template <class W> ZWANG_INLINE void attach(const BasicData<double>& data, const page::ActiveRows<double>* entry,
                                            page::RowNumbers<double>& rows, PathBlock& b) {
  const Index group = b.strand[0].group;
  if (entry[b.strand[0].entry].rows != nullptr) return attach_body<W>(data, entry, b, rows.K[group], rows.l[group]);
  for (Index s = 0; s < b.strands; ++s) attach_relation<W>(data, entry, b, s, rows);
}

/// Lambda = L D L^T of three rows, and how far they are from dependent.
ZWANG_INLINE RootDoubt factor(PathBlock& b, const Few (&A)[3], const Few& bound) {
  const double a00 = A[0][0], a01 = A[0][1], a02 = A[0][2], a11 = A[1][1], a12 = A[1][2], a22 = A[2][2];
  const double i0 = 1 / a00, l10 = a01 * i0, l20 = a02 * i0;
  const double d1 = a11 - l10 * a01, rest = a12 - l10 * a02, i1 = 1 / d1, l21 = rest * i1;
  const double d2 = (a22 - l20 * a02) - l21 * rest, i2 = 1 / d2;
  b.L[0] = l10;
  b.L[1] = l20;
  b.L[2] = l21;
  b.pivot[0] = i0;
  b.pivot[1] = i1;
  b.pivot[2] = i2;
  if (!(a00 > 0 && d1 > 0 && d2 > 0)) return {std::numeric_limits<double>::infinity(), 0};
  const double m20 = l10 * l21 - l20;  // of L^-1
  return {(i0 + l10 * l10 * i1 + m20 * m20 * i2) * a00 + (i1 + l21 * l21 * i2) * a11 + i2 * a22,
          bound[0] * i0 + bound[1] / a11 + bound[2] / a22};
}

/// The same of up to eight rows: X = -Lambda^-1, pivot after pivot.
template <int R, int k> ZWANG_INLINE bool take_pivot(Many (&X)[R]) {
  const double d = X[k][k], inv = 1 / d;
  const Many one = unit<Many>(k), others = Many(1.0) - one;
  const Many p = X[k] * others, G = p * inv - one * inv;
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i)
    if (i != k) X[i] = X[i] * others - G * spread<k>(X[i]);
  X[k] = G;
  return d > 0;
}
template <int R> ZWANG_INLINE RootDoubt factor(PathBlock& b, const Many (&A)[R], const Many& bound) {
  Many X[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) X[r] = b.Lambda[r] = A[r];
  const bool positive = [&]<int... k>(std::integer_sequence<int, k...>) ZWANG_LAMBDA {
    return (take_pivot<R, k>(X) && ...);
  }
  (std::make_integer_sequence<int, R>());
  if (!positive) return {std::numeric_limits<double>::infinity(), 0};
  RootDoubt doubt{0, 0};
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    b.inverse[r] = X[r];
    const double own = A[r][r];
    doubt.trace -= X[r][r] * own;
    doubt.spread += bound[r] / own;
  }
  return doubt;
}

/// A block on its way.
template <class W, int R> struct Walking {
  Force<W> K;
  W l, A[R], bound;
};
/// Carries it along columns of its path. force2, moment2: squares of the wrenches' magnitudes.
template <class W, int R> ZWANG_INLINE void walk(const BasicData<double>& data, PathStage& t, Index first,
                                                 Index columns, const W& force2, const W& moment2, Walking<W, R>& x) {
  Many reach(0.0);
  for (Index j = first; j < first + columns; ++j) {
    const Eliminated<double>& e = data.articulated.column[t.path[j]];
    const W w = (x.K.f.x * e.s.v.x + x.K.f.y * e.s.v.y + x.K.f.z * e.s.v.z) +
                (x.K.n.x * e.s.w.x + x.K.n.y * e.s.w.y + x.K.n.z * e.s.w.z);
    const W g = w * e.inv_D;
    alignas(64) double number[sizeof(W) / sizeof(double)];
    g.store(number);
    store(w, t.w[j]);
    x.l += w * e.u;
    x.K.f.x -= g * e.U.f.x;
    x.K.f.y -= g * e.U.f.y;
    x.K.f.z -= g * e.U.f.z;
    x.K.n.x -= g * e.U.n.x;
    x.K.n.y -= g * e.U.n.y;
    x.K.n.z -= g * e.U.n.z;
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) x.A[r] += w * number[r];
    const Many s = e.s.six().x;
    reach += s * s * e.inv_D;
  }
  x.bound += force2 * ((reach[0] + reach[1]) + reach[2]) + moment2 * ((reach[3] + reach[4]) + reach[5]);
}
/// Carries a block along its path and factors it there.
template <class W, int R> ZWANG_INLINE void carry(const BasicData<double>& data, const page::RowNumbers<double>& rows,
                                                  PathStage& t, PathBlock& b) {
  Walking<W, R> x;
  x.K = load<W>(rows.K[b.strand[0].group]);
  x.l = load<W>(rows.l[b.strand[0].group]);
  x.bound = W(0.0);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) x.A[r] = unit<W>(r < b.count ? k_no_lane : r);
  Index first = b.first;
  walk(data, t, first, b.strand[0].columns, load<W>(b.force2[0]), load<W>(b.moment2[0]), x);
  if (b.strands > 1) {
    first += b.strand[0].columns;
    const Force<W> K = x.K;
    x.K = load<W>(rows.K[b.strand[1].group]);
    walk(data, t, first, b.strand[1].columns, load<W>(b.force2[1]), load<W>(b.moment2[1]), x);
    first += b.strand[1].columns;
    x.K += K;
    walk(data, t, first, b.first + b.columns - first, load<W>(b.force2[0]) + load<W>(b.force2[1]),
         load<W>(b.moment2[0]) + load<W>(b.moment2[1]), x);
  }
  store(x.K, b.K);
  store(x.l, b.l);
  store(x.bound, b.bound);
  const RootDoubt doubt = factor(b, x.A, x.bound);
  t.doubt.take(doubt.trace, doubt.spread, b.count);
}

/// K by rows, each as six numbers in a register.
template <int R> ZWANG_INLINE void by_rows(const PathBlock& b, Many (&row)[R]) {
  const Force<Many>& K = b.K;
  if constexpr (R == 3) {
    Few f[4] = {load<Few>(K.f.x), load<Few>(K.f.y), load<Few>(K.f.z), load<Few>(K.n.x)};
    Few n[4] = {load<Few>(K.n.y), load<Few>(K.n.z), Few(0.0), Few(0.0)};
    transpose(f);
    transpose(n);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) row[r] = join(f[r], n[r]);
  } else {
    Many x[8] = {K.f.x, K.f.y, K.f.z, K.n.x, K.n.y, K.n.z, Many(0.0), Many(0.0)};
    transpose(x);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) row[r] = x[r];
  }
}
/// I_A += G K^T, p_A += G l, and the magnitudes of what is added.
ZWANG_INLINE void add_row(Carried& x, const Many& G, const Many& K, double l, Many& size) {
  x.IA.c0 += G * spread<0>(K);
  x.IA.c1 += G * spread<1>(K);
  x.IA.c2 += G * spread<2>(K);
  x.IA.c3 += G * spread<3>(K);
  x.IA.c4 += G * spread<4>(K);
  x.IA.c5 += G * spread<5>(K);
  x.pA.x += G * l;
  size += G * K;
}
template <int R> ZWANG_INLINE void absorb(PathBlock& b, Carried& x) {
  Many K[R], size(0.0);
  by_rows<R>(b, K);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) b.K_row[r] = K[r];
  if constexpr (R == 3) {  // K <- L^-1 K
    const double l0 = b.l[0], l1 = b.l[1] - l0 * b.L[0], l2 = b.l[2] - l0 * b.L[1] - l1 * b.L[2];
    K[1] -= K[0] * b.L[0];
    K[2] -= K[0] * b.L[1] + K[1] * b.L[2];
    add_row(x, K[0] * b.pivot[0], K[0], l0, size);
    add_row(x, K[1] * b.pivot[1], K[1], l1, size);
    add_row(x, K[2] * b.pivot[2], K[2], l2, size);
  } else {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const double* const X = reinterpret_cast<const double*>(&b.inverse[r]);
      Many G = K[0] * -X[0];
#pragma GCC unroll 8
      for (int s = 1; s < R; ++s) G -= K[s] * X[s];
      add_row(x, G, K[r], reinterpret_cast<const double*>(&b.l)[r], size);
    }
  }
  x.gross_mass += (size[0] + size[1]) + size[2];
  x.gross_moment += (size[3] + size[4]) + size[5];
}

/// M y of the block, M by rows in lanes.
template <int R> ZWANG_INLINE Many product(const Many (&M)[8], const Many& y) {
  alignas(64) double number[8];
  y.store(number);
  Many even = M[0] * number[0], odd = M[1] * number[1];
#pragma GCC unroll 8
  for (int r = 2; r < R; r += 2) {
    even += M[r] * number[r];
    odd += M[r + 1] * number[r + 1];
  }
  return even + odd;
}
/// y := -Lambda^-1 y of three rows, Lambda = L D L^T.
template <class S> ZWANG_INLINE void solve_three(const S (&L)[3], const S (&pivot)[3], S (&y)[3]) {
  y[1] -= y[0] * L[0];
  y[2] -= y[0] * L[1] + y[1] * L[2];
  y[2] = -y[2] * pivot[2];
  y[1] = -y[1] * pivot[1] - y[2] * L[2];
  y[0] = -y[0] * pivot[0] - y[1] * L[0] - y[2] * L[1];
}
/// lambda = -Lambda^-1 y of a block. Calls use(push), where push(w) = w^T lambda of a column.
template <int R, class W, class Use>
ZWANG_INLINE void multipliers(const PathBlock& b, const W& y, Many& lambda, Use&& use) {
  if constexpr (R == 3) {
    double x[3] = {y[0], y[1], y[2]}, *const to = reinterpret_cast<double*>(&lambda);
    solve_three(b.L, b.pivot, x);
    to[0] = x[0];
    to[1] = x[1];
    to[2] = x[2];
    to[3] = 0;
    use([&](const Many& column) ZWANG_LAMBDA {
      const double* const w = reinterpret_cast<const double*>(&column);
      return w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
    });
  } else {
    const Many first = product<R>(b.inverse, y);
    const Many x = first + product<R>(b.inverse, y + product<R>(b.Lambda, first));  // refined once
    store(x, lambda);
    use([&](const Many& w) ZWANG_LAMBDA { return sum(w * x); });
  }
}
/// K a of a block at the end of its path.
template <class W> ZWANG_INLINE W along_rows(const Force<W>& K, const Motion<double>& a) {
  return (K.f.x * a.v.x + K.f.y * a.v.y + K.f.z * a.v.z) + (K.n.x * a.w.x + K.n.y * a.w.y + K.n.z * a.w.z);
}
/// lambda = -Lambda^-1 y with y = l + K a, and w^T lambda of the columns of the path.
template <class W, int R>
ZWANG_INLINE void recover(const BasicData<double>& data, PathStage& t, PathBlock& b, const Motion<double>& a) {
  const W y = load<W>(b.l) + along_rows(load<W>(b.K), a);
  multipliers<R>(b, y, b.lambda, [&](auto&& push) ZWANG_LAMBDA {
    for (Index j = 0; j < b.columns; ++j) {
      const Index k = t.path[b.first + j];
      const double f = push(t.w[b.first + j]);
      t.pushed[k] = f;
      t.energy += f * f * data.articulated.column[k].inv_D;
    }
  });
  const double* const lambda = reinterpret_cast<const double*>(&b.lambda);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) t.end_force.x += b.K_row[r] * lambda[r];
}

}  // namespace path_rows
}  // namespace ZWANG_ISA
}  // namespace zwang
