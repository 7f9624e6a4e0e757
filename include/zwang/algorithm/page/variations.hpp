// SPDX-License-Identifier: BSD-3-Clause
// How the motion of everything behind a joint varies with its coordinates: the triples of the columns. Singh, Russell &
// Wensing 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", extended to
// columns that depend on q.
//
//   a variation of a body is (xi, nu, alpha):   dX = xi X,   dv = xi x v + nu,   da = xi x a + alpha - v x nu
//   of q_b (q (+) e d):  (S_b, psi'_b, psi''_b)     of v_b:  (0, S_b, psi'_b + dS_b/dt)     of a_b:  (0, 0, S_b)
//   constant columns:    psi'_b = v_p x S_b              psi''_b = a_p x S_b + v_p x psi'_b
//   others:              psi'_b = v_p x S_b + s_b        s_b = sum_a sigma_ab v_a,   sigma_ab = L_b S_a
//                        psi''_b = a_p x S_b + v_p x psi'_b + v_j x s_b + sum_a (sigma_ab a_a + (L_b S'_a) v_a)
// L_b: derivative along increment b of the joint's own group, in body axes, seen in the world; S' = sum_b sigma_ab v_b.
//
// DIFFERS: the source has constant columns alone. sigma and L_b S' are what `rates` of a joint says, of dual numbers.
// World axes about the branch's centre; a has -g in it. Reads velocity and acceleration stages, columns, momentum.rate (dS/dt).
// Writes derivative.psi. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/composite_momentum.hpp"
#include "zwang/core/dual.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// sigma_ab of a joint whose columns depend on q, in body axes: rates(q, e_b), b after b.
template <class J, class S>
ZWANG_INLINE void column_derivatives(const JointInput<S>& in, Index nv,
                                     Motion<S> (&sigma)[max_joint_columns][max_joint_columns]) {
  S e[max_joint_columns];
  for (Index b = 0; b < nv; ++b) {
    for (Index a = 0; a < nv; ++a) e[a] = S(Uniform<S>(a == b ? 1 : 0));
    J::rates(in, e, sigma[b]);
  }
}

/// The rates at q (+) e e_b, v fixed: their dual parts are L_b S'.
template <class J, class S> ZWANG_INLINE void rates_along(const Body<Uniform<S>>& body, const JointInput<S>& in,
                                                          const S* v, Index b, Motion<S>* out) {
  using D = Dual<S>;
  const S zero(Uniform<S>(0)), one(Uniform<S>(1));
  D q[7], d[max_joint_columns], moved[7], speed[max_joint_columns], sin[max_joint_columns], cos[max_joint_columns];
  for (Index i = 0; i < body.nq; ++i) q[i] = D(in.q[i], zero);
  for (Index i = 0; i < body.nv; ++i) {
    d[i] = D(zero, i == b ? one : zero);
    speed[i] = D(v[i], zero);
  }
  if constexpr (std::is_same_v<J, User>)
    UserCalls<D>(*body.user).integrate(q, d, moved);
  else
    J::integrate(q, d, moved);
  for (Index i = 0, slot = 0; i < body.nq; ++i)
    if (J::angles >> i & 1) {
      sin[slot] = D(in.sin[slot], in.cos[slot] * moved[i].d);
      cos[slot] = D(in.cos[slot], -in.sin[slot] * moved[i].d);
      ++slot;
    }
  Motion<D> r[max_joint_columns];
  J::rates(JointInput<D>{moved, sin, cos, in.parameters, in.user}, speed, r);
  for (Index a = 0; a < body.nv; ++a)
    for (Index k = 0; k < 6; ++k) out[a][k] = r[a][k].d;
}

/// psi', psi'' of the columns of a joint.
template <class S> struct JointVariations { Motion<S> first[max_joint_columns], second[max_joint_columns]; };

/// Of a joint whose columns depend on q. v_p, a_p: of the body before it; v_j: of its own.
template <class J, class S> void joint_variations(const BasicData<S>& data, Index i, const JointInput<S>& in,
                                                  const S* v, const S* a, JointVariations<S>& psi) {
  const auto& body = data.tree().body[i];
  const Transform<S>& X = data.position.placement[i];
  const Motion<S> v_p = data.velocity.twist[body.parent], v_j = data.velocity.twist[i];
  const Motion<S> a_p = data.acceleration.joint[body.parent] + data.velocity.bias[body.parent];
  Motion<S> sigma[max_joint_columns][max_joint_columns], along[max_joint_columns];
  column_derivatives<J>(in, body.nv, sigma);
  for (Index b = 0; b < body.nv; ++b) {
    rates_along<J>(body, in, v + body.v, b, along);
    Motion<S> turned = Motion<S>::zero(), rest = Motion<S>::zero();
    for (Index k = 0; k < body.nv; ++k) {
      turned += sigma[b][k] * v[body.v + k];
      rest += sigma[b][k] * a[body.v + k] + along[k] * v[body.v + k];
    }
    turned = X * turned;
    const Motion<S> s = data.articulated.column[body.v + b].s;
    psi.first[b] = cross(v_p, s) + turned;
    psi.second[b] = cross(a_p, s) + cross(v_p, psi.first[b]) + cross(v_j, turned) + X * rest;
  }
}

/// Of every column, into derivative.psi: all as if they were constant, side by side; then the joints of which they are
/// not. `v`, `a` are the spanning tree's.
template <class S> void variations(BasicData<S>& data, const SweepInput<S>& in, const S* v, const S* a) {
  constexpr Index L = side_lanes<S>;
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  S* const psi = data.derivative.psi.data();
  for (Index k = 0, count = 0; k < tree.spanning_nv; k += count) {
    const Index i = tree.column[k].body;
    const bool single = tree.body[i].nv == 1;
    count = columns_alike(tree, k, L);
    const auto parent = [&](int l)
                            ZWANG_LAMBDA { return tree.body[i + (single ? (l < count ? l : count - 1) : 0)].parent; };
    const auto of_parent = [&](const auto& buffer) ZWANG_LAMBDA {
      return motions_of<S, L>([&](int l) ZWANG_LAMBDA -> auto& { return buffer[parent(l)]; });
    };
    const Eliminated<S>* const e = data.articulated.column.data() + k;
    const auto s = motions_of<S, L>([=](int l) ZWANG_LAMBDA -> auto& { return e[l < count ? l : count - 1].s; });
    const Motion<Side<S>> v_p = of_parent(data.velocity.twist);
    const Motion<Side<S>> a_p = of_parent(data.acceleration.joint) + of_parent(data.velocity.bias);
    const Motion<Side<S>> first = cross(v_p, s), second = cross(a_p, s) + cross(v_p, first);
    for (Index r = 0; r < 6; ++r) {
      store_side(psi + r * stride + k, first[r]);
      store_side(psi + (6 + r) * stride + k, second[r]);
    }
  }
  JointVariations<S> own;
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        joint_variations<J>(data, i, in.of(body), v, a, own);
        for (Index b = 0; b < body.nv; ++b)
          for (Index r = 0; r < 6; ++r) {
            psi[r * stride + body.v + b] = own.first[b][r];
            psi[(6 + r) * stride + body.v + b] = own.second[b][r];
          }
      }
    });
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
