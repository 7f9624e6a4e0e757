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
// World axes about the branch's centre; a has -g in it. Reads velocity and acceleration stages, columns.
// Writes derivative.variation: S, psi', psi'', psi' + dS/dt. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/jacobian.hpp"
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

/// Of every column, into derivative.variation. `v`, `a` are the spanning tree's.
template <class S> void variations(BasicData<S>& data, const SweepInput<S>& in, const S* v, const S* a) {
  const auto& tree = data.tree();
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    const Motion<S> v_i = data.velocity.twist[i], v_p = data.velocity.twist[body.parent];
    const Motion<S> a_p = data.acceleration.joint[body.parent] + data.velocity.bias[body.parent];
    ColumnVariation<S>* const x = data.derivative.variation.data() + body.v;
    for (Index k = 0; k < body.nv; ++k) {
      x[k].s = data.articulated.column[body.v + k].s;
      x[k].first = cross(v_p, x[k].s);
      x[k].second = cross(a_p, x[k].s) + cross(v_p, x[k].first);
      x[k].sum = x[k].first + cross(v_i, x[k].s);
    }
    visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
      using J = decltype(joint);
      if constexpr (!J::constant_columns) {
        Motion<S> rate[max_joint_columns];
        JointVariations<S> psi;
        J::rates(in.of(body), v + body.v, rate);
        joint_variations<J>(data, i, in.of(body), v, a, psi);
        for (Index k = 0; k < body.nv; ++k) {
          x[k].first = psi.first[k];
          x[k].second = psi.second[k];
          x[k].sum = psi.first[k] + cross(v_i, x[k].s) + data.position.placement[i] * rate[k];
        }
      }
    });
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
