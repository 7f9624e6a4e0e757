// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/c_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zwang::codegen {
namespace {

constexpr std::size_t k_width = 110;

/// `{1, 2, 3}` in lines that are not long. Of nothing: one zero, since C has no empty arrays.
std::string row_of(const std::vector<std::string>& words, const std::string& indent) {
  if (words.empty()) return "{0}";
  std::string text = "{", line;
  for (const std::string& word : words) {
    if (!line.empty() && line.size() + word.size() > k_width) {
      text += line + "\n " + indent;
      line.clear();
    }
    line += word + (&word == &words.back() ? "" : ", ");
  }
  return text + line + '}';
}

}  // namespace

std::string index_table(const std::string& name, const std::vector<Index>& numbers) {
  Index least = 0, most = 0;
  std::vector<std::string> words;
  for (const Index k : numbers) {
    least = std::min(least, k), most = std::max(most, k);
    words.push_back(std::to_string(k));
  }
  const char* const type = least >= 0 && most <= 255          ? "unsigned char"
                           : least >= -127 && most <= 127     ? "signed char"
                           : least >= -32767 && most <= 32767 ? "short"
                                                              : "long";
  return fmt::format("static const {} {}[{}] = {};\n", type, name, std::max<std::size_t>(words.size(), 1),
                     row_of(words, "  "));
}

std::string number_table(const std::string& name, const std::vector<double>& numbers, std::size_t columns,
                         const CScalar& scalar) {
  std::vector<std::string> words;
  for (const double x : numbers) words.push_back(literal(x, scalar));
  if (columns == 1)
    return fmt::format("static const {} {}[{}] = {};\n", scalar.type, name, std::max<std::size_t>(words.size(), 1),
                       row_of(words, "  "));
  const std::size_t rows = std::max<std::size_t>(words.size() / columns, 1);
  std::string text = fmt::format("static const {} {}[{}][{}] = {{\n", scalar.type, name, rows, columns);
  for (std::size_t k = 0; k < rows; ++k) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(std::min(k * columns, words.size())),
               last = words.begin() + static_cast<std::ptrdiff_t>(std::min((k + 1) * columns, words.size()));
    text += "  " + row_of({first, last}, "   ") + (k + 1 < rows ? ",\n" : "\n");
  }
  return text + "};\n";
}

}  // namespace zwang::codegen
