// SPDX-License-Identifier: BSD-3-Clause
// Inertias of rigid and of articulated bodies, seen from other points and in other axes.
#include <kdl/articulatedbodyinertia.hpp>

namespace KDL {

namespace {

using Matrix3 = Eigen::Matrix3d;
using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Matrix3 cross(const Vector& v) {
  Matrix3 out;
  out << 0, -v(2), v(1), v(2), 0, -v(0), -v(1), v(0), 0;
  return out;
}
Matrix3 matrix(const RotationalInertia& I) { return Eigen::Map<const RowMajor3>(I.data); }
Matrix3 matrix(const Rotation& R) { return Eigen::Map<const RowMajor3>(R.data); }
RotationalInertia inertia(const Matrix3& I) {
  return RotationalInertia(I(0, 0), I(1, 1), I(2, 2), (I(0, 1) + I(1, 0)) / 2, (I(0, 2) + I(2, 0)) / 2,
                           (I(1, 2) + I(2, 1)) / 2);
}
/// R I R^T
RotationalInertia turned(const Rotation& R, const RotationalInertia& I) {
  return inertia(matrix(R) * matrix(I) * matrix(R).transpose());
}
/// What a shift of all mass points by s adds to I: r + s in place of r gives -[h][s] - [s][h] - m [s][s].
RotationalInertia shifted(double m, const Vector& h, const Vector& s) {
  const Matrix3 H = cross(h), S = cross(s);
  return inertia(-H * S - S * H - m * S * S);
}
Vector vector(const Eigen::Vector3d& v) { return Vector(v(0), v(1), v(2)); }
Eigen::Vector3d column(const Vector& v) { return Eigen::Map<const Eigen::Vector3d>(v.data); }

}  // namespace

RigidBodyInertia::RigidBodyInertia(double m, const Vector& oc, const RotationalInertia& Ic)
    : m_(m),
      h_(m * oc),
      I_(Ic + shifted(m, Vector::Zero(), oc)) {}

RigidBodyInertia RigidBodyInertia::RefPoint(const Vector& p) const {
  return RigidBodyInertia(m_, h_ - m_ * p, I_ + shifted(m_, h_, -p), true);
}

RigidBodyInertia operator*(double a, const RigidBodyInertia& I) {
  return RigidBodyInertia(a * I.m_, a * I.h_, a * I.I_, true);
}
RigidBodyInertia operator+(const RigidBodyInertia& Ia, const RigidBodyInertia& Ib) {
  return RigidBodyInertia(Ia.m_ + Ib.m_, Ia.h_ + Ib.h_, Ia.I_ + Ib.I_, true);
}
RigidBodyInertia operator-(const RigidBodyInertia& Ia, const RigidBodyInertia& Ib) { return Ia + -1.0 * Ib; }
Wrench operator*(const RigidBodyInertia& I, const Twist& t) {
  return Wrench(I.m_ * t.vel - I.h_ * t.rot, I.I_ * t.rot + I.h_ * t.vel);
}
RigidBodyInertia operator*(const Rotation& R, const RigidBodyInertia& I) {
  return RigidBodyInertia(I.m_, R * I.h_, turned(R, I.I_), true);
}
RigidBodyInertia operator*(const Frame& T, const RigidBodyInertia& I) { return (T.M * I).RefPoint(-T.p); }

ArticulatedBodyInertia::ArticulatedBodyInertia(const RigidBodyInertia& rbi)
    : M(rbi.m_ * Matrix3::Identity()),
      H(cross(rbi.h_)),
      I(matrix(rbi.I_)) {}
ArticulatedBodyInertia::ArticulatedBodyInertia(double m, const Vector& oc, const RotationalInertia& Ic)
    : ArticulatedBodyInertia(RigidBodyInertia(m, oc, Ic)) {}

/// v_old = v + [p] omega; torque = torque_old - [p] force.
ArticulatedBodyInertia ArticulatedBodyInertia::RefPoint(const Vector& p) const {
  const Matrix3 P = cross(p);
  return ArticulatedBodyInertia(M, H - P * M, I + H * P - P * M * P - P * H.transpose());
}

ArticulatedBodyInertia operator*(double a, const ArticulatedBodyInertia& I) {
  return ArticulatedBodyInertia(a * I.M, a * I.H, a * I.I);
}
ArticulatedBodyInertia operator+(const ArticulatedBodyInertia& Ia, const ArticulatedBodyInertia& Ib) {
  return ArticulatedBodyInertia(Ia.M + Ib.M, Ia.H + Ib.H, Ia.I + Ib.I);
}
ArticulatedBodyInertia operator-(const ArticulatedBodyInertia& Ia, const ArticulatedBodyInertia& Ib) {
  return ArticulatedBodyInertia(Ia.M - Ib.M, Ia.H - Ib.H, Ia.I - Ib.I);
}
ArticulatedBodyInertia operator+(const RigidBodyInertia& Ia, const ArticulatedBodyInertia& Ib) {
  return ArticulatedBodyInertia(Ia) + Ib;
}
ArticulatedBodyInertia operator-(const RigidBodyInertia& Ia, const ArticulatedBodyInertia& Ib) {
  return ArticulatedBodyInertia(Ia) - Ib;
}
Wrench operator*(const ArticulatedBodyInertia& I, const Twist& t) {
  const Eigen::Vector3d v = column(t.vel), w = column(t.rot);
  return Wrench(vector(I.M * v + I.H.transpose() * w), vector(I.I * w + I.H * v));
}
ArticulatedBodyInertia operator*(const Rotation& R, const ArticulatedBodyInertia& I) {
  const Matrix3 E = matrix(R);
  return ArticulatedBodyInertia(E * I.M * E.transpose(), E * I.H * E.transpose(), E * I.I * E.transpose());
}
ArticulatedBodyInertia operator*(const Frame& T, const ArticulatedBodyInertia& I) { return (T.M * I).RefPoint(-T.p); }

}  // namespace KDL
