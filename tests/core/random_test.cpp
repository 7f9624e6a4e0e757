// SPDX-License-Identifier: BSD-3-Clause
// Random: known answers, independence of order, and the moments and frequencies of its distributions.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "zwang/core/random.hpp"

namespace zwang::test {
namespace {

// The known answers published with Random123, the code of Salmon et al. 2011.
TEST(Philox, GivesThePublishedAnswers) {
  using Block = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox4x32({f, f, f, f}, {f, f}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, GivesNumberIOfAStreamInAnyOrder) {
  const Random start(12345, 7);
  Random forward = start;
  std::vector<double> u, g;
  for (int i = 0; i < 100; ++i) u.push_back(forward.uniform());
  EXPECT_EQ(forward.counter(), 100u);
  for (int i = 99; i >= 0; --i)
    EXPECT_EQ(start.at(static_cast<std::uint64_t>(i)).uniform(), u[static_cast<std::size_t>(i)]);
  // Every kind of number takes one step, so that what was drawn before does not matter.
  Random mixed = start;
  mixed.normal();
  mixed.integer(10);
  mixed.unit_quaternion();
  mixed.uniform(3, 4);
  EXPECT_EQ(mixed.uniform(), u[4]);
}

TEST(Random, DiffersInEveryPartOfSeedStreamAndCounter) {
  std::set<double> seen;
  const std::uint64_t high = std::uint64_t{1} << 40;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, high})
    for (const std::uint64_t stream : {std::uint64_t{0}, std::uint64_t{1}, high})
      for (const std::uint64_t counter : {std::uint64_t{0}, std::uint64_t{1}, high})
        seen.insert(Random(seed, stream).at(counter).uniform());
  EXPECT_EQ(seen.size(), 27u);
}

// The mean of n numbers of variance s^2 strays by s/sqrt(n); 5 of these happen once in 2e6 seeds,
// and the seed is fixed.
TEST(Random, UniformHasItsMomentsAndFillsItsBins) {
  Random random(2);
  const int n = 400000;
  double sum = 0, square = 0, lag = 0, last = 0.5;
  std::vector<int> bins(64);
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(0 <= u && u < 1);
    sum += u - 0.5, square += (u - 0.5) * (u - 0.5), lag += (u - 0.5) * (last - 0.5);
    last = u;
    ++bins[static_cast<std::size_t>(u * 64)];
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(square / n, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(lag / n, 0, 5 / 12.0 / std::sqrt(n));
  double chi = 0;
  for (const int b : bins) chi += (b - n / 64.0) * (b - n / 64.0) / (n / 64.0);
  EXPECT_NEAR(chi, 63, 5 * std::sqrt(2 * 63.0));
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(-3, 5);
    ASSERT_TRUE(-3 <= x && x < 5);
  }
}

TEST(Random, NormalHasItsFirstFourMomentsAndItsTails) {
  Random random(3);
  const int n = 400000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  int beyond_two = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
    beyond_two += x > 2;
  }
  EXPECT_NEAR(m1 / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(m2 / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m3 / n, 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(m4 / n, 3, 5 * std::sqrt(96.0 / n));
  const double p = 0.022750131948;  // of the normal distribution beyond two
  EXPECT_NEAR(beyond_two / double(n), p, 5 * std::sqrt(p / n));
}

TEST(Random, IntegersAreEvenlySpread) {
  Random random(4);
  const int n = 210000;
  std::vector<int> count(7);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t k = random.integer(7);
    ASSERT_LT(k, 7u);
    ++count[k];
  }
  for (const int c : count) EXPECT_NEAR(c, n / 7, 5 * std::sqrt(n / 7.0));
  EXPECT_EQ(random.integer(1), 0u);
  EXPECT_EQ(random.integer(0), 0u);
  std::uint64_t largest = 0;
  for (int i = 0; i < 1000; ++i) largest = std::max(largest, random.integer(~std::uint64_t{0}));
  EXPECT_GT(largest, std::uint64_t{1} << 63);
}

// Uniform over rotations: E[x_i x_j] = delta_ij / 4, and the rotated z axis has no preferred height.
TEST(Random, UnitQuaternionsAreUniformOverRotations) {
  Random random(5);
  const int n = 200000;
  double second[4][4] = {}, height[2] = {};
  for (int i = 0; i < n; ++i) {
    const std::array<double, 4> q = random.unit_quaternion();
    double norm2 = 0;
    for (int a = 0; a < 4; ++a) {
      norm2 += q[a] * q[a];
      for (int b = 0; b < 4; ++b) second[a][b] += q[a] * q[b] / n;
    }
    ASSERT_NEAR(norm2, 1, 1e-15);
    const double z = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
    height[0] += z / n, height[1] += z * z / n;
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) EXPECT_NEAR(second[a][b], a == b ? 0.25 : 0, 5 * 0.25 / std::sqrt(n));
  EXPECT_NEAR(height[0], 0, 5 * std::sqrt(1.0 / 3 / n));
  EXPECT_NEAR(height[1], 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

}  // namespace
}  // namespace zwang::test
