// SPDX-License-Identifier: BSD-3-Clause
// Joint: turns about or moves along one axis, or is fixed. Its motion is scale * q + offset.
#pragma once
#include <exception>
#include <string>

#include "frames.hpp"

namespace KDL {

class Joint {
 public:
  typedef enum {
    RotAxis,
    RotX,
    RotY,
    RotZ,
    TransAxis,
    TransX,
    TransY,
    TransZ,
    Fixed,
#ifndef None
    None = Fixed,
#endif
  } JointType;

  /// About or along an axis of the joint frame, through its origin. `inertia`: of a rotor that turns with q
  /// [kg m^2, kg]. Damping and stiffness are kept; no solver reads them. Throws where the type needs an axis.
  explicit Joint(const std::string& name, const JointType& type = Fixed, const double& scale = 1,
                 const double& offset = 0, const double& inertia = 0, const double& damping = 0,
                 const double& stiffness = 0);
  explicit Joint(const JointType& type = Fixed, const double& scale = 1, const double& offset = 0,
                 const double& inertia = 0, const double& damping = 0, const double& stiffness = 0);
  /// RotAxis or TransAxis about or along `axis`, of any length but 0, through `origin`. Throws for another type.
  Joint(const std::string& name, const Vector& origin, const Vector& axis, const JointType& type,
        const double& scale = 1, const double& offset = 0, const double& inertia = 0, const double& damping = 0,
        const double& stiffness = 0);
  Joint(const Vector& origin, const Vector& axis, const JointType& type, const double& scale = 1,
        const double& offset = 0, const double& inertia = 0, const double& damping = 0, const double& stiffness = 0);
  virtual ~Joint() = default;
  Joint(const Joint&) = default;
  Joint& operator=(const Joint&) = default;

  /// The pose of the moved joint frame in the joint frame's place at rest.
  Frame pose(const double& q) const;
  /// Velocity at qdot, at the joint's origin and in the axes of its place at rest.
  Twist twist(const double& qdot) const;

  Vector JointAxis() const { return axis_; }  ///< of unit length; 0 of a fixed joint
  Vector JointOrigin() const { return origin_; }
  const std::string& getName() const { return name_; }
  const JointType& getType() const { return type_; }
  std::string getTypeName() const;
  const double& getScale() const { return scale_; }
  const double& getOffset() const { return offset_; }
  const double& getInertia() const { return inertia_; }
  const double& getDamping() const { return damping_; }
  const double& getStiffness() const { return stiffness_; }

 private:
  class joint_type_exception : public std::exception {
   public:
    const char* what() const noexcept override;
  };

  std::string name_;
  JointType type_;
  double scale_, offset_, inertia_, damping_, stiffness_;
  Vector axis_, origin_;
};

}  // namespace KDL
