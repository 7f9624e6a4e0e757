// SPDX-License-Identifier: BSD-3-Clause
// Velocity profiles: a length by time. Interface.
#pragma once
#include <iostream>

#include "utilities/error.h"
#include "utilities/utility.h"
#include "utilities/utility_io.h"

namespace KDL {

/// 0 <= time <= Duration() [s].
class VelocityProfile {
 public:
  /// The fastest profile from pos1 to pos2.
  virtual void SetProfile(double pos1, double pos2) = 0;
  /// One that takes `duration`, never less than the fastest.
  virtual void SetProfileDuration(double pos1, double pos2, double duration) = 0;
  virtual double Duration() const = 0;
  virtual double Pos(double time) const = 0;
  virtual double Vel(double time) const = 0;
  virtual double Acc(double time) const = 0;
  virtual void Write(std::ostream& os) const = 0;
  /// What Write() wrote; the caller deletes it. Throws Error_MotionIO_Unexpected_MotProf.
  static VelocityProfile* Read(std::istream& is);
  virtual VelocityProfile* Clone() const = 0;
  virtual ~VelocityProfile() = default;
};

}  // namespace KDL
