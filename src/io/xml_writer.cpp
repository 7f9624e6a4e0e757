// SPDX-License-Identifier: BSD-3-Clause
#include "io/xml_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace zwang::io {

std::string number_text(double x) {
  if (!std::isfinite(x)) throw std::invalid_argument("a file of a robot holds finite numbers only");
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
  return {text.data(), end};
}

std::string number_text(std::span<const double> x) {
  std::string all;
  for (const double a : x) {
    if (!all.empty()) all += ' ';
    all += number_text(a);
  }
  return all;
}

const XmlElement& XmlElement::set(const char* name, std::string_view text) const {
  pugi::xml_attribute attribute = node_.attribute(name);
  if (!attribute) attribute = pugi::xml_node(node_).append_attribute(name);
  attribute.set_value(std::string(text).c_str());
  return *this;
}

const XmlElement& XmlElement::set(const char* name, const Vec3<double>& x) const {
  return set(name, std::array<double, 3>{x.x, x.y, x.z});
}

const XmlElement& XmlElement::text(std::string_view text) const {
  node_.text().set(std::string(text).c_str());
  return *this;
}

std::string XmlText::text() const {
  std::ostringstream out;
  tree_.save(out, "  ");
  return out.str();
}

void Losses::add(const char* code, const char* element, const std::string& name, const std::string& lost,
                 const std::string& instead) {
  losses_.push_back({code, element, name, lost, instead});
}

std::vector<Loss> Losses::take(bool strict) {
  if (strict && !losses_.empty()) {
    Diagnostics all;
    for (const Loss& loss : losses_) {
      Diagnostic d;
      d.code = loss.code;
      d.path = loss.element + (loss.name.empty() ? "" : '[' + loss.name + ']');
      d.found = loss.lost;
      d.expected = "a robot that the format holds as it is";
      d.hint = loss.instead.empty() ? "without strict the file is written without it"
                                    : "without strict the file says instead: " + loss.instead;
      all.push_back(d);
    }
    throw ModelError(all);
  }
  return std::move(losses_);
}

}  // namespace zwang::io
