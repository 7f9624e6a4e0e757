// SPDX-License-Identifier: BSD-3-Clause
#include "json_reader.hpp"

#include <sys/stat.h>
#include <cstdio>
#include <fstream>

#include "failure.hpp"
#include "written_file.hpp"
#include "zwang/io/model.hpp"

namespace zwang::cli {

namespace {

[[noreturn]] void refuse_size(const std::string& path, const std::string& bytes, std::size_t limit) {
  throw UsageError(path + ": " + bytes + " bytes, at most " + std::to_string(limit) + " are read");
}

const std::string& standard_input() {
  static const std::string text = [] {
    std::string all;
    char block[1 << 16];
    while (const std::size_t count = std::fread(block, 1, sizeof block, stdin)) {
      all.append(block, count);
      if (all.size() > k_model_bytes) refuse_size("standard input", "more", k_model_bytes);
    }
    if (std::ferror(stdin)) throw IoError("standard input: cannot be read");
    input_files().add("/dev/stdin", "at the standard input");
    return all;
  }();
  return text;
}

}  // namespace

bool is_json_file(const std::string& path) {
  if (path != k_standard_input) return path.size() > 5 && path.ends_with(".json");
  const std::string& text = standard_input();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  if (path == k_standard_input) {
    if (standard_input().size() > limit) refuse_size(path, std::to_string(standard_input().size()), limit);
    return standard_input();
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw IoError(path + ": there is no such file, or it cannot be looked at");
  if (S_ISDIR(status.st_mode)) throw IoError(path + ": a folder, expected a file");
  if (!S_ISREG(status.st_mode)) throw IoError(path + ": not a regular file");
  if (static_cast<std::size_t>(status.st_size) > limit) refuse_size(path, std::to_string(status.st_size), limit);
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size()))) throw IoError(path + ": cannot be read");
  input_files().add(path);
  return text;
}

JsonDocument read_json_file(const std::string& path) {
  return JsonDocument::parse(read_text_file(path, k_json_bytes), path);
}

}  // namespace zwang::cli
