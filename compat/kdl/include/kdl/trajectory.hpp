// SPDX-License-Identifier: BSD-3-Clause
// Trajectories: poses by time. Interface.
#pragma once
#include <iostream>

#include "frames.hpp"
#include "frames_io.hpp"
#include "path.hpp"
#include "velocityprofile.hpp"

namespace KDL {

/// 0 <= time <= Duration() [s]. Twists are in base axes, at the moving point.
class Trajectory {
 public:
  virtual double Duration() const = 0;
  virtual Frame Pos(double time) const = 0;
  virtual Twist Vel(double time) const = 0;
  virtual Twist Acc(double time) const = 0;
  /// A copy that shares nothing; the caller deletes it.
  virtual Trajectory* Clone() const = 0;
  virtual void Write(std::ostream& os) const = 0;
  /// What Write() wrote; the caller deletes it. A profile is the fastest one along its path. Throws
  /// Error_MotionIO_Unexpected_Traj and what parts throw.
  static Trajectory* Read(std::istream& is);
  virtual ~Trajectory() = default;
};

}  // namespace KDL
