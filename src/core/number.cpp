// SPDX-License-Identifier: BSD-3-Clause
// Number parsing on std::from_chars, which knows no locale.
#include "core/number.hpp"

#include <charconv>
#include <cmath>

namespace zwang::numerals {
namespace {

/// Whether a number out of range underflowed rather than overflowed: decided by the sign of the exponent,
/// or a leading zero.
bool too_small(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  if (e != std::string_view::npos) return e + 1 < digits.size() && digits[e + 1] == '-';
  return digits.front() == '0' || digits.front() == '.';
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
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return NumberFault::malformed;
  if (error == std::errc::result_out_of_range) {
    if (!too_small(digits)) return NumberFault::overflow;
    magnitude = 0;
  }
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

}  // namespace zwang::numerals
