// SPDX-License-Identifier: BSD-3-Clause
// XmlDocument: the text of a file with its tree. Elements of the tree know where in the text they stand.
#pragma once
#include <pugixml.hpp>
#include <string>

#include "io/source.hpp"
#include "io/xml_scan.hpp"

namespace zwang::io {

/// `robot/joint[elbow]/mimic` of an element. Of more than `most` elements those in the middle are `...`.
std::string path_of(pugi::xml_node node, std::size_t most = std::string::npos);

class XmlDocument {
 public:
  /// `file` is its name in findings; `path` that of a file on disk, empty for a text.
  XmlDocument(std::string text, std::string file, std::string path, const ReaderLimits& limits, detail::Findings& found)
      : text_(std::move(text)),
        file_(std::move(file)),
        path_(std::move(path)),
        limits_(limits),
        found_(found),
        lines_(open()) {}
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  /// False, with a finding, where it is not XML within the limits, or xacro that has to be expanded first.
  bool parse();
  pugi::xml_node root() const { return tree_.document_element(); }
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  const ScanResult& seen() const { return seen_; }
  LineIndex::Place place(pugi::xml_node node) const;
  /// Adds an error at a byte of the text; false.
  bool refuse(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
              const std::string& hint) const;
  /// Findings about a joint or link whose path ends in one of its elements get that element's line and column.
  void refine(Diagnostics& found) const;

 private:
  LineIndex open();
  bool is_xacro() const;

  std::string text_, file_, path_;
  const ReaderLimits& limits_;
  detail::Findings& found_;
  bool decoded_ = false;
  LineIndex lines_;
  ScanResult seen_;
  pugi::xml_document tree_;
};

}  // namespace zwang::io
