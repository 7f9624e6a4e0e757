// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/io/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/document.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

using io::Json;

const Json& json(const JsonValue* value) { return *reinterpret_cast<const Json*>(value); }
const JsonValue* opaque(const Json& value) { return reinterpret_cast<const JsonValue*>(&value); }

/// What the library says without its own prefix `[json.exception.parse_error.101] `.
std::string reason(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return printable(end == std::string::npos ? text : text.substr(end + 2), 240);
}

std::string describe(const Json& value) {
  if (value.kind() == Json::Kind::null) return "null";
  return std::string(value.kind_name()) + ' ' + printable(io::short_text(value, 60), 60);
}

/// Makes the tree of a text. Refuses what is nested too deep, keys that are given twice,
/// and objects with too many keys.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const std::string& name) : name_(name) {}
  Json take() { return std::move(root_); }
  bool null() override { return put({}); }
  bool boolean(bool x) override { return put(x); }
  bool number_integer(number_integer_t x) override { return put(x); }
  bool number_unsigned(number_unsigned_t x) override { return put(x); }
  bool number_float(number_float_t x, const string_t&) override { return put(x); }
  bool string(string_t& x) override { return put(std::move(x)); }
  bool binary(binary_t&) override { return put({}); }  // no text has it
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return open(Json::object());
  }
  bool key(string_t& word) override {
    if (!keys_.back().insert(word).second)
      throw JsonError(name_ + ": the key '" + printable(word) + "' is given twice in one object");
    if (keys_.back().size() > k_json_keys)
      throw JsonError(name_ + ": more than " + std::to_string(k_json_keys) + " keys in one object");
    key_ = std::move(word);
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return close();
  }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    throw JsonError(name_ + ": not JSON that can be read: " + reason(error));
  }

 private:
  bool put(Json x) {
    if (open_.size() > static_cast<std::size_t>(k_json_depth))
      throw JsonError(name_ + ": nested deeper than " + std::to_string(k_json_depth) + " levels");
    if (open_.empty())
      root_ = std::move(x);
    else if (open_.back()->is_array())
      open_.back()->push_back(std::move(x));
    else
      open_.back()->add(std::move(key_), std::move(x));
    return true;
  }
  bool open(Json x) {
    put(std::move(x));
    open_.push_back(open_.empty() ? &root_ : &open_.back()->last());
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  const std::string& name_;
  Json root_;
  std::vector<Json*> open_ = {};  ///< the last holds what comes next: those around it do not grow before it is closed
  std::string key_ = {};
  std::vector<std::set<std::string>> keys_ = {};
};

}  // namespace

std::string printable(const std::string& text, std::size_t limit) {
  static const char k_hex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (out.size() >= limit) return out + "...";
    const unsigned char u = static_cast<unsigned char>(c);
    if (u >= 0x20 && u != 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += k_hex[u >> 4];
      out += k_hex[u & 15];
    }
  }
  return out;
}

JsonDocument JsonDocument::parse(const std::string& text, const std::string& name, std::size_t limit) {
  if (text.size() > limit)
    throw JsonError(name + ": " + std::to_string(text.size()) + " bytes, at most " + std::to_string(limit) +
                    " are read");
  if (const std::size_t end = text.find('\0'); end != std::string::npos)  // the parser would take it for the end
    throw JsonError(name + ": byte " + std::to_string(end) + " is zero, which JSON never is");
  JsonDocument document;
  document.name_ = name;
  try {
    Builder builder(name);
    nlohmann::json::sax_parse(text, &builder);
    const auto value = std::make_shared<const Json>(builder.take());
    document.value_ = {value, opaque(*value)};
  } catch (const nlohmann::json::exception& error) {
    throw JsonError(name + ": not JSON that can be read: " + reason(error));
  }
  return document;
}
JsonDocument JsonDocument::parse_cbor(std::span<const std::uint8_t> bytes, const std::string& name, std::size_t limit) {
  JsonDocument document;
  document.name_ = name;
  const auto value = std::make_shared<const Json>(io::read_cbor(bytes, name, limit));
  document.value_ = {value, opaque(*value)};
  return document;
}
std::vector<std::uint8_t> JsonDocument::cbor() const { return io::cbor_bytes(json(value_.get())); }
JsonNode JsonDocument::root() const { return JsonNode(value_.get(), name_, {}); }

JsonNode::JsonNode(const JsonValue* value, std::string file, std::string path)
    : value_(value),
      file_(std::move(file)),
      path_(std::move(path)) {}

bool JsonNode::is_text() const { return json(value_).kind() == Json::Kind::text; }
bool JsonNode::is_number() const { return json(value_).is_number(); }
bool JsonNode::is_boolean() const { return json(value_).kind() == Json::Kind::boolean; }
bool JsonNode::is_array() const { return json(value_).is_array(); }
bool JsonNode::is_object() const { return json(value_).is_object(); }
bool JsonNode::has(const char* key) const { return json(value_).find(key) != nullptr; }
std::size_t JsonNode::size() const { return json(value_).size(); }
std::vector<std::string> JsonNode::keys() const {
  std::vector<std::string> out;
  for (const Json::Member& m : json(value_).members()) out.push_back(m.key);
  return out;
}

JsonNode JsonNode::operator[](const char* key) const {
  const Json* const value = json(value_).find(key);
  if (value == nullptr) fail(std::string("the key '") + key + "' is missing");
  return JsonNode(opaque(*value), file_, path_.empty() ? key : path_ + '.' + key);
}
JsonNode JsonNode::operator[](std::size_t index) const {
  return JsonNode(opaque(json(value_).items()[index]), file_, path_ + '[' + std::to_string(index) + ']');
}

const JsonNode& JsonNode::object(const std::vector<const char*>& keys, std::initializer_list<const char*> later) const {
  if (!json(value_).is_object()) expected("an object");
  for (const Json::Member& m : json(value_).members()) {
    const std::string& key = m.key;
    bool known = false;
    for (const char* k : keys) known = known || key == k;
    if (known) continue;
    for (const char* k : later)
      if (key == k) fail("'" + key + "' is not there yet");
    std::vector<std::string> names(keys.begin(), keys.end());
    const std::string near = nearest_name(key, names);
    std::string text = "unknown key '" + printable(key) + "'";
    if (!near.empty()) fail(text + ", did you mean '" + near + "'?");
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? "; known are " : ", ") + names[k];
    fail(text);
  }
  return *this;
}

const JsonNode& JsonNode::array() const {
  if (!json(value_).is_array()) expected("an array");
  return *this;
}
std::string JsonNode::text() const {
  if (!is_text()) expected("a string");
  return json(value_).text();
}
bool JsonNode::boolean() const {
  if (!is_boolean()) expected("true or false");
  return json(value_).boolean();
}
double JsonNode::number() const {
  if (!json(value_).is_number()) expected("a number");
  const double x = json(value_).number();
  if (!std::isfinite(x)) expected("a finite number");
  return x;
}
int JsonNode::integer() const {
  const double x = number();
  if (x != std::floor(x) || std::fabs(x) > 1e9) expected("a whole number");
  return static_cast<int>(x);
}
std::vector<double> JsonNode::numbers() const {
  array();
  std::vector<double> out;
  for (std::size_t k = 0; k < size(); ++k) out.push_back((*this)[k].number());
  return out;
}
std::vector<double> JsonNode::numbers(std::size_t count) const {
  std::vector<double> out = numbers();
  if (out.size() != count) fail("got " + std::to_string(out.size()) + " numbers, expected " + std::to_string(count));
  return out;
}

std::string JsonNode::word(const std::vector<std::string>& words, const std::vector<std::string>& later) const {
  const std::string got = text();
  std::string list;
  for (const std::string& w : words) {
    if (w == got) return got;
    list += (list.empty() ? "" : ", ") + w;
  }
  for (const std::string& w : later)
    if (w == got) fail("'" + got + "' is not there yet; there are " + list);
  const std::string near = nearest_name(got, words);
  fail("got '" + printable(got) + "', expected one of " + list +
       (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

void JsonNode::fail(const std::string& what) const { throw JsonError(where() + ": " + what); }
void JsonNode::expected(const std::string& what) const { fail("got " + describe(json(value_)) + ", expected " + what); }

}  // namespace zwang
