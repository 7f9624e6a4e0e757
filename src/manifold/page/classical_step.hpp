// SPDX-License-Identifier: BSD-3-Clause
// One step of the classical Runge-Kutta method of order 4 on the groups of the joints (Munthe-Kaas 1999).
//
//   stage i    q_i = q (+) h c_i r_(i-1),  v_i = v + h c_i q''_(i-1),   c = 0, 1/2, 1/2, 1
//   rates      r_i = d(q_i (-) q)/dq_i v_i: how the tangent vector from q moves while q_i moves with v_i
//   step       q (+) h (r_1 + 2 r_2 + 2 r_3 + r_4) / 6,   v + h (q''_1 + 2 q''_2 + 2 q''_3 + q''_4) / 6
#pragma once
#include "zwang/core/buffer.hpp"
#include "zwang/manifold/page/manifold.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// What a step works in.
template <class S> struct ClassicalStep {
  explicit ClassicalStep(const Tree<Uniform<S>>& tree)
      : q(tree.nq),
        v(tree.nv),
        rate(tree.nv),
        turn(tree.nv),
        gain(tree.nv),
        step(tree.nv) {}
  Buffer<S> q, v;        ///< at the beginning
  Buffer<S> rate;        ///< r_i
  Buffer<S> turn, gain;  ///< sums of r_i and q''_i
  Buffer<S> step;
};

/// Moves q and v by one step of length h. `accelerate()` makes a [nv] the accelerations at q and v.
template <class S, class F> void classical_step(const Tree<Uniform<S>>& tree, Uniform<S> h, S* q, S* v, const S* a,
                                                ClassicalStep<S>& w, F&& accelerate) {
  using T = Uniform<S>;
  for (Index k = 0; k < tree.nq; ++k) w.q[k] = q[k];
  for (Index k = 0; k < tree.nv; ++k) {
    w.v[k] = v[k];
    w.turn[k] = w.gain[k] = S(T(0));
  }
  for (int i = 0; i < 4; ++i) {
    accelerate();
    if (i == 0) {
      for (Index k = 0; k < tree.nv; ++k) w.rate[k] = v[k];
    } else {
      difference_blocks(tree, static_cast<const S*>(w.q.data()), static_cast<const S*>(q),
                        [&](Index at, Index n, const S*, const S* by_end) {
                          for (Index k = 0; k < n; ++k) {
                            S sum(T(0));
                            for (Index l = 0; l < n; ++l) sum += by_end[k * n + l] * v[at + l];
                            w.rate[at + k] = sum;
                          }
                        });
    }
    const T share = i == 0 || i == 3 ? T(1) / 6 : T(1) / 3, part = i == 2 ? h : h / 2;
    for (Index k = 0; k < tree.nv; ++k) {
      w.turn[k] += w.rate[k] * share;
      w.gain[k] += a[k] * share;
      w.step[k] = i == 3 ? w.turn[k] * h : w.rate[k] * part;
      v[k] = w.v[k] + (i == 3 ? w.gain[k] * h : a[k] * part);
    }
    integrate(tree, static_cast<const S*>(w.q.data()), static_cast<const S*>(w.step.data()), q);
  }
}

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
