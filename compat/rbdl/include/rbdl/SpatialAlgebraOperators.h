// SPDX-License-Identifier: BSD-3-Clause
// Spatial algebra, angular part first (Featherstone 2008, chapter 2).
#pragma once
#include <rbdl/rbdl_mathutils.h>

#include <iostream>

namespace RigidBodyDynamics {
namespace Math {

/// Inertia of a rigid body about a point: mass, first moment h = m c, and the second moment about the point.
struct SpatialRigidBodyInertia {
  SpatialRigidBodyInertia() = default;
  SpatialRigidBodyInertia(double mass, const Vector3d& moment, const Matrix3d& inertia)
      : m(mass),
        h(moment),
        Ixx(inertia(0, 0)),
        Iyx(inertia(1, 0)),
        Iyy(inertia(1, 1)),
        Izx(inertia(2, 0)),
        Izy(inertia(2, 1)),
        Izz(inertia(2, 2)) {}
  /// From the inertia about the centre of mass.
  static SpatialRigidBodyInertia createFromMassComInertiaC(double mass, const Vector3d& com, const Matrix3d& inertia) {
    return {mass, mass * com, parallel_axis(inertia, mass, com)};
  }
  Matrix3d inertia() const { return {Ixx, Iyx, Izx, Iyx, Iyy, Izy, Izx, Izy, Izz}; }
  SpatialRigidBodyInertia operator+(const SpatialRigidBodyInertia& o) const {
    return {m + o.m, h + o.h, Matrix3d(inertia() + o.inertia())};
  }
  /// The momentum at a velocity.
  SpatialVector operator*(const SpatialVector& v) const {
    const Matrix3d c = VectorCrossMatrix(h);
    SpatialVector out;
    out << inertia() * v.head<3>() + c * v.tail<3>(), m * v.tail<3>() - c * v.head<3>();
    return out;
  }
  SpatialMatrix toMatrix() const {
    const Matrix3d c = VectorCrossMatrix(h);
    SpatialMatrix out;
    out << inertia(), c, c.transpose(), m * Eigen::Matrix3d::Identity();
    return out;
  }
  double m = 0;
  Vector3d h = Vector3d::Zero();
  double Ixx = 0, Iyx = 0, Iyy = 0, Izx = 0, Izy = 0, Izz = 0;
};

/// From the coordinates of a frame to those of another one: E turns, r is the other's origin in the axes of the first.
struct SpatialTransform {
  SpatialTransform() = default;
  SpatialTransform(const Matrix3d& rotation, const Vector3d& translation) : E(rotation), r(translation) {}
  explicit SpatialTransform(const Vector3d& translation) : r(translation) {}

  /// X v, of a motion.
  SpatialVector apply(const SpatialVector& v) const {
    SpatialVector out;
    out << E * v.head<3>(), E * (v.tail<3>() - VectorCrossMatrix(r) * v.head<3>());
    return out;
  }
  /// X^T f, of a force: from the coordinates of the other frame back.
  SpatialVector applyTranspose(const SpatialVector& f) const {
    const Vector3d force = E.transpose() * f.tail<3>();
    SpatialVector out;
    out << E.transpose() * f.head<3>() + VectorCrossMatrix(r) * force, force;
    return out;
  }
  /// X* f, of a force.
  SpatialVector applyAdjoint(const SpatialVector& f) const {
    SpatialVector out;
    out << E * (f.head<3>() - VectorCrossMatrix(r) * f.tail<3>()), E * f.tail<3>();
    return out;
  }
  /// X* I X^-1: the same body seen from the other frame.
  SpatialRigidBodyInertia apply(const SpatialRigidBodyInertia& I) const {
    const Vector3d moved = I.h - I.m * r;
    const Matrix3d h = VectorCrossMatrix(I.h), shift = VectorCrossMatrix(r), rest = VectorCrossMatrix(moved);
    return {I.m, E * moved, Matrix3d(E * (I.inertia() + shift * h + rest * shift) * E.transpose())};
  }
  /// X^T I X: from the other frame back.
  SpatialRigidBodyInertia applyTranspose(const SpatialRigidBodyInertia& I) const { return inverse().apply(I); }
  SpatialMatrix toMatrix() const { return blocks(Eigen::Matrix3d::Zero(), -(E * VectorCrossMatrix(r))); }
  SpatialMatrix toMatrixAdjoint() const { return blocks(-(E * VectorCrossMatrix(r)), Eigen::Matrix3d::Zero()); }
  SpatialMatrix toMatrixTranspose() const { return toMatrix().transpose(); }
  SpatialTransform inverse() const { return {E.transpose(), -(E * r)}; }
  /// First b, then this.
  SpatialTransform operator*(const SpatialTransform& b) const { return {E * b.E, b.r + b.E.transpose() * r}; }
  SpatialTransform& operator*=(const SpatialTransform& b) { return *this = *this * b; }

  Matrix3d E = Matrix3d(Eigen::Matrix3d::Identity());
  Vector3d r = Vector3d::Zero();

 private:
  SpatialMatrix blocks(const Matrix3d& upper, const Matrix3d& lower) const {
    SpatialMatrix out;
    out << E, upper, lower, E;
    return out;
  }
};

/// A turn about an axis of unit length [rad].
inline SpatialTransform Xrot(double angle, const Vector3d& axis) {
  return {rotation_about(angle, axis), Vector3d::Zero()};
}
/// A turn about x [rad].
inline SpatialTransform Xrotx(double angle) { return {rotx(angle), Vector3d::Zero()}; }
/// A turn about y [rad].
inline SpatialTransform Xroty(double angle) { return {roty(angle), Vector3d::Zero()}; }
/// A turn about z [rad].
inline SpatialTransform Xrotz(double angle) { return {rotz(angle), Vector3d::Zero()}; }
/// A displacement [m].
inline SpatialTransform Xtrans(const Vector3d& r) { return SpatialTransform(r); }
/// A turn about x [rad], as a matrix of motions.
inline SpatialMatrix Xrotx_mat(double angle) { return Xrotx(angle).toMatrix(); }
/// A turn about y [rad], as a matrix of motions.
inline SpatialMatrix Xroty_mat(double angle) { return Xroty(angle).toMatrix(); }
/// A turn about z [rad], as a matrix of motions.
inline SpatialMatrix Xrotz_mat(double angle) { return Xrotz(angle).toMatrix(); }
/// A displacement, then turns about z, y and x.
inline SpatialMatrix XtransRotZYXEuler(const Vector3d& displacement, const Vector3d& zyx_euler) {
  return (Xrotx(zyx_euler[2]) * Xroty(zyx_euler[1]) * Xrotz(zyx_euler[0]) * Xtrans(displacement)).toMatrix();
}
/// A displacement [m], as a matrix of motions.
inline SpatialMatrix Xtrans_mat(const Vector3d& r) { return Xtrans(r).toMatrix(); }

/// v x, of motions.
inline SpatialMatrix crossm(const SpatialVector& v) {
  const Matrix3d w = VectorCrossMatrix(v.head<3>());
  SpatialMatrix out;
  out << w, Matrix3dZero, VectorCrossMatrix(v.tail<3>()), w;
  return out;
}
/// v x*, of forces.
inline SpatialMatrix crossf(const SpatialVector& v) { return -crossm(v).transpose(); }
inline SpatialVector crossm(const SpatialVector& v, const SpatialVector& m) { return crossm(v) * m; }
inline SpatialVector crossf(const SpatialVector& v, const SpatialVector& f) { return crossf(v) * f; }

}  // namespace Math
}  // namespace RigidBodyDynamics
