// SPDX-License-Identifier: BSD-3-Clause
#include "json_reader.hpp"

#include <sys/stat.h>
#include <cmath>
#include <fstream>
#include <set>

#include "failure.hpp"
#include "zwang/core/error.hpp"

namespace zwang::cli {
namespace {

using nlohmann::json;

std::string read_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw IoError(path + ": there is no such file, or it cannot be looked at");
  if (!S_ISREG(status.st_mode)) throw IoError(path + ": not a regular file");
  if (static_cast<std::size_t>(status.st_size) > k_json_bytes)
    throw UsageError(path + ": " + std::to_string(status.st_size) + " bytes, at most " + std::to_string(k_json_bytes) +
                     " are read");
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!in || !in.read(text.data(), static_cast<std::streamsize>(text.size()))) throw IoError(path + ": cannot be read");
  return text;
}

/// What the library says without its own prefix `[json.exception.parse_error.101] `.
std::string reason(const json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return printable(end == std::string::npos ? text : text.substr(end + 2), 240);
}

std::string describe(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return std::string(value.type_name()) + ' ' + printable(text, 60);
}

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

json read_json_file(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > k_json_depth)
      throw UsageError(path + ": nested deeper than " + std::to_string(k_json_depth) + " levels");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get_ref<const std::string&>()).second)
      throw UsageError(path + ": the key '" + printable(parsed.get_ref<const std::string&>()) +
                       "' is given twice in one object");
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::exception& error) { throw UsageError(path + ": not JSON that can be read: " + reason(error)); }
}

Node Node::operator[](const char* key) const {
  const auto it = value_->find(key);
  if (it == value_->end()) fail(std::string("the key '") + key + "' is missing");
  return Node(*it, file_, path_.empty() ? key : path_ + '.' + key);
}
Node Node::operator[](std::size_t index) const {
  return Node((*value_)[index], file_, path_ + '[' + std::to_string(index) + ']');
}

const Node& Node::object(const std::vector<const char*>& keys, std::initializer_list<const char*> later) const {
  if (!value_->is_object()) expected("an object");
  for (const auto& [key, value] : value_->items()) {
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

const Node& Node::array() const {
  if (!value_->is_array()) expected("an array");
  return *this;
}
std::string Node::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get<std::string>();
}
bool Node::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}
double Node::number() const {
  if (!value_->is_number()) expected("a number");
  const double x = value_->get<double>();
  if (!std::isfinite(x)) expected("a finite number");
  return x;
}
int Node::integer() const {
  const double x = number();
  if (x != std::floor(x) || std::fabs(x) > 1e9) expected("a whole number");
  return static_cast<int>(x);
}
std::vector<double> Node::numbers() const {
  array();
  std::vector<double> out;
  for (std::size_t k = 0; k < size(); ++k) out.push_back((*this)[k].number());
  return out;
}
std::vector<double> Node::numbers(std::size_t count) const {
  std::vector<double> out = numbers();
  if (out.size() != count) fail("got " + std::to_string(out.size()) + " numbers, expected " + std::to_string(count));
  return out;
}

std::string Node::word(const std::vector<std::string>& words, const std::vector<std::string>& later) const {
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

void Node::fail(const std::string& what) const { throw UsageError(where() + ": " + what); }
void Node::expected(const std::string& what) const { fail("got " + describe(*value_) + ", expected " + what); }

}  // namespace zwang::cli
