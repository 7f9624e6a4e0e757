// SPDX-License-Identifier: BSD-3-Clause
// What a user pays to compile a program, by tools/compile_cost.py of the source tree.
#pragma once
#include "report.hpp"

namespace zwang::bench {

/// Seconds of CPU, their ratio to <Eigen/Core> alone, megabytes; or why there are none.
Json compile_cost(bool table);

}  // namespace zwang::bench
