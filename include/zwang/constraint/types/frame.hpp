// SPDX-License-Identifier: BSD-3-Clause
// FrameConstraint: some directions of a frame's acceleration.
//
//   phi''(q) = K a_f = beta    a_f: classical or spatial acceleration of the frame's origin and its angular
//   acceleration
//   J = K J_f,   J'v = K (a_f at zero joint acceleration),   K = rows in the axes of `in`
// With acceleration rows alone there is no position error to speak of; K may follow any axes.
#pragma once
#include "zwang/constraint/constraint.hpp"

namespace zwang {

struct FrameConstraint {
  std::string name = {};
  std::string frame = {};
  RowSelection rows = zwang::rows("all");
  /// Axes of the rows: `local`, `world` (also the reference point is the world's origin), `local_world_aligned`, or a
  /// frame's name.
  std::string in = "local_world_aligned";
  std::vector<double> beta = {};  ///< one per row; none: zeros
  AccelerationKind acceleration = AccelerationKind::classical;
  Role role = Role::physical;
  bool active = true;
  Policy policy = Policy::hard;
  int priority = 0;
  Compensate compensate = {};
  std::vector<double> compliance = {};  ///< one per row, or one for all, with policy soft
  std::vector<double> weight = {};      ///< one per row, or one for all
};

Constraint bind(const Model& model, const FrameConstraint& c);

}  // namespace zwang
