// SPDX-License-Identifier: BSD-3-Clause
#include "json_reader.hpp"

#include <sys/stat.h>
#include <fstream>

#include "failure.hpp"

namespace zwang::cli {

std::string read_text_file(const std::string& path, std::size_t limit) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw IoError(path + ": there is no such file, or it cannot be looked at");
  if (!S_ISREG(status.st_mode)) throw IoError(path + ": not a regular file");
  if (static_cast<std::size_t>(status.st_size) > limit)
    throw UsageError(path + ": " + std::to_string(status.st_size) + " bytes, at most " + std::to_string(limit) +
                     " are read");
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size()))) throw IoError(path + ": cannot be read");
  return text;
}

JsonDocument read_json_file(const std::string& path) {
  return JsonDocument::parse(read_text_file(path, k_json_bytes), path);
}

}  // namespace zwang::cli
