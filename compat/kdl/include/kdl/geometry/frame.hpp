// SPDX-License-Identifier: BSD-3-Clause
// Frame: pose of B in A, rotation M and origin p.
#pragma once
#include "rotation.hpp"

namespace KDL {

class Frame {
 public:
  Vector p;
  Rotation M;

  Frame() = default;
  Frame(const Rotation& R, const Vector& V) : p(V), M(R) {}
  Frame(const Vector& V, const Rotation& R) : p(V), M(R) {}
  explicit Frame(const Vector& V) : p(V) {}
  explicit Frame(const Rotation& R) : M(R) {}

  /// Writes the 4 x 4 matrix row by row, 16 numbers.
  void Make4x4(double* d) const;
  /// Entry of the 4 x 4 matrix.
  double operator()(int i, int j) const {
    assert(0 <= i && i < 4 && 0 <= j && j < 4);
    if (i == 3) return j == 3;
    return j == 3 ? p(i) : M(i, j);
  }

  Frame Inverse() const { return Frame(M.Inverse(), -M.Inverse(p)); }
  void SetInverse() { *this = Inverse(); }
  /// Of B's vectors, twists and wrenches from A's: the inverse of operator*.
  Vector Inverse(const Vector& v) const { return M.Inverse(v - p); }
  Twist Inverse(const Twist& t) const { return Twist(M.Inverse(t.vel - p * t.rot), M.Inverse(t.rot)); }
  Wrench Inverse(const Wrench& w) const { return Wrench(M.Inverse(w.force), M.Inverse(w.torque - p * w.force)); }

  Vector operator*(const Vector& v) const { return M * v + p; }
  /// Axes of A and A's origin as reference point.
  Twist operator*(const Twist& t) const {
    const Vector w = M * t.rot;
    return Twist(M * t.vel + p * w, w);
  }
  Wrench operator*(const Wrench& w) const {
    const Vector f = M * w.force;
    return Wrench(f, M * w.torque + p * f);
  }

  static Frame Identity() { return Frame(); }
  /// Moves on by a twist in this frame's own axes for 1 / frequency seconds, to first order in the translation.
  void Integrate(const Twist& t_this, double frequency);
  /// The pose after moving by a twist (base axes, at this origin) for dt seconds: addDelta(*this, t, dt).
  Frame addDelta(const Twist& t, double dt = 1.0) const;

  /// Denavit and Hartenberg 1955: RotZ(theta) TransZ(d) TransX(a) RotX(alpha).
  static Frame DH(double a, double alpha, double d, double theta);
  /// Craig 1989: RotX(alpha) TransX(a) RotZ(theta) TransZ(d).
  static Frame DH_Craig1989(double a, double alpha, double d, double theta);
};

inline Frame operator*(const Frame& a, const Frame& b) { return Frame(a.M * b.M, a.M * b.p + a.p); }
inline bool Equal(const Frame& a, const Frame& b, double eps = epsilon) {
  return Equal(a.p, b.p, eps) && Equal(a.M, b.M, eps);
}
inline bool operator==(const Frame& a, const Frame& b) { return Equal(a, b); }
inline bool operator!=(const Frame& a, const Frame& b) { return !(a == b); }
inline void SetToIdentity(Frame& f) { f = Frame(); }

}  // namespace KDL
