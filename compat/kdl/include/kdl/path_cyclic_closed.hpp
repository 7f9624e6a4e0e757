// SPDX-License-Identifier: BSD-3-Clause
// A closed path that is gone along several times.
#pragma once
#include "path.hpp"
#include "utilities/held.hpp"

namespace KDL {

class Path_Cyclic_Closed : public Path {
 public:
  Path_Cyclic_Closed(Path* _geom, int _times, bool _aggregate = true);
  double LengthToS(double length) override;  ///< throws Error_MotionPlanning_Not_Applicable
  double PathLength() override { return geom_->PathLength() * times_; }
  Frame Pos(double s) const override { return geom_->Pos(inner(s)); }
  Twist Vel(double s, double sd) const override { return geom_->Vel(inner(s), sd); }
  Twist Acc(double s, double sd, double sdd) const override { return geom_->Acc(inner(s), sd, sdd); }
  void Write(std::ostream& os) override;
  Path* Clone() override;
  IdentifierType getIdentifier() const override { return ID_CYCLIC_CLOSED; }

 private:
  double inner(double s) const;
  detail::Held<Path> geom_;
  int times_;
};

}  // namespace KDL
