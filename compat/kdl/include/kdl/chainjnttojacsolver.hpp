// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian of a chain: base axes, at the tip of a segment.
#pragma once
#include <memory>
#include <vector>

#include "chain.hpp"
#include "jacobian.hpp"
#include "jntarray.hpp"
#include "solveri.hpp"

namespace KDL {

namespace detail {
class Robot;
}

class ChainJntToJacSolver : public SolverI {
 public:
  explicit ChainJntToJacSolver(const Chain& chain);
  ChainJntToJacSolver(const ChainJntToJacSolver& other);
  ~ChainJntToJacSolver() override;

  /// `jac` has a column for each joint, or for each that is not locked. seg_nr: how many segments count, below 0: all.
  virtual int JntToJac(const JntArray& q_in, Jacobian& jac, int seg_nr = -1);
  /// One entry for each joint. Columns of locked joints are left out, those behind them move up, zeros follow.
  int setLockedJoints(const std::vector<bool> locked_joints);
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Robot> robot_;
  std::vector<bool> locked_;
};

}  // namespace KDL
