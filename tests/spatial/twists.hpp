// SPDX-License-Identifier: BSD-3-Clause
// For tests of exp and log: twists with distinct angles in every lane, and a matrix exponential as an oracle.
#pragma once
#include "dense.hpp"

namespace zwang::test {

inline constexpr long double k_pi = 3.14159265358979323846264338327950288L;

/// exp of a small dense matrix by scaling, Taylor and squaring: shares nothing with the library.
template <int N> [[gnu::noinline]] Dense<long double, N, N> matrix_exponential(Dense<long double, N, N> a) {
  using D = Dense<long double, N, N>;
  const int halvings = 4;  // each doubles the error
  D scaled = combine(D{}, std::ldexp(1.0L, -halvings), a), term = unit_matrix<long double, N>(), sum = term;
  for (int k = 1; k < 30; ++k) {
    term = combine(D{}, 1.0L / static_cast<long double>(k), term * scaled);
    sum = combine(sum, 1.0L, term);
  }
  for (int i = 0; i < halvings; ++i) sum = sum * sum;
  return sum;
}
template <class S> [[gnu::noinline]] Motion<long double> lane_of(const Motion<S>& m, int lane) {
  Motion<long double> r = Motion<long double>::zero();
  for (int i = 0; i < 6; ++i) r[i] = Lanes<S>::value(m[i], lane);
  return r;
}

/// A direction, and distinct angles in every lane drawn by `angle(random)`; the linear part is of size 1.
template <class S, class Angle> [[gnu::noinline]] Motion<S> twist(Draw<S>& draw, Angle angle) {
  Motion<S> m{draw.vector(), Vec3<S>::zero()};
  for (int lane = 0; lane < lanes_of<S>; ++lane) {
    const double x = draw.random.normal(), y = draw.random.normal(), z = draw.random.normal();
    const double scale = static_cast<double>(angle(draw.random)) / std::sqrt(x * x + y * y + z * z);
    Lanes<S>::set(m.w.x, lane, x * scale, draw.random.uniform(-1, 1));
    Lanes<S>::set(m.w.y, lane, y * scale, draw.random.uniform(-1, 1));
    Lanes<S>::set(m.w.z, lane, z * scale, draw.random.uniform(-1, 1));
  }
  return m;
}
inline long double any_angle(Random& random) { return random.uniform(0, 6); }
inline long double small_angle(Random& random) { return std::pow(10.0, random.uniform(-20, -3)); }
inline long double all_angles_to_pi(Random& random) {
  switch (random.integer(3)) {
    case 0: return small_angle(random);
    case 1: return std::pow(10.0, random.uniform(-3, 0.45));
    default: return k_pi - std::pow(10.0L, random.uniform(-5, -0.1));
  }
}

}  // namespace zwang::test
