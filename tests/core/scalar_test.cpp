// SPDX-License-Identifier: BSD-3-Clause
// The scalar vocabulary: every function for every scalar, inside templates; masks;
// pack arithmetic lane by lane; mixed products.
#include "scalars.hpp"

namespace zwang::test {
namespace {

template <class S> struct Vocabulary : ::testing::Test {};
TYPED_TEST_SUITE(Vocabulary, AllScalars);

struct EveryFunction {
  template <class S> std::vector<S> operator()(const std::vector<S>& x) const {
    const S a = x[0], b = x[1], c = x[2], positive = a * a + Uniform<S>(1);
    const Uniform<S> u = Uniform<S>(0.375);
    S d = a;
    d += b, d -= c, d *= b, d /= positive;
    S e = a;
    e += u, e -= u * u, e *= u, e /= u;
    const auto mask = less(a, b);
    return {a + b,
            a - b,
            a * b,
            a / positive,
            -a,
            a + u,
            a - u,
            a * u,
            a / u,
            u + a,
            u - a,
            u * a,
            u / positive,
            d,
            e,
            select(mask, a, c),
            select(!mask, a, c),
            select(mask & less(b, c), a, b),
            select(mask | less(b, c), a, b),
            abs(a),
            min(a, b),
            max(a, b),
            fma(a, b, c),
            sqrt(positive),
            atan2(a, b),
            sincos(a).sin,
            sincos(b).cos};
  }
};

TYPED_TEST(Vocabulary, DoesInEveryLaneWhatLongDoubleDoes) {
  Random random(11);
  const auto draw = [&](int) {
    std::vector<double> x{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
    x[1] += x[1] < 0 ? -0.1 : 0.1;  // atan2 off its branch point
    return x;
  };
  for (int round = 0; round < 500; ++round) expect_like_long_double<TypeParam>(EveryFunction{}, draw, 32, random);
}

TYPED_TEST(Vocabulary, SaysWhetherAllPartsAreFinite) {
  using S = TypeParam;
  const double bad[] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()};
  for (int lane = 0; lane < lanes_of<S>; ++lane)
    for (const double value : bad) {
      S s(0);
      for (int i = 0; i < lanes_of<S>; ++i) Lanes<S>::set(s, i, 1.5 + i, 0.5);
      EXPECT_TRUE(is_finite(s));
      EXPECT_EQ(value_of(s), 1.5);
      Lanes<S>::set(s, lane, value, 0.5);
      EXPECT_FALSE(is_finite(s));
      if (Lanes<S>::differentiates) {
        Lanes<S>::set(s, lane, 1, value);
        EXPECT_FALSE(is_finite(s));
      }
    }
}

TYPED_TEST(Vocabulary, MeetsPlainConstantsFromBothSidesWithoutChangingType) {
  using S = TypeParam;
  using U = Uniform<S>;
  static_assert(std::is_same_v<decltype(U(2) * S(3)), S> && std::is_same_v<decltype(S(3) * U(2)), S>);
  static_assert(std::is_same_v<decltype(U(2) + S(3)), S> && std::is_same_v<decltype(S(3) - U(2)), S>);
  static_assert(std::is_same_v<decltype(U(2) / S(3)), S> && std::is_same_v<decltype(sqrt(S(3))), S>);
  static_assert(std::is_same_v<decltype(abs(S(3))), S> && std::is_same_v<decltype(atan2(S(3), S(2))), S>);
  EXPECT_EQ(value_of(S(U(2) * S(3))), 6);
}

template <class S> using MaskOf = decltype(less(std::declval<S>(), std::declval<S>()));

TEST(PackMask, DoesNotConvertToBool) {
  static_assert(!std::is_convertible_v<MaskOf<NativePack<double>>, bool>);
  static_assert(!std::is_constructible_v<bool, MaskOf<NativePack<double>>>);
  static_assert(!std::is_constructible_v<bool, MaskOf<NativePack<float>>>);
  static_assert(!std::is_constructible_v<bool, MaskOf<Dual<NativePack<double>>>>);
  static_assert(std::is_same_v<MaskOf<double>, bool> && std::is_same_v<MaskOf<Dual<double>>, bool>);
  static_assert(std::is_same_v<MaskOf<std::complex<double>>, bool>);
}

template <class P, class T> void expect_masks_per_lane() {
  constexpr int n = lanes_of<P>;
  for (unsigned pattern = 0; pattern < (1u << n); ++pattern) {
    P a(0), b(0);
    for (int i = 0; i < n; ++i) {
      a.set(i, static_cast<T>(i));
      b.set(i, static_cast<T>((pattern >> i) & 1 ? i + 1 : i));  // equal is not less
    }
    const auto m = less(a, b);
    EXPECT_EQ(any(m), pattern != 0);
    EXPECT_EQ(all(m), pattern + 1 == (1u << n));
    EXPECT_EQ(any(!m), pattern + 1 != (1u << n));
    const P s = select(m, a * T(2), -b);
    for (int i = 0; i < n; ++i) EXPECT_EQ(s[i], (pattern >> i) & 1 ? 2 * a[i] : -b[i]);
  }
}
TEST(PackMask, SelectsEveryPatternOfLanes) {
  expect_masks_per_lane<Pack<double, 2>, double>();
  expect_masks_per_lane<NativePack<double>, double>();
  expect_masks_per_lane<Pack<float, 4>, float>();
}
TEST(PackMask, IsFalseForNaN) {
  using P = Pack<double, 2>;
  P a(1);
  a.set(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(all(less(a, P(2))));
  EXPECT_TRUE(any(less(a, P(2))));
  EXPECT_FALSE(any(less(P(2), a)));
}

template <class P, class T> void expect_lanes_exact() {
  constexpr int n = lanes_of<P>;
  Random random(12);
  T x[n], y[n], z[n];
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < n; ++i)
      x[i] = static_cast<T>(random.normal()), y[i] = static_cast<T>(random.normal()),
      z[i] = static_cast<T>(random.normal());
    const P a = P::load(x), b = P::load(y);
    const T u = z[0];
    P c = a, d = a, e = a, f = a;
    c += b, d -= b, e *= b, f /= b;
    T total = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ((a + b)[i], x[i] + y[i]);
      EXPECT_EQ((a - b)[i], x[i] - y[i]);
      EXPECT_EQ((a * b)[i], x[i] * y[i]);
      EXPECT_EQ((a / b)[i], x[i] / y[i]);
      EXPECT_EQ((a + u)[i], x[i] + u);
      EXPECT_EQ((a - u)[i], x[i] - u);
      EXPECT_EQ((a * u)[i], x[i] * u);
      EXPECT_EQ((a / u)[i], x[i] / u);
      EXPECT_EQ((u + a)[i], u + x[i]);
      EXPECT_EQ((u - a)[i], u - x[i]);
      EXPECT_EQ((u * a)[i], u * x[i]);
      EXPECT_EQ((u / a)[i], u / x[i]);
      EXPECT_EQ((-a)[i], -x[i]);
      EXPECT_EQ(c[i], x[i] + y[i]);
      EXPECT_EQ(d[i], x[i] - y[i]);
      EXPECT_EQ(e[i], x[i] * y[i]);
      EXPECT_EQ(f[i], x[i] / y[i]);
      EXPECT_EQ(abs(a)[i], std::fabs(x[i]));
      EXPECT_EQ(min(a, b)[i], std::min(x[i], y[i]));
      EXPECT_EQ(max(a, b)[i], std::max(x[i], y[i]));
      EXPECT_EQ(sqrt(abs(a))[i], std::sqrt(std::fabs(x[i])));
      EXPECT_EQ(atan2(a, b)[i], std::atan2(x[i], y[i]));
      EXPECT_EQ(P(u)[i], u);
      total += x[i];
      size += std::fabs(x[i]);
    }
    // Halves are added first: n - 1 roundings in another order.
    EXPECT_NEAR(sum(a), total, static_cast<double>(2 * n * std::numeric_limits<T>::epsilon() * size));
    a.store(z);
    for (int i = 0; i < n; ++i) EXPECT_EQ(z[i], x[i]);
  }
  EXPECT_FALSE(std::signbit(abs(P(T(-0.0)))[0]));
  EXPECT_TRUE(std::signbit(P(T(-0.0))[0]));
}
TEST(PackArithmetic, IsThatOfItsLanesToTheBit) {
  expect_lanes_exact<Pack<double, 2>, double>();
  expect_lanes_exact<NativePack<double>, double>();
  expect_lanes_exact<Pack<float, 4>, float>();
  expect_lanes_exact<NativePack<float>, float>();
}

TEST(DualNumber, CarriesSecondDerivativesWhenNested) {
  using D = Dual<Dual<double>>;
  const double x = 0.7;
  const D a{{x, 1}, {1, 0}};
  const D y = sincos(a * a).sin;  // (sin x^2)'' = 2 cos x^2 - 4 x^2 sin x^2
  EXPECT_TRUE(near(y.d.d, 2 * std::cos(x * x) - 4 * x * x * std::sin(x * x), 1e-15));
}

TEST(DualNumber, CarriesThirdDerivativesWhenNestedTwice) {
  using D = Dual<Dual<double>>;
  using E = Dual<D>;
  const double at = 0.7;
  const E x(D(Dual<double>(at, 1.0), Dual<double>(1.0)), D(1.0));
  const E y = 2.0 / x - 3.0 * (x * x * x) * 0.5 + (1.0 - x) / 4.0 + (x + E(1)) * 2.0 + sqrt(x * x * x * x);
  const double third = -12.0 / (at * at * at * at) - 9.0;
  EXPECT_NEAR(y.d.d.d, third, 1e-13 * std::fabs(third));
  EXPECT_DOUBLE_EQ((x - 0.25).v.v.v, at - 0.25);
}

TEST(EpsilonOf, IsThatOfTheStoredNumbers) {
  static_assert(epsilon_of<double> == std::numeric_limits<double>::epsilon());
  // Constants and thresholds are made for 64 bits, those of x86; arm64 has 113 of them.
  static_assert(epsilon_of<long double> ==
                std::max<long double>(std::numeric_limits<long double>::epsilon(), 0x1p-63L));
  static_assert(epsilon_of<NativePack<float>> == std::numeric_limits<float>::epsilon());
  static_assert(epsilon_of<Dual<NativePack<double>>> == std::numeric_limits<double>::epsilon());
}

}  // namespace
}  // namespace zwang::test
