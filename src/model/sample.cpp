// SPDX-License-Identifier: BSD-3-Clause
// Sample robots of plausible size. Inertias are those of boxes and rods of the masses given.
#include "zwang/model/sample.hpp"

#include "zwang/core/error.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang {
namespace {

/// A solid box of edges x, y, z [m] whose centre is at `centre`.
LinkDescription box(const std::string& name, double mass, const Vec3<double>& size, const Vec3<double>& centre) {
  LinkDescription l{.name = name, .mass = mass, .centre = centre};
  const double k = mass / 12, xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
  l.inertia = Sym3<double>::diagonal(k * (yy + zz), k * (xx + zz), k * (xx + yy));
  Shape s;
  s.origin.p = centre;
  for (int i = 0; i < 3; ++i) s.size[i] = size[i];
  l.shapes.push_back(s);
  return l;
}

JointDescription hang(const std::string& name, const std::string& type, const std::string& parent,
                      const std::string& child, const Vec3<double>& at, const Vec3<double>& axis = {0, 0, 1}) {
  JointDescription j{.name = name, .type = type, .parent = parent, .child = child};
  j.origin.p = at;
  j.axis = axis;
  return j;
}

void limit(JointDescription& j, double lower, double upper, double velocity, double effort) {
  j.lower = {lower};
  j.upper = {upper};
  j.velocity = {velocity};
  j.effort = {effort};
}

}  // namespace

RobotDescription sample_chain(int links) {
  RobotDescription r{.name = "chain"};
  r.links.reserve(static_cast<std::size_t>(links) + 1);
  r.joints.reserve(static_cast<std::size_t>(links));
  r.links.push_back(box("link0", 1, {0.1, 0.1, 0.1}, {0, 0, 0}));
  const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 1; i <= links; ++i) {
    const std::string parent = "link" + std::to_string(i - 1), child = "link" + std::to_string(i);
    r.links.push_back(box(child, 0.5, {0.04, 0.04, 0.1}, {0, 0, 0.05}));
    r.joints.push_back(
        hang("joint" + std::to_string(i), "revolute", parent, child, {0, 0, i == 1 ? 0.05 : 0.1}, axes[(i - 1) % 3]));
    limit(r.joints.back(), -2, 2, 5, 50);
  }
  return r;
}

RobotDescription sample_arm7() {
  RobotDescription r{.name = "arm7"};
  r.links.push_back(box("base", 4, {0.2, 0.2, 0.15}, {0, 0, 0.075}));
  struct Segment {
    double mass, length, lower, upper, effort, rotor;
    Vec3<double> axis;
  };
  const Segment segments[7] = {
      {3.5, 0.18, -2.9, 2.9, 180, 1.1e-4, {0, 0, 1}}, {3.4, 0.20, -2.0, 2.0, 180, 1.1e-4, {0, 1, 0}},
      {3.0, 0.19, -2.9, 2.9, 110, 0.8e-4, {0, 0, 1}}, {2.7, 0.21, -2.1, 2.1, 110, 0.8e-4, {0, -1, 0}},
      {2.0, 0.17, -2.9, 2.9, 60, 0.5e-4, {0, 0, 1}},  {1.6, 0.09, -2.0, 2.0, 40, 0.4e-4, {0, 1, 0}},
      {0.6, 0.08, -3.0, 3.0, 30, 0.3e-4, {0, 0, 1}}};
  double up = 0.15;  // where the next joint stands on its parent
  for (int i = 0; i < 7; ++i) {
    const Segment& s = segments[i];
    const std::string parent = i == 0 ? "base" : "link" + std::to_string(i), child = "link" + std::to_string(i + 1);
    r.links.push_back(box(child, s.mass, {0.11, 0.1, s.length}, {0.01, 0, 0.5 * s.length}));
    JointDescription j = hang("joint" + std::to_string(i + 1), "revolute", parent, child, {0, 0, up}, s.axis);
    limit(j, s.lower, s.upper, 2.2, s.effort);
    j.rotor_inertia = {s.rotor};
    j.gear_ratio = {100};
    j.damping = {0.4};
    r.joints.push_back(std::move(j));
    up = s.length;
  }
  r.links.push_back(box("tool0", 0.3, {0.05, 0.05, 0.08}, {0, 0, 0.04}));
  r.joints.push_back(hang("tool_mount", "fixed", "link7", "tool0", {0, 0, up}));
  return r;
}

RobotDescription sample_quadruped() {
  RobotDescription r{.name = "quadruped"};
  r.links.push_back(box("trunk", 16, {0.55, 0.28, 0.14}, {0.005, 0, 0.01}));
  for (const bool front : {true, false}) {
    for (const bool left : {true, false}) {
      const std::string leg = std::string(left ? "L" : "R") + (front ? "F" : "H") + "_";
      const double x = front ? 0.24 : -0.24, side = left ? 1 : -1;
      r.links.push_back(box(leg + "hip", 1.6, {0.1, 0.08, 0.1}, {0, 0.02 * side, 0}));
      r.links.push_back(box(leg + "thigh", 1.9, {0.05, 0.05, 0.28}, {0, 0.015 * side, -0.11}));
      r.links.push_back(box(leg + "shank", 0.5, {0.03, 0.03, 0.28}, {0, 0, -0.13}));
      r.links.push_back(box(leg + "foot", 0.06, {0.04, 0.04, 0.04}, {0, 0, 0}));
      r.joints.push_back(hang(leg + "abduction", "revolute", "trunk", leg + "hip", {x, 0.09 * side, 0}, {1, 0, 0}));
      limit(r.joints.back(), -0.8, 0.8, 12, 40);
      r.joints.push_back(
          hang(leg + "hip_pitch", "revolute", leg + "hip", leg + "thigh", {0, 0.07 * side, 0}, {0, 1, 0}));
      limit(r.joints.back(), -1.4, 2.4, 12, 40);
      r.joints.push_back(hang(leg + "knee", "revolute", leg + "thigh", leg + "shank", {0, 0, -0.26}, {0, 1, 0}));
      limit(r.joints.back(), -2.5, -0.3, 12, 60);
      r.joints.push_back(hang(leg + "foot_mount", "fixed", leg + "shank", leg + "foot", {0, 0, -0.27}));
      for (std::size_t k = r.joints.size() - 4; k < r.joints.size() - 1; ++k) {
        r.joints[k].rotor_inertia = {6e-5};
        r.joints[k].gear_ratio = {9};
        r.joints[k].damping = {0.05};
      }
    }
  }
  return r;
}

RobotDescription sample_cart_pole() {
  RobotDescription r{.name = "cart_pole"};
  r.links = {box("rail", 10, {4, 0.1, 0.1}, {0, 0, 0}), box("cart", 2, {0.3, 0.2, 0.15}, {0, 0, 0}),
             box("pole", 0.4, {0.02, 0.02, 1.0}, {0, 0, 0.5})};
  r.joints = {hang("slide", "prismatic", "rail", "cart", {0, 0, 0.1}, {1, 0, 0}),
              hang("hinge", "continuous", "cart", "pole", {0, 0, 0.1}, {0, 1, 0})};
  limit(r.joints[0], -1.8, 1.8, 3, 100);
  r.joints[1].actuated = JointDescription::Actuated::no;
  return r;
}

RobotDescription sample_gripper() {
  RobotDescription r{.name = "gripper"};
  r.links = {box("mount", 0.5, {0.08, 0.08, 0.04}, {0, 0, 0.02}), box("palm", 0.7, {0.06, 0.18, 0.06}, {0, 0, 0.03}),
             box("left_finger", 0.1, {0.02, 0.015, 0.06}, {0, 0.01, 0.03}),
             box("right_finger", 0.1, {0.02, 0.015, 0.06}, {0, -0.01, 0.03})};
  r.joints = {hang("wrist", "revolute", "mount", "palm", {0, 0, 0.04}),
              hang("left_slide", "prismatic", "palm", "left_finger", {0, 0, 0.06}, {0, 1, 0}),
              hang("right_slide", "prismatic", "palm", "right_finger", {0, 0, 0.06}, {0, -1, 0})};
  limit(r.joints[0], -2.9, 2.9, 2.5, 20);
  limit(r.joints[1], 0, 0.04, 0.2, 60);
  limit(r.joints[2], 0, 0.04, 0.2, 60);
  r.joints[2].mimic = {"left_slide", 1, 0};
  return r;
}

RobotDescription sample_zoo() {
  std::vector<std::string> types = joint_type_names();
  types.insert(types.end(), {"continuous", "fixed", "composite"});
  RandomRobot options;
  options.joints = static_cast<int>(types.size());
  options.types = types;
  options.mimic = 0;
  RobotDescription r = random_robot(1, options);
  r.name = "zoo";
  return r;
}

std::vector<std::string> sample_names() { return {"chain", "arm7", "quadruped", "cart_pole", "gripper", "zoo"}; }

RobotDescription sample(const std::string& name) {
  if (name == "chain") return sample_chain(12);
  if (name == "arm7") return sample_arm7();
  if (name == "quadruped") return sample_quadruped();
  if (name == "cart_pole") return sample_cart_pole();
  if (name == "gripper") return sample_gripper();
  if (name == "zoo") return sample_zoo();
  detail::throw_unknown("sample robot", name, sample_names());
}

}  // namespace zwang
