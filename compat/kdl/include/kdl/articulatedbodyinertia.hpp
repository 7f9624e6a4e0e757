// SPDX-License-Identifier: BSD-3-Clause
// ArticulatedBodyInertia: [f; n] = [M H^T; H I] [v; omega], what a body with joints behind it resists.
#pragma once
#include <Eigen/Core>
#include <Eigen/StdVector>

#include "rigidbodyinertia.hpp"

namespace KDL {

class ArticulatedBodyInertia {
 public:
  Eigen::Matrix3d M, H, I;

  ArticulatedBodyInertia() { setZero(); }
  ArticulatedBodyInertia(const RigidBodyInertia& rbi);
  explicit ArticulatedBodyInertia(double m, const Vector& oc = Vector::Zero(),
                                  const RotationalInertia& Ic = RotationalInertia::Zero());
  ArticulatedBodyInertia(const Eigen::Matrix3d& mass, const Eigen::Matrix3d& coupling, const Eigen::Matrix3d& inertia)
      : M(mass),
        H(coupling),
        I(inertia) {}

  static ArticulatedBodyInertia Zero() { return ArticulatedBodyInertia(); }

  /// The same body seen from another reference point, `p` away from the present one; same axes.
  ArticulatedBodyInertia RefPoint(const Vector& p) const;

 private:
  void setZero() {
    M.setZero();
    H.setZero();
    I.setZero();
  }
};

ArticulatedBodyInertia operator*(double a, const ArticulatedBodyInertia& I);
ArticulatedBodyInertia operator+(const ArticulatedBodyInertia& Ia, const ArticulatedBodyInertia& Ib);
ArticulatedBodyInertia operator-(const ArticulatedBodyInertia& Ia, const ArticulatedBodyInertia& Ib);
ArticulatedBodyInertia operator+(const RigidBodyInertia& Ia, const ArticulatedBodyInertia& Ib);
ArticulatedBodyInertia operator-(const RigidBodyInertia& Ia, const ArticulatedBodyInertia& Ib);
Wrench operator*(const ArticulatedBodyInertia& I, const Twist& t);
ArticulatedBodyInertia operator*(const Frame& T, const ArticulatedBodyInertia& I);
ArticulatedBodyInertia operator*(const Rotation& R, const ArticulatedBodyInertia& I);

}  // namespace KDL
