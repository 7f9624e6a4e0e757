// SPDX-License-Identifier: BSD-3-Clause
// Twofold: a number as the sum of two doubles, some 31 digits (Dekker 1971; Hida, Li & Bailey 2001).
//
// For the few problems that rounding spoils otherwise. A multiplication and an addition take some 25 times as long as
// those of double. No infinities: what overflows is not a number.
#pragma once
#include <cmath>
#include <limits>

namespace zwang::dense {

struct Twofold {
  constexpr Twofold() = default;
  constexpr Twofold(double x) : high(x) {}  // NOLINT: numbers mix
  constexpr Twofold(double h, double l) : high(h), low(l) {}
  explicit operator double() const { return high; }

  double high = 0, low = 0;  ///< |low| <= eps/2 |high|
};

/// a + b where |a| >= |b|
inline Twofold quick_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
inline Twofold exact_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
inline Twofold operator+(const Twofold& a, const Twofold& b) {
  const Twofold s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
  const Twofold u = quick_sum(s.high, s.low + t.high);
  return quick_sum(u.high, u.low + t.low);
}
inline Twofold operator-(const Twofold& a) { return {-a.high, -a.low}; }
inline Twofold operator-(const Twofold& a, const Twofold& b) { return a + -b; }
inline Twofold operator*(const Twofold& a, const Twofold& b) {
  const double p = a.high * b.high;
  return quick_sum(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}
inline Twofold operator/(const Twofold& a, const Twofold& b) {
  const double first = a.high / b.high;
  const Twofold left = a - b * first;
  const double second = left.high / b.high;
  return quick_sum(first, second) + (left - b * second).high / b.high;
}
inline Twofold& operator+=(Twofold& a, const Twofold& b) { return a = a + b; }
inline Twofold& operator-=(Twofold& a, const Twofold& b) { return a = a - b; }
inline Twofold& operator*=(Twofold& a, const Twofold& b) { return a = a * b; }
inline Twofold& operator/=(Twofold& a, const Twofold& b) { return a = a / b; }
inline bool operator<(const Twofold& a, const Twofold& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator>(const Twofold& a, const Twofold& b) { return b < a; }
inline bool operator<=(const Twofold& a, const Twofold& b) {
  return a.high < b.high || (a.high == b.high && a.low <= b.low);
}
inline bool operator>=(const Twofold& a, const Twofold& b) { return b <= a; }
inline Twofold fabs(const Twofold& a) { return a.high < 0 ? -a : a; }
inline Twofold sqrt(const Twofold& a) {
  const double root = std::sqrt(a.high);
  if (!(root > 0)) return root;
  return root + (a - Twofold(root) * root) / (2 * root);
}

/// Distance from 1 to the next number.
template <class Real> constexpr double rounding_of = std::numeric_limits<double>::epsilon();
template <> inline constexpr double rounding_of<Twofold> = 0x1p-102;

}  // namespace zwang::dense
