// SPDX-License-Identifier: BSD-3-Clause
// RevoluteUnbounded: turns about z with wrap. q = (cos, sin) of the angle, v = its rate [rad/s].
// The direction of q alone counts.
//
//   X_J = (Rz, 0)      S = (0, 0, 0, 0, 0, 1)      constant in body axes
// Cost (mul + add): place 16 + 7, a root and a division, world column 6 + 3, advance 4 + 4.
#pragma once
#include "zwang/model/joints/revolute.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct RevoluteUnbounded : UnitCircle {
  static constexpr const char* name = "revolute_unbounded";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    const S r = Uniform<S>(1) / sqrt(S(in.q[0] * in.q[0] + in.q[1] * in.q[1]));
    X.R = turn_z(b.placement.R, S(in.q[0] * r), S(in.q[1] * r));
    X.p = widen<S>(b.placement.p);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    Revolute::columns(in, s);
  }
  template <class S>
  static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>& in, Motion<S>* s) {
    Revolute::world_columns(X, in, s);
  }
  template <class S>
  static ZWANG_INLINE void advance(const JointInput<S>& in, const S* v, const S* a, LocalMotion<S>& x) {
    Revolute::advance(in, v, a, x);
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>& in, const Force<S>& f, S* tau) {
    Revolute::project(in, f, tau);
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
