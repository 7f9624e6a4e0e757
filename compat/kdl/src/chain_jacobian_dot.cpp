// SPDX-License-Identifier: BSD-3-Clause
// Time derivatives of the Jacobians of chains.
#include <kdl/chainjnttojacdotsolver.hpp>

#include "jacobian_columns.hpp"

namespace KDL {

using detail::check;
using detail::code_of;
using detail::columns_from;
using detail::frame_of;
using detail::free_joints;
using detail::Robot;
using zwang::Reference;

ChainJntToJacDotSolver::ChainJntToJacDotSolver(const Chain& chain)
    : robot_(std::make_unique<Robot>(chain)),
      locked_(robot_->joints(), false) {}
ChainJntToJacDotSolver::ChainJntToJacDotSolver(const ChainJntToJacDotSolver& other)
    : SolverI(other),
      robot_(std::make_unique<Robot>(*other.robot_)),
      locked_(other.locked_),
      representation_(other.representation_) {}
ChainJntToJacDotSolver::~ChainJntToJacDotSolver() = default;

/// The whole matrix, in the model's order.
int ChainJntToJacDotSolver::evaluate(const JntArrayVel& q_in, int seg_nr) {
  Robot& robot = *robot_;
  if (q_in.qdot.rows() != robot.joints()) return E_SIZE_MISMATCH;
  robot.motions_to(q_in.q, robot.q);
  robot.motions_to(q_in.qdot, robot.v);
  const Reference reference = representation_ == HYBRID      ? Reference::local_world_aligned
                              : representation_ == BODYFIXED ? Reference::local
                                                             : Reference::world;
  return code_of(zwang::try_jacobian_dot(robot.model(), robot.data(), robot.q, robot.v, frame_of(robot, seg_nr),
                                         reference, robot.jacobian));
}

int ChainJntToJacDotSolver::JntToJacDot(const JntArrayVel& q_in, Jacobian& jdot, int seg_nr) {
  error = check(*robot_, q_in.q.rows(), jdot.columns(), locked_, seg_nr);
  if (error == E_NOERROR) error = evaluate(q_in, seg_nr);
  if (error == E_NOERROR) columns_from(*robot_, locked_, jdot);
  return error;
}

int ChainJntToJacDotSolver::JntToJacDot(const JntArrayVel& q_in, Twist& jac_dot_q_dot, int seg_nr) {
  error = check(*robot_, q_in.q.rows(), free_joints(locked_), locked_, seg_nr);
  if (error == E_NOERROR) error = evaluate(q_in, seg_nr);
  if (error != E_NOERROR) return error;
  SetToZero(jac_dot_q_dot);
  for (unsigned int j = 0; j < robot_->joints(); ++j)
    for (int row = 0; row < 6 && !locked_[j]; ++row)
      jac_dot_q_dot(row) += robot_->jacobian(row, robot_->coordinate(j)) * robot_->v[robot_->coordinate(j)];
  return error;
}

int ChainJntToJacDotSolver::setLockedJoints(const std::vector<bool>& locked_joints) {
  if (locked_joints.size() != locked_.size()) return error = E_SIZE_MISMATCH;
  locked_ = locked_joints;
  return error = E_NOERROR;
}

void ChainJntToJacDotSolver::setRepresentation(const int& representation) {
  if (representation == HYBRID || representation == BODYFIXED || representation == INERTIAL)
    representation_ = representation;
}

void ChainJntToJacDotSolver::updateInternalDataStructures() {
  robot_->rebuild();
  locked_.resize(robot_->joints(), false);
}

const char* ChainJntToJacDotSolver::strError(const int code) const {
  switch (code) {
    case E_JAC_DOT_FAILED: return "Jac Dot Failed";
    case E_JACSOLVER_FAILED: return "Jac Solver Failed";
    case E_FKSOLVERPOS_FAILED: return "FK Position Solver Failed";
    default: return SolverI::strError(code);
  }
}

/// A joint before the column's turns it; one behind it moves the tip.
const Twist& ChainJntToJacDotSolver::getPartialDerivativeHybrid(const Jacobian& bs_J_ee, const unsigned int& joint_idx,
                                                                const unsigned int& column_idx) {
  const Twist j = bs_J_ee.getColumn(joint_idx), c = bs_J_ee.getColumn(column_idx);
  derivative_ = joint_idx <= column_idx ? Twist(j.rot * c.vel, j.rot * c.rot) : Twist(c.rot * j.vel, Vector::Zero());
  return derivative_;
}

/// A joint behind the column's moves the tip away from it.
const Twist& ChainJntToJacDotSolver::getPartialDerivativeBodyFixed(const Jacobian& ee_J_ee,
                                                                   const unsigned int& joint_idx,
                                                                   const unsigned int& column_idx) {
  derivative_ = joint_idx > column_idx ? ee_J_ee.getColumn(column_idx) * ee_J_ee.getColumn(joint_idx) : Twist::Zero();
  return derivative_;
}

/// A joint before the column's carries it along.
const Twist& ChainJntToJacDotSolver::getPartialDerivativeInertial(const Jacobian& bs_J_bs,
                                                                  const unsigned int& joint_idx,
                                                                  const unsigned int& column_idx) {
  derivative_ = joint_idx < column_idx ? bs_J_bs.getColumn(joint_idx) * bs_J_bs.getColumn(column_idx) : Twist::Zero();
  return derivative_;
}

const Twist& ChainJntToJacDotSolver::getPartialDerivative(const Jacobian& J, const unsigned int& joint_idx,
                                                          const unsigned int& column_idx, const int& representation) {
  switch (representation) {
    case HYBRID: return getPartialDerivativeHybrid(J, joint_idx, column_idx);
    case BODYFIXED: return getPartialDerivativeBodyFixed(J, joint_idx, column_idx);
    case INERTIAL: return getPartialDerivativeInertial(J, joint_idx, column_idx);
    default: SetToZero(derivative_); return derivative_;
  }
}

}  // namespace KDL
