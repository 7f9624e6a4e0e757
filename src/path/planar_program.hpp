// SPDX-License-Identifier: BSD-3-Clause
// Linear programs of two variables: the highest and lowest x with a x + b y <= c for every row and some y.
//
// Source: Seidel, Small-dimensional linear programming and convex hulls made easy, 1991.
// DIFFERS: rows are taken in a fixed order with a stride, so that the same problem gives the same bits.
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

  /// |x|, |y| <= box. False: there is no such point, and `blocking` is the owner of a row that closes the set.
  bool highest(double box, double& x) { return solve(1, box, x); }
  bool lowest(double box, double& x) { return solve(-1, box, x); }
  int blocking = -1;

 private:
  bool solve(double sign, double box, double& best) {
    double x = sign * box, y = box;
    const std::size_t n = rows.size(), stride = stride_of(n);
    order_.clear();
    for (std::size_t k = 0, i = 0; k < n; ++k, i = (i + stride) % n) {
      order_.push_back(i);
      const PlanarRow& r = rows[i];
      if (r.a * x + r.b * y <= r.c + room(r, x, y)) continue;
      // The best point lies on the line of this row: point p + t d.
      const double size = std::hypot(r.a, r.b);
      if (!(size > 0)) return closed_by(r);
      const double px = r.a * r.c / (size * size), py = r.b * r.c / (size * size), dx = -r.b / size, dy = r.a / size;
      double low = -std::numeric_limits<double>::infinity(), high = -low;
      const auto cut = [&](const PlanarRow& other) {
        const double slope = other.a * dx + other.b * dy, left = other.c - other.a * px - other.b * py;
        const double other_size = std::hypot(other.a, other.b);
        if (std::abs(slope) <= 1e-13 * other_size)
          return left >= -1e-12 * (std::abs(other.c) + other_size * std::hypot(px, py));
        if (slope > 0)
          high = std::min(high, left / slope);
        else
          low = std::max(low, left / slope);
        return true;
      };
      for (const PlanarRow& wall : {PlanarRow{1, 0, box, -1}, {-1, 0, box, -1}, {0, 1, box, -1}, {0, -1, box, -1}})
        if (!cut(wall)) return closed_by(r);
      for (std::size_t j = 0; j < k; ++j)
        if (!cut(rows[order_[j]])) return closed_by(r);
      if (low > high + 1e-11 * (std::abs(low) + std::abs(high))) return closed_by(r);
      const double t = sign * dx > 0 ? high : low;
      x = px + t * dx;
      y = py + t * dy;
    }
    best = x;
    return true;
  }
  static double room(const PlanarRow& r, double x, double y) {
    return 1e-13 * (std::abs(r.a * x) + std::abs(r.b * y) + std::abs(r.c));
  }
  bool closed_by(const PlanarRow& r) {
    blocking = r.owner;
    return false;
  }
  /// Coprime to n, about 0.38 n.
  static std::size_t stride_of(std::size_t n) {
    const auto divides = [](std::size_t a, std::size_t b) {
      while (b != 0) {
        const std::size_t rest = a % b;
        a = b;
        b = rest;
      }
      return a;
    };
    std::size_t s = std::max<std::size_t>(1, n * 3 / 8);
    while (n > 1 && divides(n, s) != 1) ++s;
    return s;
  }
  std::vector<std::size_t> order_;
};

}  // namespace zwang
