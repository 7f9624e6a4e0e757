// SPDX-License-Identifier: BSD-3-Clause
// For tests: dense matrices written out by hand from the textbook definitions, in the scalar of the spatial types.
#pragma once
#include <array>

#include "../core/scalars.hpp"
#include "zwang/spatial/articulated_inertia.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::test {

// Never inlined: the tests instantiate them hundreds of times.
/// A dense matrix without any structure.
template <class S, int R, int C> struct Dense {
  std::array<std::array<S, C>, R> m{};
  Dense() {
    for (auto& row : m) row.fill(S(0));
  }
  S& operator()(int i, int j) { return m[i][j]; }
  const S& operator()(int i, int j) const { return m[i][j]; }
};
template <class S, int R, int K, int C>
[[gnu::noinline]] Dense<S, R, C> operator*(const Dense<S, R, K>& a, const Dense<S, K, C>& b) {
  Dense<S, R, C> r;
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j)
      for (int k = 0; k < K; ++k) r(i, j) += a(i, k) * b(k, j);
  return r;
}
template <class S, int R, int C>
[[gnu::noinline]] Dense<S, R, C> combine(const Dense<S, R, C>& a, const S& s, const Dense<S, R, C>& b) {  // a + s b
  Dense<S, R, C> r = a;
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) r(i, j) += s * b(i, j);
  return r;
}
template <class S, int R, int C> [[gnu::noinline]] Dense<S, C, R> transposed(const Dense<S, R, C>& a) {
  Dense<S, C, R> r;
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) r(j, i) = a(i, j);
  return r;
}
template <class S, int N> [[gnu::noinline]] Dense<S, N, N> unit_matrix() {
  Dense<S, N, N> r;
  for (int i = 0; i < N; ++i) r(i, i) = S(1);
  return r;
}
template <class S> [[gnu::noinline]] Dense<S, 3, 3> dense(const Mat3<S>& a) {
  Dense<S, 3, 3> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = a[i][j];
  return r;
}
template <class S> [[gnu::noinline]] Dense<S, 3, 3> dense(const Sym3<S>& a) {
  Dense<S, 3, 3> r;
  r(0, 0) = a.xx, r(1, 1) = a.yy, r(2, 2) = a.zz;
  r(0, 1) = r(1, 0) = a.xy, r(0, 2) = r(2, 0) = a.xz, r(1, 2) = r(2, 1) = a.yz;
  return r;
}
template <class S> [[gnu::noinline]] Dense<S, 3, 3> cross_matrix(const Vec3<S>& a) {
  Dense<S, 3, 3> r;
  r(0, 1) = -a.z, r(0, 2) = a.y, r(1, 2) = -a.x;
  r(1, 0) = a.z, r(2, 0) = -a.y, r(2, 1) = a.x;
  return r;
}
/// [a, b; c, d]
template <class S> [[gnu::noinline]] Dense<S, 6, 6> blocks(const Dense<S, 3, 3>& a, const Dense<S, 3, 3>& b,
                                                           const Dense<S, 3, 3>& c, const Dense<S, 3, 3>& d) {
  Dense<S, 6, 6> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      r(i, j) = a(i, j), r(i, j + 3) = b(i, j);
      r(i + 3, j) = c(i, j), r(i + 3, j + 3) = d(i, j);
    }
  return r;
}
template <class S> [[gnu::noinline]] Dense<S, 3, 1> column(const Vec3<S>& a) {
  Dense<S, 3, 1> r;
  for (int i = 0; i < 3; ++i) r(i, 0) = a[i];
  return r;
}
template <class V> [[gnu::noinline]] auto column6(const V& a) {  // Motion or Force
  using S = std::remove_cvref_t<decltype(a[0])>;
  Dense<S, 6, 1> r;
  for (int i = 0; i < 6; ++i) r(i, 0) = a[i];
  return r;
}
/// [R, [p]R; 0, R]
template <class S> [[gnu::noinline]] Dense<S, 6, 6> motion_matrix(const Transform<S>& X) {
  const Dense<S, 3, 3> R = dense(X.R);
  return blocks(R, cross_matrix(X.p) * R, Dense<S, 3, 3>{}, R);
}
/// [R, 0; [p]R, R]
template <class S> [[gnu::noinline]] Dense<S, 6, 6> force_matrix(const Transform<S>& X) {
  const Dense<S, 3, 3> R = dense(X.R);
  return blocks(R, Dense<S, 3, 3>{}, cross_matrix(X.p) * R, R);
}
/// m x = [[w], [v]; 0, [w]]
template <class S> [[gnu::noinline]] Dense<S, 6, 6> motion_cross_matrix(const Motion<S>& m) {
  return blocks(cross_matrix(m.w), cross_matrix(m.v), Dense<S, 3, 3>{}, cross_matrix(m.w));
}
/// [m 1, -[h]; [h], I]
template <class S> [[gnu::noinline]] Dense<S, 6, 6> inertia_matrix(const Inertia<S>& I) {
  Dense<S, 3, 3> m;
  for (int i = 0; i < 3; ++i) m(i, i) = I.m;
  return blocks(m, transposed(cross_matrix(I.h)), cross_matrix(I.h), dense(I.I));
}
template <class S> [[gnu::noinline]] Dense<S, 6, 6> inertia_matrix(const ArticulatedInertia<S>& A) {
  return blocks(dense(A.M), transposed(dense(A.Ht)), dense(A.Ht), dense(A.I));
}

/// Equal in every entry and lane to `factor` roundings of the largest of `scale` and the entry.
template <class S, int R, int C> [[gnu::noinline]] void expect_equal(const Dense<S, R, C>& a, const Dense<S, R, C>& b,
                                                                     long double factor, long double scale = 1) {
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j)
      for (int lane = 0; lane < lanes_of<S>; ++lane) {
        const long double x = Lanes<S>::value(a(i, j), lane), y = Lanes<S>::value(b(i, j), lane);
        ASSERT_TRUE(near(x, y, factor * rounding<S> * std::max(scale, std::fabs(y))))
            << i << ' ' << j << " lane " << lane;
        if constexpr (Lanes<S>::differentiates) {
          const long double dx = Lanes<S>::derivative(a(i, j), lane), dy = Lanes<S>::derivative(b(i, j), lane);
          ASSERT_TRUE(near(dx, dy, 4 * factor * rounding<S> * std::max(scale, std::fabs(dy))))
              << "derivative of " << i << ' ' << j;
        }
      }
}

/// Random spatial quantities with distinct values and derivatives in every lane.
template <class S> struct Draw {
  Random random;
  explicit Draw(std::uint64_t seed) : random(seed) {}
  [[gnu::noinline]] S number(double scale = 1) {
    S s(0);
    for (int lane = 0; lane < lanes_of<S>; ++lane) {
      const double value = scale * random.uniform(-1, 1);
      Lanes<S>::set(s, lane, value, random.uniform(-1, 1));
    }
    return s;
  }
  [[gnu::noinline]] Vec3<S> vector(double scale = 1) { return {number(scale), number(scale), number(scale)}; }
  [[gnu::noinline]] Motion<S> motion() { return {vector(2), vector(2)}; }
  [[gnu::noinline]] Force<S> force() { return {vector(2), vector(2)}; }
  [[gnu::noinline]] Transform<S> pose() { return {exp_so3(vector(3)), vector(2)}; }
  [[gnu::noinline]] Sym3<S> symmetric() { return {number(), number(), number(), number(), number(), number()}; }
  [[gnu::noinline]] Mat3<S> matrix() { return {vector(), vector(), vector()}; }
  [[gnu::noinline]] Inertia<S> inertia() { return {number() + Uniform<S>(2), vector(), symmetric()}; }
  [[gnu::noinline]] ArticulatedInertia<S> articulated_inertia() { return {symmetric(), matrix(), symmetric()}; }
};

}  // namespace zwang::test
