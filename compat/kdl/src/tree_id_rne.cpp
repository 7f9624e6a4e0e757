// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of trees.
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "dynamics_calls.hpp"

namespace KDL {

using detail::check;
using detail::Dynamics;

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
