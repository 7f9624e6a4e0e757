// SPDX-License-Identifier: BSD-3-Clause
// A polynomial of degree 1, 3 or 5.
#pragma once
#include "velocityprofile.hpp"

namespace KDL {

/// sum_i c_i t^i, before 0 and behind the duration, too. Without a duration above 0: at rest at pos2.
class VelocityProfile_Spline : public VelocityProfile {
 public:
  VelocityProfile_Spline() = default;
  /// A spline needs a duration: this one is at rest at pos2, with the duration 0.
  void SetProfile(double pos1, double pos2) override;
  void SetProfileDuration(double pos1, double pos2, double duration) override;
  /// With velocities, and with velocities and accelerations at both ends.
  virtual void SetProfileDuration(double pos1, double vel1, double pos2, double vel2, double duration);
  virtual void SetProfileDuration(double pos1, double vel1, double acc1, double pos2, double vel2, double acc2,
                                  double duration);
  double Duration() const override { return duration_; }
  double Pos(double time) const override;
  double Vel(double time) const override;
  double Acc(double time) const override;
  void Write(std::ostream& os) const override;
  VelocityProfile* Clone() const override { return new VelocityProfile_Spline(*this); }

 private:
  friend class VelocityProfile;  // Read()
  void set(double c0, double c1, double c2, double c3, double c4, double c5, double duration);
  double coeff_[6] = {};
  double duration_ = 0;
};

}  // namespace KDL
