// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: the robot element, what elements may hold, attributes, origins.
#include "io/urdf_reader.hpp"

#include <algorithm>
#include <cmath>

#include "io/number.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

constexpr double k_quaternion_rounding = 1e-3;

/// `gazebo` and the rest are extensions that other programs read (urdf_dialects.cpp).
const ElementRule k_robot = {{"link*", "joint*", "material*", "transmission*"},
                             {"gazebo", "ros2_control", "sensor", "plugin", "group", "mujoco", "link_extension",
                              "loop_joint", "loop", "coupling"},
                             {"name", "version"}};

const ElementRule k_origin = {{}, {}, {"xyz", "rpy", "quat_xyzw"}};

}  // namespace

UrdfReader::UrdfReader(XmlDocument& document, const LoadOptions& options, detail::Findings& found)
    : XmlReader(document, options, found),
      root_(document.root()) {}

bool UrdfReader::quaternion(const Element& element, Mat3<double>& rotation, Weight weight) {
  double q[4];
  if (!vector(element, "quat_xyzw", 4, q, weight)) return false;
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(std::fabs(length - 1) <= k_quaternion_rounding)) {
    Diagnostic d = at(element, "E_QUATERNION");
    d.found = "quat_xyzw of length " + detail::number_text(length);
    d.expected = "length 1 within " + detail::number_text(k_quaternion_rounding);
    if (length == 0) d.hint = "a zero quaternion has no direction; 0 0 0 1 is no rotation";
    found_.add(weight, d);
    return false;
  }
  rotation = from_quaternion(q[0], q[1], q[2], q[3]);
  return true;
}

/// The <origin> of an element, where it has one.
bool UrdfReader::origin(pugi::xml_node node, Transform<double>& pose, Weight weight) {
  return !node || pose_of(look(node, k_origin), pose, weight);
}

bool UrdfReader::pose_of(const Element& element, Transform<double>& pose, Weight weight) {
  double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
  bool good = !element.has("xyz") || vector(element, "xyz", 3, xyz, weight);
  good = (!element.has("rpy") || vector(element, "rpy", 3, rpy, weight)) && good;
  pose.p = {xyz[0], xyz[1], xyz[2]};
  pose.R = from_rpy(rpy[0], rpy[1], rpy[2]);
  if (!element.has("quat_xyzw")) return good;
  if (element.has("rpy")) {
    Diagnostic d = at(element, "E_REPEATED");
    d.found = "rpy and quat_xyzw";
    d.expected = "one of them";
    found_.add(weight, d);
    return false;
  }
  return quaternion(element, pose.R, weight) && good;
}

RobotDocument UrdfReader::read() {
  const ScanResult& seen = main_.seen();
  const Element robot = look(root_, k_robot);
  robot_.name = robot.text("name");
  if (robot_.name.empty()) {
    Diagnostic d = at(root_, "W_NAME");
    d.found = "a robot without a name";
    d.expected = "<robot name=\"...\">";
    found_.add(Weight::warn, d);
  }
  if (robot.has("version")) {
    const std::string_view v = trimmed(robot.text("version"));
    if (v != "1" && v != "1.0" && v != "1.1" && v != "1.2") {
      Diagnostic d = at(root_, "W_VERSION");
      d.found = "version " + detail::quoted(v);
      d.expected = "1.0, 1.1 or 1.2";
      d.hint = "it is read as 1.2";
      found_.add(Weight::warn, d);
    }
  }
  robot_.links.reserve(static_cast<std::size_t>(seen.links));
  robot_.joints.reserve(static_cast<std::size_t>(seen.joints));
  // The robot's materials come before those of its links; links and joints are read as they stand in memory.
  if (robot.child("material"))
    for (const pugi::xml_node node : root_.children("material")) global_material(node);
  for (pugi::xml_node node = root_.first_child(); node; node = node.next_sibling()) {
    const std::string_view name = node.name();
    if (name == "link") link(node);
    if (name == "joint" || name == "drake:joint") joint(node);
    if (name == "loop_joint") loop_joint(node);
    if (name == "loop") plus_loop(node);
  }
  foreign_loops();
  late_materials();
  if (robot.child("transmission")) transmissions();
  RobotDocument document;
  couplings(document);
  report_once();
  document.robot = std::move(robot_);
  return document;
}

RobotDocument read_urdf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found) {
  return UrdfReader(document, options, found).read();
}

}  // namespace zwang::io
