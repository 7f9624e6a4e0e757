// SPDX-License-Identifier: BSD-3-Clause
// sincos for every scalar. For packs: reduction by pi/2 in parts (Cody & Waite 1980) and the minimax polynomials of
// fdlibm (double) and Cephes (float), branch-free; absolute error <= 2.3e-16 up to |x| = 1e6 (double) and <= 1e-7
// up to |x| = 1e3 (float; 8.9e-8 measured); libm beyond.
#pragma once
#include "zwang/core/dual.hpp"
#include "zwang/core/pack.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

namespace impl {
// Lanes beyond the range of the reduction, infinities and NaN go through libm one at a time. The other lanes keep their
// values: the result of a lane never depends on its neighbours.
template <class T, int N> inline __attribute__((noinline, cold)) void sincos_by_libm(const T* x, T limit, T* s, T* c) {
  for (int i = 0; i < N; ++i) {
    if (std::fabs(x[i]) < limit) continue;
    s[i] = std::sin(x[i]);
    c[i] = std::cos(x[i]);
  }
}
template <class T, int N>
ZWANG_INLINE SinCos<Pack<T, N>> within_range(const Pack<T, N>& x, T limit, const SinCos<Pack<T, N>>& fast) {
  if (!any(!less(abs(x), Pack<T, N>(limit)))) [[likely]]
    return fast;
  T in[N], s[N], c[N];
  x.store(in);
  fast.sin.store(s);
  fast.cos.store(c);
  sincos_by_libm<T, N>(in, limit, s, c);
  return {Pack<T, N>::load(s), Pack<T, N>::load(c)};
}
}  // namespace impl

template <int N> ZWANG_INLINE SinCos<Pack<double, N>> sincos(const Pack<double, N>& angle) {
  using P = Pack<double, N>;
  using V = typename P::Lanes;
  using I = typename P::Bits;
  constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves the integer in the low bits
  const V x = angle.lanes;
  const V t = x * 0.63661977236758134308 + round;
  I k;
  std::memcpy(&k, &t, sizeof k);
  const V n = t - round;
  const V r = (x - n * 1.57079632673412561417e+00) - n * 6.07710050650619224932e-11;
  const V z = r * r;
  const V sp = r + r * z *
                       (-1.66666666666666324348e-1 +
                        z * (8.33333333332248946124e-3 +
                             z * (-1.98412698298579493134e-4 +
                                  z * (2.75573137070700676789e-6 +
                                       z * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)))));
  const V cp = 1.0 - 0.5 * z +
               z * z *
                   (4.16666666666666019037e-2 +
                    z * (-1.38888888888741095749e-3 +
                         z * (2.48015872894767294178e-5 +
                              z * (-2.75573143513906633035e-7 +
                                   z * (2.08757232129817482790e-9 + z * -1.13596475577881948265e-11)))));
  const I odd = (k & 1) != 0;
  const V s = odd ? cp : sp, c = odd ? sp : cp;
  const I sign_s = (k & 2) << 62, sign_c = ((k + 1) & 2) << 62;
  const SinCos<P> fast{V(I(s) ^ sign_s), V(I(c) ^ sign_c)};
  return impl::within_range<double, N>(angle, 1e6, fast);
}

template <int N> ZWANG_INLINE SinCos<Pack<float, N>> sincos(const Pack<float, N>& angle) {
  using P = Pack<float, N>;
  using V = typename P::Lanes;
  using I = typename P::Bits;
  constexpr float round = 12582912.f;  // 1.5 * 2^23
  const V x = angle.lanes;
  const V t = x * 0.6366197723675814f + round;
  I k;
  std::memcpy(&k, &t, sizeof k);
  const V n = t - round;
  const V r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.54978995489188216e-8f;
  const V z = r * r;
  const V sp = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
  const V cp =
      1.f - 0.5f * z + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  const I odd = (k & 1) != 0;
  const V s = odd ? cp : sp, c = odd ? sp : cp;
  const I sign_s = (k & 2) << 30, sign_c = ((k + 1) & 2) << 30;
  const SinCos<P> fast{V(I(s) ^ sign_s), V(I(c) ^ sign_c)};
  return impl::within_range<float, N>(angle, 1e3f, fast);
}

// One double or float goes through the same polynomials, so that one state and a lane agree to the bit.
ZWANG_INLINE SinCos<double> sincos(double x) {
  const SinCos<Pack<double, 2>> r = sincos(Pack<double, 2>(x));
  return {r.sin[0], r.cos[0]};
}
ZWANG_INLINE SinCos<float> sincos(float x) {
  const SinCos<Pack<float, 4>> r = sincos(Pack<float, 4>(x));
  return {r.sin[0], r.cos[0]};
}
ZWANG_INLINE SinCos<long double> sincos(long double x) { return {std::sin(x), std::cos(x)}; }
template <class T> ZWANG_INLINE SinCos<std::complex<T>> sincos(const std::complex<T>& x) {
  return {std::sin(x), std::cos(x)};
}
template <class T> ZWANG_INLINE SinCos<Dual<T>> sincos(const Dual<T>& x) {
  const SinCos<T> r = sincos(x.v);
  return {{r.sin, r.cos * x.d}, {r.cos, -r.sin * x.d}};
}

}  // namespace ZWANG_ISA
}  // namespace zwang
