// SPDX-License-Identifier: BSD-3-Clause
// Which constraints with a sense are rows of a step of Integrator::contact.
#pragma once
#include "zwang/constraint/constraint_set.hpp"

namespace zwang {

/// What a constraint with a sense has or lacks, so that a step does not take it; nullptr: it takes it.
const char* unfit_side(const Constraint& x);

}  // namespace zwang
