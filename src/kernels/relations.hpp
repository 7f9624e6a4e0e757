// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies in lanes: K, residual and stabilisation of every relation of a call, at the current positions of
// the bodies. The rows are the pages of relations, with packs as scalars.
#pragma once
#include "constraint/page/stabilise.hpp"
#include "kernels/row_plan.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace batch {

/// phi'' = sum K a + gamma = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2 as rows K a + l = 0.
template <class S> ZWANG_INLINE void attach_relation(const BasicData<S>& data, CarriedRows<S>& rows, Index number) {
  using T = Uniform<S>;
  const LaneRelation<S>& x = rows.relation[number];
  const RelationTask& t = *x.task;
  Force<S>* const K = &rows.relation_K[x.K];
  const S zero(T(0)), one(T(1));
  evaluate(*static_cast<const RelationPage*>(t.page), data, rows.q, rows.v, {t.count, t.bodies, t.body_count},
           {rows.phi.data(), rows.gamma.data(), K, nullptr});
  if (x.activity != nullptr) {
    const auto on = less(zero, *x.activity);
    for (Index k = 0; k < t.count * t.body_count; ++k) K[k] = select(on, K[k], zero);
    for (Index r = 0; r < t.count; ++r) rows.gamma[r] = select(on, rows.gamma[r], zero);
    for (Index r = 0; r < t.count; ++r) rows.phi[r] = select(on, rows.phi[r], zero);
  }
  const T inverse_time(static_cast<T>(t.inverse_time)), damping(static_cast<T>(t.damping_ratio));
  for (Index r = 0; r < t.count; ++r) {
    AttachedRow<S>& row = rows.row[x.first + r];
    row.lambda = zero;
    row.l = rows.gamma[r] - x.beta[r];
    row.phi = rows.phi[r];
    S rate(T(0));
    for (Index b = 0; b < t.body_count; ++b) {
      if (t.bodies[b] == 0) continue;  // the ground does not move
      const Force<S>& k = K[b * t.count + r];
      row.l += dot(data.velocity.bias[t.bodies[b]], k) + dot(k.f, data.gravity);
      rate += dot(data.velocity.twist[t.bodies[b]], k);
    }
    if (t.inverse_time > 0) {
      if (t.target_velocity != nullptr) rate -= S(static_cast<T>(t.target_velocity[r]));
      S error = rows.phi[r];
      if (t.target != nullptr) error -= S(static_cast<T>(t.target[r]));
      row.l += page::stabilisation(error, rate, inverse_time, damping);
    }
    if (x.activity != nullptr) row.l *= *x.activity;
  }
}

/// The wrench of a triple's row on the body at the end of a segment.
template <class S>
ZWANG_INLINE const Force<S>& wrench_at_tip(const CarriedRows<S>& rows, const Triple<S>& t, const Segment& g, Index r) {
  const LaneRelation<S>& x = rows.relation[t.relation];
  return rows.relation_K[x.K + g.part * x.task->count + t.row[r] - x.first];
}
template <class S> ZWANG_INLINE Index body_at_tip(const CarriedRows<S>& rows, const Triple<S>& t, const Segment& g) {
  return rows.relation[t.relation].task->bodies[g.part];
}

}  // namespace batch
}  // namespace ZWANG_ISA
}  // namespace zwang
