// SPDX-License-Identifier: BSD-3-Clause
// Forces on joints and bodies besides motors: passive effects of joints (damping, Coulomb friction, springs) and
// external wrenches on frames.
//
//   tau_passive = -d v - c sign(v) - k (q - q_0)     per column of the spanning tree, gathered to coordinates
//   spherical:  -k phi,  phi = log(R_0^T R)          energy k phi^2 / 2; d/dq along the body's axes: -k Jr^-1(phi)
// A half turn from R_0 has two logarithms: there the torque jumps from k pi to -k pi, and derivatives are of one side.
// Reads q, v (model coordinates). Adds to tau, force.external. Allocates nothing.
#pragma once
#include "zwang/algorithm/page/kinematics.hpp"
#include "zwang/algorithm/reference.hpp"
#include "zwang/spatial/exp_log.hpp"

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

/// phi of a ball spring; q: the four numbers of its joint.
template <class S> ZWANG_INLINE Vec3<S> ball_stretch(const BallSpring<Uniform<S>>& spring, const S* q) {
  return log_so3(conjugate(widen<S>(spring.reference)) * Quat<S>{q[0], q[1], q[2], q[3]});
}
/// f(column of the first direction, k, phi) of every ball spring; q: of the model.
template <class S, class F> ZWANG_INLINE void for_ball_springs(const Tree<Uniform<S>>& t, const S* q, F&& f) {
  for (Index i = 0; i < t.ball_springs; ++i) {
    const Body<Uniform<S>>& b = t.body[t.ball_spring[i].body];
    f(b.v, t.passive[b.v].stiffness, ball_stretch(t.ball_spring[i], q + (t.mimic ? t.q_source[b.q] : b.q)));
  }
}
/// add(column, column, d tau / dq) of the motor torque against every ball spring; q: of the spanning tree.
template <class S, class F> ZWANG_INLINE void for_ball_spring_derivatives(const Tree<Uniform<S>>& t, const S* q,
                                                                          const PassiveEffects& effects, F&& add) {
  for (Index i = 0; effects.springs && i < t.ball_springs; ++i) {
    const Body<Uniform<S>>& b = t.body[t.ball_spring[i].body];
    const Mat3<S> D = right_jacobian_inverse(ball_stretch(t.ball_spring[i], q + b.q));
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c < 3; ++c) add(b.v + r, b.v + c, S(D(r, c) * t.passive[b.v].stiffness));
  }
}
/// What the spring of column k is stretched by; 0 where it has none. q: of the model.
template <class S> S spring_stretch(const Tree<Uniform<S>>& t, Index k, const S* q) {
  if (t.passive[k].q >= 0) return spring_position(t, t.passive[k].q, q) - t.passive[k].reference;
  S x(0);
  for_ball_springs(t, q, [&](Index v, Uniform<S>, const Vec3<S>& phi) ZWANG_LAMBDA {
    if (k >= v && k < v + 3) x = phi[k - v];
  });
  return x;
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
  if (effects.springs)
    for_ball_springs(t, q, [&](Index first, Uniform<S> stiffness, const Vec3<S>& phi) ZWANG_LAMBDA {
      for (Index k = 0; k < 3; ++k) tau[t.column[first + k].v] -= phi[k] * (sign * stiffness);
    });
}

template <class S> ZWANG_INLINE S spring_energy(const Tree<Uniform<S>>& t, const S* q) {
  S E(0);
  for (Index k = 0; t.passive != nullptr && k < t.spanning_nv; ++k) {
    const auto& p = t.passive[k];
    if (p.q < 0) continue;
    const S x = spring_position(t, p.q, q) - p.reference;
    E += x * x * (p.stiffness * Uniform<S>(0.5));
  }
  for_ball_springs(t, q, [&](Index, Uniform<S> stiffness, const Vec3<S>& phi) ZWANG_LAMBDA {
    E += dot(phi, phi) * (stiffness * Uniform<S>(0.5));
  });
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
