// SPDX-License-Identifier: BSD-3-Clause
// Jacobians of chains.
#include <kdl/chainjnttojacsolver.hpp>

#include "jacobian_columns.hpp"

namespace KDL {

using detail::check;
using detail::code_of;
using detail::columns_from;
using detail::frame_of;
using detail::Robot;
using zwang::Reference;

ChainJntToJacSolver::ChainJntToJacSolver(const Chain& chain)
    : robot_(std::make_unique<Robot>(chain)),
      locked_(robot_->joints(), false) {}
ChainJntToJacSolver::ChainJntToJacSolver(const ChainJntToJacSolver& other)
    : SolverI(other),
      robot_(std::make_unique<Robot>(*other.robot_)),
      locked_(other.locked_) {}
ChainJntToJacSolver::~ChainJntToJacSolver() = default;

int ChainJntToJacSolver::JntToJac(const JntArray& q_in, Jacobian& jac, int seg_nr) {
  Robot& robot = *robot_;
  error = check(robot, q_in.rows(), jac.columns(), locked_, seg_nr);
  if (error != E_NOERROR) return error;
  robot.motions_to(q_in, robot.q);
  error = code_of(zwang::try_jacobian(robot.model(), robot.data(), robot.q, frame_of(robot, seg_nr),
                                      Reference::local_world_aligned, robot.jacobian));
  if (error == E_NOERROR) columns_from(robot, locked_, jac);
  return error;
}

int ChainJntToJacSolver::setLockedJoints(const std::vector<bool> locked_joints) {
  if (locked_joints.size() != locked_.size()) return error = E_SIZE_MISMATCH;
  locked_ = locked_joints;
  return error = E_NOERROR;
}

void ChainJntToJacSolver::updateInternalDataStructures() {
  robot_->rebuild();
  locked_.resize(robot_->joints(), false);
}

}  // namespace KDL
