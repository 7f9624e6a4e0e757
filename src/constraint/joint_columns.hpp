// SPDX-License-Identifier: BSD-3-Clause
// The coordinates that rows are about (page/coordinate_rows.hpp), found by name or place.
#pragma once
#include "constraint/page_relation.hpp"

namespace zwang::detail {

/// The coordinate of that name. Of the columns that it drives, the one that moves most.
page::CoordinateColumn find_coordinate(const Model& model, const std::string& name, const std::string& constraint);
/// The same by its place in v.
page::CoordinateColumn coordinate_column(const Model& model, Index v);
/// Bodies that rows on these coordinates act on, in order.
std::vector<Index> bodies_of(const std::vector<page::CoordinateColumn>& coordinates);
/// Where their bodies stand in that list.
void find_places(std::vector<page::CoordinateColumn>& coordinates, const std::vector<Index>& bodies);

}  // namespace zwang::detail
