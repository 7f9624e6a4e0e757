// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of a chain: the interface.
#pragma once
#include <vector>

#include "chain.hpp"
#include "frames.hpp"
#include "jntarray.hpp"
#include "solveri.hpp"

namespace KDL {

typedef std::vector<Wrench> Wrenches;

class ChainIdSolver : public SolverI {
 public:
  /// Torques that give accelerations. f_ext: one for each segment.
  virtual int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, const Wrenches& f_ext,
                        JntArray& torques) = 0;
  virtual void updateInternalDataStructures() = 0;
};

}  // namespace KDL
