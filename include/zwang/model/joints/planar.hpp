// SPDX-License-Identifier: BSD-3-Clause
// Planar: moves in the plane normal to z. q = (x, y [m], angle [rad]);
// v = body twist (v_x, v_y, w_z) in the turned axes.
//
//   X_J = (Rz(q2), (q0, q1, 0))      S = [e_x e_y 0; 0 0 e_z]      constant in body axes
//   q' is not v: (x', y') = Rz(q2) (v0, v1); integrate on SE(2).
// Cost (mul + add): place 18 + 12, world columns 6 + 3, advance 8 + 11.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Planar : PlanarMotions {
  static constexpr const char* name = "planar";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 0, angles = 0b100;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = turn_z(b.placement.R, in.cos[0], in.sin[0]);
    X.p = b.placement.p + column_x(b.placement.R) * in.q[0] + column_y(b.placement.R) * in.q[1];
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    const S o(0), e(1);
    s[0] = {{e, o, o}, Vec3<S>::zero()};
    s[1] = {{o, e, o}, Vec3<S>::zero()};
    s[2] = {Vec3<S>::zero(), {o, o, e}};
  }
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>& X, const JointInput<S>&, Motion<S>* s) {
    s[0] = {column_x(X.R), Vec3<S>::zero()};
    s[1] = {column_y(X.R), Vec3<S>::zero()};
    s[2].w = column_z(X.R);
    s[2].v = cross(X.p, s[2].w);
  }
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S* v, const S* a, LocalMotion<S>& x) {
    const Vec3<S> vJ{v[0], v[1], S(0)}, wJ{S(0), S(0), v[2]};
    x.a += Vec3<S>{a[0], a[1], S(0)} + cross(x.w + x.w + wJ, vJ);
    add_cross_z(x.al, x.w, v[2]);
    x.al.z += a[2];
    x.w.z += v[2];
  }
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>& f, S* tau) {
    tau[0] = f.f.x;
    tau[1] = f.f.y;
    tau[2] = f.n.z;
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
