// SPDX-License-Identifier: BSD-3-Clause
// Forward dynamics of chains.
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>

#include "dynamics_calls.hpp"

namespace KDL {

using detail::check;
using detail::Dynamics;
using detail::take_wrenches;

ChainFdSolver_RNE::ChainFdSolver_RNE(const Chain& chain, Vector grav)
    : dynamics_(std::make_unique<Dynamics>(chain, grav)) {}
ChainFdSolver_RNE::ChainFdSolver_RNE(const ChainFdSolver_RNE& other)
    : ChainFdSolver(other),
      dynamics_(std::make_unique<Dynamics>(*other.dynamics_)) {}
ChainFdSolver_RNE::~ChainFdSolver_RNE() = default;

int ChainFdSolver_RNE::CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& torques,
                                 const Wrenches& f_ext, JntArray& q_dotdot) {
  error = check(*dynamics_, q, q_dot, torques, q_dotdot);
  if (error == E_NOERROR) error = take_wrenches(*dynamics_, f_ext);
  if (error == E_NOERROR) error = dynamics_->forward_dynamics(q, q_dot, torques, q_dotdot);
  return error;
}

/// Kutta 1901, with k_i = (qdot_i, qdd_i): x + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4).
void ChainFdSolver_RNE::RK4Integrator(unsigned int& nj, const double& /*t*/, double& dt, JntArray& q, JntArray& q_dot,
                                      JntArray& torques, Wrenches& f_ext, ChainFdSolver_RNE& fdsolver,
                                      JntArray& q_dotdot, JntArray& dq, JntArray& dq_dot, JntArray& q_temp,
                                      JntArray& q_dot_temp) {
  for (const JntArray* array : {&q, &q_dot, &torques, &q_dotdot, &dq, &dq_dot, &q_temp, &q_dot_temp}) {
    if (array->rows() == nj) continue;
    fdsolver.error = E_SIZE_MISMATCH;
    return;
  }
  q_temp.data = q.data;
  q_dot_temp.data = q_dot.data;
  constexpr double weight[] = {1, 2, 2, 1}, step[] = {0.5, 0.5, 1, 0};
  for (int stage = 0; stage < 4; ++stage) {
    if (fdsolver.CartToJnt(q_temp, q_dot_temp, torques, f_ext, q_dotdot) < 0) return;
    if (stage == 0) {
      dq.data = q_dot_temp.data;
      dq_dot.data = q_dotdot.data;
    } else {
      dq.data += weight[stage] * q_dot_temp.data;
      dq_dot.data += weight[stage] * q_dotdot.data;
    }
    q_temp.data = q.data + dt * step[stage] * q_dot_temp.data;
    q_dot_temp.data = q_dot.data + dt * step[stage] * q_dotdot.data;
  }
  q_temp.data = q.data + dt / 6 * dq.data;
  q_dot_temp.data = q_dot.data + dt / 6 * dq_dot.data;
  if (fdsolver.CartToJnt(q_temp, q_dot_temp, torques, f_ext, q_dotdot) < 0) return;
  q.data = q_temp.data;
  q_dot.data = q_dot_temp.data;
}
void ChainFdSolver_RNE::updateInternalDataStructures() { dynamics_->rebuild(); }

}  // namespace KDL
