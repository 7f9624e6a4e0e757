// SPDX-License-Identifier: BSD-3-Clause
// Pace: what holds of every clock.
#include "zwang/core/pace.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace zwang {
namespace {

TEST(Pace, WithoutAnIntervalIsAlwaysDue) {
  Pace pace(0);
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(pace.due());
}

TEST(Pace, IsDueAtMostOnceInAnInterval) {
  constexpr double interval = 1e-3;
  Pace pace(interval);
  pace.begin();
  for (int times = 1; times <= 5; ++times) {
    while (!pace.due()) {}
    EXPECT_GE(pace.spent(), times * interval * (1 - 1e-9));
  }
  Pace never(std::numeric_limits<double>::infinity());
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(never.due());
}

TEST(Pace, BeginsAgain) {
  Pace pace(1e-3);
  while (pace.spent() < 1e-2) {}
  Pace before(1e-3);
  before.begin();
  pace.begin();
  const double own = pace.spent(), longer = before.spent();  // in this order
  EXPECT_LE(own, longer);
}

TEST(Pace, RefusesAnIntervalThatIsNoTime) {
  for (const double wrong :
       {-1e-300, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(Pace{wrong}, std::invalid_argument);
}

}  // namespace
}  // namespace zwang
