// SPDX-License-Identifier: BSD-3-Clause
// The pages on lanes: as many states at once, all different, each as double gives it.
#include "algorithm/scalar_pages.hpp"

namespace zwang::test {
namespace {

TEST(PagesOnLanesOfDouble, AgreeWithDoubleInEveryLane) {
  ASSERT_GT(lanes_of<NativePack<double>>, 1);
  for (const std::uint64_t seed : scalar_seeds(effort(12))) expect_scalar_like_double<NativePack<double>>(seed, 60);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // instrumenting takes minutes
TEST(PagesOnLanesOfFloat, AgreeWithDoubleToTheirPrecisionInEveryLane) {
  for (const std::uint64_t seed : scalar_seeds(effort(12))) expect_scalar_like_double<NativePack<float>>(seed, 60);
}
#endif

}  // namespace
}  // namespace zwang::test
