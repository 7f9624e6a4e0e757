// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of a chain: M qdd + C qd + g = torques + external wrenches.
#pragma once
#include <memory>

#include "chainidsolver.hpp"

namespace KDL {

namespace detail {
class Dynamics;
}

class ChainIdSolver_RNE : public ChainIdSolver {
 public:
  /// `grav`: gravity as it is, (0, 0, -9.81) for a base that stands upright.
  ChainIdSolver_RNE(const Chain& chain, Vector grav);
  ChainIdSolver_RNE(const ChainIdSolver_RNE& other);
  ~ChainIdSolver_RNE() override;

  /// f_ext: acts on each segment, in the axes of its tip about its tip. Rotors count, damping and stiffness do not.
  int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot, const Wrenches& f_ext,
                JntArray& torques) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Dynamics> dynamics_;
};

}  // namespace KDL
