// SPDX-License-Identifier: BSD-3-Clause
// The rows that one call has: other threads may change a ConstraintSet while a call reads it.
#pragma once
#include "constraints.hpp"

namespace zwang::python {

/// A copy of the set, which is locked meanwhile; of nullptr an empty one.
ConstraintSet set_of_call(const Model& model, const SetObject* given);

}  // namespace zwang::python
