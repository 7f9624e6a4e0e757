// SPDX-License-Identifier: BSD-3-Clause
// The pages on float and long double. k of scalar_pages.hpp: 40 operations per body of 20 bodies;
// float's constants are rounded.
#include "algorithm/scalar_pages.hpp"

namespace zwang::test {
namespace {

TEST(PagesOnFloat, AgreeWithDoubleToTheirPrecision) {
  for (const std::uint64_t seed : scalar_seeds(effort(12))) expect_scalar_like_double<float>(seed, 60);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // instrumenting takes minutes
TEST(PagesOnLongDouble, AgreeWithDoubleToDoublesPrecision) {
  for (const std::uint64_t seed : scalar_seeds(effort(12))) expect_scalar_like_double<long double>(seed, 60);
}
#endif

}  // namespace
}  // namespace zwang::test
