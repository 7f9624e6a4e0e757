// SPDX-License-Identifier: BSD-3-Clause
// Force<S> = [f; n]: force, and moment about the reference point. Linear first; power = dot(motion, force).
#pragma once
#include "zwang/spatial/motion.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Force {
  Vec3<S> f;  ///< force [N]
  Vec3<S> n;  ///< moment about the reference point [N m]
  Force() = default;
  ZWANG_INLINE Force(const Vec3<S>& f_, const Vec3<S>& n_) : f(f_), n(n_) {}
  /// From six numbers of Eigen, linear first.
  template <EigenVector<S, 6> E> Force(const E& e) {
    detail::check_vector("Force", e.rows(), e.cols(), 6);
    const auto& x = e.eval();
    f = {S(x(0)), S(x(1)), S(x(2))};
    n = {S(x(3)), S(x(4)), S(x(5))};
  }
  auto eigen() const {
    typename EigenTypes<S>::Vector6 x;
    for (int i = 0; i < 6; ++i) x[i] = (*this)[i];
    return x;
  }
  static ZWANG_INLINE Force zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  ZWANG_INLINE S& operator[](int i) { return i < 3 ? f[i] : n[i - 3]; }
  ZWANG_INLINE const S& operator[](int i) const { return i < 3 ? f[i] : n[i - 3]; }
};

template <class A, class B> ZWANG_INLINE auto operator+(const Force<A>& a, const Force<B>& b) {
  return Force<Product<A, B>>{a.f + b.f, a.n + b.n};
}
template <class A, class B> ZWANG_INLINE auto operator-(const Force<A>& a, const Force<B>& b) {
  return Force<Product<A, B>>{a.f - b.f, a.n - b.n};
}
template <class S> ZWANG_INLINE Force<S> operator-(const Force<S>& a) { return {-a.f, -a.n}; }
template <class S> ZWANG_INLINE void operator+=(Force<S>& a, const Force<S>& b) {
  a.f += b.f;
  a.n += b.n;
}
template <class S> ZWANG_INLINE void operator-=(Force<S>& a, const Force<S>& b) {
  a.f -= b.f;
  a.n -= b.n;
}
template <class A, class B> ZWANG_INLINE auto operator*(const Force<A>& a, const B& s) {
  return Force<Product<A, B>>{a.f * s, a.n * s};
}
template <class A, class B> ZWANG_INLINE auto dot(const Motion<A>& m, const Force<B>& f) {
  return dot(m.v, f.f) + dot(m.w, f.n);
}
/// a x* f: the rate of change of a force carried along by the motion a.
template <class A, class B> ZWANG_INLINE auto cross(const Motion<A>& a, const Force<B>& f) {
  return Force<Product<A, B>>{cross(a.w, f.f), cross(a.w, f.n) + cross(a.v, f.f)};
}
template <class S, class A> ZWANG_INLINE Force<S> widen(const Force<A>& a) { return {widen<S>(a.f), widen<S>(a.n)}; }

/// The same force with its moment about the point r: n(r) = n + f x r.
template <class A, class B> ZWANG_INLINE auto with_reference_point(const Force<A>& f, const Vec3<B>& r) {
  return Force<Product<A, B>>{widen<Product<A, B>>(f.f), f.n + cross(f.f, r)};
}
/// The same force in other axes, with its moment about the same point: R f, R n.
template <class A, class B> ZWANG_INLINE auto with_basis(const Mat3<A>& R, const Force<B>& f) {
  return Force<Product<A, B>>{R * f.f, R * f.n};
}
/// From the child's origin and axes to the parent's: [R, 0; [p]R, R] f.
template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& X, const Force<B>& f) {
  const auto g = X.R * f.f;
  return Force<Product<A, B>>{g, X.R * f.n + cross(X.p, g)};
}
/// From the parent's origin and axes to the child's.
template <class A, class B> ZWANG_INLINE auto inverse_times(const Transform<A>& X, const Force<B>& f) {
  return Force<Product<A, B>>{transpose_times(X.R, f.f), transpose_times(X.R, f.n - cross(X.p, f.f))};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
