// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: joints as they are written.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/sdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

constexpr const char* k_sdf_types[] = {"revolute",  "prismatic", "continuous", "fixed",  "ball",
                                       "universal", "revolute2", "screw",      "gearbox"};
constexpr double k_sdf_no_limit = 1e16;  // as far as the files of SDF count

const ElementRule k_sdf_joint = {{"parent", "child", "pose", "axis", "axis2", "screw_thread_pitch", "thread_pitch",
                                  "gearbox_ratio", "gearbox_reference_body", "physics", "sensor*"},
                                 {"plugin"},
                                 {"name", "type"}};
const ElementRule k_sdf_axis = {
    {"xyz", "use_parent_model_frame", "dynamics", "limit", "mimic", "initial_position"}, {}, {}};
const ElementRule k_sdf_limit = {{"lower", "upper", "effort", "velocity", "stiffness", "dissipation"}, {}, {}};
const ElementRule k_sdf_dynamics = {{"damping", "friction", "spring_reference", "spring_stiffness"}, {}, {}};
const ElementRule k_sdf_mimic = {{"multiplier", "offset", "reference"}, {}, {"joint", "axis"}};

int axes_needed(const std::string& type) {
  if (type == "universal" || type == "revolute2" || type == "gearbox") return 2;
  return type == "fixed" || type == "ball" ? 0 : 1;
}

}  // namespace

void SdfReader::joint(pugi::xml_node node, int scope) {
  look(node, k_sdf_joint);
  const int minor = scopes_[static_cast<std::size_t>(scope)].minor;
  JointText joint{.entity = add_named(Kind::joint, node, scope, node.attribute("name").value())};
  if (joint.entity < 0) return;
  joint.type = node.attribute("type").value();
  if (std::find(std::begin(k_sdf_types), std::end(k_sdf_types), joint.type) == std::end(k_sdf_types)) {
    std::vector<std::string> known(std::begin(k_sdf_types), std::end(k_sdf_types));
    refuse(node, "E_JOINT_TYPE", joint.type.empty() ? "a joint without a type" : "type " + detail::quoted(joint.type),
           "revolute, prismatic, continuous, fixed, ball, universal, revolute2, screw or gearbox",
           found_.did_you_mean(joint.type, known));
    return;
  }
  joint.parent = text_of(node, "parent"), joint.child = text_of(node, "child");
  for (const char* end : {"parent", "child"})
    if (text_of(node, end).empty()) refuse(node, "E_LINK", std::string("no <") + end + '>', "a link, frame or model");
  if (joint.child == "world")
    refuse(node.child("child"), "E_LINK", "the world as a child", "the world as a parent", "exchange parent and child");
  else if (!joint.parent.empty() && joint.parent == joint.child)
    refuse(node, "E_SELF_JOINT", detail::quoted(joint.parent) + " as parent and as child", "two different links");
  if (joint.parent.empty() || joint.child.empty() || joint.child == "world") return;
  Named& named = named_[static_cast<std::size_t>(joint.entity)];
  pose(node, minor, named.raw, &named.relative_to);
  named.attached_to = joint.child;
  const int needed = axes_needed(joint.type);
  for (const char* which : {"axis", "axis2"}) {
    const pugi::xml_node child = node.child(which);
    const bool second = which[4] == '2';
    if (child && needed >= (second ? 2 : 1)) {
      axis(child, joint, minor);
    } else if (child && needed == 0 && !second) {
      unused_axis(child, joint.type);
    } else if (child && second) {
      warn(child, "W_AXIS", "<axis2> of a joint of type " + detail::quoted(joint.type), "it on a joint of two axes",
           "it is passed over");
    } else if (!child && needed >= (second ? 2 : 1)) {
      warn(node, "W_AXIS", std::string("no <") + which + "> of a joint of type " + detail::quoted(joint.type),
           "an axis", "SDF's default is taken: 0 0 1");
      joint.axes.push_back({.node = node});
    }
  }
  if (joint.type == "screw") screw(node, joint);
  const auto effects = [](const Axis& a) {
    return a.damping != 0 || a.friction != 0 || a.stiffness != 0 || a.lower != -unlimited || a.upper != unlimited ||
           a.effort != unlimited || a.velocity != unlimited;
  };
  if (joint.type == "gearbox" && std::any_of(joint.axes.begin(), joint.axes.end(), effects))
    named_once(Weight::warn, node, "W_AXIS", "<dynamics> or <limit> of a gearbox",
               "they have no effect: a gearbox is a coupling; give them to the joints of its wheels");
  if (joint.type == "gearbox") {
    joint.ratio = number_of(node, "gearbox_ratio", 1);
    joint.reference_body = text_of(node, "gearbox_reference_body");
    if (joint.reference_body.empty())
      refuse(node, "E_GEARBOX", "no <gearbox_reference_body>", "the link that holds both wheels");
  }
  if (node.child("physics"))
    named_once(Weight::note, node.child("physics"), "N_SDF", "<physics> of a joint",
               "it is left out: it tunes the solver of a simulator");
  if (node.child("sensor"))
    named_once(Weight::note, node.child("sensor"), "N_SENSOR", "<sensor>", "sensors are not read: they move nothing");
  const auto index = static_cast<int>(joints_.size());
  named_[static_cast<std::size_t>(joint.entity)].index = index;
  joints_.push_back(std::move(joint));
}

/// Of a fixed joint it says nothing; the damping and limits of a ball joint's would, were they of the joint.
void SdfReader::unused_axis(pugi::xml_node node, const std::string& type) {
  look(node, k_sdf_axis);
  const bool says = type == "ball" && (node.child("dynamics") || node.child("limit"));
  named_once(says ? Weight::warn : Weight::note, node, says ? "W_AXIS" : "N_AXIS",
             "<axis> of a joint of type " + detail::quoted(type) + (says ? ", with its dynamics or limits" : ""),
             "it is passed over: such a joint has no axis");
}

void SdfReader::axis(pugi::xml_node node, JointText& joint, int minor) {
  look(node, k_sdf_axis);
  if (number_of(node, "initial_position", 0) != 0)
    named_once(Weight::warn, node.child("initial_position"), "W_INITIAL_POSITION", "<initial_position>",
               "it is left out: the configuration `file` has all joints at 0");
  Axis& axis = joint.axes.emplace_back();
  axis.node = node;
  if (const pugi::xml_node xyz = node.child("xyz")) {
    double v[3] = {0, 0, 1};
    if (numbers_of(node, "xyz", 3, v)) axis.xyz = {v[0], v[1], v[2]};
    if (v[0] == 0 && v[1] == 0 && v[2] == 0) refuse(xyz, "E_AXIS", "an axis of length 0", "a direction");
    axis.expressed_in = xyz.attribute("expressed_in").value();
  } else {
    note(node, "N_AXIS", "no <xyz>", "SDF's default is taken: 0 0 1");
  }
  // Up to 1.4 axes are given in the frame of the model; 1.5 and 1.6 let the file say so.
  if (minor <= 4 || (minor <= 6 && truth(node, "use_parent_model_frame", false))) axis.expressed_in = "__model__";
  const pugi::xml_node limit = node.child("limit");
  if (limit) {
    look(limit, k_sdf_limit);
    axis.lower = bound_of(limit, "lower", axis.lower), axis.upper = bound_of(limit, "upper", axis.upper);
    axis.effort = bound_of(limit, "effort", axis.effort), axis.velocity = bound_of(limit, "velocity", axis.velocity);
    if (axis.lower <= -k_sdf_no_limit) axis.lower = -unlimited;
    if (axis.upper >= k_sdf_no_limit) axis.upper = unlimited;
    if (axis.effort < 0 || axis.effort >= k_sdf_no_limit) axis.effort = unlimited;
    if (axis.velocity < 0 || axis.velocity >= k_sdf_no_limit) axis.velocity = unlimited;
    if (limit.child("stiffness") || limit.child("dissipation"))
      named_once(Weight::note, limit, "N_LIMIT", "<stiffness> and <dissipation> of a limit",
                 "they are left out: limits are hard");
  }
  if (joint.type == "continuous") axis.lower = -unlimited, axis.upper = unlimited;
  if (const pugi::xml_node dynamics = node.child("dynamics")) {
    look(dynamics, k_sdf_dynamics);
    axis.damping = number_of(dynamics, "damping", 0), axis.friction = number_of(dynamics, "friction", 0);
    axis.stiffness = number_of(dynamics, "spring_stiffness", 0);
    axis.reference = number_of(dynamics, "spring_reference", 0);
  }
  if (const pugi::xml_node of = node.child("mimic")) {
    if (axes_needed(joint.type) == 1)
      mimic(of, axis);
    else
      warn(of, "W_MIMIC", "<mimic> of a joint of two axes", "it on a joint of one axis", "it is passed over");
  }
}

/// q = multiplier (q_leader - reference) + offset
void SdfReader::mimic(pugi::xml_node node, Axis& axis) {
  look(node, k_sdf_mimic);
  axis.leader = node.attribute("joint").value();
  if (axis.leader.empty()) refuse(node, "E_MIMIC", "no joint", "<mimic joint=\"...\">");
  if (std::string_view(node.attribute("axis").as_string("axis")) != "axis")
    refuse(node, "E_MIMIC", "a mimic of the second axis of a joint", "a joint of one axis to follow");
  axis.multiplier = number_of(node, "multiplier", 1);
  axis.offset = number_of(node, "offset", 0) - axis.multiplier * number_of(node, "reference", 0);
}

/// screw_thread_pitch: metres of a turn, right-handed; thread_pitch: radians of a metre, left-handed.
void SdfReader::screw(pugi::xml_node node, JointText& joint) {
  if (node.child("screw_thread_pitch") || !node.child("thread_pitch")) {
    joint.pitch = number_of(node, "screw_thread_pitch", 1) / (2 * std::numbers::pi);
    return;
  }
  const double radians = number_of(node, "thread_pitch", 1);
  if (radians == 0) refuse(node.child("thread_pitch"), "E_PARAMETERS", "thread_pitch 0", "radians of a metre, not 0");
  joint.pitch = radians == 0 ? 0 : -1 / radians;
}

}  // namespace zwang::io
