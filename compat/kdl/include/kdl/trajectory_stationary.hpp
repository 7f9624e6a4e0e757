// SPDX-License-Identifier: BSD-3-Clause
// A pose that is kept for a while.
#pragma once
#include "trajectory.hpp"

namespace KDL {

class Trajectory_Stationary : public Trajectory {
 public:
  Trajectory_Stationary(double _duration, const Frame& _pos) : duration_(_duration), pose_(_pos) {}
  double Duration() const override { return duration_; }
  Frame Pos(double) const override { return pose_; }
  Twist Vel(double) const override { return Twist::Zero(); }
  Twist Acc(double) const override { return Twist::Zero(); }
  Trajectory* Clone() const override { return new Trajectory_Stationary(duration_, pose_); }
  void Write(std::ostream& os) const override;

 private:
  double duration_;
  Frame pose_;
};

}  // namespace KDL
