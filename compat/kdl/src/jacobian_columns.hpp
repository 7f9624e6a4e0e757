// SPDX-License-Identifier: BSD-3-Clause
// What the solvers for Jacobians of chains and for their time derivatives have in common.
#pragma once
#include <algorithm>
#include <vector>

#include "robot.hpp"

namespace KDL::detail {

inline unsigned int free_joints(const std::vector<bool>& locked) {
  return static_cast<unsigned int>(std::count(locked.begin(), locked.end(), false));
}

inline int check(Robot& robot, unsigned int rows, unsigned int columns, const std::vector<bool>& locked, int seg_nr) {
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (locked.size() != robot.joints()) return SolverI::E_NOT_UP_TO_DATE;
  if (rows != robot.joints() || (columns != robot.joints() && columns != free_joints(locked)))
    return SolverI::E_SIZE_MISMATCH;
  return seg_nr > static_cast<int>(robot.segments()) ? SolverI::E_OUT_OF_RANGE : SolverI::E_NOERROR;
}

/// Columns of joints that are not locked, of a matrix in the model's order; then zeros.
inline void columns_from(const Robot& robot, const std::vector<bool>& locked, Jacobian& out) {
  unsigned int column = 0;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    if (!locked[j]) out.data.col(column++) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  out.data.rightCols(out.columns() - column).setZero();
}

inline zwang::FrameId frame_of(const Robot& robot, int seg_nr) {
  const unsigned int count = seg_nr < 0 ? robot.segments() : static_cast<unsigned int>(seg_nr);
  return count == 0 ? robot.base() : robot.tip(count - 1);
}

}  // namespace KDL::detail
