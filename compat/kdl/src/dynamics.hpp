// SPDX-License-Identifier: BSD-3-Clause
// Dynamics: what the dynamics solvers of chains and trees have in common.
#pragma once
#include <kdl/chainidsolver.hpp>
#include <kdl/jntspaceinertiamatrix.hpp>

#include "robot.hpp"

namespace KDL::detail {

class Dynamics {
 public:
  template <class Structure> Dynamics(const Structure& structure, const Vector& gravity)
      : robot_(structure),
        gravity_(gravity) {
    renew();
  }
  Dynamics(const Dynamics& other) : robot_(other.robot_), gravity_(other.gravity_) { renew(); }

  void rebuild() {
    robot_.rebuild();
    renew();
  }
  /// As Robot::refresh(); gravity follows.
  int refresh();
  Robot& robot() { return robot_; }

  void clear_wrenches() { external_.clear(); }
  /// Acts on a segment: the tip's axes about the tip, or the base's axes. Zero wrenches cost nothing.
  void add_wrench(unsigned int segment, const Wrench& wrench, bool in_base_axes = false);
  const zwang::Externals& wrenches() const { return external_; }

  // With the wrenches added so far. Arguments have the robot's sizes. Codes of SolverI.
  int inverse_dynamics(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, JntArray& torques);
  int forward_dynamics(const JntArray& q, const JntArray& q_dot, const JntArray& torques, JntArray& q_dotdot);
  int coriolis(const JntArray& q, const JntArray& q_dot, JntArray& out);
  int coriolis_matrix(const JntArray& q, const JntArray& q_dot, JntSpaceInertiaMatrix& out);
  /// M q_dot, and C^T q_dot, which the turning joints add to its rate.
  int momentum(const JntArray& q, const JntArray& q_dot, JntArray& momentum, JntArray& coriolis);
  int gravity(const JntArray& q, JntArray& out);
  int mass(const JntArray& q, JntSpaceInertiaMatrix& out);

 private:
  void renew();
  void matrix_from(JntSpaceInertiaMatrix& out) const;
  Robot robot_;
  Vector gravity_;
  unsigned int version_ = 0;
  zwang::Externals external_;
};

}  // namespace KDL::detail
