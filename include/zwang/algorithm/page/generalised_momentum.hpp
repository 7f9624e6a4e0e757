// SPDX-License-Identifier: BSD-3-Clause
// The momentum of the coordinates, p = M v, and what it gains because the axes of the joints turn, C^T v.
//
//   inward    h_i = I_i v_i + sum of the h of the bodies that hang on i
//   p_k = S_k^T h + armature v_k,    (C^T v)_k = (dS_k/dt)^T h     h: of the body that column k moves
// since d/dt (S^T h) = (dS/dt)^T h + S^T dh/dt, and S^T dh/dt are the forces on the subtree along the column: of the
// motor, of gravity, of wrenches. So dp/dt = tau - g + C^T v for every joint type, also where v is not the derivative
// of q. De Luca & Mattone 2005 write C^T v by the matrix C, for revolute and prismatic joints.
//
// DIFFERS: without the matrices M and C. World axes about the branch's centre.
// Reads q, v. Writes momentum. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/composite_momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

template <class S> void generalised_momentum(BasicData<S>& data, const S* q, const S* v, S* p, S* coriolis) {
  const auto& tree = data.tree();
  kinematics(data, q, v);
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  const S* const vs = tree.mimic ? data.v_spanning.data() : v;
  all_column_rates(data, in, vs);

  const Index stride = data.mass.stride;
  S* const momenta = data.momentum.composite.data();
  const auto momentum = [=](Index i) ZWANG_LAMBDA {
    const S* const x = momenta + i - 1;
    return Force<S>{{x[0], x[stride], x[2 * stride]}, {x[3 * stride], x[4 * stride], x[5 * stride]}};
  };
  for (Index i = 1; i <= tree.n; ++i) {
    const Force<S> h = data.position.placement[i] * data.inertia[i] * Motion<S>(data.velocity.twist[i]);
    for (Index r = 0; r < 6; ++r) momenta[r * stride + i - 1] = h[r];
  }
  for (Index i = tree.n; i > 0; --i) {
    const Index parent = tree.body[i].parent;
    if (parent == 0) continue;
    for (Index r = 0; r < 6; ++r) momenta[r * stride + parent - 1] += momenta[r * stride + i - 1];
  }

  for (Index c = 0; c < tree.nv; ++c) p[c] = coriolis[c] = S(Uniform<S>(0));
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    const Motion<S> s = data.articulated.column[k].s;
    const Motion<S> rate = motion_from<S>([&](int r) ZWANG_LAMBDA { return data.momentum.rate[r * stride + k]; });
    const Force<S> h = momentum(column.body);
    p[column.v] += (dot(s, h) + vs[k] * (column.armature * data.armature_factor)) * column.multiplier;
    coriolis[column.v] += dot(rate, h) * column.multiplier;
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
