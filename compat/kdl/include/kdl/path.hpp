// SPDX-License-Identifier: BSD-3-Clause
// Paths: poses by a length s. Interface.
#pragma once
#include <iostream>

#include "frames.hpp"
#include "frames_io.hpp"
#include "rotational_interpolation.hpp"
#include "utilities/error.h"

namespace KDL {

/// 0 <= s <= PathLength(). Twists are in base axes, at the moving point.
class Path {
 public:
  enum IdentifierType {
    ID_LINE = 1,
    ID_CIRCLE = 2,
    ID_COMPOSITE = 3,
    ID_ROUNDED_COMPOSITE = 4,
    ID_POINT = 5,
    ID_CYCLIC_CLOSED = 6
  };

  /// s at which the point has moved by `length` [m].
  virtual double LengthToS(double length) = 0;
  virtual double PathLength() = 0;
  virtual Frame Pos(double s) const = 0;
  virtual Twist Vel(double s, double sd) const = 0;
  virtual Twist Acc(double s, double sd, double sdd) const = 0;
  virtual void Write(std::ostream& os) = 0;
  /// What Write() wrote; the caller deletes it. Throws Error_MotionIO_Unexpected_Traj and what parts throw.
  static Path* Read(std::istream& is);
  /// A copy that shares nothing; the caller deletes it.
  virtual Path* Clone() = 0;
  virtual IdentifierType getIdentifier() const = 0;
  virtual ~Path() = default;
};

}  // namespace KDL
