// SPDX-License-Identifier: BSD-3-Clause
// Which joint the rows of a loop stand for: the inverse of joint_rows().
#pragma once
#include <string>

#include "zwang/constraint/types/loop.hpp"

namespace zwang::io {

/// A joint whose loop holds the same directions.
struct LoopKind {
  /// fixed, spherical, revolute, prismatic, cylindrical, planar, universal or translation; empty: the rows are those of
  /// none.
  std::string type = {};
  Vec3<double> axis{0, 0, 1};    ///< in a's axes, unit length, of either sign
  Vec3<double> second{1, 0, 0};  ///< of a universal joint, in b's axes
};
LoopKind loop_kind(const RowSelection& rows);

}  // namespace zwang::io
