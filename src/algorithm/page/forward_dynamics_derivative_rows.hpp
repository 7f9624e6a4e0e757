// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of forward dynamics from the columns that its sweep has eliminated: -M^-1 times those of inverse
// dynamics (Carpentier & Mansard 2018), by the factor M = L^T D L (articulated_cholesky.hpp).
//
//   L^T D L [dq''/dq, dq''/dv, M^-1] = -[d ID/dq, d ID/dv, -1]       d ID at q''
//   L^T Y = B      Y_j = B_j - sum_k L_kj Y_k      k: the columns of the subtree of column j
//   L X = -D^-1 Y  X_k = -Y_k / D_k - sum_j L_kj X_j      j: the columns towards the root
//
// DIFFERS: in place, for a panel of columns at a time, whose rows lie side by side; what is zero by the pattern of the
// tree is left out. The entries of d ID are those of row_writer.hpp, but here columns are held and rows go past. Of
// M^-1 each panel has the rows down to its own columns; the rest is mirrored.
// Only where columns are constant in their joints and no coordinates are shared.
// Reads what forward_dynamics(data, q, v, tau, q'') has left, derivative.outside. Writes derivative.variation and
// derivative.subtree. Cost O(n d) for each column. Allocates nothing.
#pragma once
#include "algorithm/page/inverse_dynamics_derivative_rows.hpp"
#include "zwang/algorithm/page/tree_cholesky.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// `groups` times L columns from column `first` on. Row r of the three matrices is at row(r): by q, by v, by tau.
template <class S, int L, int groups> struct Panel {
  static constexpr int lanes = L, width = L * groups, all = 3 * groups, moving = 2 * groups;
  static constexpr int row_numbers = 3 * width;
  using V = SideOf<S, L>;
  S* numbers;
  Index first, reach;  ///< rows from `reach` on are in no subtree of these columns

  template <class T> ZWANG_INLINE Panel(S* scratch, const Tree<T>& tree, Index c)
      : numbers(scratch),
        first(c),
        reach(c) {
    for (Index k = c; k < c + width && k < tree.nv; ++k)
      reach = tree.column[k].end > reach ? tree.column[k].end : reach;
  }
  ZWANG_INLINE S* row(Index r) const { return numbers + r * row_numbers; }
  /// The first row after those of its own columns.
  ZWANG_INLINE Index below(Index n) const { return first + width < n ? first + width : n; }
};
/// Numbers of scratch that the derivatives of n coordinates need.
inline constexpr Index panel_scratch(Index n) { return 60 * (n + 3); }

template <class S, int L> ZWANG_INLINE SideOf<S, L> load_lanes_of(const S* x) {
  if constexpr (L == 1)
    return *x;
  else
    return SideOf<S, L>::load(x);
}
template <class S, int L> ZWANG_INLINE void store_lanes_of(S* to, const SideOf<S, L>& x) {
  if constexpr (L == 1)
    *to = x;
  else
    x.store(to);
}

// --- d ID -----------------------------------------------------------------------------------------------------------

/// L columns of d ID from column k on, into the rows of a panel that are not zero in all of its columns.
template <class S, int L, bool turning, class P> struct HeldColumns {
  static constexpr Index stride = ColumnBlocks<S>::width;
  using V = SideOf<S, L>;
  using T = Uniform<S>;
  const Tree<T>& tree;
  const ColumnBlocks<S> blocks;
  const P panel;
  const Index k;

  ZWANG_INLINE V number(int i) const { return load_lanes_of<S, L>(blocks.at(k) + i * stride); }
  ZWANG_INLINE S* by_q(Index r) const { return panel.row(r) + (k - panel.first); }
  ZWANG_INLINE S* by_v(Index r) const { return by_q(r) + P::width; }
  static ZWANG_INLINE V lane() {
    return side_of<S, L>([](int l) ZWANG_LAMBDA { return S(T(l)); });
  }
  /// x in the first `count` lanes, else y.
  static ZWANG_INLINE V first(Index count, const V& x, const V& y) { return where_less(lane(), V(S(T(count))), x, y); }
  template <int n> static ZWANG_INLINE V product(const V (&x)[n], const S* c) {
    V sum = x[0] * c[0];
#pragma GCC unroll 6
    for (int i = 1; i < n; ++i) sum += x[i] * c[i * stride];
    return sum;
  }

  /// Rows whose subtrees these columns are in: S_r . t, S_r . u.
  ZWANG_INLINE void write_above() const {
    V t[6], u[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      t[i] = number(k_t + i);
      u[i] = number(k_u + i);
    }
    const V zero(S(T(0)));
    const auto put = [&](Index r) ZWANG_LAMBDA {
      const S* const s = blocks.at(r) + k_s * stride;
      const Index inside = tree.column[r].end - k;
      store_lanes_of<S, L>(by_q(r), first(inside, product(t, s), zero));
      store_lanes_of<S, L>(by_v(r), first(inside, product(u, s), zero));
    };
    for (Index r = tree.row_parent[panel.first]; r >= 0; r = tree.row_parent[r]) put(r);
    for (Index r = panel.first; r < k + L && r < tree.nv; ++r) put(r);
  }
  /// Rows in the subtrees of these columns: F_r . psi'' + b_r . psi', F_r . (psi' + S') + b_r . S.
  ZWANG_INLINE void write_below() const {
    V a[6], b[6], p[3], s[3], w[3];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      a[i] = number(k_second + i);
      b[i] = number(k_sum + i);
      if (i >= 3) continue;
      p[i] = number(k_first + 3 + i);
      s[i] = number(k_s + 3 + i);
      if constexpr (turning) w[i] = number(k_s + i);
    }
    const V zero(S(T(0))), end = number(k_end);
    const auto inside = [&](Index r, const V& x) ZWANG_LAMBDA { return where_less(V(S(T(r))), end, x, zero); };
    const auto of_q = [&](const S* row) ZWANG_LAMBDA {
      V x = product(a, row + k_F * stride) + product(p, row + k_b * stride);
      if constexpr (turning) x += product(w, row + k_W * stride) + product(s, row + (k_W + 3) * stride);
      return x;
    };
    const auto of_v = [&](const S* row)
                          ZWANG_LAMBDA { return product(b, row + k_F * stride) + product(s, row + k_b * stride); };
    for (Index r = k; r < k + L && r < tree.nv; ++r) {
      const S* const row = blocks.at(r);
      const auto put = [&](S* to, const V& x)
                           ZWANG_LAMBDA { store_lanes_of<S, L>(to, first(r - k, x, load_lanes_of<S, L>(to))); };
      put(by_q(r), inside(r, of_q(row)));
      put(by_v(r), inside(r, of_v(row)));
    }
    for (Index r = k + L; r < panel.reach; ++r) {
      const S* const row = blocks.at(r);
      store_lanes_of<S, L>(by_q(r), inside(r, of_q(row)));
      store_lanes_of<S, L>(by_v(r), inside(r, of_v(row)));
    }
  }
  /// Columns of one joint among themselves, f being what it transmits: S_a . (t_b - S_b x* f), S_a . u_b.
  ZWANG_INLINE void write_own(Index v, Index nv, const Force<S>& f) const {
    const auto six = [&](int i) ZWANG_LAMBDA {
      return Force<V>{{number(i), number(i + 1), number(i + 2)}, {number(i + 3), number(i + 4), number(i + 5)}};
    };
    const Force<V> s = six(k_s), f_k{{V(f.f.x), V(f.f.y), V(f.f.z)}, {V(f.n.x), V(f.n.y), V(f.n.z)}};
    const Force<V> t = six(k_t) - cross(Motion<V>{s.f, s.n}, f_k), u = six(k_u);
    for (Index r = v; r < v + nv; ++r) {
      const S* const c = blocks.at(r) + k_s * stride;
      const Motion<S> own{{c[0], c[stride], c[2 * stride]}, {c[3 * stride], c[4 * stride], c[5 * stride]}};
      const auto put = [&](S* to, const V& x) ZWANG_LAMBDA {
        const V before = load_lanes_of<S, L>(to);
        store_lanes_of<S, L>(to, first(v - k, before, first(v + nv - k, x, before)));
      };
      put(by_q(r), dot(own, t));
      put(by_v(r), dot(own, u));
    }
  }
};

/// Dampers and springs that count.
template <class S, class P>
ZWANG_INLINE void add_passive_diagonals(const Tree<Uniform<S>>& tree, const PassiveEffects& effects, const P& panel) {
  if (tree.passive == nullptr) return;
  for (Index k = panel.first; k < panel.below(tree.nv); ++k) {
    const auto& p = tree.passive[k];
    S* const to = panel.row(k) + (k - panel.first);
    if (effects.damping) to[P::width] += S(p.damping);
    if (effects.springs && p.q >= 0) to[0] += S(p.stiffness);
  }
}

/// B of a panel: d ID, and -1 by tau, of the rows that are not zero in all of its columns; zeros of the others.
template <bool turning, class S, class P>
void write_panel(BasicData<S>& data, const PassiveEffects& effects, const P& panel) {
  using V = typename P::V;
  constexpr Index L = P::lanes;
  const auto& tree = data.tree();
  const V zero(S(Uniform<S>(0)));
  const auto put_zeros = [&](Index r) ZWANG_LAMBDA {
    for (Index k = 0; k < P::row_numbers; k += L) store_lanes_of<S, L>(panel.row(r) + k, zero);
  };
  for (Index r = 0; r < panel.first; ++r) put_zeros(r);
  for (Index r = panel.reach; r < tree.nv; ++r) put_zeros(r);
  for (Index r = panel.first; r < panel.below(tree.nv); ++r) {
    S* const to = panel.row(r) + 2 * P::width;
    for (Index k = 0; k < P::width; k += L) store_lanes_of<S, L>(to + k, zero);
    to[r - panel.first] = S(Uniform<S>(-1));
  }
  const auto write = [&]<int lanes>(std::integral_constant<int, lanes>, Index k) ZWANG_LAMBDA {
    const HeldColumns<S, lanes, turning, P> held{tree, ColumnBlocks<S>(data), panel, k};
    held.write_above();
    held.write_below();
    const Index last = k + lanes < tree.nv ? k + lanes : tree.nv;
    for (Index i = tree.column[k].body; i <= tree.column[last - 1].body; ++i) {
      const auto& body = tree.body[i];
      if (body.nv < 2) continue;
      const S* const x = subtree_rows_of(data) + k_subtree_numbers * i + 22;
      held.write_own(body.v, body.nv, Force<S>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
  };
  constexpr Index most = k_rows<S>, least = most < P::lanes ? most : P::lanes;  // columns that registers hold
  for (Index k = panel.first; k < panel.below(tree.nv);) {
    if (most > least && k % most == 0 && k + most <= panel.first + P::width) {
      write(std::integral_constant<int, most>(), k);
      k += most;
    } else {
      write(std::integral_constant<int, least>(), k);
      k += least;
    }
  }
  add_passive_diagonals<S>(tree, effects, panel);
}

// --- the solve ------------------------------------------------------------------------------------------------------

/// Numbers of a row of a panel, in registers.
template <class P, int count> struct PanelRow {
  using V = typename P::V;
  V x[count];

  template <class S> ZWANG_INLINE void load(const S* from) {
#pragma GCC unroll 16
    for (int p = 0; p < count; ++p) x[p] = load_lanes_of<S, P::lanes>(from + p * P::lanes);
  }
  template <class S> ZWANG_INLINE void store(S* to) const {
#pragma GCC unroll 16
    for (int p = 0; p < count; ++p) store_lanes_of<S, P::lanes>(to + p * P::lanes, x[p]);
  }
  /// The first `some` of them lose l y.
  template <int some = count, class S> ZWANG_INLINE void subtract(const S& l, const S* y) {
#pragma GCC unroll 16
    for (int p = 0; p < some; ++p) x[p] -= load_lanes_of<S, P::lanes>(y + p * P::lanes) * l;
  }
  template <class S> ZWANG_INLINE void scale(const S& l) {
#pragma GCC unroll 16
    for (int p = 0; p < count; ++p) x[p] = x[p] * l;
  }
  ZWANG_INLINE V sum() const {
    V s = x[0], t = x[1];
#pragma GCC unroll 16
    for (int p = 2; p < count; ++p) (p % 2 == 0 ? s : t) += x[p];
    return s + t;
  }
};

/// L^T Y = B in place, where B is not zero. `L`: both triangles hold it, row j what column j eliminates.
template <class S, class P>
ZWANG_INLINE void solve_transposed(const Tree<Uniform<S>>& tree, const S* L, Index stride, const P& panel) {
  const Index c = panel.first, below = panel.below(tree.nv);
  for (Index j = panel.reach - 1; j >= below; --j) {
    const S* const l = L + j * stride;
    PanelRow<P, P::moving> y;
    y.load(panel.row(j));
    for (Index k = tree.column[j].end - 1; k > j; --k) y.subtract(l[k], panel.row(k));
    y.store(panel.row(j));
  }
  const auto within = [&](Index j, Index from) ZWANG_LAMBDA {  // of columns from `from` on, then those before the panel
    const S* const l = L + j * stride;
    PanelRow<P, P::all> y;
    y.load(panel.row(j));
    Index k = tree.column[j].end < panel.reach ? tree.column[j].end - 1 : panel.reach - 1;
    for (; k >= below; --k) y.template subtract<P::moving>(l[k], panel.row(k));
    for (; k >= from; --k) y.subtract(l[k], panel.row(k));
    for (Index i = tree.row_parent[c]; i > j; i = tree.row_parent[i]) y.subtract(l[i], panel.row(i));
    y.store(panel.row(j));
  };
  for (Index j = below - 1; j >= c; --j) within(j, j + 1);
  for (Index j = tree.row_parent[c]; j >= 0; j = tree.row_parent[j]) within(j, c);
}

/// L X = -D^-1 Y in place. Returns zero if X is known to be finite.
template <class S, class P>
ZWANG_INLINE typename P::V solve_lower(const BasicData<S>& data, const S* L, Index stride, const P panel) {
  const auto& tree = data.tree();
  const TreeFactor<S> f = tree_factor(tree, const_cast<S*>(L), stride);
  const S zero(Uniform<S>(0));
  typename P::V size(zero);
  const auto put = [&]<int count>(std::integral_constant<int, count>, Index k) ZWANG_LAMBDA {
    const S* const l = L + k * stride;
    PanelRow<P, count> x;
    x.load(panel.row(k));
    x.scale(-data.articulated.column[k].inv_D);
    for_each_run(f, f.parent[k], [&](Index j, Index many) ZWANG_LAMBDA {
      for (Index i = j; i < j + many; ++i) x.subtract(l[i], panel.row(i));
    });
    x.store(panel.row(k));
    size += x.sum() * zero;
  };
  Index k = 0;
  for (; k < panel.below(tree.nv); ++k) put(std::integral_constant<int, P::all>(), k);
  for (; k < tree.nv; ++k) put(std::integral_constant<int, P::moving>(), k);
  return size;
}

// --- results --------------------------------------------------------------------------------------------------------

/// Rows of a panel, `length` numbers each, become the columns [first, last) of a matrix. Tiles go from the last row to
/// the first and from the first column to the last: where columns follow each other without gaps the last tile may
/// reach below the matrix, into rows of the next columns, which are written later.
template <class S>
[[gnu::noinline]] void turn_rows(const S* rows, Index length, Index first, Index last, const MatrixView<S>& out) {
  constexpr Index R = k_sides<S>;
  const Index n = out.rows;
  const std::ptrdiff_t next = out.column_stride;
  for (Index r = (n - 1) / R * R; r >= 0; r -= R)
    for (Index k = first; k < last; k += R) {
      const S* const from = rows + r * length + (k - first);
      S* const to = out.data + k * next + r;
      Sides<S> tile[R];
#pragma GCC unroll 4
      for (Index l = 0; l < R; ++l) tile[l] = load_sides(from + l * length);
      if constexpr (R > 1) transpose(tile);
      if (k + R <= n && (r + R <= n || (next == n && (n - k - R) * n >= R))) [[likely]] {
#pragma GCC unroll 4
        for (Index l = 0; l < R; ++l) store_sides(to + l * next, tile[l]);
      } else {
#pragma GCC unroll 4
        for (Index l = 0; l < R; ++l)
          if (k + l < n) store_first(to + l * next, tile[l], n - r);
      }
    }
}
/// The part of M^-1 that the rows of a panel are, by columns.
template <class S>
[[gnu::noinline]] void put_inverse(const S* rows, Index length, Index first, Index last, const MatrixView<S>& out) {
  constexpr Index R = k_sides<S>;
  for (Index r = 0; r < last; ++r, rows += length) {
    S* const to = out.data + static_cast<std::ptrdiff_t>(r) * out.column_stride;
    Index k = first;
    for (; k + R <= last; k += R) store_sides(to + k, load_sides(rows + (k - first)));
    for (; k < last; ++k) to[k] = rows[k - first];
  }
}

/// Where forward_dynamics(data, q, v, tau, a) has been, and L is the factor of its columns (factor_of_columns). Writes
/// every entry of the matrices by q, by v and by tau (out.a). `scratch` [panel_scratch(nv)] is aligned like a Buffer.
/// Returns whether all entries are known to be finite.
template <class S> bool forward_dynamics_derivative_rows(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                         const PassiveEffects& effects, const S* L, Index stride,
                                                         S* scratch, const TorqueDerivatives<S>& out) {
  constexpr bool lanes = k_sides < S >> 1;
  const auto& tree = data.tree();
  const SweepInput<S> in{q, data.sin.data(), data.cos.data()};
  Index c = 0;
  bool finite = true;
  const auto panel_of = [&]<bool turning, class P>(std::bool_constant<turning>, const P& panel) ZWANG_LAMBDA {
    write_panel<turning>(data, effects, panel);
    solve_transposed(tree, L, stride, panel);
    const typename P::V size = solve_lower(data, L, stride, panel);
    const Index below = panel.below(tree.nv);
    turn_rows(scratch, P::row_numbers, c, below, out.q);
    turn_rows(scratch + P::width, P::row_numbers, c, below, out.v);
    put_inverse(scratch + 2 * P::width, P::row_numbers, c, below, out.a);
    if constexpr (lanes) finite = finite && sum(size) == 0;
    c += P::width;
  };
  const auto panels = [&]<bool turning>(std::bool_constant<turning> t) ZWANG_LAMBDA {
    column_blocks<turning>(data, in, v, a);
    while (c < tree.nv) {
      const Index rest = tree.nv - c;
      if constexpr (!lanes)
        panel_of(t, Panel<S, 1, 1>(scratch, tree, c));
      else if constexpr (k_rows<S> < 4)  // registers hold twelve of four numbers
        panel_of(t, Panel<S, 8, 1>(scratch, tree, c));
      else if (rest > 16 && rest <= 20)
        panel_of(t, Panel<S, 4, 5>(scratch, tree, c));
      else if (rest > 12)
        panel_of(t, Panel<S, 8, 2>(scratch, tree, c));
      else if (rest > 8)
        panel_of(t, Panel<S, 4, 3>(scratch, tree, c));
      else
        panel_of(t, Panel<S, 8, 1>(scratch, tree, c));
    }
  };
  subtree_rows<true>(data);
  if (data.force.has_external) {
    turning_of_subtrees(data);
    panels(std::true_type());
  } else {
    panels(std::false_type());
  }
  mirror_upper(out.a.data, out.a.column_stride, tree.nv);
  return lanes && finite;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
