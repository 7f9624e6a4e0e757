// SPDX-License-Identifier: BSD-3-Clause
// Spherical: turns about a point. q = unit quaternion (x, y, z, w), v = angular velocity in body axes [rad/s].
//
//   X_J = (R(q), 0)      S = [0; 1]      constant in body axes
// Cost (mul + add): place 43 + 33 and a division, world columns 18 + 9, advance 6 + 9.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Spherical : Rotations {
  static constexpr const char* name = "spherical";
  static constexpr bool axis = false, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = b.placement.R * rotation(Quat<S>{in.q[0], in.q[1], in.q[2], in.q[3]});
    X.p = widen<S>(b.placement.p);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    const S o(0), e(1);
    s[0] = {Vec3<S>::zero(), {e, o, o}};
    s[1] = {Vec3<S>::zero(), {o, e, o}};
    s[2] = {Vec3<S>::zero(), {o, o, e}};
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0].w = column_x(X.R);
    s[1].w = column_y(X.R);
    s[2].w = column_z(X.R);
    for (int k = 0; k < 3; ++k) s[k].v = cross(X.p, s[k].w);
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    const Vec3<S> wJ{v[0], v[1], v[2]};
    x.al += Vec3<S>{a[0], a[1], a[2]} + cross(x.w, wJ);
    x.w += wJ;
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    tau[0] = f.n.x;
    tau[1] = f.n.y;
    tau[2] = f.n.z;
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
