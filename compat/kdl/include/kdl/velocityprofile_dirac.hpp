// SPDX-License-Identifier: BSD-3-Clause
// A jump.
#pragma once
#include "velocityprofile.hpp"

namespace KDL {

class VelocityProfile_Dirac : public VelocityProfile {
 public:
  VelocityProfile_Dirac() = default;
  /// A jump to pos2 right behind the time 0; its duration is 0.
  void SetProfile(double pos1, double pos2) override;
  /// A constant velocity.
  void SetProfileDuration(double pos1, double pos2, double duration) override;
  double Duration() const override { return duration_; }
  double Pos(double time) const override;
  double Vel(double time) const override;  ///< throws Error_MotionPlanning_Incompatible at a jump
  double Acc(double time) const override;  ///< throws Error_MotionPlanning_Incompatible
  void Write(std::ostream& os) const override;
  VelocityProfile* Clone() const override { return new VelocityProfile_Dirac(*this); }

 private:
  double start_ = 0, end_ = 0, duration_ = 0;
};

}  // namespace KDL
