// SPDX-License-Identifier: BSD-3-Clause
// The parser's value behind JsonNode. Keys keep the order of the text.
#pragma once
#include <nlohmann/json.hpp>

namespace zwang::io {
using Json = nlohmann::ordered_json;
}
