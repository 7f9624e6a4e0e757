// SPDX-License-Identifier: BSD-3-Clause
// Vec3<S>: three numbers. Every product is uniform x varying: the two sides may have different scalars.
#pragma once
#include <utility>

#include "zwang/core/eigen_shape.hpp"
#include "zwang/core/scalar.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

/// The scalar of a product of two scalars.
template <class A, class B> using Product = decltype(std::declval<A>() * std::declval<B>());

template <class S> struct Vec3 {
  S x, y, z;
  // Copies go element by element: a wide move after narrow stores stalls store forwarding (5 to 30 % in g++ kernels).
  Vec3() = default;
  ZWANG_INLINE Vec3(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
  ZWANG_INLINE Vec3(const Vec3& o) : x(o.x), y(o.y), z(o.z) {}
  ZWANG_INLINE Vec3& operator=(const Vec3& o) {
    x = o.x;
    y = o.y;
    z = o.z;
    return *this;
  }
  /// From a vector of Eigen; wrong sizes throw std::invalid_argument.
  template <EigenVector<S, 3> E> Vec3(const E& e) {
    detail::check_vector("Vec3", e.rows(), e.cols(), 3);
    const auto& v = e.eval();
    x = S(v(0)), y = S(v(1)), z = S(v(2));
  }
  auto eigen() const { return typename EigenTypes<S>::Vector3(x, y, z); }
  ZWANG_INLINE S& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  ZWANG_INLINE const S& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  static ZWANG_INLINE Vec3 zero() { return {S(0), S(0), S(0)}; }
};

template <class A, class B> ZWANG_INLINE auto operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<Product<A, B>>{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B> ZWANG_INLINE auto operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<Product<A, B>>{a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S> ZWANG_INLINE Vec3<S> operator-(const Vec3<S>& a) { return {-a.x, -a.y, -a.z}; }
template <class A, class B> ZWANG_INLINE void operator+=(Vec3<A>& a, const Vec3<B>& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
}
template <class A, class B> ZWANG_INLINE void operator-=(Vec3<A>& a, const Vec3<B>& b) {
  a.x -= b.x;
  a.y -= b.y;
  a.z -= b.z;
}
template <class A, class B> ZWANG_INLINE auto operator*(const Vec3<A>& a, const B& s) {
  return Vec3<Product<A, B>>{a.x * s, a.y * s, a.z * s};
}
template <class A, class B> ZWANG_INLINE auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B> ZWANG_INLINE auto cross(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<Product<A, B>>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S> ZWANG_INLINE S norm(const Vec3<S>& a) { return sqrt(dot(a, a)); }
/// The same numbers in another scalar: a constant seen by a state.
template <class S, class A> ZWANG_INLINE Vec3<S> widen(const Vec3<A>& a) { return {S(a.x), S(a.y), S(a.z)}; }

}  // namespace ZWANG_ISA
}  // namespace zwang
