// SPDX-License-Identifier: BSD-3-Clause
// NameTable: from a name to the position of the item with this name. Internal to the library.
//
// Open addressing over one array. The names themselves stay in a vector of items with a `name`, which is an argument of
// every call: nothing is allocated per name, and a copy of the table serves a copy of the vector.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "zwang/core/config.hpp"

namespace zwang::detail {

class NameTable {
 public:
  void reserve(std::size_t count) {
    if (2 * count > slots_.size()) rehash(2 * count);
  }

  /// Adds items[number] and returns it, or the number under which the same name stands already.
  template <class Items> Index add(const Items& items, Index number) {
    if (2 * (count_ + 1) > slots_.size()) rehash(4 * (count_ + 1));
    const std::string_view name = items[static_cast<std::size_t>(number)].name;
    Slot& slot = slots_[place(items, name)];
    if (slot.number >= 0) return slot.number;
    slot = {short_hash(name), number};
    ++count_;
    return number;
  }

  /// The number of that name, or -1.
  template <class Items> Index find(const Items& items, std::string_view name) const {
    return slots_.empty() ? -1 : slots_[place(items, name)].number;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    Index number = -1;  // -1: free
  };

  static std::uint32_t short_hash(std::string_view name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
  }

  /// Where the name stands, or the free slot where it belongs; at least half of the slots are free.
  template <class Items> std::size_t place(const Items& items, std::string_view name) const {
    const std::uint32_t hash = short_hash(name);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].number >= 0 &&
           (slots_[i].hash != hash || items[static_cast<std::size_t>(slots_[i].number)].name != name))
      i = (i + 1) & mask;
    return i;
  }

  /// At least `least` slots, a power of two.
  void rehash(std::size_t least) {
    std::size_t size = 16;
    while (size < least) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t i = slot.hash & (size - 1);
      while (slots_[i].number >= 0) i = (i + 1) & (size - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace zwang::detail
