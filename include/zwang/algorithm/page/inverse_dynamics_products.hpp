// SPDX-License-Identifier: BSD-3-Clause
// The derivatives of inverse dynamics times a vector, from the right (jvp) and from the left (vjp), without a matrix.
//
//   right: xi_i = xi_p + S dq,   nu_i = nu_p + psi' dq + S dv,   alpha_i = alpha_p + psi'' dq + (psi' + S') dv + S da
//          Phi = xi x* f + I alpha + B nu + W xi of the body, summed over its subtree;   d tau = S^T (Phi - xi x* f)
//   left:  w_i = w_p + S y;   Q = I w,  P = B^T w,  N = W^T w of the body, summed over its subtree
//          d(y.tau)/dq = Q.psi'' + P.psi' + N.S + w_p.(S x* f)    /dv = Q.(psi' + S') + P.S    /da = Q.S
//   B^T w = v x* I w - I (v x w) - w x* I v;   f: of the body, then what its joint transmits
//   Columns that depend on q: d tau_a += sigma_ab.f dq_b, and y_a sigma_ab.f in the derivative by q_b.
//   With shared coordinates G^T (.) G; damping, stiffness and rotors on the diagonals.
// (xi, nu, alpha), psi, sigma: variations.hpp;  W: turning.hpp. Rows of constraints act on bodies: between entering and
// leaving, who has them adds to Phi or to Q, P, N, and takes their wrenches off f.
// Derived here: both are the first derivatives of Singh, Russell & Wensing 2022 with the sums taken along the tree.
// World axes about the branch's centre. Reads q, v, a, force.external, derivative.outside. Writes derivative; from the
// right mass.force and momentum, too. Cost O(n). Allocates nothing.
#pragma once
#include "zwang/algorithm/page/inverse_dynamics_derivatives.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Six numbers of every body: number r of body i at first[r * stride + (i - 1) * step].
template <class S, class Six> struct SixOfBodies {
  S* first;  ///< of body 1
  Index stride, step;
  ZWANG_INLINE Six operator()(Index body) const {
    Six x;
    for (Index r = 0; r < 6; ++r) x[static_cast<int>(r)] = first[r * stride + (body - 1) * step];
    return x;
  }
  ZWANG_INLINE void set(Index body, const Six& x) const {
    for (Index r = 0; r < 6; ++r) first[r * stride + (body - 1) * step] = x[static_cast<int>(r)];
  }
  ZWANG_INLINE void add(Index body, const Six& x) const {
    for (Index r = 0; r < 6; ++r) first[r * stride + (body - 1) * step] += x[static_cast<int>(r)];
  }
};

/// What a product keeps of the bodies. The ground, 0, has no entry.
template <class S> struct ProductFromTheRight {
  SixOfBodies<S, Motion<S>> xi, nu, alpha;
  SixOfBodies<S, Force<S>> Phi, f;
  explicit ProductFromTheRight(BasicData<S>& data)
      : xi{data.derivative.product.data(), data.mass.stride, 1},
        nu{xi.first + 6 * xi.stride, xi.stride, 1},
        alpha{xi.first + 12 * xi.stride, xi.stride, 1},
        Phi{data.mass.force.data(), xi.stride, 1},
        f{data.momentum.force.data(), xi.stride, 1} {}
};
/// Rows of numbers in the places of SubtreeTerms: Q, P, N, f, w of each body.
template <class S> struct ProductFromTheLeft {
  static constexpr Index row = sizeof(SubtreeTerms<S>) / sizeof(S), own = 24;  ///< own: where w stands
  SixOfBodies<S, Motion<S>> w;
  SixOfBodies<S, Force<S>> Q, P, N, f;
  explicit ProductFromTheLeft(BasicData<S>& data)
      : w{row_of(data, 1) + own, 1, row},
        Q{row_of(data, 1), 1, row},
        P{Q.first + 6, 1, row},
        N{Q.first + 12, 1, row},
        f{Q.first + 18, 1, row} {}
  static ZWANG_INLINE S* row_of(BasicData<S>& data, Index body) {
    static_assert(row >= own + 6);
    return reinterpret_cast<S*>(data.derivative.subtree.data()) + body * row;
  }
};

/// The vectors of a product; those that are absent are zero, or not written.
template <class S> struct StateVectors { S *q, *v, *a; };
template <class S> struct ConstStateVectors { const S *q, *v, *a; };

template <class S> struct SpanningState {
  SweepInput<S> in;
  const S *v, *a;
  SpanningState(const BasicData<S>& data, const S* q, const S* v_, const S* a_)
      : in{data.tree().mimic ? data.q_spanning.data() : q, data.sin.data(), data.cos.data()},
        v(data.tree().mimic ? data.v_spanning.data() : v_),
        a(data.tree().mimic ? data.a_spanning.data() : a_) {}
};

/// Variations of the columns where kinematics(data, q, v, a) has been: what both products read.
template <class S> void vary_columns(BasicData<S>& data, const SpanningState<S>& x) {
  variations(data, x.in, x.v, x.a);
}

/// I w, and B^T w of a body that moves by v.
template <class S> ZWANG_INLINE Force<S> transposed_momentum_times(const Inertia<S>& I, const Motion<S>& v,
                                                                   const Motion<S>& w, const Force<S>& Iw) {
  return cross(v, Iw) - I * cross(v, w) - cross(w, I * v);
}
/// B nu = v x* I nu - I (v x nu) + nu x* I v.
template <class S> ZWANG_INLINE Force<S> momentum_times(const Inertia<S>& I, const Motion<S>& v, const Motion<S>& nu) {
  return cross(v, I * nu) - I * cross(v, nu) + cross(nu, I * v);
}

/// f of a body alone: I a + v x* I v less the wrench from outside.
template <class S> ZWANG_INLINE Force<S> own_force(const BasicData<S>& data, Index i, const Inertia<S>& I) {
  const Motion<S> v = data.velocity.twist[i], a = data.acceleration.joint[i] + data.velocity.bias[i];
  Force<S> f = I * a + cross(v, I * v);
  if (data.force.has_external) f -= data.position.placement[i] * data.force.external[i];
  return f;
}

/// sigma_ab . f of the columns of one joint: calls use(a, b, sigma_ab . f), a and b counted in the joint.
template <class S, class Use>
void for_turned_columns(const BasicData<S>& data, const SweepInput<S>& in, Index i, const Force<S>& f, Use&& use) {
  const auto& body = data.tree().body[i];
  visit(body.kind, [&](auto joint) ZWANG_LAMBDA {
    using J = decltype(joint);
    if constexpr (!J::constant_columns) {
      Motion<S> sigma[max_joint_columns][max_joint_columns];
      column_derivatives<J>(in.of(body), body.nv, sigma);
      for (Index b = 0; b < body.nv; ++b)
        for (Index a = 0; a < body.nv; ++a) use(a, b, dot(data.position.placement[i] * sigma[b][a], f));
    }
  });
}

/// xi, nu, alpha, Phi and f of every body alone, along d. vary_columns() has been.
template <class S> ProductFromTheRight<S> enter_from_the_right(BasicData<S>& data, const ConstStateVectors<S>& d) {
  const auto& tree = data.tree();
  const ProductFromTheRight<S> out(data);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    Motion<S> xi = Motion<S>::zero(), nu = xi, alpha = xi;
    if (body.parent > 0) {
      xi = out.xi(body.parent);
      nu = out.nu(body.parent);
      alpha = out.alpha(body.parent);
    }
    for (Index k = body.v; k < body.v + body.nv; ++k) {
      const ColumnVariation<S>& c = data.derivative.variation[k];
      const auto& column = tree.column[k];
      if (d.q != nullptr) {
        const S x = d.q[column.v] * column.multiplier;
        xi += c.s * x;
        nu += c.first * x;
        alpha += c.second * x;
      }
      if (d.v != nullptr) {
        const S x = d.v[column.v] * column.multiplier;
        nu += c.s * x;
        alpha += c.sum * x;
      }
      if (d.a != nullptr) alpha += c.s * (d.a[column.v] * column.multiplier);
    }
    out.xi.set(i, xi);
    out.nu.set(i, nu);
    out.alpha.set(i, alpha);
    const Inertia<S> I = data.position.placement[i] * data.inertia[i];
    const Force<S> f = own_force(data, i, I);
    Force<S> Phi = cross(xi, f) + I * alpha + momentum_times(I, Motion<S>(data.velocity.twist[i]), nu);
    if (data.force.has_external) Phi += turning_of(data, i) * xi;
    out.Phi.set(i, Phi);
    out.f.set(i, f);
  }
  return out;
}

/// d tau into out [nv].
template <class S> void leave_from_the_right(BasicData<S>& data, const ProductFromTheRight<S>& x,
                                             const SweepInput<S>& in, const ConstStateVectors<S>& d,
                                             const PassiveEffects& effects, S* out) {
  const auto& tree = data.tree();
  const auto of = [&](const S* vector, Index k) ZWANG_LAMBDA {
    return vector != nullptr ? vector[tree.column[k].v] * tree.column[k].multiplier : S(Uniform<S>(0));
  };
  for (Index k = 0; k < tree.nv; ++k) out[k] = S(Uniform<S>(0));
  for (Index i = tree.n; i > 0; --i) {
    const auto& body = tree.body[i];
    const Force<S> f = x.f(i), Phi = x.Phi(i), turned = Phi - cross(x.xi(i), f);
    const auto add = [&](Index k, const S& value)
                         ZWANG_LAMBDA { out[tree.column[k].v] += value * tree.column[k].multiplier; };
    for (Index k = body.v; k < body.v + body.nv; ++k) {
      S sum = dot(Motion<S>(data.articulated.column[k].s), turned);
      sum += of(d.a, k) * (tree.column[k].armature * data.armature_factor);
      if (tree.passive != nullptr) {
        const auto& p = tree.passive[k];
        if (effects.damping) sum += of(d.v, k) * p.damping;
        if (effects.springs && p.q >= 0) sum += of(d.q, k) * p.stiffness;
      }
      add(k, sum);
    }
    if (d.q != nullptr)
      for_turned_columns(data, in, i, f, [&](Index a, Index b, const S& product) ZWANG_LAMBDA {
        add(body.v + a, product * of(d.q, body.v + b));
      });
    if (body.parent > 0) {
      x.f.add(body.parent, f);
      x.Phi.add(body.parent, Phi);
    }
  }
  if (d.q != nullptr)
    for_ball_spring_derivatives(tree, in.q, effects, [&](Index r, Index c, const S& entry) ZWANG_LAMBDA {
      out[tree.column[r].v] += entry * d.q[tree.column[c].v];
    });
}

/// w, Q, P, N and f of every body alone, of the torques' weights y [nv].
template <class S> ProductFromTheLeft<S> enter_from_the_left(BasicData<S>& data, const S* y) {
  const auto& tree = data.tree();
  const ProductFromTheLeft<S> out(data);
  for (Index i = 1; i <= tree.n; ++i) {
    const auto& body = tree.body[i];
    Motion<S> w = body.parent > 0 ? out.w(body.parent) : Motion<S>::zero();
    for (Index k = body.v; k < body.v + body.nv; ++k)
      w += Motion<S>(data.articulated.column[k].s) * (y[tree.column[k].v] * tree.column[k].multiplier);
    const Inertia<S> I = data.position.placement[i] * data.inertia[i];
    const Force<S> Q = I * w;
    out.w.set(i, w);
    out.Q.set(i, Q);
    out.P.set(i, transposed_momentum_times(I, Motion<S>(data.velocity.twist[i]), w, Q));
    out.N.set(i, data.force.has_external ? turning_of(data, i).transposed_times(w) : Force<S>::zero());
    out.f.set(i, own_force(data, i, I));
  }
  return out;
}

/// Adds y_a sigma_ab . f of body i.
template <class S> void add_turned_weights(const BasicData<S>& data, const ProductFromTheLeft<S>& x,
                                           const SweepInput<S>& in, Index i, const S* y, const StateVectors<S>& out) {
  const auto& tree = data.tree();
  const Index v = tree.body[i].v;
  for_turned_columns(data, in, i, x.f(i), [&](Index a, Index b, const S& product) ZWANG_LAMBDA {
    const auto &row = tree.column[v + a], &column = tree.column[v + b];
    out.q[column.v] += product * (y[row.v] * (row.multiplier * column.multiplier));
  });
}

/// Adds the derivatives of y . tau to those of `out` [nv each] that are there. vary_columns() has been.
template <class S> void leave_from_the_left(BasicData<S>& data, const ProductFromTheLeft<S>& x, const SweepInput<S>& in,
                                            const S* y, const PassiveEffects& effects, const StateVectors<S>& out) {
  const auto& tree = data.tree();
  for (Index i = tree.n; i > 0; --i) {
    const auto& body = tree.body[i];
    const Force<S> Q = x.Q(i), P = x.P(i), N = x.N(i), f = x.f(i);
    const Motion<S> w_p = body.parent > 0 ? x.w(body.parent) : Motion<S>::zero();
    for (Index k = body.v; k < body.v + body.nv; ++k) {
      const ColumnVariation<S>& c = data.derivative.variation[k];
      const auto& column = tree.column[k];
      const S weight = y[column.v] * column.multiplier;
      S by_q = dot(c.second, Q) + dot(c.first, P) + dot(c.s, N) + dot(w_p, cross(c.s, f));
      S by_v = dot(c.sum, Q) + dot(c.s, P);
      if (tree.passive != nullptr) {
        const auto& p = tree.passive[k];
        if (effects.damping) by_v += weight * p.damping;
        if (effects.springs && p.q >= 0) by_q += weight * p.stiffness;
      }
      if (out.q != nullptr) out.q[column.v] += by_q * column.multiplier;
      if (out.v != nullptr) out.v[column.v] += by_v * column.multiplier;
      if (out.a != nullptr)
        out.a[column.v] += (dot(c.s, Q) + weight * (column.armature * data.armature_factor)) * column.multiplier;
    }
    if (out.q != nullptr) add_turned_weights(data, x, in, i, y, out);
    if (body.parent > 0) {
      x.Q.add(body.parent, Q);
      x.P.add(body.parent, P);
      x.N.add(body.parent, N);
      x.f.add(body.parent, f);
    }
  }
  if (out.q != nullptr)
    for_ball_spring_derivatives(tree, in.q, effects, [&](Index r, Index c, const S& entry) ZWANG_LAMBDA {
      out.q[tree.column[c].v] += entry * y[tree.column[r].v];
    });
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
