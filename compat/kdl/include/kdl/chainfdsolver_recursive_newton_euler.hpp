// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of a chain, and integration by the classical Runge-Kutta method.
#pragma once
#include <memory>

#include "chaindynparam.hpp"
#include "chainfdsolver.hpp"

namespace KDL {

namespace detail {
class Dynamics;
}

class ChainFdSolver_RNE : public ChainFdSolver {
 public:
  /// `grav`: gravity as it is, (0, 0, -9.81) for a base that stands upright.
  ChainFdSolver_RNE(const Chain& chain, Vector grav);
  ChainFdSolver_RNE(const ChainFdSolver_RNE& other);
  ~ChainFdSolver_RNE() override;

  /// f_ext: acts on each segment, in the axes of its tip about its tip.
  /// E_UNDEFINED where a joint moves without inertia.
  int CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& torques, const Wrenches& f_ext,
                JntArray& q_dotdot) override;
  /// One step of length dt with constant torques and wrenches, of order 4: q and q_dot become those at t + dt, q_dotdot
  /// is the acceleration there. The last four arrays are scratch. Where a stage fails, the state stays as it was, and
  /// fdsolver.getError() says why.
  void RK4Integrator(unsigned int& nj, const double& t, double& dt, JntArray& q, JntArray& q_dot, JntArray& torques,
                     Wrenches& f_ext, ChainFdSolver_RNE& fdsolver, JntArray& q_dotdot, JntArray& dq, JntArray& dq_dot,
                     JntArray& q_temp, JntArray& q_dot_temp);
  void updateInternalDataStructures() override;

 private:
  std::unique_ptr<detail::Dynamics> dynamics_;
};

}  // namespace KDL
