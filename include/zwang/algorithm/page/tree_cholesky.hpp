// SPDX-License-Identifier: BSD-3-Clause
// Tree-sparse factorisation M = L^T D L, L unit lower triangular: Featherstone 2005; 2008, tables 6.3 to 6.6. Row k of
// L is nonzero only at the coordinates towards the root, parent(k), parent(parent(k)), ...: no fill outside of paths.
// DIFFERS: the path is that of the elimination tree of M, so that coordinates shared by mimicking joints on other
// branches are covered. The path is walked in runs of consecutive numbers (tree.row_first). Everything works in place
// on a dense array whose other entries are never read.
// Cost: factor sum d(d+1)/2, one solve 2 sum d. Allocates nothing.
#pragma once
#include "zwang/core/strips.hpp"
#include "zwang/model/tree.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// A view of the factor: entry (k, j) at a[k * stride + j], D on the diagonal.
template <class S> struct TreeFactor {
  S* a;
  Index n, stride;
  const Index* parent;
  const Index* first;  ///< of the run of consecutive coordinates towards the root that ends here
  ZWANG_INLINE S* row(Index k) const { return a + static_cast<std::ptrdiff_t>(k) * stride; }
  ZWANG_INLINE S& at(Index k, Index j) const { return row(k)[j]; }
};
template <class S> ZWANG_INLINE TreeFactor<S> tree_factor(const Tree<Uniform<S>>& tree, S* a, Index stride) {
  return {a, tree.nv, stride, tree.row_parent, tree.row_first};
}

/// Calls f(begin, count) for the runs of coordinates from k (itself included; -1: none) to the root.
template <class S, class F> ZWANG_INLINE void for_each_run(const TreeFactor<S>& f, Index k, F&& run) {
  for (; k >= 0; k = f.parent[f.first[k]]) run(f.first[k], k + 1 - f.first[k]);
}

/// In place, M to L and D. `pivot(k, D_k)` sees each pivot before the division.
template <class S, class Pivot> ZWANG_INLINE void ltl_factor(const TreeFactor<S>& f, Pivot&& pivot) {
  for (Index k = f.n - 1; k >= 0; --k) {
    S* const row = f.row(k);
    pivot(k, row[k]);
    const S inv = Uniform<S>(1) / row[k];
    for (Index i = f.parent[k]; i >= 0; i = f.parent[i]) {
      const S a = row[i] * inv;
      for_each_run(f, i,
                   [&](Index j, Index count) ZWANG_LAMBDA { subtract_multiple(count, a, row + j, f.row(i) + j); });
      row[i] = a;
    }
  }
}
/// x := L^-T x (towards the root)
template <class S> ZWANG_INLINE void ltl_solve_transposed(const TreeFactor<S>& f, S* x) {
  for (Index k = f.n - 1; k >= 0; --k)
    for_each_run(f, f.parent[k],
                 [&](Index j, Index count) ZWANG_LAMBDA { subtract_multiple(count, x[k], f.row(k) + j, x + j); });
}
/// x := L^-1 x (away from the root)
template <class S> ZWANG_INLINE void ltl_solve_lower(const TreeFactor<S>& f, S* x) {
  for (Index k = 0; k < f.n; ++k)
    for_each_run(f, f.parent[k], [&](Index j, Index count) ZWANG_LAMBDA { x[k] -= dot(count, f.row(k) + j, x + j); });
}
/// x := M^-1 x = L^-1 D^-1 L^-T x
template <class S> ZWANG_INLINE void ltl_solve(const TreeFactor<S>& f, S* x) {
  ltl_solve_transposed(f, x);
  for (Index k = 0; k < f.n; ++k) x[k] = x[k] / f.at(k, k);
  ltl_solve_lower(f, x);
}
/// x := L x
template <class S> ZWANG_INLINE void ltl_multiply_lower(const TreeFactor<S>& f, S* x) {
  for (Index k = f.n - 1; k >= 0; --k)
    for_each_run(f, f.parent[k], [&](Index j, Index count) ZWANG_LAMBDA { x[k] += dot(count, f.row(k) + j, x + j); });
}
/// x := L^T x
template <class S> ZWANG_INLINE void ltl_multiply_transposed(const TreeFactor<S>& f, S* x) {
  for (Index k = 0; k < f.n; ++k)
    for_each_run(f, f.parent[k],
                 [&](Index j, Index count) ZWANG_LAMBDA { subtract_multiple(count, -x[k], f.row(k) + j, x + j); });
}
/// x := M x = L^T D L x
template <class S> ZWANG_INLINE void ltl_multiply(const TreeFactor<S>& f, S* x) {
  ltl_multiply_lower(f, x);
  for (Index k = 0; k < f.n; ++k) x[k] *= f.at(k, k);
  ltl_multiply_transposed(f, x);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
