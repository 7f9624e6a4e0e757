// SPDX-License-Identifier: BSD-3-Clause
// The pose of one frame in another as position errors: shared by loops and by frames with a target.
#pragma once
#include "constraint/page_relation.hpp"
#include "zwang/constraint/rows.hpp"

namespace zwang {

/// Number of angular directions that the rows hold, and the free axes.
page::LoopGeometry loop_geometry(const RowSelection& rows, const std::string& name);

}  // namespace zwang
