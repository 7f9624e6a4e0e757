// SPDX-License-Identifier: BSD-3-Clause
#include "io/document.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

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
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, x).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  sink.put(text);
  if (text.find_first_of(".e") == std::string_view::npos) sink.put(".0");
}

void new_line(int depth, Sink& sink) {
  sink.put('\n');
  for (int k = 0; k < depth; ++k) sink.put("  ");
}

void write_json(const Json& x, int depth, Sink& sink) {
  switch (x.type()) {
    case Json::value_t::object: {
      sink.put('{');
      bool first = true;
      for (const auto& [key, value] : x.items()) {
        if (!first) sink.put(',');
        first = false;
        new_line(depth + 1, sink);
        write_text(key, sink);
        sink.put(": ");
        write_json(value, depth + 1, sink);
      }
      if (!first) new_line(depth, sink);
      sink.put('}');
      return;
    }
    case Json::value_t::array: {
      bool flat = true, first = true;
      for (const Json& item : x) flat = flat && !item.is_structured();
      sink.put('[');
      for (const Json& item : x) {
        if (!first) sink.put(flat ? ", " : ",");
        first = false;
        if (!flat) new_line(depth + 1, sink);
        write_json(item, depth + 1, sink);
      }
      if (!flat && !first) new_line(depth, sink);
      sink.put(']');
      return;
    }
    case Json::value_t::string: write_text(x.get_ref<const std::string&>(), sink); return;
    case Json::value_t::number_float: write_number(x.get<double>(), sink); return;
    default: sink.put(x.dump()); return;  // whole numbers, true, false, null
  }
}

void write_head(int major, std::uint64_t n, Sink& sink) {
  const int more = n < 24 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : n < 0x100000000 ? 4 : 8;
  const int low = more == 0 ? static_cast<int>(n) : more == 1 ? 24 : more == 2 ? 25 : more == 4 ? 26 : 27;
  sink.put(static_cast<char>(major << 5 | low));
  for (int k = more - 1; k >= 0; --k) sink.put(static_cast<char>(n >> (8 * k) & 0xff));
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
  switch (x.type()) {
    case Json::value_t::object:
      write_head(5, x.size(), sink);
      for (const auto& [key, value] : x.items()) {
        check_utf8(key);
        write_head(3, key.size(), sink);
        sink.put(key);
        write_cbor(value, sink);
      }
      return;
    case Json::value_t::array:
      write_head(4, x.size(), sink);
      for (const Json& item : x) write_cbor(item, sink);
      return;
    case Json::value_t::string: {
      const std::string& text = x.get_ref<const std::string&>();
      check_utf8(text);
      write_head(3, text.size(), sink);
      sink.put(text);
      return;
    }
    case Json::value_t::boolean: sink.put(static_cast<char>(x.get<bool>() ? 0xf5 : 0xf4)); return;
    case Json::value_t::number_unsigned: write_head(0, x.get<std::uint64_t>(), sink); return;
    case Json::value_t::number_integer: {
      const std::int64_t n = x.get<std::int64_t>();
      write_head(n < 0 ? 1 : 0, static_cast<std::uint64_t>(n < 0 ? -1 - n : n), sink);
      return;
    }
    case Json::value_t::number_float: {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(x.get<double>());
      sink.put(static_cast<char>(0xfb));
      for (int k = 7; k >= 0; --k) sink.put(static_cast<char>(bits >> (8 * k) & 0xff));
      return;
    }
    default: sink.put(static_cast<char>(0xf6)); return;  // null
  }
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
