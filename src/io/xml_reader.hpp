// SPDX-License-Identifier: BSD-3-Clause
// XmlReader: what the readers of all formats share: the documents that a robot is made of, what elements may hold,
// findings about elements, numbers in attributes and texts.
#pragma once
#include <initializer_list>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/uri.hpp"
#include "io/xml_document.hpp"

namespace zwang::io {

/// What an element may hold. A name with a star may come several times;
/// `silent` names are extensions of others, passed over.
struct ElementRule {
  std::initializer_list<std::string_view> children, silent, attributes;
};

/// An element as `look` saw it, in one pass: the first child of each name and the values of the attributes that its
/// rule lists, in the order of the rule.
struct Element {
  static constexpr std::size_t k_most = 12;  // names in a list of a rule

  pugi::xml_node node;
  const ElementRule* rule;
  pugi::xml_node_struct* children[k_most] = {};
  const char* values[k_most] = {};

  operator pugi::xml_node() const { return node; }
  /// Empty where there is none.
  pugi::xml_node child(std::string_view name) const;
  /// nullptr where there is no such attribute.
  const char* value(std::string_view name) const;
  std::string_view text(std::string_view name) const {
    const char* given = value(name);
    return given ? given : std::string_view();
  }
  bool has(std::string_view name) const { return value(name) != nullptr; }
};

/// Is a name listed, with a star behind it or without?
bool listed(std::initializer_list<std::string_view> names, std::string_view name);
/// Rotation by roll about x, then pitch about y, then yaw about z, all fixed: Rz(yaw) Ry(pitch) Rx(roll).
Mat3<double> from_rpy(double roll, double pitch, double yaw);
/// The smallest rotation that takes z to v; half a turn about x where v = -z.
Mat3<double> from_z(const Vec3<double>& v);
/// Of a quaternion of any length but zero.
Mat3<double> from_quaternion(double x, double y, double z, double w);

class XmlReader {
 public:
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

 protected:
  XmlReader(XmlDocument& main, const LoadOptions& options, detail::Findings& found);
  ~XmlReader() = default;

  /// The document of another file, which is read once; nullptr, with a finding, where that cannot be. Each call counts
  /// the elements of the file towards limits.elements, so that files that include each other many times end.
  XmlDocument* open(const std::string& path, pugi::xml_node from);
  /// Of main or an opened one.
  const XmlDocument& document_of(pugi::xml_node node) const;

  /// Finds what the rule lists; reports unknown children and attributes, and repeated children that may occur only
  /// once. `rule` must live as long as the element that is returned.
  Element look(pugi::xml_node node, const ElementRule& rule);
  /// Called for children that are `silent` or have a prefix.
  virtual void extension(pugi::xml_node) {}

  SourcePlace place_of(pugi::xml_node node) const;
  Diagnostic at(pugi::xml_node node, const char* code) const;
  /// One finding about an element.
  void add(detail::Weight weight, pugi::xml_node node, const char* code, std::string what, std::string expected = {},
           std::string hint = {});
  bool refuse(pugi::xml_node node, const char* code, std::string what, std::string expected, std::string hint = {}) {
    add(detail::Weight::refuse, node, code, std::move(what), std::move(expected), std::move(hint));
    return false;
  }
  void warn(pugi::xml_node node, const char* code, std::string what, std::string expected = {}, std::string hint = {}) {
    add(detail::Weight::warn, node, code, std::move(what), std::move(expected), std::move(hint));
  }
  void note(pugi::xml_node node, const char* code, std::string what, std::string hint) {
    add(detail::Weight::note, node, code, std::move(what), {}, std::move(hint));
  }

  /// One finite number; false, with E_NUMBER, where it is none.
  bool number_in(pugi::xml_node node, std::string_view token, const std::string& what, detail::Weight weight,
                 double& value);
  /// Reads `count` numbers of `text`, called `name`; false, with E_NUMBER or E_VECTOR_SIZE, where it is nullptr or
  /// wrong. `out` is written only as a whole.
  bool vector(pugi::xml_node node, const char* name, const char* text, int count, double* out, detail::Weight weight);
  bool vector(const Element& element, const char* name, int count, double* out, detail::Weight weight) {
    return vector(element.node, name, element.value(name), count, out, weight);
  }
  bool number(const Element& element, const char* name, double& value, detail::Weight weight) {
    return vector(element, name, 1, &value, weight);
  }
  /// The name of a link or joint; E_NAME where it has none. check() judges its characters.
  std::string name_of(const Element& element);

  /// May a list of so many names be made for did_you_mean? No more once those of a hostile file add up.
  bool may_list(std::size_t names) { return (listed_ += static_cast<long>(names)) <= 4'000'000; }

  /// Finds the files that the document of `node` names.
  UriResolver& uris(pugi::xml_node node);
  /// The file of a mesh; empty, with a finding, where it was not found, or is not looked for. A URI is reported once.
  std::string mesh_file(pugi::xml_node node, const std::string& uri);
  /// A finding that report_once() adds once for each `key`, with the number of further places.
  void once(detail::Weight weight, const std::string& key, Diagnostic finding);
  void report_once();

  XmlDocument& main_;
  const LoadOptions& options_;
  detail::Findings& found_;

 private:
  void unknown_child(pugi::xml_node child, const ElementRule& rule);
  void look_at_attributes(Element& element);

  struct Once {
    std::string key;
    detail::Weight weight;
    Diagnostic first;
    long more;
  };
  std::vector<Once> once_;
  std::unordered_map<std::string, std::size_t> once_at_;  // code and key, to the place in once_
  std::unordered_map<const XmlDocument*, UriResolver> uris_;
  std::unordered_map<std::string, std::string> meshes_;  // URI, behind its document's path, to the file
  std::unordered_map<std::string, std::unique_ptr<XmlDocument>> opened_;  // nullptr: refused
  std::unordered_map<const void*, const XmlDocument*> by_tree_;           // those that were opened
  long elements_ = 0, listed_ = 0;
};

}  // namespace zwang::io
