// SPDX-License-Identifier: BSD-3-Clause
// Vector2, Rotation2, Frame2: the same in the plane.
#pragma once
#include "frame.hpp"

namespace KDL {

class Vector2 {
 public:
  double data[2];

  Vector2() : data{0, 0} {}
  Vector2(double x, double y) : data{x, y} {}

  double operator()(int i) const {
    assert(0 <= i && i < 2);
    return data[i];
  }
  double& operator()(int i) {
    assert(0 <= i && i < 2);
    return data[i];
  }
  double operator[](int i) const { return (*this)(i); }
  double& operator[](int i) { return (*this)(i); }
  double x() const { return data[0]; }
  double y() const { return data[1]; }
  void x(double value) { data[0] = value; }
  void y(double value) { data[1] = value; }

  void ReverseSign() {
    data[0] = -data[0];
    data[1] = -data[1];
  }
  Vector2& operator+=(const Vector2& b) {
    data[0] += b.data[0];
    data[1] += b.data[1];
    return *this;
  }
  Vector2& operator-=(const Vector2& b) {
    data[0] -= b.data[0];
    data[1] -= b.data[1];
    return *this;
  }
  static Vector2 Zero() { return Vector2(); }
  double Norm(double eps = epsilon) const;
  double Normalize(double eps = epsilon);

  /// Projections on the coordinate planes, or on the xy plane of a frame.
  void Set3DXY(const Vector& v) { *this = Vector2(v(0), v(1)); }
  void Set3DYZ(const Vector& v) { *this = Vector2(v(1), v(2)); }
  void Set3DZX(const Vector& v) { *this = Vector2(v(2), v(0)); }
  void Set3DPlane(const Frame& F_someframe_XY, const Vector& v_someframe) {
    Set3DXY(F_someframe_XY.Inverse(v_someframe));
  }
};

inline Vector2 operator+(const Vector2& a, const Vector2& b) { return Vector2(a) += b; }
inline Vector2 operator-(const Vector2& a, const Vector2& b) { return Vector2(a) -= b; }
inline Vector2 operator-(const Vector2& a) { return Vector2(-a.data[0], -a.data[1]); }
inline Vector2 operator*(const Vector2& a, double s) { return Vector2(a.data[0] * s, a.data[1] * s); }
inline Vector2 operator*(double s, const Vector2& a) { return a * s; }
inline Vector2 operator/(const Vector2& a, double s) { return Vector2(a.data[0] / s, a.data[1] / s); }
inline double dot(const Vector2& a, const Vector2& b) { return a.data[0] * b.data[0] + a.data[1] * b.data[1]; }
inline void SetToZero(Vector2& v) { v = Vector2(); }
inline bool Equal(const Vector2& a, const Vector2& b, double eps = epsilon) {
  return Equal(a.data[0], b.data[0], eps) && Equal(a.data[1], b.data[1], eps);
}
inline bool operator==(const Vector2& a, const Vector2& b) { return Equal(a, b); }
inline bool operator!=(const Vector2& a, const Vector2& b) { return !(a == b); }

/// Rotation by an angle, kept as its cosine and sine.
class Rotation2 {
 public:
  Rotation2() = default;
  explicit Rotation2(double angle) : s_(std::sin(angle)), c_(std::cos(angle)) {}
  Rotation2(double ca, double sa) : s_(sa), c_(ca) {}

  double operator()(int i, int j) const {
    assert(0 <= i && i < 2 && 0 <= j && j < 2);
    return i == j ? c_ : (i == 0 ? -s_ : s_);
  }
  Vector2 operator*(const Vector2& v) const { return Vector2(c_ * v(0) - s_ * v(1), s_ * v(0) + c_ * v(1)); }
  Rotation2 operator*(const Rotation2& b) const { return Rotation2(c_ * b.c_ - s_ * b.s_, s_ * b.c_ + c_ * b.s_); }
  void SetInverse() { s_ = -s_; }
  Rotation2 Inverse() const { return Rotation2(c_, -s_); }
  Vector2 Inverse(const Vector2& v) const { return Inverse() * v; }
  void SetIdentity() { *this = Rotation2(); }
  static Rotation2 Identity() { return Rotation2(); }
  static Rotation2 Rot(double angle) { return Rotation2(angle); }
  void SetRot(double angle) { *this = Rotation2(angle); }
  double GetRot() const { return std::atan2(s_, c_); }  ///< in (-pi, pi]

 private:
  friend bool Equal(const Rotation2& a, const Rotation2& b, double eps);
  double s_ = 0, c_ = 1;
};

inline bool Equal(const Rotation2& a, const Rotation2& b, double eps = epsilon) {
  return Equal(a.c_, b.c_, eps) && Equal(a.s_, b.s_, eps);
}
inline bool operator==(const Rotation2& a, const Rotation2& b) { return Equal(a, b); }
inline bool operator!=(const Rotation2& a, const Rotation2& b) { return !(a == b); }

class Frame2 {
 public:
  Vector2 p;
  Rotation2 M;

  Frame2() = default;
  Frame2(const Rotation2& R, const Vector2& V) : p(V), M(R) {}
  explicit Frame2(const Vector2& V) : p(V) {}
  explicit Frame2(const Rotation2& R) : M(R) {}

  /// Writes the 3 x 3 matrix row by row, 9 numbers.
  void Make4x4(double* d) const;
  double operator()(int i, int j) const {
    assert(0 <= i && i < 3 && 0 <= j && j < 3);
    if (i == 2) return j == 2;
    return j == 2 ? p(i) : M(i, j);
  }
  void SetInverse() { *this = Inverse(); }
  Frame2 Inverse() const { return Frame2(M.Inverse(), -M.Inverse(p)); }
  Vector2 Inverse(const Vector2& v) const { return M.Inverse(v - p); }
  Vector2 operator*(const Vector2& v) const { return M * v + p; }
  Frame2 operator*(const Frame2& b) const { return Frame2(M * b.M, M * b.p + p); }
  void SetIdentity() { *this = Frame2(); }
  void Integrate(const Twist& t_this, double frequency);
  static Frame2 Identity() { return Frame2(); }
};

inline bool Equal(const Frame2& a, const Frame2& b, double eps = epsilon) {
  return Equal(a.p, b.p, eps) && Equal(a.M, b.M, eps);
}
inline bool operator==(const Frame2& a, const Frame2& b) { return Equal(a, b); }
inline bool operator!=(const Frame2& a, const Frame2& b) { return !(a == b); }

}  // namespace KDL
