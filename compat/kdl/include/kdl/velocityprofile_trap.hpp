// SPDX-License-Identifier: BSD-3-Clause
// A trapezium of velocities: constant acceleration, velocity, deceleration.
#pragma once
#include "velocityprofile.hpp"

namespace KDL {

class VelocityProfile_Trap : public VelocityProfile {
 public:
  /// Limits, both above 0.
  VelocityProfile_Trap(double _maxvel = 0, double _maxacc = 0) : maxvel_(_maxvel), maxacc_(_maxacc) {}

  /// Throws Error_MotionPlanning_Not_Feasible (3100) where there is a way to go and a limit is not above 0, or numbers
  /// are not finite; so do the next ones.
  void SetProfile(double pos1, double pos2) override;
  /// The fastest profile, slower in time.
  void SetProfileDuration(double pos1, double pos2, double newduration) override;
  /// The fastest profile at a part of its speed: newvelocity from 1e-6 to 1.
  virtual void SetProfileVelocity(double pos1, double pos2, double newvelocity);
  virtual void SetMax(double _maxvel, double _maxacc);
  double Duration() const override { return duration_; }
  double Pos(double time) const override;
  double Vel(double time) const override;
  double Acc(double time) const override;
  void Write(std::ostream& os) const override;
  VelocityProfile* Clone() const override { return new VelocityProfile_Trap(*this); }

 private:
  void slow_down(double factor);
  double maxvel_, maxacc_;
  // p1 + v t + a t^2 / 2 up to t1, then velocity up to t2, then the same backwards.
  double start_ = 0, end_ = 0, t1_ = 0, t2_ = 0, duration_ = 0, velocity_ = 0, acceleration_ = 0;
};

}  // namespace KDL
