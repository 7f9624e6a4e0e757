// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix by composite rigid bodies: Walker & Orin 1982; Featherstone 2008, table 6.2.
//
//   inward    I^c_p += I^c_i
//   product   F_k = I^c_i S_k;   M_jk = S_j^T F_k for every column k of the subtree of column j;   M_kk += armature
//
// DIFFERS: world axes about the branch's centre, so that F needs no transform on its way up; rows instead of paths,
// since the columns of a subtree are contiguous; bodies and columns side by side (core/side_by_side.hpp); columns that
// mimic one coordinate add up in it, M = G^T M_s G.
// Reads q. Writes M (dense, row length `stride`, both triangles), mass. Cost O(n d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/kinematics.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

// --- bodies and columns side by side: number r of the lanes is at(r)
template <class A, class At> ZWANG_INLINE Transform<A> transform_from(At&& at) {
  return {{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, {at(6), at(7), at(8)}}, {at(9), at(10), at(11)}};
}
template <class A, class At> ZWANG_INLINE Inertia<A> inertia_from(At&& at) {
  return {at(0), {at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7), at(8), at(9)}};
}
template <class A, class To> ZWANG_INLINE void inertia_to(const Inertia<A>& x, To&& to) {
  to(0, x.m);
  to(1, x.h.x);
  to(2, x.h.y);
  to(3, x.h.z);
  to(4, x.I.xx);
  to(5, x.I.xy);
  to(6, x.I.xz);
  to(7, x.I.yy);
  to(8, x.I.yz);
  to(9, x.I.zz);
}
template <class A, class At> ZWANG_INLINE Motion<A> motion_from(At&& at) {
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}
/// The numbers of Transform, Inertia, Motion<T>s, side by side: lane l is of what(l).
template <class T, int L, class What> ZWANG_INLINE auto numbers_of(What&& what) {
  return [=](int r) ZWANG_LAMBDA {
    return side_of<T, L>([&](int l) ZWANG_LAMBDA { return reinterpret_cast<const T*>(&what(l))[r]; });
  };
}

/// Inertias of the subtrees in world axes about the branch's centre; placements must be there.
template <class S> ZWANG_INLINE void composite_inertias(BasicData<S>& data) {
  constexpr Index L = side_lanes<S>;
  using T = Uniform<S>;
  const auto& tree = data.tree();
  const Index n = tree.n, stride = data.mass.stride;
  S* const c = data.mass.composite.data();
  for (Index i = 1; i <= n; i += L) {
    const auto body = [=](Index l) ZWANG_LAMBDA { return i + l < n ? i + l : n; };
    const Transform<S>* const X = data.position.placement.data();
    const Inertia<T>* const J = data.inertia.data();
    const Inertia<Side<S>> I =
        transform_from<Side<S>>(numbers_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return X[body(l)]; })) *
        inertia_from<SideOf<T, L>>(numbers_of<T, L>([=](int l) ZWANG_LAMBDA -> auto& { return J[body(l)]; }));
    inertia_to(I, [=](Index r, const Side<S>& x) ZWANG_LAMBDA { store_side(c + r * stride + i - 1, x); });
  }
  S sum[10];  // of the body before, for its parent: most often the next
  for (Index i = n, child = 0; i > 0; --i) {
    const Index parent = tree.body[i].parent;
#pragma GCC unroll 10
    for (Index r = 0; r < 10; ++r) {
      S& x = c[r * stride + i - 1];
      sum[r] = child == i ? x + sum[r] : x;
      x = sum[r];
    }
    child = parent;
    if (parent > 0 && parent < i - 1)
#pragma GCC unroll 10
      for (Index r = 0; r < 10; ++r) c[r * stride + parent - 1] += sum[r];
  }
}

/// F_k = I^c S_k of every column: those of single-column joints in a row together, those of any other joint together.
template <class S> ZWANG_INLINE void column_forces(BasicData<S>& data) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  for (Index k = 0, count = 0; k < tree.spanning_nv; k += count) {
    const Index i = tree.column[k].body, left = tree.body[i].v + tree.body[i].nv - k;
    const bool single = tree.body[i].nv == 1;
    for (count = 1; count < L && (single ? i + count <= tree.n && tree.body[i + count].nv == 1 : count < left);)
      ++count;
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const Motion<Side<S>> s = motion_from<Side<S>>(
        numbers_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[l < count ? l : count - 1].s; }));
    const S* const c = data.mass.composite.data() + i - 1;
    const Force<Side<S>> F =
        single ? inertia_from<Side<S>>([=](int r) ZWANG_LAMBDA { return load_side(c + r * stride); }) * s
               : inertia_from<S>([=](int r) ZWANG_LAMBDA { return c[r * stride]; }) * s;
    S* const at = data.mass.force.data() + k;
    store_side(at, F.f.x);
    store_side(at + stride, F.f.y);
    store_side(at + 2 * stride, F.f.z);
    store_side(at + 3 * stride, F.n.x);
    store_side(at + 4 * stride, F.n.y);
    store_side(at + 5 * stride, F.n.z);
  }
}

/// M = G^T M_s G where coordinates are shared.
template <class S> void merged_mass_matrix(const BasicData<S>& data, S* M, Index stride) {
  const auto& tree = data.tree();
  for (Index r = 0; r < tree.nv; ++r)
    for (Index c = 0; c < tree.nv; ++c) M[r * stride + c] = S(0);
  for (Index j = 0; j < tree.spanning_nv; ++j)
    for (Index k = j; k < tree.column[j].end; ++k) {
      const auto &cj = tree.column[j], &ck = tree.column[k];
      const S* const F = data.mass.force.data() + k;
      const auto f = [&](Index r) ZWANG_LAMBDA { return F[r * data.mass.stride]; };
      S x = dot(data.articulated.column[j].s, Force<S>{{f(0), f(1), f(2)}, {f(3), f(4), f(5)}});
      if (j == k) x += ck.armature * data.armature_factor;
      x = x * (cj.multiplier * ck.multiplier);
      M[cj.v * stride + ck.v] += x;
      if (j != k) M[ck.v * stride + cj.v] += x;
    }
}

/// S_j^T F_k of every column k of the subtree of column j, with F from mass.force, and their mirror image, else 0: in
/// tiles of rows j, j + 1, ... and columns k, k + 1, ...
template <class S> void write_products(const BasicData<S>& data, S* M, Index stride) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.nv;
  const auto load = [&](Index k, Index r)
                        ZWANG_LAMBDA { return load_side(data.mass.force.data() + r * data.mass.stride + k); };
  for (Index j = 0; j < n; j += L) {
    Motion<S> s[L];
    Index end[L], all = n, reach = j;  // columns before `all` are in the subtree of every row, none after `reach`
    for (Index i = 0; i < L; ++i) {
      const Index row = j + i < n ? j + i : n - 1;
      s[i] = data.articulated.column[row].s;
      end[i] = tree.column[row].end;
      all = end[i] < all ? end[i] : all;
      reach = end[i] > reach ? end[i] : reach;
    }
    const auto products = [&](Index k, Side<S>(&tile)[L]) ZWANG_LAMBDA {
      const Force<Side<S>> F{{load(k, 0), load(k, 1), load(k, 2)}, {load(k, 3), load(k, 4), load(k, 5)}};
#pragma GCC unroll 16
      for (Index i = 0; i < L; ++i) tile[i] = dot(s[i], F);
    };
    const auto cut = [&](Index k, Side<S>(&tile)[L]) ZWANG_LAMBDA {
#pragma GCC unroll 16
      for (Index i = 0; i < L; ++i) tile[i] = first_lanes<S>(tile[i], end[i] - k, Side<S>(S(0)));
    };
    Side<S> tile[L];
    products(j, tile);
    cut(j, tile);
    put_diagonal<S>(tile, M + j * stride + j, stride, n - j);
    Index k = j + L;
    for (; k + L <= all; k += L) {
      products(k, tile);
      put_tile<S>(tile, M + j * stride + k, M + k * stride + j, stride);
    }
    for (; k < reach; k += L) {
      products(k, tile);
      cut(k, tile);
      put_edge<S>(tile, M + j * stride + k, M + k * stride + j, stride, n - k);
    }
    for (; k < n; k += L) {
      for (Side<S>& row : tile) row = Side<S>(S(0));
      put_edge<S>(tile, M + j * stride + k, M + k * stride + j, stride, n - k);
    }
  }
}

template <class S> void mass_matrix(BasicData<S>& data, const S* q, S* M, Index stride) {
  const auto& tree = data.tree();
  columns(data, q);
  composite_inertias(data);
  column_forces(data);
  if (tree.mimic) return merged_mass_matrix(data, M, stride);
  write_products(data, M, stride);
  for (Index k = 0; k < tree.nv; ++k) M[k * stride + k] += tree.column[k].armature * data.armature_factor;
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
