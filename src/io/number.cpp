// SPDX-License-Identifier: BSD-3-Clause
#include "io/number.hpp"

namespace zwang::io {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

int tokens(std::string_view text, std::string_view* out, int room, int most) {
  int count = 0;
  for (std::size_t i = 0; i < text.size() && count < most;) {
    while (i < text.size() && is_space(text[i])) ++i;
    const std::size_t start = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i == start) continue;
    if (count < room) out[count] = text.substr(start, i - start);
    ++count;
  }
  return count;
}

}  // namespace zwang::io
