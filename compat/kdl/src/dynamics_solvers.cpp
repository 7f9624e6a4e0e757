// SPDX-License-Identifier: BSD-3-Clause
// Inverse and forward dynamics of chains and trees, and the terms of their equation of motion.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "dynamics.hpp"

namespace KDL {

namespace {

using detail::Dynamics;

/// Follows the chain and compares numbers of joints.
template <class... Arrays> int check(Dynamics& dynamics, const Arrays&... arrays) {
  if (const int code = dynamics.refresh(); code != SolverI::E_NOERROR) return code;
  const bool fits = ((arrays.rows() == dynamics.robot().joints()) && ...);
  return fits ? SolverI::E_NOERROR : SolverI::E_SIZE_MISMATCH;
}

int take_wrenches(Dynamics& dynamics, const Wrenches& f_ext) {
  if (f_ext.size() != dynamics.robot().segments()) return SolverI::E_SIZE_MISMATCH;
  dynamics.clear_wrenches();
  for (unsigned int i = 0; i < f_ext.size(); ++i) dynamics.add_wrench(i, f_ext[i]);
  return SolverI::E_NOERROR;
}

}  // namespace

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

TreeIdSolver_RNE::TreeIdSolver_RNE(const Tree& tree, Vector grav) : dynamics_(std::make_unique<Dynamics>(tree, grav)) {}
TreeIdSolver_RNE::TreeIdSolver_RNE(const TreeIdSolver_RNE& other)
    : TreeIdSolver(other),
      dynamics_(std::make_unique<Dynamics>(*other.dynamics_)) {}
TreeIdSolver_RNE::~TreeIdSolver_RNE() = default;

int TreeIdSolver_RNE::CartToJnt(const JntArray& q, const JntArray& q_dot, const JntArray& q_dotdot,
                                const WrenchMap& f_ext, JntArray& torques) {
  error = check(*dynamics_, q, q_dot, q_dotdot, torques);
  if (error != E_NOERROR) return error;
  dynamics_->clear_wrenches();
  detail::Robot& robot = dynamics_->robot();
  for (const auto& [name, wrench] : f_ext) {
    const unsigned int segment = robot.find(name);
    if (segment < robot.segments())
      dynamics_->add_wrench(segment, wrench);
    else if (name != robot.root_name())
      return error = E_OUT_OF_RANGE;
  }
  return error = dynamics_->inverse_dynamics(q, q_dot, q_dotdot, torques);
}
void TreeIdSolver_RNE::updateInternalDataStructures() { dynamics_->rebuild(); }

}  // namespace KDL
