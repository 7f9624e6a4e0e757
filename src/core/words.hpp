// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names in the sentences of reports.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace zwang::words
