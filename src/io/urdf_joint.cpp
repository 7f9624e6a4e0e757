// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: joints.
#include <algorithm>
#include <cmath>

#include "io/number.hpp"
#include "io/urdf_reader.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

const ElementRule k_joint = {
    {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"},
    {"gazebo", "sensor", "verbose", "physics"},
    {"name", "type", "pitch", "radii", "parameters", "independent"}};

const ElementRule k_axis = {{}, {}, {"xyz"}};
const ElementRule k_end = {{}, {}, {"link"}};
const ElementRule k_limit = {{}, {}, {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"}};
const ElementRule k_dynamics = {{}, {}, {"damping", "friction"}};
const ElementRule k_mimic = {{}, {}, {"joint", "multiplier", "offset"}};
const ElementRule k_safety = {{}, {}, {"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"}};
const ElementRule k_calibration = {{}, {}, {"rising", "falling", "reference_position"}};

/// Joint types have the same names in files as in the list of joints.
/// These types need parameters in attributes of their own.
struct TypeNumbers {
  const char *type, *attribute;
  int count;
};
constexpr TypeNumbers k_type_numbers[] = {{"helical", "pitch", 1}, {"ellipsoid", "radii", 3}};

}  // namespace

void UrdfReader::joint(pugi::xml_node of) {
  const Element node = look(of, k_joint);
  JointDescription& joint = robot_.joints.emplace_back();
  joint.place = place_of(node);
  joint.name = name_of(node);
  joint.type = std::string(trimmed(node.text("type")));
  if (joint.type.empty()) {
    Diagnostic d = at(node, "E_JOINT_TYPE");
    d.found = "no type";
    d.expected = "revolute, continuous, prismatic, fixed, floating, planar or a type of zwang's own list";
    found_.add(Weight::refuse, d);
  }
  if (node.has("independent")) {
    Diagnostic d = at(node, "N_INDEPENDENT");
    d.found = "attribute 'independent'";
    d.hint = "a hint which coordinates lead: every joint of the tree keeps its own";
    once(Weight::note, "independent", std::move(d));
  }
  origin(node.child("origin"), joint.origin, Weight::refuse);
  joint.axis = {1, 0, 0};  // URDF's default
  if (const pugi::xml_node axis = node.child("axis")) {
    double xyz[3] = {1, 0, 0};
    vector(look(axis, k_axis), "xyz", 3, xyz, Weight::refuse);
    joint.axis = {xyz[0], xyz[1], xyz[2]};
  } else if (const JointTypeInfo* info = find_joint_type(joint.type == "continuous" ? "revolute" : joint.type);
             info && info->has_axis) {
    Diagnostic d = at(node, "N_AXIS");
    d.found = "no <axis>";
    d.hint = "URDF's default is taken: 1 0 0";
    found_.add(Weight::note, d);
  }
  if (std::string_view(of.name()) == "drake:joint") {
    drake_type(of, joint);
    foreign_.push_back(robot_.joints.size() - 1);
  }
  if (joint.type != "helical" || joint.parameters.empty()) type_parameters(node, joint);
  limit(node.child("limit"), joint);
  dynamics(node.child("dynamics"), joint);
  mimic(node.child("mimic"), joint);
  safety_and_calibration(node, joint);
  if (joint_ends(node, joint)) return;
  if (!foreign_.empty() && foreign_.back() + 1 == robot_.joints.size()) foreign_.pop_back();
  robot_.joints.pop_back();
}

bool UrdfReader::joint_ends(const Element& node, JointDescription& joint) {
  bool good = true;
  for (const char* which : {"parent", "child"}) {
    const pugi::xml_node end = node.child(which);
    std::string& link = which[0] == 'p' ? joint.parent : joint.child;
    if (end) link = look(end, k_end).text("link");
    if (!link.empty()) continue;
    Diagnostic d = at(end ? end : node.node, "E_LINK");
    d.found = end ? "no link" : std::string("no <") + which + '>';
    d.expected = std::string("<") + which + " link=\"...\"/>";
    if (found_.lenient()) d.hint = "the joint is left out";
    found_.add(Weight::repairable, d);
    good = false;
  }
  return good;
}

/// Numbers of joint types beyond URDF: `pitch`, `radii`, or `parameters` in general.
void UrdfReader::type_parameters(const Element& node, JointDescription& joint) {
  const JointTypeInfo* info = find_joint_type(joint.type);
  const char* used = nullptr;
  int count = info ? info->parameters : 0;
  for (const TypeNumbers& t : k_type_numbers)
    if (joint.type == t.type && node.has(t.attribute)) used = t.attribute;
  if (!used && count > 0 && node.has("parameters")) used = "parameters";
  if (used) {
    double values[16] = {};
    count = std::min(count, 16);
    if (vector(node, used, count, values, Weight::refuse)) joint.parameters.assign(values, values + count);
  } else if (count > 0) {
    const char* wanted = "parameters";
    for (const TypeNumbers& t : k_type_numbers) wanted = joint.type == t.type ? t.attribute : wanted;
    Diagnostic d = at(node, "E_PARAMETERS");
    d.found = "no attribute " + detail::quoted(wanted);
    d.expected = std::to_string(count) + (count == 1 ? " number" : " numbers") + " for a joint of type " +
                 detail::quoted(joint.type);
    found_.add(Weight::refuse, d);
  }
  for (const char* name : {"pitch", "radii", "parameters"}) {
    if (!node.has(name) || (used && std::string_view(used) == name)) continue;
    Diagnostic d = at(node, "W_UNKNOWN_ATTRIBUTE");
    d.found = "attribute " + detail::quoted(name) + " on a joint of type " + detail::quoted(joint.type);
    d.hint = "it is passed over";
    found_.add(Weight::warn, d);
  }
}

/// One number of <limit>. An infinity on the side of the limit says that there is none. One on the other side and NaN
/// are wrong, though lenient mode takes them for unknown.
bool UrdfReader::limit_number(const Element& node, const char* name, double& value) {
  if (!node.has(name)) return false;
  const std::string_view token = trimmed(node.text(name));
  const NumberFault fault = parse_number(token, value);
  if (fault == NumberFault::none) return true;
  const bool word = fault == NumberFault::not_finite, nan = token.find_first_of("aA") != std::string_view::npos;
  const bool low = std::string_view(name) == "lower", negative = token.starts_with('-');
  if (word && !nan && low == negative) {
    value = low ? -unlimited : unlimited;
    return true;
  }
  Diagnostic d = at(node, word ? "E_LIMIT" : "E_NUMBER");
  d.found = std::string(name) + ' ' + detail::quoted(token);
  d.expected = word ? std::string("a decimal number, or ") + (low ? "-inf" : "inf") + " where there is no limit"
                    : "a decimal number";
  d.hint = word ? "leave the attribute out where nothing is known" : explain(fault);
  found_.add(word ? Weight::repairable : Weight::refuse, d);
  return false;
}

void UrdfReader::limit(pugi::xml_node of, JointDescription& joint) {
  const bool endless = joint.type == "continuous";
  if (endless) {
    joint.lower = {-unlimited};
    joint.upper = {unlimited};
  }
  if (!of) return;
  const Element node = look(of, k_limit);
  const auto read = [&](const char* name, std::vector<double>& to) {
    double x = unknown;
    if (limit_number(node, name, x)) to = {x};
  };
  std::vector<double> unused;
  read("lower", endless ? unused : joint.lower);
  read("upper", endless ? unused : joint.upper);
  read("velocity", joint.velocity);
  read("effort", joint.effort);
  for (const char* name : {"acceleration", "deceleration", "jerk"}) read(name, unused);
  if (!endless || (!node.has("lower") && !node.has("upper"))) return;
  Diagnostic d = at(node, "N_LIMIT");
  d.found = "position limits on a continuous joint";
  d.hint = "they are passed over; say type 'revolute' if they are meant";
  found_.add(Weight::note, d);
}

void UrdfReader::dynamics(pugi::xml_node of, JointDescription& joint) {
  if (!of) return;
  const Element node = look(of, k_dynamics);
  double x = 0;
  if (node.has("damping") && number(node, "damping", x, Weight::refuse)) joint.damping = {x};
  if (node.has("friction") && number(node, "friction", x, Weight::refuse)) joint.friction = {x};
}

void UrdfReader::mimic(pugi::xml_node of, JointDescription& joint) {
  if (!of) return;
  const Element node = look(of, k_mimic);
  Mimic m;
  m.leader = node.text("joint");
  if (m.leader.empty()) {
    Diagnostic d = at(node, "E_MIMIC");
    d.found = "no joint";
    d.expected = "<mimic joint=\"...\"/>";
    if (found_.lenient()) d.hint = "the mimic is left out";
    found_.add(Weight::repairable, d);
    return;
  }
  bool good = true;
  for (const char* name : {"multiplier", "offset"}) {
    if (!node.has(name)) continue;
    double x = 0;
    const std::string_view token = trimmed(node.text(name));
    const NumberFault fault = parse_number(token, x);
    (name[0] == 'm' ? m.multiplier : m.offset) = x;
    if (fault == NumberFault::none) continue;
    Diagnostic d = at(node, fault == NumberFault::not_finite ? "E_MIMIC" : "E_NUMBER");
    d.found = std::string(name) + ' ' + detail::quoted(token);
    d.expected = "a finite decimal number";
    d.hint = explain(fault);
    found_.add(Weight::refuse, d);
    good = false;
  }
  if (good) joint.mimic = std::move(m);
}

void UrdfReader::safety_and_calibration(const Element& node, JointDescription& joint) {
  // Data without effect: what is not finite is left out, and refused in strict mode alone.
  const auto read = [&](const Element& from, const char* name, double& to) {
    if (!from.has(name)) return;
    double x = 0;
    const std::string_view token = trimmed(from.text(name));
    if (parse_number(token, x) != NumberFault::not_finite) {
      number(from, name, to, Weight::refuse);
      return;
    }
    const bool low = std::string_view(name) == "soft_lower_limit", high = std::string_view(name) == "soft_upper_limit",
               nan = token.find_first_of("aA") != std::string_view::npos;
    if (!nan && ((low && token.starts_with('-')) || (high && !token.starts_with('-')))) return;  // no limit
    warn(from, "W_SAFETY", std::string(name) + ' ' + detail::quoted(token), "a finite decimal number",
         "the attribute is left out");
  };
  if (const pugi::xml_node child = node.child("safety_controller")) {
    const Element safety = look(child, k_safety);
    read(safety, "soft_lower_limit", joint.soft_lower);
    read(safety, "soft_upper_limit", joint.soft_upper);
    read(safety, "k_position", joint.k_position);
    read(safety, "k_velocity", joint.k_velocity);
  }
  if (const pugi::xml_node child = node.child("calibration")) {
    const Element calibration = look(child, k_calibration);
    read(calibration, "rising", joint.rising);
    read(calibration, "falling", joint.falling);
    double legacy = 0;  // the older name of one of the two, with a meaning of its own per robot: read and left
    read(calibration, "reference_position", legacy);
  }
}

}  // namespace zwang::io
