// SPDX-License-Identifier: BSD-3-Clause
// The Coriolis matrix with dM/dt - 2 C skew: Echeandia & Wensing 2021, algorithm 1.
//
//   t_k = I^c dS_k/dt + 1/2 B^c S_k;   for every column k of the subtree of column j:
//   C_jk = S_j^T t_k,   C_kj = (dS_j/dt)^T I^c S_k + S_j^T (1/2 B^c)^T S_k;   C = G^T C_s G where columns are shared
//
// DIFFERS: dS/dt = v x S + (dS/dt in body axes) for joints whose columns depend on q, too: without the second term
// C v is wrong there. B as in composite_momentum.hpp; tiles as in column_products.hpp.
// C v + g = h (springs, damping off). Where coordinates are additive, C is that of the Christoffel symbols.
// Reads q, v. Writes C (dense, row length `stride`), mass, momentum. Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/composite_momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// What the products of the Coriolis matrix read of columns k, k + 1, ... side by side.
template <class S> struct CoriolisColumns {
  Force<Side<S>> t, F;   ///< t_k, I^c S_k
  Vec3<Side<S>> moment;  ///< of (1/2 B^c)^T S_k
  ZWANG_INLINE CoriolisColumns(const BasicData<S>& data, Index k) {
    const Index stride = data.mass.stride;
    const S *const a = data.momentum.force.data() + k, *const b = data.mass.force.data() + k;
    for (Index r = 0; r < 6; ++r) {
      t[r] = load_side(a + r * stride);
      F[r] = load_side(b + r * stride);
    }
    for (Index r = 0; r < 3; ++r) moment[r] = load_side(a + (6 + r) * stride);
  }
  ZWANG_INLINE Side<S> above(const Motion<S>& s) const { return dot(s, t); }
  ZWANG_INLINE Side<S> below(const Motion<S>& s, const Motion<S>& rate) const {
    return dot(rate, F) + dot(s.w, moment);
  }
};

template <class S> ZWANG_INLINE Motion<S> stored_rate(const BasicData<S>& data, Index k) {
  return motion_from<S>([&](int r) ZWANG_LAMBDA { return data.momentum.rate[r * data.mass.stride + k]; });
}

/// C_s merged where coordinates are shared.
template <class S> void merged_coriolis(const BasicData<S>& data, S* C, Index row, Index column) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  for (Index r = 0; r < tree.nv; ++r)
    for (Index c = 0; c < tree.nv; ++c) C[r * row + c * column] = S(0);
  for (Index j = 0; j < tree.spanning_nv; ++j) {
    const Motion<S> s = data.articulated.column[j].s, rate = stored_rate(data, j);
    for (Index k = j; k < tree.column[j].end; ++k) {
      const auto &cj = tree.column[j], &ck = tree.column[k];
      const S *const a = data.momentum.force.data() + k, *const b = data.mass.force.data() + k;
      const Force<S> t{{a[0], a[stride], a[2 * stride]}, {a[3 * stride], a[4 * stride], a[5 * stride]}};
      const Force<S> F{{b[0], b[stride], b[2 * stride]}, {b[3 * stride], b[4 * stride], b[5 * stride]}};
      const Vec3<S> moment{a[6 * stride], a[7 * stride], a[8 * stride]};
      const Uniform<S> both = cj.multiplier * ck.multiplier;
      C[cj.v * row + ck.v * column] += dot(s, t) * both;
      if (j != k) C[ck.v * row + cj.v * column] += (dot(rate, F) + dot(s.w, moment)) * both;
    }
  }
}

/// C by rows of `stride` numbers, or C^T where `transposed`.
template <bool transposed, class S> void coriolis_products(const BasicData<S>& data, S* C, Index stride) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index n = tree.nv;
  for (Index j = 0; j < n; j += L) {
    Motion<S> s[L], rate[L];
    Index end[L], all = n, reach = j;  // columns before `all` are in the subtree of every row, none after `reach`
    for (Index i = 0; i < L; ++i) {
      const Index row = j + i < n ? j + i : n - 1;
      s[i] = data.articulated.column[row].s;
      rate[i] = stored_rate(data, row);
      end[i] = tree.column[row].end;
      all = end[i] < all ? end[i] : all;
      reach = end[i] > reach ? end[i] : reach;
    }
    Tile<S> above, below;
    for (Index k = j; k < n; k += L) {
      if (k < reach) {
        const CoriolisColumns<S> x(data, k);
        for (Index i = 0; i < L; ++i) {
          above[i] = x.above(s[i]);
          below[i] = x.below(s[i], rate[i]);
        }
        if (k + L > all)
          for (Index i = 0; i < L; ++i) {
            above[i] = first_lanes<S>(above[i], end[i] - k, Side<S>(S(0)));
            below[i] = first_lanes<S>(below[i], end[i] - k, Side<S>(S(0)));
          }
      } else {
        for (Index i = 0; i < L; ++i) above[i] = below[i] = Side<S>(S(0));
      }
      if (transposed) std::swap(above, below);
      if (k == j)
        put_diagonal<S>(above, below, C + j * stride + j, stride, n - j);
      else
        put_edge<S>(above, below, C + j * stride + k, C + k * stride + j, stride, n - k);
    }
  }
}

/// `by_columns`: C has columns of `stride` numbers instead of rows.
template <class S>
void coriolis_matrix(BasicData<S>& data, const S* q, const S* v, S* C, Index stride, bool by_columns) {
  const auto& tree = data.tree();
  kinematics(data, q, v);
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  all_column_rates(data, in, tree.mimic ? data.v_spanning.data() : v);
  composite_inertias(data);
  composite_momenta(data);
  for_columns_with_subtrees(
      data, [&](Index, Index k, const auto& s, const auto& ds, const auto& I, const auto& m) ZWANG_LAMBDA {
        const auto F = I * s, t = I * ds + m.half_times(s);
        const auto moment = m.half_transposed_times(s);
        const Index step = data.mass.stride;
        for (Index r = 0; r < 6; ++r) {
          store_side(data.mass.force.data() + r * step + k, F[r]);
          store_side(data.momentum.force.data() + r * step + k, t[r]);
        }
        for (Index r = 0; r < 3; ++r) store_side(data.momentum.force.data() + (6 + r) * step + k, moment[r]);
      });
  if (tree.mimic)
    by_columns ? merged_coriolis(data, C, 1, stride) : merged_coriolis(data, C, stride, 1);
  else
    by_columns ? coriolis_products<true>(data, C, stride) : coriolis_products<false>(data, C, stride);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
