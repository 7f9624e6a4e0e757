// SPDX-License-Identifier: BSD-3-Clause
// S_j^T F_k of every column j and every column k of its subtree, and their mirror image: the last step of the mass
// matrix and of its factor from articulated bodies.
//
//   M_jk = M_kj = s_j^T F_k;   M = G^T M_s G where columns mimic one coordinate
//
// DIFFERS: no walk along paths. The columns of a subtree are contiguous, so tiles of rows j, j + 1, ... and columns k,
// k + 1, ... are computed whole, cut where they reach out of a subtree, and written twice, once transposed. Reads
// mass.force, articulated.column, in one set of axes about one point. Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "zwang/core/transpose.hpp"
#include "zwang/model/stages.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

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
template <class S> void column_products(const BasicData<S>& data, S* M, Index stride) {
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

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
