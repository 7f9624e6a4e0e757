// SPDX-License-Identifier: BSD-3-Clause
// sincos: its stated bounds against long double, per lane with distinct values;
// libm beyond the range; NaN and infinity.
#include "scalars.hpp"

namespace zwang::test {
namespace {

using Doubles = NativePack<double>;
using Floats = NativePack<float>;

template <class P, class T> struct Worst {
  long double error = 0;
  T at = 0;
  // Evaluates a full pack of distinct angles and the plain function, which must agree to the bit.
  void take(const T* x) {
    const SinCos<P> r = sincos(P::load(x));
    for (int i = 0; i < lanes_of<P>; ++i) {
      const long double exact = x[i];
      const long double e = std::max(std::fabs(r.sin[i] - std::sin(exact)), std::fabs(r.cos[i] - std::cos(exact)));
      if (!(e <= error)) error = e, at = x[i];
      const SinCos<T> one = sincos(x[i]);
      ASSERT_EQ(one.sin, r.sin[i]) << x[i];
      ASSERT_EQ(one.cos, r.cos[i]) << x[i];
    }
  }
};

TEST(Sincos, StaysWithinItsBoundUpToAMillionInEveryLane) {
  Worst<Doubles, double> worst;
  Random random(1);
  double x[native_lanes<double>];
  for (int round = 0; round < 60000; ++round) {
    for (double& a : x) {  // half uniform, half over all magnitudes
      a = random.integer(2) ? random.uniform(-1e6, 1e6) : std::exp(random.uniform(-40, std::log(1e6)));
      if (random.integer(2)) a = -a;
    }
    worst.take(x);
  }
  EXPECT_LE(worst.error, 2.3e-16L) << "at " << worst.at;
  EXPECT_GE(worst.error, 1e-17L);
}

TEST(Sincos, StaysWithinItsBoundNextToMultiplesOfAQuarterTurn) {
  Worst<Doubles, double> worst;
  Random random(2);
  double x[native_lanes<double>];
  for (int round = 0; round < 60000; ++round) {
    for (double& a : x) {
      const double k = round < 1000 ? static_cast<double>(round % 64) : static_cast<double>(random.integer(636619));
      // half of them at odd multiples of an eighth turn, where the reduction changes its octant
      a = static_cast<double>((k + (random.integer(2) ? 0.5L : 0.0L)) * 1.57079632679489661923132169163975144L);
      for (std::uint64_t n = random.integer(4); n > 0; --n) a = std::nextafter(a, random.integer(2) ? 1e9 : -1e9);
      if (random.integer(2)) a = -a;
    }
    worst.take(x);
  }
  EXPECT_LE(worst.error, 2.3e-16L) << "at " << worst.at;
}

TEST(Sincos, KeepsTheSignAndTheDigitsOfTinyAngles) {
  for (const double a : {0.0, -0.0, 4.9e-324, 1e-310, -1e-300, 1e-20, -1e-9}) {
    const SinCos<double> r = sincos(a);
    EXPECT_TRUE(near(r.sin, a, 1e-16 * std::fabs(a)));
    EXPECT_EQ(r.cos, 1);
  }
}

TEST(Sincos, OfFloatStaysWithinItsBoundUpToAThousand) {
  Worst<Floats, float> worst;
  Random random(3);
  float x[native_lanes<float>];
  for (int round = 0; round < 60000; ++round) {
    for (float& a : x) {
      a = static_cast<float>(random.integer(2) ? random.uniform(-1e3, 1e3)
                                               : std::exp(random.uniform(-40, std::log(1e3))));
      if (random.integer(4) == 0)
        a = std::nextafter(static_cast<float>(static_cast<double>(random.integer(636)) * 1.5707963267948966),
                           random.integer(2) ? 1e9f : -1e9f);
    }
    worst.take(x);
  }
  EXPECT_LE(worst.error, 1.0e-7L) << "at " << worst.at;
}

template <class P, class T> void expect_libm_beyond(T limit, T inside_limit) {
  Random random(4);
  constexpr int n = lanes_of<P>;
  T x[n];
  for (int round = 0; round < 3000; ++round) {
    for (int i = 0; i < n; ++i) {
      switch (random.integer(5)) {
        case 0: x[i] = static_cast<T>(limit * std::exp(random.uniform(0, 60))); break;
        case 1: x[i] = std::numeric_limits<T>::infinity(); break;
        case 2: x[i] = std::numeric_limits<T>::quiet_NaN(); break;
        default: x[i] = static_cast<T>(random.uniform(-1, 1)) * inside_limit;
      }
      if (random.integer(2)) x[i] = -x[i];
    }
    const SinCos<P> r = sincos(P::load(x));
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(x[i])) {
        EXPECT_TRUE(std::isnan(r.sin[i]) && std::isnan(r.cos[i])) << x[i];
      } else if (std::fabs(x[i]) >= limit) {
        EXPECT_EQ(r.sin[i], std::sin(x[i]));
        EXPECT_EQ(r.cos[i], std::cos(x[i]));
      } else {  // untouched by its neighbours: the same bits as alone
        EXPECT_EQ(r.sin[i], sincos(x[i]).sin);
        EXPECT_EQ(r.cos[i], sincos(x[i]).cos);
      }
    }
  }
}

TEST(Sincos, TakesLibmBeyondItsRangeAndLeavesTheOtherLanesAlone) {
  expect_libm_beyond<Doubles, double>(1e6, 9.99e5);
  expect_libm_beyond<Floats, float>(1e3f, 9.99e2f);
}

template <class S> struct SincosOf : ::testing::Test {};
TYPED_TEST_SUITE(SincosOf, AllScalars);

TYPED_TEST(SincosOf, HasTheValueAndTheDerivativeOfLongDouble) {
  using S = TypeParam;
  Random random(5);
  const auto program = [](const auto& x) {
    auto y = x;
    y.clear();
    for (const auto& a : x) {
      const auto r = sincos(a);
      y.push_back(r.sin);
      y.push_back(r.cos);
    }
    return y;
  };
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&](int) {
      return std::vector<double>{random.uniform(-9, 9), random.uniform(-900, 900), random.uniform(-1e-5, 1e-5)};
    };
    expect_like_long_double<S>(program, draw, 1, random);
  }
}

}  // namespace
}  // namespace zwang::test
