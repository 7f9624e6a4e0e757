// SPDX-License-Identifier: BSD-3-Clause
#include "io/xml_document.hpp"

#include <algorithm>
#include <new>
#include <unordered_map>
#include <vector>

namespace zwang::io {

using detail::Weight;

std::string path_of(pugi::xml_node node, std::size_t most) {
  std::vector<std::string> parts;  // the element itself first
  for (; node.type() == pugi::node_element; node = node.parent()) {
    std::string part = detail::excerpt(node.name(), 60);
    // Under the root, and where several stand side by side, a name tells them apart.
    if (const pugi::xml_attribute name = node.attribute("name"); name && node.parent().type() == pugi::node_element)
      part += '[' + detail::excerpt(name.value(), 80) + ']';
    parts.push_back(std::move(part));
  }
  std::string out;
  for (std::size_t k = parts.size(); k-- > 0;) {
    const bool left_out = parts.size() > most && k + 1 < parts.size() && k + 1 >= most;
    if (!left_out) out += (out.empty() ? "" : "/") + parts[k];
    if (left_out && k + 2 == parts.size()) out += "/...";
  }
  return out;
}

LineIndex XmlDocument::open() {
  decoded_ = decode(text_, file_, found_);
  return LineIndex(text_);
}

LineIndex::Place XmlDocument::place(pugi::xml_node node) const {
  // The '<' is one character before the name.
  return lines_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug() - 1, 0)));
}

bool XmlDocument::refuse(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
                         const std::string& hint) const {
  const LineIndex::Place place = lines_.at(offset);
  Diagnostic d;
  d.code = code;
  d.file = file_;
  d.line = place.line;
  d.column = place.column;
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  found_.add(Weight::refuse, d);
  return false;
}

bool XmlDocument::is_xacro() const {
  const std::string suffix = ".xacro";
  const bool named =
      file_.size() > suffix.size() && file_.compare(file_.size() - suffix.size(), suffix.size(), suffix) == 0;
  if (!named && seen_.xacro_offset == std::string_view::npos) return false;
  const std::string plain = named           ? file_.substr(0, file_.size() - suffix.size())
                            : file_.empty() ? std::string("robot.urdf")
                                            : file_ + ".urdf";
  const std::size_t offset = seen_.xacro_offset != std::string_view::npos ? seen_.xacro_offset : seen_.root_offset;
  refuse("E_XACRO", offset, seen_.xacro.empty() ? "a xacro file" : detail::quoted(seen_.xacro),
         "URDF, which xacro writes",
         "expand it first: xacro " + (file_.empty() ? std::string("robot.urdf.xacro") : file_) + " > " + plain);
  return true;
}

bool XmlDocument::parse() {
  if (!decoded_) return false;
  if (text_.size() > static_cast<std::size_t>(limits_.file_bytes))
    return refuse("E_LIMIT_FILE", 0, std::to_string(text_.size()) + " bytes",
                  "at most " + std::to_string(limits_.file_bytes) + " bytes", "");
  if (!scan_xml(text_, lines_, file_, limits_, found_, seen_) || is_xacro()) return false;
  const pugi::xml_parse_result result =
      tree_.load_buffer_inplace(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result) return true;
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  return refuse("E_XML", static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), result.description(),
                "well-formed XML", "");
}

void XmlDocument::refine(Diagnostics& found) const {
  // By place. Built when it is needed; the first of a name counts.
  std::unordered_map<std::string, pugi::xml_node> elements;
  for (Diagnostic& d : found) {
    const std::size_t end = d.path.find("]/");
    if (d.line == 0 || end == std::string::npos || d.file != file_) continue;
    if (elements.empty()) {
      for (const pugi::xml_node child : root().children()) {
        const LineIndex::Place at = place(child);
        elements.emplace(std::to_string(at.line) + ':' + std::to_string(at.column), child);
      }
    }
    const auto it = elements.find(std::to_string(d.line) + ':' + std::to_string(d.column));
    if (it == elements.end()) continue;
    pugi::xml_node node = it->second;
    const std::string whole = path_of(node);
    if (d.path.compare(0, whole.size(), whole) != 0) continue;
    for (std::size_t i = whole.size(); i < d.path.size() && d.path[i] == '/';) {
      const std::size_t next = std::min(d.path.find('/', i + 1), d.path.size());
      const pugi::xml_node below = node.child(d.path.substr(i + 1, next - i - 1).c_str());
      if (!below) break;
      node = below;
      i = next;
    }
    const LineIndex::Place at = place(node);
    d.line = at.line;
    d.column = at.column;
  }
}

}  // namespace zwang::io
