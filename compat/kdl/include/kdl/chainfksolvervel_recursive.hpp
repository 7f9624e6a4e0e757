// SPDX-License-Identifier: BSD-3-Clause
// Poses and velocities (base axes, at the tip) of the segments of a chain.
#pragma once
#include <memory>

#include "chainfksolver.hpp"

namespace KDL {

namespace detail {
struct SharedRobot;
}

class ChainFkSolverVel_recursive : public ChainFkSolverVel {
 public:
  /// Keeps a reference to the chain.
  explicit ChainFkSolverVel_recursive(const Chain& chain);
  ChainFkSolverVel_recursive(const ChainFkSolverVel_recursive& other);
  ~ChainFkSolverVel_recursive() override;

  /// E_SIZE_MISMATCH, E_OUT_OF_RANGE, E_UNDEFINED for numbers that are not finite. A chain that has changed is read
  /// again, which allocates where segments or joints were added. Several threads may call one solver.
  int JntToCart(const JntArrayVel& q_in, FrameVel& out, int segmentNr = -1) override;
  int JntToCart(const JntArrayVel& q_in, std::vector<FrameVel>& out, int segmentNr = -1) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::SharedRobot> robot_;
};

}  // namespace KDL
