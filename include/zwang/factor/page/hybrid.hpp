// SPDX-License-Identifier: BSD-3-Clause
// Hybrid dynamics: Popov & Vereshchagin's constrained sweep on trees, rows of accelerations on any bodies.
//
//   minimise 1/2 |q'' - q''_free|^2_M  subject to  K a = beta
// forward_dynamics.hpp with the riders of row_riders.hpp. Rows may be hard, soft or eliminated early, columns free or
// prescribed, in any mixture. rows/page/attach.hpp says what the numbers of a row are.
// DIFFERS from Vereshchagin 1989 and from KDL: lambda acts +K^T; beta is the physical acceleration, gravity included.
// Reads q, v, tau, force.external. Writes q'', lambda, the stages of forward dynamics. Cost O(n + m^2 d + m^3).
#pragma once
#include "zwang/factor/page/row_riders.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Attaches [first, last) into `rows` on its way. `root(stage)` solves Lambda lambda = -l and calls scatter_rows. False
/// if a column has no inertia.
template <class S, class Root> bool hybrid_dynamics(BasicData<S>& data, RowNumbers<S>& rows, SweepStage<S>& stage,
                                                    const ActiveRows<S>* first, const ActiveRows<S>* last, Root& root,
                                                    const S* q, const S* v, const S* tau, S* qdd) {
  AttachRows<S> attach{data, first, last};
  RowRiders<S, AttachRows<S>, Root> riders(data.tree(), rows, stage, attach, root);
  return articulated_sweep(data, q, v, tau, qdd, riders);
}

/// |q''|^2_M of the motion before the rows at the root act on it: sum of D u^2 over the free columns, each eliminated
/// once.
template <class S> S free_motion_norm2(const BasicData<S>& data) {
  const auto& tree = data.tree();
  S sum(0);
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const Eliminated<S>& e = data.articulated.column[k];
    if (e.inv_D == S(0) || tree.column[k].deferred) continue;
    sum += e.u * e.u / e.inv_D;
  }
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0) sum += data.shared.done[y].u * data.shared.done[y].u / data.shared.done[y].inv_D;
  return sum;
}

/// w^T lambda of every coordinate: the contribution of the carried rows to each joint's equation (KDL's constraint
/// torque, KDL's sign).
template <class S> void articulated_torque(const BasicData<S>& data, const SweepStage<S>& stage, S* out) {
  const auto& tree = data.tree();
  const auto deferred = [&](Index k) {
    return tree.column[k].deferred && !(data.articulated.has_given && data.articulated.is_given[k]);
  };
  for (Index k = 0; k < tree.nv; ++k) out[k] = S(0);
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (!deferred(k)) out[tree.column[k].v] += stage.pushed[k] * tree.column[k].multiplier;
  for (Index y = 0; y < tree.shared_count; ++y)
    if (data.shared.order[y] >= 0) out[tree.shared[y].v] += stage.pushed_shared[y];
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
