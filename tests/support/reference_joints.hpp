// SPDX-License-Identifier: BSD-3-Clause
// How each joint moves, from its definition: the pose X_J(q) of the child link in the joint frame, on the user's axes,
// and the increment q (+) d that velocities integrate. Shares nothing with the library's joint files.
#pragma once
#include <Eigen/Geometry>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/jet.hpp"
#include "zwang/model/description.hpp"

namespace zwang::reference {

using Complex = std::complex<Real>;
template <class S> using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S> using Matrix3 = Eigen::Matrix<S, 3, 3>;

template <class S> struct Pose {
  Matrix3<S> R = Matrix3<S>::Identity();
  Vector3<S> p = Vector3<S>::Zero();
  friend Pose operator*(const Pose& x, const Pose& y) { return {x.R * y.R, x.p + x.R * y.p}; }
};

/// The same pose in another scalar.
template <class S, class A> Pose<S> widen(const Pose<A>& x) {
  Pose<S> y;
  for (int i = 0; i < 3; ++i) {
    y.p(i) = S(x.p(i));
    for (int j = 0; j < 3; ++j) y.R(i, j) = S(x.R(i, j));
  }
  return y;
}
/// From the library's type, with the rotation made orthonormal to the precision of Real.
Pose<Real> pose_of(const Transform<double>& x);

/// X_J(q) of a joint that a user defined; q is additive. Made by user_motion from one generic function.
struct UserMotion {
  int nq = 0;
  std::function<Pose<Jet<Real>>(const Jet<Real>* q, const std::vector<double>& parameters)> real;
  std::function<Pose<Jet<Complex>>(const Jet<Complex>* q, const std::vector<double>& parameters)> complex;
};
template <class F> UserMotion user_motion(int nq, F motion) { return {nq, motion, motion}; }
using UserMotions = std::map<std::string, UserMotion>;  ///< by name of the joint or of its UserJoint

/// One elementary joint of the list in model/joint_types.hpp.
struct Part {
  std::string type;
  int nq = 0, nv = 0;
  bool additive = true;                            ///< q (+) d = q + d
  Pose<Real> origin = {};                          ///< in the frame after the part before
  Vector3<Real> axis = {0, 0, 1};                  ///< unit length, joint frame
  Matrix3<Real> axes = Matrix3<Real>::Identity();  ///< the joint frame turned so that its z is the axis
  std::vector<double> parameters = {};
  UserMotion user = {};
};

/// The parts of a joint: one, or those of a composite joint, or none of a fixed one. Throws on an unknown type.
std::vector<Part> parts_of(const JointDescription& joint, const UserMotions& user = {});

/// The joint frame turned so that z becomes `axis`, by the smallest turn; about x where the axis is -z.
Matrix3<Real> axes_along(const Vector3<Real>& axis);
/// The turn by an angle about a unit axis: Rodrigues.
template <class J> Matrix3<J> turn(const Vector3<Real>& axis, const J& angle);

/// X_J(q) of one part; J is Jet<Real> or Jet<Complex>.
template <class J> Pose<J> motion(const Part& part, const J* q);
/// q <- q (+) d for a nilpotent d (products of its entries vanish).
template <class J> void increment(const Part& part, J* q, const J* d);
/// q <- q (+) d for a finite d, by power series of the exponential.
void integrate(const Part& part, Real* q, const Real* d);
/// Unit quaternions and unit circles get unit length.
template <class S> void normalise(const Part& part, S* q);

}  // namespace zwang::reference
