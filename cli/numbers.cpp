// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include <cmath>

#include "failure.hpp"
#include "zwang/core/findings.hpp"

namespace zwang::cli {
namespace {

std::string_view trimmed(std::string_view s) {
  const std::size_t first = s.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\n\r") - first + 1);
}

}  // namespace

double read_number(const std::string& what, std::string_view token) {
  std::string_view digits = token;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double x = 0;
  const std::errc fault = detail::read_decimal(digits, x);
  const std::string got = what + ": got '" + std::string(token) + "', expected a ";
  if (fault == std::errc::result_out_of_range) throw UsageError(got + "number that a double can hold");
  if (fault != std::errc()) throw UsageError(got + "decimal number");
  if (!std::isfinite(x)) throw UsageError(got + "finite number");
  return x;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

std::vector<double> read_numbers(const std::string& what, std::string_view text) {
  std::vector<double> out;
  for (const std::string_view token : split_at_commas(text)) out.push_back(read_number(what, token));
  return out;
}

std::string counted(long number, const char* noun) {
  return std::to_string(number) + ' ' + noun + (number == 1 ? "" : "s");
}

}  // namespace zwang::cli
