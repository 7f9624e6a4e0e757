// SPDX-License-Identifier: BSD-3-Clause
// What may be wrong with a constraint as it stands now: its own numbers, and what no method does.
#pragma once
#include "dynamics/method/method.hpp"
#include "zwang/constraint/constraint.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {

/// Sizes and numbers; throws std::invalid_argument. `bodies`: of the model.
void check_constraint(const char* owner, const Constraint& x, Index bodies);
/// Targets and gains are as they have to be.
bool errors_are_given(const Constraint& x);
/// Combinations that the method, or the policy of dependent rows, does not do; throws UnsupportedError.
void check_combination(const Constraint& x, const Method& method, Singularity singularity);

}  // namespace zwang
