// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/c_names.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace zwang::codegen {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

}  // namespace

std::string c_identifier(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (is_word(c))
      out += c;
    else if (out.empty() || out.back() != '_')
      out += '_';
  return out.empty() ? "_" : out;
}

void check_prefix(const std::string& name) {
  constexpr std::size_t k_longest = 40;
  constexpr std::string_view k_standard[] = {"assert",   "complex", "ctype",   "errno",  "fenv",   "float",
                                             "inttypes", "iso646",  "limits",  "locale", "math",   "setjmp",
                                             "signal",   "stdarg",  "stdbool", "stddef", "stdint", "stdio",
                                             "stdlib",   "string",  "tgmath",  "time",   "wchar",  "wctype"};
  if (std::find(std::begin(k_standard), std::end(k_standard), name) != std::end(k_standard))
    throw std::invalid_argument("E_NAME generate: '" + name + "' is the name of a header of C");
  const bool fits = !name.empty() && name.size() <= k_longest && is_letter(name[0]) &&
                    std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '_'; });
  if (!fits)
    throw std::invalid_argument(
        "E_NAME generate: the name begins the names of functions in C: a letter, then letters, digits and underscores, "
        "40 at most, got '" +
        comment(name) + "'");
}

void check_file(const std::string& name) {
  const auto breaks = [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; };
  const bool trigraph = name.find("??") != std::string::npos;  // `??=` is `#` to a compiler of C99
  if (trigraph || std::any_of(name.begin(), name.end(), breaks))
    throw std::invalid_argument("E_NAME generate: a file named '" + comment(name) + "' cannot be included from C");
}

std::string comment(const std::string& text) {
  constexpr std::size_t k_longest = 400;
  std::string out;
  for (const char c : text) {
    if (out.size() == k_longest) return out + "...";
    const bool ends = c == '/' && !out.empty() && out.back() == '*',
               begins = c == '*' && !out.empty() && out.back() == '/';
    const bool trigraph = c == '?' && !out.empty() && out.back() == '?';
    out += c < ' ' || c > '~' || c == '\\' || ends || begins || trigraph ? '_' : c;
  }
  return out;
}

std::string CNames::add(const std::string& name) {
  std::string free = name;
  for (int k = 2; std::find(taken_.begin(), taken_.end(), free) != taken_.end(); ++k)
    free = name + '_' + std::to_string(k);
  taken_.push_back(free);
  return free;
}

}  // namespace zwang::codegen
