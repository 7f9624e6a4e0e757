// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors: what loops and frames with a target have in common.
#pragma once
#include "constraint/page_relation.hpp"
#include "zwang/constraint/rows.hpp"

namespace zwang {

/// How many angular directions the rows hold, and what is free then.
page::LoopGeometry loop_geometry(const RowSelection& rows, const std::string& name);

}  // namespace zwang
