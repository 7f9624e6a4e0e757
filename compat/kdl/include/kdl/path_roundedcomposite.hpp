// SPDX-License-Identifier: BSD-3-Clause
// Lines whose corners are arcs.
#pragma once
#include <memory>

#include "path_composite.hpp"

namespace KDL {

class Path_RoundedComposite : public Path {
 public:
  /// Arcs of this radius [m]. With `aggregate`, `orient` is deleted with this path. Throws
  /// Error_MotionPlanning_Not_Feasible(1) where eqradius <= 0.
  Path_RoundedComposite(double radius, double eqradius, RotationalInterpolation* orient, bool aggregate = true);

  /// The next corner. Throws Error_MotionPlanning_Circle_ToSmall where radius <= 0, and
  /// Error_MotionPlanning_Not_Feasible: 3102 and 3103 two points are one, 3104 the way back, 3105 and 3106 the line
  /// before and behind the corner is too short for the arc.
  void Add(const Frame& F_base_point);
  /// The last line. Points added later are not reached.
  void Finish();

  double LengthToS(double length) override { return comp_->LengthToS(length); }
  double PathLength() override { return comp_->PathLength(); }
  Frame Pos(double s) const override { return comp_->Pos(s); }
  Twist Vel(double s, double sd) const override { return comp_->Vel(s, sd); }
  Twist Acc(double s, double sd, double sdd) const override { return comp_->Acc(s, sd, sdd); }
  void Write(std::ostream& os) override { comp_->Write(os); }
  Path* Clone() override;
  virtual int GetNrOfSegments() { return comp_->GetNrOfSegments(); }
  virtual Path* GetSegment(int i) { return comp_->GetSegment(i); }
  virtual double GetLengthToEndOfSegment(int i) { return comp_->GetLengthToEndOfSegment(i); }
  virtual void GetCurrentSegmentLocation(double s, int& segment_number, double& inner_s) {
    comp_->GetCurrentSegmentLocation(s, segment_number, inner_s);
  }
  IdentifierType getIdentifier() const override { return ID_ROUNDED_COMPOSITE; }

 private:
  std::unique_ptr<Path_Composite> comp_;
  double radius_, eqradius_;
  detail::Held<RotationalInterpolation> orient_;
  Frame start_, via_;  ///< the end of what comp_ has, and the corner behind it
  int points_ = 0;
};

}  // namespace KDL
