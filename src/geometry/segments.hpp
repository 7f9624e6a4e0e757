// SPDX-License-Identifier: BSD-3-Clause
// Two segments: where they are nearest. Ericson, Real-Time Collision Detection, 2005, 5.1.9.
#pragma once
#include <algorithm>
#include <cmath>

#include "geometry/polytope.hpp"

namespace zwang::geometry {

struct Segment {
  Point from, to;
  Point at(double t) const { return from * (1 - t) + to * t; }
};

/// The parameter of the point of s that is nearest to x.
inline double nearest_on(const Segment& s, const Point& x) {
  const Point d = s.to - s.from;
  const double l = dot(d, d);
  return l > 0 ? std::clamp(dot(d, x - s.from) / l, 0.0, 1.0) : 0.5;
}

struct Nearest {
  double s = 0, t = 0;  ///< parameters of the two points
  double squared = 0;   ///< of their distance
};

/// The nearest points of two segments. Where they are parallel: in the middle of what lies side by side.
inline Nearest nearest(const Segment& a, const Segment& b) {
  const Point d = a.to - a.from, e = b.to - b.from, r = b.from - a.from;
  Nearest best{.s = 0, .t = 0, .squared = HUGE_VAL};
  const auto look = [&](double s, double t) {
    const Point x = b.at(t) - a.at(s);
    if (dot(x, x) < best.squared) best = {s, t, dot(x, x)};
  };
  const Point n = cross(d, e);
  const double sine = dot(n, n), dd = dot(d, d), ee = dot(e, e);
  if (sine > 1e-24 * dd * ee) {
    const double s = dot(cross(r, e), n) / sine, t = dot(cross(r, d), n) / sine;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return look(s, t), best;
  }
  look(0, nearest_on(b, a.from));
  look(1, nearest_on(b, a.to));
  look(nearest_on(a, b.from), 0);
  look(nearest_on(a, b.to), 1);
  return best;
}

}  // namespace zwang::geometry
