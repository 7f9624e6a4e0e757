// SPDX-License-Identifier: BSD-3-Clause
// Helical: a screw along z. q = angle [rad]; the child advances by pitch [m/rad] times the angle.
//
//   X_J = (Rz(q), h q e_z)      S = (0, 0, h, 0, 0, 1)      constant in body axes
// Cost (mul + add): place 16 + 9, columns 0, general advance.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Helical : Additive<1> {
  static constexpr const char* name = "helical";
  static constexpr bool axis = true, constant_columns = true;
  static constexpr int parameters = 1, angles = 0b1;  // pitch

  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    X.R = turn_z(b.placement.R, in.cos[0], in.sin[0]);
    X.p = b.placement.p + column_z(b.placement.R) * (in.q[0] * in.parameters[0]);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    s[0] = {{S(0), S(0), S(in.parameters[0])}, {S(0), S(0), S(1)}};
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
