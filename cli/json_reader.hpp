// SPDX-License-Identifier: BSD-3-Clause
// JSON files.
#pragma once
#include <algorithm>

#include "zwang/core/record.hpp"
#include "zwang/io/json.hpp"

namespace zwang::cli {

using Node = JsonNode;

inline constexpr const char* k_standard_input = "-";
/// Whether a file holds JSON: its name ends in .json, or it is the standard input and begins with a brace.
bool is_json_file(const std::string& path);
/// All of a regular file, or of the standard input ("-"), which is read once. Throws IoError where it cannot be read,
/// UsageError where it has more bytes than `limit`.
std::string read_text_file(const std::string& path, std::size_t limit);
/// Also throws JsonError where it is no JSON.
JsonDocument read_json_file(const std::string& path);

/// One of the words of an enumeration.
template <Worded E> E read_word(const Node& node) {
  constexpr auto words = words_of(Type<E>());
  const std::string given = node.word({words.begin(), words.end()});
  return static_cast<E>(std::find(words.begin(), words.end(), given) - words.begin());
}

/// f(), whose refusals get the place of `node` where they have none.
template <class F> decltype(auto) with_place(const Node& node, F&& f) {
  try {
    return f();
  } catch (const JsonError&) {
    throw;  // it has its place
  } catch (const std::invalid_argument& error) { node.fail(error.what()); }
}

}  // namespace zwang::cli
