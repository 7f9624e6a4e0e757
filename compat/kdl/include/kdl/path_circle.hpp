// SPDX-License-Identifier: BSD-3-Clause
// An arc with a rotation.
#pragma once
#include "path.hpp"
#include "utilities/held.hpp"

namespace KDL {

/// From F_base_start about V_base_center by the angle alpha [rad], in the plane of the centre, the start and V_base_p,
/// at first to the side of V_base_p. Throws Error_MotionPlanning_Circle_ToSmall where the start is the centre,
/// Error_MotionPlanning_Circle_No_Plane where the three points are on a line, Error_MotionPlanning_Not_Feasible (3100)
/// for other numbers that are not finite.
class Path_Circle : public Path {
 public:
  Path_Circle(const Frame& F_base_start, const Vector& V_base_center, const Vector& V_base_p,
              const Rotation& R_base_end, double alpha, RotationalInterpolation* otraj, double eqradius,
              bool _aggregate = true);

  double LengthToS(double length) override;
  double PathLength() override { return length_; }
  Frame Pos(double s) const override;
  Twist Vel(double s, double sd) const override;
  Twist Acc(double s, double sd, double sdd) const override;
  void Write(std::ostream& os) override;
  Path* Clone() override;
  IdentifierType getIdentifier() const override { return ID_CIRCLE; }

 private:
  detail::Held<RotationalInterpolation> orient_;
  Frame start_, centre_;  ///< the centre's x axis goes to the start, its y axis to the side of V_base_p
  Rotation end_;
  double radius_ = 0, alpha_, eqradius_, length_ = 0, linear_ = 0, angular_ = 0;
};

}  // namespace KDL
