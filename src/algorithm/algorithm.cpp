// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/core/error.hpp"

namespace zwang {

std::span<const Algorithm> algorithms() { return algorithm_list::k_rows.row; }

const Algorithm& algorithm(std::string_view name) {
  std::vector<std::string> known;
  for (const Algorithm& row : algorithms()) {
    if (name == row.name || (row.alias[0] != '\0' && name == row.alias)) return row;
    known.emplace_back(row.name);
  }
  detail::throw_unknown("algorithm", std::string(name), known);
}

Index index_of(const Algorithm& row) { return static_cast<Index>(&row - algorithm_list::k_rows.row); }

Sizes sizes_of(const Model& model, const AlgorithmOptions& options) {
  return {model.nq(), model.nv(), static_cast<Index>(model.joints().size()), static_cast<Index>(model.links().size()),
          static_cast<Index>(options.frames.size())};
}

}  // namespace zwang
