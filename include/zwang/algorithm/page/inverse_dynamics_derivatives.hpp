// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of inverse dynamics: Singh, Russell & Wensing 2022, "Efficient analytical derivatives of rigid-body
// dynamics using spatial vector algebra", extended to columns that depend on q and to wrenches in any axes.
//
//   column i of the subtree of column j (I, B, f, W of the subtree of i; B s = v x* I s - I (v x s) + s x* I v, summed)
//   d tau_i / d q_j = S_i^T (B psi'_j + I psi''_j + W S_j)
//   d tau_j / d q_i = S_j^T (B psi'_i + I psi''_i + W S_i + S_i x* f)
//   d tau_i / d v_j = S_i^T (B S_j + I (psi'_j + S'_j))
//   d tau_j / d v_i = S_j^T (B S_i + I (psi'_i + S'_i))
//   M_ij = S_i^T I S_j
//   Columns of one joint use the forms of d tau_i, and d tau_a / d q_b += sigma_ab . f.
//   With shared coordinates G^T (.) G; damping, stiffness and rotors on the diagonals.
// q varies by q (+) d. f: what the joint transmits. Of the body's own motion B has the
// right half alone (composite_momentum.hpp).
//
// DIFFERS: world axes about the branch's centre; sigma; W.
// Reads q, v, a, force.external, derivative.outside (turning.hpp). Writes derivative. Cost O(n d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/algorithm/page/variations.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Derivatives by q, v and a, nv x nv each; those without data are left out.
template <class S> struct TorqueDerivatives { MatrixView<S> q, v, a; };

/// What body i alone is.
template <class S> ZWANG_INLINE SubtreeTerms<S> body_terms(const BasicData<S>& data, Index i) {
  const Transform<S>& X = data.position.placement[i];
  const Motion<S> v = data.velocity.twist[i], a = data.acceleration.joint[i] + data.velocity.bias[i];
  const Inertia<S> I = X * data.inertia[i];
  const Momentum<S> m = momentum_of(I, v);
  Force<S> f = I * a + cross(v, m.h);
  if (data.force.has_external) f -= X * data.force.external[i];
  return {I, m, f};
}

/// I, B, f of the subtree of every body into derivative.subtree, and its W. Where kinematics(data, q, v, a) has been.
template <class S> void subtree_terms(BasicData<S>& data) {
  const auto& tree = data.tree();
  for (Index i = 1; i <= tree.n; ++i) data.derivative.subtree[i] = body_terms(data, i);
  for (Index i = tree.n; i > 0; --i)
    if (const Index parent = tree.body[i].parent; parent > 0)
      data.derivative.subtree[parent] += data.derivative.subtree[i];
  if (data.force.has_external) turning_of_subtrees(data);
}
/// W of a subtree; zero where no wrenches are set.
template <class S> ZWANG_INLINE Turning<S> turning_of_subtree(const BasicData<S>& data, Index body) {
  return data.force.has_external ? turning_of(data, body)
                                 : Turning<S>{Vec3<S>::zero(), Vec3<S>::zero(), Mat3<S>::zero()};
}

/// Adds x at the coordinates that drive columns r and c.
template <class S, class T>
ZWANG_INLINE void add_entry(const MatrixView<S>& out, const Tree<T>& tree, Index r, Index c, const S& x) {
  const auto &row = tree.column[r], &column = tree.column[c];
  if (out.data != nullptr) out(row.v, column.v) += x * (row.multiplier * column.multiplier);
}

/// sigma_ab . f of the columns of one joint.
template <class S> void add_turned_columns(const BasicData<S>& data, const SweepInput<S>& in, Index i,
                                           const Force<S>& f, const MatrixView<S>& out) {
  const auto& tree = data.tree();
  const auto& body = tree.body[i];
  visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (!J::constant_columns) {
      Motion<S> sigma[max_joint_columns][max_joint_columns];
      column_derivatives<J>(in.of(body), body.nv, sigma);
      for (Index b = 0; b < body.nv; ++b)
        for (Index a = 0; a < body.nv; ++a)
          add_entry(out, tree, body.v + a, body.v + b, dot(data.position.placement[i] * sigma[b][a], f));
    }
  });
}

/// What column k is to the columns before it and of its own joint.
template <class S> struct ColumnForces {
  Force<S> by_q, by_v, F, W;  ///< t = B psi' + I psi'' + W S + S x* f;  u = B S + I (psi' + S');  I S;  W^T S
  Force<S> own;               ///< t without S x* f, for columns of the same joint
  Vec3<S> B;                  ///< the moment of B^T S; its force is zero
  template <bool turning> ZWANG_INLINE ColumnForces(std::bool_constant<turning>, const ColumnVariation<S>& c,
                                                    const SubtreeTerms<S>& x, const Turning<S>& turned) {
    const Uniform<S> two(2);
    F = x.I * c.s;
    own = x.m.half_times(c.first) * two + x.I * c.second;
    if constexpr (turning) own += turned * c.s;
    by_q = own + cross(c.s, x.f);
    by_v = x.m.half_times(c.s) * two + x.I * c.sum;
    B = x.m.half_transposed_times(c.s) * two;
    W = turning ? turned.transposed_times(c.s) : Force<S>::zero();
  }
};

/// Rows and columns of k with itself, its joint and all columns towards the root.
/// Without shared coordinates every entry is written once.
template <bool turning, class S> ZWANG_INLINE void put_column(const BasicData<S>& data, Index k,
                                                              const ColumnForces<S>& x,
                                                              const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const auto& body = tree.body[tree.column[k].body];
  const ColumnVariation<S>* const c = data.derivative.variation.data();
  for (Index j = body.v; j < body.v + body.nv; ++j) {
    out.q(j, k) = dot(c[j].s, x.own);
    if (out.v.data != nullptr) out.v(j, k) = dot(c[j].s, x.by_v);
    if (out.a.data != nullptr) out.a(j, k) = dot(c[j].s, x.F);
  }
  for (Index j = tree.column[body.v].parent; j >= 0; j = tree.column[j].parent) {
    const ColumnVariation<S>& y = c[j];
    out.q(j, k) = dot(y.s, x.by_q);
    S below = dot(y.first.w, x.B) + dot(y.second, x.F);
    if constexpr (turning) below += dot(y.s, x.W);
    out.q(k, j) = below;
    if (out.v.data != nullptr) {
      out.v(j, k) = dot(y.s, x.by_v);
      out.v(k, j) = dot(y.s.w, x.B) + dot(y.sum, x.F);
    }
    if (out.a.data != nullptr) out.a(j, k) = out.a(k, j) = dot(y.s, x.F);
  }
}
/// The same with shared coordinates, which add up.
template <class S>
void add_column(const BasicData<S>& data, Index k, const ColumnForces<S>& x, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const auto& body = tree.body[tree.column[k].body];
  const ColumnVariation<S>* const c = data.derivative.variation.data();
  for (Index j = body.v; j < body.v + body.nv; ++j) {
    add_entry(out.q, tree, j, k, dot(c[j].s, x.own));
    add_entry(out.v, tree, j, k, dot(c[j].s, x.by_v));
    add_entry(out.a, tree, j, k, dot(c[j].s, x.F));
  }
  for (Index j = tree.column[body.v].parent; j >= 0; j = tree.column[j].parent) {
    const ColumnVariation<S>& y = c[j];
    add_entry(out.q, tree, j, k, dot(y.s, x.by_q));
    add_entry(out.v, tree, j, k, dot(y.s, x.by_v));
    add_entry(out.q, tree, k, j, dot(y.first.w, x.B) + dot(y.second, x.F) + dot(y.s, x.W));
    add_entry(out.v, tree, k, j, dot(y.s.w, x.B) + dot(y.sum, x.F));
    const S mass = dot(y.s, x.F);
    add_entry(out.a, tree, j, k, mass);
    add_entry(out.a, tree, k, j, mass);
  }
}

/// Dampers and springs that count; q: of the spanning tree.
template <class S> void add_passive_diagonals(const BasicData<S>& data, const S* q, const PassiveEffects& effects,
                                              const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  for (Index k = 0; tree.passive != nullptr && k < tree.spanning_nv; ++k) {
    const auto& p = tree.passive[k];
    if (effects.damping) add_entry(out.v, tree, k, k, S(p.damping));
    if (effects.springs && p.q >= 0) add_entry(out.q, tree, k, k, S(p.stiffness));
  }
  for_ball_spring_derivatives(tree, q, effects,
                              [&](Index r, Index c, const S& x) ZWANG_LAMBDA { add_entry(out.q, tree, r, c, x); });
}

template <bool turning, class S> void body_columns(const BasicData<S>& data, Index i, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const auto& body = tree.body[i];
  const SubtreeTerms<S>& x = data.derivative.subtree[i];
  Turning<S> W;
  if constexpr (turning) W = turning_of(data, i);
  for (Index k = body.v; k < body.v + body.nv; ++k) {
    const ColumnForces<S> forces(std::bool_constant<turning>(), data.derivative.variation[k], x, W);
    if (tree.mimic)
      add_column(data, k, forces, out);
    else
      put_column<turning>(data, k, forces, out);
  }
}

/// Where kinematics(data, q, v, a) has been. Entries of coordinates that are not on one path are zero:
/// `out` has zeros there.
template <class S> void inverse_dynamics_derivatives(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                     const PassiveEffects& effects, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  variations(data, in, tree.mimic ? data.v_spanning.data() : v, tree.mimic ? data.a_spanning.data() : a);
  subtree_terms(data);
  if (tree.mimic)
    for (const MatrixView<S>& matrix : {out.q, out.v, out.a})
      if (matrix.data != nullptr) clear(matrix);
  for (Index i = 1; i <= tree.n; ++i) {
    if (data.force.has_external)
      body_columns<true>(data, i, out);
    else
      body_columns<false>(data, i, out);
    add_turned_columns(data, in, i, data.derivative.subtree[i].f, out.q);
  }
  for (Index k = 0; out.a.data != nullptr && k < tree.spanning_nv; ++k)
    add_entry(out.a, tree, k, k, S(tree.column[k].armature * data.armature_factor));
  add_passive_diagonals(data, in.q, effects, out);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
