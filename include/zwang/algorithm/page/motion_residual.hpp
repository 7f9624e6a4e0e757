// SPDX-License-Identifier: BSD-3-Clause
// What accelerations leave of the equations of motion, beside the terms that cancel in them.
//
//   f_i = I_i (a_i + bias_i) + v_i x* I_i v_i - f_ext,   r_k = tau_k - sum over sub(k) of s_k^T f_i - armature q''_k
//   t_k = |tau_k| + armature |q''_k| + sum over sub(k) of (|s_k.v| F_i + |s_k.w| N_i)
//   F = m A + h B,  N = h A + J B + m |v|^2
//   A, B: sums of |s.v q''| and |s.w q''| on the path, and of the velocity terms
// J is the trace of the body's inertia about the world's origin, about which all moments are taken; h = sqrt(m J) >= m
// |c|. Far from the origin the bound is wider, since larger terms cancel there. An elimination is exact for bodies
// whose inertias are a few eps J off: it leaves |r| <= c eps t, whatever the condition of M is.
// Reads positions, velocities and columns of a sweep of forward_dynamics.hpp, and q''. Writes acceleration. Cost O(n).
#pragma once
#include "zwang/algorithm/page/bodies_in_lanes.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace page {

/// c eps of the bound above: what a sweep may leave and still be right.
template <class S> inline constexpr Uniform<S> most_lost = 32 * epsilon_of<S>;
/// What another sweep is worth its time for.
template <class S> inline constexpr Uniform<S> much_lost = 4 * epsilon_of<S>;

template <class S> class MotionResidual {
  using T = Uniform<S>;

 public:
  /// No coordinate is prescribed.
  MotionResidual(BasicData<S>& data, const S* qdd) : data_(data), qdd_(qdd), reach_(data.articulated.careful.reduced) {
    const auto& tree = data.tree();
    for (Index k = 0; k < tree.spanning_nv; ++k) {
      const Motion<S> s = data.articulated.column[k].s;
      const S x = abs(qdd[tree.column[k].v] * tree.column[k].multiplier);
      reach_[k].v.x = norm(s.v) * x;
      reach_[k].w.x = norm(s.w) * x;
      if (const Index before = tree.column[k].parent; before >= 0) {
        reach_[k].v.x += reach_[before].v.x;
        reach_[k].w.x += reach_[before].w.x;
      }
    }
  }
  /// r and t, by coordinate.
  void find(const S* tau, S* residual, S* terms) {
    const auto& tree = data_.tree();
    Level<S>* const level = data_.level.data();
    const auto at = [&](const auto& b, Index i) -> Level<S>& { return level[in_lanes ? i : b.depth]; };
    for (Index v = 0; v < tree.nv; ++v) {
      residual[v] = tau[v];
      terms[v] = abs(tau[v]);
    }
    depth_first(
        tree, [&](const auto& b, Index i) { enter(i, data_.inertia[i], at(b, i)); },
        [&](const auto& b, Index i) {
          const Level<S>& x = at(b, i);
          const Force<S> f = x.pA;
          for (Index k = b.v; k < b.v + b.nv; ++k) {
            const Motion<S> s = data_.articulated.column[k].s;
            const auto& column = tree.column[k];
            const S rotor = qdd_[column.v] * (column_inertia(data_, k) * column.multiplier * column.multiplier);
            const T size = column.multiplier < 0 ? -column.multiplier : column.multiplier;
            residual[column.v] -= dot(s, f) * column.multiplier + rotor;
            terms[column.v] += (norm(s.v) * x.gross_mass + norm(s.w) * x.gross_moment) * size + abs(rotor);
          }
          if (b.parent == 0) return;
          Level<S>& up = at(tree.body[b.parent], b.parent);
          up.pA += f;
          up.gross_mass += x.gross_mass;
          up.gross_moment += x.gross_moment;
        });
  }

 private:
  static constexpr bool in_lanes = bodies_in_lanes<S>;

  Motion<S> accelerate(Index i) {
    const auto& b = data_.tree().body[i];
    Motion<S> a = data_.acceleration.joint[b.parent];
    for (Index k = b.v; k < b.v + b.nv; ++k) {
      const auto& column = data_.tree().column[k];
      const Motion<S> s = data_.articulated.column[k].s;
      a += s * S(qdd_[column.v] * column.multiplier);
    }
    data_.acceleration.joint[i] = a;
    return a;
  }
  /// Force and moment of a body, and the sums of the magnitudes of their terms in place of its gross inertia.
  template <class J> void enter(Index i, const Inertia<J>& own, Level<S>& x) {
    const auto& tree = data_.tree();
    const Motion<S> joint = accelerate(i);
    const Transform<S>& X = data_.position.placement[i];
    const Vec3<S> h = X.R * own.h, mc = X.p * own.m + h;
    const Inertia<S> I{S(own.m), mc, shifted(congruence(X.R, own.I), X.p, h, mc)};
    const Motion<S> v = data_.velocity.twist[i], bias = data_.velocity.bias[i];
    Force<S> f = I * (joint + bias) + cross(v, I * v);
    const S turn = norm(v.w);
    S A = norm(bias.v) + turn * norm(v.v), B_ = norm(bias.w) + turn * turn;
    Index moves = i;  // the body itself, or the one that carries it
    while (moves > 0 && tree.body[moves].nv == 0) moves = tree.body[moves].parent;
    if (moves > 0) {
      const StoredMotion<S>& on_path = reach_[tree.body[moves].v + tree.body[moves].nv - 1];
      A += on_path.v.x;
      B_ += on_path.w.x;
    }
    const S moment = abs(I.I.xx) + abs(I.I.yy) + abs(I.I.zz), between = sqrt(moment * own.m);
    x.gross_mass = A * own.m + B_ * between;
    x.gross_moment = A * between + B_ * moment + dot(v.v, v.v) * own.m;  // v x m v
    if (data_.force.has_external) {
      const Force<S> outside = X * data_.force.external[i];
      f = f - outside;
      x.gross_mass += norm(outside.f);
      x.gross_moment += norm(outside.n);
    }
    x.pA = f;
  }

  BasicData<S>& data_;
  const S* qdd_;
  Buffer<StoredMotion<S>>& reach_;  ///< of each column: the sums of |s.v q''| and |s.w q''| on its path
};

}  // namespace page
}  // namespace ZWANG_ISA
}  // namespace zwang
