// SPDX-License-Identifier: BSD-3-Clause
// What every document begins with: "format" and "version".
#pragma once
#include "zwang/io/json.hpp"

namespace zwang::io {

/// Refuses documents of another format and versions that are not known yet. `needed`: a document without them is none.
void check_head(const JsonNode& root, const char* format, int version, bool needed);

}  // namespace zwang::io
