// SPDX-License-Identifier: BSD-3-Clause
// Operations on Vec4 and Axes4 (padded.hpp), with which a recursion over bodies moves a whole vector in one or two
// registers; and conversions between vectors of four bodies and lanes. For kernels.
#pragma once
#include "zwang/spatial/padded.hpp"
#include "zwang/spatial/transform.hpp"

namespace zwang {
inline namespace ZWANG_ISA {

ZWANG_INLINE Vec4 vec4(double x, double y, double z) {
  const double numbers[4] = {x, y, z, 0};
  return Vec4::load(numbers);
}
ZWANG_INLINE Vec4 vec4(const Vec3<double>& a) { return vec4(a.x, a.y, a.z); }
ZWANG_INLINE Vec3<double> vec3(const Vec4& a) { return {a[0], a[1], a[2]}; }

namespace impl {
template <class Part> ZWANG_INLINE void turn(const Part (&a)[1], Part (&r)[1]) {
  r[0] = __builtin_shufflevector(a[0].lanes, a[0].lanes, 1, 2, 0, 3);
}
template <class Part> ZWANG_INLINE void turn(const Part (&a)[2], Part (&r)[2]) {
  r[0] = __builtin_shufflevector(a[0].lanes, a[1].lanes, 1, 2);
  r[1] = __builtin_shufflevector(a[0].lanes, a[1].lanes, 0, 3);
}
}  // namespace impl
/// (y, z, x)
ZWANG_INLINE Vec4 turned(const Vec4& a) {
  Vec4 r;
  impl::turn(a.part, r.part);
  return r;
}
ZWANG_INLINE Vec4 cross(const Vec4& a, const Vec4& b) { return turned(a * turned(b) - turned(a) * b); }

ZWANG_INLINE Axes4 identity4() { return {vec4(1, 0, 0), vec4(0, 1, 0), vec4(0, 0, 1)}; }
template <class T> ZWANG_INLINE Vec4 operator*(const Axes4& R, const Vec3<T>& a) {
  return R.x * a.x + R.y * a.y + R.z * a.z;
}
template <class T> ZWANG_INLINE Axes4 operator*(const Axes4& R, const Mat3<T>& J) {
  return {R * column_x(J), R * column_y(J), R * column_z(J)};
}
/// R^T a
ZWANG_INLINE Vec3<double> transpose_times(const Axes4& R, const Vec4& a) {
  return {sum(R.x * a), sum(R.y * a), sum(R.z * a)};
}
/// R Rz(angle), given cosine and sine.
ZWANG_INLINE Axes4 turn_z(const Axes4& R, double c, double s) { return {R.x * c + R.y * s, R.y * c - R.x * s, R.z}; }

// --- rows of numbers in memory: a vector, and one more number that is ignored

ZWANG_INLINE void load_rows(const double* p, Axes4& R, Vec4& at) {
  Vec4 r[4] = {Vec4::load(p), Vec4::load(p + 3), Vec4::load(p + 6), Vec4(0.0)};
  transpose(r);
  R = {r[0], r[1], r[2]};
  at = Vec4::load(p + 9);
}
/// Overwrites the number after them.
ZWANG_INLINE void store_rows(const Axes4& R, const Vec4& at, double* p) {
  Vec4 r[4] = {R.x, R.y, R.z, Vec4(0.0)};
  transpose(r);
  r[0].store(p);
  r[1].store(p + 3);
  r[2].store(p + 6);
  at.store(p + 9);
}
/// Both parts of a motion, whose seventh number must be zero.
ZWANG_INLINE void store_parts(const Vec4& v, const Vec4& w, PaddedMotion& m) {
  double* const p = &m.v.x;
  v.store(p);
  w.store(p + 3);
}

/// Vectors of four bodies, `stride` numbers apart, as one vector of lanes; and back.
ZWANG_INLINE Vec3<Vec4> load_lanes(const double* p, Index stride) {
  Vec4 r[4];
#pragma GCC unroll 4
  for (int l = 0; l < 4; ++l) r[l] = Vec4::load(p + l * stride);
  transpose(r);
  return {r[0], r[1], r[2]};
}
ZWANG_INLINE void store_lanes(const Vec3<Vec4>& a, double* p, Index stride) {
  Vec4 r[4] = {a.x, a.y, a.z, Vec4(0.0)};
  transpose(r);
#pragma GCC unroll 4
  for (int l = 0; l < 4; ++l) r[l].store(p + l * stride);
}

namespace impl {
template <class A, class B, int... L>
ZWANG_INLINE void join(const A& low, const B& high, Wide<double, 8>& r, std::integer_sequence<int, L...>) {
  constexpr int n = Vec4::parts;
  if constexpr (Wide<double, 8>::parts == n)
    r.part[0] = __builtin_shufflevector(low.part[0].lanes, high.part[0].lanes, L...);
  else
    for (int i = 0; i < n; ++i) {
      r.part[i] = low.part[i];
      r.part[n + i] = high.part[i];
    }
}
}  // namespace impl
ZWANG_INLINE Wide<double, 8> join(const Vec4& low, const Vec4& high) {
  Wide<double, 8> r;
  impl::join(low, high, r, std::make_integer_sequence<int, 8>());
  return r;
}
/// Eight numbers of each of four bodies, `stride` apart.
ZWANG_INLINE void store_lanes(const Vec4 (&a)[8], double* p, Index stride) {
  Vec4 low[4] = {a[0], a[1], a[2], a[3]}, high[4] = {a[4], a[5], a[6], a[7]};
  transpose(low);
  transpose(high);
#pragma GCC unroll 4
  for (int l = 0; l < 4; ++l) join(low[l], high[l]).store(p + l * stride);
}

}  // namespace ZWANG_ISA
}  // namespace zwang
