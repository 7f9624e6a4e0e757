// SPDX-License-Identifier: BSD-3-Clause
// Independent readings of a description, with Eigen and none of the library's frames: what the model is held against.
#pragma once
#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <stdexcept>

#include "model/model_impl.hpp"
#include "support/rolling_joint.hpp"
#include "zwang/core/random.hpp"
#include "zwang/model/builder.hpp"
#include "zwang/model/joint_types.hpp"

namespace zwang::plain {

using Pose = Eigen::Isometry3d;

using test::Rolling;

inline Eigen::Vector3d eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Eigen::Matrix3d eigen(const Mat3<double>& m) {
  Eigen::Matrix3d e;
  for (int i = 0; i < 9; ++i) e(i / 3, i % 3) = m(i / 3, i % 3);
  return e;
}
inline Pose eigen(const Transform<double>& x) {
  Pose p = Pose::Identity();
  p.linear() = eigen(x.R);
  p.translation() = eigen(x.p);
  return p;
}
inline Pose turn(const Eigen::Vector3d& axis, double angle) { return Pose(Eigen::AngleAxisd(angle, axis)); }
/// The least turn from z to a unit vector; at -z, where its axis is free, half a turn about x. As an angle about an
/// axis: Eigen's FromTwoVectors divides by sqrt(1 + cos), of which few digits are left near -z.
inline Eigen::Quaterniond least_turn(const Eigen::Vector3d& a) {
  const double sine = std::hypot(a.x(), a.y());
  const Eigen::Vector3d about = sine > 0 ? Eigen::Vector3d(-a.y() / sine, a.x() / sine, 0) : Eigen::Vector3d::UnitX();
  return Eigen::Quaterniond(Eigen::AngleAxisd(std::atan2(sine, a.z()), about));
}
inline Pose slide(const Eigen::Vector3d& p) { return Pose(Eigen::Translation3d(p)); }

/// What one joint type does in the joint frame, from the words of its file.
inline Pose joint_motion(const std::string& type, const Vec3<double>& axis, const std::vector<double>& p,
                         const double* q) {
  const Eigen::Vector3d a = eigen(axis).normalized(), x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                        z = Eigen::Vector3d::UnitZ();
  const Eigen::Quaterniond least = least_turn(a);
  if (type == "revolute" || type == "continuous") return turn(a, q[0]);
  if (type == "prismatic") return slide(a * q[0]);
  if (type == "floating") return slide({q[0], q[1], q[2]}) * Pose(Eigen::Quaterniond(q[6], q[3], q[4], q[5]));
  if (type == "spherical") return Pose(Eigen::Quaterniond(q[3], q[0], q[1], q[2]));
  if (type == "planar") return slide(least * Eigen::Vector3d(q[0], q[1], 0)) * turn(a, q[2]);
  if (type == "translation") return slide({q[0], q[1], q[2]});
  if (type == "revolute_unbounded") return turn(a, std::atan2(q[1], q[0]));
  if (type == "helical") return slide(a * (p[0] * q[0])) * turn(a, q[0]);
  if (type == "cylindrical") return slide(a * q[0]) * turn(a, q[1]);
  if (type == "universal") return turn(a, q[0]) * turn(least * x, q[1]);
  if (type == "spherical_zyx") return turn(z, q[0]) * turn(y, q[1]) * turn(x, q[2]);
  if (type == "ellipsoid") {
    const Pose R = turn(x, q[0]) * turn(y, q[1]) * turn(z, q[2]);
    return slide(Eigen::Vector3d(p[0], p[1], p[2]).cwiseProduct(R.linear() * z)) * R;
  }
  if (type == "fixed") return Pose::Identity();
  throw std::logic_error("plain_model.hpp: say what a joint of type '" + type + "' does");
}

inline Pose joint_motion(const JointDescription& j, const double* q) {
  if (j.user != nullptr) {  // of the Rolling joint about its axis
    const Pose least(least_turn(eigen(j.axis).normalized()));
    return least * slide({q[0] * j.parameters[0], 0, 0}) * turn(Eigen::Vector3d::UnitZ(), q[1]) * least.inverse();
  }
  if (j.type != "composite") return joint_motion(j.type, j.axis, j.parameters, q);
  Pose all = Pose::Identity();
  for (const JointPart& part : j.parts) {
    all = all * eigen(part.origin) * joint_motion(part.type, part.axis, part.parameters, q);
    if (part.type != "fixed") q += find_joint_type(part.type == "continuous" ? "revolute" : part.type)->nq;
  }
  return all;
}

/// Poses of all links in the world: joint origins and motions from the root to the leaves, mimics followed by name.
inline std::vector<Pose> link_poses(const Model& model, const std::vector<double>& q) {
  const RobotDescription& robot = model.description();
  std::map<std::string, const JointDescription*> carrier, joint_of;
  for (const Joint& j : model.joints()) carrier[j.description.child] = joint_of[j.name] = &j.description;
  const auto coordinates = [&](const JointDescription& joint) {
    const JointDescription* at = &joint;
    double m = 1, o = 0;        // q_joint = m q_at + o
    const auto follows = [&] {  // the model shows a follower its leader's coordinate
      const Joint& seen = model.joint(at->name);
      const auto leader = joint_of.find(at->mimic.leader);
      return leader != joint_of.end() && seen.q.size > 0 && seen.q.first == model.joint(leader->first).q.first;
    };
    while (follows()) {
      o += m * at->mimic.offset;
      m *= at->mimic.multiplier;
      at = joint_of.at(at->mimic.leader);
    }
    const Range r = model.joint(at->name).q;
    std::vector<double> own(q.begin() + r.first, q.begin() + r.end());
    if (m != 1 || o != 0) own[0] = m * own[0] + o;
    return own;
  };
  std::map<std::string, Pose> pose;
  std::vector<std::string> path;
  for (const LinkDescription& l : robot.links) {
    for (std::string at = l.name; !pose.contains(at);) {
      path.push_back(at);
      if (!carrier.contains(at) || carrier[at]->parent.empty()) break;
      at = carrier[at]->parent;
    }
    for (; !path.empty(); path.pop_back()) {
      const std::string& name = path.back();
      Pose x = Pose::Identity();
      if (carrier.contains(name)) {
        const JointDescription& j = *carrier[name];
        if (!j.parent.empty()) x = pose.at(j.parent);
        const std::vector<double> own = coordinates(j);
        x = x * eigen(j.origin) * joint_motion(j, own.data()) * eigen(j.child_origin).inverse();
      }
      pose.emplace(name, x);
    }
  }
  std::vector<Pose> out;
  for (const LinkDescription& l : robot.links) out.push_back(pose.at(l.name));
  return out;
}

/// A configuration from the joints' own generators.
inline std::vector<double> random_configuration(const Model& model, std::uint64_t seed) {
  Random random(seed, 7);
  std::vector<double> q(static_cast<std::size_t>(model.nq()), 0.0);
  const Tree<double>& t = model.tree<double>();
  for (Index b = 1; b <= t.n; ++b) {
    const Body<double>& body = t.body[b];
    if (body.nq == 0) continue;
    const Index first = t.q_source[body.q];
    if (body.user != nullptr) {
      for (Index k = 0; k < body.nq; ++k) q[static_cast<std::size_t>(first + k)] = random.uniform(-1, 1);
      continue;
    }
    visit(body.kind, [&]<class J>(J) {
      if constexpr (!std::is_same_v<J, User>)
        J::random(random, &model.lower()[static_cast<std::size_t>(first)],
                  &model.upper()[static_cast<std::size_t>(first)], &q[static_cast<std::size_t>(first)]);
    });
  }
  return q;
}

/// Poses of the bodies in the world through placements and the joint files' place().
template <class T> std::vector<Transform<T>> body_poses(const Tree<T>& t, const std::vector<double>& model_q) {
  std::vector<T> q(static_cast<std::size_t>(t.spanning_nq)), s(static_cast<std::size_t>(t.angles)), c(s.size());
  for (Index i = 0; i < t.spanning_nq; ++i)
    q[static_cast<std::size_t>(i)] =
        t.q_multiplier[i] * static_cast<T>(model_q[static_cast<std::size_t>(t.q_source[i])]) + t.q_offset[i];
  for (Index i = 0; i < t.angles; ++i) {
    s[static_cast<std::size_t>(i)] = std::sin(q[static_cast<std::size_t>(t.angle_q[i])]);
    c[static_cast<std::size_t>(i)] = std::cos(q[static_cast<std::size_t>(t.angle_q[i])]);
  }
  std::vector<Transform<T>> X(static_cast<std::size_t>(t.n) + 1, Transform<T>::identity());
  for (Index b = 1; b <= t.n; ++b) {
    const Body<T>& body = t.body[b];
    const JointInput<T> in{q.data() + body.q, s.data() + body.angle, c.data() + body.angle, body.parameters, body.user};
    Transform<T> local;
    visit(body.kind, [&]<class J>(J) { J::place(body, in, local); });
    X[static_cast<std::size_t>(b)] = X[static_cast<std::size_t>(body.parent)] * local;
  }
  return X;
}

/// The 6x6 inertia about the world's origin of mass m at c with inertia I about c, all in world axes.
inline Eigen::Matrix<double, 6, 6> dense_inertia(double m, const Eigen::Vector3d& c, const Eigen::Matrix3d& I) {
  Eigen::Matrix3d cx;
  cx << 0, -c.z(), c.y(), c.z(), 0, -c.x(), -c.y(), c.x(), 0;
  Eigen::Matrix<double, 6, 6> M;
  M << m * Eigen::Matrix3d::Identity(), -m * cx, m * cx, I - m * cx * cx;
  return M;
}

/// Random robots of the given seed, with every joint type, a user-defined one, mimics and a moving or fixed root.
inline const char* random_root(std::uint64_t seed) {
  const char* roots[4] = {"automatic", "floating", "planar", "spherical"};
  return roots[seed % 4];
}

}  // namespace zwang::plain
