// SPDX-License-Identifier: BSD-3-Clause
// Transform<S>: the pose of a child frame in its parent; maps child coordinates to parent coordinates, x_p = R x_c + p.
#pragma once
#include "zwang/spatial/mat3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Transform {
  Mat3<S> R;  ///< columns are the child's axes in the parent
  Vec3<S> p;  ///< origin of the child in the parent [m]
  static ZWANG_INLINE Transform identity() { return {Mat3<S>::identity(), Vec3<S>::zero()}; }
};

template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& x, const Transform<B>& y) {
  return Transform<Product<A, B>>{x.R * y.R, x.p + x.R * y.p};
}
/// A point moved by the pose.
template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& x, const Vec3<B>& r) {
  return x.p + x.R * r;
}
template <class S> ZWANG_INLINE Transform<S> inverse(const Transform<S>& x) {
  return {transpose(x.R), -transpose_times(x.R, x.p)};
}
/// inverse(x) * y
template <class A, class B> ZWANG_INLINE auto inverse_times(const Transform<A>& x, const Transform<B>& y) {
  return Transform<Product<A, B>>{transpose_times(x.R, y.R), transpose_times(x.R, y.p - x.p)};
}
template <class S, class A> ZWANG_INLINE Transform<S> widen(const Transform<A>& x) {
  return {widen<S>(x.R), widen<S>(x.p)};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
