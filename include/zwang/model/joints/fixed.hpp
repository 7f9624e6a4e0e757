// SPDX-License-Identifier: BSD-3-Clause
// Fixed: does not move; no coordinates. Present in the tree only where lumping is switched off.
//
//   X_J = 1      S has no columns
// Cost: place 0, nothing else.
#pragma once
#include "zwang/model/joints/joint.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

struct Fixed : Additive<0> {
  static constexpr const char* name = "fixed";
  static constexpr bool axis = false, constant_columns = true;
  static constexpr int parameters = 0, angles = 0;

  template <class S, class T> static ZWANG_INLINE void place(const Body<T>& b, const JointInput<S>&, Transform<S>& X) {
    X = widen<S>(b.placement);
  }
  template <class S> static ZWANG_INLINE void columns(const JointInput<S>&, Motion<S>*) {}
  template <class S> static ZWANG_INLINE void world_columns(const Transform<S>&, const JointInput<S>&, Motion<S>*) {}
  template <class S> static ZWANG_INLINE void advance(const JointInput<S>&, const S*, const S*, LocalMotion<S>&) {}
  template <class S> static ZWANG_INLINE void project(const JointInput<S>&, const Force<S>&, S*) {}
};

}  // namespace ZWANG_ISA
}  // namespace zwang
