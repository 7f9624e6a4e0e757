// SPDX-License-Identifier: BSD-3-Clause
// A document tree as bytes: JSON or CBOR (RFC 8949). Both hold the same tree, so that what one says the other says.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_value.hpp"

namespace zwang::io {

/// Where bytes go: into `room` as far as it reaches, and counted beyond it.
class Sink {
 public:
  explicit Sink(std::span<std::byte> room) : room_(room) {}
  void put(const void* data, std::size_t size);
  void put(std::string_view text) { put(text.data(), text.size()); }
  void put(char c) { put(&c, 1); }
  std::size_t size() const { return size_; }

 private:
  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

/// Lists of numbers stand on one line. Throws std::invalid_argument for text that is not UTF-8.
void write_json(const Json& tree, Sink& sink);
/// Definite lengths, the shortest heads, floating-point numbers of 64 bits.
void write_cbor(const Json& tree, Sink& sink);

std::string json_text(const Json& tree);
std::vector<std::uint8_t> cbor_bytes(const Json& tree);
std::size_t json_into(const Json& tree, std::span<std::byte> out);
std::size_t cbor_into(const Json& tree, std::span<std::byte> out);

/// The beginning of a value on one line, for messages: not much longer than `limit`.
std::string short_text(const Json& value, std::size_t limit);

/// A number, or its word: documents have no numbers that are not finite.
Json number(double x);
Json numbers(const double* x, std::size_t n);

/// The tree of a CBOR item. Throws JsonError with the byte at which it stops being one that can be read: lengths that
/// are not definite or longer than the data, tags, byte strings, numbers that are not finite, keys that are no text or
/// given twice, text that is not UTF-8, more than the limits of zwang/io/json.hpp.
Json read_cbor(std::span<const std::uint8_t> bytes, const std::string& name, std::size_t limit);

}  // namespace zwang::io
