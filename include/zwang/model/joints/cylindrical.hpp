// SPDX-License-Identifier: BSD-3-Clause
// Cylindrical: slides along z and turns about it. q = (displacement [m], angle [rad]), v = their rates.
//
//   X_J = (Rz(q1), q0 e_z)      S = [e_z 0; 0 e_z]      constant in body axes
// Cost (mul + add): place 15 + 9, columns 0, general advance.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Cylindrical : Additive<2> {
  static constexpr const char* name = "cylindrical";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 0, angles = 0b10;

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = turn_z(b.placement.R, in.cos[0], in.sin[0]);
    X.p = b.placement.p + column_z(b.placement.R) * in.q[0];
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>* s) {
    s[0] = {{S(0), S(0), S(1)}, Vec3<S>::zero()};
    s[1] = {Vec3<S>::zero(), {S(0), S(0), S(1)}};
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
