// SPDX-License-Identifier: BSD-3-Clause
// One step of a tree's endpoints towards their poses, with limited velocities: for control loops.
#pragma once
#include <vector>

#include "treefksolver.hpp"
#include "treeiksolver.hpp"

namespace KDL {

/// q_out = q_in + qdot, qdot = iksolver(q_in, diff of all endpoints). Before: each endpoint's diff is made shorter, in
/// its direction, until its linear part is within x_dot_trans_max and its angular part within x_dot_rot_max. After:
/// qdot is made shorter until all joints are within q_dot_max, and q_out is put into the limits.
class TreeIkSolverPos_Online : public TreeIkSolverPos {
 public:
  /// nr_of_jnts: entries of q_min, q_max and q_dot_max. Velocities are per step.
  TreeIkSolverPos_Online(const double& nr_of_jnts, const std::vector<std::string>& endpoints, const JntArray& q_min,
                         const JntArray& q_max, const JntArray& q_dot_max, const double x_dot_trans_max,
                         const double x_dot_rot_max, TreeFkSolverPos& fksolver, TreeIkSolverVel& iksolver);

  /// What iksolver answers; -1: sizes, or limits without a place between
  /// them, -2: p_in names a segment that is no endpoint.
  double CartToJnt(const JntArray& q_in, const Frames& p_in, JntArray& q_out) override;

 private:
  Twist within_limits(Twist twist) const;
  std::vector<std::string> endpoints_;
  JntArray q_min_, q_max_, q_dot_max_, step_;
  double x_dot_trans_max_, x_dot_rot_max_;
  TreeFkSolverPos& fksolver_;
  TreeIkSolverVel& iksolver_;
  Twists twists_;
};

}  // namespace KDL
