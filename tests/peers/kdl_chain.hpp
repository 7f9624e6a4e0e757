// SPDX-License-Identifier: BSD-3-Clause
// KDL's chain of a description: what both libraries are given is the same robot.
//
// KDL moves by fixed axes: a segment's joint lies, at q = 0, at the joint's origin in the tip frame of the segment
// before; the tip frame is the child link's; inertia is in the tip frame about the tip (its solvers read it so,
// whatever its manual says).
#pragma once
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "zwang/model/builder.hpp"

namespace zwang::test {

inline KDL::Vector kdl(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline KDL::Frame kdl(const Transform<double>& x) {
  const Mat3<double>& R = x.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), kdl(x.p)};
}
inline KDL::RigidBodyInertia kdl(const LinkDescription& l) {
  const Sym3<double>& I = l.inertia;
  return KDL::RigidBodyInertia(l.mass, kdl(l.centre), KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
}
inline double first(const std::vector<double>& x, double otherwise) { return x.empty() ? otherwise : x[0]; }

inline KDL::Joint kdl_joint(const JointDescription& j) {
  if (j.type == "fixed") return KDL::Joint(j.name, KDL::Joint::Fixed);
  const KDL::Frame origin = kdl(j.origin);
  const double ratio = first(j.gear_ratio, 1), rotor = ratio * ratio * first(j.rotor_inertia, 0);
  const KDL::Joint::JointType type = j.type == "prismatic" ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
  return {j.name, origin.p, origin.M * (kdl(j.axis) / kdl(j.axis).Norm()), type, 1, 0, rotor};
}
/// Links of a chain in the order of the description.
inline KDL::Chain kdl_chain(const RobotDescription& robot) {
  KDL::Chain chain;
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    chain.addSegment(KDL::Segment(robot.joints[i].child, kdl_joint(robot.joints[i]), kdl(robot.joints[i].origin),
                                  kdl(robot.links[i + 1])));
  return chain;
}

inline KDL::JntArray kdl(const Eigen::VectorXd& x) {
  KDL::JntArray a(static_cast<unsigned>(x.size()));
  a.data = x;
  return a;
}
inline KDL::Wrench kdl_wrench(const double* w) {
  return {KDL::Vector(w[0], w[1], w[2]), KDL::Vector(w[3], w[4], w[5])};
}

}  // namespace zwang::test
