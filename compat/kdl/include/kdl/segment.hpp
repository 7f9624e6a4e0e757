// SPDX-License-Identifier: BSD-3-Clause
// Segment: a rigid body that a joint carries, and the tip frame to which the next segment is attached.
#pragma once
#include <cstdint>

#include "joint.hpp"
#include "rigidbodyinertia.hpp"

namespace KDL {

namespace detail {
/// A number that was not given before in this process.
std::uint64_t new_stamp();
}  // namespace detail

class Segment {
 public:
  /// `f_tip`: the tip frame at q = 0 in the segment's reference frame. `I`: in the axes of the tip, about the tip.
  explicit Segment(const std::string& name, const Joint& joint = Joint(Joint::Fixed),
                   const Frame& f_tip = Frame::Identity(), const RigidBodyInertia& I = RigidBodyInertia::Zero());
  explicit Segment(const Joint& joint = Joint(Joint::Fixed), const Frame& f_tip = Frame::Identity(),
                   const RigidBodyInertia& I = RigidBodyInertia::Zero());
  virtual ~Segment() = default;
  Segment(const Segment&) = default;
  Segment& operator=(const Segment&) = default;

  /// The tip frame at q in the reference frame.
  Frame pose(const double& q) const;
  /// Velocity of the tip at qdot, in the axes of the reference frame.
  Twist twist(const double& q, const double& qdot) const;

  const std::string& getName() const { return name_; }
  const Joint& getJoint() const { return joint_; }
  const RigidBodyInertia& getInertia() const { return inertia_; }
  void setInertia(const RigidBodyInertia& I);
  Frame getFrameToTip() const { return f_tip_; }  ///< at q = 0
  void setFrameToTip(const Frame& f_tip);

  /// What the kinematics, respectively the inertia, of a segment is known by: copies share it, a change renews it.
  std::uint64_t kinematicsStamp() const { return kinematics_stamp_; }
  std::uint64_t inertiaStamp() const { return inertia_stamp_; }

 private:
  std::string name_;
  Joint joint_;
  RigidBodyInertia inertia_;
  Frame f_tip_;     ///< at q = 0
  Frame from_end_;  ///< the tip in the moved joint frame
  std::uint64_t kinematics_stamp_, inertia_stamp_;
};

}  // namespace KDL
