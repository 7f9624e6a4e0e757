// SPDX-License-Identifier: BSD-3-Clause
// Spatial quantities side by side: number r of all lanes is at(r), or goes to(r, value).
#pragma once
#include "zwang/core/side_by_side.hpp"
#include "zwang/spatial/inertia.hpp"
#include "zwang/spatial/transform.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class A, class At> ZWANG_INLINE Transform<A> transform_from(At&& at) {
  return {{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, {at(6), at(7), at(8)}}, {at(9), at(10), at(11)}};
}
template <class A, class At> ZWANG_INLINE Inertia<A> inertia_from(At&& at) {
  return {at(0), {at(1), at(2), at(3)}, {at(4), at(5), at(6), at(7), at(8), at(9)}};
}
template <class A, class To> ZWANG_INLINE void inertia_to(const Inertia<A>& x, To&& to) {
  to(0, x.m);
  to(1, x.h.x);
  to(2, x.h.y);
  to(3, x.h.z);
  to(4, x.I.xx);
  to(5, x.I.xy);
  to(6, x.I.xz);
  to(7, x.I.yy);
  to(8, x.I.yz);
  to(9, x.I.zz);
}
template <class A, class At> ZWANG_INLINE Motion<A> motion_from(At&& at) {
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}
/// The numbers of Transform, Inertia, Motion<T>s, side by side: lane l is of what(l).
template <class T, int L, class What> ZWANG_INLINE auto numbers_of(What&& what) {
  return [=](int r) ZWANG_LAMBDA {
    return side_of<T, L>([&](int l) ZWANG_LAMBDA { return reinterpret_cast<const T*>(&what(l))[r]; });
  };
}

/// Transform, Inertia, Motion<T>s side by side: lane l is what(l).
template <class T, int L, class What> ZWANG_INLINE Transform<SideOf<T, L>> transforms_of(What&& what) {
  return transform_from<SideOf<T, L>>(numbers_of<T, L>(what));
}
template <class T, int L, class What> ZWANG_INLINE Inertia<SideOf<T, L>> inertias_of(What&& what) {
  return inertia_from<SideOf<T, L>>(numbers_of<T, L>(what));
}
template <class T, int L, class What> ZWANG_INLINE Motion<SideOf<T, L>> motions_of(What&& what) {
  return motion_from<SideOf<T, L>>(numbers_of<T, L>(what));
}

}  // namespace ZWANG_ISA
}  // namespace zwang
