// SPDX-License-Identifier: BSD-3-Clause
// Poses, velocities and accelerations (base axes, at the tip; classical) of the segments of a chain.
#pragma once
#include <memory>

#include "chainfksolver.hpp"

namespace KDL {

namespace detail {
class Robot;
}

class ChainFkSolverAcc_recursive : public ChainFkSolverAcc {
 public:
  /// Keeps a reference to the chain.
  explicit ChainFkSolverAcc_recursive(const Chain& chain);
  ChainFkSolverAcc_recursive(const ChainFkSolverAcc_recursive& other);
  ~ChainFkSolverAcc_recursive() override;

  /// E_SIZE_MISMATCH, E_OUT_OF_RANGE, E_NOT_UP_TO_DATE, E_UNDEFINED for numbers that are not finite.
  int JntToCart(const JntArrayAcc& q_in, FrameAcc& out, int segmentNr = -1) override;
  int JntToCart(const JntArrayAcc& q_in, std::vector<FrameAcc>& out, int segmentNr = -1) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Robot> robot_;
};

}  // namespace KDL
