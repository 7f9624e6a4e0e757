// SPDX-License-Identifier: BSD-3-Clause
// Universal: turns about z, then about the turned x. q = the two angles [rad], v = their rates.
//
//   X_J = (Rz(q0) Rx(q1), 0)      S = [0 0; Rx^T e_z, e_x] = (0, s1, c1), (1, 0, 0) below zeros
//   dS/dt: v1 (0, c1, -s1), 0: the first axis moves in body axes
// Cost (mul + add): place 24 + 12, columns 0, rates 2 + 0.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Universal : Additive<2> {
  static constexpr const char* name = "universal";
  static constexpr bool axis = true, constant_columns = false;
  static constexpr int parameters = 0, angles = 0b11;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = turn_x(turn_z(b.placement.R, in.cos[0], in.sin[0]), in.cos[1], in.sin[1]);
    X.p = widen<S>(b.placement.p);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    s[0] = {Vec3<S>::zero(), {S(0), in.sin[1], in.cos[1]}};
    s[1] = {Vec3<S>::zero(), {S(1), S(0), S(0)}};
  }
  template <class S> static ZWANG_INLINE void rates(const JointInput<S>& in, const S* v, Motion<S>* r) {
    r[0] = {Vec3<S>::zero(), {S(0), in.cos[1] * v[1], -in.sin[1] * v[1]}};
    r[1] = Motion<S>::zero();
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
