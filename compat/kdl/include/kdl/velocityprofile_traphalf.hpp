// SPDX-License-Identifier: BSD-3-Clause
// Half a trapezium of velocities: it begins, or ends, at the full velocity.
#pragma once
#include "velocityprofile.hpp"

namespace KDL {

class VelocityProfile_TrapHalf : public VelocityProfile {
 public:
  /// _starting: it begins at rest and ends at the velocity; otherwise it begins at the velocity and ends at rest.
  VelocityProfile_TrapHalf(double _maxvel = 0, double _maxacc = 0, bool _starting = true)
      : maxvel_(_maxvel),
        maxacc_(_maxacc),
        starting_(_starting) {}

  /// Throws Error_MotionPlanning_Not_Feasible (3100) where there is a way to go and a limit is not above 0, or numbers
  /// are not finite; so do the next ones.
  void SetProfile(double pos1, double pos2) override;
  /// The same velocity at the moving end, with a smaller acceleration;
  /// where this is not slow enough, a rest at the other end.
  void SetProfileDuration(double pos1, double pos2, double newduration) override;
  virtual void SetMax(double _maxvel, double _maxacc, bool _starting);
  double Duration() const override { return duration_; }
  double Pos(double time) const override;
  double Vel(double time) const override;
  double Acc(double time) const override;
  void Write(std::ostream& os) const override;
  VelocityProfile* Clone() const override { return new VelocityProfile_TrapHalf(*this); }

 private:
  double since_rest(double time) const;
  double maxvel_, maxacc_;
  bool starting_;
  // Seen from the end at rest: a rest, a constant acceleration, a constant velocity.
  double start_ = 0, end_ = 0, duration_ = 0, rest_ = 0, speeding_ = 0, velocity_ = 0, acceleration_ = 0;
};

}  // namespace KDL
