// SPDX-License-Identifier: BSD-3-Clause
// First derivatives of inverse dynamics: Singh, Russell & Wensing 2022, "Efficient analytical derivatives of rigid-body
// dynamics using spatial vector algebra", extended to columns that depend on q and to wrenches in any axes.
//
//   column i of the subtree of column j (I, B, f, W of the subtree of i; B s = v x* I s - I (v x s) + s x* I v, summed):
//   d tau_i / d q_j = S_i^T (B psi'_j + I psi''_j + W S_j)      d tau_j / d q_i = S_j^T (B psi'_i + I psi''_i + W S_i + S_i x* f)
//   d tau_i / d v_j = S_i^T (B S_j + I (psi'_j + S'_j))         d tau_j / d v_i = S_j^T (B S_i + I (psi'_i + S'_i))
//   M_ij = S_i^T I S_j
//   Columns of one joint use the forms on the left, and d tau_a / d q_b += sigma_ab . f.
//   With shared coordinates G^T (.) G; damping, stiffness and rotors on the diagonals.
// q varies by q (+) d. f: what the joint transmits. Of the body's own motion B has the right half alone (composite_momentum.hpp).
//
// DIFFERS: world axes about the branch's centre; sigma; W; along the path to the root, or in tiles (torque_products.hpp).
// Reads q, v, a, force.external, derivative.outside (turning.hpp). Writes mass, momentum, derivative. Cost O(n d). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/torque_products.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Derivatives by q, v and a, nv x nv each; those without data are left out.
template <class S> struct TorqueDerivatives { MatrixView<S> q, v, a; };

/// What the subtree of a body is to its columns.
template <class S> struct SubtreeTerms {
  Inertia<S> I;
  Momentum<S> m;
  Force<S> f;
  Turning<S> W;
};

/// The wrench that each joint transmits, world axes about the branch's centre, into momentum.force.
template <class S> void transmitted_forces(BasicData<S>& data) {
  const auto& tree = data.tree();
  const Index stride = data.mass.stride;
  S* const to = data.momentum.force.data();
  for (Index i = tree.n; i > 0; --i) {
    const Transform<S>& X = data.position.placement[i];
    const Inertia<S> I = X * data.inertia[i];
    const Motion<S> v = data.velocity.twist[i], a = data.acceleration.joint[i] + data.velocity.bias[i];
    Force<S> f = I * a + cross(v, I * v);
    if (data.force.has_external) f -= X * data.force.external[i];
    for (Index r = 0; r < 6; ++r) to[r * stride + i - 1] = f[r];
  }
  for (Index i = tree.n; i > 0; --i)
    if (const Index parent = tree.body[i].parent; parent > 0)
      for (Index r = 0; r < 6; ++r) to[r * stride + parent - 1] += to[r * stride + i - 1];
}

template <class S> SubtreeTerms<S> subtree_terms(const BasicData<S>& data, Index i) {
  const Index stride = data.mass.stride;
  const auto of = [&](const Buffer<S>& x, Index at)
                      ZWANG_LAMBDA { return [&x, at, stride](Index r) ZWANG_LAMBDA { return x[r * stride + at]; }; };
  const auto f = of(data.momentum.force, i - 1);
  return {
      inertia_from<S>(of(data.mass.composite, i - 1)),
      momentum_from<S>(of(data.momentum.composite, i - 1)),
      {{f(0), f(1), f(2)}, {f(3), f(4), f(5)}},
      data.force.has_external ? turning_of(data, i) : Turning<S>{Vec3<S>::zero(), Vec3<S>::zero(), Mat3<S>::zero()}};
}

/// S, S', psi', psi'' of a column.
template <class S> struct ColumnVariation {
  Motion<S> s, rate, first, second;
  ColumnVariation(const BasicData<S>& data, Index k)
      : s(data.articulated.column[k].s),
        rate(stored(data.momentum.rate, data, k, 0)),
        first(stored(data.derivative.psi, data, k, 0)),
        second(stored(data.derivative.psi, data, k, 6)) {}
  static Motion<S> stored(const Buffer<S>& x, const BasicData<S>& data, Index k, Index row) {
    return motion_from<S>([&](int r) ZWANG_LAMBDA { return x[(row + r) * data.mass.stride + k]; });
  }
};

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

/// Rows and columns of k with itself, its joint and all columns towards the root.
template <class S>
void add_column(const BasicData<S>& data, Index k, const SubtreeTerms<S>& x, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const ColumnVariation<S> c(data, k);
  const Force<S> F = x.I * c.s, turned = x.W * c.s;
  const Uniform<S> two(2);
  const Force<S> by_q = x.m.half_times(c.first) * two + x.I * c.second + turned;
  const Force<S> by_v = x.m.half_times(c.s) * two + x.I * (c.first + c.rate);
  const auto& body = tree.body[tree.column[k].body];
  for (Index j = body.v; j < body.v + body.nv; ++j) {
    const Motion<S> s = data.articulated.column[j].s;
    add_entry(out.q, tree, j, k, dot(s, by_q));
    add_entry(out.v, tree, j, k, dot(s, by_v));
    add_entry(out.a, tree, j, k, dot(s, F));
  }
  const Force<S> by_q_above = by_q + cross(c.s, x.f), W_s = x.W.transposed_times(c.s);
  const Vec3<S> B_s = x.m.half_transposed_times(c.s) * two;
  for (Index j = tree.column[body.v].parent; j >= 0; j = tree.column[j].parent) {
    const ColumnVariation<S> y(data, j);
    add_entry(out.q, tree, j, k, dot(y.s, by_q_above));
    add_entry(out.v, tree, j, k, dot(y.s, by_v));
    add_entry(out.q, tree, k, j, dot(y.first.w, B_s) + dot(y.second, F) + dot(y.s, W_s));
    add_entry(out.v, tree, k, j, dot(y.s.w, B_s) + dot(y.first + y.rate, F));
    const S mass = dot(y.s, F);
    add_entry(out.a, tree, j, k, mass);
    add_entry(out.a, tree, k, j, mass);
  }
}

/// Dampers and springs that count.
template <class S>
void add_passive_diagonals(const BasicData<S>& data, const PassiveEffects& effects, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  for (Index k = 0; tree.passive != nullptr && k < tree.spanning_nv; ++k) {
    const auto& p = tree.passive[k];
    if (effects.damping) add_entry(out.v, tree, k, k, S(p.damping));
    if (effects.springs && p.q >= 0) add_entry(out.q, tree, k, k, S(p.stiffness));
  }
}

/// Where kinematics(data, q, v, a) has been.
template <class S> void inverse_dynamics_derivatives(BasicData<S>& data, const S* q, const S* v, const S* a,
                                                     const PassiveEffects& effects, const TorqueDerivatives<S>& out) {
  const auto& tree = data.tree();
  const SweepInput<S> in{tree.mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()};
  const S *const vs = tree.mimic ? data.v_spanning.data() : v, *const as = tree.mimic ? data.a_spanning.data() : a;
  all_column_rates(data, in, vs);
  variations(data, in, vs, as);
  composite_inertias(data);
  composite_momenta(data);
  transmitted_forces(data);
  if (data.force.has_external) turning_of_subtrees(data);
  if (!tree.mimic && tree.nv > 0 && out.q.row_stride == 1) {
    torque_columns(data, data.force.has_external);
    torque_products(data, data.force.has_external, out.q, out.v);
    own_products(data, out.q, out.v);
    for (Index i = 1; i <= tree.n; ++i)
      add_turned_columns(data, in, i, stored_force(data, data.momentum.force, 0, i - 1), out.q);
    if (out.a.data != nullptr) mass_matrix_of_forces(data, out.a.data, out.a.column_stride);
    return add_passive_diagonals(data, effects, out);
  }
  for (const MatrixView<S>& matrix : {out.q, out.v, out.a})
    if (matrix.data != nullptr) clear(matrix);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    if (body.nv == 0) continue;
    const SubtreeTerms<S> x = subtree_terms(data, i);
    for (Index k = body.v; k < body.v + body.nv; ++k) add_column(data, k, x, out);
    add_turned_columns(data, in, i, x.f, out.q);
  }
  for (Index k = 0; k < tree.spanning_nv; ++k)
    add_entry(out.a, tree, k, k, S(tree.column[k].armature * data.armature_factor));
  add_passive_diagonals(data, effects, out);
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
