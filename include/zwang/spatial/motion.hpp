// SPDX-License-Identifier: BSD-3-Clause
// Motion<S> = [v; w]: velocity of the body-fixed point at the reference point, and angular velocity. Linear first.
//
// A motion (or force) has a reference point and a basis. Changing the one, the other,
// or both are three named operations:
//   with_reference_point(m, r)  the same basis, seen from the point r (from the old reference point)
//   with_basis(R, m)            the same point, components along other axes
//   X * m                       both: from the child frame's origin and axes to the parent's
#pragma once
#include "zwang/spatial/transform.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Motion {
  Vec3<S> v;  ///< linear [m/s]
  Vec3<S> w;  ///< angular [rad/s]
  Motion() = default;
  ZWANG_INLINE Motion(const Vec3<S>& v_, const Vec3<S>& w_) : v(v_), w(w_) {}
  /// From six numbers of Eigen, linear first.
  template <EigenVector<S, 6> E> Motion(const E& e) {
    detail::check_vector("Motion", e.rows(), e.cols(), 6);
    const auto& x = e.eval();
    v = {S(x(0)), S(x(1)), S(x(2))};
    w = {S(x(3)), S(x(4)), S(x(5))};
  }
  auto eigen() const {
    typename EigenTypes<S>::Vector6 x;
    for (int i = 0; i < 6; ++i) x[i] = (*this)[i];
    return x;
  }
  static ZWANG_INLINE Motion zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  ZWANG_INLINE S& operator[](int i) { return i < 3 ? v[i] : w[i - 3]; }
  ZWANG_INLINE const S& operator[](int i) const { return i < 3 ? v[i] : w[i - 3]; }
};

template <class A, class B> ZWANG_INLINE auto operator+(const Motion<A>& a, const Motion<B>& b) {
  return Motion<Product<A, B>>{a.v + b.v, a.w + b.w};
}
template <class A, class B> ZWANG_INLINE auto operator-(const Motion<A>& a, const Motion<B>& b) {
  return Motion<Product<A, B>>{a.v - b.v, a.w - b.w};
}
template <class S> ZWANG_INLINE Motion<S> operator-(const Motion<S>& a) { return {-a.v, -a.w}; }
template <class S> ZWANG_INLINE void operator+=(Motion<S>& a, const Motion<S>& b) {
  a.v += b.v;
  a.w += b.w;
}
template <class S> ZWANG_INLINE void operator-=(Motion<S>& a, const Motion<S>& b) {
  a.v -= b.v;
  a.w -= b.w;
}
template <class A, class B> ZWANG_INLINE auto operator*(const Motion<A>& a, const B& s) {
  return Motion<Product<A, B>>{a.v * s, a.w * s};
}
/// a x b: the rate of change of b carried along by a.
template <class A, class B> ZWANG_INLINE auto cross(const Motion<A>& a, const Motion<B>& b) {
  return Motion<Product<A, B>>{cross(a.w, b.v) + cross(a.v, b.w), cross(a.w, b.w)};
}
template <class S, class A> ZWANG_INLINE Motion<S> widen(const Motion<A>& a) { return {widen<S>(a.v), widen<S>(a.w)}; }

/// The same motion seen from the point r: v(r) = v + w x r.
template <class A, class B> ZWANG_INLINE auto with_reference_point(const Motion<A>& m, const Vec3<B>& r) {
  return Motion<Product<A, B>>{m.v + cross(m.w, r), widen<Product<A, B>>(m.w)};
}
/// The same motion with components along other axes: R maps the old axes' components to the new ones.
template <class A, class B> ZWANG_INLINE auto with_basis(const Mat3<A>& R, const Motion<B>& m) {
  return Motion<Product<A, B>>{R * m.v, R * m.w};
}
/// From the child's origin and axes to the parent's: [R, [p]R; 0, R] m.
template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& X, const Motion<B>& m) {
  const auto w = X.R * m.w;
  return Motion<Product<A, B>>{X.R * m.v + cross(X.p, w), w};
}
/// From the parent's origin and axes to the child's.
template <class A, class B> ZWANG_INLINE auto inverse_times(const Transform<A>& X, const Motion<B>& m) {
  return Motion<Product<A, B>>{transpose_times(X.R, m.v - cross(X.p, m.w)), transpose_times(X.R, m.w)};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
