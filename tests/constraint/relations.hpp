// SPDX-License-Identifier: BSD-3-Clause
// What a Relation must come to: phi, its derivative by every coordinate and its second derivative along the motion,
// from formulas of phi over poses of the reference, differentiated by jets in long double.
#pragma once
#include <cmath>
#include <functional>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang::test {

inline constexpr double k_tolerance = 1e-12;  ///< of the magnitudes of the terms: each test says why

using reference::Real;
using Vec = reference::VectorX<Real>;
using Mat = reference::MatrixX<Real>;
using J = reference::Jet<Real>;
using JetPose = reference::Pose<J>;
using JetVector = reference::Vector3<J>;
using JetMatrix = reference::Matrix3<J>;

// --- functions of jets that jet.hpp does not have -----------------------------------------------------------
inline J inverse(const J& x) { return extend(x, 1 / x.a, -1 / (x.a * x.a), 2 / (x.a * x.a * x.a)); }
inline J root(const J& x) {
  const Real r = std::sqrt(x.a);
  return extend(x, r, 1 / (2 * r), -1 / (4 * r * r * r));
}
/// The angle of (x, y), turned so that the jet's own value is zero: atan' = 1 and atan'' = 0 there.
inline J angle(const J& y, const J& x) {
  const Real t = std::atan2(y.a, x.a), c = std::cos(t), s = std::sin(t);
  const J small = (y * J(c) - x * J(s)) * inverse(x * J(c) + y * J(s));
  return extend(small, Real(0), Real(1), Real(0)) + J(t);
}
inline JetVector cross(const JetVector& a, const JetVector& b) {
  return {a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0)};
}
inline J dot(const JetVector& a, const JetVector& b) { return a(0) * b(0) + a(1) * b(1) + a(2) * b(2); }
inline JetVector times(const JetMatrix& R, const JetVector& a) { return R * a; }
inline JetVector constant(const Vec3<double>& a) { return {J(Real(a.x)), J(Real(a.y)), J(Real(a.z))}; }
inline JetVector scaled(const JetVector& a, const J& s) { return {a(0) * s, a(1) * s, a(2) * s}; }
/// The rotation vector of R from its skew part, sin(t) u, and its trace, 1 + 2 cos(t).
JetVector rotation_vector(const JetMatrix& R);

// --- a frame that moves ----------------------------------------------------------------------------------------
/// Where a side of a relation is: a frame of the reference, or the world where the name is empty.
struct Side {
  std::string frame = {};
  Transform<double> offset = Transform<double>::identity();
};
/// Pose as a jet: e1 along a unit of coordinate k, or e1 and e2 both along the motion at zero acceleration.
JetPose pose_along(const reference::State& s, const Side& side, int k);
JetPose pose_in_time(const reference::State& s, const Side& side);

/// What rows are by definition.
struct Defined {
  Vec phi;       ///< NaN: not asked
  Mat jacobian;  ///< d phi / dq
  Vec drift;     ///< J' v
};
using Errors = std::function<std::vector<J>(const JetPose& a, const JetPose& b)>;
Defined defined_by(const reference::State& s, const Side& a, const Side& b, const Errors& phi);

/// What the relation says, made of its wrenches on bodies.
struct Said {
  Vec phi, drift, size_of_drift;
  Mat jacobian, size_of_jacobian;
  std::vector<Force<double>> K;
  std::vector<double> as_given;
};
Said said_by(const Model& model, Data& data, const Relation& relation, const Eigen::VectorXd& q,
             const Eigen::VectorXd& v);

/// Every row within `tolerance` of the magnitudes of its terms.
void expect_same(const Said& got, const Defined& expected, double tolerance);

/// Pose of a frame at the positions of `data`; of the world where the name is empty.
Transform<double> pose_now(const Case& c, const Data& data, const std::string& frame);
/// The wrenches that users see, in the axes and about the origin of `seen` (in the world),
/// are those on the body of `on`.
void expect_given(const Case& c, const Data& data, const Said& said, const Relation& relation, const std::string& on,
                  Transform<double> seen);

/// A random tree with frames `tool` and `far` on links, `plate` and `rail` on a link that is fixed to the ground.
Case random_tree(std::uint64_t seed, int joints);
/// One of these, or a link.
std::string some_frame(const Case& c, Random& random);

}  // namespace zwang::test
