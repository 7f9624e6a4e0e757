// SPDX-License-Identifier: BSD-3-Clause
// Sym3<S>: a symmetric 3x3 matrix in six numbers.
#pragma once
#include "zwang/spatial/mat3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct Sym3 {
  S xx, xy, xz, yy, yz, zz;
  Sym3() = default;
  ZWANG_INLINE Sym3(const S& a, const S& b, const S& c, const S& d, const S& e, const S& f)
      : xx(a),
        xy(b),
        xz(c),
        yy(d),
        yz(e),
        zz(f) {}
  ZWANG_INLINE Sym3(const Sym3& o) : xx(o.xx), xy(o.xy), xz(o.xz), yy(o.yy), yz(o.yz), zz(o.zz) {}
  ZWANG_INLINE Sym3& operator=(const Sym3& o) {
    xx = o.xx;
    xy = o.xy;
    xz = o.xz;
    yy = o.yy;
    yz = o.yz;
    zz = o.zz;
    return *this;
  }
  /// From a matrix of Eigen; the mean of it and its transpose.
  template <EigenMatrix<S, 3, 3> E> Sym3(const E& e) {
    detail::check_matrix("Sym3", e.rows(), e.cols(), 3, 3);
    const auto& m = e.eval();
    xx = S(m(0, 0)), yy = S(m(1, 1)), zz = S(m(2, 2));
    xy = (S(m(0, 1)) + S(m(1, 0))) / S(2);
    xz = (S(m(0, 2)) + S(m(2, 0))) / S(2);
    yz = (S(m(1, 2)) + S(m(2, 1))) / S(2);
  }
  auto eigen() const {
    typename EigenTypes<S>::Matrix3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  static ZWANG_INLINE Sym3 zero() { return diagonal(S(0), S(0), S(0)); }
  static ZWANG_INLINE Sym3 diagonal(const S& a, const S& b, const S& c) { return {a, S(0), S(0), b, S(0), c}; }
};

template <class A, class B> ZWANG_INLINE auto operator*(const Sym3<A>& m, const Vec3<B>& v) {
  return Vec3<Product<A, B>>{m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                             m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class A, class B> ZWANG_INLINE auto operator+(const Sym3<A>& a, const Sym3<B>& b) {
  return Sym3<Product<A, B>>{a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class A, class B> ZWANG_INLINE auto operator-(const Sym3<A>& a, const Sym3<B>& b) {
  return Sym3<Product<A, B>>{a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
template <class A, class B> ZWANG_INLINE auto operator*(const Sym3<A>& a, const B& s) {
  return Sym3<Product<A, B>>{a.xx * s, a.xy * s, a.xz * s, a.yy * s, a.yz * s, a.zz * s};
}
template <class S> ZWANG_INLINE void operator+=(Sym3<S>& a, const Sym3<S>& b) {
  a.xx += b.xx;
  a.xy += b.xy;
  a.xz += b.xz;
  a.yy += b.yy;
  a.yz += b.yz;
  a.zz += b.zz;
}
template <class S, class A> ZWANG_INLINE Sym3<S> widen(const Sym3<A>& a) {
  return {S(a.xx), S(a.xy), S(a.xz), S(a.yy), S(a.yz), S(a.zz)};
}
template <class S> ZWANG_INLINE S trace(const Sym3<S>& a) { return a.xx + a.yy + a.zz; }
/// All nine numbers.
template <class S> ZWANG_INLINE Mat3<S> full(const Sym3<S>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}

/// R A R^T
template <class S, class T> ZWANG_INLINE Sym3<S> congruence(const Mat3<S>& R, const Sym3<T>& A) {
  const Vec3<S> a0 = A * R.r0, a1 = A * R.r1, a2 = A * R.r2;
  return {dot(R.r0, a0), dot(R.r0, a1), dot(R.r0, a2), dot(R.r1, a1), dot(R.r1, a2), dot(R.r2, a2)};
}
/// m (|r|^2 1 - r r^T) for a point mass at r: -m [r][r]
template <class S, class T> ZWANG_INLINE Sym3<Product<S, T>> point_inertia(const T& m, const Vec3<S>& r) {
  const auto x = r * m;
  return {x.y * r.y + x.z * r.z, -(x.x * r.y), -(x.x * r.z),
          x.x * r.x + x.z * r.z, -(x.y * r.z), x.x * r.x + x.y * r.y};
}
/// A minus the symmetric part of ([p][h] + [k][p]): moves a rotational inertia with first moment h by p, k = h + m p.
template <class S>
ZWANG_INLINE Sym3<S> shifted(const Sym3<S>& A, const Vec3<S>& p, const Vec3<S>& h, const Vec3<S>& k) {
  const S hp = dot(h, p), kp = dot(k, p), d = hp + kp;
  return {A.xx + d - (h.x + k.x) * p.x, A.xy - (p.x * h.y + k.x * p.y), A.xz - (p.x * h.z + k.x * p.z),
          A.yy + d - (h.y + k.y) * p.y, A.yz - (p.y * h.z + k.y * p.z), A.zz + d - (h.z + k.z) * p.z};
}
/// m - a b^T in place, where a b^T is symmetric (a parallel to b)
template <class S> ZWANG_INLINE void subtract_outer(Sym3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  m.xx -= a.x * b.x;
  m.xy -= a.x * b.y;
  m.xz -= a.x * b.z;
  m.yy -= a.y * b.y;
  m.yz -= a.y * b.z;
  m.zz -= a.z * b.z;
}
/// y += m - a b^T
template <class S> ZWANG_INLINE void add_minus_outer(Sym3<S>& y, const Sym3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  y.xx += m.xx - a.x * b.x;
  y.xy += m.xy - a.x * b.y;
  y.xz += m.xz - a.x * b.z;
  y.yy += m.yy - a.y * b.y;
  y.yz += m.yz - a.y * b.z;
  y.zz += m.zz - a.z * b.z;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
