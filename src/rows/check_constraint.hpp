// SPDX-License-Identifier: BSD-3-Clause
// Checks of a constraint: its own numbers, and combinations that no method supports.
#pragma once
#include "rows/capabilities.hpp"
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// Throws WorkspaceMismatch if the set was made for another model.
void check_model(const char* owner, const Model& model, const ConstraintSet& set);
/// Checks sizes and numbers; throws std::invalid_argument. `bodies`: number of bodies of the model.
void check_constraint(const char* owner, const Constraint& x, Index bodies);
/// Whether gains are valid, and where there are gains or targets there is an error that they are of.
bool errors_are_given(const Constraint& x);
/// Whether the options that are numbers have one for each row, finite, and positive where they must be.
bool numbers_are_good(const Constraint& x);
bool axes_are_finite(const RowsOnBody& r);
/// Refuses combinations that the method or the singularity policy does not support; throws UnsupportedError.
void check_combination(const Constraint& x, const RowPurpose& purpose);
/// The same for the joints of the model and the policy itself.
void check_purpose(const RowPurpose& purpose, const Model& model);
/// Refuses what rows with a sense or a limit, or with limited motors, do not go together with, of a constraint in a set
/// with such rows; throws UnsupportedError. `motors`: it drives motors with limits.
void check_bounded(const Constraint& x, bool motors, bool levels, Singularity singularity);

}  // namespace zwang
