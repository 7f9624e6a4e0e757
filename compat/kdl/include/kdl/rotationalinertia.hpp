// SPDX-License-Identifier: BSD-3-Clause
// RotationalInertia: the symmetric 3 x 3 matrix of moments of inertia [kg m^2].
#pragma once
#include "frames.hpp"

namespace KDL {

class RotationalInertia {
 public:
  double data[9];  ///< row by row

  /// Note the order: moments first, then Ixy, Ixz, Iyz. Nothing is checked.
  explicit RotationalInertia(double Ixx = 0, double Iyy = 0, double Izz = 0, double Ixy = 0, double Ixz = 0,
                             double Iyz = 0)
      : data{Ixx, Ixy, Ixz, Ixy, Iyy, Iyz, Ixz, Iyz, Izz} {}

  static RotationalInertia Zero() { return RotationalInertia(); }

  /// Angular momentum of an angular velocity.
  Vector operator*(const Vector& omega) const {
    return Vector(data[0] * omega(0) + data[1] * omega(1) + data[2] * omega(2),
                  data[3] * omega(0) + data[4] * omega(1) + data[5] * omega(2),
                  data[6] * omega(0) + data[7] * omega(1) + data[8] * omega(2));
  }
};

inline RotationalInertia operator*(double a, const RotationalInertia& I) {
  RotationalInertia out(I);
  for (double& number : out.data) number *= a;
  return out;
}
inline RotationalInertia operator+(const RotationalInertia& Ia, const RotationalInertia& Ib) {
  RotationalInertia out(Ia);
  for (int i = 0; i < 9; ++i) out.data[i] += Ib.data[i];
  return out;
}
inline RotationalInertia operator-(const RotationalInertia& Ia, const RotationalInertia& Ib) { return Ia + -1.0 * Ib; }

}  // namespace KDL
