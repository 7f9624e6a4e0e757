// SPDX-License-Identifier: BSD-3-Clause
// An MJCF with the files that it includes, seen as one tree of elements; every element knows its file and line.
#pragma once
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/uri.hpp"
#include "io/xml_document.hpp"
#include "zwang/io/load.hpp"

namespace zwang::io {

/// What all documents of one reading share: the options, the findings, and how much work is left.
struct MjcfWork {
  const LoadOptions& options;
  detail::Findings& found;
  long elements = 0;  ///< read so far, copies of <replicate> and <attach> counted
  long bodies = 0;
  bool exhausted = false;
  std::unordered_map<std::string, std::string> model_names = {};  ///< of files attached without a name, by path

  void refuse(const SourcePlace& place, const char* code, const std::string& what, const std::string& expected,
              const std::string& hint = {}) {
    add(detail::Weight::refuse, place, code, what, expected, hint);
  }
  void warn(const SourcePlace& place, const char* code, const std::string& what, const std::string& expected,
            const std::string& hint) {
    add(detail::Weight::warn, place, code, what, expected, hint);
  }
  void add(detail::Weight weight, const SourcePlace& place, const char* code, const std::string& what,
           const std::string& expected, const std::string& hint);
};

class MjcfDocument {
 public:
  static constexpr int k_nesting = 16;      ///< of <include> and of <attach>
  static constexpr std::size_t k_path = 6;  ///< elements of a path: bodies stand in bodies, the last ones tell where

  /// `enclosing`: the folder that the files of an attached model may not leave.
  MjcfDocument(XmlDocument& main, MjcfWork& work, const std::string& enclosing = {});
  MjcfDocument(const MjcfDocument&) = delete;
  MjcfDocument& operator=(const MjcfDocument&) = delete;

  /// Reads the files that it includes. False, with a finding, where one is refused.
  bool include_all() { return include_all(main_, 0); }
  /// The file on disk; empty for a text.
  const std::string& path() const { return main_.path(); }
  /// That of the file, or where relative paths of a text start; empty: nowhere.
  const std::string& folder() const { return folder_; }
  pugi::xml_node root() const { return main_.root(); }
  const std::string& enclosing() const { return uris_.enclosing(); }
  Resolved mesh(const std::string& uri) { return uris_.resolve(uri); }
  /// The path of another MJCF; empty, with a finding, where there is none.
  std::string part(pugi::xml_node node, const std::string& file) const;
  /// Counts elements that are read, copies included. False, the first time with a finding, where no more may be read.
  bool spend(pugi::xml_node node, long count = 1) const;

  /// Calls f(child) for the elements below a node, those of included files in the place of <include>.
  template <class F> void each(pugi::xml_node node, F&& f) const {
    for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
      if (child.type() != pugi::node_element) continue;
      const auto included = included_.empty() ? included_.end() : included_.find(child.internal_object());
      if (included != included_.end()) {
        each(included->second, f);
      } else {
        f(child);
      }
    }
  }
  SourcePlace place_of(pugi::xml_node node) const;
  Diagnostic at(pugi::xml_node node, const char* code) const;
  void refuse(pugi::xml_node node, const char* code, const std::string& what, const std::string& expected,
              const std::string& hint = {}) const;

 private:
  bool include_all(XmlDocument& file, int depth);
  bool include(pugi::xml_node node, int depth);

  XmlDocument& main_;
  MjcfWork& work_;
  UriResolver uris_;
  std::string folder_;
  std::vector<std::unique_ptr<XmlDocument>> files_;
  std::unordered_map<const pugi::xml_node_struct*, const XmlDocument*> owner_;  // by the root of its tree
  std::unordered_map<const pugi::xml_node_struct*, pugi::xml_node> included_;   // by <include>
  std::vector<std::string> paths_;
};

}  // namespace zwang::io
