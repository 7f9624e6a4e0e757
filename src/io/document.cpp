// SPDX-License-Identifier: BSD-3-Clause
#include "io/document.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/number.hpp"
#include "zwang/core/findings.hpp"

namespace zwang::io {
namespace {

void check_utf8(const std::string& text) {
  if (detail::broken_utf8(text) != std::string_view::npos)
    throw std::invalid_argument("a text that is not UTF-8 cannot be written: '" + detail::excerpt(text, 80) + "'");
}

void write_text(const std::string& text, Sink& sink) {
  static const char k_hex[] = "0123456789abcdef";
  check_utf8(text);
  sink.put('"');
  for (const char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      sink.put('\\');
      sink.put(c);
    } else if (u < 0x20) {
      sink.put("\\u00");
      sink.put(k_hex[u >> 4]);
      sink.put(k_hex[u & 15]);
    } else {
      sink.put(c);
    }
  }
  sink.put('"');
}

/// The shortest digits that give the same number again. A point or exponent keeps it a floating-point number: -0 as a
/// whole number would lose its sign.
void write_number(double x, Sink& sink) {
  numerals::DigitsRoom room;
  const std::string_view text = numerals::shortest(x, room);
  sink.put(text);
  if (text.find_first_of(".e") == std::string_view::npos) sink.put(".0");
}

void new_line(int depth, Sink& sink) {
  sink.put('\n');
  for (int k = 0; k < depth; ++k) sink.put("  ");
}

/// What is neither a list nor an object.
void write_plain(const Json& x, Sink& sink) {
  switch (x.kind()) {
    case Json::Kind::boolean: return sink.put(std::string_view(x.boolean() ? "true" : "false"));
    case Json::Kind::integer: return sink.put(std::to_string(x.integer()));
    case Json::Kind::natural: return sink.put(std::to_string(x.natural()));
    case Json::Kind::number: return write_number(x.number(), sink);
    case Json::Kind::text: return write_text(x.text(), sink);
    default: return sink.put(std::string_view("null"));
  }
}

void write_json(const Json& x, int depth, Sink& sink) {
  bool first = true;
  if (x.is_object()) {
    sink.put('{');
    for (const Json::Member& m : x.members()) {
      if (!first) sink.put(',');
      first = false;
      new_line(depth + 1, sink);
      write_text(m.key, sink);
      sink.put(": ");
      write_json(m.value, depth + 1, sink);
    }
    if (!first) new_line(depth, sink);
    sink.put('}');
  } else if (x.is_array()) {
    bool flat = true;
    for (const Json& item : x.items()) flat = flat && !item.is_structured();
    sink.put('[');
    for (const Json& item : x.items()) {
      if (!first) sink.put(flat ? ", " : ",");
      first = false;
      if (!flat) new_line(depth + 1, sink);
      write_json(item, depth + 1, sink);
    }
    if (!flat && !first) new_line(depth, sink);
    sink.put(']');
  } else {
    write_plain(x, sink);
  }
}

std::string plain_text(const Json& x) {
  Sink size({});
  write_plain(x, size);
  std::string text(size.size(), '\0');
  Sink sink(std::as_writable_bytes(std::span(text)));
  write_plain(x, sink);
  return text;
}

/// On one line, until `out` has reached the limit.
void write_short(const Json& x, std::size_t limit, std::string& out) {
  if (out.size() > limit) return;
  if (!x.is_structured()) {
    out += x.kind() == Json::Kind::text ? '"' + x.text().substr(0, limit) + '"' : plain_text(x);
    return;
  }
  const std::size_t begin = out.size();
  out += x.is_object() ? '{' : '[';
  if (x.is_object())
    for (const Json::Member& m : x.members()) {
      if (out.size() > limit) break;
      out += (out.size() > begin + 1 ? ",\"" : "\"") + m.key.substr(0, limit) + "\":";
      write_short(m.value, limit, out);
    }
  else
    for (const Json& item : x.items()) {
      if (out.size() > limit) break;
      if (out.size() > begin + 1) out += ',';
      write_short(item, limit, out);
    }
  out += x.is_object() ? '}' : ']';
}

void write_head(int major, std::uint64_t n, Sink& sink) {
  const int more = n < 24 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : n < 0x100000000 ? 4 : 8;
  const int low = more == 0 ? static_cast<int>(n) : more == 1 ? 24 : more == 2 ? 25 : more == 4 ? 26 : 27;
  sink.put(static_cast<char>(major << 5 | low));
  for (int k = more - 1; k >= 0; --k) sink.put(static_cast<char>(n >> (8 * k) & 0xff));
}

void write_cbor_text(const std::string& text, Sink& sink) {
  check_utf8(text);
  write_head(3, text.size(), sink);
  sink.put(text);
}

}  // namespace

void Sink::put(const void* data, std::size_t size) {
  if (size_ < room_.size()) std::memcpy(room_.data() + size_, data, std::min(size, room_.size() - size_));
  size_ += size;
}

void write_json(const Json& tree, Sink& sink) {
  write_json(tree, 0, sink);
  sink.put('\n');
}

void write_cbor(const Json& x, Sink& sink) {
  switch (x.kind()) {
    case Json::Kind::object:
      write_head(5, x.size(), sink);
      for (const Json::Member& m : x.members()) {
        write_cbor_text(m.key, sink);
        write_cbor(m.value, sink);
      }
      return;
    case Json::Kind::array:
      write_head(4, x.size(), sink);
      for (const Json& item : x.items()) write_cbor(item, sink);
      return;
    case Json::Kind::text: return write_cbor_text(x.text(), sink);
    case Json::Kind::boolean: return sink.put(static_cast<char>(x.boolean() ? 0xf5 : 0xf4));
    case Json::Kind::natural: return write_head(0, x.natural(), sink);
    case Json::Kind::integer: {
      const std::int64_t n = x.integer();
      return write_head(n < 0 ? 1 : 0, static_cast<std::uint64_t>(n < 0 ? -1 - n : n), sink);
    }
    case Json::Kind::number: {
      const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x.number());
      sink.put(static_cast<char>(0xfb));
      for (int k = 7; k >= 0; --k) sink.put(static_cast<char>(bits >> (8 * k) & 0xff));
      return;
    }
    case Json::Kind::null: return sink.put(static_cast<char>(0xf6));
  }
}

std::string short_text(const Json& value, std::size_t limit) {
  std::string out;
  write_short(value, limit, out);
  return out;
}

std::size_t json_into(const Json& tree, std::span<std::byte> out) {
  Sink sink(out);
  write_json(tree, sink);
  return sink.size();
}
std::size_t cbor_into(const Json& tree, std::span<std::byte> out) {
  Sink sink(out);
  write_cbor(tree, sink);
  return sink.size();
}
std::string json_text(const Json& tree) {
  std::string text(json_into(tree, {}), '\0');
  json_into(tree, std::as_writable_bytes(std::span(text)));
  return text;
}
std::vector<std::uint8_t> cbor_bytes(const Json& tree) {
  std::vector<std::uint8_t> bytes(cbor_into(tree, {}));
  cbor_into(tree, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

Json number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
Json numbers(const double* x, std::size_t n) {
  Json list = Json::array();
  for (std::size_t k = 0; k < n; ++k) list.push_back(number(x[k]));
  return list;
}

}  // namespace zwang::io
