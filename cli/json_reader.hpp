// SPDX-License-Identifier: BSD-3-Clause
// JSON files.
#pragma once
#include "zwang/io/json.hpp"

namespace zwang::cli {

using Node = JsonNode;

/// All of a regular file. Throws IoError where it cannot be read, UsageError where it has more bytes than `limit`.
std::string read_text_file(const std::string& path, std::size_t limit);
/// Also throws JsonError where it is no JSON.
JsonDocument read_json_file(const std::string& path);

}  // namespace zwang::cli
