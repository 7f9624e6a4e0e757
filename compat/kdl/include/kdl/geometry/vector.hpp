// SPDX-License-Identifier: BSD-3-Clause
// Vector: three numbers, of a point, a direction, or one part of a twist or wrench.
#pragma once
#include <cassert>

#include "../utilities/utility.h"

namespace KDL {

class Vector2;
class Frame;

class Vector {
 public:
  double data[3];

  Vector() : data{0, 0, 0} {}
  Vector(double x, double y, double z) : data{x, y, z} {}

  /// Checked by assert, i.e. not where NDEBUG is defined.
  double operator()(int i) const {
    assert(0 <= i && i < 3);
    return data[i];
  }
  double& operator()(int i) {
    assert(0 <= i && i < 3);
    return data[i];
  }
  double operator[](int i) const { return (*this)(i); }
  double& operator[](int i) { return (*this)(i); }
  double x() const { return data[0]; }
  double y() const { return data[1]; }
  double z() const { return data[2]; }
  void x(double value) { data[0] = value; }
  void y(double value) { data[1] = value; }
  void z(double value) { data[2] = value; }

  void ReverseSign() {
    for (double& number : data) number = -number;
  }
  Vector& operator+=(const Vector& b) {
    for (int i = 0; i < 3; ++i) data[i] += b.data[i];
    return *this;
  }
  Vector& operator-=(const Vector& b) {
    for (int i = 0; i < 3; ++i) data[i] -= b.data[i];
    return *this;
  }

  static Vector Zero() { return Vector(); }

  /// Euclidean length, without overflow and underflow. A length below eps counts as 0.
  double Norm(double eps = epsilon) const;
  /// Scales to unit length and returns the length before. A vector shorter than eps becomes the x axis,
  /// and 0 is returned.
  double Normalize(double eps = epsilon);

  /// The vector of a coordinate plane, or of the xy plane of a frame.
  void Set2DXY(const Vector2& v);
  void Set2DYZ(const Vector2& v);
  void Set2DZX(const Vector2& v);
  void Set2DPlane(const Frame& F_someframe_XY, const Vector2& v_XY);
};

inline Vector operator+(const Vector& a, const Vector& b) { return Vector(a) += b; }
inline Vector operator-(const Vector& a, const Vector& b) { return Vector(a) -= b; }
inline Vector operator-(const Vector& a) { return Vector(-a.data[0], -a.data[1], -a.data[2]); }
inline Vector operator*(const Vector& a, double s) { return Vector(a.data[0] * s, a.data[1] * s, a.data[2] * s); }
inline Vector operator*(double s, const Vector& a) { return a * s; }
inline Vector operator/(const Vector& a, double s) { return Vector(a.data[0] / s, a.data[1] / s, a.data[2] / s); }
/// The vector (cross) product.
inline Vector operator*(const Vector& a, const Vector& b) {
  return Vector(a.data[1] * b.data[2] - a.data[2] * b.data[1], a.data[2] * b.data[0] - a.data[0] * b.data[2],
                a.data[0] * b.data[1] - a.data[1] * b.data[0]);
}
/// The scalar product.
inline double dot(const Vector& a, const Vector& b) {
  return a.data[0] * b.data[0] + a.data[1] * b.data[1] + a.data[2] * b.data[2];
}
inline void SetToZero(Vector& v) { v = Vector(); }
inline bool Equal(const Vector& a, const Vector& b, double eps = epsilon) {
  return Equal(a.data[0], b.data[0], eps) && Equal(a.data[1], b.data[1], eps) && Equal(a.data[2], b.data[2], eps);
}
inline bool operator==(const Vector& a, const Vector& b) { return Equal(a, b); }
inline bool operator!=(const Vector& a, const Vector& b) { return !(a == b); }

}  // namespace KDL
