// SPDX-License-Identifier: BSD-3-Clause
// Edits of joints: locked, kept, following each other.
#include "zwang/algorithm/edit.hpp"

#include <algorithm>

#include "algorithm/editing.hpp"
#include "algorithm/support.hpp"
#include "zwang/algorithm/kinematics.hpp"

namespace zwang {
namespace editing {

void refuse(const char* code, const std::string& path, const std::string& found, const std::string& expected,
            const std::string& hint) {
  Diagnostic d;
  d.code = code;
  d.path = path;
  d.found = found;
  d.expected = expected;
  d.hint = hint;
  throw ModelError({d});
}

}  // namespace editing

namespace {

using editing::at;
using editing::Names;
using editing::refuse;
using Joints = std::vector<JointDescription>;

constexpr const char* k_world = "world";  // the link that a locked root joint hangs on

std::string joint_path(const std::string& joint) { return "robot/joint[" + joint + "]"; }

/// The joints that BuildOptions::root adds become joints of the description, on a massless link `world`.
void write_out_roots(const Model& model, RobotDescription& robot, BuildOptions& options) {
  if (model.find_frame(k_world) || model.find_link(k_world))
    refuse("E_DUPLICATE", "robot/link[world]", "'world', the name of another link, joint or frame",
           "that name free: a link of that name carries a locked root joint", "name that link or frame otherwise");
  robot.links.push_back({.name = k_world});
  for (const Joint& j : model.joints()) {
    if (j.parent) continue;
    robot.joints.push_back(j.description);
    robot.joints.back().parent = k_world;
  }
  options.root = "fixed";
}

/// What j follows, through joints that follow themselves. Nobody in the chain is locked but the last.
Mimic through(const Joints& joints, const Names<Joints>& number, const std::vector<char>& locked, Mimic m) {
  while (locked[at(number.find(m.leader))]) {
    const Mimic& next = joints[at(number.find(m.leader))].mimic;
    m = {next.leader, m.multiplier * next.multiplier, m.multiplier * next.offset + m.offset};
  }
  return m;
}

/// Locks the joints of the model that are marked.
Model locked_model(const Model& model, const std::vector<char>& in_model, VectorIn q) {
  RobotDescription robot = model.description();
  BuildOptions options = model.options();
  for (const Joint& j : model.joints())
    if (!j.parent && in_model[static_cast<std::size_t>(&j - model.joints().data())]) {
      write_out_roots(model, robot, options);
      break;
    }
  const Names<Joints> number(robot.joints);
  std::vector<char> locked(robot.joints.size(), 0);
  for (std::size_t k = 0; k < in_model.size(); ++k)
    if (in_model[k]) locked[at(number.find(model.joints()[k].name))] = 1;

  // A locked leader locks its followers; with coordinates of their own they only forget it.
  const bool groups = !options.expand_mimic;
  const std::vector<char> named = locked;
  for (std::size_t k = 0; groups && k < robot.joints.size(); ++k) {
    if (robot.joints[k].closes_loop || robot.joints[k].type == "fixed") continue;
    std::size_t lead = k;
    while (!robot.joints[lead].mimic.leader.empty()) lead = at(number.find(robot.joints[lead].mimic.leader));
    if (named[lead]) locked[k] = 1;
  }
  const Joints before = robot.joints;
  Data data(model);
  forward_kinematics(model, data, q);
  for (std::size_t k = 0; k < locked.size(); ++k) {
    JointDescription& j = robot.joints[k];
    if (!locked[k]) {
      if (j.mimic.leader.empty() || j.closes_loop || j.type == "fixed") continue;
      if (groups)
        j.mimic = through(before, number, locked, j.mimic);
      else if (locked[at(number.find(j.mimic.leader))])
        j.mimic = {};
      continue;
    }
    JointDescription fixed{.name = j.name,
                           .parent = j.parent,
                           .child = j.child,
                           .origin = j.origin,
                           .child_origin = j.child_origin,
                           .place = j.place};
    if (j.type != "fixed") {
      fixed.child_origin = Transform<double>::identity();
      const Joint& moving = model.joint(j.name);
      const FrameId child = model.links()[at(moving.child.value)].frame;
      fixed.origin = moving.parent ? relative_pose(model, data, child, model.links()[at(moving.parent.value)].frame)
                                   : frame_pose(model, data, child);
    }
    j = std::move(fixed);
  }
  std::erase_if(robot.motors, [&](const MotorDescription& m) { return locked[at(number.find(m.joint))] != 0; });
  return build(std::move(robot), options);
}

std::size_t number_of(const Model& model, const std::string& joint) {
  return static_cast<std::size_t>(&model.joint(joint) - model.joints().data());
}

/// The joint in the description; one that was added between world and root link has no place there.
JointDescription& described(const Model& model, RobotDescription& robot, const std::string& joint) {
  model.joint(joint);
  for (JointDescription& j : robot.joints)
    if (j.name == joint) return j;
  refuse("E_MIMIC", joint_path(joint), "'" + joint + "', the joint between the world and the root link",
         "a joint of the robot itself");
}

}  // namespace

Model lock_joints(const Model& model, const std::vector<std::string>& joints, VectorIn q) {
  detail::check_q(model, q, "lock_joints");
  std::vector<char> locked(model.joints().size(), 0);
  for (const std::string& name : joints) locked[number_of(model, name)] = 1;
  return locked_model(model, locked, q);
}

Model keep_joints(const Model& model, const std::vector<std::string>& joints, VectorIn q) {
  detail::check_q(model, q, "keep_joints");
  const std::vector<Joint>& all = model.joints();
  const bool groups = !model.options().expand_mimic;
  const auto follows = [&](const Joint& j) { return groups && !j.mimic.leader.empty() && j.type != "fixed"; };
  std::vector<char> locked(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) locked[k] = all[k].type != "fixed" && !follows(all[k]);
  for (const std::string& name : joints) locked[number_of(model, name)] = 0;
  for (const std::string& name : joints) {
    const Joint* j = &model.joint(name);
    if (!follows(*j)) continue;
    while (follows(*j)) j = &model.joint(j->mimic.leader);
    if (locked[number_of(model, j->name)])
      refuse("E_MIMIC", joint_path(name), "'" + name + "' to be kept, which follows '" + j->name + "'",
             "its leader among the joints to be kept", "keep '" + j->name + "', or remove the mimic first");
  }
  return locked_model(model, locked, q);
}

Model add_mimic(const Model& model, const std::string& joint, const std::string& leader, double multiplier,
                double offset) {
  RobotDescription robot = model.description();
  JointDescription& j = described(model, robot, joint);
  if (j.type == "fixed" || described(model, robot, leader).type == "fixed")
    refuse("E_MIMIC", joint_path(joint), "'" + (j.type == "fixed" ? joint : leader) + "', which is fixed",
           "two joints of one coordinate each");
  j.mimic = {leader, multiplier, offset};
  return build(std::move(robot), model.options());
}

Model remove_mimic(const Model& model, const std::string& joint) {
  RobotDescription robot = model.description();
  JointDescription& j = described(model, robot, joint);
  if (j.mimic.leader.empty())
    refuse("E_MIMIC", joint_path(joint), "'" + joint + "', which follows no joint", "a joint that follows another one");
  j.mimic = {};
  return build(std::move(robot), model.options());
}

Model with_actuated(const Model& model, const std::vector<std::string>& joints) {
  RobotDescription robot = model.description();
  using Actuated = JointDescription::Actuated;
  for (JointDescription& j : robot.joints) j.actuated = Actuated::no;
  for (const std::string& joint : joints) {
    if (!model.joint(joint).parent)
      throw std::invalid_argument("with_actuated: joint '" + joint +
                                  "' is between the world and the root link, expected a joint of the robot itself");
    JointDescription& j = described(model, robot, joint);
    if (j.type == "fixed")
      throw std::invalid_argument("with_actuated: joint '" + joint + "' is fixed, expected a joint that moves");
    j.actuated = Actuated::yes;
  }
  const Names<Joints> number(robot.joints);
  std::erase_if(robot.motors, [&](const MotorDescription& m) {
    return robot.joints[at(number.find(m.joint))].actuated != Actuated::yes;
  });
  return build(std::move(robot), model.options());
}

}  // namespace zwang
