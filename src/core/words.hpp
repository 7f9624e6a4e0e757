// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names in the sentences of reports.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/core/error.hpp"
#include "zwang/core/record.hpp"

namespace zwang::words {

/// Three digits, with a point whatever the locale of the host program.
inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  for (char& c : text)
    if (c == ',') c = '.';
  return text;
}
inline std::string list(const std::vector<std::string_view>& names) {
  std::string s;
  for (const std::string_view& n : names) s += (s.empty() ? "" : ", ") + std::string(n);
  return s;
}

/// The value of a word. Throws std::invalid_argument with the nearest word and all of them; `kind`: of what.
template <Worded E> E value_of(const char* kind, const std::string& word) {
  constexpr auto all = words_of(Type<E>());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (word == all[k]) return static_cast<E>(k);
  detail::throw_unknown(kind, word, {all.begin(), all.end()});
}

}  // namespace zwang::words
