// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of inverse dynamics: Singh, Russell & Wensing 2023, "On second-order derivatives of rigid-body
// dynamics: theory & implementation", extended to columns that depend on q and to wrenches in any axes.
//
//   column p of joint i, t of joint j on the path to i, r of joint k on the path to j; I, B, f of the subtree of i:
//   D = dI along S_p          (D x = S_p x* I x - I (S_p x x), symmetric)    F = I S_p
//   E = dB along column p     (B(I, psi'_p) + S_p x* B - B S_p x)            b = B^T S_p
//   g = B psi'_p + I psi''_p + S_p x* f                                      h = B S_p + I (psi'_p + S'_p)
//   c = D S_t   e = S_t x* F   m = E^T S_t   n = S_t x* b + psi'_t x* F - D psi'_t
//   always:  tau_p by q_t q_r: psi'_r.n + psi''_r.e       tau_p by q_r v_t: psi'_r.(e - c)
//   j != i:  tau_t by q_p q_r: psi'_r.m + psi''_r.c       tau_t by q_r v_p: psi'_r.(c - e)    by v_p v_r: S_r.(c - e)
//            tau_t by q_p v_r: S_r.m + (psi'_r + S'_r).c  M_rt by q_p: S_r.c
//   k != j:  tau_r by q_p q_t: S_r.(E psi'_t + D psi''_t + S_t x* g)
//            tau_r by q_t v_p: S_r.(D psi'_t + psi'_t x* F + S_t x* h)
//            tau_p by q_t v_r: S_r.n + (psi'_r + S'_r).e  M_rp by q_t: S_r.e   by v_t v_r: S_r.(e - c)
//     j != i: tau_r by q_p v_t: S_r.(E S_t + D (psi'_t + S'_t)), by v_p v_t: S_r.(c + e)
//     j = i:  tau_r by v_t v_p: S_r.(S_p x* I S_t + e)
//   k = j:   tau_p by v_t v_r: -S_r.c
//   H[t, x, y] = L_y (d tau_t / d x): pairs of coordinates of different joints commute; those of one group do not.
//   With shared coordinates G^T on all three indices. Dampers, springs and rotors have no part.
//
// DIFFERS: products with D and E, which are an inertia and a momentum, instead of 6 x 6 matrices; columns that depend
// on q and W: own_second_derivatives.hpp. World axes about the branch's centre.
// Reads what first derivatives read. Writes derivative. Cost O(n d^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"
#include "zwang/spatial/gathered.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Four tensors of nv^3 numbers, [t, x, y] at (t nv + x) nv + y: by q q, q v, v v and q a. Entries of coordinates that
/// are not on one path are 0 and stay so.
template <class S> struct SecondTensors { S *qq, *qv, *vv, *qa; };

template <class S> struct SecondForces;

/// What columns of one path are, root first, side by side: S, psi', psi'', psi' + S'. And scratch of the products.
template <class S> struct PathColumns {
  Index stride = 0;                        ///< whole Sides
  S* x = nullptr;                          ///< [24 x stride]
  S* product = nullptr;                    ///< [16 x stride]
  SecondForces<S>* forces = nullptr;       ///< [stride]
  Index* column = nullptr;                 ///< [stride] which column of the spanning tree
  Index *first = nullptr, *end = nullptr;  ///< [stride] positions of the columns of the same joint
  Index size = 0;
  static constexpr int columns = 24, products = 16, force_numbers = 48, numbers = columns + products + force_numbers;

  ZWANG_INLINE Motion<S> motion(Index row, Index at) const {
    return motion_from<S>([=, this](int r) ZWANG_LAMBDA { return x[(row + r) * stride + at]; });
  }
  ZWANG_INLINE Motion<Side<S>> motions(Index row, Index at) const {
    return motion_from<Side<S>>([=, this](int r) ZWANG_LAMBDA { return load_side(x + (row + r) * stride + at); });
  }
};
enum PathRow : Index { path_s = 0, path_first = 6, path_second = 12, path_sum = 18 };

/// Of the path to a body, its own columns last.
template <class S> void gather_path(const BasicData<S>& data, Index body, PathColumns<S>& path) {
  const auto& tree = data.tree();
  const auto& b = tree.body[body];
  Index size = 0;
  for (Index k = b.v + b.nv - 1; k >= 0; k = tree.column[k].parent) ++size;
  path.size = size;
  for (Index k = b.v + b.nv - 1, at = size - 1; k >= 0; k = tree.column[k].parent, --at) {
    const ColumnVariation<S>& c = data.derivative.variation[k];
    for (Index r = 0; r < 6; ++r) {
      S* const to = path.x + r * path.stride + at;
      to[path_s * path.stride] = c.s[r];
      to[path_first * path.stride] = c.first[r];
      to[path_second * path.stride] = c.second[r];
      to[path_sum * path.stride] = c.sum[r];
    }
    const auto& own = tree.body[tree.column[k].body];
    path.column[at] = k;
    path.first[at] = at - (k - own.v);
    path.end[at] = path.first[at] + own.nv;
  }
}

/// D: the rate of an inertia that moves with s. Its mass is zero.
template <class S> ZWANG_INLINE Inertia<S> inertia_along(const Inertia<S>& I, const Motion<S>& s) {
  const auto turned = [&](const Vec3<S>& column, const Vec3<S>& w_column)
                          ZWANG_LAMBDA { return cross(s.w, column) - w_column; };
  const Sym3<S>& J = I.I;
  const Vec3<S> w = s.w;
  // [w] J - J [w], J [w] e = J (w x e)
  const Vec3<S> x = turned({J.xx, J.xy, J.xz}, J * Vec3<S>{S(Uniform<S>(0)), w.z, -w.y});
  const Vec3<S> y = turned({J.xy, J.yy, J.yz}, J * Vec3<S>{-w.z, S(Uniform<S>(0)), w.x});
  const Vec3<S> z = turned({J.xz, J.yz, J.zz}, J * Vec3<S>{w.y, -w.x, S(Uniform<S>(0))});
  const Vec3<S>&v = s.v, &h = I.h;
  const S vh = dot(v, h) * Uniform<S>(2), two(Uniform<S>(2));
  Inertia<S> D;
  D.m = S(Uniform<S>(0));
  D.h = v * I.m + cross(w, h);
  D.I.xx = x.x + vh - two * v.x * h.x;
  D.I.yy = y.y + vh - two * v.y * h.y;
  D.I.zz = z.z + vh - two * v.z * h.z;
  D.I.xy = y.x - v.x * h.y - v.y * h.x;
  D.I.xz = z.x - v.x * h.z - v.z * h.x;
  D.I.yz = z.y - v.y * h.z - v.z * h.y;
  return D;
}

/// E: the rate of B where bodies move with s, and their velocities by psi' more.
template <class S> ZWANG_INLINE Momentum<S> momentum_along(const Inertia<S>& I, const Momentum<S>& m,
                                                           const Motion<S>& s, const Motion<S>& first) {
  Momentum<S> E = momentum_of(I, first);
  const Vec3<S> P = m.h.f, w = s.w;
  E.h.f += cross(w, P);
  const Mat3<S> turned = skew(w) * m.N - m.N * skew(w);
  const S vP = dot(s.v, P);
  E.N.r0 += turned.r0 + s.v * P.x;
  E.N.r1 += turned.r1 + s.v * P.y;
  E.N.r2 += turned.r2 + s.v * P.z;
  E.N.r0.x -= vP;
  E.N.r1.y -= vP;
  E.N.r2.z -= vP;
  return E;
}

/// Numbers at coordinates of the model, from columns of the spanning tree.
template <class S, class T> struct TensorEntries {
  const Tree<T>& tree;
  SecondTensors<S> to;
  ZWANG_INLINE std::ptrdiff_t at(Index t, Index x, Index y) const {
    return (std::ptrdiff_t(t) * tree.nv + x) * tree.nv + y;
  }
  ZWANG_INLINE void add(S* tensor, Index t, Index x, Index y, const S& value) const {
    if (!tree.mimic) {
      tensor[at(t, x, y)] += value;
      return;
    }
    const auto &T_ = tree.column[t], &X = tree.column[x], &Y = tree.column[y];
    tensor[at(T_.v, X.v, Y.v)] += value * (T_.multiplier * X.multiplier * Y.multiplier);
  }
  /// Number k of `row` is the entry whose index number `axis` is column k of the path, the others a and b in order;
  /// from <= k < end. Entries of shared coordinates are added.
  template <int axis> ZWANG_INLINE void put(S* tensor, Index a, Index b, const S* row, const PathColumns<S>& path,
                                            Index from, Index end) const {
    const Index* const column = path.column;
    if (tree.mimic) {
      for (Index k = from; k < end; ++k)
        add(tensor, axis == 0 ? column[k] : a,
            axis == 1   ? column[k]
            : axis == 0 ? a
                        : b,
            axis == 2 ? column[k] : b, row[k]);
      return;
    }
    const std::ptrdiff_t n = tree.nv, step = axis == 0 ? n * n : axis == 1 ? n : 1;
    S* const base = tensor + (axis == 0 ? at(0, a, b) : axis == 1 ? at(a, 0, b) : at(a, b, 0));
    for (Index k = from; k < end; ++k) base[column[k] * step] = row[k];
  }
};

/// What column p asks of its subtree.
template <class S> struct SecondTerms {
  Motion<S> s;
  Inertia<S> I, D;
  Momentum<S> E;
  Force<S> F, g, h;
  Vec3<S> b;
  SecondTerms(const SubtreeTerms<S>& x, const ColumnVariation<S>& c) : s(c.s), I(x.I) {
    const Uniform<S> two(2);
    D = inertia_along(x.I, c.s);
    E = momentum_along(x.I, x.m, c.s, c.first);
    F = x.I * c.s;
    g = x.m.half_times(c.first) * two + x.I * c.second + cross(c.s, x.f);
    h = x.m.half_times(c.s) * two + x.I * c.sum;
    b = x.m.half_transposed_times(c.s) * two;
  }
};

/// The same number in all lanes, number by number of A<S>, which is an array of S.
template <template <class> class A, class S> ZWANG_INLINE A<Side<S>> in_all_lanes(const A<S>& x) {
  static_assert(sizeof(A<Side<S>>) / sizeof(Side<S>) == sizeof(A<S>) / sizeof(S));
  A<Side<S>> wide;
  for (std::size_t r = 0; r < sizeof(A<S>) / sizeof(S); ++r)
    reinterpret_cast<Side<S>*>(&wide)[r] = Side<S>(reinterpret_cast<const S*>(&x)[r]);
  return wide;
}

/// What a column t on the path makes of them.
template <class S> struct SecondForces {
  Force<S> c, e, n, gq, hq, ev, im;  ///< D S, S x* F, n, those of tau_r by q q, by q v, by v q; S_p x* I S + e
  Vec3<S> m;                         ///< moment of E^T S
  S unused[3];
  ZWANG_INLINE SecondForces(const SecondTerms<S>& p, const Motion<S>& s, const Motion<S>& first,
                            const Motion<S>& second, const Motion<S>& sum) {
    const Uniform<S> two(2);
    const Force<S> d_first = p.D * first, e_first = cross(first, p.F);
    c = p.D * s;
    e = cross(s, p.F);
    m = p.E.half_transposed_times(s) * two;
    n = e_first - d_first;
    n.n += cross(s.w, p.b);
    gq = p.E.half_times(first) * two + p.D * second + cross(s, p.g);
    hq = d_first + e_first + cross(s, p.h);
    ev = p.E.half_times(s) * two + p.D * sum;
    im = cross(p.s, p.I * s) + e;
    for (S& x : unused) x = S(Uniform<S>(0));
  }
};

/// Of all columns on the path, several side by side.
template <class S> void path_forces(const SecondTerms<Side<S>>& p, const PathColumns<S>& path) {
  constexpr int numbers = PathColumns<S>::force_numbers;
  static_assert(sizeof(SecondForces<S>) == numbers * sizeof(S));
  for (Index at = 0; at < path.size; at += side_lanes<S>) {
    const SecondForces<Side<S>> f(p, path.motions(path_s, at), path.motions(path_first, at),
                                  path.motions(path_second, at), path.motions(path_sum, at));
    lanes_to_rows<numbers, S, side_lanes<S>>(reinterpret_cast<const Side<S>*>(&f), [&](int l) ZWANG_LAMBDA {
      return reinterpret_cast<S*>(path.forces + at + l);
    });
  }
}

/// Rows of PathColumns::product: products of columns r with the forces of one t, as entries need them.
enum SecondProduct : Index {
  row_qq,       ///< psi'.n + psi''.e
  row_turning,  ///< psi'.(e - c)
  row_back,     ///< psi'.(c - e)
  row_below,    ///< psi'.m + psi''.c
  row_moved,    ///< S.m + (psi' + S').c
  row_c,        ///< S.c
  row_minus_c,  ///< -S.c
  row_e,        ///< S.e
  row_e_c,      ///< S.(e - c)
  row_c_e,      ///< S.(c - e)
  row_both,     ///< S.(c + e)
  row_gq,
  row_qv,  ///< S.n + (psi' + S').e
  row_hq,
  row_own,  ///< S.(E psi' + ...), or S.(S_p x* I S_t + e) where t is of the same joint
  second_products
};

inline constexpr Index k_squares = 4;
template <class S> using Squares = Side<S>[k_squares];

/// Products of all columns on the path up to `end` with the forces of column t; adds the squares of all, as they stand
/// side by side, to `squares`: where these are finite, the products are.
template <class S> ZWANG_INLINE void path_products(const PathColumns<S>& path, Index end, const SecondForces<S>& t,
                                                   bool same, Squares<S>& squares) {
  static_assert(second_products <= PathColumns<S>::products);
  S* const out = path.product;
  const Force<S>& own = same ? t.im : t.ev;
  for (Index at = 0; at < end; at += side_lanes<S>) {
    const auto put = [&](Index row, const Side<S>& x) ZWANG_LAMBDA { store_side(out + row * path.stride + at, x); };
    const auto count = [&](Index row, const Side<S>& x) ZWANG_LAMBDA {
      put(row, x);
      squares[row % k_squares] += x * x;  // several sums, which do not wait for each other
    };
    const Motion<Side<S>> s = path.motions(path_s, at), first = path.motions(path_first, at),
                          second = path.motions(path_second, at), sum = path.motions(path_sum, at);
    const Side<S> c = dot(s, t.c), e = dot(s, t.e), turning = dot(first, t.e) - dot(first, t.c);
    count(row_qq, dot(first, t.n) + dot(second, t.e));
    count(row_turning, turning);
    put(row_back, -turning);
    count(row_below, dot(first.w, t.m) + dot(second, t.c));
    count(row_moved, dot(s.w, t.m) + dot(sum, t.c));
    count(row_c, c);
    put(row_minus_c, -c);
    count(row_e, e);
    put(row_e_c, e - c);
    put(row_c_e, c - e);
    put(row_both, c + e);
    count(row_gq, dot(s, t.gq));
    count(row_qv, dot(s, t.n) + dot(sum, t.e));
    count(row_hq, dot(s, t.hq));
    count(row_own, dot(s, own));
  }
}

/// Entries of column p, the last of its path or of the same joint, with column number `at` of the path, where
/// path_products() has been. `same`: both are of one joint.
template <class S, class T>
ZWANG_INLINE void put_second(const PathColumns<S>& path, Index p, bool same, Index at, const TensorEntries<S, T>& out) {
  const Index t = path.column[at], above = path.first[at], end = path.end[at];
  const auto row = [&](Index number) ZWANG_LAMBDA { return path.product + number * path.stride; };
  // tensor[t, x, y] of all r on the path up to `end`: of tau_r, by r first, by r last
  const auto of_tau = [&](S* tensor, Index x, Index y, Index number, Index to)
                          ZWANG_LAMBDA { out.template put<0>(tensor, x, y, row(number), path, 0, to); };
  const auto by_first = [&](S* tensor, Index tau, Index y, Index number, Index to)
                            ZWANG_LAMBDA { out.template put<1>(tensor, tau, y, row(number), path, 0, to); };
  const auto by_last = [&](S* tensor, Index tau, Index x, Index number, Index to)
                           ZWANG_LAMBDA { out.template put<2>(tensor, tau, x, row(number), path, 0, to); };
  const SecondTensors<S>& to = out.to;
  by_last(to.qq, p, t, row_qq, end);
  by_first(to.qv, p, t, row_turning, end);
  out.template put<2>(to.vv, p, t, row(row_minus_c), path, above, end);

  by_first(to.qq, p, t, row_qq, above);
  of_tau(to.qq, p, t, row_gq, above);
  by_last(to.qv, p, t, row_qv, above);
  of_tau(to.qv, t, p, row_hq, above);
  by_last(to.vv, p, t, row_e_c, above);
  by_first(to.vv, p, t, row_e_c, above);
  of_tau(to.qa, t, p, row_e, above);
  by_last(to.qa, p, t, row_e, above);
  if (same) return of_tau(to.vv, t, p, row_own, above);

  by_last(to.qq, t, p, row_below, end);
  by_first(to.qq, t, p, row_below, end);
  by_last(to.qv, t, p, row_moved, end);
  by_first(to.qv, t, p, row_back, end);
  by_last(to.vv, t, p, row_c_e, end);
  by_first(to.vv, t, p, row_c_e, end);
  of_tau(to.qa, p, t, row_c, end);
  by_last(to.qa, t, p, row_c, above);  // those of one joint come by both orders

  of_tau(to.qq, t, p, row_gq, above);
  of_tau(to.qv, p, t, row_own, above);
  of_tau(to.vv, p, t, row_both, above);
  of_tau(to.vv, t, p, row_both, above);
}

/// What both derivatives need of every column and subtree. Where kinematics(data, q, v, a) has been.
template <class S>
SweepInput<S> derivative_terms(BasicData<S>& data, const S* q, const S* v, const S* a, const S** vs, const S** as) {
  const auto& tree = data.tree();
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  *vs = tree.mimic ? data.v_spanning.data() : v;
  *as = tree.mimic ? data.a_spanning.data() : a;
  variations(data, in, *vs, *as);
  subtree_terms(data);
  return in;
}

/// As if all columns were constant and wrenches turned with their bodies: of every triple on a path. Returns a number
/// that is finite only if all entries are.
template <class S>
S constant_second_derivatives(const BasicData<S>& data, PathColumns<S>& path, const SecondTensors<S>& to) {
  const auto& tree = data.tree();
  Squares<S> squares;
  for (Side<S>& x : squares) x = Side<S>(S(Uniform<S>(0)));
  const TensorEntries<S, Uniform<S>> out{tree, to};
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (body.nv == 0) continue;
    gather_path(data, i, path);
    const SubtreeTerms<Side<S>> x = in_all_lanes<SubtreeTerms>(data.derivative.subtree[i]);
    for (Index p = body.v; p < body.v + body.nv; ++p) {
      path_forces(SecondTerms<Side<S>>(x, in_all_lanes<ColumnVariation>(data.derivative.variation[p])), path);
      for (Index at = 0; at < path.size; ++at) {
        const bool same = path.column[at] >= body.v;
        path_products(path, path.end[at], path.forces[at], same, squares);
        put_second(path, p, same, at, out);
      }
    }
  }
  const Side<S> all = (squares[0] + squares[1]) + (squares[2] + squares[3]);
  if constexpr (has_sides<S>)
    return sum(all);
  else
    return all;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
