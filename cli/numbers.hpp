// SPDX-License-Identifier: BSD-3-Clause
// Numbers in words, whatever the locale.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zwang::cli {

/// A finite decimal number. Throws UsageError naming `what` and the token.
double read_number(const std::string& what, std::string_view token);
/// Numbers separated by commas.
std::vector<double> read_numbers(const std::string& what, std::string_view text);
/// The parts between commas, blanks around them taken off.
std::vector<std::string_view> split_at_commas(std::string_view text);

/// `1 step`, `2 steps`.
std::string counted(long number, const char* noun);

}  // namespace zwang::cli
