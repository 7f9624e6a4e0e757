// SPDX-License-Identifier: BSD-3-Clause
// Jacobians of chains and trees, and their time derivatives.
#include <algorithm>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "robot.hpp"

namespace KDL {

namespace {

using detail::code_of;
using detail::Robot;
using zwang::Reference;

unsigned int free_joints(const std::vector<bool>& locked) {
  return static_cast<unsigned int>(std::count(locked.begin(), locked.end(), false));
}

int check(Robot& robot, unsigned int rows, unsigned int columns, const std::vector<bool>& locked, int seg_nr) {
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (locked.size() != robot.joints()) return SolverI::E_NOT_UP_TO_DATE;
  if (rows != robot.joints() || (columns != robot.joints() && columns != free_joints(locked)))
    return SolverI::E_SIZE_MISMATCH;
  return seg_nr > static_cast<int>(robot.segments()) ? SolverI::E_OUT_OF_RANGE : SolverI::E_NOERROR;
}

/// Columns of joints that are not locked, of a matrix in the model's order; then zeros.
void columns_from(const Robot& robot, const std::vector<bool>& locked, Jacobian& out) {
  unsigned int column = 0;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    if (!locked[j]) out.data.col(column++) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  out.data.rightCols(out.columns() - column).setZero();
}

zwang::FrameId frame_of(const Robot& robot, int seg_nr) {
  const unsigned int count = seg_nr < 0 ? robot.segments() : static_cast<unsigned int>(seg_nr);
  return count == 0 ? robot.base() : robot.tip(count - 1);
}

}  // namespace

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

TreeJntToJacSolver::TreeJntToJacSolver(const Tree& tree) : robot_(std::make_unique<Robot>(tree)) {}
TreeJntToJacSolver::TreeJntToJacSolver(const TreeJntToJacSolver& other)
    : robot_(std::make_unique<Robot>(*other.robot_)) {}
TreeJntToJacSolver::~TreeJntToJacSolver() = default;

int TreeJntToJacSolver::JntToJac(const JntArray& q_in, Jacobian& jac, const std::string& segmentname) {
  Robot& robot = *robot_;
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (q_in.rows() != robot.joints() || jac.columns() != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  const unsigned int segment = robot.find(segmentname);
  if (segment == robot.segments()) {
    if (segmentname != robot.root_name()) return SolverI::E_OUT_OF_RANGE;
    SetToZero(jac);
    return SolverI::E_NOERROR;
  }
  robot.motions_to(q_in, robot.q);
  const int code = code_of(zwang::try_jacobian(robot.model(), robot.data(), robot.q, robot.tip(segment),
                                               Reference::local_world_aligned, robot.jacobian));
  if (code != SolverI::E_NOERROR) return code;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    jac.data.col(j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  return code;
}
void TreeJntToJacSolver::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
