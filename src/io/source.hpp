// SPDX-License-Identifier: BSD-3-Clause
// The text of a file and where its lines start.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "zwang/core/findings.hpp"

namespace zwang::io {

/// Byte offset to line and column, both from 1. Columns count bytes of UTF-8, as compilers do.
class LineIndex {
 public:
  struct Place {
    int line, column;
  };
  explicit LineIndex(std::string_view text);
  Place at(std::size_t offset) const;

 private:
  std::vector<std::size_t> starts_;
};

/// Reads a regular file of at most `most` bytes. False, with a finding, where that cannot be.
bool read_text(const std::string& path, long most, std::string& text, detail::Findings& found);

}  // namespace zwang::io
