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
const ElementRule k_robot = {
    {"link*", "joint*", "material*", "transmission*"},
    {"gazebo", "ros2_control", "sensor", "plugin", "group", "mujoco", "link_extension", "loop_joint"},
    {"name", "version"}};

const ElementRule k_origin = {{}, {}, {"xyz", "rpy", "quat_xyzw"}};

/// Position of a name in a list, with a star behind it (`several`) or without; -1 where it is not listed.
int position(std::initializer_list<std::string_view> names, std::string_view name, bool& several) {
  int at = 0;
  for (const std::string_view n : names) {
    several = n.back() == '*';
    const std::size_t size = n.size() - (several ? 1 : 0);
    if (size == name.size() && n[size - 1] == name.back() && n.substr(0, size) == name) return at;
    ++at;
  }
  return -1;
}

bool listed(std::initializer_list<std::string_view> names, std::string_view name) {
  bool ignored = false;
  return position(names, name, ignored) >= 0;
}

std::vector<std::string> plain_names(std::initializer_list<std::string_view> names) {
  std::vector<std::string> out;
  for (const std::string_view n : names) out.emplace_back(n.substr(0, n.size() - (n.back() == '*' ? 1 : 0)));
  return out;
}

std::string listing(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

/// Rotation by roll about x, then pitch about y, then yaw about z, all fixed: Rz(yaw) Ry(pitch) Rx(roll).
Mat3<double> from_rpy(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch), cy = std::cos(yaw),
               sy = std::sin(yaw);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {-sp, cp * sr, cp * cr}};
}

}  // namespace

std::string path_of(pugi::xml_node node) {
  std::string out;
  while (node.type() == pugi::node_element) {
    std::string part = detail::excerpt(node.name(), 60);
    const pugi::xml_node parent = node.parent();
    const bool below = parent.type() == pugi::node_element;
    // Under the root, and where several stand side by side, a name tells them apart.
    if (const pugi::xml_attribute name = node.attribute("name"); name && below)
      part += '[' + detail::excerpt(name.value(), 80) + ']';
    if (below) part.insert(0, 1, '/');
    out.insert(0, part);
    node = parent;
  }
  return out;
}

pugi::xml_node Element::child(std::string_view name) const {
  bool several = false;
  const int at = position(rule->children, name, several);
  return pugi::xml_node(at < 0 ? nullptr : children[at]);
}

const char* Element::value(std::string_view name) const {
  bool several = false;
  const int at = position(rule->attributes, name, several);
  return at < 0 ? nullptr : values[at];
}

UrdfReader::UrdfReader(pugi::xml_node root, const LineIndex& lines, const std::string& file,
                       const std::string& folder_of, const LoadOptions& options, detail::Findings& found)
    : root_(root),
      lines_(lines),
      file_(file),
      options_(options),
      found_(found),
      uris_(folder_of, options) {}

SourcePlace UrdfReader::place_of(pugi::xml_node node) const {
  // The '<' is one character before the name.
  const LineIndex::Place place = lines_.at(static_cast<std::size_t>(node.offset_debug()) - 1);
  return {file_, place.line, place.column, path_of(node)};
}

Diagnostic UrdfReader::at(pugi::xml_node node, const char* code) const {
  const SourcePlace place = place_of(node);
  Diagnostic d;
  d.code = code;
  d.file = place.file;
  d.line = place.line;
  d.column = place.column;
  d.path = place.path;
  return d;
}

void UrdfReader::unknown_child(pugi::xml_node child, const ElementRule& rule) {
  const std::vector<std::string> known = plain_names(rule.children);
  Diagnostic d = at(child, "W_UNKNOWN_TAG");
  d.found = '<' + std::string(child.name()) + '>';
  d.expected = known.empty() ? "nothing inside of this element" : listing(known);
  d.hint = found_.did_you_mean(child.name(), known, "it is passed over");
  found_.add(Weight::warn, d);
}

/// Finds what the rule lists; reports unknown children and attributes, and repeated children that may occur only once.
Element UrdfReader::look(pugi::xml_node node, const ElementRule& rule) {
  Element element{node, &rule};
  for (pugi::xml_node child = node.first_child(); child; child = child.next_sibling()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = child.name();
    bool several = false;
    const int at_position = position(rule.children, name, several);
    if (at_position < 0) {
      const bool extension_of_others = name.find(':') != std::string_view::npos || listed(rule.silent, name);
      extension_of_others ? extension(child) : unknown_child(child, rule);
      continue;
    }
    if (!element.children[at_position]) {
      element.children[at_position] = child.internal_object();
      continue;
    }
    if (several) continue;
    Diagnostic d = at(child, "E_REPEATED");
    d.found = "<" + std::string(name) + "> again";
    d.expected = "it once, as in line " + std::to_string(place_of(node.child(child.name())).line);
    if (found_.lenient()) d.hint = "the first one counts";
    found_.add(Weight::repairable, d);
  }
  look_at_attributes(element);
  return element;
}

/// One finding for all unknown names of an element.
void UrdfReader::look_at_attributes(Element& element) {
  const ElementRule& rule = *element.rule;
  std::string strangers, first;
  for (pugi::xml_attribute a = element.node.first_attribute(); a; a = a.next_attribute()) {
    const std::string_view name = a.name();
    bool several = false;
    if (const int known = position(rule.attributes, name, several); known >= 0) {
      element.values[known] = a.value();
      continue;
    }
    if (name.find(':') != std::string_view::npos || name == "xmlns") continue;
    strangers += (strangers.empty() ? "attribute " : ", ") + detail::quoted(name);
    if (first.empty()) first = name;
  }
  if (strangers.empty()) return;
  const std::vector<std::string> known = plain_names(rule.attributes);
  Diagnostic d = at(element, "W_UNKNOWN_ATTRIBUTE");
  d.found = strangers;
  d.expected = known.empty() ? "no attributes" : listing(known);
  d.hint = found_.did_you_mean(first, known, "passed over");
  found_.add(Weight::warn, d);
}

bool UrdfReader::number_in(pugi::xml_node node, std::string_view token, const std::string& what, Weight weight,
                           double& value) {
  const NumberFault fault = parse_number(token, value);
  if (fault == NumberFault::none) return true;
  Diagnostic d = at(node, "E_NUMBER");
  d.found = what + " " + detail::quoted(token);
  d.expected = "a finite decimal number";
  d.hint = explain(fault);
  found_.add(weight, d);
  return false;
}

/// Reads `count` numbers of an attribute; false, with a finding, where it is absent or wrong.
/// `out` is written only as a whole.
bool UrdfReader::vector(pugi::xml_node node, const char* name, const char* text, int count, double* out,
                        Weight weight) {
  if (!text) {
    Diagnostic d = at(node, count == 1 ? "E_NUMBER" : "E_VECTOR_SIZE");
    d.found = "no attribute " + detail::quoted(name);
    d.expected = count == 1 ? "a number" : std::to_string(count) + " numbers";
    found_.add(weight, d);
    return false;
  }
  constexpr int k_most = 16, k_many = 64;
  std::string_view parts[k_most];
  const int given = tokens(text, parts, k_most, k_many);
  if (count == 1) return number_in(node, given == 1 ? parts[0] : std::string_view(text), name, weight, *out);
  if (given != count) {
    Diagnostic d = at(node, "E_VECTOR_SIZE");
    d.found = std::string(name) + ' ' + detail::quoted(text);
    d.expected = std::to_string(count) + " numbers, not " + (given < k_many ? std::to_string(given) : "so many");
    found_.add(weight, d);
    return false;
  }
  double values[k_most] = {};
  for (int k = 0; k < count; ++k)
    if (!number_in(node, parts[k], name, weight, values[k])) return false;
  std::copy(values, values + count, out);
  return true;
}

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
  const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
  rotation = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
              {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
              {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
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

/// The name of a link or joint; check() judges its characters.
std::string UrdfReader::name_of(const Element& element) {
  if (!element.has("name")) {
    Diagnostic d = at(element, "E_NAME");
    d.found = "no attribute 'name'";
    d.expected = std::string("a name for this ") + element.node.name();
    found_.add(Weight::refuse, d);
  }
  return std::string(element.text("name"));
}

RobotDescription UrdfReader::read(const ScanResult& seen) {
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
  }
  foreign_loops();
  late_materials();
  absent_meshes();
  if (robot.child("transmission")) transmissions();
  return std::move(robot_);
}

}  // namespace zwang::io
