// SPDX-License-Identifier: BSD-3-Clause
// Rows with a sense in a motion: K a >= beta at every instant, wherever the row's body is. A body that was
// thrown up would hang in the air, since it may not accelerate downwards. A row with a position error and a
// time constant T regards where it is (phi'' >= beta - 2 zeta / T phi' - phi / T^2), and what a driver demands
// of an acceleration is meant as it stands.
#pragma once
#include "zwang/constraint/constraint_set.hpp"

namespace zwang::detail {

/// Whether a value of phi is wanted of the rows of a constraint.
bool has_position(const Constraint& x);
/// Throws UnsupportedError for a physical constraint with a sense that does not regard where it is.
void check_looks_ahead(const char* function, const Constraint& x);

}  // namespace zwang::detail
