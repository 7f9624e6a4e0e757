// SPDX-License-Identifier: BSD-3-Clause
// The terms of the equation of motion of chains.
#include <kdl/chaindynparam.hpp>

#include "dynamics_calls.hpp"

namespace KDL {

using detail::check;
using detail::Dynamics;

ChainDynParam::ChainDynParam(const Chain& chain, Vector grav) : dynamics_(std::make_unique<Dynamics>(chain, grav)) {}
ChainDynParam::ChainDynParam(const ChainDynParam& other)
    : SolverI(other),
      dynamics_(std::make_unique<Dynamics>(*other.dynamics_)) {}
ChainDynParam::~ChainDynParam() = default;

int ChainDynParam::JntToCoriolis(const JntArray& q, const JntArray& q_dot, JntArray& coriolis) {
  error = check(*dynamics_, q, q_dot, coriolis);
  return error == E_NOERROR ? error = dynamics_->coriolis(q, q_dot, coriolis) : error;
}
int ChainDynParam::JntToMass(const JntArray& q, JntSpaceInertiaMatrix& H) {
  error = check(*dynamics_, q, H);
  return error == E_NOERROR ? error = dynamics_->mass(q, H) : error;
}
int ChainDynParam::JntToGravity(const JntArray& q, JntArray& gravity) {
  error = check(*dynamics_, q, gravity);
  return error == E_NOERROR ? error = dynamics_->gravity(q, gravity) : error;
}
int ChainDynParam::JntToCoriolisMatrix(const JntArray& q, const JntArray& q_dot, JntSpaceInertiaMatrix& C) {
  error = check(*dynamics_, q, q_dot, C);
  return error == E_NOERROR ? error = dynamics_->coriolis_matrix(q, q_dot, C) : error;
}
void ChainDynParam::updateInternalDataStructures() { dynamics_->rebuild(); }

}  // namespace KDL
