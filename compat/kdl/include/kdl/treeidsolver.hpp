// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of a tree: the interface.
#pragma once
#include <map>
#include <string>

#include "frames.hpp"
#include "jntarray.hpp"
#include "solveri.hpp"
#include "tree.hpp"

namespace KDL {

typedef std::map<std::string, Wrench> WrenchMap;

class TreeIdSolver : public SolverI {
 public:
  /// Torques that give accelerations. f_ext: by the names of segments.
  virtual int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, const WrenchMap& f_ext,
                        JntArray& torques) = 0;
  virtual void updateInternalDataStructures() = 0;
};

}  // namespace KDL
