// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities and accelerations (base axes, at the tip; classical) of the segments of a chain.
#pragma once
#include <memory>

#include "chainfksolver.hpp"

namespace KDL {

namespace detail {
struct SharedRobot;
}

class ChainFkSolverAcc_recursive : public ChainFkSolverAcc {
 public:
  /// Keeps a reference to the chain.
  explicit ChainFkSolverAcc_recursive(const Chain& chain);
  ChainFkSolverAcc_recursive(const ChainFkSolverAcc_recursive& other);
  ~ChainFkSolverAcc_recursive() override;

  /// E_SIZE_MISMATCH, E_OUT_OF_RANGE, E_UNDEFINED for numbers that are not finite. A chain that has changed is read
  /// again, which allocates where segments or joints were added. Several threads may call one solver.
  int JntToCart(const JntArrayAcc& q_in, FrameAcc& out, int segmentNr = -1) override;
  int JntToCart(const JntArrayAcc& q_in, std::vector<FrameAcc>& out, int segmentNr = -1) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::SharedRobot> robot_;
};

}  // namespace KDL
