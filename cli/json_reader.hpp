// SPDX-License-Identifier: BSD-3-Clause
// Reading JSON that somebody else wrote: bounded in size and depth, no key twice, every complaint with the place in
// the document.
#pragma once
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace zwang::cli {

inline constexpr std::size_t k_json_bytes = 16u << 20;
inline constexpr int k_json_depth = 64;

/// Throws IoError where the file cannot be read, UsageError where it is no JSON, too large, too deep, or has a key
/// twice.
nlohmann::json read_json_file(const std::string& path);

/// A value of a document and how to name it: `problem.json: constraints[1].rows`.
class Node {
 public:
  Node(const nlohmann::json& value, std::string file, std::string path = {})
      : value_(&value),
        file_(std::move(file)),
        path_(std::move(path)) {}

  const nlohmann::json& value() const { return *value_; }
  bool has(const char* key) const { return value_->contains(key); }
  Node operator[](const char* key) const;
  Node operator[](std::size_t index) const;
  std::size_t size() const { return value_->size(); }

  /// An object with no keys but these; `later` are those of features that are not there yet.
  const Node& object(const std::vector<const char*>& keys, std::initializer_list<const char*> later = {}) const;
  const Node& array() const;
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
  const nlohmann::json* value_;
  std::string file_, path_;
};

/// `text` with control characters made visible, shortened.
std::string printable(const std::string& text, std::size_t limit = 80);

}  // namespace zwang::cli
