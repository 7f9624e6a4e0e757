// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of a tree: interfaces. Programs derive from them.
#pragma once
#include <map>
#include <string>

#include "frames.hpp"
#include "jacobian.hpp"
#include "jntarray.hpp"
#include "tree.hpp"

namespace KDL {

/// By the names of segments.
typedef std::map<std::string, Twist> Twists;
typedef std::map<std::string, Jacobian> Jacobians;
typedef std::map<std::string, Frame> Frames;

class TreeIkSolverPos {
 public:
  /// q_out: joint values that bring the tips of the segments to p_in in the root.
  /// A remaining length, or a code below 0.
  virtual double CartToJnt(const JntArray& q_init, const Frames& p_in, JntArray& q_out) = 0;
  virtual ~TreeIkSolverPos() = default;
};

class TreeIkSolverVel {
 public:
  /// qdot_out: joint velocities for twists of the tips (root axes, at the tips). A length, or a code below 0.
  virtual double CartToJnt(const JntArray& q_in, const Twists& v_in, JntArray& qdot_out) = 0;
  virtual ~TreeIkSolverVel() = default;
};

}  // namespace KDL
