// SPDX-License-Identifier: BSD-3-Clause
// The coordinates that rows act on (page/coordinate_rows.hpp), found by name or index.
#pragma once
#include "constraint/page_relation.hpp"

namespace zwang::detail {

/// The coordinate of that name. Of the columns that it drives, the one with the largest multiplier.
page::CoordinateColumn find_coordinate(const Model& model, const std::string& name, const std::string& constraint);
/// The same by its index in v.
page::CoordinateColumn coordinate_column(const Model& model, Index v);
/// Bodies that rows on these coordinates act on, in order.
std::vector<Index> bodies_of(const std::vector<page::CoordinateColumn>& coordinates);
/// Indices of their bodies in that list.
void find_places(std::vector<page::CoordinateColumn>& coordinates, const std::vector<Index>& bodies);

}  // namespace zwang::detail
