// SPDX-License-Identifier: BSD-3-Clause
// Numbers in files: XML Schema doubles, finite, whatever the locale of the program.
#pragma once
#include <string_view>

namespace zwang::numerals {

enum class NumberFault { none, empty, malformed, not_finite, overflow };

/// Reads the whole of `token`. A number too small for a double becomes 0, as in XML Schema.
NumberFault parse_number(std::string_view token, double& value);
/// Why a token is refused, in words.
const char* explain(NumberFault fault);

/// Is c one of the four characters that separate tokens in XML?
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace zwang::numerals
