// SPDX-License-Identifier: BSD-3-Clause
// Stiffness: six springs along the axes of a frame, force (torque) = stiffness * displacement.
#pragma once
#include "frames.hpp"

namespace KDL {

class Stiffness {
 public:
  Stiffness() : data_{} {}
  explicit Stiffness(double* d) {
    for (int i = 0; i < 6; ++i) data_[i] = d[i];
  }
  Stiffness(double x, double y, double z, double rx, double ry, double rz) : data_{x, y, z, rx, ry, rz} {}

  double& operator[](int i) { return data_[i]; }
  double operator[](int i) const { return data_[i]; }
  Twist Inverse(const Wrench& w) const {
    Twist out;
    for (int i = 0; i < 6; ++i) out[i] = w[i] / data_[i];
    return out;
  }

 private:
  double data_[6];
};

inline Wrench operator*(const Stiffness& s, const Twist& t) {
  Wrench out;
  for (int i = 0; i < 6; ++i) out[i] = s[i] * t[i];
  return out;
}
inline Stiffness operator+(const Stiffness& a, const Stiffness& b) {
  Stiffness out;
  for (int i = 0; i < 6; ++i) out[i] = a[i] + b[i];
  return out;
}
inline void posrandom(Stiffness& s) {
  for (int i = 0; i < 6; ++i) posrandom(s[i]);
}
inline void random(Stiffness& s) { posrandom(s); }

}  // namespace KDL
