// SPDX-License-Identifier: BSD-3-Clause
// Poses of chains.
#include <kdl/chainfksolverpos_recursive.hpp>

#include "forward_kinematics.hpp"

namespace KDL {

namespace detail {
namespace {

struct Positions {
  using Joints = JntArray;
  using Result = Frame;
  static bool are_finite(const Frame& F) { return is_finite(F); }
  static bool fits(const JntArray& q, unsigned int joints) { return q.rows() == joints; }
  static bool are_finite(const JntArray& q) { return q.data.allFinite(); }
  static int move(Robot& robot, const JntArray& q) {
    robot.motions_to(q, robot.q);
    return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q));
  }
  static Frame read(Robot& robot, unsigned int segment) {
    return from(zwang::frame_pose(robot.model(), robot.data(), robot.tip(segment)));
  }
  static Frame motion(const Segment& segment, const JntArray& q, int j) { return segment.pose(j < 0 ? 0 : q.data[j]); }
};

}  // namespace
}  // namespace detail

ChainFkSolverPos_recursive::ChainFkSolverPos_recursive(const Chain& chain)
    : robot_(std::make_unique<detail::SharedRobot>(chain)) {}
ChainFkSolverPos_recursive::ChainFkSolverPos_recursive(const ChainFkSolverPos_recursive& other)
    : ChainFkSolverPos(other),
      robot_(std::make_unique<detail::SharedRobot>(*other.robot_)) {}
ChainFkSolverPos_recursive::~ChainFkSolverPos_recursive() = default;
int ChainFkSolverPos_recursive::JntToCart(const JntArray& q_in, Frame& out, int segmentNr) {
  return detail::said(error, detail::one<detail::Positions>(*robot_, q_in, out, segmentNr));
}
int ChainFkSolverPos_recursive::JntToCart(const JntArray& q_in, std::vector<Frame>& out, int segmentNr) {
  return detail::said(error, detail::all<detail::Positions>(*robot_, q_in, out, segmentNr));
}
void ChainFkSolverPos_recursive::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
