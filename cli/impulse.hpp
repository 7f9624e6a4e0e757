// SPDX-License-Identifier: BSD-3-Clause
// What a problem says of an impact.
#pragma once
#include "problem.hpp"

namespace zwang::cli {

/// `restitution`, `target` and `impact` of a problem file, and what is typed,
/// once the constraints have been read. Throws UsageError.
void read_impact(const Arguments& arguments, const Node& problem, Problem& to);

}  // namespace zwang::cli
