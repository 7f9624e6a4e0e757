// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of chains.
#include <kdl/chainfksolveracc_recursive.hpp>

#include "forward_kinematics.hpp"

namespace KDL {

namespace detail {
namespace {

struct Accelerations {
  using Joints = JntArrayAcc;
  using Result = FrameAcc;
  static bool fits(const JntArrayAcc& q, unsigned int joints) {
    return q.q.rows() == joints && q.qdot.rows() == joints && q.qdotdot.rows() == joints;
  }
  static bool are_finite(const JntArrayAcc& q) {
    return q.q.data.allFinite() && q.qdot.data.allFinite() && q.qdotdot.data.allFinite();
  }
  static bool are_finite(const FrameAcc& F) {
    return is_finite(F.GetFrame()) && is_finite(F.GetTwist()) && is_finite(F.GetAccTwist());
  }
  static int move(Robot& robot, const JntArrayAcc& q) {
    robot.motions_to(q.q, robot.q);
    robot.motions_to(q.qdot, robot.v);
    robot.motions_to(q.qdotdot, robot.a);
    return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q, robot.v, robot.a));
  }
  static FrameAcc read(Robot& robot, unsigned int segment) {
    constexpr auto at_tip = zwang::Reference::local_world_aligned;
    const zwang::FrameId tip = robot.tip(segment);
    return FrameAcc(
        from(zwang::frame_pose(robot.model(), robot.data(), tip)),
        from(zwang::frame_velocity(robot.model(), robot.data(), tip, at_tip)),
        from(zwang::frame_acceleration(robot.model(), robot.data(), tip, zwang::AccelerationKind::classical, at_tip)));
  }
  /// The tip goes round the axis: qdotdot along its velocity, and w x v towards the axis. Along an axis w is 0.
  static FrameAcc motion(const Segment& segment, const JntArrayAcc& q, int j) {
    if (j < 0) return FrameAcc(segment.pose(0));
    const double position = q.q.data[j];
    const Twist v = segment.twist(position, q.qdot.data[j]), a = segment.twist(position, q.qdotdot.data[j]);
    return FrameAcc(segment.pose(position), v, Twist(a.vel + v.rot * v.vel, a.rot));
  }
};

}  // namespace
}  // namespace detail

ChainFkSolverAcc_recursive::ChainFkSolverAcc_recursive(const Chain& chain)
    : robot_(std::make_unique<detail::SharedRobot>(chain)) {}
ChainFkSolverAcc_recursive::ChainFkSolverAcc_recursive(const ChainFkSolverAcc_recursive& other)
    : ChainFkSolverAcc(other),
      robot_(std::make_unique<detail::SharedRobot>(*other.robot_)) {}
ChainFkSolverAcc_recursive::~ChainFkSolverAcc_recursive() = default;
int ChainFkSolverAcc_recursive::JntToCart(const JntArrayAcc& q_in, FrameAcc& out, int segmentNr) {
  return detail::said(error, detail::one<detail::Accelerations>(*robot_, q_in, out, segmentNr));
}
int ChainFkSolverAcc_recursive::JntToCart(const JntArrayAcc& q_in, std::vector<FrameAcc>& out, int segmentNr) {
  return detail::said(error, detail::all<detail::Accelerations>(*robot_, q_in, out, segmentNr));
}
void ChainFkSolverAcc_recursive::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
