// SPDX-License-Identifier: BSD-3-Clause
// Properties of the rows after a sweep of one state: their residuals, and their share of Z.
#pragma once
#include "zwang/factor/page/hybrid.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace solution {

using Rows = page::RowNumbers<double>::Side;

/// For every row, side by side in groups: K a - beta, the sum of the magnitudes of its terms before gravity and
/// velocity products cancel, and its velocity. For a row that holds a link at rest this sum is the only scale.
inline void residuals(const BasicData<double>& data, const page::RowNumbers<double>& rows, Rows* value, Rows* scale,
                      Rows* speed) {
  using Lanes = page::RowLanes<double>;
  using Part = Lanes::Part;
  for (Index s = 0; s < rows.groups; ++s) {
    const Index i = rows.body_of[s];
    const Motion<double>&a = data.acceleration.joint[i], &bias = data.velocity.bias[i], &twist = data.velocity.twist[i];
    for (Index p = 0; p < Lanes::parts; ++p) {
      Part sum = Lanes::part(rows.l[s], p), size = abs(sum), velocity(0.0);
      for (Index c = 0; c < 6; ++c) {
        const Part K = Lanes::part(rows.K[s][c], p), term = K * a[c];
        sum += term;
        size += abs(term) + abs(K) * (abs(bias[c]) + (c < 3 ? abs(data.gravity[c]) : 0.0));
        velocity += K * twist[c];
      }
      Lanes::part(value[s], p) = sum;
      Lanes::part(scale[s], p) = size;
      Lanes::part(speed[s], p) = velocity;
    }
  }
}

/// 1/2 t^T M^+ t of torques t on the joints, M without rows and with prescribed columns held: the inward half of
/// forward dynamics from rest, sum of 1/2 D u^2. A column that moves no inertia has no part in it: it is held. Reads
/// poses, columns and inertias as the last sweep has left them. For models without shared coordinates.
inline double energy(BasicData<double>& data, const double* t) {
  const Tree<double>& tree = data.tree();
  const auto& held = data.articulated;
  page::WaitingParents waiting{data.lanes.waiting.data(), data.level.data()};
  page::Carried x;
  x.clear();
  double z = 0;
  for (Index i = tree.n, block = tree.n + 1; i > 0; --i) {
    const Body<double>& b = tree.body[i];
    if (i < block) page::enter_inertias(data, block = (i - 1) / page::k_lane_bodies * page::k_lane_bodies + 1);
    x.add_inertia(data.lanes.own[page::own_place(i)]);
    waiting.take(i, x);
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
      if (held.has_given && held.is_given[k]) continue;
      const Eliminated<double>& e = held.column[k];
      const Six s = e.s.six(), U = x.IA * e.s;
      const double D = dot(s, U) + column_inertia(data, k);
      const double bound = x.gross_mass * dot(e.s.v, e.s.v) + x.gross_moment * dot(e.s.w, e.s.w);
      if (!(bound * (32 * epsilon_of<double>) < D)) continue;
      const double f = t[k] - dot(s, x.pA), u = f / D;
      z += 0.5 * f * u;
      subtract_outer(x.IA, U * (1 / D), U);
      x.pA = x.pA + U * u;
    }
    if (b.parent == i - 1) continue;
    if (b.parent > 0) waiting.leave(b.parent, x);
    x.clear();
  }
  return z;
}

}  // namespace solution
}  // namespace ZWANG_ISA
}  // namespace zwang
