// SPDX-License-Identifier: BSD-3-Clause
// How a rotation goes from its start to its end: interface.
#pragma once
#include <iostream>

#include "frames.hpp"
#include "frames_io.hpp"

namespace KDL {

/// A path of rotations by an angle theta [rad], 0 <= theta <= Angle().
class RotationalInterpolation {
 public:
  virtual void SetStartEnd(Rotation start, Rotation end) = 0;
  virtual double Angle() = 0;
  virtual Rotation Pos(double theta) const = 0;
  /// Angular velocity and acceleration in the axes of the reference frame.
  virtual Vector Vel(double theta, double thetad) const = 0;
  virtual Vector Acc(double theta, double thetad, double thetadd) const = 0;
  virtual void Write(std::ostream& os) const = 0;
  /// What Write() wrote; the caller deletes it. Throws Error_MotionIO_Unexpected_Traj.
  static RotationalInterpolation* Read(std::istream& is);
  virtual RotationalInterpolation* Clone() const = 0;
  virtual ~RotationalInterpolation() = default;
};

}  // namespace KDL
