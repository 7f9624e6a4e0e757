// SPDX-License-Identifier: BSD-3-Clause
// Comparison with a message (support/close.hpp).
#include "support/close.hpp"

#include <cmath>

namespace zwang::test::impl {

long double largest(const Wide& x) {
  long double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const long double size = std::abs(x.data()[i]);
    if (!std::isfinite(size)) return std::numeric_limits<long double>::infinity();
    most = std::max(most, size);
  }
  return most;
}

testing::AssertionResult compare(const Wide& got, const Wide& expected, long double tolerance, long double scale) {
  if (got.rows() != expected.rows() || got.cols() != expected.cols())
    return testing::AssertionFailure() << "size " << got.rows() << "x" << got.cols() << ", expected " << expected.rows()
                                       << "x" << expected.cols();
  if (scale < 0) scale = std::max(largest(got), largest(expected));
  long double worst = 0;
  Eigen::Index row = 0, column = 0;
  for (Eigen::Index j = 0; j < got.cols(); ++j)
    for (Eigen::Index i = 0; i < got.rows(); ++i) {
      long double error = std::abs(got(i, j) - expected(i, j));
      if (!std::isfinite(error)) error = std::numeric_limits<long double>::infinity();
      if (error > worst) {
        worst = error;
        row = i;
        column = j;
      }
    }
  if (worst <= tolerance * scale && std::isfinite(worst)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "worst entry (" << row << ", " << column << "): " << got(row, column)
                                     << ", expected " << expected(row, column) << ", error " << worst << " = "
                                     << worst / scale << " of the scale " << scale << ", allowed " << tolerance;
}

}  // namespace zwang::test::impl
