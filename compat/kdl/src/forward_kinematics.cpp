// SPDX-License-Identifier: BSD-3-Clause
// Forward kinematics of chains and trees.
#include <kdl/chainfksolveracc_recursive.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/treefksolverpos_recursive.hpp>

#include "robot.hpp"

namespace KDL {

namespace {

using detail::code_of;
using detail::from;
using detail::Robot;
constexpr auto at_tip = zwang::Reference::local_world_aligned;

/// Checks numbers of joints and segments. `count` becomes the number of segments that count.
int check(Robot& robot, unsigned int rows, int segmentNr, unsigned int& count) {
  if (const int code = robot.refresh(); code != SolverI::E_NOERROR) return code;
  if (rows != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  if (segmentNr > static_cast<int>(robot.segments())) return SolverI::E_OUT_OF_RANGE;
  count = segmentNr < 0 ? robot.segments() : static_cast<unsigned int>(segmentNr);
  return SolverI::E_NOERROR;
}

// The motion of the whole chain, and what a tip has of it.
int move(Robot& robot, const JntArray& q) {
  robot.motions_to(q, robot.q);
  return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q));
}
int move(Robot& robot, const JntArrayVel& q) {
  if (q.qdot.rows() != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  robot.motions_to(q.q, robot.q);
  robot.motions_to(q.qdot, robot.v);
  return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q, robot.v));
}
int move(Robot& robot, const JntArrayAcc& q) {
  if (q.qdot.rows() != robot.joints() || q.qdotdot.rows() != robot.joints()) return SolverI::E_SIZE_MISMATCH;
  robot.motions_to(q.q, robot.q);
  robot.motions_to(q.qdot, robot.v);
  robot.motions_to(q.qdotdot, robot.a);
  return code_of(zwang::try_forward_kinematics(robot.model(), robot.data(), robot.q, robot.v, robot.a));
}

void read(Robot& robot, unsigned int segment, Frame& out) {
  out = from(zwang::frame_pose(robot.model(), robot.data(), robot.tip(segment)));
}
void read(Robot& robot, unsigned int segment, FrameVel& out) {
  Frame pose;
  read(robot, segment, pose);
  out = FrameVel(pose, from(zwang::frame_velocity(robot.model(), robot.data(), robot.tip(segment), at_tip)));
}
void read(Robot& robot, unsigned int segment, FrameAcc& out) {
  FrameVel motion;
  read(robot, segment, motion);
  out = FrameAcc(motion.GetFrame(), motion.GetTwist(),
                 from(zwang::frame_acceleration(robot.model(), robot.data(), robot.tip(segment),
                                                zwang::AccelerationKind::classical, at_tip)));
}

unsigned int rows(const JntArray& q) { return q.rows(); }
unsigned int rows(const JntArrayVel& q) { return q.q.rows(); }
unsigned int rows(const JntArrayAcc& q) { return q.q.rows(); }

template <class Joints, class Result> int one(Robot& robot, const Joints& q, Result& out, int segmentNr) {
  unsigned int count = 0;
  if (const int code = check(robot, rows(q), segmentNr, count); code != SolverI::E_NOERROR) return code;
  if (const int code = move(robot, q); code != SolverI::E_NOERROR) return code;
  if (count == 0)
    out = Result(Frame::Identity());
  else
    read(robot, count - 1, out);
  return SolverI::E_NOERROR;
}

template <class Joints, class Result> int all(Robot& robot, const Joints& q, std::vector<Result>& out, int segmentNr) {
  unsigned int count = 0;
  if (const int code = check(robot, rows(q), segmentNr, count); code != SolverI::E_NOERROR) return code;
  if (out.size() != count) return SolverI::E_SIZE_MISMATCH;
  if (const int code = move(robot, q); code != SolverI::E_NOERROR) return code;
  for (unsigned int i = 0; i < count; ++i) read(robot, i, out[i]);
  return SolverI::E_NOERROR;
}

}  // namespace

ChainFkSolverPos_recursive::ChainFkSolverPos_recursive(const Chain& chain) : robot_(std::make_unique<Robot>(chain)) {}
ChainFkSolverPos_recursive::ChainFkSolverPos_recursive(const ChainFkSolverPos_recursive& other)
    : ChainFkSolverPos(other),
      robot_(std::make_unique<Robot>(*other.robot_)) {}
ChainFkSolverPos_recursive::~ChainFkSolverPos_recursive() = default;
int ChainFkSolverPos_recursive::JntToCart(const JntArray& q_in, Frame& out, int segmentNr) {
  return error = one(*robot_, q_in, out, segmentNr);
}
int ChainFkSolverPos_recursive::JntToCart(const JntArray& q_in, std::vector<Frame>& out, int segmentNr) {
  return error = all(*robot_, q_in, out, segmentNr);
}
void ChainFkSolverPos_recursive::updateInternalDataStructures() { robot_->rebuild(); }

ChainFkSolverVel_recursive::ChainFkSolverVel_recursive(const Chain& chain) : robot_(std::make_unique<Robot>(chain)) {}
ChainFkSolverVel_recursive::ChainFkSolverVel_recursive(const ChainFkSolverVel_recursive& other)
    : ChainFkSolverVel(other),
      robot_(std::make_unique<Robot>(*other.robot_)) {}
ChainFkSolverVel_recursive::~ChainFkSolverVel_recursive() = default;
int ChainFkSolverVel_recursive::JntToCart(const JntArrayVel& q_in, FrameVel& out, int segmentNr) {
  return error = one(*robot_, q_in, out, segmentNr);
}
int ChainFkSolverVel_recursive::JntToCart(const JntArrayVel& q_in, std::vector<FrameVel>& out, int segmentNr) {
  return error = all(*robot_, q_in, out, segmentNr);
}
void ChainFkSolverVel_recursive::updateInternalDataStructures() { robot_->rebuild(); }

ChainFkSolverAcc_recursive::ChainFkSolverAcc_recursive(const Chain& chain) : robot_(std::make_unique<Robot>(chain)) {}
ChainFkSolverAcc_recursive::ChainFkSolverAcc_recursive(const ChainFkSolverAcc_recursive& other)
    : ChainFkSolverAcc(other),
      robot_(std::make_unique<Robot>(*other.robot_)) {}
ChainFkSolverAcc_recursive::~ChainFkSolverAcc_recursive() = default;
int ChainFkSolverAcc_recursive::JntToCart(const JntArrayAcc& q_in, FrameAcc& out, int segmentNr) {
  return error = one(*robot_, q_in, out, segmentNr);
}
int ChainFkSolverAcc_recursive::JntToCart(const JntArrayAcc& q_in, std::vector<FrameAcc>& out, int segmentNr) {
  return error = all(*robot_, q_in, out, segmentNr);
}
void ChainFkSolverAcc_recursive::updateInternalDataStructures() { robot_->rebuild(); }

TreeFkSolverPos_recursive::TreeFkSolverPos_recursive(const Tree& tree) : robot_(std::make_unique<Robot>(tree)) {}
TreeFkSolverPos_recursive::TreeFkSolverPos_recursive(const TreeFkSolverPos_recursive& other)
    : TreeFkSolverPos(other),
      robot_(std::make_unique<Robot>(*other.robot_)) {}
TreeFkSolverPos_recursive::~TreeFkSolverPos_recursive() = default;
int TreeFkSolverPos_recursive::JntToCart(const JntArray& q_in, Frame& p_out, std::string segmentName) {
  Robot& robot = *robot_;
  unsigned int count = 0;
  if (const int code = check(robot, q_in.rows(), -1, count); code != SolverI::E_NOERROR) return code;
  const unsigned int segment = robot.find(segmentName);
  const bool is_root = segment == robot.segments();
  if (is_root && segmentName != robot.root_name()) return SolverI::E_OUT_OF_RANGE;
  if (const int code = move(robot, q_in); code != SolverI::E_NOERROR) return code;
  if (is_root)
    p_out = Frame::Identity();
  else
    read(robot, segment, p_out);
  return SolverI::E_NOERROR;
}
void TreeFkSolverPos_recursive::updateInternalDataStructures() { robot_->rebuild(); }

}  // namespace KDL
