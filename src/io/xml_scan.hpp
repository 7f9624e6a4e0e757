// SPDX-License-Identifier: BSD-3-Clause
// A first look at an XML text that uses no memory worth mentioning: is it well formed,
// is it within the limits, what is it?
//
// The XML tree is built only from texts that pass. A document type declaration (and with it every entity of its own) is
// refused outright: it would allow entity bombs and the reading of files without the user's knowledge.
#pragma once
#include <string>
#include <string_view>

#include "io/source.hpp"
#include "zwang/io/load.hpp"

namespace zwang::io {

struct ScanResult {
  std::string root;  ///< name of the outermost element
  std::size_t root_offset = 0;
  long elements = 0;
  long links = 0, joints = 0;  ///< elements of that name directly below the root
  /// Of the first element or expression that only xacro understands.
  std::size_t xacro_offset = std::string_view::npos;
  std::string xacro;  ///< the text found there
};

/// False, with a finding, where the text is refused. `text` is UTF-8 without a byte order mark.
bool scan_xml(std::string_view text, const LineIndex& lines, const std::string& file, const ReaderLimits& limits,
              detail::Findings& found, ScanResult& result);

/// Removes a UTF-8 byte order mark; false, with a finding, for UTF-16, UTF-32 and texts with NUL bytes.
bool decode(std::string& text, const std::string& file, detail::Findings& found);

}  // namespace zwang::io
