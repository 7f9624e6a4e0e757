// SPDX-License-Identifier: BSD-3-Clause
// The directions of a frame's acceleration that a constraint holds: k rows over [linear x y z, angular x y z].
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "zwang/core/config.hpp"

namespace zwang {

/// The most rows of a constraint, and of all constraints that a solver takes: the matrix at the root is dense.
inline constexpr Index k_most_rows = 20000;

struct RowSelection {
  std::vector<std::string> names = {};  ///< one per row: `linear.x`, or `row[2]` for rows of a matrix
  std::vector<double> matrix = {};      ///< k x 6, row by row
  std::vector<double> free_axes = {};   ///< for universal joints only: first axis in a, second axis in b
  Index size() const { return static_cast<Index>(names.size()); }
  // Written out, so that files that only pass rows on need not compile them.
  RowSelection();
  RowSelection(const RowSelection&);
  RowSelection(RowSelection&&) noexcept;
  RowSelection& operator=(const RowSelection&);
  RowSelection& operator=(RowSelection&&) noexcept;
  ~RowSelection();
};

/// From words separated by blanks or commas: `linear.x` ... `angular.z`, `linear`, `angular`, `all`. Throws
/// std::invalid_argument with the word and the nearest known one; a repeated word is refused.
RowSelection rows(const std::string& words);
/// From a k x 6 matrix, row by row. Entries must be finite.
RowSelection rows(const std::vector<double>& matrix);

}  // namespace zwang
