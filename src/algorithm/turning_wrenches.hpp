// SPDX-License-Identifier: BSD-3-Clause
// External wrenches for derivatives.
#pragma once
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::detail {

/// Sets the external wrenches, with `gravity_scale` also what links' own scales of gravity add, and how they turn with
/// their bodies.
void set_turning_wrenches(const Model& model, Data& data, const double* q, ExternalsIn external, bool gravity_scale);

}  // namespace zwang::detail
