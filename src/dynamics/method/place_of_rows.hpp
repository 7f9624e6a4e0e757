// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "dynamics/method/method.hpp"
#include "dynamics/problem/problem.hpp"

namespace zwang {

/// The place where the sweep eliminates the active rows in the least time, and the reason.
Place estimate_place(Problem& problem, PlaceOfRows& estimate);

}  // namespace zwang
