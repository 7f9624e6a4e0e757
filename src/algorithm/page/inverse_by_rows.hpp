// SPDX-License-Identifier: BSD-3-Clause
// Inverse of the mass matrix from its tree-sparse factors, row by row: the recurrence of Takahashi, Fagan & Chin 1973,
// L Z = D^-1 L^-T, whose right-hand side is upper triangular with 1/D_k on its diagonal.
//
//   Z_kc = - sum_j L_kj Z_jc for every c < k,  Z_kk = 1/D_k - sum_j L_kj Z_jk      j: the coordinates towards the root
//
// DIFFERS from mass_matrix_inverse.hpp, the page it is tested against: no solve for each column; entries
// of a row side by side; from the root to the tips, so that the rows of j < k are there, and of each row
// what the recurrence has found as a column.
// Reads a factor of page::ltl_factor. Writes M^-1 dense. Cost sum of k d. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/tree_cholesky.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Numbers of scratch for each coordinate: a row, so long that rows do not share cache sets.
inline constexpr Index row_of_inverse(Index n) { return ((n + 7) / 8 | 1) * 8; }

/// `z` [n * row_of_inverse(n)] is aligned like a Buffer.
template <class S> void inverse_by_rows(const TreeFactor<S>& f, S* out, Index stride, S* z) {
  using W = Wide<S, 8>;
  const std::ptrdiff_t width = row_of_inverse(f.n);
  for (Index k = 0; k < f.n; ++k) {
    const S* const l = f.row(k);
    S* const row = z + k * width;
    const auto each_run = [&](auto&& run) ZWANG_LAMBDA {
      for (Index j = f.parent[k]; j >= 0; j = f.parent[f.first[j]]) run(f.first[j], j);
    };
    for (Index c = 0; c < k; c += 8) {
      W a(S(0)), b(S(0));
      each_run([&](Index first, Index j) ZWANG_LAMBDA {
        const S* x = z + j * width + c;
        for (; j > first; j -= 2, x -= 2 * width) {
          a -= W::load(x) * l[j];
          b -= W::load(x - width) * l[j - 1];
        }
        if (j == first) a -= W::load(x) * l[j];
      });
      (a + b).store(row + c);
    }
    S d = Uniform<S>(1) / l[k];
    each_run([&](Index first, Index j) ZWANG_LAMBDA {
      for (; j >= first; --j) d -= row[j] * l[j];
    });
    for (Index c = 0; c < k; ++c) z[c * width + k] = row[c];
    row[k] = d;
  }
  for (Index k = 0; k < f.n; ++k) {
    const S* const row = z + k * width;
    S* const to = out + static_cast<std::ptrdiff_t>(k) * stride;
    Index c = 0;
    for (; c + 8 <= f.n; c += 8) W::load(row + c).store(to + c);
    for (; c < f.n; ++c) to[c] = row[c];
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
