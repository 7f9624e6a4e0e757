// SPDX-License-Identifier: BSD-3-Clause
// Constant tables of C.
#pragma once
#include <string>
#include <vector>

#include "codegen/straight_line.hpp"

namespace zwang::codegen {

/// A table of whole numbers, of the smallest type that holds them.
std::string index_table(const std::string& name, const std::vector<Index>& numbers);

/// A table of numbers, `columns` in a row; 1: a vector.
std::string number_table(const std::string& name, const std::vector<double>& numbers, std::size_t columns,
                         const CScalar& scalar);

}  // namespace zwang::codegen
