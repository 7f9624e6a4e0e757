// SPDX-License-Identifier: BSD-3-Clause
// Linear programs of two variables: the highest and lowest x with a x + b y <= c for every row and some y.
//
// Rows with b > 0 bound y from above, with b < 0 from below; h(x), the lowest upper bound less the highest lower bound,
// is concave. From the end of what rows with b = 0 allow, x goes to where the two rows that bound y there meet, until
// h >= 0: Newton's method on a concave piecewise linear function (Kelley 1960), which ends at a vertex after a few
// steps. Vertices are computed from two rows alone, so that nothing is lost where x begins far away.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace zwang {

struct PlanarRow {
  double a, b, c;  ///< a x + b y <= c
  int owner;       ///< what the caller knows the row by
};

class PlanarProgram {
 public:
  std::vector<PlanarRow> rows;

  /// |x| <= box. False: there is no such point, and `blocking` is the owner of a row that closes the set.
  bool highest(double box, double& x) { return solve(1, box, x); }
  bool lowest(double box, double& x) { return solve(-1, box, x); }
  int blocking = -1;
  /// x and y are of one kind: a coefficient that is rounding beside the other one is 0, or it would bound y at will.
  static bool is_free_of_y(const PlanarRow& r) { return std::abs(r.b) <= 1e-12 * std::abs(r.a); }

 private:
  static constexpr double k_rounding = 1e-13;

  bool solve(double sign, double box, double& x) {
    double low = -box, high = box;
    int low_owner = -1, high_owner = -1;
    for (const PlanarRow& r : rows) {
      if (!is_free_of_y(r)) continue;
      if (r.a == 0) {
        if (r.c < 0) return closed_by(r.owner);
        continue;
      }
      const double bound = r.c / r.a;
      if (r.a > 0 && bound < high) {
        high = bound;
        high_owner = r.owner;
      }
      if (r.a < 0 && bound > low) {
        low = bound;
        low_owner = r.owner;
      }
    }
    if (low > high + k_rounding * (std::abs(low) + std::abs(high))) return closed_by(sign > 0 ? low_owner : high_owner);
    x = sign > 0 ? high : low;
    for (std::size_t step = 0; step <= 2 * rows.size() + 10; ++step) {
      const PlanarRow* upper = nullptr;
      const PlanarRow* lower = nullptr;
      double top = std::numeric_limits<double>::infinity(), bottom = -top;
      for (const PlanarRow& r : rows) {
        if (is_free_of_y(r)) continue;
        const double y = (r.c - r.a * x) / r.b;
        if (r.b > 0 && y < top) {
          top = y;
          upper = &r;
        }
        if (r.b < 0 && y > bottom) {
          bottom = y;
          lower = &r;
        }
      }
      if (upper == nullptr || lower == nullptr || top >= bottom) return true;
      const double size = (std::abs(upper->c) + std::abs(upper->a * x)) / upper->b -
                          (std::abs(lower->c) + std::abs(lower->a * x)) / lower->b;
      if (top - bottom >= -k_rounding * size) return true;
      // top - bottom = p - q x with these two rows
      const double p = upper->c / upper->b - lower->c / lower->b, q = upper->a / upper->b - lower->a / lower->b;
      if (!(sign * q > 0)) return closed_by(upper->owner >= 0 ? upper->owner : lower->owner);
      const double next = p / q;
      if (sign > 0 ? next >= x : next <= x) return true;  // no further than rounding lets it
      x = next;
      if (x < low - k_rounding * std::abs(low) || x > high + k_rounding * std::abs(high))
        return closed_by(upper->owner >= 0 ? upper->owner : lower->owner);
    }
    return true;
  }
  bool closed_by(int owner) {
    blocking = owner;
    return false;
  }
};

}  // namespace zwang
