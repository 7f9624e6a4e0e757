// SPDX-License-Identifier: BSD-3-Clause
// Joints and segments.
#include <atomic>
#include <kdl/segment.hpp>

namespace KDL {

namespace {

bool needs_axis(Joint::JointType type) { return type == Joint::RotAxis || type == Joint::TransAxis; }

Vector axis_of(Joint::JointType type) {
  switch (type) {
    case Joint::RotX:
    case Joint::TransX: return Vector(1, 0, 0);
    case Joint::RotY:
    case Joint::TransY: return Vector(0, 1, 0);
    case Joint::RotZ:
    case Joint::TransZ: return Vector(0, 0, 1);
    default: return Vector::Zero();
  }
}

bool turns(Joint::JointType type) { return type <= Joint::RotZ; }

}  // namespace

std::uint64_t detail::new_stamp() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

const char* Joint::joint_type_exception::what() const noexcept {
  return "Joint Type exception: RotAxis and TransAxis need an origin and an axis of a length other than 0, the other "
         "types have axes of their own";
}

Joint::Joint(const std::string& name, const JointType& type, const double& scale, const double& offset,
             const double& inertia, const double& damping, const double& stiffness)
    : name_(name),
      type_(type),
      scale_(scale),
      offset_(offset),
      inertia_(inertia),
      damping_(damping),
      stiffness_(stiffness),
      axis_(axis_of(type)) {
  if (needs_axis(type)) throw joint_type_exception();
}

Joint::Joint(const JointType& type, const double& scale, const double& offset, const double& inertia,
             const double& damping, const double& stiffness)
    : Joint("NoName", type, scale, offset, inertia, damping, stiffness) {}

Joint::Joint(const std::string& name, const Vector& origin, const Vector& axis, const JointType& type,
             const double& scale, const double& offset, const double& inertia, const double& damping,
             const double& stiffness)
    : name_(name),
      type_(type),
      scale_(scale),
      offset_(offset),
      inertia_(inertia),
      damping_(damping),
      stiffness_(stiffness),
      axis_(axis),
      origin_(origin) {
  if (!needs_axis(type) || axis_.Normalize(0) == 0) throw joint_type_exception();
}

Joint::Joint(const Vector& origin, const Vector& axis, const JointType& type, const double& scale, const double& offset,
             const double& inertia, const double& damping, const double& stiffness)
    : Joint("NoName", origin, axis, type, scale, offset, inertia, damping, stiffness) {}

Frame Joint::pose(const double& q) const {
  const double motion = scale_ * q + offset_;
  switch (type_) {
    case RotX: return Frame(Rotation::RotX(motion));
    case RotY: return Frame(Rotation::RotY(motion));
    case RotZ: return Frame(Rotation::RotZ(motion));
    case RotAxis: return Frame(Rotation::Rot2(axis_, motion), origin_);
    case Fixed: return Frame();
    default: return Frame(origin_ + axis_ * motion);
  }
}

Twist Joint::twist(const double& qdot) const {
  const Vector rate = axis_ * (scale_ * qdot);
  return turns(type_) ? Twist(Vector::Zero(), rate) : Twist(rate, Vector::Zero());
}

std::string Joint::getTypeName() const {
  static const char* const names[] = {"RotAxis", "RotX",   "RotY",   "RotZ", "TransAxis",
                                      "TransX",  "TransY", "TransZ", "Fixed"};
  return names[type_];
}

Segment::Segment(const std::string& name, const Joint& joint, const Frame& f_tip, const RigidBodyInertia& I)
    : name_(name),
      joint_(joint),
      inertia_(I),
      inertia_stamp_(detail::new_stamp()) {
  setFrameToTip(f_tip);
}
Segment::Segment(const Joint& joint, const Frame& f_tip, const RigidBodyInertia& I)
    : Segment("NoName", joint, f_tip, I) {}

Frame Segment::pose(const double& q) const { return joint_.pose(q) * from_end_; }

/// The joint's velocity, carried from its origin to the tip.
Twist Segment::twist(const double& q, const double& qdot) const {
  return joint_.twist(qdot).RefPoint(pose(q).p - (turns(joint_.getType()) ? joint_.JointOrigin() : Vector::Zero()));
}

void Segment::setInertia(const RigidBodyInertia& I) {
  inertia_ = I;
  inertia_stamp_ = detail::new_stamp();
}

void Segment::setFrameToTip(const Frame& f_tip) {
  f_tip_ = f_tip;
  from_end_ = joint_.pose(0).Inverse() * f_tip;
  kinematics_stamp_ = detail::new_stamp();
}

}  // namespace KDL
