// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the joints for the reference (support/reference_joints.hpp).
#include "support/reference_joints.hpp"

#include <stdexcept>

#include "zwang/model/user_joint.hpp"

namespace zwang::reference {

namespace {

template <class J> Matrix3<J> cross_matrix(const Vector3<J>& a) {
  Matrix3<J> m;
  const J o(0);
  m << o, -a(2), a(1), a(2), o, -a(0), -a(1), a(0), o;
  return m;
}
template <class J, class A> Vector3<J> scaled(const Vector3<A>& axis, const J& x) {
  return {J(axis(0)) * x, J(axis(1)) * x, J(axis(2)) * x};
}
/// 1 + s [a] + (1 - c) [a]^2
template <class J> Matrix3<J> rodrigues(const Vector3<Real>& axis, const J& c, const J& s) {
  const Matrix3<J> a = cross_matrix<J>(scaled(axis, J(1)));
  Matrix3<J> R = Matrix3<J>::Identity();
  const Matrix3<J> aa = a * a;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) += a(i, j) * s + aa(i, j) * (J(1) - c);
  return R;
}
/// x y z w: columns are the images of the axes, q e q*.
template <class J> Matrix3<J> of_quaternion(const J* q) {
  const Vector3<J> u(q[0], q[1], q[2]);
  const Matrix3<J> x = cross_matrix(u), xx = x * x;
  Matrix3<J> R = Matrix3<J>::Identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) += J(2) * (q[3] * x(i, j) + xx(i, j));
  return R;
}
/// q <- q * (u, w) by Hamilton's product, scalar last.
template <class J> void multiply_quaternion(J* q, const J& x, const J& y, const J& z, const J& w) {
  const J a = q[0], b = q[1], c = q[2], d = q[3];
  q[0] = d * x + a * w + b * z - c * y;
  q[1] = d * y - a * z + b * w + c * x;
  q[2] = d * z + a * y - b * x + c * w;
  q[3] = d * w - a * x - b * y - c * z;
}
const Vector3<Real> k_x(1, 0, 0), k_y(0, 1, 0), k_z(0, 0, 1);

struct Counts {
  const char* type;
  int nq, nv;
  bool additive;
};
constexpr Counts k_counts[] = {{"revolute", 1, 1, true},
                               {"continuous", 1, 1, true},
                               {"prismatic", 1, 1, true},
                               {"helical", 1, 1, true},
                               {"cylindrical", 2, 2, true},
                               {"universal", 2, 2, true},
                               {"translation", 3, 3, true},
                               {"ellipsoid", 3, 3, true},
                               {"spherical_zyx", 3, 3, true},
                               {"spherical", 4, 3, false},
                               {"planar", 3, 3, false},
                               {"floating", 7, 6, false},
                               {"revolute_unbounded", 2, 1, false}};

Part part_of(const JointDescription& joint, const std::string& type, const zwang::Vec3<double>& axis,
             const std::vector<double>& parameters, const UserMotions& user) {
  Part part;
  part.type = type == "continuous" ? "revolute" : type;
  part.parameters = parameters;
  part.axis = Vector3<Real>(axis.x, axis.y, axis.z).normalized();
  part.axes = axes_along(part.axis);
  if (type == "user") {
    auto found = user.find(joint.name);
    if (found == user.end() && joint.user) found = user.find(joint.user->name);
    if (found == user.end()) throw std::invalid_argument("reference: no UserMotion for joint '" + joint.name + "'");
    part.user = found->second;
    part.nq = part.nv = part.user.nq;
    return part;
  }
  for (const Counts& c : k_counts)
    if (type == c.type) {
      part.nq = c.nq;
      part.nv = c.nv;
      part.additive = c.additive;
      return part;
    }
  throw std::invalid_argument("reference: unknown joint type '" + type + "' of joint '" + joint.name + "'");
}

template <class J> Pose<J> user_pose(const Part& part, const J* q) {
  if constexpr (std::is_same_v<J, Jet<Real>>)
    return part.user.real(q, part.parameters);
  else
    return part.user.complex(q, part.parameters);
}

}  // namespace

Pose<Real> pose_of(const Transform<double>& x) {
  Pose<Real> y;
  for (int i = 0; i < 3; ++i) {
    y.p(i) = x.p[i];
    for (int j = 0; j < 3; ++j) y.R(i, j) = x.R[i][j];
  }
  // Newton's iteration for the orthogonal polar factor: doubles are orthonormal to 1e-16, typed digits to less.
  for (int k = 0; k < 4; ++k)
    y.R = (y.R * (Real(3) * Matrix3<Real>::Identity() - y.R.transpose() * y.R) / Real(2)).eval();
  return y;
}

Matrix3<Real> axes_along(const Vector3<Real>& axis) {
  const Vector3<Real> n = k_z.cross(axis);  // sine of the turn times its axis
  const Real c = axis.z(), s = n.norm();
  if (s == 0)
    return c > 0 ? Matrix3<Real>(Matrix3<Real>::Identity()) : Matrix3<Real>(Vector3<Real>(1, -1, -1).asDiagonal());
  return rodrigues<Real>(n / s, c, s);
}

template <class J> Matrix3<J> turn(const Vector3<Real>& axis, const J& angle) {
  using std::cos, std::sin;
  return rodrigues<J>(axis, cos(angle), sin(angle));
}

std::vector<Part> parts_of(const JointDescription& joint, const UserMotions& user) {
  if (joint.type == "fixed") return {};
  if (joint.type != "composite") return {part_of(joint, joint.type, joint.axis, joint.parameters, user)};
  std::vector<Part> parts;
  Pose<Real> origin;  // of fixed parts on the way
  for (const JointPart& p : joint.parts) {
    origin = origin * pose_of(p.origin);
    if (p.type == "fixed") continue;
    parts.push_back(part_of(joint, p.type, p.axis, p.parameters, user));
    parts.back().origin = origin;
    origin = {};
  }
  if (!joint.parts.empty() && joint.parts.back().type == "fixed") {  // what follows the last motion moves nothing
    Part rest;
    rest.type = "fixed";
    rest.origin = origin;
    parts.push_back(rest);
  }
  return parts;
}

template <class J> Pose<J> motion(const Part& part, const J* q) {
  const std::string& t = part.type;
  const Matrix3<Real>& C = part.axes;
  const Vector3<Real> x = C.col(0), y = C.col(1);
  Pose<J> X;
  if (t == "revolute") {
    X.R = turn(part.axis, q[0]);
  } else if (t == "prismatic") {
    X.p = scaled(part.axis, q[0]);
  } else if (t == "helical") {
    X.R = turn(part.axis, q[0]);
    X.p = scaled(part.axis, J(Real(part.parameters.at(0))) * q[0]);
  } else if (t == "cylindrical") {
    X.R = turn(part.axis, q[1]);
    X.p = scaled(part.axis, q[0]);
  } else if (t == "universal") {
    X.R = turn(part.axis, q[0]) * turn(x, q[1]);
  } else if (t == "revolute_unbounded") {
    X.R = rodrigues(part.axis, q[0], q[1]);
  } else if (t == "planar") {
    X.R = turn(part.axis, q[2]);
    X.p = scaled(x, q[0]) + scaled(y, q[1]);
  } else if (t == "translation") {
    X.p = Vector3<J>(q[0], q[1], q[2]);
  } else if (t == "spherical") {
    X.R = of_quaternion(q);
  } else if (t == "floating") {
    X.R = of_quaternion(q + 3);
    X.p = Vector3<J>(q[0], q[1], q[2]);
  } else if (t == "spherical_zyx") {
    X.R = turn(k_z, q[0]) * turn(k_y, q[1]) * turn(k_x, q[2]);
  } else if (t == "ellipsoid") {
    X.R = turn(k_x, q[0]) * turn(k_y, q[1]) * turn(k_z, q[2]);
    for (int k = 0; k < 3; ++k) X.p(k) = J(Real(part.parameters.at(k))) * X.R(k, 2);  // radii times the normal
  } else if (t == "user") {
    const Pose<J> turned{widen<J>(Pose<Real>{C, {}}).R, Vector3<J>::Zero()};
    X = turned * user_pose(part, q) * Pose<J>{turned.R.transpose(), Vector3<J>::Zero()};
  }
  return X;
}

template <class J> void increment(const Part& part, J* q, const J* d) {
  const std::string& t = part.type;
  if (part.additive) {
    for (int k = 0; k < part.nq; ++k) q[k] += d[k];
    return;
  }
  const J half(Real(0.5));
  if (t == "revolute_unbounded") {
    const J c = q[0], s = q[1];
    q[0] -= s * d[0];
    q[1] += c * d[0];
  } else if (t == "planar") {
    const J c = cos(q[2]), s = sin(q[2]);
    q[0] += c * d[0] - s * d[1];
    q[1] += s * d[0] + c * d[1];
    q[2] += d[2];
  } else if (t == "spherical") {
    multiply_quaternion(q, half * d[0], half * d[1], half * d[2], J(1));
  } else if (t == "floating") {
    const Vector3<J> p = of_quaternion(q + 3) * Vector3<J>(d[0], d[1], d[2]);
    for (int k = 0; k < 3; ++k) q[k] += p(k);
    multiply_quaternion(q + 3, half * d[3], half * d[4], half * d[5], J(1));
  }
}

namespace {
/// sum of [w]^k v / (k + 1)!: how far a body twist (v, w) moves the origin in unit time
Vector3<Real> travel(const Vector3<Real>& w, Vector3<Real> term) {
  Vector3<Real> sum = term;
  for (int k = 1; k < 80; ++k) {
    term = w.cross(term) / Real(k + 1);
    sum += term;
  }
  return sum;
}
void turn_quaternion(Real* q, const Vector3<Real>& w) {
  const Real angle = w.norm(), s = angle > 0 ? std::sin(angle / 2) / angle : Real(0.5);
  multiply_quaternion<Real>(q, s * w(0), s * w(1), s * w(2), std::cos(angle / 2));
}
}  // namespace

void integrate(const Part& part, Real* q, const Real* d) {
  const std::string& t = part.type;
  if (part.additive) {
    for (int k = 0; k < part.nq; ++k) q[k] += d[k];
  } else if (t == "revolute_unbounded") {
    const Real c = q[0], s = q[1], dc = std::cos(d[0]), ds = std::sin(d[0]);
    q[0] = c * dc - s * ds;
    q[1] = s * dc + c * ds;
  } else if (t == "planar") {
    const Vector3<Real> p = turn(k_z, q[2]) * travel({0, 0, d[2]}, {d[0], d[1], 0});
    q[0] += p(0);
    q[1] += p(1);
    q[2] += d[2];
  } else if (t == "spherical") {
    turn_quaternion(q, {d[0], d[1], d[2]});
  } else if (t == "floating") {
    const Vector3<Real> w(d[3], d[4], d[5]), p = of_quaternion(q + 3) * travel(w, {d[0], d[1], d[2]});
    for (int k = 0; k < 3; ++k) q[k] += p(k);
    turn_quaternion(q + 3, w);
  }
}

template <class S> void normalise(const Part& part, S* q) {
  const std::string& t = part.type;
  const int first = t == "floating" ? 3 : 0, last = t == "revolute_unbounded" ? 2
                                                    : t == "spherical"        ? 4
                                                    : t == "floating"         ? 7
                                                                              : 0;
  S sum(0);
  for (int k = first; k < last; ++k) sum += q[k] * q[k];
  for (int k = first; k < last; ++k) q[k] /= std::sqrt(sum);
}

template Matrix3<Real> turn(const Vector3<Real>&, const Real&);
template Matrix3<Jet<Real>> turn(const Vector3<Real>&, const Jet<Real>&);
template Matrix3<Jet<Complex>> turn(const Vector3<Real>&, const Jet<Complex>&);
template Pose<Jet<Real>> motion(const Part&, const Jet<Real>*);
template Pose<Jet<Complex>> motion(const Part&, const Jet<Complex>*);
template void increment(const Part&, Jet<Real>*, const Jet<Real>*);
template void increment(const Part&, Jet<Complex>*, const Jet<Complex>*);
template void normalise(const Part&, Real*);
template void normalise(const Part&, Complex*);

}  // namespace zwang::reference
