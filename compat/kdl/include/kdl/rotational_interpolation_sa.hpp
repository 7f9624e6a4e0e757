// SPDX-License-Identifier: BSD-3-Clause
// A rotation about one axis.
#pragma once
#include "rotational_interpolation.hpp"

namespace KDL {

/// R(theta) = R_start Rot(axis, theta), the shorter way to R_end.
class RotationalInterpolation_SingleAxis : public RotationalInterpolation {
 public:
  RotationalInterpolation_SingleAxis() = default;
  void SetStartEnd(Rotation start, Rotation end) override;
  double Angle() override { return angle_; }
  Rotation Pos(double theta) const override;
  Vector Vel(double theta, double thetad) const override;
  Vector Acc(double theta, double thetad, double thetadd) const override;
  void Write(std::ostream& os) const override;
  RotationalInterpolation* Clone() const override;

 private:
  Rotation start_;
  Vector axis_;  ///< in the axes of start_
  double angle_ = 0;
};

}  // namespace KDL
