// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of inverse dynamics by the placements of joints: X <- X exp(xi), X the joint frame in its parent
// link, as if a locked joint with six coordinates stood before the joint.
//
//   its columns S: those of X in the world;   psi' = v_p x S,   psi'' = a_p x S + v_p x psi'   (v_p, a_p of the parent)
//   rows t of the joint and behind it (I, B, W of the subtree of t):    S_t^T (B psi' + I psi'' + W S)
//   rows before it (I, B, W, f of the subtree of the joint's body):     S_t^T (B psi' + I psi'' + W S + S x* f)
// The formulas of inverse_dynamics_derivatives.hpp for columns that never move. World axes about the
// branch's centre; a has -g in it. Reads q, v, a, force.external, derivative.outside. Writes derivative.
// Cost O(n d) for all joints. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Where subtree_terms(data) has been. nv x 6, of the joint whose first body is `i`; `X`:
/// its placement in the world, about the branch's centre.
template <class S>
void placement_derivatives(const BasicData<S>& data, Index i, const Transform<S>& X, const MatrixView<S>& out) {
  const auto& tree = data.tree();
  const Index before = tree.body[i].parent;
  const Motion<S> v = data.velocity.twist[before], a = data.acceleration.joint[before] + data.velocity.bias[before];
  const Uniform<S> two(2);
  Motion<S> s[6], first[6], second[6];
  for (int c = 0; c < 6; ++c) {
    Motion<S> e = Motion<S>::zero();
    e[c] = S(Uniform<S>(1));
    s[c] = X * e;
    first[c] = cross(v, s[c]);
    second[c] = cross(a, s[c]) + cross(v, first[c]);
  }
  clear(out);
  const auto add = [&](Index k, int c, const Force<S>& y) ZWANG_LAMBDA {
    const auto& column = tree.column[k];
    out(column.v, c) += dot(Motion<S>(data.articulated.column[k].s), y) * column.multiplier;
  };
  for (Index b = i; b < tree.body[i].last; ++b) {
    const SubtreeTerms<S>& x = data.derivative.subtree[b];
    const Turning<S> W = turning_of_subtree(data, b);
    for (int c = 0; c < 6; ++c) {
      const Force<S> y = x.m.half_times(first[c]) * two + x.I * second[c] + W * s[c];
      for (Index k = tree.body[b].v; k < tree.body[b].v + tree.body[b].nv; ++k) add(k, c, y);
      if (b != i) continue;
      const Force<S> above = y + cross(s[c], x.f);
      for_each_column_towards_root(tree, before, [&](Index k, Index) ZWANG_LAMBDA { add(k, c, above); });
    }
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
