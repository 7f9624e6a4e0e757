// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <kdl/zwang_model.hpp>
#include <set>
#include <stdexcept>

#include "robot.hpp"
#include "zwang/model/description.hpp"

namespace KDL {

namespace {

using detail::from;
using detail::to;

RigidBodyInertia inertia_of(const zwang::LinkDescription& link) {
  const zwang::Sym3<double>& I = link.inertia;
  return RigidBodyInertia(link.mass, from(link.centre), RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
}

double first_or(const std::vector<double>& numbers, double other) { return numbers.empty() ? other : numbers.front(); }

Joint joint_of(const zwang::JointDescription& joint) {
  if (joint.closes_loop || !joint.mimic.leader.empty())
    throw std::invalid_argument("tree_of: KDL has no joint that " +
                                std::string(joint.closes_loop ? "closes a loop" : "mimics another one") + ": '" +
                                joint.name + "'");
  if (joint.type == "fixed") return Joint(joint.name, Joint::Fixed);
  const bool turns = joint.type == "revolute" || joint.type == "continuous";
  if (!turns && joint.type != "prismatic")
    throw std::invalid_argument("tree_of: KDL has no joint of the type " + joint.type + ": '" + joint.name + "'");
  const double ratio = first_or(joint.gear_ratio, 1);
  return Joint(joint.name, from(joint.origin.p), from(joint.origin).M * from(joint.axis),
               turns ? Joint::RotAxis : Joint::TransAxis, 1, 0, ratio * ratio * first_or(joint.rotor_inertia, 0));
}

}  // namespace

Tree tree_of(const zwang::RobotDescription& robot) {
  std::set<std::string> children;
  for (const zwang::JointDescription& joint : robot.joints)
    if (!joint.closes_loop) children.insert(joint.child);
  const auto root = std::find_if(robot.links.begin(), robot.links.end(),
                                 [&](const auto& link) { return children.count(link.name) == 0; });
  if (root == robot.links.end()) throw std::invalid_argument("tree_of: the robot has no root");
  Tree tree(root->name);
  // Joints may stand before those that they hang at: passes over what is left, until nothing is.
  std::vector<const zwang::JointDescription*> left;
  for (const zwang::JointDescription& joint : robot.joints) left.push_back(&joint);
  while (!left.empty()) {
    const std::size_t before = left.size();
    std::vector<const zwang::JointDescription*> waiting;
    for (const zwang::JointDescription* joint : left) {
      const Joint moved = joint_of(*joint);
      const Frame tip = from(joint->origin) * from(joint->child_origin).Inverse();
      const auto link = std::find_if(robot.links.begin(), robot.links.end(),
                                     [&](const auto& other) { return other.name == joint->child; });
      if (link == robot.links.end()) throw std::invalid_argument("tree_of: no link is called '" + joint->child + "'");
      if (!tree.addSegment(Segment(link->name, moved, tip, inertia_of(*link)), joint->parent)) waiting.push_back(joint);
    }
    left = waiting;
    if (left.size() == before)
      throw std::invalid_argument("tree_of: joint '" + left.front()->name + "' does not hang at the root");
  }
  return tree;
}

zwang::RobotDescription description_of(const Tree& tree) {
  zwang::RobotDescription robot;
  robot.name = "KDL";
  std::set<std::string> names;
  struct Open {
    SegmentMap::const_iterator element;
    std::string parent;
    Frame parent_tip;  ///< in the parent link
  };
  const SegmentMap::const_iterator root = tree.getRootSegment();
  robot.links.push_back({.name = root->first});
  std::vector<Open> open;
  const auto push = [&](const TreeElement& element, const std::string& parent, const Frame& tip) {
    for (auto child = element.children.rbegin(); child != element.children.rend(); ++child)
      open.push_back({*child, parent, tip});
  };
  push(root->second, root->first, Frame::Identity());
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    const Segment& segment = next.element->second.segment;
    const Joint& joint = segment.getJoint();
    const Frame tip = segment.getFrameToTip();
    const bool is_fixed = joint.getType() == Joint::Fixed;
    if (!is_fixed && joint.getScale() == 0)
      throw std::invalid_argument("description_of: the joint of segment '" + segment.getName() + "' has the scale 0");
    // The axis meets the tip: of a sliding joint always, for it has no place.
    const Vector lever = (tip.p - joint.JointOrigin()) * joint.JointAxis();
    const bool at_tip = is_fixed || joint.getType() >= Joint::TransAxis || lever.Norm(0) <= 1e-15 * tip.p.Norm(0);
    const Frame link = at_tip ? tip : Frame(joint.JointOrigin());
    const Frame tip_in_link = link.Inverse() * tip;

    zwang::JointDescription out;
    const bool has_name = !joint.getName().empty() && joint.getName() != "NoName" && names.count(joint.getName()) == 0;
    out.name = has_name ? joint.getName() : "joint of " + segment.getName();
    names.insert(out.name);
    out.parent = next.parent;
    out.child = segment.getName();
    out.origin = to(next.parent_tip * link);
    out.type = is_fixed ? "fixed" : joint.getType() <= Joint::RotZ ? "continuous" : "prismatic";
    if (!is_fixed) {
      const double square = joint.getScale() * joint.getScale();
      out.axis = to(link.M.Inverse(joint.JointAxis()));
      out.rotor_inertia = {joint.getInertia() / square};
      out.damping = {joint.getDamping() / square};
      out.stiffness = {joint.getStiffness() / square};
    }
    robot.joints.push_back(out);

    const RigidBodyInertia I = tip_in_link * segment.getInertia();
    const RotationalInertia about_centre = I.RefPoint(I.getCOG()).getRotationalInertia();
    const double* d = about_centre.data;
    robot.links.push_back({.name = segment.getName(),
                           .mass = I.getMass(),
                           .centre = to(I.getCOG()),
                           .inertia = {d[0], d[1], d[2], d[4], d[5], d[8]}});
    if (!at_tip)
      robot.frames.push_back(
          {.name = segment.getName() + "_tip", .parent = segment.getName(), .placement = to(tip_in_link)});
    push(next.element->second, segment.getName(), tip_in_link);
  }
  return robot;
}

}  // namespace KDL
