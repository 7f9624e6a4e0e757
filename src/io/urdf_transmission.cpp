// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: transmissions say which joints are actuated, by what gear and with what rotor behind it. Each of its
// joints gets a motor of the transmission's name, `NAME_JOINT` where it drives several.
//
// As soon as a file has one transmission, the joints that transmissions name are the actuated ones.
#include <cmath>

#include "io/number.hpp"
#include "io/urdf_reader.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

/// Elements that name a driven joint: ROS's own, and those of the PR2's gripper and wrist.
constexpr std::string_view k_driven[] = {"joint", "gap_joint", "rollJoint", "flexJoint"};

const ElementRule k_transmission = {
    {"type", "joint*", "actuator*", "mechanicalReduction"},
    {"gap_joint", "rollJoint", "flexJoint", "passive_joint", "use_simulated_gripper_joint", "leftActuator",
     "rightActuator", "compensator", "simulated_reduction", "simulated_actuated_joint", "motorTorqueConstant",
     "pulsesPerRevolution", "offset", "ignoreTransmissionAbsoluteEncoder", "hardwareInterface", "joint1", "joint2",
     "robotNamespace"},
    {"name", "type"}};

bool drives(std::string_view name) {
  for (const std::string_view d : k_driven)
    if (d == name) return true;
  return false;
}

}  // namespace

void UrdfReader::transmissions() {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
    index.emplace(robot_.joints[j].name, j);
    robot_.joints[j].actuated = JointDescription::Actuated::no;
  }
  for (const pugi::xml_node node : root_.children("transmission")) transmission(node, index);
}

/// The joint that an element of a transmission drives, or nullptr.
JointDescription* UrdfReader::driven(pugi::xml_node node,
                                     const std::unordered_map<std::string_view, std::size_t>& index) {
  const std::string name = node.attribute("name").value();
  const auto it = index.find(name);
  if (it != index.end()) return &robot_.joints[it->second];
  std::vector<std::string> names;
  for (const JointDescription& joint : robot_.joints) names.push_back(joint.name);
  Diagnostic d = at(node, "W_TRANSMISSION");
  d.found = detail::quoted(name);
  d.expected = "a joint of this robot";
  d.hint = found_.did_you_mean(name, names, "the transmission drives nothing");
  found_.add(Weight::warn, d);
  return nullptr;
}

void UrdfReader::transmission(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index) {
  look(node, k_transmission);
  JointDescription* single = nullptr;
  std::vector<const JointDescription*> all;
  int joints = 0, actuators = 0;
  pugi::xml_node actuator;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (drives(name)) {
      ++joints;
      single = driven(child, index);
      if (!single) continue;
      single->actuated = JointDescription::Actuated::yes;
      all.push_back(single);
    } else if (name == "actuator" || name == "leftActuator" || name == "rightActuator") {
      ++actuators;
      actuator = child;
    }
  }
  if (joints == 0) {
    Diagnostic d = at(node, "W_TRANSMISSION");
    d.found = "a transmission without a joint";
    d.expected = "<joint name=\"...\">";
    found_.add(Weight::warn, d);
  }
  // One motor on one joint: the gear is a ratio. In a differential the motors share the joints,
  // and a ratio would be wrong.
  double ratio = 1;
  if (joints == 1 && actuators <= 1 && single) {
    ratio = gear(node, actuator, *single);
  } else if (actuator.child("drake:rotor_inertia")) {
    Diagnostic d = at(node, "W_TRANSMISSION");
    d.found = "rotor inertia in a transmission of " + std::to_string(joints) + " joints and " +
              std::to_string(actuators) + " actuators";
    d.hint = "it is left out: rotors that drive several joints couple them";
    found_.add(Weight::warn, d);
  }
  const std::string name = node.attribute("name").value();
  for (const JointDescription* j : all)
    motor(node, actuator, j->name,
          name.empty()  ? j->name + "_motor"
          : joints == 1 ? name
                        : name + '_' + j->name,
          ratio);
}

/// What conversion keeps of a transmission: its type, its actuator, and what the joint offers to a controller.
void UrdfReader::motor(pugi::xml_node node, pugi::xml_node actuator, const std::string& joint, const std::string& name,
                       double ratio) {
  MotorDescription motor;
  motor.name = motors_.fresh(name);
  motor.joint = joint;
  motor.kind = "transmission";
  motor.gear = ratio;
  motor.place = place_of(node);
  const auto keep = [&](const char* key, std::string_view text) {
    if (!trimmed(text).empty()) motor.attributes.push_back({key, std::string(trimmed(text))});
  };
  const std::string type = node.attribute("type").value();
  keep("type", type.empty() ? node.child("type").child_value() : type);
  keep("actuator", actuator.attribute("name").value());
  for (const pugi::xml_node holder : {node.child("joint"), actuator, node})
    if (const pugi::xml_node interface = holder.child("hardwareInterface")) {
      keep("hardwareInterface", interface.child_value());
      break;
    }
  robot_.motors.push_back(std::move(motor));
}

/// Returns the ratio.
double UrdfReader::gear(pugi::xml_node node, pugi::xml_node actuator, JointDescription& joint) {
  const auto value_of = [&](pugi::xml_node element, double& x) {
    const pugi::xml_attribute a = element.attribute("value");
    return vector(element, "value", a ? a.value() : nullptr, 1, &x, Weight::refuse);
  };
  double ratio = 1;
  bool given = false;
  for (const pugi::xml_node holder : {node, actuator}) {
    const pugi::xml_node reduction = holder.child("mechanicalReduction");
    if (!reduction) continue;
    double x = 1;
    if (!number_in(reduction, trimmed(reduction.child_value()), "mechanicalReduction", Weight::repairable, x)) continue;
    ratio *= x;
    given = true;
  }
  if (const pugi::xml_node exact = actuator.child("drake:gear_ratio")) { given = value_of(exact, ratio) || given; }
  double rotor = 0;
  if (const pugi::xml_node inertia = actuator.child("drake:rotor_inertia"))
    if (value_of(inertia, rotor)) joint.rotor_inertia = {rotor};
  if (given) joint.gear_ratio = {ratio};
  return ratio;
}

}  // namespace zwang::io
