// SPDX-License-Identifier: BSD-3-Clause
// Ellipsoid: the child's origin slides on an ellipsoid of radii a, b, c while its z axis follows the
// normal of the unit sphere. q = angles about x, then y, then z [rad], v = their rates (Seth, Sherman,
// Eastman & Delp 2010, a scapula on a rib cage).
//
//   X_J = (Rx(q0) Ry(q1) Rz(q2), p),   p = (a s1, -b s0 c1, c c0 c1): radii times R e_z
//   S angular (body axes): Rz^T Ry^T e_x = (c2 c1, -s2 c1, s1),  Rz^T e_y = (s2, c2, 0),  e_z
//   S linear: R^T dp/dq.   dS/dt linear: R^T d(dp/dq)/dt - w x S; angular: as written.
//   Singular at q1 = +-pi/2.
// Cost (mul + add): place 45 + 30, columns 40 + 20, rates 95 + 65.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Ellipsoid : Additive<3> {
  static constexpr const char* name = "ellipsoid";
  static constexpr bool axis = false, constant_columns = false;
  static constexpr int parameters = 3, angles = 0b111;  // radii a, b, c [m]

  template <class S> static ZWANG_INLINE Mat3<S> turn(const JointInput<S>& in) {
    const Mat3<S> x = turn_x(Mat3<S>::identity(), in.cos[0], in.sin[0]);
    return turn_z(turn_y(x, in.cos[1], in.sin[1]), in.cos[2], in.sin[2]);
  }
  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    const T* r = in.parameters;
    const S s0 = in.sin[0], c0 = in.cos[0], s1 = in.sin[1], c1 = in.cos[1];
    X.R = b.placement.R * turn(in);
    X.p = b.placement.p + b.placement.R * Vec3<S>{s1 * r[0], -(s0 * c1) * r[1], c0 * c1 * r[2]};
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    const auto* r = in.parameters;
    const S s0 = in.sin[0], c0 = in.cos[0], s1 = in.sin[1], c1 = in.cos[1], s2 = in.sin[2], c2 = in.cos[2], o(0);
    const Mat3<S> R = turn(in);
    s[0].v = transpose_times(R, Vec3<S>{o, -(c0 * c1) * r[1], -(s0 * c1) * r[2]});
    s[1].v = transpose_times(R, Vec3<S>{c1 * r[0], s0 * s1 * r[1], -(c0 * s1) * r[2]});
    s[2].v = Vec3<S>::zero();
    s[0].w = {c2 * c1, -(s2 * c1), s1};
    s[1].w = {s2, c2, o};
    s[2].w = {o, o, S(1)};
  }
  template <class S> static ZWANG_INLINE void rates(const JointInput<S>& in, const S* v, Motion<S>* r) {
    const auto* k = in.parameters;
    const S s0 = in.sin[0], c0 = in.cos[0], s1 = in.sin[1], c1 = in.cos[1], s2 = in.sin[2], c2 = in.cos[2], o(0);
    Motion<S> s[3];
    columns(in, s);
    const Vec3<S> w = s[0].w * v[0] + s[1].w * v[1] + s[2].w * v[2];
    const S cs = c0 * s1 * v[0] + s0 * c1 * v[1], sc = s0 * c1 * v[0] + c0 * s1 * v[1];  // rates of s0 s1 and of -c0 c1
    const S cc = c0 * c1 * v[0] - s0 * s1 * v[1], dd = c0 * c1 * v[1] - s0 * s1 * v[0];  // rates of s0 c1 and of c0 s1
    const Mat3<S> R = turn(in);
    r[0].v = transpose_times(R, Vec3<S>{o, sc * k[1], -cc * k[2]}) - cross(w, s[0].v);
    r[1].v = transpose_times(R, Vec3<S>{-(s1 * v[1]) * k[0], cs * k[1], -dd * k[2]}) - cross(w, s[1].v);
    r[0].w = {-(s2 * c1 * v[2]) - c2 * s1 * v[1], s2 * s1 * v[1] - c2 * c1 * v[2], c1 * v[1]};
    r[1].w = {c2 * v[2], -(s2 * v[2]), o};
    r[2] = Motion<S>::zero();
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
