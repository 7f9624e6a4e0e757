// SPDX-License-Identifier: BSD-3-Clause
// JSON files.
#pragma once
#include "zwang/io/json.hpp"

namespace zwang::cli {

using Node = JsonNode;

/// Throws IoError where the file cannot be read, UsageError where it is too large, JsonError where it is no JSON.
JsonDocument read_json_file(const std::string& path);

}  // namespace zwang::cli
