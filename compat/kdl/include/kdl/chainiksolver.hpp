// SPDX-License-Identifier: BSD-3-Clause
// Inverse kinematics of a chain: interfaces. Programs derive from them.
#pragma once
#include "chain.hpp"
#include "frameacc.hpp"
#include "frames.hpp"
#include "framevel.hpp"
#include "jntarray.hpp"
#include "jntarrayacc.hpp"
#include "jntarrayvel.hpp"
#include "solveri.hpp"

namespace KDL {

class ChainIkSolverPos : public SolverI {
 public:
  /// q_out: joint values that bring the tip to p_in in the base; the search begins at q_init.
  virtual int CartToJnt(const JntArray& q_init, const Frame& p_in, JntArray& q_out) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainIkSolverPos() = default;
};

class ChainIkSolverVel : public SolverI {
 public:
  /// qdot_out: joint velocities with which the tip moves by v_in (base axes, at the tip).
  virtual int CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) = 0;
  /// Pose and velocity together. The solvers here answer E_NOT_IMPLEMENTED.
  virtual int CartToJnt(const JntArray& q_init, const FrameVel& v_in, JntArrayVel& q_out) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainIkSolverVel() = default;
};

class ChainIkSolverAcc : public SolverI {
 public:
  virtual int CartToJnt(const JntArray& q_in, const JntArray& qdot_in, const Twist a_in, JntArray& qdotdot_out) = 0;
  virtual int CartTojnt(const JntArray& q_init, const FrameAcc& a_in, JntArrayAcc& q_out) = 0;
  virtual int CartToJnt(const JntArray& q_in, const Twist& v_in, const Twist& a_in, JntArray& qdot_out,
                        JntArray& qdotdot_out) = 0;
  virtual int CartTojnt(const JntArray& q_init, const Frame& p_in, const JntArray& qdot_in, const Twist& a_in,
                        JntArray& q_out, JntArray& qdotdot_out) = 0;
  virtual void updateInternalDataStructures() = 0;
  virtual ~ChainIkSolverAcc() = default;
};

}  // namespace KDL
