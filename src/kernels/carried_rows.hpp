// SPDX-License-Identifier: BSD-3-Clause
// Rows of constraints of many states in lanes: Popov & Vereshchagin 1978, as page/row_riders.hpp, once the articulated
// sweep has reached the root.
//
//   path of a body's rows, from its last column to the root:   w = K s;  l += w u;  K -= w U^T / D
//   where two paths run together                                Lambda += w w^T / D
//   at the root                                                 Lambda lambda = -l by LDL^T
//   back to each column                                         w^T lambda
//
// Rows between bodies come along a strand from each of them; where strands meet, K and l add (row_plan.hpp).
//
// DIFFERS from rows.hpp (a test holds both equal): three rows of a body (fewer: zeros) travel to the root in registers,
// after the sweep over the bodies instead of with it; Lambda is summed and factored in tiles of 3 x 3. Not for
// coordinates that joints share. Cost O(m d + m^2 d + m^3). Allocates nothing.
#pragma once
#include "kernels/relations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Rows and residuals of the constraint as its body stands and moves now; `first`: number of its first row.
template <class S>
ZWANG_INLINE void attach(const BasicData<S>& data, const page::ActiveRows<S>& c, Index first, CarriedRows<S>& rows) {
  using T = Uniform<S>;
  const RowsOnBody& r = *c.rows;
  const page::SeenRows<S> seen(data, r, c.kind);
  const Index count = page::AttachRows<S>::row_count(c);
  for (Index i = 0; i < count; ++i) {
    const double* const k = r.matrix.data() + 6 * i;
    const Vec3<T> lin{T(k[0]), T(k[1]), T(k[2])}, ang{T(k[3]), T(k[4]), T(k[5])};
    AttachedRow<S>& x = rows.row[first + i];
    x.lambda = S(T(0));
    const auto put = [&](const auto& f, const auto& n) ZWANG_LAMBDA {
      x.K.n = widen<S>(n) + cross(seen.p, f);
      x.K.f = widen<S>(f);
      x.l = seen.bias(f, n) - c.beta[i];
    };
    if (seen.turned)
      put(seen.A * lin, seen.A * ang);
    else
      put(lin, ang);
    S squares(T(1));
    if (c.activity != nullptr) {
      x.K = x.K * *c.activity;
      x.l = x.l * *c.activity;
      squares = *c.activity;
    }
    if (c.compliance != nullptr) {
      x.stiffness = T(1) / c.compliance[i];
    } else {
      Triple<S>& t = rows.triple[x.hard / 3];
      t.force2[x.hard % 3] = squares * dot(lin, lin);
      t.moment2[x.hard % 3] = squares * (seen.reach2 * dot(lin, lin) + dot(ang, ang));
    }
  }
}

/// Carries rows along a segment, from its tip: K becomes its value at the end of the segment.
template <Index R, class S> ZWANG_INLINE void carry_along(const BasicData<S>& data, CarriedRows<S>& rows,
                                                          const Triple<S>& t, Index from, Index columns, Index begin,
                                                          Force<S>* K, S* l) {
  const Index* const path = &rows.path[t.path + from];
  S* const w = &rows.w[t.w + 3 * from];
  for (Index j = columns; j-- > 0;) {
    const Eliminated<S>& e = data.articulated.column[path[j]];
    S y[R];
#pragma GCC unroll 3
    for (Index r = 0; r < R; ++r) {
      y[r] = dot(e.s.v, K[r].f) + dot(e.s.w, K[r].n);
      w[3 * j + begin + r] = y[r];
      l[r] += y[r] * e.u;
      y[r] = y[r] * e.inv_D;
    }
#pragma GCC unroll 3
    for (Index r = 0; r < R; ++r) {
      K[r].f -= e.U.f * y[r];
      K[r].n -= e.U.n * y[r];
    }
  }
}

/// One triple to the root, `R` rows at a time. K and l of its rows are read, those at the root stay in t.l.
template <Index R, class S>
ZWANG_INLINE void carry(const BasicData<S>& data, CarriedRows<S>& rows, Triple<S>& t, Index begin) {
  using T = Uniform<S>;
  Force<S> K[R];
  S l[R];
#pragma GCC unroll 3
  for (Index r = 0; r < R; ++r) {
    const bool there = t.row[begin + r] >= 0;
    const AttachedRow<S>& x = rows.row[there ? t.row[begin + r] : t.row[0]];
    K[r] = there ? x.K : Force<S>::zero();
    l[r] = there ? x.l : S(T(0));
  }
  carry_along<R>(data, rows, t, 0, t.columns, begin, K, l);
#pragma GCC unroll 3
  for (Index r = 0; r < R; ++r) t.l[begin + r] = l[r];
}
/// The same of a relation, strand by strand; the strands are added where they meet.
template <Index R, class S>
ZWANG_INLINE void carry_strands(const BasicData<S>& data, CarriedRows<S>& rows, Triple<S>& t, Index begin) {
  using T = Uniform<S>;
  const Segment* const segment = &rows.segment[t.segment];
  S l[R];
  for (Index r = 0; r < R; ++r) l[r] = t.row[begin + r] >= 0 ? rows.row[t.row[begin + r]].l : S(T(0));
  for (Index s = 0; s < t.segments; ++s)
    for (Index r = 0; r < R; ++r)
      rows.met[s].K[begin + r] = segment[s].part >= 0 && t.row[begin + r] >= 0
                                     ? wrench_at_tip(rows, t, segment[s], begin + r)
                                     : Force<S>::zero();
  for (Index s = 0; s < t.segments; ++s) {
    const Segment& g = segment[s];
    Force<S> K[R];
    for (Index r = 0; r < R; ++r) K[r] = rows.met[s].K[begin + r];
    carry_along<R>(data, rows, t, g.begin, g.count, begin, K, l);
    for (Index r = 0; g.up >= 0 && r < R; ++r) rows.met[g.up].K[begin + r] += K[r];
  }
  for (Index r = 0; r < R; ++r) t.l[begin + r] = l[r];
}
template <Index R, class S>
[[gnu::noinline]] void carry_relation(const BasicData<S>& data, CarriedRows<S>& rows, Triple<S>& t) {
  for (Index r = 0; r < 3; r += R) carry_strands<R>(data, rows, t, r);  // of rows that are not there, zeros
}

/// sum of |s|^2 / D over columns of a triple: Lambda_ii of a row of unit size, whatever its axes.
template <class S> struct Reach { S linear, angular; };
template <class S> ZWANG_INLINE Reach<S> reach_of(const BasicData<S>& data, const Index* path, Index columns) {
  using T = Uniform<S>;
  S linear(T(0)), angular(T(0));
  for (Index j = 0; j < columns; ++j) {
    const Eliminated<S>& e = data.articulated.column[path[j]];
    linear += dot(e.s.v, e.s.v) * e.inv_D;
    angular += dot(e.s.w, e.s.w) * e.inv_D;
  }
  return {linear, angular};
}
/// Lambda_ii of a triple's rows without cancellation, whatever the axes: sum of |K|^2 |s|^2 / D along the path.
template <class S> ZWANG_INLINE void bound_rows(const BasicData<S>& data, const CarriedRows<S>& rows, Triple<S>& t) {
  using T = Uniform<S>;
  const Reach<S> a = reach_of(data, &rows.path[t.path], t.columns);
  for (Index r = 0; r < 3; ++r)
    t.bound[r] = t.row[r] >= 0 ? t.force2[r] * a.linear + t.moment2[r] * a.angular : S(T(0));
}
/// The same along strands, and what soft rows begin with.
template <class S> [[gnu::noinline]] void bound_relation(const BasicData<S>& data, CarriedRows<S>& rows, Triple<S>& t) {
  using T = Uniform<S>;
  const S zero(T(0));
  const Segment* const segment = &rows.segment[t.segment];
  for (Index r = 0; r < 3; ++r) t.bound[r] = t.row[r] >= 0 ? rows.row[t.row[r]].softness : zero;
  for (Index s = 0; s < t.segments; ++s)
    for (Index r = 0; r < 3; ++r) {
      Met<S>& x = rows.met[s];
      x.force2[r] = x.moment2[r] = zero;
      if (segment[s].part < 0 || t.row[r] < 0) continue;
      const Force<S>& K = wrench_at_tip(rows, t, segment[s], r);
      const Vec3<S>& p = data.position.placement[body_at_tip(rows, t, segment[s])].p;
      x.force2[r] = dot(K.f, K.f);
      x.moment2[r] = dot(K.n, K.n) + dot(K.f, K.f) * dot(p, p);
    }
  for (Index s = 0; s < t.segments; ++s) {
    const Segment& g = segment[s];
    const Reach<S> a = reach_of(data, &rows.path[t.path + g.begin], g.count);
    for (Index r = 0; r < 3; ++r) {
      const Met<S>& x = rows.met[s];
      t.bound[r] += x.force2[r] * a.linear + x.moment2[r] * a.angular;
      if (g.up < 0) continue;
      rows.met[g.up].force2[r] += x.force2[r];
      rows.met[g.up].moment2[r] += x.moment2[r];
    }
  }
}

/// x -= A B^T of tiles
template <class S> ZWANG_INLINE void subtract_product(S (&x)[9], const S* A, const S* B) {
#pragma GCC unroll 3
  for (Index k = 0; k < 3; ++k)
#pragma GCC unroll 3
    for (Index i = 0; i < 3; ++i)
#pragma GCC unroll 3
      for (Index j = 0; j < 3; ++j) x[3 * i + j] -= A[3 * i + k] * B[3 * j + k];
}

/// Lambda of the triples a and b.
template <class S>
ZWANG_INLINE void couple(const BasicData<S>& data, const CarriedRows<S>& rows, Index a, Index b, S (&x)[9]) {
  const Triple<S>&ta = rows.triple[a], &tb = rows.triple[b];
#pragma GCC unroll 9
  for (S& number : x) number = S(Uniform<S>(0));
  const Index* const runs = &rows.run_begin[a * (a + 1) / 2 + b];
  for (Index k = runs[0]; k < runs[1]; ++k) {
    const Run& run = rows.run[k];
    const S *wa = &rows.w[ta.w + 3 * run.a], *wb = &rows.w[tb.w + 3 * run.b];
    const Index* const path = &rows.path[ta.path + run.a];
    for (Index j = 0; j < run.count; ++j, wa += 3, wb += 3) {
      const S inv = data.articulated.column[path[j]].inv_D;
      const S g[3] = {wb[0] * inv, wb[1] * inv, wb[2] * inv};
#pragma GCC unroll 3
      for (Index i = 0; i < 3; ++i)
#pragma GCC unroll 3
        for (Index c = 0; c < 3; ++c) x[3 * i + c] += wa[i] * g[c];
    }
  }
  if (a == b && ta.relation >= 0)
    for (Index r = 0; r < 3 && ta.row[r] >= 0; ++r) x[4 * r] += rows.row[ta.row[r]].softness;
}

/// Lambda = L D L^T, row of tiles by row of tiles. `regular(pivot, bound)` is called with each pivot, and
/// regular.count(Lambda_ii, 1/D, bound). A row that no joint moves, or that is switched off, has 1/D = 1: its
/// multiplier is its residual, for which `loose_rows` checks.
template <class S, class Regular>
ZWANG_INLINE void factor_rows(const BasicData<S>& data, CarriedRows<S>& rows, Regular&& regular) {
  using T = Uniform<S>;
  const S zero(T(0)), one(T(1));
  S* const G = rows.scratch.data();  // L D of the row of tiles
  for (Index a = 0; a < rows.triples; ++a)
    for (Index b = 0; b <= a; ++b) {
      S x[9];
      couple(data, rows, a, b, x);
      for (Index k = 0; a == b && k < 3; ++k) rows.diagonal[3 * a + k] = x[4 * k];
      for (Index c = 0; c < b; ++c) subtract_product(x, G + 9 * c, rows.tile(b, c));
      S* const L = rows.tile(a, b);
      const S* const D = rows.tile(b, b);
      if (a != b) {  // L_ab = X L_bb^-T D^-1
#pragma GCC unroll 3
        for (Index i = 0; i < 3; ++i) {
          S* const y = x + 3 * i;
          y[1] -= y[0] * D[3];
          y[2] -= y[0] * D[6] + y[1] * D[7];
#pragma GCC unroll 3
          for (Index k = 0; k < 3; ++k) {
            G[9 * b + 3 * i + k] = y[k];
            L[3 * i + k] = y[k] * D[4 * k];
          }
        }
        continue;
      }
#pragma GCC unroll 3
      for (Index k = 0; k < 3; ++k) {
        const S bound = rows.triple[a].bound[k];
        const auto off = !less(zero, bound);
        const S inv = one / regular(select(off, one, x[4 * k]), select(off, zero, bound));
        S& own = rows.diagonal[3 * a + k];
        own = select(off, one, own);
        regular.count(own, inv, select(off, zero, bound));
        L[4 * k] = inv;
#pragma GCC unroll 3
        for (Index i = k + 1; i < 3; ++i) {
          L[3 * i + k] = x[3 * i + k] * inv;
#pragma GCC unroll 3
          for (Index j = k + 1; j <= i; ++j) x[3 * i + j] -= L[3 * i + k] * x[3 * j + k];
        }
      }
    }
}

/// tr E^-1 with E = S^-1 Lambda S^-1, s_i^2 = Lambda_ii, by the columns of L^-1.
template <class S> [[gnu::noinline]] S inverse_trace(CarriedRows<S>& rows) {
  using T = Uniform<S>;
  const Index m = 3 * rows.triples;
  S* const y = rows.scratch.data();
  S trace(T(0));
  for (Index k = 0; k < m; ++k) {  // y: column k of L^-1
    const Index first = k / 3;
    for (Index i = 3 * first; i < k; ++i) y[i] = S(T(0));
    y[k] = S(T(1));
    S sum = rows.tile(first, first)[4 * (k % 3)];
    for (Index i = k + 1; i < m; ++i) {
      const Index a = i / 3, r = i % 3;
      S x(T(0));
      for (Index b = first; b < a; ++b) {
        const S *const L = rows.tile(a, b) + 3 * r, *const z = y + 3 * b;
        x += L[0] * z[0] + L[1] * z[1] + L[2] * z[2];
      }
      const S* const L = rows.tile(a, a) + 3 * r;
      for (Index j = a == first ? k % 3 : 0; j < r; ++j) x += L[j] * y[3 * a + j];
      y[i] = -x;
      sum += x * x * L[r];
    }
    trace += sum * rows.diagonal[k];
  }
  return trace;
}

/// lambda = -Lambda^-1 l of the triples, added to that of the rows.
template <class S> ZWANG_INLINE void solve_rows(CarriedRows<S>& rows) {
  for (Index a = 0; a < rows.triples; ++a) {
    Triple<S>& t = rows.triple[a];
    S x[3] = {-t.l[0], -t.l[1], -t.l[2]};
    for (Index b = 0; b < a; ++b) {
      const S *const L = rows.tile(a, b), *const y = rows.triple[b].lambda;
#pragma GCC unroll 3
      for (Index i = 0; i < 3; ++i) x[i] -= L[3 * i] * y[0] + L[3 * i + 1] * y[1] + L[3 * i + 2] * y[2];
    }
    const S* const L = rows.tile(a, a);
    x[1] -= L[3] * x[0];
    x[2] -= L[6] * x[0] + L[7] * x[1];
    for (Index i = 0; i < 3; ++i) t.lambda[i] = x[i];
  }
  for (Index a = rows.triples; a-- > 0;) {
    Triple<S>& t = rows.triple[a];
    const S* const D = rows.tile(a, a);
    S x[3] = {t.lambda[0] * D[0], t.lambda[1] * D[4], t.lambda[2] * D[8]};
    for (Index b = a + 1; b < rows.triples; ++b) {
      const S *const L = rows.tile(b, a), *const y = rows.triple[b].lambda;
#pragma GCC unroll 3
      for (Index i = 0; i < 3; ++i) x[i] -= L[i] * y[0] + L[3 + i] * y[1] + L[6 + i] * y[2];
    }
    x[1] -= D[7] * x[2];
    x[0] -= D[3] * x[1] + D[6] * x[2];
    for (Index i = 0; i < 3; ++i) {
      t.lambda[i] = x[i];
      if (t.row[i] >= 0) rows.row[t.row[i]].lambda += x[i];
    }
  }
}

/// w^T lambda of every column.
template <class S> ZWANG_INLINE void push_rows(CarriedRows<S>& rows) {
  for (S& x : rows.pushed) x = S(Uniform<S>(0));
  for (Index a = 0; a < rows.triples; ++a) {
    const Triple<S>& t = rows.triple[a];
    const S x0 = t.lambda[0], x1 = t.lambda[1], x2 = t.lambda[2];
    const S* w = &rows.w[t.w];
    for (Index j = 0; j < t.columns; ++j, w += 3)
      rows.pushed[rows.path[t.path + j]] += w[0] * x0 + w[1] * x1 + w[2] * x2;
  }
}

/// Riders of articulated_sweep: soft rows are added to their bodies, hard ones are kept for the root.
template <class S, class Regular> struct CarriedRiders : page::NoRiders<S> {
  BasicData<S>& data;
  CarriedRows<S>& rows;
  const page::ActiveRows<S>* const first;
  const page::ActiveRows<S>* const last;
  Regular& regular;
  const page::ActiveRows<S>* next = first;
  Index row = 0;

  CarriedRiders(BasicData<S>& d, CarriedRows<S>& r, const page::ActiveRows<S>* begin, const page::ActiveRows<S>* end,
                Regular& is_regular)
      : data(d),
        rows(r),
        first(begin),
        last(end),
        regular(is_regular) {}
  ZWANG_INLINE void enter(Index body, Level<S>& x) {
    for (; next != last && next->rows->body == body; ++next) {
      const Index count = page::AttachRows<S>::row_count(*next);
      attach(data, *next, row, rows);
      for (Index i = row; next->compliance != nullptr && body > 0 && i < row + count; ++i)
        page::absorb_row(x, rows.row[i].K, rows.row[i].l, rows.row[i].stiffness);
      row += count;
    }
  }
  ZWANG_INLINE void solve() {
    constexpr Index k_together = register_bytes == 64 ? 3 : 1;  // with many registers
    for (Index k = 0; k < rows.relations; ++k) attach_relation(data, rows, k);
    for (Index a = 0; a < rows.triples; ++a) {
      Triple<S>& t = rows.triple[a];
      if (t.relation >= 0) {
        bound_relation(data, rows, t);
        carry_relation<k_together>(data, rows, t);
        continue;
      }
      bound_rows(data, rows, t);
      for (Index r = 0; r < 3; r += k_together) carry<k_together>(data, rows, t, r);
    }
    factor_rows(data, rows, regular);
    solve_rows(rows);
    push_rows(rows);
  }
  ZWANG_INLINE S push(Index k) { return rows.pushed[k]; }
  ZWANG_INLINE S pushed(Index k) const { return rows.pushed[k]; }
};

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
