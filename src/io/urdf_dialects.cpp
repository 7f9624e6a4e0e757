// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: elements of other programs that say how the robot moves. Those that say enough become joints:
// <loop_joint> (Isaac Sim, formerly Drake), which closes a loop between a frame on each of two links, and
// <drake:joint>. The others are warned of by name. Extensions that say nothing of the motion are passed over.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "io/number.hpp"
#include "io/urdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_loop_joint = {{"link1", "link2", "axis", "limit", "dynamics"}, {}, {"name", "type"}};
const ElementRule k_loop_end = {{}, {}, {"link", "xyz", "rpy", "quat_xyzw"}};
const ElementRule k_loop_axis = {{}, {}, {"xyz"}};

/// Elements inside of the extensions of other programs that make, couple or drive motions. A joint of Gazebo is
/// measured from the pose of its links when Gazebo starts, which a URDF does not have.
constexpr std::string_view k_moving[] = {"joint",  "link",   "model",    "springStiffness", "springReference",
                                         "static", "tendon", "equality", "loop_joint",      "mimic"};
/// Parts of names with a prefix (`drake:ball_constraint`) that say the same.
constexpr std::string_view k_moving_parts[] = {"joint", "mimic", "constraint", "bushing", "spring", "loop"};

std::string_view without_prefix(std::string_view name) { return name.substr(name.find(':') + 1); }

bool moves(pugi::xml_node node) {
  const std::string_view name = node.name();
  if (name == "param") {  // of ros2_control
    const std::string_view what = node.attribute("name").value();
    return what == "mimic";
  }
  return std::find(std::begin(k_moving), std::end(k_moving), name) != std::end(k_moving);
}

bool is_foreign_motion(std::string_view name) {
  const std::string_view own = without_prefix(name);
  return own.size() != name.size() &&
         std::any_of(std::begin(k_moving_parts), std::end(k_moving_parts),
                     [&](std::string_view part) { return own.find(part) != std::string_view::npos; });
}

}  // namespace

bool UrdfReader::is_foreign_joint(std::string_view name) { return name == "loop_joint" || name == "drake:joint"; }

void UrdfReader::passed_over(pugi::xml_node node, const std::string& holder) {
  Diagnostic d = at(node, "W_UNKNOWN_TAG");
  const std::string name = node.attribute("name").value();
  d.found = '<' + std::string(node.name()) + '>' + (name.empty() ? "" : ' ' + detail::quoted(name)) + holder;
  d.expected = "<joint>, <mimic>, <dynamics> or <loop_joint> of the robot for what moves it";
  d.hint = "it says how the robot moves, and is passed over";
  found_.add(Weight::warn, d);
}

/// An element of another program: what it says of the motion is not lost without a word.
void UrdfReader::extension(pugi::xml_node node) {
  const std::string_view name = node.name();
  if (node.parent() == root_ && (is_foreign_joint(name) || is_of_urdf_plus(name))) return;  // read() reads it
  if (is_foreign_motion(name)) return passed_over(node, "");
  const std::string holder = " in <" + std::string(name) + '>';
  const bool lists_joints = name == "ros2_control";  // it names the robot's own joints
  for (const pugi::xml_node child : node.children()) {
    if (moves(child) && !lists_joints) passed_over(child, holder);
    if (!lists_joints) continue;
    for (const pugi::xml_node param : child.children())
      if (moves(param)) passed_over(param, holder + " of " + detail::quoted(child.attribute("name").value()));
  }
}

/// One end of a <loop_joint>: a link, and the frame of the joint on it.
bool UrdfReader::loop_end(const Element& node, const char* which, std::string& link, Transform<double>& pose) {
  const pugi::xml_node end = node.child(which);
  if (end) {
    const Element element = look(end, k_loop_end);
    link = element.text("link");
    if (!link.empty()) return pose_of(element, pose, Weight::refuse);
  }
  Diagnostic d = at(end ? end : node.node, "E_LINK");
  d.found = end ? "no link" : std::string("no <") + which + '>';
  d.expected = std::string("<") + which + " link=\"...\" xyz=\"...\" rpy=\"...\"/>";
  found_.add(Weight::refuse, d);
  return false;
}

void UrdfReader::loop_joint(pugi::xml_node of) {
  const Element node = look(of, k_loop_joint);
  JointDescription joint;
  joint.place = place_of(node);
  joint.name = name_of(node);
  joint.type = std::string(trimmed(node.text("type")));
  if (joint.type == "ball") joint.type = "spherical";
  joint.axis = {1, 0, 0};
  if (const pugi::xml_node axis = node.child("axis")) {
    double xyz[3] = {1, 0, 0};
    vector(look(axis, k_loop_axis), "xyz", 3, xyz, Weight::refuse);
    joint.axis = {xyz[0], xyz[1], xyz[2]};
  }
  limit(node.child("limit"), joint);
  dynamics(node.child("dynamics"), joint);
  Transform<double> at_child = Transform<double>::identity();
  if (!loop_end(node, "link1", joint.parent, joint.origin) || !loop_end(node, "link2", joint.child, at_child)) return;
  if (options_.loops != ClosedLoops::constraints) return left_open(joint, "<loop_joint> " + detail::quoted(joint.name));
  joint.closes_loop = true;
  const pugi::xml_node end = node.child("link2");
  if (end.attribute("xyz") || end.attribute("rpy") || end.attribute("quat_xyzw")) {
    // The rows of a loop end in a link's frame: here that of a link without mass,
    // fixed where the joint is on the second link.
    LinkDescription& link = robot_.links.emplace_back();
    link.name = joint.name + "_link2";
    link.place = place_of(end);
    JointDescription& mount = robot_.joints.emplace_back();
    mount.name = joint.name + "_link2_mount";
    mount.parent = std::exchange(joint.child, link.name);
    mount.child = link.name;
    mount.origin = at_child;
    mount.place = link.place;
  }
  robot_.joints.push_back(std::move(joint));
}

void UrdfReader::left_open(const JointDescription& joint, const std::string& what) {
  Diagnostic d;
  d.code = "W_LOOP";
  d.file = joint.place.file;
  d.line = joint.place.line;
  d.column = joint.place.column;
  d.path = joint.place.path;
  d.found = what + " closes a loop between " + detail::quoted(joint.parent) + " and " + detail::quoted(joint.child);
  d.expected = "loops = constraints (zwang --loops), which closes it";
  d.hint = "the loop is left open";
  found_.add(Weight::warn, d);
}

/// A joint type of Drake in the words of the list of joints. Types that are not the same
/// joint keep their prefix, and are refused.
void UrdfReader::drake_type(pugi::xml_node of, JointDescription& joint) {
  const std::string type = joint.type;
  if (type == "ball") {
    joint.type = "spherical";
  } else if (type == "planar") {
    if (!of.child("axis")) joint.axis = {0, 0, 1};  // the normal of the plane
  } else if (type == "screw") {
    double travel = 0;  // [m] of a whole turn
    const pugi::xml_node pitch = of.child("drake:screw_thread_pitch");
    const pugi::xml_attribute value = pitch.attribute("value");
    joint.type = "helical";
    if (vector(pitch ? pitch : of, "value", value ? value.value() : nullptr, 1, &travel, Weight::refuse))
      joint.parameters = {travel / (2 * std::numbers::pi)};
  } else if (type == "universal") {
    joint.type = "drake:universal";  // its second axis is the frame's y
  }
}

/// A <drake:joint> whose child carries its parent closes a loop; the links of its cycle have no other joint to be cut.
void UrdfReader::foreign_loops() {
  if (foreign_.empty()) return;
  std::unordered_map<std::string_view, std::size_t> carrier;
  for (std::size_t j = 0; j < robot_.joints.size(); ++j)
    if (std::find(foreign_.begin(), foreign_.end(), j) == foreign_.end()) carrier.emplace(robot_.joints[j].child, j);
  std::vector<std::size_t> open;
  for (const std::size_t j : foreign_) {
    JointDescription& joint = robot_.joints[j];
    std::string_view link = joint.parent;
    for (std::size_t steps = 0; link != joint.child && steps <= robot_.joints.size(); ++steps) {
      const auto up = carrier.find(link);
      if (up == carrier.end()) break;
      link = robot_.joints[up->second].parent;
    }
    if (link != joint.child || carrier.contains(link)) continue;  // a joint of the tree, or one of two of its child
    joint.closes_loop = options_.loops == ClosedLoops::constraints;
    if (joint.closes_loop) continue;
    left_open(joint, "<drake:joint> " + detail::quoted(joint.name));
    open.push_back(j);
  }
  for (auto j = open.rbegin(); j != open.rend(); ++j)
    robot_.joints.erase(robot_.joints.begin() + static_cast<std::ptrdiff_t>(*j));
}

}  // namespace zwang::io
