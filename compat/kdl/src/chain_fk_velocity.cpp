// SPDX-License-Identifier: BSD-3-Clause
// Velocities of chains.
#include <kdl/chainfksolvervel_recursive.hpp>

#include "forward_kinematics.hpp"

namespace KDL {

namespace detail {
namespace {

struct Velocities {
  using Joints = JntArrayVel;
  using Result = FrameVel;
  static bool fits(const JntArrayVel& q, unsigned int joints) {
    return q.q.rows() == joints && q.qdot.rows() == joints;
  }
  static bool are_finite(const JntArrayVel& q) { return q.q.data.allFinite() && q.qdot.data.allFinite(); }
  static bool are_finite(const FrameVel& F) { return is_finite(F.GetFrame()) && is_finite(F.GetTwist()); }
  static int move(Robot& robot, const JntArrayVel& q) {
    robot.motions_to(q.q, robot.q);
    robot.motions_to(q.qdot, robot.v);
    return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q, robot.v));
  }
  static FrameVel read(Robot& robot, unsigned int segment) {
    const zwang::FrameId tip = robot.tip(segment);
    return FrameVel(
        from(zwang::frame_pose(robot.model(), robot.data(), tip)),
        from(zwang::frame_velocity(robot.model(), robot.data(), tip, zwang::Reference::local_world_aligned)));
  }
  static FrameVel motion(const Segment& segment, const JntArrayVel& q, int j) {
    if (j < 0) return FrameVel(segment.pose(0));
    const double position = q.q.data[j];
    return FrameVel(segment.pose(position), segment.twist(position, q.qdot.data[j]));
  }
};

}  // namespace
}  // namespace detail

ChainFkSolverVel_recursive::ChainFkSolverVel_recursive(const Chain& chain)
    : robot_(std::make_unique<detail::SharedRobot>(chain)) {}
ChainFkSolverVel_recursive::ChainFkSolverVel_recursive(const ChainFkSolverVel_recursive& other)
    : ChainFkSolverVel(other),
      robot_(std::make_unique<detail::SharedRobot>(*other.robot_)) {}
ChainFkSolverVel_recursive::~ChainFkSolverVel_recursive() = default;
int ChainFkSolverVel_recursive::JntToCart(const JntArrayVel& q_in, FrameVel& out, int segmentNr) {
  return detail::said(error, detail::one<detail::Velocities>(*robot_, q_in, out, segmentNr));
}
int ChainFkSolverVel_recursive::JntToCart(const JntArrayVel& q_in, std::vector<FrameVel>& out, int segmentNr) {
  return detail::said(error, detail::all<detail::Velocities>(*robot_, q_in, out, segmentNr));
}
void ChainFkSolverVel_recursive::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
