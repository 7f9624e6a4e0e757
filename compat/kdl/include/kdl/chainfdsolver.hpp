// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of a chain: the interface.
#pragma once
#include "chainidsolver.hpp"

namespace KDL {

class ChainFdSolver : public SolverI {
 public:
  /// Accelerations that torques give. f_ext: one for each segment.
  virtual int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& torques, const Wrenches& f_ext,
                        JntArray& q_dotdot) = 0;
  virtual void updateInternalDataStructures() = 0;
};

}  // namespace KDL
