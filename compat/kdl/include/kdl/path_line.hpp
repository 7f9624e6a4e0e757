// SPDX-License-Identifier: BSD-3-Clause
// A straight line with a rotation.
#pragma once
#include "path.hpp"
#include "utilities/held.hpp"

namespace KDL {

/// The length of the path is the larger one of the distance and of eqradius * angle. With `aggregate`, the path deletes
/// `orient`. Throws Error_MotionPlanning_Not_Feasible (3100) for numbers that are not finite.
class Path_Line : public Path {
 public:
  Path_Line(const Frame& F_base_start, const Frame& F_base_end, RotationalInterpolation* orient, double eqradius,
            bool _aggregate = true);
  /// To R_start Rot(rot, |rot|), p_start + vel: the velocity is in base axes, and the rotation, as in the KDL that
  /// shipped, in those of the start.
  Path_Line(const Frame& F_base_start, const Twist& twist_in_base, RotationalInterpolation* orient, double eqradius,
            bool _aggregate = true);

  double LengthToS(double length) override;
  double PathLength() override { return length_; }
  Frame Pos(double s) const override;
  Twist Vel(double s, double sd) const override;
  Twist Acc(double s, double sd, double sdd) const override;
  void Write(std::ostream& os) override;
  Path* Clone() override;
  IdentifierType getIdentifier() const override { return ID_LINE; }

 private:
  detail::Held<RotationalInterpolation> orient_;
  Frame start_, end_;
  Vector direction_;
  double eqradius_, length_ = 0, linear_ = 0, angular_ = 0;  ///< distance and angle per s
};

}  // namespace KDL
