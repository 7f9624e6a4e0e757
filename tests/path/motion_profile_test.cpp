// SPDX-License-Identifier: BSD-3-Clause
// MotionProfile: closed forms of motions from rest to rest, and laws on random problems. That nothing is faster is
// tried with random motions between the same ends: none that keeps the limits takes less time.
#include "zwang/path/motion_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/effort.hpp"
#include "zwang/core/random.hpp"

namespace zwang::test {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

ProfilePoint after(const ProfilePoint& x, double t) {
  return {x.position + t * (x.velocity + t * (x.acceleration / 2 + t * x.jerk / 6)),
          x.velocity + t * (x.acceleration + t * x.jerk / 2), x.acceleration + t * x.jerk, x.jerk};
}
/// The velocity where the acceleration is brought to 0 at once.
double stopped(const ProfilePoint& x, double jerk) {
  return std::isinf(jerk) ? x.velocity : x.velocity + x.acceleration * std::abs(x.acceleration) / (2 * jerk);
}

struct Errors {
  double join = 0, limit = 0;
};
/// Jumps between pieces and at the end, and what exceeds the limits.
Errors errors_of(const MotionProfile& p, ProfilePoint x, const ProfilePoint& end, const ProfileLimits& l) {
  const double v_low = std::isnan(l.lower_velocity) ? -l.velocity : l.lower_velocity;
  const double a_low = std::isnan(l.lower_acceleration) ? -l.acceleration : l.lower_acceleration;
  Errors e;
  const bool smooth = std::isfinite(l.jerk);
  const auto jump = [&](const ProfilePoint& a, const ProfilePoint& b) {
    e.join = std::max({e.join, std::abs(a.position - b.position), std::abs(a.velocity - b.velocity)});
    if (smooth) e.join = std::max(e.join, std::abs(a.acceleration - b.acceleration));
  };
  for (Index k = 0; k < p.pieces(); ++k) {
    const auto& piece = p.piece(k);
    jump(piece.start, x);
    if (smooth) e.limit = std::max(e.limit, std::abs(piece.start.jerk) - l.jerk);
    for (int i = 0; i <= 20; ++i) {
      x = after(piece.start, piece.duration * i / 20);
      e.limit = std::max({e.limit, x.velocity - l.velocity, v_low - x.velocity, x.acceleration - l.acceleration,
                          a_low - x.acceleration});
    }
  }
  jump(end, x);
  return e;
}

struct Case {
  ProfileLimits limits;
  ProfilePoint start, end;
  double time = 0;  ///< of a motion that keeps the limits
};
/// A motion of up to six pieces with jerks (or accelerations) that are random or at their limits.
Case random_case(Random& g, bool smooth) {
  Case c;
  ProfileLimits& l = c.limits;
  l.velocity = g.uniform(0.3, 3);
  l.acceleration = g.uniform(0.3, 3);
  l.jerk = smooth ? g.uniform(0.3, 5) : k_infinite;
  if (g.uniform(0, 1) < 0.3) l.lower_velocity = -g.uniform(0.3, 3);
  if (g.uniform(0, 1) < 0.3) l.lower_acceleration = -g.uniform(0.3, 3);
  const double v_low = std::isnan(l.lower_velocity) ? -l.velocity : l.lower_velocity;
  const double a_low = std::isnan(l.lower_acceleration) ? -l.acceleration : l.lower_acceleration;
  const auto allowed = [&](const ProfilePoint& x) {
    const double s = stopped(x, l.jerk);
    return x.velocity >= v_low && x.velocity <= l.velocity && s >= v_low && s <= l.velocity &&
           x.acceleration >= a_low && x.acceleration <= l.acceleration;
  };
  ProfilePoint x;
  do {
    x = {g.uniform(-1, 1), g.uniform(v_low, l.velocity), smooth ? g.uniform(a_low, l.acceleration) : 0, 0};
  } while (!allowed(x));
  c.start = x;
  const int pieces = 1 + static_cast<int>(g.uniform(0, 6));
  for (int k = 0; k < pieces; ++k) {
    const double choice = g.uniform(0, 4);
    const double level = choice < 1 ? -1 : choice < 2 ? 0 : choice < 3 ? 1 : g.uniform(-1, 1);
    if (smooth)
      x.jerk = level * l.jerk;
    else
      x.acceleration = level * (level > 0 ? l.acceleration : -a_low);
    double t = g.uniform(0, 1.5);
    if (x.jerk > 0) t = std::min(t, (l.acceleration - x.acceleration) / x.jerk);
    if (x.jerk < 0) t = std::min(t, (a_low - x.acceleration) / x.jerk);
    const auto all_allowed = [&] {
      for (int i = 1; i <= 16; ++i)
        if (!allowed(after(x, t * i / 16))) return false;
      return true;
    };
    for (int i = 0; i < 30 && !all_allowed(); ++i) t /= 2;
    if (!all_allowed()) continue;
    x = after(x, t);
    c.time += t;
  }
  if (smooth && x.acceleration != 0) {
    x.jerk = x.acceleration > 0 ? -l.jerk : l.jerk;
    const double t = std::abs(x.acceleration) / l.jerk;
    x = after(x, t);
    c.time += t;
  }
  c.end = {x.position, std::clamp(x.velocity, v_low, l.velocity), 0, 0};
  return c;
}

TEST(MotionProfile, TrapezoidsHaveTheirClosedForm) {
  // d = 3, v = 1, a = 2: rise of 0.5 s, 2.5 s at full speed, fall
  const MotionProfile p = MotionProfile::fastest(1, 4, {.velocity = 1, .acceleration = 2});
  ASSERT_EQ(p.pieces(), 3);
  EXPECT_DOUBLE_EQ(p.duration(), 3 / 1. + 1 / 2.);
  EXPECT_DOUBLE_EQ(p.piece(0).duration, 0.5);
  EXPECT_DOUBLE_EQ(p.at(0.25).velocity, 0.5);
  EXPECT_DOUBLE_EQ(p.at(1).position, 1 + 0.25 + 0.5);
  EXPECT_DOUBLE_EQ(p.at(1).acceleration, 0);
  // too short for full speed: 2 sqrt(d / a)
  EXPECT_DOUBLE_EQ(MotionProfile::fastest(0, -0.1, {.velocity = 1, .acceleration = 2}).duration(),
                   2 * std::sqrt(0.1 / 2));
}

TEST(MotionProfile, DoubleSHasItsClosedForm) {
  // Biagiotti & Melchiorri (2008), equations 3.19 to 3.29: a reached, v reached; a alone; neither
  const double v = 1, a = 2, j = 10;
  const auto duration = [&](double d) {
    return MotionProfile::fastest(0, d, {.velocity = v, .acceleration = a, .jerk = j}).duration();
  };
  EXPECT_NEAR(duration(3), 3 / v + v / a + a / j, 1e-14);
  const double d = 0.5;  // 2 a^3 / j^2 = 0.16 < d < v (v / a + a / j) = 0.7
  EXPECT_NEAR(duration(d), a / j + std::sqrt(a * a / (j * j) + 4 * d / a), 1e-14);
  EXPECT_NEAR(duration(0.1), 4 * std::cbrt(0.1 / (2 * j)), 1e-14);
  EXPECT_NEAR(duration(1e-12), 4 * std::cbrt(1e-12 / (2 * j)), 1e-18);
  EXPECT_EQ(duration(0), 0);
}

TEST(MotionProfile, NoRandomMotionIsFaster) {
  for (const bool smooth : {true, false}) {
    Random g(smooth ? 1 : 2);
    const int wanted = effort(20000, 500);
    Errors worst;
    double slower = 0, ends = 0;
    for (int k = 0; k < wanted; ++k) {
      const Case c = random_case(g, smooth);
      const MotionProfile p = MotionProfile::fastest(c.start, c.end.position, c.end.velocity, c.limits);
      const Errors e = errors_of(p, c.start, c.end, c.limits);
      worst.join = std::max(worst.join, e.join);
      worst.limit = std::max(worst.limit, e.limit);
      slower = std::max(slower, (p.duration() - c.time) / (1 + c.time));
      ends = std::max({ends, std::abs(p.at(0).position - c.start.position),
                       std::abs(p.at(p.duration()).position - c.end.position),
                       std::abs(p.at(p.duration()).velocity - c.end.velocity)});
    }
    std::printf("%s: slower by %.1e, joins %.1e, limits %.1e\n", smooth ? "jerk" : "trapezoids", slower, worst.join,
                worst.limit);
    // Positions and times are below 20, and the root of a time loses half of their digits at most near the direct way.
    EXPECT_LT(slower, 1e-9);
    EXPECT_LT(worst.join, 1e-11);
    EXPECT_LT(worst.limit, 1e-13);
    EXPECT_EQ(ends, 0);
  }
}

TEST(MotionProfile, PositionsAreContinuousNearTheDirectWay) {
  // At a limit of velocity with hardly an acceleration: the last bits decide, but never by a jump.
  const ProfileLimits fast{.velocity = 11.623496545473465,
                           .acceleration = 3.211467744951072,
                           .jerk = 2475.7143647171542,
                           .lower_velocity = -1.16,
                           .lower_acceleration = -0.96};
  const ProfileLimits slow{
      .velocity = 0.9424825420981675, .acceleration = 0.286454722309878, .jerk = 0.3613851269397515};
  struct Problem {
    ProfileLimits limits;
    ProfilePoint start;
    double position, velocity;
  };
  const double v = fast.velocity, w = -slow.velocity;
  for (const Problem& p : {Problem{fast, {0, v, 3.2e-9, 0}, 7.458721858939321e-08, v},
                           Problem{slow, {0, w, 2.8645472230987804e-10, 0}, 0, w},
                           Problem{{.velocity = v, .acceleration = 4}, {0, v, 0, 0}, 4e-13, v}}) {
    const MotionProfile m = MotionProfile::fastest(p.start, p.position, p.velocity, p.limits);
    const Errors e = errors_of(m, p.start, {p.position, p.velocity, 0, 0}, p.limits);
    EXPECT_LT(e.join, 1e-13 * (1 + m.duration() * v));
    EXPECT_LT(e.limit, 1e-13);
  }
}

TEST(MotionProfile, UnitsOfLengthAndTimeDoNotMatter) {
  Random g(3);
  for (int k = 0; k < 200; ++k) {
    const Case c = random_case(g, true);
    const MotionProfile p = MotionProfile::fastest(c.start, c.end.position, c.end.velocity, c.limits);
    for (const auto& [length, time] : {std::pair{1e6, 1e-3}, {1e-9, 1.}, {1., 1e5}}) {
      const double v = length / time, a = v / time, j = a / time;
      const ProfileLimits l{c.limits.velocity * v, c.limits.acceleration * a, c.limits.jerk * j,
                            c.limits.lower_velocity * v, c.limits.lower_acceleration * a};
      const MotionProfile q =
          MotionProfile::fastest({c.start.position * length, c.start.velocity * v, c.start.acceleration * a, 0},
                                 c.end.position * length, c.end.velocity * v, l);
      EXPECT_NEAR(q.duration() / time, p.duration(), 1e-6 * (1 + p.duration()));
    }
  }
}

TEST(MotionProfile, LimitsMayBeAbsent) {
  // Without a limit of velocity and acceleration: four pieces of cubic motion.
  EXPECT_NEAR(MotionProfile::fastest(0, 8, {.jerk = 2}).duration(), 4 * std::cbrt(8 / 4.), 1e-14);
  EXPECT_NEAR(MotionProfile::fastest(0, 8, {.acceleration = 2}).duration(), 2 * std::sqrt(8 / 2.), 1e-14);
  EXPECT_NEAR(MotionProfile::fastest(0, 1e30, {.jerk = 2}).duration(), 4 * std::cbrt(1e30 / 4), 1e-4);
}

TEST(MotionProfile, StretchedTakesTheSameWay) {
  const MotionProfile p = MotionProfile::fastest(0, 1, {.velocity = 1, .acceleration = 2, .jerk = 5});
  const MotionProfile s = p.stretched(2 * p.duration());
  for (const double x : {0.1, 0.3, 0.7}) {
    const ProfilePoint a = p.at(x * p.duration()), b = s.at(x * s.duration());
    EXPECT_NEAR(a.position, b.position, 1e-15);
    EXPECT_NEAR(a.velocity, 2 * b.velocity, 1e-14);
    EXPECT_NEAR(a.acceleration, 4 * b.acceleration, 1e-14);
  }
  EXPECT_THROW(p.stretched(0.5 * p.duration()), std::invalid_argument);
}

TEST(MotionProfile, RefusesWhatHasNoAnswer) {
  const ProfileLimits l{.velocity = 1, .acceleration = 1, .jerk = 1};
  EXPECT_THROW(MotionProfile::fastest(0, 1, {.velocity = 1}), std::invalid_argument);
  EXPECT_THROW(MotionProfile::fastest(0, 1, {.velocity = -1, .acceleration = 1}), std::invalid_argument);
  EXPECT_THROW(MotionProfile::fastest(0, 1, {.acceleration = 1, .lower_velocity = 0.5}), std::invalid_argument);
  EXPECT_THROW(MotionProfile::fastest({0, 2, 0, 0}, 1, 0, l), std::invalid_argument);    // above the limit
  EXPECT_THROW(MotionProfile::fastest({0, 0.9, 1, 0}, 1, 0, l), std::invalid_argument);  // must leave it
  EXPECT_THROW(MotionProfile::fastest(0, k_infinite, l), std::invalid_argument);
  EXPECT_THROW(MotionProfile::fastest(0, std::nan(""), l), std::invalid_argument);
  EXPECT_THROW(MotionProfile::fastest(-1e308, 1e308, {.acceleration = 1e-300}), std::overflow_error);
  EXPECT_THROW(MotionProfile().piece(0), std::invalid_argument);
}

}  // namespace
}  // namespace zwang::test
