// SPDX-License-Identifier: BSD-3-Clause
// Random robots of RBDL's names, and what they do by means that know nothing of zwang: poses by products of 4 x 4
// matrices of the joints' definitions, rates by differences along a motion, forces by d'Alembert's principle.
#pragma once
#include <gtest/gtest.h>
#include <rbdl/rbdl.h>

#include <random>

namespace rbdl_test {

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

struct Draw {
  explicit Draw(unsigned seed) : random(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vector3d vector() { return {number(), number(), number()}; }
  Vector3d axis() { return vector().normalized(); }
  SpatialVector spatial() {
    SpatialVector out;
    out << vector(), vector();
    return out;
  }
  VectorNd numbers(long n) {
    VectorNd out(n);
    for (long k = 0; k < n; ++k) out[k] = number();
    return out;
  }
  SpatialTransform transform() { return {Xrot(2 * number(), axis()).E, vector()}; }
  /// The inertia of three rods that are orthogonal to each other.
  Body body() {
    const Vector3d rods = (vector().array().square() + 0.1).matrix();
    const Matrix3d E = transform().E,
                   moments(
                       Eigen::Matrix3d(Vector3d(rods[1] + rods[2], rods[0] + rods[2], rods[0] + rods[1]).asDiagonal()));
    return Body(1.5 + number(), vector(), Matrix3d(E * moments * E.transpose()));
  }
  Joint joint(int kind) {
    SpatialVector screw;
    const Vector3d u = axis();
    screw << u, number() * u;
    const auto turn = [](const Vector3d& about) {
      SpatialVector out;
      out << about, Vector3d::Zero();
      return out;
    };
    switch (kind % 14) {
      case 0: return Joint(JointTypeRevolute, axis());
      case 1: return Joint(JointTypePrismatic, axis());
      case 2: return Joint(JointTypeSpherical);
      case 3: return Joint(JointTypeEulerZYX);
      case 4: return Joint(JointTypeEulerXYZ);
      case 5: return Joint(JointTypeEulerYXZ);
      case 6: return Joint(JointTypeEulerZXY);
      case 7: return Joint(JointTypeTranslationXYZ);
      case 8: return Joint(JointTypeRevoluteX);
      case 9: return Joint(JointTypeRevoluteY);
      case 10: return Joint(JointTypeRevoluteZ);
      case 11: return Joint(screw);
      case 12: return Joint(turn(axis()), turn(axis()));
      default: return Joint(JointTypeFixed);
    }
  }
  /// A tree with every type of joint.
  Model model(int bodies, bool floating = false) {
    Model out;
    out.gravity = 5 * vector();
    std::vector<unsigned int> ids = {0};
    if (floating) ids.push_back(out.AddBody(0, transform(), Joint(JointTypeFloatingBase), body(), "base"));
    const int first = static_cast<int>(random() % 14);
    for (int k = 0; k < bodies; ++k) {
      const unsigned int parent = ids[ids.size() - 1 - random() % std::min<std::size_t>(3, ids.size())];
      ids.push_back(out.AddBody(parent, transform(), joint(first + k), body(), "body" + std::to_string(k)));
    }
    return out;
  }
  /// Quaternions of any length but zero.
  VectorNd q(const Model& model) { return numbers(model.q_size); }

  std::mt19937 random;
};

using Pose = Eigen::Matrix4d;

inline Pose pose(const Matrix3d& R, const Vector3d& p) {
  Pose out = Pose::Identity();
  out.topLeftCorner<3, 3>() = R;
  out.topRightCorner<3, 1>() = p;
  return out;
}
inline Pose turned(const Vector3d& axis, double angle) {
  return pose(Matrix3d(Eigen::AngleAxisd(angle, axis).toRotationMatrix()), Vector3d::Zero());
}

/// The pose of the child of a joint in the joint's frame.
inline Pose joint_pose(const Model& m, unsigned int i, const VectorNd& q) {
  const Joint& joint = m.mJoints[i];
  const unsigned int k = joint.q_index;
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  switch (joint.mJointType) {
    case JointTypeSpherical: {
      const Eigen::Quaterniond quaternion(q[m.multdof3_w_index[i]], q[k], q[k + 1], q[k + 2]);
      return pose(Matrix3d(quaternion.normalized().toRotationMatrix()), Vector3d::Zero());
    }
    case JointTypeEulerZYX: return turned(z, q[k]) * turned(y, q[k + 1]) * turned(x, q[k + 2]);
    case JointTypeEulerXYZ: return turned(x, q[k]) * turned(y, q[k + 1]) * turned(z, q[k + 2]);
    case JointTypeEulerYXZ: return turned(y, q[k]) * turned(x, q[k + 1]) * turned(z, q[k + 2]);
    case JointTypeEulerZXY: return turned(z, q[k]) * turned(x, q[k + 1]) * turned(y, q[k + 2]);
    case JointTypeTranslationXYZ: return pose(Matrix3dIdentity, q.segment<3>(k));
    default: {
      const SpatialVector& axis = joint.mJointAxes[0];
      const Vector3d turn = axis.head<3>(), slide = axis.tail<3>();
      Pose out = turn.isZero(0) ? Pose(Pose::Identity()) : turned(turn, q[k]);
      out.topRightCorner<3, 1>() = q[k] * slide;
      return out;
    }
  }
}
inline Pose body_pose(const Model& m, unsigned int id, const VectorNd& q) {
  if (m.IsFixedBodyId(id)) {
    const FixedBody& fixed = m.mFixedBodies[id - m.fixed_body_discriminator];
    return body_pose(m, fixed.mMovableParent, q) * pose(fixed.mParentTransform.E.transpose(), fixed.mParentTransform.r);
  }
  if (id == 0) return Pose::Identity();
  return body_pose(m, m.lambda[id], q) * pose(m.X_T[id].E.transpose(), m.X_T[id].r) * joint_pose(m, id, q);
}

/// Q at time t of a motion with velocity v and acceleration a at t = 0.
inline VectorNd moved(const Model& m, const VectorNd& q, const VectorNd& v, const VectorNd& a, double t) {
  const VectorNd d = t * v + 0.5 * t * t * a;
  VectorNd out = q;
  for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
    const unsigned int k = m.mJoints[i].q_index;
    if (m.mJoints[i].mJointType != JointTypeSpherical) {
      for (unsigned int j = k; j < k + m.mJoints[i].mDoFCount; ++j) out[j] += d[j];
      continue;
    }
    const unsigned int w = m.multdof3_w_index[i];
    const Vector3d step = d.segment<3>(k);
    const Eigen::Quaterniond from(q[w], q[k], q[k + 1], q[k + 2]);
    const Eigen::Quaterniond to =
        from.normalized() * Eigen::Quaterniond(Eigen::AngleAxisd(step.norm(), step.stableNormalized()));
    out[k] = to.x();
    out[k + 1] = to.y();
    out[k + 2] = to.z();
    out[w] = to.w();
  }
  return out;
}

/// Pose of a body and its first two rates along a motion, by differences of fourth order over steps of 1e-3: roundings
/// over the step 1e-12, over its square 1e-9.
struct Rates {
  Pose X, first, second;
  Vector3d p(const Vector3d& point) const { return (X * point.homogeneous()).head<3>(); }
  Vector3d velocity(const Vector3d& point) const { return (first * point.homogeneous()).head<3>(); }
  Vector3d acceleration(const Vector3d& point) const { return (second * point.homogeneous()).head<3>(); }
  Matrix3d R() const { return X.topLeftCorner<3, 3>(); }
  Vector3d omega() const { return vee(first.topLeftCorner<3, 3>() * R().transpose()); }
  Vector3d alpha() const { return vee(second.topLeftCorner<3, 3>() * R().transpose()); }  // the rest is symmetric
  static Vector3d vee(const Eigen::Matrix3d& W) {
    return 0.5 * Vector3d(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  }
};
inline Rates rates(const Model& m, unsigned int id, const VectorNd& q, const VectorNd& v, const VectorNd& a) {
  const double h = 1e-3;
  const auto at = [&](double t) { return body_pose(m, id, moved(m, q, v, a, t)); };
  const Pose now = at(0), n1 = at(h), p1 = at(-h), n2 = at(2 * h), p2 = at(-2 * h);
  return {now, (8 * (n1 - p1) - (n2 - p2)) / (12 * h), (16 * (n1 + p1) - (n2 + p2) - 30 * now) / (12 * h * h)};
}

/// Largest difference in units of 1 + the largest entry.
template <class A, class B> double difference(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return 1e300;
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}

/// [angular; linear] Jacobian of a point, column by column.
inline MatrixNd jacobian(const Model& m, unsigned int id, const Vector3d& point, const VectorNd& q) {
  MatrixNd out(6, m.dof_count);
  const VectorNd none = VectorNd::Zero(m.dof_count);
  for (unsigned int k = 0; k < m.dof_count; ++k) {
    const Rates r = rates(m, id, q, VectorNd::Unit(m.dof_count, k), none);
    out.col(k) << r.omega(), r.velocity(point);
  }
  return out;
}

/// Tau by d'Alembert: sum over bodies of J^T (m (a - g); I alpha + w x I w), minus external wrenches.
inline VectorNd alembert(const Model& m, const VectorNd& q, const VectorNd& v, const VectorNd& a,
                         const std::vector<SpatialVector>* f_ext = nullptr) {
  VectorNd tau = VectorNd::Zero(m.dof_count);
  for (unsigned int i = 1; i < m.mBodies.size(); ++i) {
    const Body& body = m.mBodies[i];
    const Rates r = rates(m, i, q, v, a);
    const Matrix3d I = r.R() * body.mInertia * r.R().transpose();
    const Vector3d w = r.omega(), Iw = I * w;
    SpatialVector f;
    f << I * r.alpha() + w.cross(Iw), body.mMass * (r.acceleration(body.mCenterOfMass) - m.gravity);
    if (f_ext != nullptr) {  // from the base's origin to the centre of mass
      const Vector3d force = (*f_ext)[i].tail<3>();
      f.tail<3>() -= force;
      f.head<3>() -= (*f_ext)[i].head<3>() - r.p(body.mCenterOfMass).cross(force);
    }
    tau += jacobian(m, i, body.mCenterOfMass, q).transpose() * f;
  }
  return tau;
}

}  // namespace rbdl_test
