// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of the wrench F that a joint transmits to its link, seen in a frame X of the body behind it: the
// rows of inverse_dynamics_derivatives.hpp before they are projected on the columns of the joint.
//
//   F = sum over the subtree of (I a + v x* I v - f_outside)
//   w = X^-1 F,   dw = X^-1 (dF - xi x* F), xi the variation of X
//   columns k that move the body (I, B, W of its subtree):
//     dw/dq_k = X^-1 (B psi'_k + I psi''_k + W S_k)   dw/dv_k = X^-1 (B S_k + I (psi'_k + S'_k))   dw/da_k = X^-1 I S_k
//   columns k behind it (I, B, W, f of the subtree of k):
//     dw/dq_k = X^-1 (B psi'_k + I psi''_k + W S_k + S_k x* f)   the others are the same
//   others: 0. With shared coordinates the columns of one coordinate are added.
// psi', psi'', S': variations.hpp. After Singh, Russell & Wensing 2022. World axes about the branch's centre.
// Reads what inverse_dynamics_derivatives() reads. Writes derivative. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/inverse_dynamics_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// 6 x nv each.
template <class S> struct WrenchDerivatives { MatrixView<S> q, v, a; };

/// Where vary_columns(data, ...) has been. `in_body`: the frame in which the wrench is seen.
template <class S, class T> void joint_wrench_derivatives(BasicData<S>& data, Index body, const Transform<T>& in_body,
                                                          const WrenchDerivatives<S>& out) {
  const auto& tree = data.tree();
  subtree_terms(data);
  const Transform<S> X = frame_about_centre(data, body, in_body);
  for (const MatrixView<S>& matrix : {out.q, out.v, out.a}) clear(matrix);
  const auto add = [&](Index k, const SubtreeTerms<S>& x, const Turning<S>& W, bool behind) ZWANG_LAMBDA {
    const Uniform<S> two(2);
    const ColumnVariation<S>& c = data.derivative.variation[k];
    Force<S> by_q = x.m.half_times(c.first) * two + x.I * c.second + W * c.s;
    if (behind) by_q += cross(c.s, x.f);
    const auto put = [&](const MatrixView<S>& to, const Force<S>& from) ZWANG_LAMBDA {
      const Force<S> seen = inverse_times(X, from);
      const auto& column = tree.column[k];
      for (Index r = 0; r < 6; ++r) to(r, column.v) += seen[static_cast<int>(r)] * column.multiplier;
    };
    put(out.q, by_q);
    put(out.v, x.m.half_times(c.s) * two + x.I * c.sum);
    put(out.a, x.I * c.s);
  };
  const Turning<S> own = turning_of_subtree(data, body);
  for_each_column_towards_root(tree, body,
                               [&](Index k, Index) ZWANG_LAMBDA { add(k, data.derivative.subtree[body], own, false); });
  for (Index i = body + 1; i < tree.body[body].last; ++i) {
    const Turning<S> W = turning_of_subtree(data, i);
    for (Index k = tree.body[i].v; k < tree.body[i].v + tree.body[i].nv; ++k)
      add(k, data.derivative.subtree[i], W, true);
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
