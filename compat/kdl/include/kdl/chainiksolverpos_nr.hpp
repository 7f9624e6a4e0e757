// SPDX-License-Identifier: BSD-3-Clause
// Joint values for a pose of the tip, by Newton-Raphson steps.
#pragma once
#include "chainfksolver.hpp"
#include "chainiksolver.hpp"

namespace KDL {

/// q <- q + iksolver(q, diff(fksolver(q), p_in)), until each of the six entries of diff is below eps.
/// The chain and both solvers must live as long as this one.
class ChainIkSolverPos_NR : public ChainIkSolverPos {
 public:
  static constexpr int E_IKSOLVER_FAILED = -100;
  static constexpr int E_FKSOLVERPOS_FAILED = -101;

  ChainIkSolverPos_NR(const Chain& chain, ChainFkSolverPos& fksolver, ChainIkSolverVel& iksolver,
                      unsigned int maxiter = 100, double eps = 1e-6);

  /// 0, or E_DEGRADED: within eps, but the last velocities were of a singular Jacobian. E_MAX_ITERATIONS_EXCEEDED:
  /// q_out is where the steps ended.
  int CartToJnt(const JntArray& q_init, const Frame& p_in, JntArray& q_out) override;
  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  const Chain& chain_;
  ChainFkSolverPos& fksolver_;
  ChainIkSolverVel& iksolver_;
  unsigned int joints_, maxiter_;
  double eps_;
  JntArray step_, next_;
};

}  // namespace KDL
