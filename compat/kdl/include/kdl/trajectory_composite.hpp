// SPDX-License-Identifier: BSD-3-Clause
// Trajectories one after the other.
#pragma once
#include <memory>
#include <vector>

#include "path_composite.hpp"
#include "trajectory.hpp"

namespace KDL {

/// Before the first it waits at its start, behind the last at its end. Without parts it is at rest in the base.
class Trajectory_Composite : public Trajectory {
 public:
  Trajectory_Composite() = default;
  Trajectory_Composite(const Trajectory_Composite&) = delete;  // Clone()
  /// Deletes `elem` with this trajectory.
  virtual void Add(Trajectory* elem);
  /// Deletes all parts.
  virtual void Destroy();

  double Duration() const override { return ends_.empty() ? 0 : ends_.back(); }
  Frame Pos(double time) const override;
  Twist Vel(double time) const override;
  Twist Acc(double time) const override;
  Trajectory* Clone() const override;
  void Write(std::ostream& os) const override;

 private:
  const Trajectory* find(double& time) const;
  std::vector<std::unique_ptr<Trajectory>> parts_;
  std::vector<double> ends_;
};

}  // namespace KDL
