// SPDX-License-Identifier: BSD-3-Clause
// Quaternion: x, y, z, w. toMatrix() is E, which turns the coordinates of the parent into those of the child, and
// products follow it: (a * b).toMatrix() = a.toMatrix() * b.toMatrix().
#pragma once
#include <rbdl/rbdl_mathutils.h>

namespace RigidBodyDynamics {
namespace Math {

class Quaternion : public Vector4d {
 public:
  /// No turn.
  Quaternion() : Vector4d(0., 0., 0., 1.) {}
  Quaternion(const Vector4d& q) : Vector4d(q) {}
  Quaternion(double x, double y, double z, double w) : Vector4d(x, y, z, w) {}
  void set(double x, double y, double z, double w) { *this = Quaternion(x, y, z, w); }

  Quaternion operator*(double s) const { return Quaternion(Vector4d(s * vec4())); }
  Quaternion operator*(const Quaternion& b) const {
    const Quaternion& a = *this;
    const Vector3d v = a[3] * b.vec() + b[3] * a.vec() + b.vec().cross3(a.vec());
    return {v[0], v[1], v[2], a[3] * b[3] - a.vec().dot(b.vec())};
  }
  Quaternion& operator*=(const Quaternion& b) { return *this = *this * b; }

  Quaternion conjugate() const { return {-(*this)[0], -(*this)[1], -(*this)[2], (*this)[3]}; }
  /// E.
  Matrix3d toMatrix() const {
    const Matrix3d u = VectorCrossMatrix(vec());
    return Eigen::Matrix3d::Identity() - 2 * (*this)[3] * u + 2 * u * u;
  }
  /// The vector after the turn: E^T v.
  Vector3d rotate(const Vector3d& v) const { return toMatrix().transpose() * v; }
  /// After a step of dt [s] with an angular velocity in body axes [rad/s].
  Quaternion timeStep(const Vector3d& omega, double dt) const {
    const double rate = omega.norm();
    return rate == 0 ? *this : fromAxisAngle(omega / rate, rate * dt) * *this;
  }
  /// The rate of the four numbers at an angular velocity in body axes.
  Vector4d omegaToQDot(const Vector3d& omega) const {
    return 0.5 * (Quaternion(omega[0], omega[1], omega[2], 0.) * *this);
  }
  /// Between this (alpha = 0) and another (alpha = 1), along the shorter arc with constant angular velocity.
  Quaternion slerp(double alpha, const Quaternion& other) const {
    const double c = dot(other), sign = c < 0 ? -1 : 1, angle = std::acos(std::fmin(1., std::fabs(c)));
    if (angle < 1e-8) return Quaternion(Vector4d(((1 - alpha) * vec4() + alpha * sign * other).normalized()));
    const double s = 1 / std::sin(angle);
    return Quaternion(Vector4d(s * (std::sin((1 - alpha) * angle) * vec4() + std::sin(alpha * angle) * sign * other)));
  }

  static Quaternion fromAxisAngle(const Vector3d& axis, double angle) {
    const double length = axis.norm(), s = length == 0 ? 0 : std::sin(0.5 * angle) / length;
    return {s * axis[0], s * axis[1], s * axis[2], std::cos(0.5 * angle)};
  }
  /// Of E, by the largest of four divisors (Shepperd 1978).
  static Quaternion fromMatrix(const Matrix3d& E) {
    const double t[4] = {1 + E(0, 0) - E(1, 1) - E(2, 2), 1 - E(0, 0) + E(1, 1) - E(2, 2),
                         1 - E(0, 0) - E(1, 1) + E(2, 2), 1 + E(0, 0) + E(1, 1) + E(2, 2)};
    int k = 0;
    for (int i = 1; i < 4; ++i)
      if (t[i] > t[k]) k = i;
    const double a = E(1, 2) - E(2, 1), b = E(2, 0) - E(0, 2), c = E(0, 1) - E(1, 0);
    const double xy = E(0, 1) + E(1, 0), xz = E(0, 2) + E(2, 0), yz = E(1, 2) + E(2, 1);
    const Vector4d columns[4] = {{t[0], xy, xz, a}, {xy, t[1], yz, b}, {xz, yz, t[2], c}, {a, b, c, t[3]}};
    return Quaternion(Vector4d(columns[k] * (0.5 / std::sqrt(t[k]))));
  }
  /// The attitude of a joint JointTypeEulerZYX at these angles, in the joint's order.
  static Quaternion fromZYXAngles(const Vector3d& zyx) {
    return about(0, zyx[2]) * about(1, zyx[1]) * about(2, zyx[0]);
  }
  /// The attitude of a joint JointTypeEulerYXZ at these angles.
  static Quaternion fromYXZAngles(const Vector3d& yxz) {
    return about(2, yxz[2]) * about(0, yxz[1]) * about(1, yxz[0]);
  }
  /// The attitude of a joint JointTypeEulerXYZ at these angles.
  static Quaternion fromXYZAngles(const Vector3d& xyz) {
    return about(2, xyz[2]) * about(1, xyz[1]) * about(0, xyz[0]);
  }

 private:
  struct Axes : Vector3d {
    using Vector3d::Vector3d;
    Vector3d cross3(const Vector3d& b) const {
      const Vector3d& a = *this;
      return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
  };
  const Vector4d& vec4() const { return *this; }
  Axes vec() const { return {(*this)[0], (*this)[1], (*this)[2]}; }
  static Quaternion about(int axis, double angle) { return fromAxisAngle(Vector3d::Unit(axis), angle); }
};

}  // namespace Math
}  // namespace RigidBodyDynamics
