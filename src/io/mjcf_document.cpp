// SPDX-License-Identifier: BSD-3-Clause
// MjcfDocument: files, includes, places.
#include "io/mjcf_document.hpp"

#include <algorithm>
#include <filesystem>

namespace zwang::io {

using detail::Weight;

MjcfDocument::MjcfDocument(XmlDocument& main, MjcfWork& work, const std::string& enclosing)
    : main_(main),
      work_(work),
      uris_(main.path(), work.options, enclosing) {
  owner_.emplace(main.root().root().internal_object(), &main);
  std::error_code error;
  if (main.path().empty()) {
    folder_ = work.options.base_directory;
  } else {
    folder_ = std::filesystem::absolute(main.path(), error).parent_path().string();
    paths_.push_back(std::filesystem::weakly_canonical(main.path(), error).string());
  }
}

void MjcfWork::add(Weight weight, const SourcePlace& place, const char* code, const std::string& what,
                   const std::string& expected, const std::string& hint) {
  Diagnostic d;
  d.code = code;
  d.file = place.file;
  d.line = place.line;
  d.column = place.column;
  d.path = place.path;
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  found.add(weight, d);
}

SourcePlace MjcfDocument::place_of(pugi::xml_node node) const {
  const auto owner = owner_.find(node.root().internal_object());
  if (owner == owner_.end()) return {};
  const LineIndex::Place place = owner->second->place(node);
  return {owner->second->file(), place.line, place.column, path_of(node, k_path)};
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
  work_.refuse(place_of(node), code, what, expected, hint);
}

std::string MjcfDocument::part(pugi::xml_node node, const std::string& file) const {
  const bool relative = std::filesystem::path(file).is_relative();
  if (relative && folder_.empty()) {
    refuse(node, "E_MJCF_INCLUDE", detail::quoted(file), "a text without other files",
           "a text has no folder: set base_directory, or load the file by its name");
    return {};
  }
  const Resolved found = uris_.part(file, folder_);
  if (!found.code) return found.path;
  if (found.absent) {
    refuse(node, "E_MJCF_INCLUDE", found.found, "a file relative to the folder of the main file");
  } else {
    refuse(node, found.code, found.found, found.expected, found.hint);
  }
  return {};
}

bool MjcfDocument::spend(pugi::xml_node node, long count) const {
  const long most = work_.options.limits.elements;
  work_.elements += std::min(count, most);
  if (work_.elements > most && !work_.exhausted) {
    refuse(node, "E_LIMIT_ELEMENTS", "more than " + std::to_string(most),
           "at most that many elements in all files, copies counted", "<replicate> and <attach> multiply elements");
    work_.exhausted = true;
  }
  return !work_.exhausted;
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
  const std::string path = part(node, file);  // canonical
  if (path.empty()) return false;
  if (std::find(paths_.begin(), paths_.end(), path) != paths_.end())
    return refused(detail::quoted(file) + " again", "each file once",
                   "MuJoCo refuses it, too: names would be there twice");
  paths_.push_back(path);
  std::string text;
  if (!read_text(path, work_.options.limits.file_bytes, text, work_.found)) return false;
  files_.push_back(std::make_unique<XmlDocument>(std::move(text), path, path, work_.options.limits, work_.found));
  XmlDocument& own = *files_.back();
  if (!own.parse()) return false;
  owner_.emplace(own.root().root().internal_object(), &own);
  included_.emplace(node.internal_object(), own.root());
  return include_all(own, depth + 1);
}

}  // namespace zwang::io
