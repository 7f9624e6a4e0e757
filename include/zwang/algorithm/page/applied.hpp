// SPDX-License-Identifier: BSD-3-Clause
// Forces on joints and bodies besides motors: passive effects of joints (damping, Coulomb friction, springs) and
// external wrenches on frames.
//
//   tau_passive = -d v - c sign(v) - k (q - q_0)     per column of the spanning tree, gathered to coordinates
// Reads q, v (model coordinates). Adds to tau, force.external. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/kinematics.hpp"
#include "zwang/algorithm/reference.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// Which passive effects count.
struct PassiveEffects {
  bool damping, friction, springs;
};

/// Position of the spring of a column, in the spanning tree.
template <class S> ZWANG_INLINE S spring_position(const Tree<Uniform<S>>& t, Index at, const S* q) {
  return t.mimic ? q[t.q_source[at]] * t.q_multiplier[at] + t.q_offset[at] : q[at];
}

/// tau += sign * tau_passive
template <class S> ZWANG_INLINE void add_passive(const Tree<Uniform<S>>& t, const S* q, const S* v,
                                                 const PassiveEffects& effects, Uniform<S> sign, S* tau) {
  if (t.passive == nullptr || !(effects.damping || effects.springs || effects.friction)) return;
  for (Index k = 0; k < t.spanning_nv; ++k) {
    const auto& p = t.passive[k];
    const auto& c = t.column[k];
    S x(0);
    if (v != nullptr) {
      const S rate = v[c.v] * c.multiplier, zero(0);
      if (effects.damping) x -= rate * p.damping;
      if (effects.friction)
        x -= select(less(zero, rate), S(p.friction), select(less(rate, zero), S(-p.friction), zero));
    }
    if (effects.springs && p.q >= 0) { x -= (spring_position(t, p.q, q) - p.reference) * p.stiffness; }
    tau[c.v] += x * (sign * c.multiplier);
  }
}

template <class S> ZWANG_INLINE S spring_energy(const Tree<Uniform<S>>& t, const S* q) {
  S E(0);
  for (Index k = 0; t.passive != nullptr && k < t.spanning_nv; ++k) {
    const auto& p = t.passive[k];
    if (p.q < 0) continue;
    const S x = spring_position(t, p.q, q) - p.reference;
    E += x * x * (p.stiffness * Uniform<S>(0.5));
  }
  return E;
}

/// Adds a wrench on a frame to its body's, in body axes about the body's origin. Reads the placement unless the wrench
/// is given in the frame's own axes.
template <class S> ZWANG_INLINE void add_wrench(BasicData<S>& data, Index body, const Transform<Uniform<S>>& in_body,
                                                Reference in, const Force<S>& f) {
  if (in == Reference::local) {
    data.force.external[body] += in_body * f;
    return;
  }
  const Transform<S>& X = data.position.placement[body];
  Vec3<S> point = X * in_body.p;
  if (in == Reference::world) point = -data.position.centre[data.tree().body[body].root];
  data.force.external[body] += inverse_times(X, with_reference_point(f, -point));
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
