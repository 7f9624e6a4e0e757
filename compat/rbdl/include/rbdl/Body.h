// SPDX-License-Identifier: BSD-3-Clause
// Bodies: mass, centre of mass in body coordinates, inertia about the centre of mass in body axes.
#pragma once
#include <rbdl/SpatialAlgebraOperators.h>

namespace RigidBodyDynamics {

/// The mass properties of a body.
struct Body {
  Body() = default;
  /// The inertia is about the centre of mass.
  Body(double mass, const Math::Vector3d& com, const Math::Matrix3d& inertia_C)
      : mMass(mass),
        mCenterOfMass(com),
        mInertia(inertia_C) {}
  /// The same with the diagonal of the inertia about the centre of mass [kg m^2].
  Body(double mass, const Math::Vector3d& com, const Math::Vector3d& inertia)
      : mMass(mass),
        mCenterOfMass(com),
        mInertia(Eigen::Matrix3d(inertia.asDiagonal())) {}

  /// Adds a body that is fixed to this one; the transform leads from this body's coordinates to the other's.
  void Join(const Math::SpatialTransform& transform, const Body& other) { add(transform, other, 1); }
  /// Takes it away again.
  void Separate(const Math::SpatialTransform& transform, const Body& other) { add(transform, other, -1); }

  double mMass = 0;
  Math::Vector3d mCenterOfMass = Math::Vector3d::Zero();
  Math::Matrix3d mInertia = Math::Matrix3d(Eigen::Matrix3d::Zero());  ///< about the centre of mass
  bool mIsVirtual = false;  ///< a body without mass between the axes of a joint

 private:
  void add(const Math::SpatialTransform& transform, const Body& other, double sign);
};

/// A body on a fixed joint. Its mass counts in the movable body that carries it.
struct FixedBody {
  static FixedBody CreateFromBody(const Body& body) {
    FixedBody out;
    out.mMass = body.mMass;
    out.mCenterOfMass = body.mCenterOfMass;
    out.mInertia = body.mInertia;
    return out;
  }
  double mMass = 0;
  Math::Vector3d mCenterOfMass = Math::Vector3d::Zero();
  Math::Matrix3d mInertia = Math::Matrix3d(Eigen::Matrix3d::Zero());
  unsigned int mMovableParent = 0;
  Math::SpatialTransform mParentTransform;  ///< from the movable body's coordinates to this one's
  Math::SpatialTransform mBaseTransform;    ///< from the base's coordinates; written by UpdateKinematics
};

}  // namespace RigidBodyDynamics
