// SPDX-License-Identifier: BSD-3-Clause
// Small matrices of rotations: those that turn the coordinates of a parent into the coordinates of a child (E = R^T).
#pragma once
#include <cmath>

#include <rbdl/rbdl_math.h>

namespace RigidBodyDynamics {
namespace Math {

/// [v] with [v] u = v x u.
inline Matrix3d VectorCrossMatrix(const Vector3d& v) { return {0., -v[2], v[1], v[2], 0., -v[0], -v[1], v[0], 0.}; }
/// E of a turn about x by an angle [rad].
inline Matrix3d rotx(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {1., 0., 0., 0., c, s, 0., -s, c};
}
/// E of a turn about y.
inline Matrix3d roty(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c, 0., -s, 0., 1., 0., s, 0., c};
}
/// E of a turn about z.
inline Matrix3d rotz(double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c, s, 0., -s, c, 0., 0., 0., 1.};
}
/// E of a turn about a unit axis (Rodrigues).
inline Matrix3d rotation_about(double angle, const Vector3d& axis) {
  const Matrix3d u = VectorCrossMatrix(axis);
  return Eigen::Matrix3d::Identity() - std::sin(angle) * u + (1 - std::cos(angle)) * u * u;
}
/// Inertia about a point from that about the centre of mass (Steiner).
inline Matrix3d parallel_axis(const Matrix3d& inertia, double mass, const Vector3d& com) {
  const Matrix3d c = VectorCrossMatrix(com);
  return inertia + mass * c * c.transpose();
}

}  // namespace Math
}  // namespace RigidBodyDynamics
