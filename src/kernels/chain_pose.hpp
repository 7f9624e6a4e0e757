// SPDX-License-Identifier: BSD-3-Clause
// Pose, error and Jacobian of the tip of a serial chain, in registers: columns of rotations as vectors of four, columns
// of the Jacobian as vectors of eight, [linear, 0; angular, 0]. Sums have a fixed order, so that every instruction set
// gives the same bits (chain.cpp is compiled without contraction).
#pragma once
#include <cmath>

#include "core/chain_kernels.hpp"
#include "zwang/core/sincos.hpp"
#include "zwang/spatial/vec4.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace chain {

using Eight = Wide<double, 8>;

/// Of damped steps (chain.cpp): no joint moves by more than the cap, damping of the error's size, an error that has
/// fallen to this part of its value is progress.
inline constexpr double k_cap = 1.2, k_damping = 0.05, k_least_damping = 1e-12, k_progress = 0.7;

/// Beside angles a slide is measured by `measure`: the length of the links, or the distance to the target where that is
/// longer. Steps of a slide, in which the pose is linear, are then neither damped nor cut far away, and the same in all
/// units of length.
/// Returned: 1 where joint i turns; of a slide what moves the tip by `measure`.
ZWANG_INLINE double unit_of(const SerialChain& c, int i, double measure) {
  return c.turn[i] != 0 || c.slide[i] == 0 ? 1 : measure / std::fabs(c.slide[i]);
}
ZWANG_INLINE bool slides(const SerialChain& c) {
  bool some = false;
  for (int i = 0; i < c.joints; ++i) some = some || (c.turn[i] == 0 && c.slide[i] != 0);
  return some;
}

/// Where the six numbers of a vector stand in its eight lanes.
inline constexpr int k_lane[6] = {0, 1, 2, 4, 5, 6};

ZWANG_INLINE double sum3(const Vec4& a) { return (a[0] + a[1]) + a[2]; }
ZWANG_INLINE double dot3(const Vec4& a, const Vec4& b) { return sum3(a * b); }
/// a_k + a_(4+k)
template <class W> ZWANG_INLINE Vec4 fold(const W& a) {
  Vec4 r;
  if constexpr (W::parts == 1)
    r.part[0] = impl::halves_added(a.part[0].lanes, std::make_integer_sequence<int, 4>());
  else
    for (int i = 0; i < Vec4::parts; ++i) r.part[i] = a.part[i] + a.part[Vec4::parts + i];
  return r;
}
ZWANG_INLINE double dot6(const Eight& a, const Eight& b) { return sum3(fold(a * b)); }

/// A pose: columns of the rotation, origin.
struct Pose {
  Axes4 R;
  Vec4 p;
};
ZWANG_INLINE Pose pose_of(const double* R, const double* p) {
  return {{vec4(R[0], R[3], R[6]), vec4(R[1], R[4], R[7]), vec4(R[2], R[5], R[8])}, vec4(p[0], p[1], p[2])};
}

/// The pose of the tip; axes and origins of the joints on the way.
template <int L> struct Place {
  Pose tip;
  Vec4 axis[L], origin[L];
};

template <int L> ZWANG_INLINE void place(const SerialChain& c, const double* q, Place<L>& at) {
  using Lanes = Wide<double, L>;
  alignas(64) double sin[L], cos[L];
  const Lanes angle = Lanes::load(c.turn) * Lanes::load(q);
#pragma GCC unroll 16
  for (int i = 0; i < Lanes::parts; ++i) {
    const auto x = sincos(angle.part[i]);
    x.sin.store(sin + i * Lanes::part_lanes);
    x.cos.store(cos + i * Lanes::part_lanes);
  }
  Pose X = pose_of(c.placement[0], c.placement[0] + 9);
  for (int i = 0; i < c.joints; ++i) {
    at.axis[i] = X.R.z;
    at.origin[i] = X.p;
    if (c.slide[i] != 0) X.p += X.R.z * (c.slide[i] * q[i]);
    X.R = turn_z(X.R, cos[i], sin[i]);
    const double* const P = c.placement[i + 1];
    X.p = X.p + ((X.R.x * P[9] + X.R.y * P[10]) + X.R.z * P[11]);
    const Axes4 R = X.R;
    X.R.x = (R.x * P[0] + R.y * P[3]) + R.z * P[6];
    X.R.y = (R.x * P[1] + R.y * P[4]) + R.z * P[7];
    X.R.z = (R.x * P[2] + R.y * P[5]) + R.z * P[8];
  }
  at.tip = X;
}

/// The target of a task, in registers.
struct Target {
  const PoseTask& task;
  Pose X;
  ZWANG_INLINE explicit Target(const PoseTask& t) : task(t), X(pose_of(t.R, t.p)) {}
};

/// How far the tip is from the target.
struct Miss {
  Vec4 dp, s;     ///< p_t - p; sin t u
  double cosine;  ///< cos t
  ZWANG_INLINE Miss(const Target& to, const Pose& at) {
    const double* const k = to.task.axis;
    dp = to.X.p - at.p;
    s = (cross(at.R.x, to.X.R.x) * k[0] + cross(at.R.y, to.X.R.y) * k[1]) + cross(at.R.z, to.X.R.z) * k[2];
    cosine =
        sum3((at.R.x * to.X.R.x * k[0] + at.R.y * to.X.R.y * k[1]) + at.R.z * to.X.R.z * k[2]) - to.task.axis_offset;
  }
  /// Every entry is within its tolerance, and the attitude is not turned by more than a quarter.
  ZWANG_INLINE bool within(const PoseTask& t) const {
    bool in = true;
    if (t.position_weight > 0)
      for (int k = 0; k < 3; ++k) in = in && std::fabs(dp[k]) <= t.position_tolerance;
    if (t.direction_weight > 0)
      for (int k = 0; k < 3; ++k) in = in && std::fabs(s[k]) <= t.direction_tolerance;
    return in && (cosine > 0 || !(t.direction_weight > 0));
  }
};

/// The tip at a configuration: error e, its size E = |e|^2 / 2, and the columns of the Jacobian of -e.
template <int L> struct Look {
  Place<L> at;
  Eight J[L];  ///< zero for joints that are not there
  Eight e;
  double E, away;  ///< away: |p_t - p|, where it counts
  bool done;
};

/// e has no inverse cosine and stays bounded at half a turn; to first order it is the weighted pose error.
template <int L> ZWANG_INLINE void look(const SerialChain& c, const Target& to, const double* q, Look<L>& v) {
  place<L>(c, q, v.at);
  const Miss miss(to, v.at.tip);
  v.done = miss.within(to.task);
  const double w = to.task.position_weight, u = to.task.direction_weight;
  const double half = std::sqrt(2 / std::fmax(1 + miss.cosine, 1e-9));  // 2 sin(t/2) / sin t
  v.e = join(miss.dp * w, miss.s * (half * u));
  v.E = 0.5 * dot6(v.e, v.e);
  v.away = w > 0 ? std::sqrt(dot3(miss.dp, miss.dp)) : 0;
  for (int i = 0; i < c.joints; ++i) {
    const Vec4 a = v.at.axis[i];
    Vec4 linear = cross(a, v.at.tip.p - v.at.origin[i]) * (w * c.turn[i]);
    if (c.slide[i] != 0) linear += a * (w * c.slide[i]);
    v.J[i] = join(linear, a * (u * c.turn[i]));
  }
}

}  // namespace chain
}  // namespace ZWANG_ISA
}  // namespace zwang
