// SPDX-License-Identifier: BSD-3-Clause
// Momentum<A>: what bodies carry in motion. Their momentum, and the part of the Coriolis forces that is linear in a
// column: Echeandia & Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel symbols".
//
//   h = I v = [f; n];   1/2 B = -[0, [f]; 0, N]   with   N = [w] J + v h_c^T - (h_c.v) 1,   J = 1/2 tr(I_o) 1 - I_o
//   (h_c = m c, I_o about the origin)
//   B s = v x* I s - I (v x s) + s x* I v but for its left half, which is zero here
#pragma once
#include "zwang/spatial/inertia.hpp"
#include "zwang/spatial/mat3.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

template <class A> struct Momentum {
  Force<A> h;
  Mat3<A> N;

  /// 1/2 B s
  ZWANG_INLINE Force<A> half_times(const Motion<A>& s) const { return {cross(s.w, h.f), -(N * s.w)}; }
  /// The moment of 1/2 B^T s; its force is zero.
  ZWANG_INLINE Vec3<A> half_transposed_times(const Motion<A>& s) const {
    return cross(h.f, s.v) - transpose_times(N, s.w);
  }
};
inline constexpr Index k_momentum_numbers = 15;
/// From its numbers in order, at(0) first.
template <class A, class At> ZWANG_INLINE Momentum<A> momentum_from(At&& at) {
  return {{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}},
          {{at(6), at(7), at(8)}, {at(9), at(10), at(11)}, {at(12), at(13), at(14)}}};
}
/// Of a body with inertia I and motion x.
template <class A> ZWANG_INLINE Momentum<A> momentum_of(const Inertia<A>& I, const Motion<A>& x) {
  using T = Uniform<A>;
  const A t = trace(I.I) * T(0.5), hv = dot(I.h, x.v);
  const Vec3<A> Jx{t - I.I.xx, -I.I.xy, -I.I.xz}, Jy{-I.I.xy, t - I.I.yy, -I.I.yz}, Jz{-I.I.xz, -I.I.yz, t - I.I.zz};
  Mat3<A> N = from_columns(cross(x.w, Jx) + x.v * I.h.x, cross(x.w, Jy) + x.v * I.h.y, cross(x.w, Jz) + x.v * I.h.z);
  N.r0.x -= hv;
  N.r1.y -= hv;
  N.r2.z -= hv;
  return {I * x, N};
}
template <class A> ZWANG_INLINE void operator+=(Momentum<A>& a, const Momentum<A>& b) {
  a.h += b.h;
  a.N.r0 += b.N.r0;
  a.N.r1 += b.N.r1;
  a.N.r2 += b.N.r2;
}

}  // namespace ZWANG_ISA
}  // namespace zwang
