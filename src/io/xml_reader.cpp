// SPDX-License-Identifier: BSD-3-Clause
// XmlReader: documents, what elements may hold, findings, numbers.
#include "io/xml_reader.hpp"

#include <algorithm>
#include <cmath>

#include "io/number.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

/// Position of a name in a list, with a star behind it (`several`) or without; -1 where it is not listed.
int position(std::initializer_list<std::string_view> names, std::string_view name, bool& several) {
  int at = 0;
  for (const std::string_view n : names) {
    several = n.back() == '*';
    const std::size_t size = n.size() - (several ? 1 : 0);
    if (size == name.size() && n[size - 1] == name.back() && n.substr(0, size) == name) return at;
    ++at;
  }
  return -1;
}

std::vector<std::string> plain_names(std::initializer_list<std::string_view> names) {
  std::vector<std::string> out;
  for (const std::string_view n : names) out.emplace_back(n.substr(0, n.size() - (n.back() == '*' ? 1 : 0)));
  return out;
}

std::string listing(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

}  // namespace

bool listed(std::initializer_list<std::string_view> names, std::string_view name) {
  bool ignored = false;
  return position(names, name, ignored) >= 0;
}

Mat3<double> from_rpy(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch), cy = std::cos(yaw),
               sy = std::sin(yaw);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {-sp, cp * sr, cp * cr}};
}

Mat3<double> from_z(const Vec3<double>& v) {
  const Vec3<double> u = v * (1 / norm(v));
  Vec3<double> axis = cross(Vec3<double>{0, 0, 1}, u);
  const double sine = norm(axis);
  if (sine < 1e-10) axis = {1, 0, 0};
  return rotation(from_rotation_vector(axis * (std::atan2(sine, u.z) / norm(axis))));
}

Mat3<double> from_quaternion(double x, double y, double z, double w) {
  const double length = std::hypot(std::hypot(x, y), std::hypot(z, w));
  x /= length, y /= length, z /= length, w /= length;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
}

pugi::xml_node Element::child(std::string_view name) const {
  bool several = false;
  const int at = position(rule->children, name, several);
  return pugi::xml_node(at < 0 ? nullptr : children[at]);
}

const char* Element::value(std::string_view name) const {
  bool several = false;
  const int at = position(rule->attributes, name, several);
  return at < 0 ? nullptr : values[at];
}

XmlReader::XmlReader(XmlDocument& main, const LoadOptions& options, detail::Findings& found)
    : main_(main),
      options_(options),
      found_(found),
      elements_(main.seen().elements) {
  uris(main.root());  // refuses folders that are not there, whether the file names files or not
}

XmlDocument* XmlReader::open(const std::string& path, pugi::xml_node from) {
  const auto [at, fresh] = opened_.try_emplace(path);
  if (fresh) {
    std::string text;
    if (read_text(path, options_.limits.file_bytes, text, found_)) {
      auto document = std::make_unique<XmlDocument>(std::move(text), path, path, options_.limits, found_);
      if (document->parse()) {
        by_tree_.emplace(document->root().root().internal_object(), document.get());
        at->second = std::move(document);
      }
    }
  }
  if (!at->second) return nullptr;
  elements_ += at->second->seen().elements;
  if (elements_ > options_.limits.elements) {
    refuse(from, "E_LIMIT_ELEMENTS", "more than " + std::to_string(options_.limits.elements) + " elements in all files",
           "fewer elements");
    return nullptr;
  }
  return at->second.get();
}

const XmlDocument& XmlReader::document_of(pugi::xml_node node) const {
  if (by_tree_.empty()) return main_;
  const auto it = by_tree_.find(node.root().internal_object());
  return it == by_tree_.end() ? main_ : *it->second;
}

UriResolver& XmlReader::uris(pugi::xml_node node) {
  const XmlDocument& document = document_of(node);
  return uris_.try_emplace(&document, document.path(), options_).first->second;
}

std::string XmlReader::mesh_file(pugi::xml_node node, const std::string& uri) {
  if (!options_.resolve_meshes) return {};
  const std::string key = document_of(node).path() + '\n' + uri;
  const auto known = meshes_.find(key);
  if (known != meshes_.end()) return known->second;
  const Resolved file = uris(node).resolve(uri);
  meshes_.emplace(key, file.path);
  if (!file.code) return file.path;
  Diagnostic d = at(node, file.code);
  d.found = file.found;
  d.expected = file.expected;
  d.hint = file.hint;
  // Dynamics does without meshes that are not on this machine.
  if (file.absent)
    once(options_.mode == Mode::strict ? Weight::warn : Weight::note, "mesh", std::move(d));
  else
    found_.add(Weight::warn, d);
  return {};
}

void XmlReader::once(Weight weight, const std::string& key, Diagnostic finding) {
  const auto [at, fresh] = once_at_.try_emplace(finding.code + '\n' + key, once_.size());
  if (fresh)
    once_.push_back({key, weight, std::move(finding), 0});
  else
    ++once_[at->second].more;
}

void XmlReader::report_once() {
  for (Once& x : once_) {
    const bool mesh = x.key == "mesh";
    if (x.more > 0)
      x.first.found +=
          ", and " + std::to_string(x.more) +
          (mesh ? (x.more > 1 ? " more meshes" : " more mesh") : (x.more > 1 ? " more places" : " more place"));
    found_.add(x.weight, x.first);
  }
  once_.clear();
  once_at_.clear();
}

SourcePlace XmlReader::place_of(pugi::xml_node node) const {
  const XmlDocument& document = document_of(node);
  const LineIndex::Place place = document.place(node);
  return {document.file(), place.line, place.column, path_of(node)};
}

Diagnostic XmlReader::at(pugi::xml_node node, const char* code) const {
  const SourcePlace place = place_of(node);
  Diagnostic d;
  d.code = code;
  d.file = place.file;
  d.line = place.line;
  d.column = place.column;
  d.path = place.path;
  return d;
}

void XmlReader::add(Weight weight, pugi::xml_node node, const char* code, std::string what, std::string expected,
                    std::string hint) {
  Diagnostic d = at(node, code);
  d.found = std::move(what);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  found_.add(weight, std::move(d));
}

void XmlReader::unknown_child(pugi::xml_node child, const ElementRule& rule) {
  const std::vector<std::string> known = plain_names(rule.children);
  Diagnostic d = at(child, "W_UNKNOWN_TAG");
  d.found = '<' + std::string(child.name()) + '>';
  d.expected = known.empty() ? "nothing inside of this element" : listing(known);
  d.hint = found_.did_you_mean(child.name(), known, "it is passed over");
  found_.add(Weight::warn, d);
}

Element XmlReader::look(pugi::xml_node node, const ElementRule& rule) {
  Element element{node, &rule};
  for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = child.name();
    bool several = false;
    const int at_position = position(rule.children, name, several);
    if (at_position < 0) {
      const bool extension_of_others = name.find(':') != std::string_view::npos || listed(rule.silent, name);
      extension_of_others ? extension(child) : unknown_child(child, rule);
      continue;
    }
    if (!element.children[at_position]) {
      element.children[at_position] = child.internal_object();
      continue;
    }
    if (several) continue;
    Diagnostic d = at(child, "E_REPEATED");
    d.found = "<" + std::string(name) + "> again";
    d.expected = "it once, as in line " + std::to_string(place_of(node.child(child.name())).line);
    if (found_.lenient()) d.hint = "the first one counts";
    found_.add(Weight::repairable, d);
  }
  look_at_attributes(element);
  return element;
}

/// One finding for all unknown names of an element.
void XmlReader::look_at_attributes(Element& element) {
  const ElementRule& rule = *element.rule;
  std::string strangers, first;
  for (pugi::xml_attribute a = element.node.first_attribute(); a; a = a.next_attribute()) {
    const std::string_view name = a.name();
    bool several = false;
    if (const int known = position(rule.attributes, name, several); known >= 0) {
      element.values[known] = a.value();
      continue;
    }
    if (name.find(':') != std::string_view::npos || name == "xmlns") continue;
    strangers += (strangers.empty() ? "attribute " : ", ") + detail::quoted(name);
    if (first.empty()) first = name;
  }
  if (strangers.empty()) return;
  const std::vector<std::string> known = plain_names(rule.attributes);
  Diagnostic d = at(element, "W_UNKNOWN_ATTRIBUTE");
  d.found = strangers;
  d.expected = known.empty() ? "no attributes" : listing(known);
  d.hint = found_.did_you_mean(first, known, "passed over");
  found_.add(Weight::warn, d);
}

bool XmlReader::number_in(pugi::xml_node node, std::string_view token, const std::string& what, Weight weight,
                          double& value) {
  const NumberFault fault = parse_number(token, value);
  if (fault == NumberFault::none) return true;
  Diagnostic d = at(node, "E_NUMBER");
  d.found = what + " " + detail::quoted(token);
  d.expected = "a finite decimal number";
  d.hint = explain(fault);
  found_.add(weight, d);
  return false;
}

bool XmlReader::vector(pugi::xml_node node, const char* name, const char* text, int count, double* out, Weight weight) {
  if (!text) {
    Diagnostic d = at(node, count == 1 ? "E_NUMBER" : "E_VECTOR_SIZE");
    d.found = "no attribute " + detail::quoted(name);
    d.expected = count == 1 ? "a number" : std::to_string(count) + " numbers";
    found_.add(weight, d);
    return false;
  }
  constexpr int k_most = 16, k_many = 64;
  std::string_view parts[k_most];
  const int given = tokens(text, parts, k_most, k_many);
  if (count == 1) return number_in(node, given == 1 ? parts[0] : std::string_view(text), name, weight, *out);
  if (given != count) {
    Diagnostic d = at(node, "E_VECTOR_SIZE");
    d.found = std::string(name) + ' ' + detail::quoted(text);
    d.expected = std::to_string(count) + " numbers, not " + (given < k_many ? std::to_string(given) : "so many");
    found_.add(weight, d);
    return false;
  }
  double values[k_most] = {};
  for (int k = 0; k < count; ++k)
    if (!number_in(node, parts[k], name, weight, values[k])) return false;
  std::copy(values, values + count, out);
  return true;
}

std::string XmlReader::name_of(const Element& element) {
  if (!element.has("name")) {
    Diagnostic d = at(element, "E_NAME");
    d.found = "no attribute 'name'";
    d.expected = std::string("a name for this ") + element.node.name();
    found_.add(Weight::refuse, d);
  }
  return std::string(element.text("name"));
}

}  // namespace zwang::io
