// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "factor/method.hpp"
#include "rows/problem.hpp"
#include "zwang/factor/place_of_rows.hpp"

namespace zwang {

/// Times of the active rows at each place; with `all`, as if all constraints were active.
void estimate_places(Problem& problem, bool all, PlaceOfRows& estimate);
/// The place where the sweep eliminates the rows in the least time.
Place fastest_place(const PlaceOfRows& estimate);
/// Whether passes that are linear in the number of loops take less time than the sweep.
bool prefers_loops(const PlaceOfRows& estimate);

}  // namespace zwang
