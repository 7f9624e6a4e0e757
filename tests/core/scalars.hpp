// SPDX-License-Identifier: BSD-3-Clause
// For tests: every scalar of the library behind one way to set and read its lanes, and a law that runs one templated
// program on all of them with distinct values per lane.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "zwang/core/random.hpp"
#include "zwang/core/sincos.hpp"

namespace zwang::test {

/// Value and directional derivative of each lane of a scalar.
template <class S> struct Lanes {
  static constexpr bool differentiates = false;
  static void set(S& s, int, double value, double) { s = static_cast<S>(value); }
  static long double value(const S& s, int) { return s; }
  static long double derivative(const S&, int) { return 0; }
};
template <> struct Lanes<std::complex<double>> {
  static constexpr bool differentiates = true;
  static constexpr double k_step = 1e-100;
  static void set(std::complex<double>& s, int, double value, double d) { s = {value, d * k_step}; }
  static long double value(const std::complex<double>& s, int) { return s.real(); }
  static long double derivative(const std::complex<double>& s, int) { return s.imag() / k_step; }
};
template <class T, int N> struct Lanes<Pack<T, N>> {
  static constexpr bool differentiates = false;
  static void set(Pack<T, N>& s, int lane, double value, double) { s.set(lane, static_cast<T>(value)); }
  static long double value(const Pack<T, N>& s, int lane) { return s[lane]; }
  static long double derivative(const Pack<T, N>&, int) { return 0; }
};
template <class T> struct Lanes<Dual<T>> {
  static constexpr bool differentiates = true;
  static void set(Dual<T>& s, int lane, double value, double d) {
    Lanes<T>::set(s.v, lane, value, 0);
    Lanes<T>::set(s.d, lane, d, 0);
  }
  static long double value(const Dual<T>& s, int lane) { return Lanes<T>::value(s.v, lane); }
  static long double derivative(const Dual<T>& s, int lane) { return Lanes<T>::value(s.d, lane); }
};

/// The rounding of the numbers that S stores.
template <class S> inline constexpr long double rounding = std::is_same_v<Uniform<S>, float> ? 1.2e-7L : 2.3e-16L;
template <> inline constexpr long double rounding<long double> = 1.1e-19L;

#ifdef ZWANG_TEST_FEW_SCALARS  // sanitized builds: g++ takes minutes and gigabytes to instrument all of them
using AllScalars = ::testing::Types<double, Dual<double>, NativePack<double>>;
#else
using AllScalars = ::testing::Types<double, float, long double, std::complex<double>, Dual<double>, NativePack<double>,
                                    NativePack<float>, Dual<NativePack<double>>>;
#endif

/// |a - b| <= tolerance in long double (EXPECT_NEAR rounds to double), false for NaN.
inline ::testing::AssertionResult near(long double a, long double b, long double tolerance) {
  if (std::fabs(a - b) <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << " and " << b << " differ by " << std::fabs(a - b) << " > " << tolerance;
}

/// Runs `program` (a generic callable from a vector of S to a vector of S) on S with different inputs in each lane, and
/// compares every lane with long double, its derivative with a central difference in long double. `draw(lane)` gives
/// the inputs of a lane. Outputs are compared with a tolerance of `factor` roundings of max(1, |output|).
template <class S, class Program, class Draw>
void expect_like_long_double(const Program& program, Draw draw, long double factor, Random& random) {
  constexpr int lanes = lanes_of<S>;
  std::vector<std::vector<double>> in(lanes), direction(lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    in[lane] = draw(lane);
    for (double& x : in[lane]) {
      x = static_cast<float>(x);  // the same number for every scalar
      direction[lane].push_back(static_cast<float>(random.uniform(-1, 1)));
    }
  }
  std::vector<S> x(in[0].size(), S(0));
  for (int lane = 0; lane < lanes; ++lane)
    for (std::size_t i = 0; i < x.size(); ++i) Lanes<S>::set(x[i], lane, in[lane][i], direction[lane][i]);
  const std::vector<S> y = program(x);
  for (int lane = 0; lane < lanes; ++lane) {
    const long double h = 1e-6L;  // truncation 1e-12, cancellation 1e-13
    std::vector<long double> middle(in[lane].begin(), in[lane].end()), up = middle, down = middle;
    for (std::size_t i = 0; i < up.size(); ++i) {
      up[i] += h * static_cast<long double>(direction[lane][i]);
      down[i] -= h * static_cast<long double>(direction[lane][i]);
    }
    const std::vector<long double> y0 = program(middle), y1 = program(up), y2 = program(down);
    ASSERT_EQ(y0.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double scale = std::max(1.0L, std::fabs(y0[i]));
      const long double tolerance = factor * rounding<S> * scale;
      ASSERT_TRUE(near(Lanes<S>::value(y[i], lane), y0[i], tolerance)) << "output " << i << " lane " << lane;
      if constexpr (Lanes<S>::differentiates) {
        const long double slope = (y1[i] - y2[i]) / (2 * h);
        const long double bound = (1e-10L + 10 * factor * rounding<S>)*std::max(scale, std::fabs(slope));
        ASSERT_TRUE(near(Lanes<S>::derivative(y[i], lane), slope, bound))
            << "derivative of output " << i << " lane " << lane;
      }
    }
  }
}

}  // namespace zwang::test
