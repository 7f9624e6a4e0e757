// SPDX-License-Identifier: BSD-3-Clause
// SphericalZYX: turns about a point by angles z, then y, then x. q = (q0, q1, q2) about z, y, x [rad], v = their rates.
//
//   X_J = (Rz(q0) Ry(q1) Rx(q2), 0)
//   S (angular, body axes): Rx^T Ry^T e_z = (-s1, s2 c1, c2 c1),  Rx^T e_y = (0, c2, -s2),  e_x
//   Singular at q1 = +-pi/2, where the first and last axes coincide.
// Cost (mul + add): place 36 + 18, columns 2 + 0, rates 11 + 2.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct SphericalZYX : Additive<3> {
  static constexpr const char* name = "spherical_zyx";
  static constexpr bool axis = false, constant_columns = false;
  static constexpr int parameters = 0, angles = 0b111;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    const Mat3<S> zy = turn_y(turn_z(b.placement.R, in.cos[0], in.sin[0]), in.cos[1], in.sin[1]);
    X.R = turn_x(zy, in.cos[2], in.sin[2]);
    X.p = widen<S>(b.placement.p);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    const S s1 = in.sin[1], c1 = in.cos[1], s2 = in.sin[2], c2 = in.cos[2], o(0);
    s[0] = {Vec3<S>::zero(), {-s1, s2 * c1, c2 * c1}};
    s[1] = {Vec3<S>::zero(), {o, c2, -s2}};
    s[2] = {Vec3<S>::zero(), {S(1), o, o}};
  }
  template <class S> static ZWANG_INLINE void rates(const JointInput<S>& in, const S* v, Motion<S>* r) {
    const S s1 = in.sin[1], c1 = in.cos[1], s2 = in.sin[2], c2 = in.cos[2];
    r[0] = {Vec3<S>::zero(), {-(c1 * v[1]), c2 * c1 * v[2] - s2 * s1 * v[1], -(s2 * c1 * v[2]) - c2 * s1 * v[1]}};
    r[1] = {Vec3<S>::zero(), {S(0), -(s2 * v[2]), -(c2 * v[2])}};
    r[2] = Motion<S>::zero();
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
