// SPDX-License-Identifier: BSD-3-Clause
// What the writers share: elements of XML with numbers that are read back to the last bit, and the list of losses.
#pragma once
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>

#include "io/losses.hpp"
#include "zwang/io/write.hpp"

namespace zwang::io {

/// The shortest text that is read back as the same double. Throws ModelError (E_NUMBER) for one that is not finite:
/// no format holds it.
std::string number_text(double x);
/// Numbers with a space between them.
std::string number_text(std::span<const double> x);

/// Throws ModelError (E_NAME) for a name, written or made of one by readers, that is longer than they take.
void check_length_of_name(std::string_view name);

/// An element under construction.
class XmlElement {
 public:
  explicit XmlElement(pugi::xml_node node) : node_(node) {}
  /// A new child behind the others. Throws std::logic_error for a name that no element or attribute of these formats
  /// can have.
  XmlElement add(const char* name) const;
  /// As add.
  const XmlElement& set(const char* name, std::string_view text) const;
  const XmlElement& set(const char* name, const char* text) const { return set(name, std::string_view(text)); }
  const XmlElement& set(const char* name, double x) const { return set(name, number_text(x)); }
  const XmlElement& set(const char* name, int x) const { return set(name, std::to_string(x)); }
  const XmlElement& set(const char* name, bool x) const { return set(name, x ? "true" : "false"); }
  const XmlElement& set(const char* name, std::span<const double> x) const { return set(name, number_text(x)); }
  const XmlElement& set(const char* name, const Vec3<double>& x) const;
  /// The text between its tags.
  const XmlElement& text(std::string_view text) const;
  pugi::xml_node node() const { return node_; }

 private:
  pugi::xml_node node_;
};

/// A document under construction, with its one root element.
class XmlText {
 public:
  explicit XmlText(const char* root) { tree_.append_child(root); }
  XmlElement root() const { return XmlElement(tree_.document_element()); }
  /// With the XML declaration and a line end at the end. Two spaces of indentation, or none where elements stand
  /// hundreds deep in each other: blanks grow with the square of the depth.
  std::string text(bool indented = true) const;

 private:
  pugi::xml_document tree_;
};

/// The losses of one robot. With `strict` the first one throws when they are taken.
class Losses {
 public:
  void add(LossCode code, const char* element, const std::string& name, const std::string& lost,
           const std::string& instead = "");
  /// Throws ModelError with all of them where `strict` refuses.
  std::vector<Loss> take(bool strict);

 private:
  std::vector<Loss> losses_;
};

}  // namespace zwang::io
