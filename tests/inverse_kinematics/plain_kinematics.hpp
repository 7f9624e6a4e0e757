// SPDX-License-Identifier: BSD-3-Clause
// Forward kinematics by 4 x 4 matrices, from the description of a robot alone: what solutions are judged by.
#pragma once
#include <Eigen/Dense>

#include "zwang/core/eigen_types.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/model.hpp"

namespace zwang::test {

using Matrix4 = Eigen::Matrix4d;

inline Matrix4 plain(const Transform<double>& X) { return X.matrix(); }

inline Matrix4 plain_motion(const JointDescription& j, double q) {
  Matrix4 M = Matrix4::Identity();
  const Eigen::Vector3d u = Eigen::Vector3d(j.axis.x, j.axis.y, j.axis.z).normalized();
  if (j.type == "revolute" || j.type == "continuous" || j.type == "helical" || j.type == "revolute_unbounded") {
    Eigen::Matrix3d K;
    K << 0, -u.z(), u.y(), u.z(), 0, -u.x(), -u.y(), u.x(), 0;
    M.topLeftCorner<3, 3>() += std::sin(q) * K + (1 - std::cos(q)) * K * K;  // Rodrigues
  }
  if (j.type == "prismatic") M.topRightCorner<3, 1>() = q * u;
  if (j.type == "helical") M.topRightCorner<3, 1>() = q * j.parameters.at(0) * u;
  return M;
}

/// The value of a joint of one freedom, with what it mimics.
inline double plain_value(const Model& model, const std::string& name, const Eigen::VectorXd& q) {
  const Joint& j = model.joint(name);
  if (!j.description.mimic.leader.empty()) {
    const Mimic& m = j.description.mimic;
    return m.multiplier * plain_value(model, m.leader, q) + m.offset;
  }
  return j.type == "revolute_unbounded" ? std::atan2(q(j.q.first + 1), q(j.q.first)) : q(j.q.first);
}

/// Pose of a link in the root link's frame (whose joint to the world must be fixed).
inline Matrix4 plain_pose(const Model& model, const Eigen::VectorXd& q, const std::string& link) {
  for (const JointDescription& j : model.description().joints)
    if (j.child == link && !j.closes_loop) {
      const double value = j.type == "fixed" ? 0 : plain_value(model, j.name, q);
      return plain_pose(model, q, j.parent) * plain(j.origin) * plain_motion(j, value);
    }
  return Matrix4::Identity();
}
inline Matrix4 plain_pose(const Model& model, const Eigen::VectorXd& q, const std::string& base,
                          const std::string& tip) {
  return plain_pose(model, q, base).inverse() * plain_pose(model, q, tip);
}

inline Transform<double> pose_of(const Matrix4& M) { return Transform<double>(M); }

/// Largest of the six entries of the error: p_t - p, and the rotation vector of R_t R^T.
inline double pose_error(const Matrix4& X, const Matrix4& T) {
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(T.topLeftCorner<3, 3>() * X.topLeftCorner<3, 3>().transpose()));
  const double turned = (turn.angle() * turn.axis()).cwiseAbs().maxCoeff();
  return std::max((T - X).topRightCorner<3, 1>().cwiseAbs().maxCoeff(), turned);
}

/// All numbers of q are within the limits of the model, exactly.
inline bool within_limits(const Model& model, const Eigen::VectorXd& q) {
  for (Index k = 0; k < model.nq(); ++k)
    if (q(k) < model.lower()[static_cast<std::size_t>(k)] || q(k) > model.upper()[static_cast<std::size_t>(k)])
      return false;
  return true;
}

}  // namespace zwang::test
