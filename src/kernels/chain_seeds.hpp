// SPDX-License-Identifier: BSD-3-Clause
// Where descents begin: a table of random configurations, searched for those whose tip is near a target.
//
// The key of a configuration leaves out the first and the last joint: the last axis as a line, origin o
// and direction u, seen from the first joint and turned about it so that o_y = 0; key = (2 o / length of the
// links, u). What is left out follows in closed form: the first joint turns by the difference of azimuths, the
// last one so that the attitude fits best,
//   tan x = a . sum_k axis_k r_k x r_tk / sum_k axis_k (r_k . r_tk - (a . r_k)(a . r_tk)).
// The table is scanned: 1024 entries in the four dimensions that are left lie as dense as 33 000 in six.
#pragma once
#include "kernels/chain_pose.hpp"

namespace zwang {
inline namespace ZWANG_ISA {
namespace chain {

inline constexpr double k_key_weight = 2;  // of places over the length of the links
inline constexpr double k_two_pi = 6.283185307179586477;

/// The line of the last axis (direction, origin in the base), as the table stores it.
ZWANG_INLINE double key_of(const SerialChain& c, const Vec4& direction, const Vec4& origin, float* key) {
  const Pose first = pose_of(c.placement[0], c.placement[0] + 9);
  const Vec4 o = origin - first.p;
  double x = dot3(first.R.x, o), y = dot3(first.R.y, o), azimuth = 0;
  double ux = dot3(first.R.x, direction), uy = dot3(first.R.y, direction);
  if (c.first_turns) {
    const double radius = std::sqrt(x * x + y * y);
    const double cos = radius > 1e-9 ? x / radius : 1, sin = radius > 1e-9 ? y / radius : 0;
    const double u = cos * ux + sin * uy;
    uy = cos * uy - sin * ux;
    ux = u;
    azimuth = std::atan2(sin, cos);
    x = radius;
    y = 0;
  }
  const double weight = k_key_weight / c.length;
  key[0] = static_cast<float>(weight * x);
  key[1] = static_cast<float>(weight * y);
  key[2] = static_cast<float>(weight * dot3(first.R.z, o));
  key[3] = static_cast<float>(ux);
  key[4] = static_cast<float>(uy);
  key[5] = static_cast<float>(dot3(first.R.z, direction));
  return azimuth;
}

/// x, or a full turn of it, within the limits of joint i; else the nearer limit. Returns what the limits cut off [rad].
ZWANG_INLINE double fit(const SerialChain& c, int i, double& x) {
  const double low = c.lower[i], high = c.upper[i], turn = k_two_pi / std::fabs(c.turn[i]);
  if (x >= low && x <= high) return 0;
  const double up = x < low ? std::ceil((low - x) / turn) * turn : 0,
               down = x > high ? std::ceil((x - high) / turn) * turn : 0;
  const double around = x + up - down;
  if (around >= low && around <= high) {
    x = around;
    return 0;
  }
  // Outside by every turn: the nearer limit is the one that the turn above or the turn below is nearer to.
  const double above = x < low ? around - high : x - high - (down - turn),
               below = x < low ? low - (around - turn) : low - around;
  x = above < below ? high : low;
  return std::fmin(above, below);
}

/// Turns the last joint so that the attitude fits best. Returns what its limits cut off.
template <int L> ZWANG_INLINE double fit_last(const SerialChain& c, const Target& to, double* q) {
  const int i = c.joints - 1;
  if (!c.last_turns || !(to.task.direction_weight > 0)) return 0;
  Place<L> at;
  place<L>(c, q, at);
  const Vec4 a = at.axis[i];
  const Miss miss(to, at.tip);
  const double* const k = to.task.axis;
  const Axes4 &r = at.tip.R, &t = to.X.R;
  const double across =
      (k[0] * dot3(a, r.x) * dot3(a, t.x) + k[1] * dot3(a, r.y) * dot3(a, t.y)) + k[2] * dot3(a, r.z) * dot3(a, t.z);
  const double angle = std::atan2(dot3(a, miss.s), miss.cosine + to.task.axis_offset - across);
  q[i] += angle / c.turn[i];
  return fit(c, i, q[i]) * std::fabs(c.turn[i]);
}

/// At most `count` <= k_side seeds for a target, best first; returns how many.
template <int L> ZWANG_INLINE int find_seeds(const SerialChain& c, const Target& to, int count,
                                             double (*out)[SerialChain::k_most_joints]) {
  constexpr int S = SerialChain::k_side;
  using Keys = Wide<float, S>;
  if (c.seeds == 0) return 0;
  const double* const P = c.placement[c.joints];  // line of the last axis at the target: X_t P_n^-1
  const Vec4 x = vec4(P[0], P[3], P[6]), y = vec4(P[1], P[4], P[7]), z = vec4(P[2], P[5], P[8]),
             p = vec4(P[9], P[10], P[11]);
  const Axes4& R = to.X.R;
  const auto turned_back = [&](double i, double j, double k) ZWANG_LAMBDA { return (R.x * i + R.y * j) + R.z * k; };
  const Vec4 direction = turned_back(P[6], P[7], P[8]);
  const Vec4 origin = to.X.p - turned_back((P[0] * (dot3(x, p)) + P[1] * dot3(y, p)) + P[2] * dot3(z, p),
                                           (P[3] * (dot3(x, p)) + P[4] * dot3(y, p)) + P[5] * dot3(z, p),
                                           (P[6] * (dot3(x, p)) + P[7] * dot3(y, p)) + P[8] * dot3(z, p));
  float key[6];
  const double azimuth = key_of(c, direction, origin, key);

  Keys best(1e30f), which(0.f);  // of each residue class of entries the nearest
  const float* entry = c.key;
  for (int b = 0; b < c.seeds / S; ++b, entry += 6 * S) {
    Keys distance(0.f);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      const Keys d = Keys::load(entry + k * S) - Keys(key[k]);
      distance += d * d;
    }
    const float number = static_cast<float>(b);
#pragma GCC unroll 4
    for (int i = 0; i < Keys::parts; ++i) {
      const auto nearer = less(distance.part[i], best.part[i]);
      best.part[i] = select(nearer, distance.part[i], best.part[i]);
      which.part[i] = select(nearer, typename Keys::Part(number), which.part[i]);
    }
  }

  double score[S];
  int order[S], found = 0;
  const auto insert = [&](double s, int entry_number) ZWANG_LAMBDA {
    int j = found++;
    for (; j > 0 && score[j - 1] > s; --j) score[j] = score[j - 1], order[j] = order[j - 1];
    score[j] = s;
    order[j] = entry_number;
  };
  for (int l = 0; l < S; ++l) {
    const int k = static_cast<int>(which[l]) * S + l;
    double first = azimuth - c.azimuth[k], s = static_cast<double>(best[l]);
    if (c.first_turns) {
      first /= c.turn[0];
      const double cut = fit(c, 0, first) * std::fabs(c.turn[0]);
      s += cut * cut;
    }
    insert(s, k);
  }
  // The nearest ones again, ranked by their place and what the limits of the last joint cut off.
  int nearest[S];
  for (int j = 0; j < count; ++j) nearest[j] = order[j];
  double seed[S][SerialChain::k_most_joints];
  found = 0;
  for (int j = 0; j < count; ++j) {
    const int k = nearest[j];
    for (int i = 0; i < L; ++i) seed[j][i] = c.start[k * SerialChain::k_most_joints + i];
    if (c.first_turns) {
      seed[j][0] = (azimuth - c.azimuth[k]) / c.turn[0];
      fit(c, 0, seed[j][0]);
    }
    const double cut = fit_last<L>(c, to, seed[j]);
    insert(cut * cut + 0.05 * j, j);
  }
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < L; ++i) out[j][i] = seed[order[j]][i];
  return count;
}

}  // namespace chain
}  // namespace ZWANG_ISA
}  // namespace zwang
