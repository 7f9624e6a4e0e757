// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a tip, from public settings and targets to what the kernels read.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/chain_kernels.hpp"
#include "zwang/algorithm/serial_inverse_kinematics.hpp"

namespace zwang {

/// `length`: of the links of the chain.
inline PoseTask pose_task(const SerialInverseKinematicsSettings& s, double length) {
  PoseTask t{};
  t.position_weight = !s.position ? 0 : s.position_weight > 0 ? s.position_weight : 2 / length;
  t.direction_weight = s.attitude == AttitudeRows::none ? 0 : 1;
  const bool one = s.attitude == AttitudeRows::x || s.attitude == AttitudeRows::y || s.attitude == AttitudeRows::z;
  for (double& a : t.axis) a = one ? 0 : 0.5;
  if (one) t.axis[static_cast<int>(s.attitude) - static_cast<int>(AttitudeRows::x)] = 1;
  t.axis_offset = one ? 0 : 0.5;
  t.position_tolerance = t.asked_tolerance = s.tolerance;
  t.direction_tolerance = s.angle_tolerance;
  return t;
}

inline void set_target(PoseTask& task, const Transform<double>& X) {
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) task.R[3 * i + k] = X.R(i, k);
    task.p[i] = X.p[i];
  }
  const double farthest = std::max({std::fabs(X.p.x), std::fabs(X.p.y), std::fabs(X.p.z)});
  task.position_tolerance = std::max(task.asked_tolerance, 8 * std::numeric_limits<double>::epsilon() * farthest);
}

inline bool is_finite_pose(const Transform<double>& X) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += (X.R[i].x + X.R[i].y + X.R[i].z + X.p[i]) * 0;
  return sum == 0;
}

/// Why a target cannot be searched for; nullptr: it can.
inline const char* fault_of_target(const Transform<double>& X) {
  constexpr double tolerance = 1e-6, farthest = 1e100;  // [m] squares of it are numbers
  if (!is_finite_pose(X)) return "an entry is not finite";
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= i; ++k) worst = std::max(worst, std::fabs(dot(X.R[i], X.R[k]) - (i == k ? 1.0 : 0.0)));
  if (!(worst <= tolerance && dot(cross(X.R[0], X.R[1]), X.R[2]) > 0))
    return "its rotation is not orthonormal and right-handed to 1e-6";
  if (std::max({std::fabs(X.p.x), std::fabs(X.p.y), std::fabs(X.p.z)}) > farthest)
    return "its position is beyond 1e100 m";
  return nullptr;
}

}  // namespace zwang
