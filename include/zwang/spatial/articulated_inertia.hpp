// SPDX-License-Identifier: BSD-3-Clause
// ArticulatedInertia<S>: a symmetric 6x6 in 21 numbers, [M, H; H^T, I]; what a rigid inertia becomes once joints below
// yield.
#pragma once
#include "zwang/spatial/inertia.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class S> struct ArticulatedInertia {
  Sym3<S> M;   ///< force from linear acceleration
  Mat3<S> Ht;  ///< H^T: moment from linear acceleration
  Sym3<S> I;   ///< moment from angular acceleration
  static ZWANG_INLINE ArticulatedInertia zero() { return {Sym3<S>::zero(), Mat3<S>::zero(), Sym3<S>::zero()}; }
};

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

}  // namespace ZWANG_ISA
}  // namespace zwang
