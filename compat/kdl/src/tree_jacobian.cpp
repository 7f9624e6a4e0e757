// SPDX-License-Identifier: BSD-3-Clause
// Jacobians of trees.
#include <kdl/treejnttojacsolver.hpp>

#include "robot.hpp"

namespace KDL {

using detail::code_of;
using detail::Robot;
using zwang::Reference;

TreeJntToJacSolver::TreeJntToJacSolver(const Tree& tree) : robot_(std::make_unique<Robot>(tree)) {}
TreeJntToJacSolver::TreeJntToJacSolver(const TreeJntToJacSolver& other)
    : robot_(std::make_unique<Robot>(*other.robot_)) {}
TreeJntToJacSolver::~TreeJntToJacSolver() = default;

int TreeJntToJacSolver::JntToJac(const JntArray& q_in, Jacobian& jac, const std::string& segmentname) {
  Robot& robot = *robot_;
  constexpr int wrong_size = -1, no_segment = -2, changed = -3, not_finite = -4;
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR)
    return code == SolverI::E_NOT_UP_TO_DATE ? changed : not_finite;
  if (q_in.rows() != robot.joints() || jac.columns() != robot.joints()) return wrong_size;
  const unsigned int segment = robot.find(segmentname);
  if (segment == robot.segments()) {
    if (segmentname != robot.root_name()) return no_segment;
    SetToZero(jac);
    return SolverI::E_NOERROR;
  }
  robot.motions_to(q_in, robot.q);
  const int code = code_of(zwang::try_jacobian(robot.model(), robot.data(), robot.q, robot.tip(segment),
                                               Reference::local_world_aligned, robot.jacobian));
  if (code != SolverI::E_NOERROR) return not_finite;
  for (unsigned int j = 0; j < robot.joints(); ++j)
    jac.data.col(j) = robot.scale(j) * robot.jacobian.col(robot.coordinate(j));
  return code;
}
void TreeJntToJacSolver::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
