// SPDX-License-Identifier: BSD-3-Clause
// The Coriolis matrix, and the mass matrix with it, bodies, columns and rows side by side. What is computed, and whose
// work it is, says coriolis.hpp, which remains the readable form; a test holds both equal.
//
//   subtree_rows   bodies side by side become rows, which are summed inward: I, B
//   here           columns side by side: S, S';  F = I S,  u = I S' + 1/2 B S,  b = the moment of (1/2 B)^T S
//   row_writer     C_jk = S_j . u_k above, F_j . S'_k + b_j . S_k below;  M_jk = S_j . F_k, F_j . S_k
//
// Joints that share coordinates take the readable form.
// Reads q, v. Writes position and velocity stages, derivative.variation, derivative.subtree.
// Cost O(n d), writing O(n^2). Allocates nothing.
#pragma once
#include "algorithm/page/row_writer.hpp"
#include "zwang/algorithm/page/coriolis.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

inline constexpr MatrixForm k_coriolis{k_u, k_sum, k_s + 3, false}, k_mass{k_F, k_s, -1, false};

/// Adds to dS/dt what columns that depend on q add.
template <class S> ZWANG_INLINE void add_own_rates(const BasicData<S>& data, const SweepInput<S>& in, const S* v,
                                                   Index k, Motion<Sides<S>>& rate) {
  const auto& tree = data.tree();
  for (Index l = 0; l < k_sides<S> && k + l < tree.spanning_nv; ++l) {
    const Index i = tree.column[k + l].body;
    const auto& body = tree.body[i];
    visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        Motion<S> own[max_joint_columns];
        J::rates(in.of(body), v + body.v, own);
        const Motion<S> x = data.position.placement[i] * own[k + l - body.v];
        for (Index r = 0; r < 6; ++r)
          if constexpr (k_sides<S> == 1)
            rate[r] += x[r];
          else
            rate[r].set(l, rate[r][l] + x[r]);
      }
    });
  }
}

/// Where kinematics(data, q, v) has been, without shared coordinates. `matrices`: views of those that `form` names.
/// Returns whether all entries are known to be finite.
template <MatrixForm... form, class S, class... View>
bool coriolis_rows(BasicData<S>& data, const S* q, const S* v, const View&... matrices) {
  using V = Sides<S>;
  const SweepInput<S> in{q, data.sin.data(), data.cos.data()};
  subtree_rows<false>(data);
  ColumnSizes<S> size;
  for_column_sides(data.tree(), k_sides<S>, [&]<bool plain>(std::bool_constant<plain>, Index k) ZWANG_LAMBDA {
    const ColumnSide<S> side(data, k);
    const Motion<V> s =
        motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& { return data.articulated.column[side.column[l]].s; });
    Motion<V> rate =
        cross(motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.twist[side.body[l]]; }), s);
    if constexpr (!plain) add_own_rates(data, in, v, k, rate);
    const SubtreeNumbers<V> subtree = side.subtrees();
    side.put(k_s, s, size);
    side.put(k_sum, rate, size);
    side.put(k_F, subtree.I * s, size);
    side.put(k_u, subtree.I * rate + subtree.m.half_times(s), size);
    side.put(k_b, subtree.m.half_transposed_times(s), size.forces);
  });
  write_rows<form...>(data, matrices...);
  return size.are_moderate();
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
