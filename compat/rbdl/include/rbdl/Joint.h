// SPDX-License-Identifier: BSD-3-Clause
// Joints. A joint of several axes is a chain of joints of one axis with bodies without mass between them.
#pragma once
#include <vector>

#include <rbdl/Quaternion.h>
#include <rbdl/SpatialAlgebraOperators.h>

namespace RigidBodyDynamics {

/// How a joint moves.
enum JointType {
  JointTypeUndefined = 0,
  JointTypeRevolute,
  JointTypePrismatic,
  JointTypeRevoluteX,
  JointTypeRevoluteY,
  JointTypeRevoluteZ,
  JointTypeSpherical,  ///< three numbers of a quaternion in q, the fourth at the end of q; velocity in body axes
  JointTypeEulerZYX,   ///< three angles, and their rates
  JointTypeEulerXYZ,
  JointTypeEulerYXZ,
  JointTypeEulerZXY,
  JointTypeTranslationXYZ,
  JointTypeFloatingBase,  ///< JointTypeTranslationXYZ, then JointTypeSpherical: two bodies
  JointTypeFixed,         ///< the body becomes a part of its parent
  JointTypeHelical,       ///< turns about an axis and moves along the same axis
  JointType1DoF,
  JointType2DoF,
  JointType3DoF,
  JointType4DoF,
  JointType5DoF,
  JointType6DoF,
  JointTypeCustom  ///< of Model::AddBodyCustomJoint
};

struct Model;

/// A joint of a program, for Model::AddBodyCustomJoint; the model keeps the pointer, and copies of the model share it.
/// Its 1 to 6 coordinates are additive, and begin in Q and QDot at model.mJoints[joint_id].q_index; other entries of
/// the vectors are zero. Called from the thread that uses the model.
struct CustomJoint {
  virtual ~CustomJoint() = default;
  /// Writes model.X_J, v_J = S qdot and c_J = dS/dt qdot of the joint, axes of the body.
  virtual void jcalc(Model& model, unsigned int joint_id, const Math::VectorNd& q, const Math::VectorNd& qdot) = 0;
  /// Writes model.X_lambda = X_J X_T of the joint, and S.
  virtual void jcalc_X_lambda_S(Model& model, unsigned int joint_id, const Math::VectorNd& q) = 0;

  unsigned int mDoFCount = 0;
  Math::SpatialTransform XJ;  ///< room for the joint
  Math::MatrixNd S;           ///< 6 x mDoFCount, angular rows first, axes of the body
};

/// A joint, as a description for Model::AddBody.
struct Joint {
  Joint() = default;
  /// A joint whose type says all; JointTypeCustom is refused: Model::AddBodyCustomJoint makes it.
  explicit Joint(JointType type);
  /// JointTypeRevolute or JointTypePrismatic, with an axis in the joint's frame of any length.
  Joint(JointType type, const Math::Vector3d& axis);
  /// One axis [angular; linear].
  explicit Joint(const Math::SpatialVector& axis);
  /// Two to six axes, one after the other.
  Joint(const Math::SpatialVector& a0, const Math::SpatialVector& a1);
  Joint(const Math::SpatialVector& a0, const Math::SpatialVector& a1, const Math::SpatialVector& a2);
  Joint(const Math::SpatialVector& a0, const Math::SpatialVector& a1, const Math::SpatialVector& a2,
        const Math::SpatialVector& a3);
  Joint(const Math::SpatialVector& a0, const Math::SpatialVector& a1, const Math::SpatialVector& a2,
        const Math::SpatialVector& a3, const Math::SpatialVector& a4);
  Joint(const Math::SpatialVector& a0, const Math::SpatialVector& a1, const Math::SpatialVector& a2,
        const Math::SpatialVector& a3, const Math::SpatialVector& a4, const Math::SpatialVector& a5);

  std::vector<Math::SpatialVector> mJointAxes;
  JointType mJointType = JointTypeUndefined;
  unsigned int mDoFCount = 0;
  unsigned int q_index = 0;             ///< in a model: where its coordinates begin
  unsigned int custom_joint_index = 0;  ///< in Model::mCustomJoints

 private:
  void set_axes(std::initializer_list<Math::SpatialVector> axes);
};

}  // namespace RigidBodyDynamics
