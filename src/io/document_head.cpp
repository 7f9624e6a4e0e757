// SPDX-License-Identifier: BSD-3-Clause
#include "io/document_head.hpp"

namespace zwang::io {

void check_head(const JsonNode& root, const char* format, int version, bool needed) {
  if (!root.is_object()) root.expected("an object");
  if (needed || root.has("format")) root["format"].word({format});
  if (!needed && !root.has("version")) return;
  const JsonNode given = root["version"];
  const int n = given.integer();
  if (n < 1 || n > version)
    given.fail("version " + std::to_string(n) + " of " + format + " is not known here, versions 1 to " +
               std::to_string(version) + " are");
}

}  // namespace zwang::io
