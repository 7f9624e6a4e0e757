// SPDX-License-Identifier: BSD-3-Clause
// Comparison of vectors and matrices with a message that says where and by how much they differ.
//
//   EXPECT_CLOSE(got, expected, 100 * eps);                // largest difference over the largest magnitude of both
//   EXPECT_TRUE(within(got, expected, tolerance, scale));  // over a given scale
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <complex>
#include <limits>
#include <type_traits>

namespace zwang::test {

namespace impl {
template <class T> auto matrix(const T& x) {
  using Wide = Eigen::Matrix<std::complex<long double>, Eigen::Dynamic, Eigen::Dynamic>;
  if constexpr (requires {
                  x.rows();
                  x.cols();
                })
    return Wide(x.template cast<std::complex<long double>>());
  else
    return Wide(Wide::Constant(1, 1, std::complex<long double>(x)));
}
using Wide = Eigen::Matrix<std::complex<long double>, Eigen::Dynamic, Eigen::Dynamic>;
long double largest(const Wide& x);  ///< infinity where a number is not finite
testing::AssertionResult compare(const Wide& got, const Wide& expected, long double tolerance, long double scale);
}  // namespace impl

/// Largest |a - b| over the largest magnitude in both; 0 where both are zero, infinity where a number is not finite.
template <class A, class B> double relative_error(const A& a, const B& b) {
  const impl::Wide x = impl::matrix(a), y = impl::matrix(b);
  if (x.rows() != y.rows() || x.cols() != y.cols()) return std::numeric_limits<double>::infinity();
  const long double scale = std::max(impl::largest(x), impl::largest(y)), error = impl::largest(x - y);
  return static_cast<double>(error == 0                                             ? 0
                             : scale < std::numeric_limits<long double>::infinity() ? error / scale
                                                                                    : scale);
}
/// Largest |a - b| <= tolerance * scale, or a message with the worst entry.
template <class A, class B>
testing::AssertionResult within(const A& got, const B& expected, double tolerance, double scale) {
  return impl::compare(impl::matrix(got), impl::matrix(expected), tolerance, scale);
}
template <class A, class B> testing::AssertionResult close(const A& got, const B& expected, double tolerance) {
  return impl::compare(impl::matrix(got), impl::matrix(expected), tolerance, -1);
}

}  // namespace zwang::test

#define EXPECT_CLOSE(got, expected, tolerance) EXPECT_TRUE(::zwang::test::close((got), (expected), (tolerance)))
#define ASSERT_CLOSE(got, expected, tolerance) ASSERT_TRUE(::zwang::test::close((got), (expected), (tolerance)))
