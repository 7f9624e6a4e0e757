// SPDX-License-Identifier: BSD-3-Clause
// G = J M^-1 J^T with the tree-sparse factor of M: Featherstone 2010 (IJRR 29(10),
// Exploiting sparsity in operational-space dynamics).
//
//   M = L^T D L  (tree_cholesky.hpp),   Y = L^-T J^T,   G = Y^T D^-1 Y
// A row of J, and of Y^T, is nonzero only at the coordinates on the paths of its bodies. Shared coordinates need no
// special treatment; prescribed ones are held: zeros in M and J, ones on M's diagonal.
// Reads q, and the columns from kinematics. Cost O(n d^2 + m d^2 + m^2 d). Allocates nothing.
#pragma once
#include "factor/page/row_blocks.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"
#include "zwang/algorithm/page/tree_cholesky.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> struct SparseStage {
  Buffer<S> M;  ///< [nv x nv]
  Buffer<S> Y;  ///< [rows x nv] J, then Y^T
  SparseStage() = default;
  SparseStage(Index nv, Index rows) : M(nv * nv), Y(rows * nv) {}
};

/// J of the rows, rows x nv.
template <class S> void jacobian_of_rows(const BasicData<S>& data, const RowBlocks<S>& rows, S* J) {
  const auto& tree = data.tree();
  for (Index i = 0; i < rows.m * tree.nv; ++i) J[i] = S(0);
  for (Index b = 0; b < rows.count; ++b) {
    const RowBlock<S>& block = rows.block[b];
    for (Index i = block.body; i > 0; i = tree.body[i].parent)
      for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k) {
        if (data.articulated.has_given && data.articulated.is_given[k]) continue;
        const auto& s = data.articulated.column[k].s;
        const auto w = (dot(s.v, block.K.f) + dot(s.w, block.K.n)) * tree.column[k].multiplier;
        for (Index r = 0; r < block.count; ++r) J[block.row[r] * tree.nv + tree.column[k].v] += lane<S>(&w, r);
      }
  }
}

template <class S> void sparse_delassus(BasicData<S>& data, const S* q, const RowBlocks<S>& rows, SparseStage<S>& x,
                                        const DelassusOut<S>& out) {
  const auto& tree = data.tree();
  const Index nv = tree.nv;
  jacobian_of_rows(data, rows, x.Y.data());
  mass_matrix(data, q, x.M.data(), nv);
  for (Index k = 0; k < tree.spanning_nv && data.articulated.has_given; ++k) {
    const Index y = tree.column[k].v;
    if (!data.articulated.is_given[k]) continue;
    for (Index i = 0; i < nv; ++i) x.M[y * nv + i] = x.M[i * nv + y] = S(0);
    x.M[y * nv + y] = S(1);
  }
  const TreeFactor<S> f = tree_factor(tree, x.M.data(), nv);
  ltl_factor(f, [](Index, const S&) {});
  for (Index r = 0; r < rows.m; ++r) {
    S* const y = &x.Y[r * nv];
    for (Index k = nv - 1; k >= 0; --k) {
      if (y[k] == S(0)) continue;
      for_each_run(f, f.parent[k],
                   [&](Index j, Index count) ZWANG_LAMBDA { subtract_multiple(count, y[k], f.row(k) + j, y + j); });
    }
  }
  out.clear();
  for (Index k = 0; k < nv; ++k) {
    const S inv_D = Uniform<S>(1) / f.at(k, k);
    for (Index i = 0; i < rows.m; ++i) {
      const S g = x.Y[i * nv + k] * inv_D;
      if (g == S(0)) continue;
      for (Index j = 0; j <= i; ++j) out.add(i, j, g * x.Y[j * nv + k]);
    }
  }
  for (Index i = 0; i < rows.m; ++i)
    for (Index j = 0; j < i; ++j) out.add(j, i, out.at(i, j));
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
