// SPDX-License-Identifier: BSD-3-Clause
// Forward kinematics of a chain, for solvers that follow its changes and are called by several threads at once.
//
// One thread at a time has the model of the chain, which is fast. A call that finds it taken goes along the segments of
// the chain instead, and needs nothing but the caller's results. Where the segments make no model (numbers that are not
// finite, rotations that are none), calls wait for each other, so that all of them are refused.
#pragma once
#include <atomic>
#include <cmath>
#include <kdl/chainfksolver.hpp>
#include <thread>

#include "robot.hpp"

namespace KDL::detail {

/// The model of a chain, and whether somebody has it.
struct SharedRobot {
  explicit SharedRobot(const Chain& of) : chain(of), robot(of), is_broken(robot.follow() != SolverI::E_NOERROR) {}
  SharedRobot(const SharedRobot& other) : SharedRobot(other.chain) {}
  void rebuild();

  const Chain& chain;
  Robot robot;
  std::atomic_flag is_taken;
  std::atomic<bool> is_broken;  ///< when the model was last looked at
};

/// Has the model until the end of the scope, unless another thread has it; `waits`: then instead of nothing.
class Turn {
 public:
  explicit Turn(SharedRobot& shared, bool waits = false) : flag_(shared.is_taken), has_(take()) {
    while (waits && !has_) {
      std::this_thread::yield();
      has_ = take();
    }
  }
  ~Turn() {
    if (has_) flag_.clear(std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  explicit operator bool() const { return has_; }

 private:
  bool take() { return !flag_.test_and_set(std::memory_order_acquire); }
  std::atomic_flag& flag_;
  bool has_;
};

inline void SharedRobot::rebuild() {
  const Turn turn(*this, true);
  robot.rebuild();
}

/// SolverI::error of a solver that several threads call: the code of one of them.
inline int said(int& error, int code) {
  std::atomic_ref<int>(error).store(code, std::memory_order_relaxed);
  return code;
}

// What each solver says of itself, in a struct Kind with static functions:
//   Joints, Result            its arrays of joints and its results
//   fits(q, joints)           whether each array has a number for each joint
//   are_finite(q), are_finite(result)
//   move(robot, q)            the motion of the whole model; a code of SolverI
//   read(robot, segment)      what a tip has of it
//   motion(segment, q, j)     of one segment in its reference frame, by number j of the arrays; j < 0: fixed

inline bool is_finite(const Vector& v) { return std::isfinite(v(0) + v(1) + v(2)); }
inline bool is_finite(const Twist& t) { return is_finite(t.vel) && is_finite(t.rot); }
inline bool is_finite(const Frame& F) {
  return is_finite(F.p) && is_finite(F.M.UnitX()) && is_finite(F.M.UnitY()) && is_finite(F.M.UnitZ());
}

/// From tip to tip: T_i = T_(i-1) motion_i. `tips`: all of them, unless null.
template <class Kind> typename Kind::Result walk(const Chain& chain, const typename Kind::Joints& q, unsigned int count,
                                                 typename Kind::Result* tips = nullptr) {
  auto tip = Kind::Result::Identity();
  int joint = 0;
  for (unsigned int i = 0; i < count; ++i) {
    const Segment& segment = chain.segments[i];
    const bool moves = segment.getJoint().getType() != Joint::Fixed;
    tip = tip * Kind::motion(segment, q, moves ? joint : -1);
    joint += moves;
    if (tips != nullptr) tips[i] = tip;
  }
  return tip;
}

/// Checks numbers of joints and segments. `count` becomes the number of segments that count.
template <class Kind>
int check(const Chain& chain, const typename Kind::Joints& q, int segmentNr, unsigned int& count) {
  if (!Kind::fits(q, chain.getNrOfJoints())) return SolverI::E_SIZE_MISMATCH;
  count = chain.getNrOfSegments();
  if (segmentNr > static_cast<int>(count)) return SolverI::E_OUT_OF_RANGE;
  if (segmentNr >= 0) count = static_cast<unsigned int>(segmentNr);
  return SolverI::E_NOERROR;
}

/// The model, which is ours, follows the chain and moves to q.
template <class Kind> int move(SharedRobot& shared, const typename Kind::Joints& q) {
  const int code = shared.robot.follow();
  if (shared.is_broken.load(std::memory_order_relaxed) != (code != SolverI::E_NOERROR))
    shared.is_broken.store(code != SolverI::E_NOERROR, std::memory_order_relaxed);
  return code == SolverI::E_NOERROR ? Kind::move(shared.robot, q) : code;
}

template <class Kind>
int one(SharedRobot& shared, const typename Kind::Joints& q, typename Kind::Result& out, int segmentNr) {
  unsigned int count = 0;
  if (const int code = check<Kind>(shared.chain, q, segmentNr, count); code != SolverI::E_NOERROR) return code;
  const Turn turn(shared, shared.is_broken.load(std::memory_order_relaxed));
  Robot& robot = shared.robot;
  if (turn) {
    if (const int code = move<Kind>(shared, q); code != SolverI::E_NOERROR) return code;
    out = count == 0 ? Kind::Result::Identity() : Kind::read(robot, count - 1);
    return SolverI::E_NOERROR;
  }
  const auto tip = walk<Kind>(shared.chain, q, count);
  if (!Kind::are_finite(q) || !Kind::are_finite(tip)) return SolverI::E_UNDEFINED;
  out = tip;
  return SolverI::E_NOERROR;
}

template <class Kind>
int all(SharedRobot& shared, const typename Kind::Joints& q, std::vector<typename Kind::Result>& out, int segmentNr) {
  unsigned int count = 0;
  if (const int code = check<Kind>(shared.chain, q, segmentNr, count); code != SolverI::E_NOERROR) return code;
  if (out.size() != count) return SolverI::E_SIZE_MISMATCH;
  const Turn turn(shared, shared.is_broken.load(std::memory_order_relaxed));
  Robot& robot = shared.robot;
  if (turn) {
    if (const int code = move<Kind>(shared, q); code != SolverI::E_NOERROR) return code;
    for (unsigned int i = 0; i < count; ++i) out[i] = Kind::read(robot, i);
    return SolverI::E_NOERROR;
  }
  if (!Kind::are_finite(q) || !Kind::are_finite(walk<Kind>(shared.chain, q, count))) return SolverI::E_UNDEFINED;
  walk<Kind>(shared.chain, q, count, out.data());
  return SolverI::E_NOERROR;
}

}  // namespace KDL::detail
