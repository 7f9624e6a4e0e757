// SPDX-License-Identifier: BSD-3-Clause
// Edits of numbers: what links weigh, where joints are, what they hold and lose; gravity.
#include <algorithm>
#include <cmath>

#include "algorithm/editing.hpp"
#include "zwang/algorithm/edit.hpp"

namespace zwang {
namespace {

using editing::at;
using editing::Names;
using editing::refuse;

std::string path_of(const char* kind, const std::string& name) {
  return "robot/" + std::string(kind) + "[" + name + "]";
}

template <class T> void set(T& to, const std::optional<T>& given) {
  if (given) to = *given;
}

void change(LinkDescription& link, const LinkParameters& p) {
  set(link.mass, p.mass);
  set(link.centre, p.centre);
  set(link.inertia, p.inertia);
  set(link.gravity_scale, p.gravity_scale);
}

bool bounded(const std::optional<std::vector<double>>& x) {
  return x && std::any_of(x->begin(), x->end(), [](double v) { return std::isfinite(v); });
}

bool has_numbers(const JointParameters& p) {
  return p.lower || p.upper || p.velocity || p.effort || p.damping || p.friction || p.stiffness || p.spring_reference ||
         p.rotor_inertia || p.gear_ratio || p.armature;
}

void change(JointDescription& joint, const JointParameters& p) {
  if (joint.type == "fixed" && has_numbers(p))
    refuse("E_PARAMETERS", path_of("joint", p.joint), "numbers for a fixed joint", "a joint that moves");
  if (joint.type == "continuous" && (bounded(p.lower) || bounded(p.upper)))
    refuse("E_LIMIT", path_of("joint", p.joint), "position limits on a continuous joint", "a joint of type 'revolute'");
  if (p.armature && (p.rotor_inertia || p.gear_ratio))
    refuse("E_PARAMETERS", path_of("joint", p.joint), "armature beside rotor_inertia or gear_ratio",
           "armature alone, or the other two");
  set(joint.lower, p.lower), set(joint.upper, p.upper), set(joint.velocity, p.velocity), set(joint.effort, p.effort);
  set(joint.damping, p.damping), set(joint.friction, p.friction);
  set(joint.stiffness, p.stiffness), set(joint.spring_reference, p.spring_reference);
  set(joint.rotor_inertia, p.rotor_inertia), set(joint.gear_ratio, p.gear_ratio);
  set(joint.origin, p.origin);
  if (!p.armature) return;
  joint.rotor_inertia = *p.armature;
  joint.gear_ratio = {1};
}

}  // namespace

Model with_parameters(const Model& model, const std::vector<LinkParameters>& links,
                      const std::vector<JointParameters>& joints) {
  RobotDescription robot = model.description();
  const Names<std::vector<LinkDescription>> link_number(robot.links);
  const Names<std::vector<JointDescription>> joint_number(robot.joints);
  for (const LinkParameters& p : links) {
    model.link(p.link);
    change(robot.links[at(link_number.find(p.link))], p);
  }
  for (const JointParameters& p : joints) {
    model.joint(p.joint);
    const Index number = joint_number.find(p.joint);
    if (number < 0)
      refuse("E_PARAMETERS", path_of("joint", p.joint),
             "'" + p.joint + "', the joint between the world and the root link", "a joint of the robot itself");
    change(robot.joints[at(number)], p);
  }
  return build(std::move(robot), model.options());
}

Model with_gravity(const Model& model, const Vec3<double>& gravity) {
  BuildOptions options = model.options();
  options.gravity = gravity;
  return build(model.description(), options);
}

}  // namespace zwang
