// SPDX-License-Identifier: BSD-3-Clause
// Model: bodies and joints, added one after the other. The calls of Kinematics.h and Dynamics.h keep what they
// computed in it, so that two threads need two copies.
//
// Coordinates are in the order in which joints were added. Spherical joints have x, y, z of their quaternion there and
// w at the end of q, one after the other; a quaternion is used by its direction, and zero stands for no turn.
#pragma once
#include <cassert>
#include <cstring>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rbdl/Body.h>
#include <rbdl/Joint.h>
#include <rbdl/Logging.h>
#include <rbdl/rbdl_errors.h>

namespace RigidBodyDynamics {

struct Model;
namespace detail {
class Robot;  // src/robot.hpp
/// What calls keep in a model. A copy of a model begins without it.
class Kept {
 public:
  Kept();
  Kept(const Kept&);
  Kept(Kept&&) noexcept;
  Kept& operator=(const Kept&);
  Kept& operator=(Kept&&) noexcept;
  ~Kept();
  /// The robot of this model, made where bodies or joints have changed since.
  Robot& of(Model& model);
  void drop();

 private:
  std::unique_ptr<Robot> robot_;
};
}  // namespace detail

/// A robot. Its vectors may be read; bodies, joints and frames are changed by its functions alone, but for `gravity`.
struct Model {
  Model();

  /// Adds a body behind a joint whose frame stands in the parent's coordinates; returns the body's id, that of the
  /// last one where the joint has several axes. A body behind a fixed joint gets an id from fixed_body_discriminator
  /// on.
  unsigned int AddBody(unsigned int parent_id, const Math::SpatialTransform& joint_frame, const Joint& joint,
                       const Body& body, std::string body_name = "");
  /// A body behind a joint of the program.
  unsigned int AddBodyCustomJoint(unsigned int parent_id, const Math::SpatialTransform& joint_frame,
                                  CustomJoint* custom_joint, const Body& body, std::string body_name = "");
  /// As AddBody, behind the body that was added last.
  unsigned int AppendBody(const Math::SpatialTransform& joint_frame, const Joint& joint, const Body& body,
                          std::string body_name = "");

  /// The id of a name; the largest unsigned number where there is none.
  unsigned int GetBodyId(const char* body_name) const;
  std::string GetBodyName(unsigned int body_id) const;
  bool IsBodyId(unsigned int id) const;
  bool IsFixedBodyId(unsigned int body_id) const;
  /// The parent, bodies between the axes of a joint left out.
  unsigned int GetParentBodyId(unsigned int id) const;
  Math::SpatialTransform GetJointFrame(unsigned int id) const;
  void SetJointFrame(unsigned int id, const Math::SpatialTransform& transform);

  /// The quaternion of a spherical joint in Q.
  Math::Quaternion GetQuaternion(unsigned int body_id, const Math::VectorNd& Q) const;
  void SetQuaternion(unsigned int body_id, const Math::Quaternion& quat, Math::VectorNd& Q) const;

  double GetBodyMass(unsigned int id) const;
  void SetBodyMass(unsigned int id, double mass);
  void SetBodyInertia(unsigned int id, const Math::Matrix3d& inertia);
  void SetBodyCenterOfMass(unsigned int id, const Math::Vector3d& com);
  void SetBodyInertialParameters(unsigned int id, double mass, const Math::Matrix3d& inertia,
                                 const Math::Vector3d& com);

  // Topology: entry i is of the movable body i, entry 0 of the base.
  std::vector<unsigned int> lambda;    ///< parent
  std::vector<unsigned int> lambda_q;  ///< of coordinate k, entry k + 1: 1 + the one before it on its path, 0 for none
  std::vector<std::vector<unsigned int>> mu;  ///< children
  unsigned int dof_count = 0;                 ///< numbers in QDot, QDDot, Tau
  unsigned int q_size = 0;                    ///< numbers in Q
  unsigned int qdot_size = 0;
  unsigned int previously_added_body_id = 0;
  Math::Vector3d gravity = Math::Vector3d(0., -9.81, 0.);  ///< [m/s^2]; may be written at any time

  std::vector<Joint> mJoints;
  std::vector<CustomJoint*> mCustomJoints;
  std::vector<Math::SpatialTransform> X_T;       ///< from the parent's coordinates to the joint's frame
  std::vector<unsigned int> multdof3_w_index;    ///< where the w of a spherical joint stands in Q
  std::vector<Body> mBodies;                     ///< fixed bodies joined
  std::vector<Math::SpatialRigidBodyInertia> I;  ///< about the bodies' origins
  std::vector<FixedBody> mFixedBodies;
  unsigned int fixed_body_discriminator;
  std::map<std::string, unsigned int> mBodyNameMap;

  // Written by the calls that update the kinematics.
  std::vector<Math::SpatialTransform> X_lambda;  ///< from the parent's coordinates
  std::vector<Math::SpatialTransform> X_base;    ///< from the base's coordinates
  std::vector<Math::SpatialVector> v;            ///< velocity, body coordinates
  std::vector<Math::SpatialVector> a;            ///< spatial acceleration without gravity, body coordinates

  // Written by custom joints alone.
  std::vector<Math::SpatialTransform> X_J;  ///< from the joint's frame to the body's
  std::vector<Math::SpatialVector> v_J;     ///< S qdot
  std::vector<Math::SpatialVector> c_J;     ///< dS/dt qdot

  detail::Kept kept;  ///< no part of RBDL's interface

 private:
  unsigned int add_movable(unsigned int parent, const Math::SpatialTransform& frame, const Joint& joint,
                           const Body& body, const std::string& name);
  unsigned int add_fixed(unsigned int parent, const Math::SpatialTransform& frame, const Body& body,
                         const std::string& name);
  void name_body(unsigned int id, const std::string& name);
  void count_coordinates();
  void check_id(const char* function, unsigned int id) const;
  void changed(unsigned int movable);
};

}  // namespace RigidBodyDynamics
