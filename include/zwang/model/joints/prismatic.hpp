// SPDX-License-Identifier: BSD-3-Clause
// Prismatic: slides along z. q = displacement [m], v = its rate [m/s].
//
//   X_J = (1, q e_z)      S = (0, 0, 1, 0, 0, 0)      constant in body axes
// Cost (mul + add): place 3 + 3, world column 0, advance 3 + 4.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Prismatic : Additive<1> {
  static constexpr const char* name = "prismatic";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = widen<S>(b.placement.R);
    X.p = b.placement.p + column_z(b.placement.R) * in.q[0];
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    s[0] = {{S(0), S(0), S(1)}, Vec3<S>::zero()};
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0] = {column_z(X.R), Vec3<S>::zero()};
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    add_cross_z(x.a, x.w, v[0] + v[0]);
    x.a.z += a[0];
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    tau[0] = f.f.z;
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
