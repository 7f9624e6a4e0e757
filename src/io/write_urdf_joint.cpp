// SPDX-License-Identifier: BSD-3-Clause
// UrdfWriter: joints, loops of URDF+, and transmissions.
#include <algorithm>
#include <cmath>

#include "io/write_urdf.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang::io {
namespace {

constexpr const char* k_urdf_types[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar"};
constexpr const char* k_urdf_loops[] = {"fixed", "revolute", "continuous", "prismatic", "spherical"};

/// No number of it is finite.
bool is_boundless(const std::vector<double>& x, double none) {
  return !x.empty() && std::all_of(x.begin(), x.end(), [&](double a) { return a == none; });
}

/// As the reader of URDF describes one.
bool is_transmission(const MotorDescription& m) { return m.kind == "transmission"; }
/// Of a transmission's texts those that are written.
bool is_text_of_transmission(const std::string& name) {
  return name == "type" || name == "actuator" || name == "hardwareInterface";
}

/// A bound of a joint: a number, or the word that says that there is none.
void set_bound(XmlElement element, const char* name, double x) {
  if (std::isfinite(x))
    element.set(name, x);
  else
    element.set(name, x > 0 ? "inf" : "-inf");
}

}  // namespace

bool UrdfWriter::one(const JointDescription& joint, const std::vector<double>& numbers, LossCode code, const char* what,
                     double& value) {
  const OneNumber n = one_number(numbers);
  value = n.value;
  if (!n.same) losses_.add(code, "joint", joint.name, std::string(what) + " that differ from coordinate to coordinate");
  return n.given;
}

std::string UrdfWriter::type_of(const JointDescription& joint) {
  if (joint.type == "revolute" && is_boundless(joint.lower, -unlimited) && is_boundless(joint.upper, unlimited))
    return "continuous";
  if (std::find(std::begin(k_urdf_types), std::end(k_urdf_types), joint.type) == std::end(k_urdf_types))
    losses_.add("L_JOINT", "joint", joint.name, "a joint of type " + joint.type + ", which URDF does not have",
                "the type " + joint.type + ", which zwang alone reads");
  return joint.type;
}

void UrdfWriter::joint(const JointDescription& joint) {
  const XmlElement element = text_.root().add("joint");
  const std::string type = type_of(joint);
  element.set("name", joint.name).set("type", type);
  if (type == "helical" && joint.parameters.size() == 1) {
    element.set("pitch", joint.parameters[0]);
  } else if (type == "ellipsoid") {
    element.set("radii", std::span<const double>(joint.parameters));
  } else if (!joint.parameters.empty()) {
    element.set("parameters", std::span<const double>(joint.parameters));
  }
  origin(element, moved(joint.parent, joint.origin));
  element.add("parent").set("link", joint.parent);
  element.add("child").set("link", joint.child);
  const JointTypeInfo* const info = find_joint_type(type == "continuous" ? "revolute" : type);
  if (info && info->has_axis) element.add("axis").set("xyz", joint.axis);
  limit(element, joint, type);
  dynamics(element, joint);
  const Mimic& m = joint.mimic;
  if (!m.leader.empty()) {
    const XmlElement mimic = element.add("mimic");
    mimic.set("joint", m.leader);
    if (m.multiplier != 1) mimic.set("multiplier", m.multiplier);
    if (m.offset != 0) mimic.set("offset", m.offset);
  }
  const auto numbers = [&](const char* name, std::initializer_list<std::pair<const char*, double>> all) {
    XmlElement child(pugi::xml_node{});
    for (const auto& [attribute, value] : all) {
      if (std::isnan(value)) continue;
      if (!child.node()) child = element.add(name);
      child.set(attribute, value);
    }
  };
  numbers("calibration", {{"rising", joint.rising}, {"falling", joint.falling}});
  numbers("safety_controller", {{"soft_lower_limit", joint.soft_lower},
                                {"soft_upper_limit", joint.soft_upper},
                                {"k_position", joint.k_position},
                                {"k_velocity", joint.k_velocity}});
}

void UrdfWriter::limit(XmlElement holder, const JointDescription& joint, const std::string& type) {
  struct Bound {
    const char* name;
    const std::vector<double>& numbers;
    LossCode code;
    const char* what;
  };
  const Bound bounds[] = {{"lower", joint.lower, "L_LIMIT", "lower limits"},
                          {"upper", joint.upper, "L_LIMIT", "upper limits"},
                          {"effort", joint.effort, "L_EFFORT", "limits of force"},
                          {"velocity", joint.velocity, "L_VELOCITY", "limits of velocity"}};
  XmlElement element(pugi::xml_node{});
  std::string endless;
  for (const Bound& b : bounds) {
    const bool of_position = b.name[0] == 'l' || b.name[0] == 'u';
    if (type == "continuous" && of_position) continue;
    double x = 0;
    if (!one(joint, b.numbers, b.code, b.what, x)) continue;
    if (!std::isfinite(x) && type == "continuous") continue;  // as most programs read: nothing said is no bound
    if (!element.node()) element = holder.add("limit");
    set_bound(element, b.name, x);
    if (!std::isfinite(x)) endless += (endless.empty() ? "" : ", ") + std::string(b.name);
  }
  if (!endless.empty())
    losses_.add("L_LIMIT", "joint", joint.name, "for other programs, that there is no limit: " + endless,
                "the word inf, which some of them do not read");
}

void UrdfWriter::dynamics(XmlElement holder, const JointDescription& joint) {
  double damping = 0, friction = 0;
  const bool damps = one(joint, joint.damping, "L_DAMPING", "dampings", damping);
  const bool rubs = one(joint, joint.friction, "L_DAMPING", "frictions", friction);
  if (damps || rubs) {
    const XmlElement element = holder.add("dynamics");
    if (damps) element.set("damping", damping);
    if (rubs) element.set("friction", friction);
  }
  const auto springs = [](double k) { return k != 0; };
  if (std::any_of(joint.stiffness.begin(), joint.stiffness.end(), springs))
    losses_.add("L_SPRING", "joint", joint.name, "its spring of stiffness " + number_text(joint.stiffness));
}

void UrdfWriter::loop(const PlainLoop& of) {
  const JointDescription& loop = of.joint;
  std::string type = loop.type;
  if (type == "spherical_zyx") type = "spherical";
  if (type == "revolute_unbounded") type = "continuous";
  if (std::find(std::begin(k_urdf_loops), std::end(k_urdf_loops), type) == std::end(k_urdf_loops)) {
    losses_.add("L_LOOP", of.element(), loop.name, "a loop closed by a joint of type " + type);
    return;
  }
  const XmlElement element = text_.root().add("loop");
  element.set("name", loop.name).set("type", type);
  const auto end = [&](const char* which, const std::string& link, const Transform<double>& pose) {
    const XmlElement child = element.add(which);
    child.set("link", link);
    origin(child, moved(link, pose));
  };
  end("predecessor", loop.parent, loop.origin);
  end("successor", loop.child, loop.child_origin);
  if (type != "fixed" && type != "spherical") element.add("axis").set("xyz", loop.axis);
}

/// Which joints a motor moves: their own, or that of one which they follow.
std::vector<char> UrdfWriter::moved_by_motors() const {
  constexpr char k_no = 0, k_yes = 1, k_open = 2;
  const std::vector<JointDescription>& joints = plain_.robot.joints;
  std::unordered_map<std::string_view, std::size_t> at;
  for (std::size_t i = 0; i < joints.size(); ++i) at.emplace(joints[i].name, i);
  std::vector<char> moved(joints.size(), k_open);
  std::vector<std::size_t> way;  // along the leaders, to the first whose answer is known
  for (std::size_t i = 0; i < joints.size(); ++i) {
    char answer = k_no;
    for (std::size_t k = i;;) {
      if (moved[k] != k_open) {
        answer = moved[k];
        break;
      }
      way.push_back(k);
      moved[k] = has_motor(joints[k]) ? k_yes : k_no;
      const auto leader = at.find(joints[k].mimic.leader);
      if (moved[k] == k_yes || leader == at.end()) {
        answer = moved[k];
        break;
      }
      k = leader->second;
    }
    for (; !way.empty(); way.pop_back()) moved[way.back()] = answer;
  }
  return moved;
}

/// A file with a transmission has motors where its transmissions say, and nowhere else.
void UrdfWriter::transmissions() {
  const RobotDescription& robot = plain_.robot;
  struct Drive {
    const JointDescription* joint;
    double rotor = 0, ratio = 1;
    bool has_rotor = false, has_ratio = false;
  };
  std::vector<Drive> drives;
  std::unordered_set<std::string_view> driven;
  const std::vector<char> moved = moved_by_motors();
  bool says = !robot.motors.empty(), any_by_default = false;
  for (const JointDescription& j : robot.joints) {
    if (j.type == "fixed" && j.actuated != JointDescription::Actuated::yes) continue;
    Drive d{&j};
    d.has_rotor = one(j, j.rotor_inertia, "L_ARMATURE", "inertias of rotors", d.rotor);
    d.has_ratio = one(j, j.gear_ratio, "L_ARMATURE", "gear ratios", d.ratio);
    const bool is_root = !plain_.roots.empty() && &j < robot.joints.data() + plain_.roots.size();
    const bool geared = d.has_rotor || d.has_ratio;
    // A joint that an option adds has no motor: nothing need be said of one that has none by default.
    const bool is_said = is_root ? has_motor_by_default(j) : j.actuated != JointDescription::Actuated::by_default;
    says = says || geared || is_said;
    any_by_default = any_by_default || has_motor_by_default(j);
    if (!has_motor(j) && !geared) continue;
    if (!moved[static_cast<std::size_t>(&j - robot.joints.data())])
      losses_.add("L_MOTOR", "joint", j.name, "that it has no motor", "a transmission, which holds its rotor and gear");
    drives.push_back(d);
    driven.insert(j.name);
  }
  std::unordered_map<std::string, std::vector<const MotorDescription*>> motors;
  for (const MotorDescription& m : robot.motors) {
    if (driven.contains(m.joint))
      motors[m.joint].push_back(&m);
    else
      losses_.add("L_MOTOR", "motor", m.name,
                  m.joint.empty() ? "a motor that is on no joint" : "a motor on joint " + m.joint);
  }
  if (!says) return;
  if (drives.empty() && any_by_default)
    losses_.add("L_MOTOR", "robot", robot.name, "that no joint has a motor",
                "motors on all joints, as readers take it");
  UsedNames names;
  for (const MotorDescription& m : robot.motors) names.add(m.name);
  for (const Drive& d : drives) {
    const auto of = motors.find(d.joint->name);
    if (of == motors.end()) {
      const MotorDescription none{.name = names.fresh(d.joint->name + "_transmission"), .joint = d.joint->name};
      transmission(none, d.has_ratio ? &d.ratio : nullptr, d.has_rotor ? &d.rotor : nullptr);
      continue;
    }
    for (const MotorDescription* m : of->second) {  // of several gears and rotors the last one is that of the joint
      const bool last = m == of->second.back(), geared = is_transmission(*m) && m->gear != 1;
      const double* const ratio = last && d.has_ratio ? &d.ratio : !last && geared ? &m->gear : nullptr;
      lose_motor(*m, ratio ? *ratio : 1);
      transmission(*m, ratio, last && d.has_rotor ? &d.rotor : nullptr);
    }
  }
}

/// What a transmission does not say of a motor.
void UrdfWriter::lose_motor(const MotorDescription& m, double ratio) {
  std::string lost;
  const auto list = [&](bool is, const std::string& what) {
    if (is) lost += (lost.empty() ? "" : ", ") + what;
  };
  const bool own = is_transmission(m);
  list(!own && m.kind != "motor", "its kind " + m.kind);
  list(m.gear != (own ? ratio : 1), "its gear");
  list(!std::isnan(m.control_lower) || !std::isnan(m.control_upper) || !std::isnan(m.force_lower) ||
           !std::isnan(m.force_upper),
       "its ranges");
  for (const NamedText& t : m.attributes) list(!own || !is_text_of_transmission(t.name), t.name);
  if (!lost.empty()) losses_.add("L_MOTOR", "motor", m.name, lost, "a transmission of its name");
}

void UrdfWriter::transmission(const MotorDescription& motor, const double* ratio, const double* rotor) {
  const auto said = [&](const char* key, const std::string& otherwise) {
    if (is_transmission(motor))
      for (const NamedText& t : motor.attributes)
        if (t.name == key) return t.text;
    return otherwise;
  };
  const XmlElement element = text_.root().add("transmission");
  element.set("name", motor.name);
  const std::string type = said("type", is_transmission(motor) ? "" : "transmission_interface/SimpleTransmission");
  if (!type.empty()) element.add("type").text(type);
  const XmlElement joint = element.add("joint").set("name", motor.joint);
  if (const std::string interface = said("hardwareInterface", ""); !interface.empty())
    joint.add("hardwareInterface").text(interface);
  const std::string name = said("actuator", is_transmission(motor) ? "" : motor.joint + "_motor");
  if (name.empty() && !ratio && !rotor) return;
  const XmlElement actuator = element.add("actuator");
  if (!name.empty()) actuator.set("name", name);
  if (ratio) actuator.add("mechanicalReduction").text(number_text(*ratio));
  if (!rotor) return;
  if (ratio) actuator.add("drake:gear_ratio").set("value", *ratio);
  actuator.add("drake:rotor_inertia").set("value", *rotor);
  text_.root().set("xmlns:drake", "https://drake.mit.edu");
}

}  // namespace zwang::io
