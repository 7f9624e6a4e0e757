// SPDX-License-Identifier: BSD-3-Clause
// kdl_parser's names: a tree of a robot in URDF. Where there is none the functions say why on standard error and return
// false; the tree is then as it was. Segments, joints and inertias are those of tree_of() (kdl/zwang_model.hpp). As
// there, a joint that mimics moves by itself, and floating and planar joints are fixed, which is said.
// treeFromUrdfModel is here where the headers of urdfdom are.
#pragma once
#include <cstdio>
#include <string>

#include "../kdl/tree.hpp"

#if defined(__has_include)
#if __has_include(<urdf_model/model.h>)
#include <urdf_model/model.h>
#define ZWANG_KDL_PARSER_HAS_URDF_MODEL
#endif
#endif

namespace kdl_parser {

bool treeFromFile(const std::string& file, KDL::Tree& tree);
bool treeFromString(const std::string& xml, KDL::Tree& tree);

#ifdef ZWANG_KDL_PARSER_HAS_URDF_MODEL

namespace detail {

inline KDL::Vector vector_of(const urdf::Vector3& v) { return KDL::Vector(v.x, v.y, v.z); }
inline KDL::Frame frame_of(const urdf::Pose& pose) {
  double x = 0, y = 0, z = 0, w = 1;
  pose.rotation.getQuaternion(x, y, z, w);
  return KDL::Frame(KDL::Rotation::Quaternion(x, y, z, w), vector_of(pose.position));
}
inline KDL::Joint joint_of(const urdf::Joint& joint) {
  const KDL::Frame origin = frame_of(joint.parent_to_joint_origin_transform);
  const KDL::Vector axis = origin.M * vector_of(joint.axis);
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS: return KDL::Joint(joint.name, origin.p, axis, KDL::Joint::RotAxis);
    case urdf::Joint::PRISMATIC: return KDL::Joint(joint.name, origin.p, axis, KDL::Joint::TransAxis);
    case urdf::Joint::FIXED: return KDL::Joint(joint.name, KDL::Joint::Fixed);
    default:
      std::fprintf(stderr, "kdl_parser: joint '%s' is neither revolute nor prismatic, and is fixed in the tree\n",
                   joint.name.c_str());
      return KDL::Joint(joint.name, KDL::Joint::Fixed);
  }
}
/// Of a link without an inertial part: nothing.
inline KDL::RigidBodyInertia inertia_of(const urdf::Link& link) {
  if (!link.inertial) return KDL::RigidBodyInertia(0);
  const urdf::Inertial& given = *link.inertial;
  const KDL::Frame place = frame_of(given.origin);
  const KDL::RigidBodyInertia own(
      given.mass, KDL::Vector::Zero(),
      KDL::RotationalInertia(given.ixx, given.iyy, given.izz, given.ixy, given.ixz, given.iyz));
  return KDL::RigidBodyInertia(given.mass, place.p, (KDL::Frame(place.M) * own).getRotationalInertia());
}
inline bool add_children(const urdf::Link& link, KDL::Tree& tree) {
  for (const auto& child : link.child_links) {
    const urdf::Joint& joint = *child->parent_joint;
    const KDL::Segment segment(child->name, joint_of(joint), frame_of(joint.parent_to_joint_origin_transform),
                               inertia_of(*child));
    if (!tree.addSegment(segment, link.name) || !add_children(*child, tree)) return false;
  }
  return true;
}

}  // namespace detail

inline bool treeFromUrdfModel(const urdf::ModelInterface& robot_model, KDL::Tree& tree) {
  const auto root = robot_model.getRoot();
  if (!root) {
    std::fprintf(stderr, "kdl_parser: the robot has no root link\n");
    return false;
  }
  KDL::Tree made(root->name);
  if (!detail::add_children(*root, made)) return false;
  tree = made;
  return true;
}

#endif

}  // namespace kdl_parser
