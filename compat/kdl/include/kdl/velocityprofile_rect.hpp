// SPDX-License-Identifier: BSD-3-Clause
// A constant velocity.
#pragma once
#include "velocityprofile.hpp"

namespace KDL {

class VelocityProfile_Rectangular : public VelocityProfile {
 public:
  explicit VelocityProfile_Rectangular(double _maxvel = 0) : maxvel_(_maxvel) {}

  void SetMax(double _maxvel) { maxvel_ = _maxvel; }
  /// Throws Error_MotionPlanning_Incompatible where there is a way to go and maxvel <= 0, or numbers are not finite.
  void SetProfile(double pos1, double pos2) override;
  void SetProfileDuration(double pos1, double pos2, double duration) override;
  double Duration() const override { return duration_; }
  double Pos(double time) const override;
  double Vel(double time) const override;
  double Acc(double time) const override;  ///< throws Error_MotionPlanning_Incompatible
  void Write(std::ostream& os) const override;
  VelocityProfile* Clone() const override { return new VelocityProfile_Rectangular(*this); }

 private:
  double maxvel_, start_ = 0, end_ = 0, velocity_ = 0, duration_ = 0;
};

}  // namespace KDL
