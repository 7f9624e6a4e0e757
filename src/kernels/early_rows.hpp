// SPDX-License-Identifier: BSD-3-Clause
// Rows of constraints of many states in lanes, met early: Popov & Vereshchagin 1978; early elimination of the
// multipliers as in Sathya, Bruyninckx, Decre & Pipeleers 2024, sec. V, for whole blocks of rows.
//
//   path of a body's rows, from its last column inward        w = K s;  l += w u;  K -= w U^T / D
//   where another constraint's path joins, at a free root, or at the ground
//                                                             Lambda = sum w w^T / D = L D L^T
//                                                             I_A += K^T Lambda^-1 K,  p_A += K^T Lambda^-1 l
//   outward, from there                                       lambda = -Lambda^-1 (K a + l);  w^T lambda to each column
//
// The plan is made once for the rows of a call, for any tree: no two blocks have a column in common, and Lambda has
// only blocks on its diagonal. If the columns of each path move all rows of its block, all rows are independent.
//
// DIFFERS: blocks of up to six rows, not single directions; with 1/D and rows transformed, K' = L^-1 K, l' = L^-1 l,
// both passes need sums only. Not for soft rows, relations, prescribed columns, coordinates that joints share: those
// and lanes where a block may be singular are for carried_rows.hpp. Cost O(m d). Allocates nothing.
#pragma once
#include "kernels/carried_rows.hpp"
#include "kernels/row_doubt.hpp"
#include "zwang/algorithm/page/forward_dynamics_states.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// Bounds of the noise of a block, relative to what would make a row dependent. RowDoubt::passes()
/// measures it with that of inertias, which shows that all rows count beyond doubt. Rounding of K alone,
/// t = tr E^-1 sqrt(sum of bound / Lambda_ii), in units of epsilon: digits are lost as by a doubtful
/// column. Whether rows hold is tested by themselves.
template <class S> constexpr Uniform<S> k_most_noise = RowDoubt<S>::k_passes;
template <class S> constexpr Uniform<S> k_most_trace = page::doubtful_ratio<S>;
constexpr Index k_block_rows = 6;  ///< most rows of a block; there is code for three and for six

/// Hard rows on one body. Rows that are not there are zeros.
template <class S> struct RowBlock {
  Index body, first, count;  ///< rows, in CarriedRows
  Index moving;              ///< 0: the joint of their body moves none of them
  Index met;                 ///< the body that meets them; 0: the ground
  Index next;                ///< the next block met there, or -1
  Index path, columns, w;    ///< of its columns from the rows' body inward; `rows()` numbers of w for each
  Force<S> K[k_block_rows];  ///< at the end of the path; then L^-1 K
  S l[k_block_rows];         ///< likewise
  S L[k_block_rows][k_block_rows], inv[k_block_rows];  ///< Lambda = L D L^T; 1/D
  S diagonal[k_block_rows];                            ///< Lambda_ii; 1 of a row that is not there
  S bound[k_block_rows];  ///< of Lambda_ii, without cancellation; 0 of a row that is not there
  ZWANG_INLINE Index rows() const { return count <= 3 ? 3 : 6; }
};

template <class S> struct EarlyRows {
  using T = Uniform<S>;
  EarlyRows() = default;
  EarlyRows(const Tree<T>& tree, const ConstrainedRoom& room)
      : block(room.constraints),
        met_at(tree.n + 1),
        block_of(tree.n + 1),
        path(tree.spanning_nv),
        w(k_block_rows * tree.spanning_nv),
        pushed(tree.spanning_nv) {}
  Buffer<RowBlock<S>> block;
  Buffer<Index> met_at;    ///< [n+1] the first block met at a body, or -1
  Buffer<Index> block_of;  ///< [n+1] the block of the rows on a body, or -1
  Buffer<Index> path;      ///< columns of all blocks
  Buffer<S> w, pushed;     ///< pushed [spanning nv]: w^T lambda
  Index blocks = 0;
  bool fits = false;  ///< the rows of this call can be met early
};

/// Whether the joint of the rows' body turns about their point, so that its column moves none of them.
template <class T> bool turns_about(const RowsOnBody& r, const Body<T>& b) {
  if (b.kind != kind_of<Revolute> && b.kind != kind_of<RevoluteUnbounded>) return false;
  if (r.about_world_origin || r.point.x != 0 || r.point.y != 0) return false;
  for (std::size_t k = 0; k < r.matrix.size(); ++k)
    if (k % 6 > 2 && r.matrix[k] != 0) return false;
  return true;
}

/// The columns of a block, from its body to the body that meets it.
template <class S>
void list_columns(EarlyRows<S>& r, const Tree<Uniform<S>>& tree, RowBlock<S>& b, Index& columns, Index& numbers) {
  b.path = columns;
  b.w = numbers;
  for (Index i = b.body; i != b.met; i = tree.body[i].parent)
    for (Index k = tree.body[i].nv; k-- > 0;) r.path[columns++] = tree.body[i].v + k;
  b.columns = columns - b.path;
  numbers += b.rows() * b.columns;
}

/// [first, last) are sorted by body. Leaves r.fits.
template <class S> void plan_early(EarlyRows<S>& r, const Tree<Uniform<S>>& tree, const page::ActiveRows<S>* first,
                                   const page::ActiveRows<S>* last) {
  r.blocks = 0;
  r.fits = false;
  for (Index i = 0; i <= tree.n; ++i) r.met_at[i] = r.block_of[i] = -1;
  Index row = 0;
  for (const page::ActiveRows<S>* c = first; c != last; ++c) {
    const Index body = c->rows->body, count = page::AttachRows<S>::row_count(*c);
    if (c->compliance != nullptr || body == 0) return;
    if (r.block_of[body] < 0) {
      RowBlock<S>& b = r.block[r.blocks];
      b.body = body;
      b.first = row;
      b.count = b.moving = 0;
      r.block_of[body] = r.blocks++;
    }
    RowBlock<S>& b = r.block[r.block_of[body]];
    b.count += count;
    if (!turns_about(*c->rows, tree.body[body])) b.moving = 1;
    row += count;
    if (b.count > k_block_rows) return;
  }
  for (Index i = tree.n; i > 0; --i) {  // met_at[i]: the blocks that have come from the body's children
    const bool root = tree.body[i].parent == 0 && tree.body[i].kind == kind_of<Free>;
    Index goes_on = r.block_of[i];
    if (goes_on < 0 && !root && r.met_at[i] >= 0 && r.block[r.met_at[i]].next < 0) {
      goes_on = r.met_at[i];
      r.met_at[i] = -1;
    }
    for (Index k = r.met_at[i]; k >= 0; k = r.block[k].next) r.block[k].met = i;
    if (goes_on < 0) continue;
    if (root) return;  // rows of the root itself
    RowBlock<S>& b = r.block[goes_on];
    b.met = 0;
    b.next = r.met_at[tree.body[i].parent];
    r.met_at[tree.body[i].parent] = goes_on;
  }
  Index columns = 0, numbers = 0;
  for (Index k = 0; k < r.blocks; ++k) {
    list_columns(r, tree, r.block[k], columns, numbers);
    if (r.block[k].columns + r.block[k].moving - 1 < r.block[k].count) return;
  }
  for (S& x : r.pushed) x = S(Uniform<S>(0));
  r.fits = r.blocks > 0;
}

/// `N` rows of a block along its path, in registers.
template <Index N, Index R, class S> ZWANG_INLINE void carry_rows(const BasicData<S>& data, const CarriedRows<S>& rows,
                                                                  EarlyRows<S>& r, RowBlock<S>& b, Index begin) {
  using T = Uniform<S>;
  Force<S> K[N];
  S l[N];
#pragma GCC unroll 3
  for (Index k = 0; k < N; ++k) {
    const bool there = begin + k < b.count;
    const AttachedRow<S>& x = rows.row[b.first + (there ? begin + k : 0)];
    K[k] = there ? x.K : Force<S>::zero();
    l[k] = there ? x.l : S(T(0));
  }
  const Index* const path = &r.path[b.path];
  S* w = &r.w[b.w + begin];
  for (Index j = 0; j < b.columns; ++j, w += R) {
    const Eliminated<S>& e = data.articulated.column[path[j]];
    S y[N];
#pragma GCC unroll 3
    for (Index k = 0; k < N; ++k) {
      y[k] = dot(e.s.v, K[k].f) + dot(e.s.w, K[k].n);
      w[k] = y[k];
      l[k] += y[k] * e.u;
      y[k] = y[k] * e.inv_D;
    }
#pragma GCC unroll 3
    for (Index k = 0; k < N; ++k) {
      K[k].f -= e.U.f * y[k];
      K[k].n -= e.U.n * y[k];
    }
  }
#pragma GCC unroll 3
  for (Index k = 0; k < N; ++k) {
    b.K[begin + k] = K[k];
    b.l[begin + k] = l[k];
  }
}

/// Lambda = L D L^T of a block. `again` becomes 1 where a pivot is not positive.
template <Index R, class S> ZWANG_INLINE RowDoubt<S> factor_block(const BasicData<S>& data, const CarriedRows<S>& rows,
                                                                  const EarlyRows<S>& r, RowBlock<S>& b, S& again) {
  using T = Uniform<S>;
  const S zero(T(0)), one(T(1));
  S A[R][R], linear = zero, angular = zero;
#pragma GCC unroll 6
  for (Index i = 0; i < R; ++i)
#pragma GCC unroll 6
    for (Index k = 0; k <= i; ++k) A[i][k] = zero;
  const S* w = &r.w[b.w];
  for (Index j = 0; j < b.columns; ++j, w += R) {
    const Eliminated<S>& e = data.articulated.column[r.path[b.path + j]];
#pragma GCC unroll 6
    for (Index k = 0; k < R; ++k) {
      const S g = w[k] * e.inv_D;
#pragma GCC unroll 6
      for (Index i = k; i < R; ++i) A[i][k] += w[i] * g;
    }
    linear += dot(e.s.v, e.s.v) * e.inv_D;
    angular += dot(e.s.w, e.s.w) * e.inv_D;
  }
  RowDoubt<S> doubt;
  doubt.rows = R;
#pragma GCC unroll 6
  for (Index k = 0; k < R; ++k) b.diagonal[k] = A[k][k];
#pragma GCC unroll 6
  for (Index k = 0; k < R; ++k) {
    S bound = zero, size = zero;
    if (k < b.count) {
      const Index at = rows.row[b.first + k].hard;
      const Triple<S>& t = rows.triple[at / 3];
      size = t.force2[at % 3] + t.moment2[at % 3];
      bound = t.force2[at % 3] * linear + t.moment2[at % 3] * angular;
    }
    const auto off = !less(zero, size);  // not there, or switched off: K is zero
    const S pivot = select(off, one, A[k][k]);
    const auto regular = less(zero, pivot);
    again = select(regular, again, one);
    const S inv = one / select(regular, pivot, one);
    b.diagonal[k] = select(off, one, b.diagonal[k]);
    doubt.growth = doubt.growth * (b.diagonal[k] * inv);
    b.bound[k] = select(off, zero, bound);
    doubt.spread += b.bound[k] * inv;
    b.inv[k] = inv;
#pragma GCC unroll 6
    for (Index i = k + 1; i < R; ++i) {
      const S f = A[i][k] * inv;
      b.L[i][k] = f;
#pragma GCC unroll 6
      for (Index c = k + 1; c <= i; ++c) A[i][c] -= f * A[c][k];
    }
  }
  return doubt;
}

/// Whether the noise of K in a block leaves enough digits, with tr E^-1 <= t.
template <class S> ZWANG_INLINE auto has_digits(const RowDoubt<S>& doubt, const S& t) {
  return less(t * t * doubt.spread, S(k_most_trace<S> * k_most_trace<S>));
}
/// Whether a block is regular beyond doubt, by tr E^-1 itself: from the columns of L^-1.
template <Index R, class S>
[[gnu::noinline]] auto is_regular(const RowBlock<S>& b, const BasicData<S>& data, Uniform<S> tolerance) {
  using T = Uniform<S>;
  RowDoubt<S> doubt;
  doubt.rows = R;
  S trace(T(0)), y[R];
  for (Index k = 0; k < R; ++k) {
    S sum = b.inv[k];
    y[k] = S(T(1));
    for (Index i = k + 1; i < R; ++i) {
      S x(T(0));
      for (Index c = k; c < i; ++c) x -= b.L[i][c] * y[c];
      y[i] = x;
      sum += x * x * b.inv[i];
    }
    trace += sum * b.diagonal[k];
    doubt.spread += b.bound[k] / b.diagonal[k];
  }
  return has_digits(doubt, trace) & doubt.passes(trace, data.articulated.gross_ratio, tolerance, k_most_noise<S>);
}

/// K = L^-1 K, l = L^-1 l, and what they add to the body that meets them.
template <Index R, class S> ZWANG_INLINE void absorb_block(RowBlock<S>& b, Level<S>& x) {
  const S mass = trace(x.IA.M), moment = trace(x.IA.I);
#pragma GCC unroll 6
  for (Index k = 0; k < R; ++k) {
    Force<S> K = b.K[k];
    S l = b.l[k];
#pragma GCC unroll 6
    for (Index i = 0; i < k; ++i) {
      K.f -= b.K[i].f * b.L[k][i];
      K.n -= b.K[i].n * b.L[k][i];
      l -= b.l[i] * b.L[k][i];
    }
    b.K[k] = K;
    b.l[k] = l;
    subtract_outer(x.IA, K * -b.inv[k], K);
    x.pA += K * (l * b.inv[k]);
  }
  // What has been added counts as inertia: of a column that it leaves free, D is a difference of such numbers.
  x.gross_mass += trace(x.IA.M) - mass;
  x.gross_moment += trace(x.IA.I) - moment;
}
/// l = L^-1 l alone.
template <Index R, class S> ZWANG_INLINE void take_rest(RowBlock<S>& b) {
#pragma GCC unroll 6
  for (Index k = 1; k < R; ++k)
#pragma GCC unroll 6
    for (Index i = 0; i < k; ++i) b.l[k] -= b.l[i] * b.L[k][i];
}

/// Adds to lambda, where `on`, the multipliers that follow from the acceleration of the body where the rows were
/// eliminated, and leaves w^T of them.
template <Index R, class S> ZWANG_INLINE void recover_block(CarriedRows<S>& rows, EarlyRows<S>& r, const RowBlock<S>& b,
                                                            const Motion<S>& a, const S& on) {
  S x[R];
  const auto here = less(S(Uniform<S>(0)), on);
#pragma GCC unroll 6
  for (Index k = 0; k < R; ++k) x[k] = (b.met == 0 ? b.l[k] : b.l[k] + dot(a, b.K[k])) * -b.inv[k];
#pragma GCC unroll 6
  for (Index k = R - 1; k >= 0; --k)
#pragma GCC unroll 6
    for (Index i = k + 1; i < R; ++i) x[k] -= b.L[i][k] * x[i];
#pragma GCC unroll 6
  for (Index k = 0; k < R; ++k)
    if (k < b.count) {
      S& lambda = rows.row[b.first + k].lambda;
      lambda = select(here, lambda + x[k], lambda);
    }
  const S* w = &r.w[b.w];
  for (Index j = 0; j < b.columns; ++j, w += R) {
    S sum = w[0] * x[0];
#pragma GCC unroll 6
    for (Index k = 1; k < R; ++k) sum += w[k] * x[k];
    r.pushed[r.path[b.path + j]] = sum;
  }
}

/// All blocks that body i has met.
template <class S>
[[gnu::noinline]] void recover(CarriedRows<S>& rows, EarlyRows<S>& r, Index i, const Motion<S>& a, const S& on) {
  for (Index k = r.met_at[i]; k >= 0; k = r.block[k].next)
    r.block[k].rows() == 3 ? recover_block<3>(rows, r, r.block[k], a, on)
                           : recover_block<6>(rows, r, r.block[k], a, on);
}

/// A step of refinement in the lanes where rows do not hold: their `residual`s are solved with the same factors while
/// the bodies that meet them stay as they are.
template <class S> [[gnu::noinline]] void refine_early(BasicData<S>& data, CarriedRows<S>& rows, EarlyRows<S>& r,
                                                       const S* residual, const S& loose, Motion<S>* change, S* qdd) {
  const auto& tree = data.tree();
  const S zero(Uniform<S>(0));
  const auto here = less(zero, loose);
  for (Index k = 0; k < r.blocks; ++k) {
    RowBlock<S>& b = r.block[k];
    for (Index i = 0; i < b.rows(); ++i) b.l[i] = i < b.count ? select(here, residual[b.first + i], zero) : zero;
    b.rows() == 3 ? take_rest<3>(b) : take_rest<6>(b);
  }
  change[0] = Motion<S>::zero();
  recover(rows, r, 0, change[0], loose);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& b = tree.body[i];
    Motion<S>& a = change[i];
    a = change[b.parent];
    for (Index k = b.v; !page::is_whole_root(b, data) && k < b.v + b.nv; ++k) {
      const Eliminated<S>& e = data.articulated.column[k];
      const S x = (r.pushed[k] - dot(a, e.U)) * e.inv_D;
      qdd[k] = select(here, qdd[k] + x, qdd[k]);  // elsewhere not even the sign of a zero changes
      a += e.s * x;
    }
    Motion<S>& total = data.acceleration.joint[i];
    for (Index c = 0; c < 6 && r.block_of[i] >= 0; ++c) total[c] = select(here, total[c] + a[c], total[c]);
    recover(rows, r, i, a, loose);
  }
}

/// Rides on sweep_states.
template <class S> struct EarlyRiders {
  static constexpr bool pushes = true;
  const BasicData<S>& data;
  CarriedRows<S>& rows;
  EarlyRows<S>& r;
  const page::ActiveRows<S>* next;
  const page::ActiveRows<S>* const last;
  S& again;  ///< 1 in the lanes where a block may be singular
  const Uniform<S> tolerance;
  Index row = 0;

  EarlyRiders(const BasicData<S>& d, CarriedRows<S>& c, EarlyRows<S>& e, const page::ActiveRows<S>* begin,
              const page::ActiveRows<S>* end, S& doubtful, double user_tolerance)
      : data(d),
        rows(c),
        r(e),
        next(begin),
        last(end),
        again(doubtful),
        tolerance(static_cast<Uniform<S>>(user_tolerance)) {}
  ZWANG_INLINE void enter(Index body) {
    for (; next != last && next->rows->body == body; ++next) {
      attach(data, *next, row, rows);
      row += page::AttachRows<S>::row_count(*next);
    }
  }
  template <Index R> [[gnu::noinline]] void meet(RowBlock<S>& b, Level<S>& x) {
    constexpr Index k_together = register_bytes == 64 ? 3 : 1;  // with many registers
    for (Index k = 0; k < R; k += k_together) carry_rows<k_together, R>(data, rows, r, b, k);
    const RowDoubt<S> doubt = factor_block<R>(data, rows, r, b, again);
    const S bound = doubt.fast_trace();
    auto good =
        has_digits(doubt, bound) & doubt.passes_easily(bound, data.articulated.gross_ratio, tolerance, k_most_noise<S>);
    if (!all(good)) good = good | is_regular<R>(b, data, tolerance);
    again = select(good, again, S(Uniform<S>(1)));
    if (b.met > 0)
      absorb_block<R>(b, x);
    else
      take_rest<R>(b);
  }
  ZWANG_INLINE void arrive(Index body, Level<S>& x) {
    if (r.met_at[body] < 0) return;
    Level<S> y = x;  // x stays in registers
    for (Index k = r.met_at[body]; k >= 0; k = r.block[k].next)
      r.block[k].rows() == 3 ? meet<3>(r.block[k], y) : meet<6>(r.block[k], y);
    x = y;
  }
  ZWANG_INLINE void known(Index body, const Motion<S>& a) {
    if (r.met_at[body] >= 0) recover(rows, r, body, a, S(Uniform<S>(1)));
  }
  ZWANG_INLINE bool reads(Index body) const { return r.block_of[body] >= 0; }
  ZWANG_INLINE S push(Index k) const { return r.pushed[k]; }
};

/// 1 in the lanes where a row does not hold by its residual relative to its terms, the joints' accelerations after they
/// have cancelled: stricter than loose_rows, and cheaper.
template <class S> ZWANG_INLINE S seem_loose(const BasicData<S>& data, const CarriedRows<S>& rows,
                                             const EarlyRows<S>& r, Uniform<S> tolerance) {
  using T = Uniform<S>;
  S loose(T(0));
  for (Index k = 0; k < r.blocks; ++k) {
    const RowBlock<S>& b = r.block[k];
    const Motion<S>&bias = data.velocity.bias[b.body], &a = data.acceleration.joint[b.body];
    Motion<S> gross;
#pragma GCC unroll 6
    for (Index c = 0; c < 6; ++c) gross[c] = abs(bias[c]) + (c < 3 ? abs(data.gravity[c]) : T(0)) + abs(a[c]);
    for (Index i = b.first; i < b.first + b.count; ++i) {
      const AttachedRow<S>& x = rows.row[i];
      S scale = abs(x.l) + std::numeric_limits<T>::min();
#pragma GCC unroll 6
      for (Index c = 0; c < 6; ++c) scale += abs(x.K[c]) * gross[c];
      loose = select(less(abs(x.l + dot(a, x.K)), scale * tolerance), loose, S(T(1)));
    }
  }
  return loose;
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
