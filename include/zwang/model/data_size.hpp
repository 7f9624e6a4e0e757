// SPDX-License-Identifier: BSD-3-Clause
// What a Data costs in memory, stage by stage.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "zwang/model/data.hpp"

namespace zwang {

/// The bytes of one part of a Data on the heap.
struct StageSize {
  std::string_view stage;  ///< position, velocity, ...: the members of Data, or several of them that are used together
  std::size_t bytes;
  std::string_view used_by;  ///< the algorithms that read or write it
};

/// The parts of a Data, and last the object itself (`object`). Everything grows with the number of bodies, columns and
/// links alone; coordinates that c mimic groups share add c columns of nv numbers. Allocates the vector.
std::vector<StageSize> stage_sizes(const Data& data);
/// Their sum: heap and object.
std::size_t bytes_of(const Data& data);

}  // namespace zwang
