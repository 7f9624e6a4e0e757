// SPDX-License-Identifier: BSD-3-Clause
// Internal: what edits of a description share (algorithm/edit.hpp).
#pragma once
#include <string>
#include <vector>

#include "model/name_table.hpp"
#include "zwang/model/builder.hpp"

namespace zwang::editing {

/// From names to positions in a vector whose items have names. The vector may change in anything but names and order.
template <class Items> class Names {
 public:
  explicit Names(const Items& items) : items_(items) {
    for (std::size_t k = 0; k < items.size(); ++k) table_.add(items, static_cast<Index>(k));
  }
  Index find(std::string_view name) const { return table_.find(items_, name); }

 private:
  const Items& items_;
  detail::NameTable table_;
};

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse(const char* code, const std::string& path, const std::string& found,
                         const std::string& expected, const std::string& hint = {});

/// Leaves out motors whose joint is not there, and exclusions of contact of which a link is not there.
void leave_out_lost_data(RobotDescription& robot);

}  // namespace zwang::editing
