// SPDX-License-Identifier: BSD-3-Clause
// A path with a velocity profile.
#pragma once
#include "trajectory.hpp"
#include "utilities/held.hpp"

namespace KDL {

class Trajectory_Segment : public Trajectory {
 public:
  /// The profile as it is. With `aggregate`, path and profile are deleted with this trajectory.
  Trajectory_Segment(Path* _geom, VelocityProfile* _motprof, bool _aggregate = true);
  /// Along the whole path in `duration`, never less than the profile's fastest.
  Trajectory_Segment(Path* _geom, VelocityProfile* _motprof, double duration, bool _aggregate = true);

  double Duration() const override { return motprof_->Duration(); }
  Frame Pos(double time) const override;
  Twist Vel(double time) const override;
  Twist Acc(double time) const override;
  Trajectory* Clone() const override;
  void Write(std::ostream& os) const override;
  virtual Path* GetPath() { return geom_.get(); }
  virtual VelocityProfile* GetProfile() { return motprof_.get(); }

 private:
  detail::Held<VelocityProfile> motprof_;
  detail::Held<Path> geom_;
};

}  // namespace KDL
