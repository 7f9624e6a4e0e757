// SPDX-License-Identifier: BSD-3-Clause
// Number parsing on std::from_chars, which knows no locale; where the standard library has none for double, on strtod.
#include "core/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "zwang/core/findings.hpp"

namespace zwang::numerals {
namespace {

/// Whether a number out of range underflowed rather than overflowed: by its size, the place of its first digit that is
/// not 0 beside the point, and the exponent.
bool too_small(std::string_view digits) {
  const std::size_t end = std::min(digits.find_first_of("eE"), digits.size()), point = std::min(digits.find('.'), end),
                    first = digits.find_first_of("123456789");
  if (first >= end) return true;  // 0, whatever its exponent
  const auto place = [](std::size_t k) { return static_cast<std::int64_t>(k); };
  const std::int64_t before = first < point ? place(point - first) : place(point + 1) - place(first);
  constexpr std::int64_t k_far = 100'000'000'000'000'000;  // beyond the length of any text; ten times it fits
  std::int64_t exponent = 0;
  for (const char c : digits.substr(end))
    if (c >= '0' && c <= '9') exponent = std::min(10 * exponent + (c - '0'), k_far);
  const bool negative = digits.substr(end).find('-') != std::string_view::npos;
  return before + (negative ? -exponent : exponent) < 0;  // out of range: hundreds of digits to one side
}

bool is_word(std::string_view digits) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const std::string_view word : {"nan", "inf", "infinity"}) {
    if (word.size() != digits.size()) continue;
    std::size_t k = 0;
    while (k < word.size() && lower(digits[k]) == word[k]) ++k;
    if (k == word.size()) return true;
  }
  return false;
}

/// digits [. digits] [e [sign] digits], or without those before the point.
bool is_decimal(std::string_view text) {
  std::size_t k = 0;
  const auto digits = [&] {
    const std::size_t from = k;
    while (k < text.size() && text[k] >= '0' && text[k] <= '9') ++k;
    return k - from;
  };
  std::size_t count = digits();
  if (k < text.size() && text[k] == '.') {
    ++k;
    count += digits();
  }
  if (count == 0) return false;
  if (k < text.size() && (text[k] == 'e' || text[k] == 'E')) {
    ++k;
    if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
    if (digits() == 0) return false;
  }
  return k == text.size();
}

#ifdef __cpp_lib_to_chars
NumberFault parse_magnitude(std::string_view digits, double& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return NumberFault::malformed;
  return error == std::errc::result_out_of_range ? NumberFault::overflow : NumberFault::none;
}
#else
NumberFault parse_magnitude(std::string_view digits, double& value) { return portable::parse_magnitude(digits, value); }
#endif

}  // namespace

NumberFault parse_number(std::string_view token, double& value) {
  if (token.empty()) return NumberFault::empty;
  std::string_view digits = token;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  if (is_word(digits)) return NumberFault::not_finite;
  const bool starts = !digits.empty() && ((digits.front() >= '0' && digits.front() <= '9') || digits.front() == '.');
  if (!starts) return NumberFault::malformed;
  double magnitude = 0;
  const NumberFault fault = parse_magnitude(digits, magnitude);
  if (fault == NumberFault::overflow && too_small(digits))
    magnitude = 0;
  else if (fault != NumberFault::none)
    return fault;
  value = negative ? -magnitude : magnitude;
  return NumberFault::none;
}

const char* explain(NumberFault fault) {
  switch (fault) {
    case NumberFault::none: return "";
    case NumberFault::empty: return "there is nothing to read";
    case NumberFault::malformed: return "write a decimal number with a point, such as 0.5 or 1e-3";
    case NumberFault::not_finite: return "infinity and NaN mean nothing here";
    case NumberFault::overflow: return "it is larger than any double";
  }
  return "";
}

std::string_view shortest(double x, DigitsRoom& room) {
#ifdef __cpp_lib_to_chars
  const char* const end = std::to_chars(room.data(), room.data() + room.size(), x).ptr;
  return {room.data(), static_cast<std::size_t>(end - room.data())};
#else
  const std::string text = portable::shortest(x);
  return {room.data(), text.copy(room.data(), room.size())};
#endif
}
std::string shortest(double x) {
  DigitsRoom room;
  return std::string(shortest(x, room));
}

double rounded(double x, int digits) {
  double r = x;
  if (std::isfinite(x)) parse_number(fmt::format("{:.{}e}", x, digits - 1), r);
  return r;
}

namespace portable {

NumberFault parse_magnitude(std::string_view digits, double& value) {
  if (!is_decimal(digits)) return NumberFault::malformed;
  std::string text(digits);
  const std::size_t point = text.find('.');
  if (point != std::string::npos) text.replace(point, 1, std::localeconv()->decimal_point);  // what strtod expects
  const double x = std::strtod(text.c_str(), nullptr);
  const bool some = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string::npos;
  if (std::isinf(x) || (x == 0 && some)) return NumberFault::overflow;
  value = x;
  return NumberFault::none;
}

std::string shortest(double x) {
  const std::string sign = std::signbit(x) ? "-" : "";
  if (!std::isfinite(x)) return sign + (std::isnan(x) ? "nan" : "inf");
  if (x == 0) return sign + "0";
  // fmt finds the digits, and has a rule of its own for the exponent. Here x = 0.d1d2d3... 10^exponent.
  const std::string found = fmt::format("{}", std::fabs(x));
  const std::size_t e = std::min(found.find('e'), found.size()), point = std::min(found.find('.'), e);
  std::string digits = found.substr(0, point) + (point < e ? found.substr(point + 1, e - point - 1) : "");
  int exponent = static_cast<int>(point) + (e < found.size() ? std::atoi(found.c_str() + e + 1) : 0);
  const std::size_t zeros = digits.find_first_not_of('0');
  digits.erase(0, zeros);
  exponent -= static_cast<int>(zeros);
  digits.erase(digits.find_last_not_of('0') + 1);
  const int count = static_cast<int>(digits.size());
  const std::string scientific =
      digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + fmt::format("e{:+03}", exponent - 1);
  std::string plain;
  if (exponent <= 0)
    plain = "0." + std::string(static_cast<std::size_t>(-exponent), '0') + digits;
  else if (exponent < count)
    plain =
        digits.substr(0, static_cast<std::size_t>(exponent)) + "." + digits.substr(static_cast<std::size_t>(exponent));
  else
    plain = fmt::format("{:.0f}", std::fabs(x));
  return sign + (plain.size() <= scientific.size() ? plain : scientific);
}

}  // namespace portable
}  // namespace zwang::numerals

namespace zwang::detail {

std::errc read_decimal(std::string_view text, double& value) {
  using namespace numerals;
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  double magnitude = 0;
  if (is_word(digits)) {
    const bool infinite = digits.front() == 'i' || digits.front() == 'I';
    magnitude = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    const bool starts = !digits.empty() && ((digits.front() >= '0' && digits.front() <= '9') || digits.front() == '.');
    const NumberFault fault = starts ? parse_magnitude(digits, magnitude) : NumberFault::malformed;
    if (fault == NumberFault::overflow) return std::errc::result_out_of_range;
    if (fault != NumberFault::none) return std::errc::invalid_argument;
  }
  value = negative ? -magnitude : magnitude;
  return {};
}

}  // namespace zwang::detail
