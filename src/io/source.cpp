// SPDX-License-Identifier: BSD-3-Clause
// Reading files within bounds.
#include "io/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>

namespace zwang::io {

LineIndex::LineIndex(std::string_view text) : starts_{0} {
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
    starts_.push_back(i + 1);
}

LineIndex::Place LineIndex::at(std::size_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return {static_cast<int>(next - starts_.begin()), static_cast<int>(offset - *(next - 1)) + 1};
}

bool read_text(const std::string& path, long most, std::string& text, detail::Findings& found) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const char* code, const std::string& what, const std::string& expected) {
    Diagnostic d;
    d.code = code;
    d.file = path;
    d.found = what;
    d.expected = expected;
    found.add(detail::Weight::refuse, d);
    return false;
  };
  const std::size_t first = path.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string::npos && path[first] == '<') {
    Diagnostic d;
    d.code = "E_FILE";
    d.found = "the text of a file, where its name is expected";
    d.expected = "the name of a file that can be read";
    d.hint = "loads reads a text";
    found.add(detail::Weight::refuse, d);
    return false;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return refuse("E_FILE", "no such file", "a file that can be read");
  if (error) return refuse("E_FILE", error.message(), "a file that can be read");
  if (status.type() == fs::file_type::directory) return refuse("E_FILE", "a folder", "a file");
  // Devices and pipes may have no end, or block forever.
  if (status.type() != fs::file_type::regular) return refuse("E_FILE", "not a regular file", "a regular file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (in == nullptr) {
    if (errno == ENOMEM) throw std::bad_alloc();
    return refuse("E_FILE", "a file that cannot be opened", "a file that can be read");
  }
  std::setvbuf(in.get(), nullptr, _IONBF, 0);  // blocks are large
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(most))
    return refuse("E_LIMIT_FILE", std::to_string(size) + " bytes", "at most " + std::to_string(most) + " bytes");
  // The reported size of a file may be wrong (/proc): read to the end, but not beyond the limit.
  constexpr std::size_t k_block = 1 << 16;
  text.clear();
  if (!error) text.reserve(static_cast<std::size_t>(size) + k_block);  // the last block is resized before it is read
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + k_block);
    const std::size_t count = std::fread(text.data() + before, 1, k_block, in.get());
    text.resize(before + count);
    if (text.size() > static_cast<std::size_t>(most))
      return refuse("E_LIMIT_FILE", "more than " + std::to_string(most) + " bytes",
                    "at most " + std::to_string(most) + " bytes");
    if (count < k_block) break;
  }
  if (std::ferror(in.get()) != 0) return refuse("E_FILE", "an error while reading", "a file that can be read");
  return true;
}

}  // namespace zwang::io
