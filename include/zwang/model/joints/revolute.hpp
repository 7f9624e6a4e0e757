// SPDX-License-Identifier: BSD-3-Clause
// Revolute: turns about z. q = angle [rad], no wrap; v = its rate [rad/s].
//
//   X_J = (Rz(q), 0)      S = (0, 0, 0, 0, 0, 1)      constant in body axes
// Cost (mul + add): place 12 + 6, world column 6 + 3, advance 4 + 4.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Revolute : Additive<1> {
  static constexpr const char* name = "revolute";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 0, angles = 0b1;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = turn_z(b.placement.R, in.cos[0], in.sin[0]);
    X.p = widen<S>(b.placement.p);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    s[0] = {Vec3<S>::zero(), {S(0), S(0), S(1)}};
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0].w = column_z(X.R);
    s[0].v = cross(X.p, s[0].w);
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    add_cross_z(x.al, x.w, v[0]);
    x.al.z += a[0];
    x.w.z += v[0];
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    tau[0] = f.n.z;
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
