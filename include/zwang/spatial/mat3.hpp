// SPDX-License-Identifier: BSD-3-Clause
// Mat3<S>: a general 3x3 matrix as three rows; rotations are Mat3 whose columns are the child's axes in the parent.
#pragma once
#include "zwang/spatial/vec3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Mat3 {
  Vec3<S> r0, r1, r2;  ///< rows
  Mat3() = default;
  ZWANG_INLINE Mat3(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) : r0(a), r1(b), r2(c) {}
  template <EigenMatrix<S, 3, 3> E> Mat3(const E& e) {
    detail::check_matrix("Mat3", e.rows(), e.cols(), 3, 3);
    const auto& m = e.eval();
    for (int i = 0; i < 3; ++i) (*this)[i] = {S(m(i, 0)), S(m(i, 1)), S(m(i, 2))};
  }
  auto eigen() const {
    typename EigenTypes<S>::Matrix3 m;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) m(i, k) = (*this)(i, k);
    return m;
  }
  static ZWANG_INLINE Mat3 identity() { return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}}; }
  static ZWANG_INLINE Mat3 zero() { return {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()}; }
  ZWANG_INLINE Vec3<S>& operator[](int row) { return row == 0 ? r0 : row == 1 ? r1 : r2; }
  ZWANG_INLINE const Vec3<S>& operator[](int row) const { return row == 0 ? r0 : row == 1 ? r1 : r2; }
  ZWANG_INLINE const S& operator()(int row, int column) const { return (*this)[row][column]; }
};

/// Columns: of a rotation, the child's axes in the parent.
template <class S> ZWANG_INLINE Vec3<S> column_x(const Mat3<S>& m) { return {m.r0.x, m.r1.x, m.r2.x}; }
template <class S> ZWANG_INLINE Vec3<S> column_y(const Mat3<S>& m) { return {m.r0.y, m.r1.y, m.r2.y}; }
template <class S> ZWANG_INLINE Vec3<S> column_z(const Mat3<S>& m) { return {m.r0.z, m.r1.z, m.r2.z}; }
/// The matrix with these columns.
template <class S> ZWANG_INLINE Mat3<S> from_columns(const Vec3<S>& x, const Vec3<S>& y, const Vec3<S>& z) {
  return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}
/// Of a rotation: its inverse.
template <class S> ZWANG_INLINE Mat3<S> transpose(const Mat3<S>& m) { return {column_x(m), column_y(m), column_z(m)}; }

template <class A, class B> ZWANG_INLINE auto operator*(const Mat3<A>& m, const Vec3<B>& v) {
  return Vec3<Product<A, B>>{dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)};
}
/// m^T v
template <class A, class B> ZWANG_INLINE auto transpose_times(const Mat3<A>& m, const Vec3<B>& v) {
  return Vec3<Product<A, B>>{m.r0.x * v.x + m.r1.x * v.y + m.r2.x * v.z, m.r0.y * v.x + m.r1.y * v.y + m.r2.y * v.z,
                             m.r0.z * v.x + m.r1.z * v.y + m.r2.z * v.z};
}
template <class A, class B> ZWANG_INLINE auto operator*(const Mat3<A>& m, const Mat3<B>& n) {
  return Mat3<Product<A, B>>{transpose_times(n, m.r0), transpose_times(n, m.r1), transpose_times(n, m.r2)};
}
/// m^T n
template <class A, class B> ZWANG_INLINE auto transpose_times(const Mat3<A>& m, const Mat3<B>& n) {
  return transpose(m) * n;
}
template <class A, class B> ZWANG_INLINE auto operator*(const Mat3<A>& m, const B& s) {
  return Mat3<Product<A, B>>{m.r0 * s, m.r1 * s, m.r2 * s};
}
template <class A, class B> ZWANG_INLINE auto operator+(const Mat3<A>& m, const Mat3<B>& n) {
  return Mat3<Product<A, B>>{m.r0 + n.r0, m.r1 + n.r1, m.r2 + n.r2};
}
template <class A, class B> ZWANG_INLINE auto operator-(const Mat3<A>& m, const Mat3<B>& n) {
  return Mat3<Product<A, B>>{m.r0 - n.r0, m.r1 - n.r1, m.r2 - n.r2};
}
template <class S> ZWANG_INLINE void operator+=(Mat3<S>& m, const Mat3<S>& n) {
  m.r0 += n.r0;
  m.r1 += n.r1;
  m.r2 += n.r2;
}
template <class S> ZWANG_INLINE void operator-=(Mat3<S>& m, const Mat3<S>& n) {
  m.r0 -= n.r0;
  m.r1 -= n.r1;
  m.r2 -= n.r2;
}
template <class S, class A> ZWANG_INLINE Mat3<S> widen(const Mat3<A>& m) {
  return {widen<S>(m.r0), widen<S>(m.r1), widen<S>(m.r2)};
}
/// The sum of the diagonal.
template <class S> ZWANG_INLINE S trace(const Mat3<S>& m) { return m.r0.x + m.r1.y + m.r2.z; }

/// The cross matrix: skew(a) b = a x b.
template <class S> ZWANG_INLINE Mat3<S> skew(const Vec3<S>& a) {
  const S o(0);
  return {{o, -a.z, a.y}, {a.z, o, -a.x}, {-a.y, a.x, o}};
}
/// R Rz(angle), given cosine and sine: a turn about the local z axis.
template <class S, class T> ZWANG_INLINE Mat3<S> turn_z(const Mat3<T>& R, const S& c, const S& s) {
  return {{R.r0.x * c + R.r0.y * s, R.r0.y * c - R.r0.x * s, S(R.r0.z)},
          {R.r1.x * c + R.r1.y * s, R.r1.y * c - R.r1.x * s, S(R.r1.z)},
          {R.r2.x * c + R.r2.y * s, R.r2.y * c - R.r2.x * s, S(R.r2.z)}};
}
/// R Rx(angle)
template <class S, class T> ZWANG_INLINE Mat3<S> turn_x(const Mat3<T>& R, const S& c, const S& s) {
  return {{S(R.r0.x), R.r0.y * c + R.r0.z * s, R.r0.z * c - R.r0.y * s},
          {S(R.r1.x), R.r1.y * c + R.r1.z * s, R.r1.z * c - R.r1.y * s},
          {S(R.r2.x), R.r2.y * c + R.r2.z * s, R.r2.z * c - R.r2.y * s}};
}
/// R Ry(angle)
template <class S, class T> ZWANG_INLINE Mat3<S> turn_y(const Mat3<T>& R, const S& c, const S& s) {
  return {{R.r0.x * c - R.r0.z * s, S(R.r0.y), R.r0.x * s + R.r0.z * c},
          {R.r1.x * c - R.r1.z * s, S(R.r1.y), R.r1.x * s + R.r1.z * c},
          {R.r2.x * c - R.r2.z * s, S(R.r2.y), R.r2.x * s + R.r2.z * c}};
}
/// E = [al] + [w][w]: the acceleration field of a rigid body, a(r) = a(0) + E r.
template <class S> ZWANG_INLINE Mat3<S> acceleration_field(const Vec3<S>& w, const Vec3<S>& al) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-yy - zz, xy - al.z, xz + al.y}, {xy + al.z, -xx - zz, yz - al.x}, {xz - al.y, yz + al.x, -xx - yy}};
}
/// m - a b^T, in place
template <class S> ZWANG_INLINE void subtract_outer(Mat3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  m.r0 -= b * a.x;
  m.r1 -= b * a.y;
  m.r2 -= b * a.z;
}
/// y += m - a b^T
template <class S> ZWANG_INLINE void add_minus_outer(Mat3<S>& y, const Mat3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  y.r0 += m.r0 - b * a.x;
  y.r1 += m.r1 - b * a.y;
  y.r2 += m.r2 - b * a.z;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
