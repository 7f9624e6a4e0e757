// SPDX-License-Identifier: BSD-3-Clause
// What subtrees are to their columns, a row of numbers each: inertia I, momentum f and N (spatial/momentum.hpp), and
// the wrench that the joint transmits. Singh, Russell & Wensing 2022 (inverse_dynamics_derivatives.hpp).
//
//   body alone   I;  f, N of I v;  I a + v x* I v - external        subtree   sum of the rows of its bodies
// The Coriolis matrix (coriolis.hpp) needs the first two alone.
//
// DIFFERS: 28 numbers, since nothing reads the moment of the momentum. Bodies are computed side by side and turned into
// rows, so that a sum over a subtree takes seven additions of registers for each body.
// World axes about the branch's centre; a has -g in it. Reads position, velocity and acceleration stages,
// force.external. Writes derivative.subtree. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/mass_matrix.hpp"
#include "zwang/spatial/momentum.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Bodies, columns and numbers of rows side by side: four of double, one of other scalars.
template <class S> inline constexpr int k_sides = bodies_in_lanes<S> ? k_lane_bodies : 1;
template <class S> using Sides = SideOf<S, k_sides<S>>;
template <class S> ZWANG_INLINE Sides<S> load_sides(const S* x) {
  if constexpr (k_sides<S> == 1)
    return *x;
  else
    return Sides<S>::load(x);
}
template <class S> ZWANG_INLINE void store_sides(S* to, const Sides<S>& x) {
  if constexpr (k_sides<S> == 1)
    *to = x;
  else
    x.store(to);
}
/// Motions, or their sums, side by side: lane l is motion(l) + ...
template <class S, class... At> ZWANG_INLINE Motion<Sides<S>> motions_in_lanes(At&&... motion) {
  Sides<S> x[6];
  rows_to_lanes<6, S, k_sides<S>>(
      [&](Index l, int r) ZWANG_LAMBDA { return (load_sides(reinterpret_cast<const S*>(&motion(l)) + r) + ...); }, x);
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
/// Accelerations of the bodies body(l) side by side.
template <class S, class At> ZWANG_INLINE Motion<Sides<S>> accelerations_in_lanes(const BasicData<S>& data, At&& body) {
  return motions_in_lanes<S>(
      [&](Index l) ZWANG_LAMBDA -> auto& { return data.acceleration.joint[body(l)]; },
      [&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.bias[body(l)]; });
}

/// Row of the subtree of body 0; the others follow, those of whole Sides.
template <class S> ZWANG_INLINE S* subtree_rows_of(BasicData<S>& data) {
  static_assert(sizeof(SubtreeTerms<S>) >= k_subtree_numbers * sizeof(S));
  return reinterpret_cast<S*>(data.derivative.subtree.data());
}

/// How many numbers of a row there are, in whole Sides; without wrenches the last six are not.
template <bool wrenches> inline constexpr Index k_row_numbers = wrenches ? k_subtree_numbers : k_subtree_numbers - 4;

/// Rows of the bodies i, i + 1, ..., as many as there are Sides, alone and without external wrenches.
template <bool wrenches, class S> ZWANG_INLINE void rows_of_bodies(const BasicData<S>& data, Index i, S* rows) {
  constexpr Index L = k_sides<S>;
  using V = Sides<S>;
  const Index n = data.tree().n;
  const auto body = [=](Index l) ZWANG_LAMBDA { return i + l < n ? i + l : n; };
  const Motion<V> v = motions_in_lanes<S>([&](Index l) ZWANG_LAMBDA -> auto& { return data.velocity.twist[body(l)]; });
  Inertia<V> I;
  if constexpr (L == 1)
    I = data.position.placement[i] * data.inertia[i];
  else
    I = inertias_in_world(data, i);
  const Momentum<V> m = momentum_of(I, v);
  Force<V> f = Force<V>::zero();
  if constexpr (wrenches) f = I * accelerations_in_lanes(data, body) + cross(v, m.h);
  V x[k_subtree_numbers];
  inertia_to(I, [&](Index r, const V& y) ZWANG_LAMBDA { x[r] = y; });
  for (Index r = 0; r < 3; ++r) {
    x[10 + r] = m.h.f[r];
    for (Index c = 0; c < 3; ++c) x[13 + 3 * r + c] = m.N(r, c);
    x[22 + r] = f.f[r];
    x[25 + r] = f.n[r];
  }
  lanes_to_rows<k_row_numbers<wrenches>, S, L>(
      x, [=](Index l) ZWANG_LAMBDA { return rows + k_subtree_numbers * (i + l); });
}

/// Where kinematics(data, q, v, a) has been; without `wrenches` kinematics(data, q, v).
template <bool wrenches, class S> void subtree_rows(BasicData<S>& data) {
  constexpr Index L = k_sides<S>;
  const auto& tree = data.tree();
  S* const rows = subtree_rows_of(data);
  for (Index i = 1; i <= tree.n; i += L) rows_of_bodies<wrenches>(data, i, rows);
  for (Index i = 1; wrenches && data.force.has_external && i <= tree.n; ++i) {
    const Force<S> f = data.position.placement[i] * data.force.external[i];
    for (Index r = 0; r < 6; ++r) rows[k_subtree_numbers * i + 22 + r] -= f[r];
  }
  for (Index i = tree.n; i > 0; --i) {
    const Index parent = tree.body[i].parent;
    if (parent == 0) continue;
    const S* const x = rows + k_subtree_numbers * i;
    S* const sum = rows + k_subtree_numbers * parent;
#pragma GCC unroll 32
    for (Index r = 0; r < k_row_numbers<wrenches>; r += L)
      store_sides<S>(sum + r, load_sides(sum + r) + load_sides(x + r));
  }
}

/// I, momentum without its moment, and the wrench, from a row: number r is at(r).
template <class A> struct SubtreeNumbers {
  Inertia<A> I;
  Momentum<A> m;
  Force<A> f;
  template <class At> ZWANG_INLINE explicit SubtreeNumbers(At&& at)
      : I(inertia_from<A>(at)),
        m{{{at(10), at(11), at(12)}, Vec3<A>::zero()},
          {{at(13), at(14), at(15)}, {at(16), at(17), at(18)}, {at(19), at(20), at(21)}}},
        f{{at(22), at(23), at(24)}, {at(25), at(26), at(27)}} {}
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
