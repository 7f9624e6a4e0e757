// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "dynamics/method/method.hpp"
#include "dynamics/problem/problem.hpp"

namespace zwang {

/// Where the sweep eliminates the active rows in the least time, and why there.
Place estimate_place(Problem& problem, PlaceOfRows& estimate);

}  // namespace zwang
