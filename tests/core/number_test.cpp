// SPDX-License-Identifier: BSD-3-Clause
// Numbers by means that every standard library has are those of <charconv>, where that knows double.
#include "core/number.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "support/effort.hpp"
#include "zwang/core/findings.hpp"

namespace zwang::numerals {
namespace {

/// Doubles of all exponents, whole numbers, decimal fractions, the ends of the range.
std::vector<double> some_doubles(long count) {
  std::vector<double> all = {0.0,
                             -0.0,
                             1.0,
                             0.1,
                             100000.0,
                             99999.0,
                             1e22,
                             1e23,
                             123456789012345680000.0,
                             5e-324,
                             2.2250738585072014e-308,
                             1.7976931348623157e308,
                             1e-5,
                             1e-4,
                             0.00123,
                             9007199254740993.0,
                             0.5,
                             1e15,
                             1e16,
                             1e17};
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    all.push_back(x);
  std::mt19937_64 next(7);
  for (long k = 0; k < count; ++k) {
    all.push_back(__builtin_bit_cast(double, std::uint64_t(next())));
    all.push_back(static_cast<double>(static_cast<long>(next() % 2000000)) /
                  std::pow(10.0, static_cast<double>(next() % 9)));
    all.push_back(std::ldexp(static_cast<double>(next() >> 40), static_cast<int>(next() % 80)));
  }
  return all;
}

TEST(Numbers, ShortestDigitsGiveTheSameNumberAgain) {
  for (const double x : some_doubles(zwang::test::effort(20000))) {
    if (!std::isfinite(x)) continue;
    const std::string text = portable::shortest(x);
    double back = 7;
    ASSERT_EQ(parse_number(text, back), NumberFault::none) << text;
    ASSERT_EQ(back, x) << text;
    ASSERT_EQ(std::signbit(back), std::signbit(x)) << text;
  }
}

TEST(Numbers, PortableDigitsAreThoseOfTheStandardLibrary) {
#ifdef __cpp_lib_to_chars
  for (const double x : some_doubles(zwang::test::effort(20000))) {
    if (std::isnan(x)) continue;  // its sign is none
    char text[64];
    const std::string expected(text, std::to_chars(text, text + sizeof text, x).ptr);
    ASSERT_EQ(portable::shortest(x), expected);
    ASSERT_EQ(shortest(x), expected);
  }
#else
  GTEST_SKIP() << "this standard library has no digits of doubles";
#endif
}

TEST(Numbers, PortableReadingIsThatOfTheStandardLibrary) {
#ifdef __cpp_lib_to_chars
  const auto compare = [](const std::string& text) {
    double a = 7, b = 7;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), a);
    const bool whole = error != std::errc::invalid_argument && end == text.data() + text.size();
    const NumberFault expected = !whole                                    ? NumberFault::malformed
                                 : error == std::errc::result_out_of_range ? NumberFault::overflow
                                                                           : NumberFault::none;
    ASSERT_EQ(portable::parse_magnitude(text, b), expected) << text;
    if (expected == NumberFault::none) { ASSERT_EQ(a, b) << text; }
  };
  for (const char* text : {"1",
                           "1.",
                           ".5",
                           ".",
                           "",
                           "1e",
                           "1e+",
                           "1e5",
                           "1E-5",
                           "0x10",
                           "1,5",
                           "1.5.2",
                           "1e400",
                           "1e-400",
                           "0e999",
                           "0.0e-999",
                           "00012.50",
                           "1e0005",
                           " 1",
                           "1 ",
                           "1f",
                           "179769313486231580793e289",
                           "2.4703282292062327e-324",
                           "2.4703282292062329e-324",
                           "2.2250738585072011e-308",
                           "9007199254740993",
                           "8.5.",
                           "e5",
                           "1e1.5"})
    compare(text);
  std::mt19937_64 next(11);
  for (long k = 0; k < zwang::test::effort(20000); ++k) {
    std::string text;
    for (std::uint64_t n = 1 + next() % 25; n > 0; --n) text += "0123456789.e-5"[next() % 14];
    if (text[0] != '-' && text[0] != 'e') compare(text);
    compare(std::to_string(next()) + "." + std::to_string(next()) + "e" +
            std::to_string(static_cast<int>(next() % 700) - 350));
  }
#else
  GTEST_SKIP() << "this standard library reads no doubles";
#endif
}

TEST(Numbers, DecimalsAreReadAsByTheStandardLibrary) {
#ifdef __cpp_lib_to_chars
  for (const std::string text : {"1",     "-2.5e3", "+1",     "-",  "",    "--1", "inf", "-INF", "infinity", "nan",
                                 "1e999", "-1e999", "1e-999", "1x", "0x1", " 1",  ".5",  "-.5",  "in",       "nano"}) {
    double a = 7, b = 7;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), a);
    const std::errc whole = end == text.data() + text.size() ? error : std::errc::invalid_argument;
    EXPECT_EQ(detail::read_decimal(text, b), error == std::errc() ? whole : error) << text;
    if (whole == std::errc()) { EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << text; }
  }
#else
  GTEST_SKIP() << "this standard library reads no doubles";
#endif
}

TEST(Numbers, OutOfRangeIsTooLargeOrTooSmallByTheSizeNotByTheLooks) {
  const std::string zeros(400, '0'), nines(400, '9');
  for (const std::string& text : {"1" + zeros + "e-5", "0" + nines, "00." + zeros + "1e5000", nines + "." + nines,
                                  std::string("1e99999999999999999999"), "0." + zeros + "1e+9999999999999999999999",
                                  "1" + zeros + "." + zeros + "E-9"}) {
    double x = 7;
    EXPECT_EQ(parse_number(text, x), NumberFault::overflow) << text;
    EXPECT_EQ(parse_number('-' + text, x), NumberFault::overflow) << text;
    EXPECT_EQ(x, 7) << text;
  }
  for (const std::string& text : {"0." + zeros + "1e5", "." + zeros + "1", std::string("1e-400"), "1" + zeros + "e-900",
                                  std::string("1e-99999999999999999999"), std::string("0e99999999999999999999"),
                                  "0." + zeros + "e5", "1" + zeros + "E-99999999999999999999"}) {
    double x = 7;
    EXPECT_EQ(parse_number('-' + text, x), NumberFault::none) << text;
    EXPECT_EQ(x, 0) << text;
    EXPECT_TRUE(std::signbit(x)) << text;
  }
  double x = 7;  // in range, far from the point on both sides
  EXPECT_EQ(parse_number("1" + zeros + "e-400", x), NumberFault::none);
  EXPECT_EQ(x, 1);
  EXPECT_EQ(parse_number("0." + zeros + "1e401", x), NumberFault::none);
  EXPECT_EQ(x, 1);
}

TEST(Numbers, RoundedNumbersAreThoseOfTheirDigits) {
  EXPECT_EQ(rounded(1.23456789, 3), 1.23);
  EXPECT_EQ(rounded(-0.000987654, 2), -0.00099);
  EXPECT_EQ(rounded(0, 5), 0.0);
  EXPECT_EQ(rounded(123456, 1), 100000.0);
}

}  // namespace
}  // namespace zwang::numerals
