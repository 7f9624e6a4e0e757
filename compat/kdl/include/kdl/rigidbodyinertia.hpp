// SPDX-License-Identifier: BSD-3-Clause
// RigidBodyInertia: mass m, first moment h = m c, and rotational inertia I about the reference point.
//
// All solvers read the inertia of a segment in the axes of the segment's tip, about the tip.
#pragma once
#include "rotationalinertia.hpp"

namespace KDL {

class RigidBodyInertia {
 public:
  /// `oc`: from the reference point to the centre of mass; `Ic`: about the centre of mass. Nothing is checked.
  explicit RigidBodyInertia(double m = 0, const Vector& oc = Vector::Zero(),
                            const RotationalInertia& Ic = RotationalInertia::Zero());

  static RigidBodyInertia Zero() { return RigidBodyInertia(); }

  /// The same body seen from another reference point, `p` away from the present one; same axes.
  RigidBodyInertia RefPoint(const Vector& p) const;

  double getMass() const { return m_; }
  Vector getCOG() const { return m_ == 0 ? Vector::Zero() : h_ / m_; }
  RotationalInertia getRotationalInertia() const { return I_; }  ///< about the reference point

 private:
  RigidBodyInertia(double m, const Vector& h, const RotationalInertia& I, bool /*as they are*/) : m_(m), h_(h), I_(I) {}

  friend class ArticulatedBodyInertia;
  friend RigidBodyInertia operator*(double a, const RigidBodyInertia& I);
  friend RigidBodyInertia operator+(const RigidBodyInertia& Ia, const RigidBodyInertia& Ib);
  friend Wrench operator*(const RigidBodyInertia& I, const Twist& t);
  friend RigidBodyInertia operator*(const Frame& T, const RigidBodyInertia& I);
  friend RigidBodyInertia operator*(const Rotation& R, const RigidBodyInertia& I);

  double m_;
  Vector h_;
  RotationalInertia I_;
};

RigidBodyInertia operator*(double a, const RigidBodyInertia& I);
RigidBodyInertia operator+(const RigidBodyInertia& Ia, const RigidBodyInertia& Ib);
RigidBodyInertia operator-(const RigidBodyInertia& Ia, const RigidBodyInertia& Ib);
/// Momentum of a velocity, both at the reference point.
Wrench operator*(const RigidBodyInertia& I, const Twist& t);
/// The same body seen from A: axes and origin of A, where I is given in B.
RigidBodyInertia operator*(const Frame& T, const RigidBodyInertia& I);
/// Other axes, the same reference point.
RigidBodyInertia operator*(const Rotation& R, const RigidBodyInertia& I);

}  // namespace KDL
