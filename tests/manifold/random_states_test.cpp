// SPDX-License-Identifier: BSD-3-Clause
// random_states, random_numbers: state k of a seed is the same wherever it is made.
#include "zwang/manifold/random_states.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/sample.hpp"

namespace zwang {
namespace {

TEST(RandomStates, AreThoseOfTheirNumbers) {
  for (const char* name : {"zoo", "arm7", "quadruped"}) {
    const Model model = build(sample(name));
    const auto nq = static_cast<std::size_t>(model.nq());
    std::vector<double> all(40 * nq), part(7 * nq);
    random_states(model, 5, 0, all);
    random_states(model, 5, 21, part);
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], all[21 * nq + i]) << name;
    const Eigen::VectorXd first = random(model, 5);
    for (std::size_t i = 0; i < nq; ++i) EXPECT_EQ(all[i], first[static_cast<Eigen::Index>(i)]) << name;
    for (std::size_t i = 0; i < nq; ++i) EXPECT_TRUE(std::isfinite(all[39 * nq + i]));
  }
}

TEST(RandomNumbers, AreThoseOfTheStreamOfTheirState) {
  std::vector<double> x(5 * 3), z(5 * 3);
  random_numbers(9, 100, 3, x);
  random_numbers(9, 100, 3, z, Distribution::normal);
  for (int k = 0; k < 5; ++k) {
    Random u(9, 100 + static_cast<std::uint64_t>(k)), n(9, 100 + static_cast<std::uint64_t>(k));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(x[static_cast<std::size_t>(3 * k + i)], u.uniform());
      EXPECT_EQ(z[static_cast<std::size_t>(3 * k + i)], n.normal());
    }
  }
}

/// Streams side by side, past the halves of a counter, and more numbers than are computed at a time.
TEST(RandomNumbers, AreTheSameSideBySide) {
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 5, ~std::uint64_t{0} - 100})
    for (const Index size : {1, 7, 300, 600}) {
      constexpr std::uint64_t k_states = 37, seed = 0x123456789ABCDEF0;
      std::vector<double> x(k_states * static_cast<std::size_t>(size)), z(x.size());
      random_numbers(seed, first, size, x);
      random_numbers(seed, first, size, z, Distribution::normal);
      for (std::uint64_t k = 0; k < k_states; ++k) {
        Random u(seed, first + k), n(seed, first + k);
        for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
          ASSERT_EQ(x[k * static_cast<std::size_t>(size) + i], u.uniform()) << first << ' ' << size << ' ' << k;
          ASSERT_EQ(z[k * static_cast<std::size_t>(size) + i], n.normal()) << first << ' ' << size << ' ' << k;
        }
      }
    }
}

TEST(RandomNumbers, RefuseRoomForPartsOfStates) {
  std::vector<double> x(7);
  EXPECT_THROW(random_numbers(1, 0, 3, x), std::invalid_argument);
  EXPECT_THROW(random_numbers(1, 0, -1, x), std::invalid_argument);
  EXPECT_THROW(random_numbers(1, 0, 0, x), std::invalid_argument);
  std::vector<double> none;
  random_numbers(1, 0, 0, none);
}

}  // namespace
}  // namespace zwang
