// SPDX-License-Identifier: BSD-3-Clause
// UsedNames: names that are in use, and new ones beside them.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace zwang::io {

/// Names that are in use.
class UsedNames {
 public:
  UsedNames() = default;
  UsedNames(std::initializer_list<std::string> names) : taken_(names) {}

  /// `wanted`, or where it is taken the first free of `wanted_`, `wanted__`, `wanted_3`, `wanted_4`, ...; taken from
  /// now on. What was taken once is not tried again: n equal names cost n steps.
  std::string fresh(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    for (std::size_t& tried = tried_[wanted];;) {
      ++tried;
      std::string name = wanted + (tried == 1 ? "_" : tried == 2 ? "__" : '_' + std::to_string(tried));
      if (taken_.insert(name).second) return name;
    }
  }
  /// False where it was taken before.
  bool add(const std::string& name) { return taken_.insert(name).second; }
  bool has(const std::string& name) const { return taken_.contains(name); }
  bool empty() const { return taken_.empty(); }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> tried_;  // by the wanted name: how many others
};

}  // namespace zwang::io
