// SPDX-License-Identifier: BSD-3-Clause
// The plan of rows that are eliminated at the ends of their own paths (kernels/path_rows.hpp).
#pragma once
#include "factor/page/path_stage.hpp"
#include "rows/problem.hpp"

namespace zwang {

/// Plans the active rows of the problem. False if they do not fit: some are soft, act on more than two
/// bodies, are more than eight on a body or in a relation, or more meet at a body than the columns
/// behind it can satisfy. Allocates nothing.
bool try_plan_paths(const Problem& problem, PathStage& stage);
/// Gives the rows of a plan their places: one group for each strand of each block.
void arrange_rows(const PathStage& stage, page::RowNumbers<double>& rows);

}  // namespace zwang
