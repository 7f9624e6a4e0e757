// SPDX-License-Identifier: BSD-3-Clause
// Another right-hand side for rows at the ends of their own paths, on what the sweep has left (path_sweep.hpp):
//
//   M x - J^T lambda = tau,   J x = b
//   inward    u = (tau - s^T p) / D,   p += U u
//   its end   l = -b + sum of w u along the path,   p += K^T Lambda^-1 l
//   outward   lambda = -Lambda^-1 (K a + l),   x = u - (U^T a - w^T lambda) / D,   a += s x
//
// Popov & Vereshchagin 1978 with velocities, gravity and wrenches of zero. No inertia is computed again. Reads the
// columns and placements of `data`, the rows and the numbers of the sweep; writes x, lambda and PathStage::response.
// Cost O(n + m). Allocates nothing.
#pragma once
#include "kernels/path_sweep.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace path_rows {

struct Response {
  const BasicData<double>& data;
  const page::RowNumbers<double>& rows;
  PathStage& t;
  const double *const tau, *const b;  ///< [nv], [m]
  double *const x, *const lambda;     ///< [nv], [m] out
  double motion2 = 0, energy = 0;     ///< sums of D u^2 and (w^T lambda)^2 / D

  ZWANG_INLINE const Eliminated<double>& column(Index k) const { return data.articulated.column[k]; }
  /// Numbers of a block's rows, with zeros behind.
  template <class W> ZWANG_INLINE W load_rows_of(const PathBlock& block, const double* of) const {
    alignas(64) double number[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (Index r = 0; r < block.count; ++r) number[r] = of[block.row + r];
    return W::load(number);
  }

  // --- inward

  /// K^T Lambda^-1 l of block k.
  template <class W, int R> ZWANG_INLINE Six absorb_one(Index k) {
    const PathBlock& block = t.block[k];
    W l = -load_rows_of<W>(block, b);
    for (Index j = block.first; j < block.first + block.columns; ++j) l += load<W>(t.w[j]) * t.response.u[t.path[j]];
    store(l, t.response.l[k]);
    Six sum{Many(0.0)};
    if (block.end == 0) return sum;
    double y[8];
    if constexpr (R == 3) {
      double three[3] = {l[0], l[1], l[2]};
      solve_three(block.L, block.pivot, three);
      for (int r = 0; r < R; ++r) y[r] = three[r];
    } else {
      product<R>(block.inverse, l).store(y);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) sum.x -= block.K_row[r] * y[r];
    return sum;
  }
  /// The same of the blocks from k on that are worked on side by side.
  ZWANG_INLINE Six absorb_together(Index k) {
    PathBlock* const first = &t.block[k];
    const PathFour& z = t.four[first->four];
    const Index count = first->together;
    Few l[4] = {Few(0.0), Few(0.0), Few(0.0), Few(0.0)};
    each_block(count, [&](Index i, Index j) ZWANG_LAMBDA { l[i] = -load_rows_of<Few>(first[j], b); });
    transpose(l);
    for (Index j = 0; j < first->columns; ++j) {
      const Few u =
          Few::of([&](int i) ZWANG_LAMBDA { return t.response.u[t.path[first[i < count ? i : 0].first + j]]; });
#pragma GCC unroll 3
      for (int r = 0; r < 3; ++r) l[r] += z.w[j][r] * u;
    }
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) l[r] *= 1.0 - z.absent[r];
    Few y[3] = {l[0], l[1], l[2]}, force[6];
    transpose(l);
    for (Index i = 0; i < count; ++i) store(l[i], t.response.l[k + i]);
    solve_three(z.L, z.pivot, y);
#pragma GCC unroll 6
    for (Index d = 0; d < 6; ++d) force[d] = -(z.K[0][d] * y[0] + z.K[1][d] * y[1] + z.K[2][d] * y[2]);
    return {sums(force)};
  }
  /// Of all blocks from `next` on that end at body i.
  [[gnu::noinline]] void absorb_at(Index i, Index& next, Six& p) {
    while (next < t.blocks && t.block[next].end == i) {
      const PathBlock& block = t.block[next];
      if (block.together > 1)
        p = p + absorb_together(next);
      else
        for_size(block.count, [&](auto w, auto r) ZWANG_LAMBDA { p = p + absorb_one<decltype(w), r.value>(next); });
      next += block.together;
    }
  }
  /// I_A a = S^-T tau - p and x = S^-1 a of a free root, where S is a rotation in world axes.
  void solve_root(const Six& p) {
    const Body<double>& root = data.tree().body[1];
    Axes4 R;
    Vec4 at;
    load_rows(&data.position.placement[1].R.r0.x, R, at);
    PaddedMotion g;
    g.rest[1] = 0;
    store_parts(R * Vec3<double>{tau[root.v], tau[root.v + 1], tau[root.v + 2]},
                R * Vec3<double>{tau[root.v + 3], tau[root.v + 4], tau[root.v + 5]}, g);
    const ColumnInertia& A = t.root_inertia;
    page::SixEquations e{{A.c0, A.c1, A.c2, A.c3, A.c4, A.c5}, g.six().x - p.x, {}, {}};
    const double none[2] = {0, 0};
    e.eliminate<5>(none);
    e.eliminate<4>(none);
    e.eliminate<3>(none);
    e.eliminate<2>(none);
    e.eliminate<1>(none);
    e.eliminate<0>(none);
    e.substitute();
    const Motion<double> a{{e.x[0], e.x[1], e.x[2]}, {e.x[3], e.x[4], e.x[5]}};
    t.response.a[1] = a;
    const Transform<double>& X = data.position.placement[1];
    const Vec3<double> linear = transpose_times(X.R, a.v), angular = transpose_times(X.R, a.w);
    for (Index k = 0; k < 3; ++k) {
      x[root.v + k] = linear[k];
      x[root.v + 3 + k] = angular[k];
    }
  }
  void inward() {
    const Tree<double>& tree = data.tree();
    PathResponse& to = t.response;
    const Six none{Many(0.0)};
    for (Index i = 0; i <= tree.n; ++i) to.p[i] = none;
    Index next = 0;
    Six p = none;
    for (Index i = tree.n; i > 0; --i) {
      const Body<double>& body = tree.body[i];
      p = to.p[i] + p;
      if (t.ends[i]) {
        Six here = p;  // in memory, so that p stays in registers
        absorb_at(i, next, here);
        p = here;
      }
      if (i == 1 && t.root_at_once) {
        solve_root(p);
        break;
      }
      for (Index k = body.v + body.nv - 1; k >= body.v; --k) {
        const Eliminated<double>& e = column(k);
        const double f = tau[k] - dot(e.s.six(), p), u = f * e.inv_D;
        motion2 += f * u;
        to.u[k] = u;
        p = p + e.U.six() * u;
      }
      if (body.parent == i - 1) continue;
      if (body.parent > 0) to.p[body.parent] += p;
      p = none;
    }
    absorb_at(0, next, p);
  }

  // --- outward

  /// Into u: what rows push a column.
  ZWANG_INLINE void push(Index k, double f) {
    const double by_D = f * column(k).inv_D;
    energy += f * by_D;
    t.response.u[k] += by_D;
  }
  template <class W, int R> ZWANG_INLINE void recover_one(Index k, const Motion<double>& a) {
    const PathBlock& block = t.block[k];
    const W y = load<W>(t.response.l[k]) + along_rows(load<W>(block.K), a);
    Many z;
    multipliers<R>(block, y, z, [&](auto&& product) ZWANG_LAMBDA {
      for (Index j = block.first; j < block.first + block.columns; ++j) push(t.path[j], product(t.w[j]));
    });
    for (Index r = 0; r < block.count; ++r) lambda[block.row + r] = reinterpret_cast<const double*>(&z)[r];
  }
  ZWANG_INLINE void recover_together(Index k, const Motion<double>& a) {
    PathBlock* const first = &t.block[k];
    const PathFour& z = t.four[first->four];
    const Index count = first->together;
    Few y[4];
    each_block(count, [&](Index i, Index j) ZWANG_LAMBDA { y[i] = load<Few>(t.response.l[k + j]); });
    transpose(y);
    Few of[3] = {y[0], y[1], y[2]};
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r) of[r] += along_rows(z.K[r], a);
    solve_three(z.L, z.pivot, of);
    for (Index j = 0; j < first->columns; ++j) {
      const Few f = z.w[j][0] * of[0] + z.w[j][1] * of[1] + z.w[j][2] * of[2];
      for (Index i = 0; i < count; ++i) push(t.path[first[i].first + j], f[static_cast<int>(i)]);
    }
    for (Index i = 0; i < count; ++i)
      for (Index r = 0; r < first[i].count; ++r) lambda[first[i].row + r] = of[r][static_cast<int>(i)];
  }
  [[gnu::noinline]] void recover_at(Index i, const Motion<double>& a) {
    for (Index k = 0; k < t.blocks; k += t.block[k].together) {
      const PathBlock& block = t.block[k];
      if (block.end != i) continue;
      if (block.together > 1)
        recover_together(k, a);
      else
        for_size(block.count, [&](auto w, auto r) ZWANG_LAMBDA { recover_one<decltype(w), r.value>(k, a); });
    }
  }
  void outward() {
    const Tree<double>& tree = data.tree();
    PathResponse& to = t.response;
    const Index first = t.root_at_once ? 2 : 1;
    to.a[0] = Motion<double>::zero();
    for (Index i = 0; i < first; ++i)
      if (t.ends[i]) recover_at(i, Motion<double>(to.a[i]));
    Motion<double> a = to.a[first - 1];
    for (Index i = first; i <= tree.n; ++i) {
      const Body<double>& body = tree.body[i];
      if (body.parent != i - 1) a = to.a[body.parent];
      for (Index k = body.v; k < body.v + body.nv; ++k) {
        const Eliminated<double>& e = column(k);
        const double y = to.u[k] - along(a, e.U) * e.inv_D;
        a.v += e.s.v * y;
        a.w += e.s.w * y;
        x[k] = y;
      }
      to.a[i] = a;
      if (t.ends[i]) recover_at(i, Motion<double>(a));
    }
  }

  // --- what it leaves of its rows

  /// Whether J x - b of a block is no more than the rounding of its terms, as measure() judges an answer.
  template <class W, int R> ZWANG_INLINE bool holds(const PathBlock& block, double motion) const {
    const Motion<double>& end = t.response.a[block.end];
    W value = -load_rows_of<W>(block, b), size = absolute(value);
    for (Index s = 0; s < block.strands; ++s) {
      const Motion<double>& a = t.response.a[block.strand[s].body];
      const Force<Many>& K0 = rows.K[block.strand[s].group];
#pragma GCC unroll 6
      for (Index d = 0; d < 6; ++d) {
        const W K = load<W>(K0[d]), term = K * a[d];
        value += term;
        size += absolute(term) + absolute(K) * std::fabs(end[d]);
      }
    }
    return is_rounding(block, relative_to(value, size + root_of(load<W>(block.bound)) * motion));
  }
  bool holds() const {
    const double motion = std::sqrt(motion2) + std::sqrt(energy);
    bool all_hold = true;
    for (Index k = 0; k < t.blocks; ++k)
      for_size(t.block[k].count, [&](auto w, auto r) ZWANG_LAMBDA {
        all_hold = holds<decltype(w), r.value>(t.block[k], motion) && all_hold;
      });
    return all_hold;
  }
};

/// x [nv] and lambda [m] of tau [nv] and b [m]. False where a row is left with more than rounding, or a number is not
/// finite.
inline bool respond(const BasicData<double>& data, const page::RowNumbers<double>& rows, PathStage& t,
                    const double* tau, const double* b, double* x, double* lambda) {
  Response answer{data, rows, t, tau, b, x, lambda};
  answer.inward();
  answer.outward();
  return answer.holds() && finite(data.tree().nv, x);
}

}  // namespace path_rows
}  // namespace ZWANG_ISA
}  // namespace zwang
