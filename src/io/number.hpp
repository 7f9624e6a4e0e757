// SPDX-License-Identifier: BSD-3-Clause
// Numbers and tokens in files.
#pragma once
#include "core/number.hpp"

namespace zwang::io {

using numerals::explain;
using numerals::is_space;
using numerals::NumberFault;
using numerals::parse_number;

std::string_view trimmed(std::string_view text);
/// How many tokens stand between white space, `most` or more counting as `most`; the first `room` of them go to `out`.
int tokens(std::string_view text, std::string_view* out, int room, int most);

}  // namespace zwang::io
