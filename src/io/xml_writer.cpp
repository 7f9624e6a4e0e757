// SPDX-License-Identifier: BSD-3-Clause
#include "io/xml_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "core/number.hpp"
#include "zwang/core/findings.hpp"

namespace zwang::io {
namespace {

/// Bytes that are not UTF-8, and control characters but tab and line ends, have no place in XML.
void check_xml_text(std::string_view text) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  const bool control = std::any_of(text.begin(), text.end(), is_control);
  if (!control && detail::broken_utf8(text) == std::string_view::npos) return;
  throw ModelError({{.code = "E_NAME",
                     .found = detail::quoted(text),
                     .expected = "text that XML holds: UTF-8 without control characters",
                     .hint = "the file is not written"}});
}

/// A name of XML, of ASCII alone.
void check_xml_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
  };
  const auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), may_follow))
    throw std::logic_error("no name of XML: " + detail::quoted(name));
}

}  // namespace

void check_length_of_name(std::string_view name) {
  const long most = ReaderLimits().name_bytes;
  if (static_cast<long>(name.size()) <= most) return;
  throw ModelError({{.code = "E_NAME",
                     .found = "a name of " + std::to_string(name.size()) + " bytes, " + detail::excerpt(name, 60),
                     .expected = "at most " + std::to_string(most) + " bytes",
                     .hint = "the file is not written"}});
}

std::string number_text(double x) {
  if (!std::isfinite(x))
    throw ModelError({{.code = "E_NUMBER",
                       .found = detail::number_text(x),
                       .expected = "finite numbers: a file of a robot holds no others",
                       .hint = "numbers near 1e308 overflow where frames are joined"}});
  return numerals::shortest(x);
}

std::string number_text(std::span<const double> x) {
  std::string all;
  for (const double a : x) {
    if (!all.empty()) all += ' ';
    all += number_text(a);
  }
  return all;
}

XmlElement XmlElement::add(const char* name) const {
  check_xml_name(name);
  return XmlElement(pugi::xml_node(node_).append_child(name));
}

const XmlElement& XmlElement::set(const char* name, std::string_view text) const {
  check_xml_name(name);
  check_xml_text(text);
  if (std::string_view(name) == "name") check_length_of_name(text);
  pugi::xml_attribute attribute = node_.attribute(name);
  if (!attribute) attribute = pugi::xml_node(node_).append_attribute(name);
  attribute.set_value(std::string(text).c_str());
  return *this;
}

const XmlElement& XmlElement::set(const char* name, const Vec3<double>& x) const {
  return set(name, std::array<double, 3>{x.x, x.y, x.z});
}

const XmlElement& XmlElement::text(std::string_view text) const {
  check_xml_text(text);
  node_.text().set(std::string(text).c_str());
  return *this;
}

std::string XmlText::text(bool indented) const {
  std::ostringstream out;
  tree_.save(out, indented ? "  " : "");
  return out.str();
}

void Losses::add(LossCode code, const char* element, const std::string& name, const std::string& lost,
                 const std::string& instead) {
  losses_.push_back({code.text(), element, name, lost, instead, code.severity()});
}

std::vector<Loss> Losses::take(bool strict) {
  const auto place = [](const Loss& loss) {
    constexpr std::string_view k_order[] = {"robot", "link",       "shape",         "joint",
                                            "frame", "constraint", "configuration", "motor"};
    const std::string_view element = loss.element == "shape" ? "link" : std::string_view(loss.element);
    return std::find(std::begin(k_order), std::end(k_order), element) - std::begin(k_order);
  };
  std::stable_sort(losses_.begin(), losses_.end(), [&](const Loss& a, const Loss& b) { return place(a) < place(b); });
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
