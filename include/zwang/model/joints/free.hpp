// SPDX-License-Identifier: BSD-3-Clause
// Free: no constraint. q = (position [m], unit quaternion x y z w), v = body twist (linear, angular) in body axes.
//
//   X_J = (R(q3..6), q0..2)      S = 1      constant in body axes
// Cost (mul + add): place 52 + 42 and a division, world columns 18 + 9, advance 15 + 21.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Free : RigidMotions {
  static constexpr const char* name = "floating";
  static constexpr bool axis = false, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = b.placement.R * rotation(Quat<S>{in.q[3], in.q[4], in.q[5], in.q[6]});
    X.p = b.placement.p + b.placement.R * Vec3<S>{in.q[0], in.q[1], in.q[2]};
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    for (int k = 0; k < 6; ++k) {
      s[k] = Motion<S>::zero();
      s[k][k] = S(1);
    }
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0] = {column_x(X.R), Vec3<S>::zero()};
    s[1] = {column_y(X.R), Vec3<S>::zero()};
    s[2] = {column_z(X.R), Vec3<S>::zero()};
    for (int k = 0; k < 3; ++k) {
      s[3 + k].w = s[k].v;
      s[3 + k].v = cross(X.p, s[k].v);
    }
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    const Vec3<S> vJ{v[0], v[1], v[2]}, wJ{v[3], v[4], v[5]};
    x.a += Vec3<S>{a[0], a[1], a[2]} + cross(x.w + x.w + wJ, vJ);
    x.al += Vec3<S>{a[3], a[4], a[5]} + cross(x.w, wJ);
    x.w += wJ;
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    for (int k = 0; k < 6; ++k) tau[k] = f[k];
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
