// SPDX-License-Identifier: BSD-3-Clause
// User: a joint defined outside of the library (model/user_joint.hpp);
// every question goes through its table of functions.
//
//   X_J, S and dS/dt as the user's struct gives them, in body axes
// Cost: the user's functions and one indirect call each; general world columns and advance.
#pragma once
#include "zwang/model/joints/joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct User {
  static constexpr const char* name = "user";
  static constexpr int nq = 6, nv = 6;  // the most it can have; each joint's own numbers are in its Body
  static constexpr bool axis = true, constant_columns = false;
  static constexpr int parameters = -1, angles = 0;  // any number

  template <class S> static ZWANG_INLINE UserCalls<S> table(const UserJoint* user) { return UserCalls<S>(*user); }
  template <class S, class T>
  static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>& in, Transform<S>& X) {
    Transform<S> J;
    table<S>(in.user).transform(in.q, in.parameters, &J);
    X = b.placement * J;
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>& in, Motion<S>* s) {
    table<S>(in.user).columns(in.q, in.parameters, s);
  }
  template <class S> static ZWANG_INLINE void rates(const JointInput<S>& in, const S* v, Motion<S>* r) {
    table<S>(in.user).rates(in.q, v, in.parameters, r);
  }
};

}  // namespace ZWANG_ISA
}  // namespace zwang
