// SPDX-License-Identifier: BSD-3-Clause
// Translation: moves in all directions without turning. q = displacement (x, y, z) [m], v = its rate.
//
//   X_J = (1, q)      S = [1; 0]      constant in body axes
// Cost (mul + add): place 9 + 9, world columns 0, advance 6 + 9.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Translation : Additive<3> {
  static constexpr const char* name = "translation";
  static constexpr bool axis = false, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = widen<S>(b.placement.R);
    X.p = b.placement.p + b.placement.R * Vec3<S>{in.q[0], in.q[1], in.q[2]};
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    const S o(0), e(1);
    s[0] = {{e, o, o}, Vec3<S>::zero()};
    s[1] = {{o, e, o}, Vec3<S>::zero()};
    s[2] = {{o, o, e}, Vec3<S>::zero()};
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0] = {column_x(X.R), Vec3<S>::zero()};
    s[1] = {column_y(X.R), Vec3<S>::zero()};
    s[2] = {column_z(X.R), Vec3<S>::zero()};
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    const Vec3<S> vJ{v[0], v[1], v[2]};
    x.a += Vec3<S>{a[0], a[1], a[2]} + cross(x.w + x.w, vJ);
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    tau[0] = f.f.x;
    tau[1] = f.f.y;
    tau[2] = f.f.z;
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
