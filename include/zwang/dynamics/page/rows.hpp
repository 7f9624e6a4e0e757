// SPDX-License-Identifier: BSD-3-Clause
// Rows of constraints that travel to the root with the articulated bodies: Popov & Vereshchagin 1978; Vereshchagin 1989;
// trees and rows on any link as in algorithms of Sathya, Bruyninckx, Decre & Pipeleers 2024.
//
// A row asks K a = beta of its body's acceleration a. Carried inward, its residual as a function of the acceleration of the body
// reached is  r = K a + l + Lambda lambda,  and a column eliminated with U, D, u takes its part:
//   w = K s;   l += w u;   K -= w U^T / D;   Lambda += w w^T / D
// At the root K a is known and  Lambda lambda = -l,  Lambda = J M^-1 J^T exactly. Outward, the column gives back w^T lambda.
//
// DIFFERS: lambda acts +K^T on the body; gravity is in the bias of forward_dynamics.hpp, so that beta is the physical
// acceleration; rows travel in lanes of one state (double, float) or one at a time (every other scalar).
#pragma once
#include "zwang/algorithm/page/forward_dynamics.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Rows of one body side by side in one register for plain scalars; one row otherwise.
template <class S> struct RowLanes {
  using type = S;
  static constexpr Index count = 1;
};
template <> struct RowLanes<double> {
  using type = NativePack<double>;
  static constexpr Index count = native_lanes<double>;
};
template <> struct RowLanes<float> {
  using type = NativePack<float>;
  static constexpr Index count = native_lanes<float>;
};

/// The numbers of the rows of one state. Capacity is fixed; which rows there are may change at every call.
template <class S> struct RowStage {
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  Index capacity = 0, max_blocks = 0;  ///< rows, blocks of `lanes` rows
  Index m = 0, blocks = 0;             ///< rows and blocks of this call
  Buffer<Force<Rows>> K;               ///< [blocks] as carried
  Buffer<Rows> l, w, coupling;         ///< [blocks], [nv x blocks], [shared x blocks]
  Buffer<Rows> Lambda;                 ///< [slots x blocks], lower triangle of blocks
  Buffer<Rows> force2,
      moment2;         ///< [blocks] squares of |k_lin| and of |k_ang|, |p| |k_lin| as attached: what K rounds with
  Buffer<Rows> bound;  ///< [blocks] sum of |K|^2 |s|^2 / D: Lambda_ii without cancellation, whatever the axes
  Buffer<Rows> coupling_bound;      ///< [shared x blocks] |K|^2 |s|^2 of the columns behind `coupling`
  Buffer<Rows> lambda;              ///< [blocks]
  Buffer<S> pushed, pushed_shared;  ///< [nv], [shared] w^T lambda of columns and shared coordinates
  Buffer<Force<S>> K0;              ///< [m] as attached
  Buffer<S> l0;                     ///< [m] residual at zero joint acceleration, as attached
  Buffer<Index> body;               ///< [m] that the row is attached to
  Buffer<Index> slot;               ///< [m] lane of each row: block * lanes + lane
  Buffer<Index> filled;             ///< [blocks] rows in use
  Buffer<Index> begin, end;         ///< [n+1] blocks of each body's subtree

  RowStage() = default;
  /// `bodies` is how many bodies can carry rows at once: each begins a block of its own.
  RowStage(const Tree<Uniform<S>>& t, Index rows, Index bodies)
      : capacity(rows),
        max_blocks(rows / lanes + bodies + 1) {
    const Index b = max_blocks;
    K = Buffer<Force<Rows>>(b);
    l = bound = force2 = moment2 = lambda = Buffer<Rows>(b);
    w = Buffer<Rows>(t.spanning_nv * b);
    coupling = coupling_bound = Buffer<Rows>(t.shared_count * b);
    pushed = Buffer<S>(t.spanning_nv);
    pushed_shared = Buffer<S>(t.shared_count);
    Lambda = Buffer<Rows>(b * lanes * b);
    K0 = Buffer<Force<S>>(rows);
    l0 = Buffer<S>(rows);
    slot = body = Buffer<Index>(rows);
    filled = Buffer<Index>(b);
    begin = end = Buffer<Index>(t.n + 1);
  }
};

template <class S, class Rows> ZWANG_INLINE S lane(const Rows* p, Index i) {
  S s;
  std::memcpy(static_cast<void*>(&s), reinterpret_cast<const char*>(p) + static_cast<std::size_t>(i) * sizeof(S),
              sizeof(S));
  return s;
}
template <class S, class Rows> ZWANG_INLINE void set_lane(Rows* p, Index i, const S& s) {
  std::memcpy(reinterpret_cast<char*>(p) + static_cast<std::size_t>(i) * sizeof(S), static_cast<const void*>(&s),
              sizeof(S));
}
template <class S> ZWANG_INLINE Vec3<S> absolute(const Vec3<S>& a) { return {abs(a.x), abs(a.y), abs(a.z)}; }

/// w^T lambda over the blocks [lo, hi).
template <class S, class Rows> ZWANG_INLINE S row_product(const RowStage<S>& r, const Rows* w, Index lo, Index hi) {
  if (lo == hi) return S(0);
  Rows x = w[lo] * r.lambda[lo];
  for (Index b = lo + 1; b < hi; ++b) x += w[b] * r.lambda[b];
  if constexpr (RowLanes<S>::count == 1)
    return x;
  else
    return sum(x);
}
/// w^T lambda of a column.
template <class S> ZWANG_INLINE S row_product(const Tree<Uniform<S>>& tree, const RowStage<S>& r, Index k) {
  const Index body = tree.column[k].body;
  return row_product(r, &r.w[k * r.max_blocks], r.begin[body], r.end[body]);
}

/// Riders of articulated_sweep. `Attach` is asked once per body, attach(body, rows), and calls rows.add(body, K, l) for each row;
/// `Root` solves Lambda lambda = -l.
template <class S, class Attach, class Root> class RowRiders {
 public:
  using Rows = typename RowLanes<S>::type;
  static constexpr Index lanes = RowLanes<S>::count;

  RowRiders(const Tree<Uniform<S>>& tree, RowStage<S>& rows, Attach& attach, Root& root)
      : tree_(tree),
        r_(rows),
        attach_(attach),
        root_(root) {
    r_.m = r_.blocks = 0;
    for (Index y = 0; y < tree.shared_count; ++y)
      for (Index b = 0; b < r_.max_blocks; ++b)
        r_.coupling[y * r_.max_blocks + b] = r_.coupling_bound[y * r_.max_blocks + b] = Rows(Uniform<S>(0));
  }

  /// One row of the body being entered: K in world axes about the branch's centre, l = K a + ... - beta at zero joint acceleration.
  /// `moment2`: the square of K.n's magnitude before it was summed up.
  ZWANG_INLINE void add(Index body, const Force<S>& K, const S& moment2, const S& l) {
    if (used_ == lanes) next_block();
    const Index b = r_.blocks - 1;
    r_.K0[r_.m] = K;
    r_.l0[r_.m] = l;
    r_.body[r_.m] = body;
    for (Index c = 0; c < 3; ++c) {
      set_lane(&r_.K[b].f[c], used_, K.f[c]);
      set_lane(&r_.K[b].n[c], used_, K.n[c]);
    }
    set_lane(&r_.l[b], used_, l);
    set_lane(&r_.force2[b], used_, dot(K.f, K.f));
    set_lane(&r_.moment2[b], used_, moment2);
    r_.slot[r_.m++] = b * lanes + used_;
    r_.filled[b] = ++used_;
  }
  ZWANG_INLINE void enter(Index body) {
    r_.begin[body] = r_.blocks;
    used_ = lanes;  // rows of another body go into another block
    attach_(body, *this);
  }
  ZWANG_INLINE void leave(Index body) { r_.end[body] = r_.blocks; }

  ZWANG_INLINE void column(Index k, const Eliminated<S>& e) {
    const Index body = tree_.column[k].body, lo = r_.begin[body], hi = r_.end[body];
    if (lo == hi) return;
    Rows* const w = &r_.w[k * r_.max_blocks];
    const S linear = dot(e.s.v, e.s.v) * e.inv_D, angular = dot(e.s.w, e.s.w) * e.inv_D;
    for (Index b = lo; b < hi; ++b) {
      Force<Rows>& K = r_.K[b];
      w[b] = dot(e.s.v, K.f) + dot(e.s.w, K.n);
      r_.bound[b] += r_.force2[b] * linear + r_.moment2[b] * angular;
      take(b, w, e);
    }
  }
  /// All columns of a joint have been eliminated: Lambda += sum of w w^T / D, each entry read and written once.
  ZWANG_INLINE void joint(Index body, Index first, Index columns, const Buffer<Eliminated<S>>& column) {
    const Index lo = r_.begin[body], hi = r_.end[body];
    const Rows* const w = &r_.w[first * r_.max_blocks];
    for (Index b = lo; b < hi; ++b)
      for (Index r = 0; r < r_.filled[b]; ++r) {
        S h[max_joint_columns];
        for (Index k = 0; k < columns; ++k) h[k] = lane<S>(w + k * r_.max_blocks + b, r) * column[first + k].inv_D;
        Rows* const row = &r_.Lambda[(b * lanes + r) * r_.max_blocks];
        for (Index c = lo; c <= b; ++c) {
          Rows sum = row[c];
          for (Index k = 0; k < columns; ++k) sum += w[k * r_.max_blocks + c] * h[k];
          row[c] = sum;
        }
      }
  }
  /// A postponed column: its coupling with the rows.
  ZWANG_INLINE void defer(Index y, Index body, const Motion<S>& s, const S& g) {
    const S linear = dot(s.v, s.v) * g * g, angular = dot(s.w, s.w) * g * g;
    for (Index b = r_.begin[body]; b < r_.end[body]; ++b) {
      const Force<Rows>& K = r_.K[b];
      r_.coupling[y * r_.max_blocks + b] += (dot(s.v, K.f) + dot(s.w, K.n)) * g;
      r_.coupling_bound[y * r_.max_blocks + b] += r_.force2[b] * linear + r_.moment2[b] * angular;
    }
  }
  ZWANG_INLINE void couple(Index y, Index k, const S& f) {
    const Index body = tree_.column[k].body;
    for (Index b = r_.begin[body]; b < r_.end[body]; ++b)
      r_.coupling[y * r_.max_blocks + b] -= r_.w[k * r_.max_blocks + b] * f;
  }
  ZWANG_INLINE void shared(Index y, Index body, const Eliminated<S>& e) {
    const Index lo = body > 0 ? r_.begin[body] : 0, hi = r_.blocks;
    Rows* const w = &r_.coupling[y * r_.max_blocks];
    for (Index b = lo; b < hi; ++b) {
      r_.bound[b] += r_.coupling_bound[y * r_.max_blocks + b] * e.inv_D;
      take(b, w, e);
      for (Index r = 0; r < r_.filled[b]; ++r) {
        const S h = lane<S>(w + b, r) * e.inv_D;
        Rows* const row = &r_.Lambda[(b * lanes + r) * r_.max_blocks];
        for (Index c = lo; c <= b; ++c) row[c] += w[c] * h;
      }
    }
  }
  ZWANG_INLINE void couple_shared(Index z, Index y, const S& f) {
    for (Index b = 0; b < r_.blocks; ++b) r_.coupling[z * r_.max_blocks + b] -= r_.coupling[y * r_.max_blocks + b] * f;
  }
  ZWANG_INLINE void solve() {
    if (r_.m > 0) root_(r_);
  }
  ZWANG_INLINE S push(Index k) { return r_.pushed[k] = row_product(tree_, r_, k); }
  ZWANG_INLINE S push_shared(Index y) {
    return r_.pushed_shared[y] = row_product(r_, &r_.coupling[y * r_.max_blocks], 0, r_.blocks);
  }

 private:
  void next_block() {
    const Index b = r_.blocks++;
    r_.K[b] = {Vec3<Rows>::zero(), Vec3<Rows>::zero()};
    r_.l[b] = r_.bound[b] = r_.force2[b] = r_.moment2[b] = r_.lambda[b] = Rows(Uniform<S>(0));
    for (Index r = 0; r < lanes; ++r)
      for (Index c = 0; c <= b; ++c) r_.Lambda[(b * lanes + r) * r_.max_blocks + c] = Rows(Uniform<S>(0));
    used_ = 0;
  }
  /// l += w u;  K -= U w / D
  ZWANG_INLINE void take(Index b, const Rows* w, const Eliminated<S>& e) {
    Force<Rows>& K = r_.K[b];
    const Rows g = w[b] * e.inv_D;
    r_.l[b] += w[b] * e.u;
    K.f.x -= g * e.U.f.x;
    K.f.y -= g * e.U.f.y;
    K.f.z -= g * e.U.f.z;
    K.n.x -= g * e.U.n.x;
    K.n.y -= g * e.U.n.y;
    K.n.z -= g * e.U.n.z;
  }
  const Tree<Uniform<S>>& tree_;
  RowStage<S>& r_;
  Attach& attach_;
  Root& root_;
  Index used_ = lanes;
};

/// The dense Lambda (lower triangle, row by row) and b = -l of the rows, for a root solver.
template <class S> ZWANG_INLINE void gather_rows(const RowStage<S>& r, S* A, Index stride, S* b) {
  for (Index i = 0; i < r.m; ++i) {
    const auto* row = &r.Lambda[r.slot[i] * r.max_blocks];
    for (Index j = 0; j <= i; ++j) A[i * stride + j] = lane<S>(row, r.slot[j]);
    b[i] = -lane<S>(r.l.data(), r.slot[i]);
  }
}
template <class S> ZWANG_INLINE void scatter_rows(RowStage<S>& r, const S* lambda) {
  for (Index i = 0; i < r.m; ++i) set_lane(r.lambda.data(), r.slot[i], lambda[i]);
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
