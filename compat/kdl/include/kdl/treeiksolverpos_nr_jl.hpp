// SPDX-License-Identifier: BSD-3-Clause
// Joint values of a tree between limits, by Newton-Raphson steps, for several endpoints.
#pragma once
#include <vector>

#include "treefksolver.hpp"
#include "treeiksolver.hpp"

namespace KDL {

/// q <- q + iksolver(q, diff of all endpoints), put into the limits, until iksolver's length is below eps.
class TreeIkSolverPos_NR_JL : public TreeIkSolverPos {
 public:
  TreeIkSolverPos_NR_JL(const Tree& tree, const std::vector<std::string>& endpoints, const JntArray& q_min,
                        const JntArray& q_max, TreeFkSolverPos& fksolver, TreeIkSolverVel& iksolver,
                        unsigned int maxiter = 100, double eps = 1e-6);

  /// Returns the length that iksolver returns at q_out, below eps, or a code below 0: -1: sizes that do not fit, or a
  /// q_min that is not <= its q_max; -2: p_in names a segment that is no endpoint; -3: maxiter steps were too few;
  /// others are those of fksolver and iksolver.
  double CartToJnt(const JntArray& q_init, const Frames& p_in, JntArray& q_out) override;

 private:
  std::vector<std::string> endpoints_;
  JntArray q_min_, q_max_, step_;
  TreeFkSolverPos& fksolver_;
  TreeIkSolverVel& iksolver_;
  unsigned int maxiter_;
  double eps_;
  Twists twists_;
};

}  // namespace KDL
