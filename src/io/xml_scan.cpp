// SPDX-License-Identifier: BSD-3-Clause
// The scanner: one pass, a stack of open elements no deeper than the limit.
#include "io/xml_scan.hpp"

#include <algorithm>
#include <vector>

#include "io/number.hpp"

namespace zwang::io {
namespace {

using detail::Weight;
constexpr std::size_t npos = std::string_view::npos;

bool name_start(char c) {
  const unsigned char u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u == ':' || u >= 0x80;
}
bool name_part(char c) { return name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

class Scanner {
 public:
  Scanner(std::string_view text, const LineIndex& lines, const std::string& file, const ReaderLimits& limits,
          detail::Findings& found, ScanResult& result)
      : text_(text),
        lines_(lines),
        file_(file),
        limits_(limits),
        found_(found),
        result_(result) {}
  bool run();

 private:
  struct Open {
    std::string_view name;
    std::size_t offset;
  };
  bool fail(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
            const std::string& hint = {});
  bool markup();
  bool skip_past(std::size_t start, std::string_view end, const char* what);
  bool declaration();
  bool start_tag();
  bool attributes(std::size_t tag, bool& closed);
  bool attribute(std::size_t tag);
  bool element(std::size_t tag, std::string_view name);
  bool end_tag();
  bool characters(std::size_t begin, std::size_t end);
  std::string path() const;
  std::size_t skip_space(std::size_t i) const {
    while (i < text_.size() && is_space(text_[i])) ++i;
    return i;
  }
  std::string_view name_at(std::size_t i) const {
    std::size_t end = i;
    if (end < text_.size() && name_start(text_[end]))
      while (end < text_.size() && name_part(text_[end])) ++end;
    return text_.substr(i, end - i);
  }
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  std::string_view text_;
  const LineIndex& lines_;
  const std::string& file_;
  const ReaderLimits& limits_;
  detail::Findings& found_;
  ScanResult& result_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<std::string_view> attribute_names_;
  bool root_seen_ = false, xacro_declared_ = false;
};

bool Scanner::fail(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
                   const std::string& hint) {
  const LineIndex::Place place = lines_.at(offset);
  Diagnostic d;
  d.code = code;
  d.file = file_;
  d.line = place.line;
  d.column = place.column;
  d.path = path();
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  found_.add(Weight::refuse, d);
  return false;
}

std::string Scanner::path() const {
  std::string out;
  for (std::size_t k = 0; k < open_.size(); ++k) {
    if (k == 6) return out + "/...";
    out += (k ? "/" : "") + detail::excerpt(open_[k].name, 60);
  }
  return out;
}

bool Scanner::run() {
  if (skip_space(0) == text_.size()) return fail("E_XML", 0, "an empty text", "a robot: URDF, SDF or MJCF");
  while (at_ < text_.size()) {
    const std::size_t next = std::min(text_.find('<', at_), text_.size());
    if (!characters(at_, next)) return false;
    at_ = next;
    if (at_ < text_.size() && !markup()) return false;
  }
  if (!open_.empty()) {
    const LineIndex::Place from = lines_.at(open_.back().offset);
    return fail("E_XML", text_.size(), "the end of the text", "</" + detail::excerpt(open_.back().name, 60) + '>',
                "the element was opened in line " + std::to_string(from.line) + ", column " +
                    std::to_string(from.column) + "; is the file cut off?");
  }
  if (!root_seen_) return fail("E_XML", text_.size(), "no element", "<robot>");
  return true;
}

/// Character data: nothing but white space outside of the root, known entities, characters that XML allows.
bool Scanner::characters(std::size_t begin, std::size_t end) {
  const std::string_view part = text_.substr(begin, end - begin);
  const std::size_t broken = detail::broken_utf8(part);
  if (broken != npos)
    return fail("E_XML", begin + broken, "bytes that are not UTF-8", "UTF-8", "convert the file to UTF-8");
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (open_.empty() && !is_space(c)) return fail("E_XML", begin + i, "text outside of the root element", "markup");
    if (static_cast<unsigned char>(c) < 0x20 && !is_space(c))
      return fail("E_XML", begin + i, "a control character", "characters that XML allows");
    if (c != '&') continue;
    const std::string_view entity = part.substr(i, std::min<std::size_t>(part.find(';', i), i + 12) - i);
    bool known = entity == "&amp" || entity == "&lt" || entity == "&gt" || entity == "&quot" || entity == "&apos";
    if (entity.size() > 2 && entity[1] == '#') {
      const bool hex = entity[2] == 'x';
      const std::string_view digits = entity.substr(hex ? 3 : 2);
      const auto digit = [&](char d) {
        return (d >= '0' && d <= '9') || (hex && ((d >= 'a' && d <= 'f') || (d >= 'A' && d <= 'F')));
      };
      known =
          !digits.empty() && std::all_of(digits.begin(), digits.end(), digit) && digits.find_first_not_of('0') != npos;
    }
    if (!known)
      return fail("E_XML", begin + i, detail::quoted(entity),
                  "an entity of XML: &amp; &lt; &gt; &quot; &apos; or &#number;");
  }
  return true;
}

bool Scanner::skip_past(std::size_t start, std::string_view end, const char* what) {
  const std::size_t stop = text_.find(end, start);
  if (stop == npos) return fail("E_XML", at_, std::string("the start of ") + what, "its end " + std::string(end));
  at_ = stop + end.size();
  return true;
}

bool Scanner::markup() {
  if (starts("<!--")) return skip_past(at_ + 4, "-->", "a comment");
  if (starts("<![CDATA[")) {
    if (open_.empty()) return fail("E_XML", at_, "CDATA outside of the root element", "markup");
    return skip_past(at_ + 9, "]]>", "a CDATA section");
  }
  if (starts("<!")) {
    return fail("E_XML_DTD_FORBIDDEN", at_,
                detail::quoted(text_.substr(at_, std::min<std::size_t>(text_.size() - at_, 24))),
                "a text without document type and entities", "remove the document type declaration");
  }
  if (starts("<?")) return declaration();
  if (starts("</")) return end_tag();
  return start_tag();
}

bool Scanner::declaration() {
  const std::size_t start = at_;
  if (!skip_past(at_ + 2, "?>", "a processing instruction")) return false;
  const std::string_view body = text_.substr(start, at_ - start);
  if (body.substr(0, 5) != "<?xml" || body.size() < 6 || !is_space(body[5])) return true;
  if (start != 0) return fail("E_XML", start, "an XML declaration inside the text", "it at the very beginning");
  const std::size_t key = body.find("encoding");
  const std::size_t open = key == npos ? npos : body.find_first_of("\"'", key);
  const std::size_t close = open == npos ? npos : body.find(body[open], open + 1);
  if (close == npos) return true;
  std::string encoding(body.substr(open + 1, close - open - 1));
  for (char& c : encoding) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (encoding == "UTF-8" || encoding == "UTF8" || encoding == "US-ASCII" || encoding == "ASCII") return true;
  // Any other encoding is fine as long as the text does not use what differs.
  const bool ascii =
      std::all_of(text_.begin(), text_.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return true;
  return fail("E_XML", start, "encoding " + detail::quoted(encoding), "UTF-8", "convert the file to UTF-8");
}

bool Scanner::start_tag() {
  const std::size_t tag = at_;
  const std::string_view name = name_at(at_ + 1);
  if (name.empty())
    return fail("E_XML", tag, detail::quoted(text_.substr(tag, 2)), "an element", "write &lt; for a plain <");
  if (name.size() > static_cast<std::size_t>(limits_.name_bytes))
    return fail("E_NAME", tag, "an element name of " + std::to_string(name.size()) + " bytes",
                "at most " + std::to_string(limits_.name_bytes));
  if (!element(tag, name)) return false;
  open_.push_back({name, tag});
  at_ = tag + 1 + name.size();
  bool closed = false;
  if (!attributes(tag, closed)) return false;
  if (closed) open_.pop_back();
  return true;
}

bool Scanner::element(std::size_t tag, std::string_view name) {
  if (open_.empty() && root_seen_)
    return fail("E_XML", tag, "a second root element <" + detail::excerpt(name, 60) + '>', "the end of the text");
  if (static_cast<long>(open_.size()) >= limits_.depth)
    return fail("E_LIMIT_DEPTH", tag, "elements nested deeper than " + std::to_string(limits_.depth),
                "at most " + std::to_string(limits_.depth) + " levels");
  if (++result_.elements > limits_.elements)
    return fail("E_LIMIT_ELEMENTS", tag, "more than " + std::to_string(limits_.elements) + " elements",
                "fewer elements");
  if (open_.size() == 1 && name == "joint") ++result_.joints;
  if (open_.size() == 1 && name == "link" && ++result_.links > limits_.links)
    return fail("E_LIMIT_LINKS", tag, "more than " + std::to_string(limits_.links) + " links", "fewer links");
  if (name == "xi:include")
    return fail("E_XML_INCLUDE_FORBIDDEN", tag, "<xi:include>", "one file", "insert the included text");
  if (open_.empty()) {
    root_seen_ = true;
    result_.root = std::string(name);
    result_.root_offset = tag;
  }
  if (result_.xacro_offset == npos && name.substr(0, 6) == "xacro:") {
    result_.xacro_offset = tag;
    result_.xacro = '<' + std::string(name) + '>';
  }
  return true;
}

bool Scanner::attributes(std::size_t tag, bool& closed) {
  attribute_names_.clear();
  const std::size_t start = at_;
  for (;;) {
    const std::size_t next = skip_space(at_);
    if (next - start > static_cast<std::size_t>(limits_.attribute_bytes))
      return fail("E_LIMIT_ATTRIBUTE", tag,
                  "attributes of more than " + std::to_string(limits_.attribute_bytes) + " bytes",
                  "shorter attributes");
    const bool spaced = next > at_;
    at_ = next;
    if (at_ >= text_.size()) return fail("E_XML", tag, "an element that never ends", "'>'", "is the file cut off?");
    if (text_[at_] == '>' || starts("/>")) {
      closed = text_[at_] == '/';
      at_ += closed ? 2 : 1;
      break;
    }
    if (!spaced || !attribute(tag))
      return spaced ? false
                    : fail("E_XML", tag, detail::quoted(text_.substr(at_, 1)), "white space between attributes");
  }
  std::sort(attribute_names_.begin(), attribute_names_.end());
  const auto twice = std::adjacent_find(attribute_names_.begin(), attribute_names_.end());
  if (twice != attribute_names_.end())
    return fail("E_XML", tag, "attribute " + detail::quoted(*twice) + " twice", "each attribute once");
  return true;
}

bool Scanner::attribute(std::size_t tag) {
  const std::string_view name = name_at(at_);
  if (name.empty()) return fail("E_XML", tag, detail::quoted(text_.substr(at_, 1)), "an attribute, '>' or '/>'");
  std::size_t i = skip_space(at_ + name.size());
  if (i >= text_.size() || text_[i] != '=')
    return fail("E_XML", tag, "attribute " + detail::quoted(name) + " without a value", "name=\"value\"");
  i = skip_space(i + 1);
  if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\''))
    return fail("E_XML", tag, "attribute " + detail::quoted(name) + " without quotation marks", "name=\"value\"");
  const std::size_t close = text_.find(text_[i], i + 1);
  if (close == npos)
    return fail("E_XML", tag, "attribute " + detail::quoted(name) + " whose quotation never ends",
                "a closing quotation mark");
  const std::string_view value = text_.substr(i + 1, close - i - 1);
  if (value.size() > static_cast<std::size_t>(limits_.attribute_bytes))
    return fail("E_LIMIT_ATTRIBUTE", tag,
                "attribute " + detail::quoted(name) + " of " + std::to_string(value.size()) + " bytes",
                "at most " + std::to_string(limits_.attribute_bytes));
  if (name == "name" && value.size() > static_cast<std::size_t>(limits_.name_bytes))
    return fail("E_NAME", tag, "a name of " + std::to_string(value.size()) + " bytes",
                "at most " + std::to_string(limits_.name_bytes) + " bytes");
  if (value.find('<') != npos)
    return fail("E_XML", tag, "'<' in attribute " + detail::quoted(name), "&lt;", "is a quotation mark missing?");
  if (!characters(i + 1, close)) return false;
  if (open_.size() == 1 && name.substr(0, 6) == "xmlns:" && value.find("xacro") != npos) xacro_declared_ = true;
  if (xacro_declared_ && result_.xacro_offset == npos && (value.find("${") != npos || value.find("$(") != npos)) {
    result_.xacro_offset = tag;
    result_.xacro = std::string(value);
  }
  attribute_names_.push_back(name);
  at_ = close + 1;
  return true;
}

bool Scanner::end_tag() {
  const std::size_t tag = at_;
  const std::string_view name = name_at(at_ + 2);
  const std::size_t end = skip_space(tag + 2 + name.size());
  if (open_.empty())
    return fail("E_XML", tag, "</" + detail::excerpt(name, 60) + ">", "no closing tag: nothing is open");
  if (name != open_.back().name) {
    const LineIndex::Place from = lines_.at(open_.back().offset);
    return fail(
        "E_XML", tag, "</" + detail::excerpt(name, 60) + '>', "</" + detail::excerpt(open_.back().name, 60) + '>',
        "the element was opened in line " + std::to_string(from.line) + ", column " + std::to_string(from.column));
  }
  if (end >= text_.size() || text_[end] != '>') return fail("E_XML", tag, "a closing tag that never ends", "'>'");
  open_.pop_back();
  at_ = end + 1;
  return true;
}

}  // namespace

bool scan_xml(std::string_view text, const LineIndex& lines, const std::string& file, const ReaderLimits& limits,
              detail::Findings& found, ScanResult& result) {
  return Scanner(text, lines, file, limits, found, result).run();
}

bool decode(std::string& text, const std::string& file, detail::Findings& found) {
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  const std::size_t nul = text.find('\0');
  const std::string_view start = std::string_view(text).substr(0, 2);
  const bool wide = start == "\xFF\xFE" || start == "\xFE\xFF" || nul < 4;
  if (!wide && nul == std::string::npos) return true;
  const LineIndex::Place place = LineIndex(text).at(wide ? 0 : nul);
  Diagnostic d;
  d.code = "E_XML";
  d.file = file;
  d.line = place.line;
  d.column = place.column;
  d.found = wide ? "UTF-16 or UTF-32" : "a NUL byte";
  d.expected = "UTF-8";
  d.hint = wide ? "convert the file to UTF-8" : "is this a text?";
  found.add(Weight::refuse, d);
  return false;
}

}  // namespace zwang::io
