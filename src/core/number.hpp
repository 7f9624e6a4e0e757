// SPDX-License-Identifier: BSD-3-Clause
// Numbers in files: XML Schema doubles, finite, whatever the locale of the program.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace zwang::numerals {

enum class NumberFault { none, empty, malformed, not_finite, overflow };

/// Reads the whole of `token`. A number too small for a double becomes 0, as in XML Schema.
NumberFault parse_number(std::string_view token, double& value);
/// Why a token is refused, in words.
const char* explain(NumberFault fault);

/// The shortest digits that give the same number again, with or without an exponent, whichever is shorter; they stand
/// in `room`. `inf`, `nan` of others.
using DigitsRoom = std::array<char, 32>;
std::string_view shortest(double x, DigitsRoom& room);
std::string shortest(double x);
/// x with so many significant digits, >= 1.
double rounded(double x, int digits);

/// The same by means that every standard library has: <charconv> of libc++ knows whole numbers alone.
namespace portable {
/// The magnitude of a decimal number without a sign; `overflow` also where it is too small.
NumberFault parse_magnitude(std::string_view digits, double& value);
std::string shortest(double x);
}  // namespace portable

/// Is c one of the four characters that separate tokens in XML?
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace zwang::numerals
