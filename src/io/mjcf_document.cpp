// SPDX-License-Identifier: BSD-3-Clause
// MjcfDocument: files, includes, places.
#include "io/mjcf_document.hpp"

#include <algorithm>
#include <filesystem>

namespace zwang::io {

using detail::Weight;

std::string mjcf_path_of(pugi::xml_node node) {
  std::vector<std::string> parts;
  for (; node.type() == pugi::node_element; node = node.parent()) {
    std::string part = detail::excerpt(node.name(), 60);
    if (const pugi::xml_attribute name = node.attribute("name"); name && node.parent().type() == pugi::node_element)
      part += '[' + detail::excerpt(name.value(), 80) + ']';
    parts.push_back(std::move(part));
  }
  // The last elements are the ones that tell where it is: a path of a deep tree would be long and never read.
  constexpr std::size_t k_most = 6;
  std::string out;
  for (std::size_t k = parts.size(); k-- > 0;) {
    if (parts.size() > k_most && k + 1 < parts.size() && k + 1 >= k_most) {
      if (k + 2 == parts.size()) out += "/...";
      continue;
    }
    out += (out.empty() ? "" : "/") + parts[k];
  }
  return out;
}

MjcfDocument::MjcfDocument(XmlDocument& main, MjcfWork& work) : main_(main), work_(work) {
  owner_.emplace(main.root().root().internal_object(), &main);
  std::error_code error;
  if (main.path().empty()) {
    folder_ = work.options.base_directory;
  } else {
    folder_ = std::filesystem::absolute(main.path(), error).parent_path().string();
    paths_.push_back(std::filesystem::weakly_canonical(main.path(), error).string());
  }
}

SourcePlace MjcfDocument::place_of(pugi::xml_node node) const {
  const auto owner = owner_.find(node.root().internal_object());
  if (owner == owner_.end()) return {};
  const LineIndex::Place place = owner->second->place(node);
  return {owner->second->file(), place.line, place.column, mjcf_path_of(node)};
}

Diagnostic MjcfDocument::at(pugi::xml_node node, const char* code) const {
  SourcePlace place = place_of(node);
  Diagnostic d;
  d.code = code;
  d.file = std::move(place.file);
  d.line = place.line;
  d.column = place.column;
  d.path = std::move(place.path);
  return d;
}

void MjcfDocument::refuse(pugi::xml_node node, const char* code, const std::string& what, const std::string& expected,
                          const std::string& hint) const {
  Diagnostic d = at(node, code);
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  work_.found.add(Weight::refuse, d);
}

/// Without recursion over the tree: only over files.
bool MjcfDocument::include_all(XmlDocument& file, int depth) {
  const pugi::xml_node top = file.root();
  for (pugi::xml_node node = top; node;) {
    if (std::string_view(node.name()) == "include" && node != top && !include(node, depth)) return false;
    pugi::xml_node next = node.first_child();
    while (!next && node != top) {
      next = node.next_sibling();
      if (!next) node = node.parent();
    }
    node = next;
  }
  return true;
}

/// The named file's elements take the place of <include>. Paths are relative to the main file's folder, in included
/// files, too.
bool MjcfDocument::include(pugi::xml_node node, int depth) {
  const std::string file = node.attribute("file").value();
  const auto refused = [&](const std::string& what, const std::string& expected, const std::string& hint = {}) {
    refuse(node, "E_MJCF_INCLUDE", what, expected, hint);
    return false;
  };
  if (file.empty()) return refused("<include> without a file", "<include file=\"...\"/>");
  if (node.first_child()) return refused("an element inside of <include>", "nothing in it");
  if (depth >= k_nesting)
    return refused("files included " + std::to_string(depth + 1) + " deep",
                   "at most " + std::to_string(k_nesting) + " deep");
  std::filesystem::path path(file);
  if (path.is_relative()) {
    if (folder_.empty())
      return refused(detail::quoted(file), "a text without includes",
                     "a text has no folder: set base_directory, or load the file by its name");
    path = std::filesystem::path(folder_) / path;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return refused("no file " + detail::quoted(path.string()), "a file relative to the folder of the main file");
  const std::string canonical = std::filesystem::weakly_canonical(path, error).string();
  if (std::find(paths_.begin(), paths_.end(), canonical) != paths_.end())
    return refused(detail::quoted(file) + " again", "each file once",
                   "MuJoCo refuses it, too: names would be there twice");
  paths_.push_back(canonical);
  std::string text;
  if (!read_text(path.string(), work_.options.limits.file_bytes, text, work_.found)) return false;
  files_.push_back(
      std::make_unique<XmlDocument>(std::move(text), path.string(), path.string(), work_.options.limits, work_.found));
  XmlDocument& own = *files_.back();
  if (!own.parse()) return false;
  owner_.emplace(own.root().root().internal_object(), &own);
  included_.emplace(node.internal_object(), own.root());
  return include_all(own, depth + 1);
}

}  // namespace zwang::io
