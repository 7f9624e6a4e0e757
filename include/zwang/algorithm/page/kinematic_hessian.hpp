// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a frame's Jacobian along each coordinate: Carpentier & Mansard 2018, section II.
//
//   dS_k/dq_j = S_j x S_k (j on the path of k's body) + X (dS_k/dq_j in body axes) (j of the same joint);
//   dJ/dt = sum_j (dJ/dq_j) v_j, so that column j is dJ/dt of a robot where coordinate j alone moves at unit speed
//
// Increments of q are on the right, q (+) dq, in the axes of v. Reads position and columns. Writes
// H[r, k, j] = dJ_rk/dq_j. Cost O(d^2), writing O(n^2). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/jacobian.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// d S_k/dq_j of column k of body i by column j on its path, world axes about the centre.
template <class S>
ZWANG_INLINE Motion<S> column_by_column(const BasicData<S>& data, const SweepInput<S>& in, Index i, Index k, Index j) {
  const auto& tree = data.tree();
  const auto& b = tree.body[i];
  Motion<S> d = cross(Motion<S>(data.articulated.column[j].s), Motion<S>(data.articulated.column[k].s));
  if (tree.column[j].body != i) return d;
  visit(b.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (!J::constant_columns) {
      S unit[max_joint_columns];
      Motion<S> rate[max_joint_columns];
      for (Index l = 0; l < b.nv; ++l) unit[l] = S(Uniform<S>(l == j - b.v ? 1 : 0));
      J::rates(in.of(b), unit, rate);
      d += data.position.placement[i] * rate[k - b.v];
    }
  });
  return d;
}

/// H has 6 nv nv numbers: r-th row of J, column k, by coordinate j at H[(r nv + k) nv + j].
template <class S, class T> void kinematic_hessian(const BasicData<S>& data, const SweepInput<S>& in, Index body,
                                                   const Transform<T>& in_body, Reference reference, S* H) {
  const auto& tree = data.tree();
  const Index nv = tree.nv;
  for (Index x = 0; x < 6 * nv * nv; ++x) H[x] = S(0);
  if (body == 0) return;
  const PointOfView<S> view = point_of_view(data, body, in_body, reference);
  for_each_column_towards_root(tree, body, [&](Index k, Index i) ZWANG_LAMBDA {
    const Motion<S> s = data.articulated.column[k].s;
    for_each_column_towards_root(tree, body, [&](Index j, Index) ZWANG_LAMBDA {
      const Motion<S> by = data.articulated.column[j].s;  // the twist of the frame
      const bool carries = tree.column[j].body <= i;
      Motion<S> d = carries ? column_by_column(data, in, i, k, j) : Motion<S>::zero();
      if (reference == Reference::local) d -= cross(by, s);
      if (reference == Reference::local_world_aligned) d.v += cross(s.w, by.v + cross(by.w, view.point));
      const Motion<S> seen = view.see(d);
      const auto &ck = tree.column[k], &cj = tree.column[j];
      for (Index r = 0; r < 6; ++r) H[(r * nv + ck.v) * nv + cj.v] += seen[r] * (ck.multiplier * cj.multiplier);
    });
  });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
