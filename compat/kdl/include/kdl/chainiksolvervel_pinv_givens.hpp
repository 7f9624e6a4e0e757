// SPDX-License-Identifier: BSD-3-Clause
// Joint velocities by the pseudo-inverse, with a threshold at the level of rounding.
#pragma once
#include <memory>

#include "chainiksolver.hpp"
#include "chainjnttojacsolver.hpp"

namespace KDL {

namespace detail {
class ChainVelocity;
}

/// As ChainIkSolverVel_pinv, where singular values below max(6, n) * machine epsilon * the largest count as zero.
/// E_DEGRADED where directions are lost. Each call stands alone: nothing is kept from the call before.
class ChainIkSolverVel_pinv_givens : public ChainIkSolverVel {
 public:
  explicit ChainIkSolverVel_pinv_givens(const Chain& chain);
  ChainIkSolverVel_pinv_givens(const ChainIkSolverVel_pinv_givens& other);
  ~ChainIkSolverVel_pinv_givens() override;

  int CartToJnt(const JntArray& q_in, const Twist& v_in, JntArray& qdot_out) override;
  int CartToJnt(const JntArray& q_init, const FrameVel& v_in, JntArrayVel& q_out) override;
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::ChainVelocity> velocity_;
};

}  // namespace KDL
