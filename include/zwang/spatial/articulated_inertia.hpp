// SPDX-License-Identifier: BSD-3-Clause
// ArticulatedInertia<S>: a symmetric 6x6 in 21 numbers, [M, H; H^T, I]: the inertia of a body whose subtree moves in
// its joints. One state of double keeps it as six padded columns (ColumnInertia) with the same operations.
#pragma once
#include "zwang/spatial/inertia.hpp"
#include "zwang/spatial/padded.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct ArticulatedInertia {
  Sym3<S> M;   ///< force from linear acceleration
  Mat3<S> Ht;  ///< H^T: moment from linear acceleration
  Sym3<S> I;   ///< moment from angular acceleration
  static ZWANG_INLINE ArticulatedInertia zero() { return {Sym3<S>::zero(), Mat3<S>::zero(), Sym3<S>::zero()}; }
};

/// A rigid inertia as an articulated one.
template <class S> ZWANG_INLINE ArticulatedInertia<S> articulated(const Inertia<S>& r) {
  return {Sym3<S>::diagonal(r.m, r.m, r.m), skew(r.h), r.I};
}
template <class A, class B> ZWANG_INLINE auto operator*(const ArticulatedInertia<A>& A_, const Motion<B>& x) {
  return Force<Product<A, B>>{A_.M * x.v + transpose_times(A_.Ht, x.w), A_.Ht * x.v + A_.I * x.w};
}
template <class S> ZWANG_INLINE void operator+=(ArticulatedInertia<S>& a, const ArticulatedInertia<S>& b) {
  a.M += b.M;
  a.Ht += b.Ht;
  a.I += b.I;
}
/// A -= G U^T (G parallel to U)
template <class S> ZWANG_INLINE void subtract_outer(ArticulatedInertia<S>& A, const Force<S>& G, const Force<S>& U) {
  subtract_outer(A.M, G.f, U.f);
  subtract_outer(A.Ht, G.n, U.f);
  subtract_outer(A.I, G.n, U.n);
}
/// Y += A - G U^T: the last column of a joint goes straight to the parent.
template <class S> ZWANG_INLINE void add_minus_outer(ArticulatedInertia<S>& Y, const ArticulatedInertia<S>& A,
                                                     const Force<S>& G, const Force<S>& U) {
  add_minus_outer(Y.M, A.M, G.f, U.f);
  add_minus_outer(Y.Ht, A.Ht, G.n, U.f);
  add_minus_outer(Y.I, A.I, G.n, U.n);
}

/// The traces of M and of I: bounds of the inertia along any linear and any angular direction.
template <class S> ZWANG_INLINE S linear_trace(const ArticulatedInertia<S>& A) { return trace(A.M); }
template <class S> ZWANG_INLINE S angular_trace(const ArticulatedInertia<S>& A) { return trace(A.I); }

/// The columns of an articulated inertia: c[k] is the force that causes the unit acceleration k.
struct ColumnInertia {
  Wide<double, 8> c0, c1, c2, c3, c4, c5;
};

ZWANG_INLINE Six operator*(const ColumnInertia& A, const PaddedMotion& m) {
  return {(A.c0 * m.v.x + A.c1 * m.v.y + A.c2 * m.v.z) + (A.c3 * m.w.x + A.c4 * m.w.y + A.c5 * m.w.z)};
}
ZWANG_INLINE void operator+=(ColumnInertia& a, const ColumnInertia& b) {
  a.c0 += b.c0;
  a.c1 += b.c1;
  a.c2 += b.c2;
  a.c3 += b.c3;
  a.c4 += b.c4;
  a.c5 += b.c5;
}
/// A -= G U^T with U in registers.
ZWANG_INLINE void subtract_outer(ColumnInertia& A, const Six& G, const Six& U) {
  A.c0 -= G.x * spread<0>(U.x);
  A.c1 -= G.x * spread<1>(U.x);
  A.c2 -= G.x * spread<2>(U.x);
  A.c3 -= G.x * spread<3>(U.x);
  A.c4 -= G.x * spread<4>(U.x);
  A.c5 -= G.x * spread<5>(U.x);
}
ZWANG_INLINE void subtract_outer(ColumnInertia& A, const Six& G, const PaddedForce& U) {
  subtract_outer(A, G, U.six());
}
ZWANG_INLINE void subtract_outer(ColumnInertia& A, const Force<double>& G, const Force<double>& U) {
  subtract_outer(A, PaddedForce(G).six(), PaddedForce(U));
}
ZWANG_INLINE void add_minus_outer(ColumnInertia& Y, const ColumnInertia& A, const Six& G, const PaddedForce& U) {
  Y.c0 += A.c0 - G.x * U.number(0);
  Y.c1 += A.c1 - G.x * U.number(1);
  Y.c2 += A.c2 - G.x * U.number(2);
  Y.c3 += A.c3 - G.x * U.number(3);
  Y.c4 += A.c4 - G.x * U.number(4);
  Y.c5 += A.c5 - G.x * U.number(5);
}
ZWANG_INLINE double linear_trace(const ColumnInertia& A) { return A.c0[0] + A.c1[1] + A.c2[2]; }
ZWANG_INLINE double angular_trace(const ColumnInertia& A) { return A.c3[3] + A.c4[4] + A.c5[5]; }

/// A rigid inertia in columns.
ZWANG_INLINE ColumnInertia column_inertia_of(const Inertia<double>& J) {
  const Vec3<double>& h = J.h;
  const auto column = [](double a, double b, double c, double d, double e, double f) ZWANG_LAMBDA {
    const double x[8] = {a, b, c, d, e, f, 0, 0};
    return Wide<double, 8>::load(x);
  };
  return {column(J.m, 0, 0, 0, h.z, -h.y),
          column(0, J.m, 0, -h.z, 0, h.x),
          column(0, 0, J.m, h.y, -h.x, 0),
          column(0, -h.z, h.y, J.I.xx, J.I.xy, J.I.xz),
          column(h.z, 0, -h.x, J.I.xy, J.I.yy, J.I.yz),
          column(-h.y, h.x, 0, J.I.xz, J.I.yz, J.I.zz)};
}

/// How one state of S carries an articulated inertia.
template <class S> using CarriedInertia =
    std::conditional_t<std::is_same_v<S, double>, ColumnInertia, ArticulatedInertia<S>>;

}  // namespace ZWANG_ISA
}  // namespace zwang
