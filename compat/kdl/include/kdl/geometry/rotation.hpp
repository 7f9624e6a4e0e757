// SPDX-License-Identifier: BSD-3-Clause
// Rotation: the 3 x 3 matrix whose columns are the axes of B in A.
#pragma once
#include "twist.hpp"

namespace KDL {

class Rotation {
 public:
  double data[9];  ///< row by row

  Rotation() : data{1, 0, 0, 0, 1, 0, 0, 0, 1} {}
  /// Numbers row by row. The matrix is taken as it is: nothing makes it orthonormal.
  Rotation(double Xx, double Yx, double Zx, double Xy, double Yy, double Zy, double Xz, double Yz, double Zz)
      : data{Xx, Yx, Zx, Xy, Yy, Zy, Xz, Yz, Zz} {}
  /// The three columns, taken as they are.
  Rotation(const Vector& x, const Vector& y, const Vector& z)
      : data{x(0), y(0), z(0), x(1), y(1), z(1), x(2), y(2), z(2)} {}

  double operator()(int i, int j) const {
    assert(0 <= i && i < 3 && 0 <= j && j < 3);
    return data[3 * i + j];
  }
  double& operator()(int i, int j) {
    assert(0 <= i && i < 3 && 0 <= j && j < 3);
    return data[3 * i + j];
  }

  Vector operator*(const Vector& v) const {
    return Vector(data[0] * v.data[0] + data[1] * v.data[1] + data[2] * v.data[2],
                  data[3] * v.data[0] + data[4] * v.data[1] + data[5] * v.data[2],
                  data[6] * v.data[0] + data[7] * v.data[1] + data[8] * v.data[2]);
  }
  /// Other axes, the same reference point.
  Twist operator*(const Twist& t) const { return Twist(*this * t.vel, *this * t.rot); }
  Wrench operator*(const Wrench& w) const { return Wrench(*this * w.force, *this * w.torque); }

  void SetInverse() { *this = Inverse(); }
  Rotation Inverse() const {
    return Rotation(data[0], data[3], data[6], data[1], data[4], data[7], data[2], data[5], data[8]);
  }
  Vector Inverse(const Vector& v) const {
    return Vector(data[0] * v.data[0] + data[3] * v.data[1] + data[6] * v.data[2],
                  data[1] * v.data[0] + data[4] * v.data[1] + data[7] * v.data[2],
                  data[2] * v.data[0] + data[5] * v.data[1] + data[8] * v.data[2]);
  }
  Twist Inverse(const Twist& t) const { return Twist(Inverse(t.vel), Inverse(t.rot)); }
  Wrench Inverse(const Wrench& w) const { return Wrench(Inverse(w.force), Inverse(w.torque)); }

  static Rotation Identity() { return Rotation(); }
  static Rotation RotX(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return Rotation(1, 0, 0, 0, c, -s, 0, s, c);
  }
  static Rotation RotY(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return Rotation(c, 0, s, 0, 1, 0, -s, 0, c);
  }
  static Rotation RotZ(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return Rotation(c, -s, 0, s, c, 0, 0, 0, 1);
  }
  /// this = this * RotX(angle), and so on.
  void DoRotX(double angle);
  void DoRotY(double angle);
  void DoRotZ(double angle);

  /// About an axis of any length; an axis of length 0 gives no rotation.
  static Rotation Rot(const Vector& rotvec, double angle);
  /// About an axis of unit length, which is not checked.
  static Rotation Rot2(const Vector& rotvec, double angle);
  /// Rz(alfa) Ry(beta) Rz(gamma)
  static Rotation EulerZYZ(double alfa, double beta, double gamma);
  /// Rz(alfa) Ry(beta) Rx(gamma)
  static Rotation EulerZYX(double alfa, double beta, double gamma) { return RPY(gamma, beta, alfa); }
  /// About the fixed axes x, y, z, one after the other: Rz(yaw) Ry(pitch) Rx(roll).
  static Rotation RPY(double roll, double pitch, double yaw);
  /// Of a unit quaternion; its length is not checked.
  static Rotation Quaternion(double x, double y, double z, double w);

  /// Angles of the factors above. Where two axes coincide, the last one (gamma, roll) is 0.
  void GetEulerZYZ(double& alfa, double& beta, double& gamma) const;
  void GetEulerZYX(double& alfa, double& beta, double& gamma) const { GetRPY(gamma, beta, alfa); }
  void GetRPY(double& roll, double& pitch, double& yaw) const;
  void GetQuaternion(double& x, double& y, double& z, double& w) const;
  /// Axis times angle, accurate to rounding at every angle.
  Vector GetRot() const;
  /// The angle in [0, pi] and the axis of unit length; z where there is no rotation, and half a turn is about the axis
  /// whose last number that is not 0 is positive. Where no two numbers across the diagonal differ by eps, the angle
  /// counts as 0 or pi (eps / 2 of angle about a coordinate axis). With eps = 0 accurate to rounding at every angle.
  double GetRotAngle(Vector& axis, double eps = epsilon) const;

  Vector UnitX() const { return Vector(data[0], data[3], data[6]); }
  Vector UnitY() const { return Vector(data[1], data[4], data[7]); }
  Vector UnitZ() const { return Vector(data[2], data[5], data[8]); }
  /// Write a column, taken as it is.
  void UnitX(const Vector& x) { set_column(0, x); }
  void UnitY(const Vector& y) { set_column(1, y); }
  void UnitZ(const Vector& z) { set_column(2, z); }

 private:
  void set_column(int j, const Vector& v) {
    for (int i = 0; i < 3; ++i) data[3 * i + j] = v.data[i];
  }
};

inline Rotation operator*(const Rotation& a, const Rotation& b) {
  Rotation out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      out.data[3 * i + j] =
          a.data[3 * i] * b.data[j] + a.data[3 * i + 1] * b.data[3 + j] + a.data[3 * i + 2] * b.data[6 + j];
  return out;
}
bool Equal(const Rotation& a, const Rotation& b, double eps = epsilon);
inline bool operator==(const Rotation& a, const Rotation& b) { return Equal(a, b); }
inline bool operator!=(const Rotation& a, const Rotation& b) { return !(a == b); }
inline void SetToIdentity(Rotation& r) { r = Rotation(); }

}  // namespace KDL
