// SPDX-License-Identifier: BSD-3-Clause
// Transform<S>: the pose of a child frame in its parent; maps child coordinates to parent coordinates, x_p = R x_c + p.
#pragma once
#include "zwang/spatial/mat3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Transform {
  Mat3<S> R;  ///< columns are the child's axes in the parent
  Vec3<S> p;  ///< origin of the child in the parent [m]
  Transform() = default;
  ZWANG_INLINE Transform(const Mat3<S>& R_, const Vec3<S>& p_) : R(R_), p(p_) {}
  /// From a 4 x 4 matrix of Eigen. Here and below: throws std::invalid_argument unless it
  /// is a rotation (to 1e-6) and a translation.
  template <EigenMatrix<S, 4, 4> E> Transform(const E& e) {
    detail::check_matrix("Transform", e.rows(), e.cols(), 4, 4);
    const auto& m = e.eval();
    double rows[16];
    for (int k = 0; k < 16; ++k) rows[k] = static_cast<double>(m(k / 4, k % 4));
    detail::check_rigid(rows);
    for (int i = 0; i < 3; ++i) R[i] = {S(m(i, 0)), S(m(i, 1)), S(m(i, 2))};
    p = {S(m(0, 3)), S(m(1, 3)), S(m(2, 3))};
  }
  /// From Eigen::Isometry3d and its like.
  template <EigenTransform E> Transform(const E& e) : Transform(e.matrix()) {}
  /// The 4 x 4 matrix.
  auto matrix() const {
    typename EigenTypes<S>::Matrix4 m;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) m(i, k) = R(i, k);
      m(i, 3) = p[i];
      m(3, i) = S(0);
    }
    m(3, 3) = S(1);
    return m;
  }
  /// Needs <Eigen/Geometry>.
  auto eigen() const { return typename EigenTypes<S>::Isometry(matrix()); }
  static ZWANG_INLINE Transform identity() { return {Mat3<S>::identity(), Vec3<S>::zero()}; }
};

template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& x, const Transform<B>& y) {
  return Transform<Product<A, B>>{x.R * y.R, x.p + x.R * y.p};
}
/// A point moved by the pose.
template <class A, class B> ZWANG_INLINE auto operator*(const Transform<A>& x, const Vec3<B>& r) {
  return x.p + x.R * r;
}
/// The pose of the parent in the child.
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
