// SPDX-License-Identifier: BSD-3-Clause
// A path that stays.
#pragma once
#include "path.hpp"

namespace KDL {

class Path_Point : public Path {
 public:
  explicit Path_Point(const Frame& F_base_start) : pose_(F_base_start) {}
  double LengthToS(double length) override { return length; }
  double PathLength() override { return 0; }
  Frame Pos(double) const override { return pose_; }
  Twist Vel(double, double) const override { return Twist::Zero(); }
  Twist Acc(double, double, double) const override { return Twist::Zero(); }
  void Write(std::ostream& os) override;
  Path* Clone() override { return new Path_Point(pose_); }
  IdentifierType getIdentifier() const override { return ID_POINT; }

 private:
  Frame pose_;
};

}  // namespace KDL
