// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/Joint.h>

#include <rbdl/Body.h>
#include <rbdl/rbdl_errors.h>

namespace RigidBodyDynamics {

using Math::SpatialVector;
using Math::Vector3d;

namespace {

SpatialVector spatial(const Vector3d& angular, const Vector3d& linear) {
  SpatialVector out;
  out << angular, linear;
  return out;
}

/// An axis of unit length: a file's digits are made up for, another length is refused, since joints there would move
/// by it.
SpatialVector unit_axis(const SpatialVector& axis) {
  const double turn = axis.head<3>().norm(), length = turn > 0 ? turn : axis.tail<3>().norm();
  if (!(std::fabs(length - 1) < 1e-3))
    throw Errors::RBDLInvalidParameterError("Joint: the axis has the length " + std::to_string(length) +
                                            ", expected a unit vector");
  return turn > 0 ? spatial(axis.head<3>() / turn, axis.tail<3>()) : SpatialVector(axis / length);
}

JointType type_of(const SpatialVector& axis) {
  const Vector3d turn = axis.head<3>();
  if (turn.isZero(0)) return JointTypePrismatic;
  if (!axis.tail<3>().isZero(0)) return JointTypeHelical;
  if (turn == Vector3d::UnitX()) return JointTypeRevoluteX;
  if (turn == Vector3d::UnitY()) return JointTypeRevoluteY;
  if (turn == Vector3d::UnitZ()) return JointTypeRevoluteZ;
  return JointTypeRevolute;
}

}  // namespace

Joint::Joint(JointType type) : mJointType(type) {
  const Vector3d none = Vector3d::Zero();
  switch (type) {
    case JointTypeRevoluteX: mJointAxes = {spatial(Vector3d::UnitX(), none)}; break;
    case JointTypeRevoluteY: mJointAxes = {spatial(Vector3d::UnitY(), none)}; break;
    case JointTypeRevoluteZ: mJointAxes = {spatial(Vector3d::UnitZ(), none)}; break;
    case JointTypeSpherical:
    case JointTypeEulerZYX:
    case JointTypeEulerXYZ:
    case JointTypeEulerYXZ:
    case JointTypeEulerZXY:
    case JointTypeTranslationXYZ: mDoFCount = 3; break;
    case JointTypeFloatingBase: mDoFCount = 6; break;
    case JointTypeFixed: break;
    case JointTypeCustom:
      throw Errors::RBDLInvalidParameterError("Joint: a joint of JointTypeCustom is made by AddBodyCustomJoint");
    default:
      throw Errors::RBDLInvalidParameterError("Joint: this type needs its axes: Joint(type, axis) or Joint(axes...)");
  }
  if (!mJointAxes.empty()) mDoFCount = 1;
}

Joint::Joint(JointType type, const Vector3d& axis) : mJointType(type), mDoFCount(1) {
  if (type == JointTypeRevolute) {
    mJointAxes = {unit_axis(spatial(axis, Vector3d::Zero()))};
  } else if (type == JointTypePrismatic) {
    mJointAxes = {unit_axis(spatial(Vector3d::Zero(), axis))};
  } else {
    throw Errors::RBDLInvalidParameterError("Joint: only JointTypeRevolute and JointTypePrismatic take one axis");
  }
}

void Joint::set_axes(std::initializer_list<SpatialVector> axes) {
  for (const SpatialVector& axis : axes) mJointAxes.push_back(unit_axis(axis));
  mDoFCount = static_cast<unsigned int>(mJointAxes.size());
  mJointType = mDoFCount == 1 ? type_of(mJointAxes[0]) : static_cast<JointType>(JointType1DoF + mDoFCount - 1);
}
Joint::Joint(const SpatialVector& axis) { set_axes({axis}); }
Joint::Joint(const SpatialVector& a0, const SpatialVector& a1) { set_axes({a0, a1}); }
Joint::Joint(const SpatialVector& a0, const SpatialVector& a1, const SpatialVector& a2) { set_axes({a0, a1, a2}); }
Joint::Joint(const SpatialVector& a0, const SpatialVector& a1, const SpatialVector& a2, const SpatialVector& a3) {
  set_axes({a0, a1, a2, a3});
}
Joint::Joint(const SpatialVector& a0, const SpatialVector& a1, const SpatialVector& a2, const SpatialVector& a3,
             const SpatialVector& a4) {
  set_axes({a0, a1, a2, a3, a4});
}
Joint::Joint(const SpatialVector& a0, const SpatialVector& a1, const SpatialVector& a2, const SpatialVector& a3,
             const SpatialVector& a4, const SpatialVector& a5) {
  set_axes({a0, a1, a2, a3, a4, a5});
}

void Body::add(const Math::SpatialTransform& transform, const Body& other, double sign) {
  // Both about this body's origin in its axes, where they add; then back about the common centre of mass.
  using Inertia = Math::SpatialRigidBodyInertia;
  const Inertia own = Inertia::createFromMassComInertiaC(mMass, mCenterOfMass, mInertia);
  const Inertia seen =
      transform.applyTranspose(Inertia::createFromMassComInertiaC(other.mMass, other.mCenterOfMass, other.mInertia));
  const double mass = own.m + sign * seen.m;
  const Vector3d moment = own.h + sign * seen.h;
  mMass = mass;
  mCenterOfMass = mass == 0 ? Vector3d(Vector3d::Zero()) : Vector3d(moment / mass);
  const Math::Matrix3d c = Math::VectorCrossMatrix(mCenterOfMass);
  mInertia = own.inertia() + sign * seen.inertia() - mass * c * c.transpose();
}

}  // namespace RigidBodyDynamics
