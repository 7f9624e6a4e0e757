// SPDX-License-Identifier: BSD-3-Clause
// Poses of the segments of a chain.
#pragma once
#include <memory>

#include "chainfksolver.hpp"

namespace KDL {

namespace detail {
struct SharedRobot;
}

class ChainFkSolverPos_recursive : public ChainFkSolverPos {
 public:
  /// Keeps a reference to the chain.
  explicit ChainFkSolverPos_recursive(const Chain& chain);
  ChainFkSolverPos_recursive(const ChainFkSolverPos_recursive& other);
  ~ChainFkSolverPos_recursive() override;

  /// E_SIZE_MISMATCH, E_OUT_OF_RANGE, E_UNDEFINED for numbers that are not finite. A chain that has changed is read
  /// again, which allocates where segments or joints were added. Several threads may call one solver.
  int JntToCart(const JntArray& q_in, Frame& out, int segmentNr = -1) override;
  int JntToCart(const JntArray& q_in, std::vector<Frame>& out, int segmentNr = -1) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::SharedRobot> robot_;
};

}  // namespace KDL
