// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of forward dynamics as responses of articulated bodies, without the derivatives of inverse dynamics
// and without a product with M^-1: the equations of Singh, Russell & Wensing 2022 (inverse_dynamics_derivatives.hpp)
// solved by the recursion of Featherstone 2008, ch. 7, for O(n) a column.
//
//   Column c of body b varies. In the subtree of b every body i gets the force B_i psi' + I_i psi'' + W_i S, as if it
//   had moved by S, its velocity by psi' and its acceleration by psi''; what is before b feels S x* f_b.
//   By v the same with S instead of psi', psi' + S' instead of psi'', and neither W nor S x* f.
//
//   once      B_A = B_i + sum (B_A - U h),   h = s^T B_A / D        W_A alike; I_A, U, D are those of forward dynamics
//   inward    p = I_A psi'' + B_A psi' + W_A S  at b
//             y = -s^T p,   p += U y / D                            S x* f_b is added to p behind the columns of b
//   outward   x = (y - U^T a) / D - h z,   a += s x                 z: psi', S of those columns whose subtree it is in
//             a += psi'',  z += psi', S  at b                       behind the columns of b
//
// DIFFERS: several columns c side by side; B has the right half alone (spatial/momentum.hpp), so of psi' and, by v, of
// S only the angular part counts; dampers and springs are torques of their own column.
// Only where columns are constant in their joints and no coordinates are shared.
// Reads what forward_dynamics(data, q, v, tau, q'') has left, derivative.outside. Writes derivative.variation and
// derivative.subtree. Cost O(n^2) in all. Allocates nothing.
#pragma once
#include "algorithm/page/forward_dynamics_derivative_rows.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Columns whose responses are computed side by side.
template <class S> inline constexpr int k_responses = !std::is_same_v<S, double> ? 1
                                                      : native_lanes<double> < 4 ? 4
                                                                                 : native_lanes<double>;

/// How many columns I_A, B_A and W_A have.
template <bool turning> inline constexpr int k_response_terms = turning ? 15 : 9;

/// What a subtree is to the columns that carry it: the columns of I_A [6], B_A [3] and W_A [6], and the wrench that its
/// joint transmits.
template <class S, bool turning> struct ResponseTerms { StoredForce<S> column[k_response_terms<turning>], f; };
/// What the variation of a column pushes the bodies with: p by q and by v, S x* f.
template <class S> struct ResponsePush { StoredForce<S> q, v, before; };
/// What a column is to the responses that pass it.
template <class S, bool turning> struct ResponseColumn {
  Motion<S> s;
  Force<S> G;  ///< U / D
  S inv_D;
  S h[k_response_terms<turning> - 6];
};
/// psi' of the columns whose subtree a response has come into, and their S where wrenches turn.
template <class V, bool turning> struct Moved {
  Vec3<V> w;
  template <class S> ZWANG_INLINE V times(const S* h) const { return w.x * h[0] + w.y * h[1] + w.z * h[2]; }
};
template <class V> struct Moved<V, true> {
  Vec3<V> w;
  Motion<V> s;
  template <class S> ZWANG_INLINE V times(const S* h) const {
    return w.x * h[0] + w.y * h[1] + w.z * h[2] + dot(s, Force<S>{{h[3], h[4], h[5]}, {h[6], h[7], h[8]}});
  }
};
/// A response on its way outward; inward a.v, a.w are the force p.
template <class V, bool turning> struct Response {
  Motion<V> a;
  Moved<V, turning> z;
};
template <class V, bool turning> struct ResponsePair {
  Response<V, turning> q;
  Response<V, false> v;
};

/// Where the numbers are that responses need, in `scratch`.
template <class S, bool turning> struct ResponseRoom {
  static constexpr Index L = k_responses<S>, whole = 4;  // what is written four at a time reaches behind the last one
  using Pair = ResponsePair<SideOf<S, L>, turning>;
  S* x;  ///< [nv][2 L] what each column of the tree responds: by q, by v
  ResponsePush<S>* push;
  ResponseColumn<S, turning>* column;
  ResponseTerms<S, turning>* terms;  ///< of each body; not needed any more where responses wait
  Pair* waiting;                     ///< of each body

  ZWANG_INLINE ResponseRoom(S* scratch, Index nv) {
    const Index rows = (nv + whole - 1) / whole * whole;
    x = scratch;
    push = reinterpret_cast<ResponsePush<S>*>(scratch += rows * 2 * L);
    column = reinterpret_cast<ResponseColumn<S, turning>*>(scratch += (rows + L) * 24);
    terms = reinterpret_cast<ResponseTerms<S, turning>*>(scratch += rows * 24);
    waiting = reinterpret_cast<Pair*>(scratch);
  }
};
/// Numbers of scratch that the derivatives need.
inline constexpr Index response_scratch(Index nv, Index bodies) { return (nv + 11) * 64 + (bodies + 4) * 192; }

// --- once -----------------------------------------------------------------------------------------------------------

/// A vector of six numbers in the form in which sums of them are fastest.
ZWANG_INLINE Six in_registers(const PaddedForce& f) { return f.six(); }
template <class S> ZWANG_INLINE const Force<S>& in_registers(const Force<S>& f) { return f; }

/// Of the bodies i, i + 1, ... alone, as many as there are Sides.
template <bool turning, class S>
ZWANG_INLINE void enter_response_terms(BasicData<S>& data, Index i, ResponseTerms<S, turning>* terms) {
  constexpr Index L = k_sides<S>;
  constexpr int count = sizeof(StoredForce<S>) / sizeof(S);
  using V = Sides<S>;
  S* const rows = subtree_rows_of(data);
  rows_of_bodies<true>(data, i, rows);
  const SubtreeNumbers<V> body = subtrees_in_lanes<S>(rows, [=](Index l) ZWANG_LAMBDA { return i + l; });
  const V zero(S(Uniform<S>(0)));
  const auto put = [&](const Force<V>& f, auto&& to) ZWANG_LAMBDA {
    const V x[8] = {f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z, zero, zero};
    lanes_to_rows<count, S, L>(x, [&](Index l) ZWANG_LAMBDA { return reinterpret_cast<S*>(&to(terms[i + l])); });
  };
  const auto put_column = [&](int j, const Force<V>& f) ZWANG_LAMBDA {
    put(
        f, [=](ResponseTerms<S, turning> & x) ZWANG_LAMBDA -> auto& { return x.column[j]; });
  };
  const auto unit = [&](int j) ZWANG_LAMBDA {
    Motion<V> e{{zero, zero, zero}, {zero, zero, zero}};
    e[j] = V(S(Uniform<S>(1)));
    return e;
  };
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) put_column(j, body.I * unit(j));
#pragma GCC unroll 3
  for (int j = 0; j < 3; ++j) put_column(6 + j, body.m.half_times(unit(3 + j)) * Uniform<S>(2));
  put(
      body.f, [](ResponseTerms<S, turning> & x) ZWANG_LAMBDA -> auto& { return x.f; });
  if constexpr (turning)
    for (Index l = i; l < i + L && l <= data.tree().n; ++l) {
      const Force<S> f = data.position.placement[l] * data.force.external[l];
      terms[l].f = Force<S>(terms[l].f) - f;
      const Turning<S> W = turning_of(data, l);
      for (int j = 0; j < 6; ++j) {
        Motion<S> e = Motion<S>::zero();
        e[j] = S(Uniform<S>(1));
        terms[l].column[9 + j] = W * e;
      }
    }
}

/// What the columns of body i push with; then they are eliminated, from the last to the first.
template <bool turning, class S>
ZWANG_INLINE void put_response_columns(BasicData<S>& data, const ColumnBlocks<S>& blocks, Index i,
                                       ResponseTerms<S, turning>& x, const ResponseRoom<S, turning>& room) {
  const auto& body = data.tree().body[i];
  const auto three = [&](int j, const Vec3<S>& y) ZWANG_LAMBDA {
    return in_registers(x.column[j]) * y.x + in_registers(x.column[j + 1]) * y.y + in_registers(x.column[j + 2]) * y.z;
  };
  const auto six = [&](int j, const Force<S>& y) ZWANG_LAMBDA { return three(j, y.f) + three(j + 3, y.n); };
  for (Index k = body.v; k < body.v + body.nv; ++k) {
    const Force<S> s = blocks.force(k, k_s);
    ResponsePush<S>& to = room.push[k];
    to.q = six(0, blocks.force(k, k_second)) + three(6, blocks.force(k, k_first).n);
    if constexpr (turning) to.q += six(9, s);
    to.v = six(0, blocks.force(k, k_sum)) + three(6, s.n);
    to.before = cross(Motion<S>{s.f, s.n}, Force<S>(x.f));
  }
  for (Index k = body.v + body.nv - 1; k >= body.v; --k) {
    const Eliminated<S>& e = data.articulated.column[k];
    ResponseColumn<S, turning>& to = room.column[k];
    const auto U = in_registers(e.U);
    to.s = e.s;
    to.G = Force<S>{e.U.f * e.inv_D, e.U.n * e.inv_D};
    to.inv_D = e.inv_D;
    const S g[6] = {to.G.f.x, to.G.f.y, to.G.f.z, to.G.n.x, to.G.n.y, to.G.n.z};
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) x.column[j] -= U * g[j];
#pragma GCC unroll 9
    for (int j = 6; j < k_response_terms<turning>; ++j) {
      const S h = dot(e.s, x.column[j]) * e.inv_D;
      to.h[j - 6] = h;
      x.column[j] -= U * h;
    }
  }
}

/// All columns, where column_variations has been.
template <bool turning, class S> void response_columns(BasicData<S>& data, const ResponseRoom<S, turning>& room) {
  const auto& tree = data.tree();
  const ColumnBlocks<S> blocks(data);
  for (Index i = 1; i <= tree.n; i += k_sides<S>) enter_response_terms(data, i, room.terms);
  for (Index i = tree.n; i > 0; --i) {
    ResponseTerms<S, turning>& x = room.terms[i];
    put_response_columns(data, blocks, i, x, room);
    const Index parent = tree.body[i].parent;
    if (parent == 0) continue;
    ResponseTerms<S, turning>& up = room.terms[parent];
#pragma GCC unroll 15
    for (int j = 0; j < k_response_terms<turning>; ++j) up.column[j] += in_registers(x.column[j]);
    up.f += in_registers(x.f);
  }
}

// --- responses ------------------------------------------------------------------------------------------------------

/// The columns first, first + 1, ... of the matrices by q and by v, as rows of room.x.
template <class S, bool turning> struct Responses {
  static constexpr Index L = k_responses<S>, width = ColumnBlocks<S>::width;
  using V = SideOf<S, L>;
  using T = Uniform<S>;
  using Pair = ResponsePair<V, turning>;
  using Column = ResponseColumn<S, turning>;
  const Tree<T>& tree;
  const PassiveEffects& effects;
  const ColumnBlocks<S> blocks;
  const ResponseRoom<S, turning> room;
  const Index first, top, low, high;  ///< columns [first, top), bodies [low, high]
  V size{S(T(0))};

  ZWANG_INLINE Responses(BasicData<S>& data, const PassiveEffects& e, const ResponseRoom<S, turning>& r, Index c)
      : tree(data.tree()),
        effects(e),
        blocks(data),
        room(r),
        first(c),
        top(c + L < tree.nv ? c + L : tree.nv),
        low(tree.column[c].body),
        high(tree.column[top - 1].body) {}

  /// Whether body i has a child other than body i + 1.
  ZWANG_INLINE bool branches(Index i) const {
    const Index last = tree.body[i].last;
    return i + 1 < last && tree.body[i + 1].last < last;
  }
  /// Number r of each column in its lane (column_blocks.hpp).
  ZWANG_INLINE V number(int r) const { return load_lanes_of<S, L>(blocks.at(first) + r * width); }
  /// What each column pushes with, in its lane.
  ZWANG_INLINE Motion<V> push_in_lanes(StoredForce<S> ResponsePush<S>::*push) const {
    V x[6];
    rows_to_lanes<6, S, L>(
        [&](Index l, int r)
            ZWANG_LAMBDA { return load_lanes_of<S, L>(reinterpret_cast<const S*>(&(room.push[first + l].*push)) + r); },
        x);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
  /// Numbers in the lanes of the columns of a body, 0 in the others.
  struct OwnLanes {
    V lane, begin, end;
    ZWANG_INLINE V operator()(const V& x) const {
      const V zero(S(T(0)));
      return where_less(lane, begin, zero, where_less(lane, end, x, zero));
    }
    ZWANG_INLINE Motion<V> operator()(const Motion<V>& x) const {
      const OwnLanes& own = *this;
      return {{own(x.v.x), own(x.v.y), own(x.v.z)}, {own(x.w.x), own(x.w.y), own(x.w.z)}};
    }
  };
  ZWANG_INLINE OwnLanes own_lanes(const Body<T>& b) const {
    return {side_of<S, L>([](int l) ZWANG_LAMBDA { return S(T(l)); }), V(S(T(b.v - first))),
            V(S(T(b.v + b.nv - first)))};
  }
  ZWANG_INLINE void add_three(const OwnLanes& own, int r, Vec3<V>& to) const {
    to.x += own(number(r));
    to.y += own(number(r + 1));
    to.z += own(number(r + 2));
  }
  ZWANG_INLINE void add_six(const OwnLanes& own, int r, Motion<V>& to) const {
    add_three(own, r, to.v);
    add_three(own, r + 3, to.w);
  }
  static ZWANG_INLINE void clear(Pair& x) {
    const V o(S(T(0)));
    const Vec3<V> none{o, o, o};
    x.q.a = x.v.a = {none, none};
    x.q.z.w = x.v.z.w = none;
    if constexpr (turning) x.q.z.s = {none, none};
  }
  ZWANG_INLINE S* at(Index k) const { return room.x + k * 2 * L; }

  /// y = -s^T p - (what dampers and springs do),  p += G y; returns y / D.
  ZWANG_INLINE V pass(const Column& e, Motion<V>& p, const V& passive) const {
    const V y = -(dot(e.s, Force<V>{p.v, p.w}) + passive);
    p.v += e.G.f * y;
    p.w += e.G.n * y;
    return y * e.inv_D;
  }
  ZWANG_INLINE V passive_of(Index k, bool counts, T x) const {
    return one_in_lane<S, L>(k - first) * S(counts ? x : T(0));
  }
  ZWANG_INLINE void pass_body(const Body<T>& b, bool own, Pair& x) const {
    const V zero(S(T(0)));
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
      const Column& e = room.column[k];
      V of_q = zero, of_v = zero;
      if (own && tree.passive != nullptr) {
        const auto& p = tree.passive[k];
        of_q = passive_of(k, effects.springs && p.q >= 0, p.stiffness);
        of_v = passive_of(k, effects.damping, p.damping);
      }
      store_lanes_of<S, L>(at(k), pass(e, x.q.a, of_q));
      store_lanes_of<S, L>(at(k) + L, pass(e, x.v.a, of_v));
    }
  }
  ZWANG_INLINE void inward() const {
    const V zero(S(T(0)));
    const Motion<V> by_q = push_in_lanes(&ResponsePush<S>::q), by_v = push_in_lanes(&ResponsePush<S>::v),
                    before = push_in_lanes(&ResponsePush<S>::before);
    for (Index i = 1; i <= high; ++i)
      if (tree.body[i].last > low && branches(i)) clear(room.waiting[i]);
    Pair x;
    clear(x);
    for (Index i = high; i > 0; --i) {
      const auto& b = tree.body[i];
      if (b.last <= low) {  // carries none of the columns
        for (Index k = b.v; k < b.v + b.nv; ++k) {
          store_lanes_of<S, L>(at(k), zero);
          store_lanes_of<S, L>(at(k) + L, zero);
        }
        clear(x);
        continue;
      }
      if (branches(i)) {
        x.q.a += room.waiting[i].q.a;
        x.v.a += room.waiting[i].v.a;
      }
      if (i >= low) {
        const OwnLanes own = own_lanes(b);
        x.q.a += own(by_q);
        x.v.a += own(by_v);
        pass_body(b, true, x);
        x.q.a += own(before);
      } else {
        pass_body(b, false, x);
      }
      if (b.parent == i - 1) continue;
      if (b.parent > 0) {
        room.waiting[b.parent].q.a += x.q.a;
        room.waiting[b.parent].v.a += x.v.a;
      }
      clear(x);
    }
  }

  /// x = y - G^T a - h z,  a += s x.
  template <bool moved, bool more> ZWANG_INLINE V follow(const Column& e, Response<V, more>& x, const V& y) const {
    V at_k = y - dot(x.a, e.G);
    if constexpr (moved) at_k -= x.z.times(e.h);
    x.a.v += e.s.v * at_k;
    x.a.w += e.s.w * at_k;
    return at_k;
  }
  template <bool pushed, bool moved> ZWANG_INLINE void follow_body(const Body<T>& b, Pair& x) {
    const V zero(S(T(0)));
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const Column& e = room.column[k];
      V of_q = zero, of_v = zero;
      if constexpr (pushed) {
        of_q = load_lanes_of<S, L>(at(k));
        of_v = load_lanes_of<S, L>(at(k) + L);
      }
      of_q = follow<moved>(e, x.q, of_q);
      of_v = follow<moved>(e, x.v, of_v);
      store_lanes_of<S, L>(at(k), of_q);
      store_lanes_of<S, L>(at(k) + L, of_v);
      size += of_q + of_v;
    }
  }
  ZWANG_INLINE void outward() {
    Pair x;
    clear(x);
    const auto enter = [&](Index i) ZWANG_LAMBDA {
      const Index parent = tree.body[i].parent;
      if (parent == i - 1) return;
      if (parent == 0)
        clear(x);
      else
        x = room.waiting[parent];
    };
    const auto leave = [&](Index i) ZWANG_LAMBDA {
      if (branches(i)) room.waiting[i] = x;
    };
    Index i = 1;
    for (; i < low; ++i) {
      enter(i);
      follow_body<true, false>(tree.body[i], x);
      leave(i);
    }
    for (; i <= high; ++i) {
      enter(i);
      follow_body<true, true>(tree.body[i], x);
      const OwnLanes own = own_lanes(tree.body[i]);
      add_six(own, k_second, x.q.a);
      add_six(own, k_sum, x.v.a);
      add_three(own, k_first + 3, x.q.z.w);
      add_three(own, k_s + 3, x.v.z.w);
      if constexpr (turning) add_six(own, k_s, x.q.z.s);
      leave(i);
    }
    for (; i <= tree.n; ++i) {
      enter(i);
      follow_body<false, true>(tree.body[i], x);
      leave(i);
    }
  }
};

/// Where forward_dynamics(data, q, v, tau, a) has been. Writes every entry of the matrices by q and by v. `scratch`
/// [response_scratch(nv, n)] is aligned like a Buffer. Returns whether all entries are known to be finite.
template <class S> bool forward_dynamics_derivative_responses(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                              const PassiveEffects& effects, S* scratch,
                                                              const TorqueDerivatives<S>& out) {
  constexpr Index L = k_responses<S>;
  const auto& tree = data.tree();
  const SweepInput<S> in{q, data.sin.data(), data.cos.data()};
  bool finite = L > 1;
  const auto respond = [&]<bool turning>(std::bool_constant<turning>) ZWANG_LAMBDA {
    const ResponseRoom<S, turning> room(scratch, tree.nv);
    response_columns<turning>(data, room);
    for (Index c = 0; c < tree.nv; c += L) {
      Responses<S, turning> block(data, effects, room, c);
      block.inward();
      block.outward();
      if constexpr (L > 1) finite = finite && sum(block.size * S(0)) == 0;
      turn_rows(room.x, 2 * L, c, block.top, out.q);
      turn_rows(room.x + L, 2 * L, c, block.top, out.v);
    }
  };
  column_variations(data, in, v, a);
  if (data.force.has_external)
    respond(std::true_type());
  else
    respond(std::false_type());
  return finite;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
