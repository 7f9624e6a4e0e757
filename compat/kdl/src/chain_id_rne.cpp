// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of chains.
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "dynamics_calls.hpp"

namespace KDL {

using detail::check;
using detail::Dynamics;
using detail::take_wrenches;

ChainIdSolver_RNE::ChainIdSolver_RNE(const Chain& chain, Vector grav)
    : dynamics_(std::make_unique<Dynamics>(chain, grav)) {}
ChainIdSolver_RNE::ChainIdSolver_RNE(const ChainIdSolver_RNE& other)
    : ChainIdSolver(other),
      dynamics_(std::make_unique<Dynamics>(*other.dynamics_)) {}
ChainIdSolver_RNE::~ChainIdSolver_RNE() = default;

int ChainIdSolver_RNE::CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot,
                                 const Wrenches& f_ext, JntArray& torques) {
  error = check(*dynamics_, q, q_dot, q_dotdot, torques);
  if (error == E_NOERROR) error = take_wrenches(*dynamics_, f_ext);
  if (error == E_NOERROR) error = dynamics_->inverse_dynamics(q, q_dot, q_dotdot, torques);
  return error;
}
void ChainIdSolver_RNE::updateInternalDataStructures() { dynamics_->rebuild(); }

}  // namespace KDL
