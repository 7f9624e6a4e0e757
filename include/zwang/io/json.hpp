// SPDX-License-Identifier: BSD-3-Clause
// Reading JSON from untrusted sources: bounded in size and depth, no duplicate keys, every error with its place in the
// document. The parser behind it appears in no header.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace zwang {

inline constexpr std::size_t k_json_bytes = 16u << 20;
inline constexpr int k_json_depth = 64;
inline constexpr std::size_t k_json_keys = 10000;  ///< of one object

/// Text that is not JSON, or JSON that is not understood; with its place: `problem.json: constraints[1].rows: ...`.
class JsonError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct JsonValue;

/// A value of a document and its name in messages: `problem.json: constraints[1].rows`. The document must outlive it. A
/// value of the wrong kind throws JsonError.
class JsonNode {
 public:
  bool is_text() const;
  bool is_number() const;
  bool is_boolean() const;
  bool is_array() const;
  bool is_object() const;
  bool has(const char* key) const;
  std::vector<std::string> keys() const;  ///< of an object, as they stand in the text
  JsonNode operator[](const char* key) const;
  JsonNode operator[](std::size_t index) const;
  std::size_t size() const;

  /// An object with no keys but these; `later` are those of features that are not there yet.
  const JsonNode& object(const std::vector<const char*>& keys, std::initializer_list<const char*> later = {}) const;
  const JsonNode& array() const;
  std::string text() const;
  /// One of these words; `later` are those of features that are not there yet.
  std::string word(const std::vector<std::string>& words, const std::vector<std::string>& later = {}) const;
  bool boolean() const;
  double number() const;
  int integer() const;
  std::vector<double> numbers() const;
  std::vector<double> numbers(std::size_t count) const;

  std::string where() const { return path_.empty() ? file_ : file_ + ": " + path_; }
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void expected(const std::string& what) const;

 private:
  friend class JsonDocument;
  JsonNode(const JsonValue* value, std::string file, std::string path);
  const JsonValue* value_;
  std::string file_, path_;
};

/// What a text says. Copies share it.
class JsonDocument {
 public:
  /// Throws JsonError if the text is not JSON, too large, too deep, or has a duplicate key.
  /// `name` is its name in messages.
  static JsonDocument parse(const std::string& text, const std::string& name, std::size_t limit = k_json_bytes);
  /// The same tree as CBOR (RFC 8949): definite lengths, text keys, finite numbers, no tags and byte strings.
  static JsonDocument parse_cbor(std::span<const std::uint8_t> bytes, const std::string& name,
                                 std::size_t limit = k_json_bytes);
  JsonNode root() const;
  /// The same tree as CBOR.
  std::vector<std::uint8_t> cbor() const;

 private:
  std::shared_ptr<const JsonValue> value_;
  std::string name_;
};

/// `text` with control characters made visible, shortened.
std::string printable(const std::string& text, std::size_t limit = 80);

}  // namespace zwang
