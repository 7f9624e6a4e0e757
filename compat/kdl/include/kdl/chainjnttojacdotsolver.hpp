// SPDX-License-Identifier: BSD-3-Clause
// The time derivative of a chain's Jacobian, in three representations.
#pragma once
#include <memory>
#include <vector>

#include "chain.hpp"
#include "chainfksolverpos_recursive.hpp"
#include "chainjnttojacsolver.hpp"
#include "jacobian.hpp"
#include "jntarrayvel.hpp"
#include "solveri.hpp"

namespace KDL {

namespace detail {
class Robot;
}

class ChainJntToJacDotSolver : public SolverI {
 public:
  static constexpr int E_JAC_DOT_FAILED = -100;
  static constexpr int E_JACSOLVER_FAILED = -101;
  static constexpr int E_FKSOLVERPOS_FAILED = -102;
  static constexpr int HYBRID = 0;     ///< base axes, at the tip
  static constexpr int BODYFIXED = 1;  ///< the tip's axes, at the tip
  static constexpr int INERTIAL = 2;   ///< base axes, at the base

  explicit ChainJntToJacDotSolver(const Chain& chain);
  ChainJntToJacDotSolver(const ChainJntToJacDotSolver& other);
  ~ChainJntToJacDotSolver() override;

  /// d/dt of the Jacobian, respectively this times qdot.
  virtual int JntToJacDot(const JntArrayVel& q_in, Jacobian& jdot, int seg_nr = -1);
  virtual int JntToJacDot(const JntArrayVel& q_in, Twist& jac_dot_q_dot, int seg_nr = -1);
  /// One entry for each joint: columns of locked joints are left out, those behind them move up, zeros follow.
  int setLockedJoints(const std::vector<bool>& locked_joints);

  void setHybridRepresentation() { setRepresentation(HYBRID); }
  void setBodyFixedRepresentation() { setRepresentation(BODYFIXED); }
  void setInertialRepresentation() { setRepresentation(INERTIAL); }
  void setRepresentation(const int& representation);  ///< another number changes nothing

  /// dJ_column / dq_joint of a Jacobian J in that representation (Bruyninckx & De Schutter 1996).
  const Twist& getPartialDerivativeHybrid(const Jacobian& bs_J_ee, const unsigned int& joint_idx,
                                          const unsigned int& column_idx);
  const Twist& getPartialDerivativeBodyFixed(const Jacobian& ee_J_ee, const unsigned int& joint_idx,
                                             const unsigned int& column_idx);
  const Twist& getPartialDerivativeInertial(const Jacobian& bs_J_bs, const unsigned int& joint_idx,
                                            const unsigned int& column_idx);
  const Twist& getPartialDerivative(const Jacobian& J, const unsigned int& joint_idx, const unsigned int& column_idx,
                                    const int& representation);

  const char* strError(const int code) const override;
  void updateInternalDataStructures() override;

 private:
  int evaluate(const JntArrayVel& q_in, int seg_nr);
  std::unique_ptr<detail::Robot> robot_;
  std::vector<bool> locked_;
  int representation_ = HYBRID;
  Twist derivative_;
};

}  // namespace KDL
