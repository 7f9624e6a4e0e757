// SPDX-License-Identifier: BSD-3-Clause
// Joint values of a chain for a pose of its tip, by steps of given solvers.
#include "chain_ik_codes.hpp"

namespace KDL {

using detail::failed_or;

ChainIkSolverPos_NR::ChainIkSolverPos_NR(const Chain& chain, ChainFkSolverPos& fksolver, ChainIkSolverVel& iksolver,
                                         unsigned int maxiter, double eps)
    : chain_(chain),
      fksolver_(fksolver),
      iksolver_(iksolver),
      joints_(chain.getNrOfJoints()),
      maxiter_(maxiter),
      eps_(eps),
      step_(joints_),
      next_(joints_) {}

int ChainIkSolverPos_NR::CartToJnt(const JntArray& q_init, const Frame& p_in, JntArray& q_out) {
  if (joints_ != chain_.getNrOfJoints()) return error = E_NOT_UP_TO_DATE;
  if (q_init.rows() != joints_ || q_out.rows() != joints_) return error = E_SIZE_MISMATCH;
  q_out = q_init;
  Frame tip;
  for (unsigned int i = 0; i < maxiter_; ++i) {
    if (fksolver_.JntToCart(q_out, tip) < E_NOERROR) return error = E_FKSOLVERPOS_FAILED;
    const Twist delta = diff(tip, p_in);
    const int code = iksolver_.CartToJnt(q_out, delta, step_);
    if (code < E_NOERROR) return error = E_IKSOLVER_FAILED;
    Add(q_out, step_, next_);
    if (Equal(delta, Twist::Zero(), eps_)) {
      // One step more gives the digits behind eps; it counts if it is within eps, too.
      if (fksolver_.JntToCart(next_, tip) >= E_NOERROR && Equal(diff(tip, p_in), Twist::Zero(), eps_)) q_out = next_;
      return error = code > E_NOERROR ? E_DEGRADED : E_NOERROR;
    }
    q_out = next_;
  }
  return error = E_MAX_ITERATIONS_EXCEEDED;
}

const char* ChainIkSolverPos_NR::strError(const int code) const { return failed_or(SolverI::strError(code), code); }

void ChainIkSolverPos_NR::updateInternalDataStructures() {
  joints_ = chain_.getNrOfJoints();
  iksolver_.updateInternalDataStructures();
  fksolver_.updateInternalDataStructures();
  step_.resize(joints_);
  next_.resize(joints_);
}

}  // namespace KDL
