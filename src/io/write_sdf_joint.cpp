// SPDX-License-Identifier: BSD-3-Clause
// SdfWriter: joints of the tree, and what of them SDF does not say.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/write_sdf.hpp"

namespace zwang::io {
namespace {

constexpr double k_sdf_infinite = 1e16;  // readers of SDF take more for no limit

double number_at(const std::vector<double>& x, std::size_t k, double otherwise) {
  return x.empty() ? otherwise : x.size() == 1 ? x[0] : x[k];
}
bool has_bound(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
}
bool has_number(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double a) { return a != 0 && !std::isnan(a); });
}

}  // namespace

/// Of a joint that SDF writes without an axis.
void SdfWriter::lose_numbers(const JointDescription& j) {
  const auto lost = [&](bool is, LossCode code, const char* what) {
    if (is) losses_.add(code, "joint", j.name, what);
  };
  lost(has_bound(j.lower) || has_bound(j.upper), "L_LIMIT", "its limits");
  lost(has_bound(j.velocity), "L_VELOCITY", "its limits of velocity");
  lost(has_bound(j.effort), "L_EFFORT", "its limits of force");
  lost(has_number(j.damping) || has_number(j.friction), "L_DAMPING", "its damping and friction");
  lost(has_number(j.stiffness), "L_SPRING", "its spring");
  lose_effects(j);
}

void SdfWriter::lose_effects(const JointDescription& j) {
  if (has_number(j.rotor_inertia))
    losses_.add("L_ARMATURE", "joint", j.name, "the inertia of its rotor: the mass matrix lacks it");
  else if (std::any_of(j.gear_ratio.begin(), j.gear_ratio.end(), [](double x) { return x != 1; }))
    losses_.add("L_ARMATURE", "joint", j.name, "the ratio of its gear");
  for (const double x : {j.soft_lower, j.soft_upper, j.k_position, j.k_velocity, j.rising, j.falling})
    if (!std::isnan(x))
      return losses_.add("L_SAFETY", "joint", j.name, "its safety controller, soft limits and calibration");
}

void SdfWriter::axis(XmlElement holder, const char* name, const JointDescription& j, const Vec3<double>& xyz,
                     std::size_t k) {
  const XmlElement element = holder.add(name);
  element.add("xyz").text(number_text(std::array<double, 3>{xyz.x, xyz.y, xyz.z}));
  const double none = unlimited, of[4] = {number_at(j.lower, k, -none), number_at(j.upper, k, none),
                                          number_at(j.effort, k, none), number_at(j.velocity, k, none)};
  constexpr const char* words[4] = {"lower", "upper", "effort", "velocity"};
  XmlElement limit(pugi::xml_node{});
  for (std::size_t i = 0; i < 4; ++i) {
    if (!std::isfinite(of[i])) continue;
    if (std::fabs(of[i]) >= k_sdf_infinite)
      losses_.add("L_LIMIT", "joint", j.name, std::string(words[i]) + ' ' + number_text(of[i]),
                  "no limit, as readers take such numbers");
    if (!limit.node()) limit = element.add("limit");
    limit.add(words[i]).text(number_text(of[i]));
  }
  const std::pair<const char*, double> effects[] = {{"damping", number_at(j.damping, k, 0)},
                                                    {"friction", number_at(j.friction, k, 0)},
                                                    {"spring_stiffness", number_at(j.stiffness, k, 0)},
                                                    {"spring_reference", number_at(j.spring_reference, k, 0)}};
  XmlElement dynamics(pugi::xml_node{});
  for (const auto& [word, value] : effects) {
    if (value == 0 || std::isnan(value)) continue;
    if (!dynamics.node()) dynamics = element.add("dynamics");
    dynamics.add(word).text(number_text(value));
  }
  if (j.mimic.leader.empty()) return;
  const auto leader = joint_name_.find(j.mimic.leader);
  if (leader == joint_name_.end() || std::string_view(name) != "axis")
    return losses_.add("L_MIMIC", "joint", j.name, "that it follows joint " + j.mimic.leader);
  const XmlElement mimic = element.add("mimic");
  mimic.set("joint", leader->second);
  mimic.add("multiplier").text(number_text(j.mimic.multiplier));
  mimic.add("offset").text(number_text(j.mimic.offset));
  mimic.add("reference").text("0");
}

void SdfWriter::joint(const JointDescription& j) {
  std::string type = j.type;
  const auto endless = [](const std::vector<double>& x, double none) {
    return x.empty() || std::all_of(x.begin(), x.end(), [&](double a) { return a == none; });
  };
  if (type == "revolute" && !j.lower.empty() && endless(j.lower, -unlimited) && endless(j.upper, unlimited))
    type = "continuous";
  if (type == "spherical") type = "ball";
  if (type == "helical") type = "screw";
  if (type == "composite") type = "universal";
  const XmlElement element = model_.add("joint");
  element.set("name", joint_name_.at(j.name)).set("type", type);
  const Stand child = stand_of(j.child);
  pose(element, j.child_origin);
  element.add("parent").text(name_of(stand_of(j.parent).link));
  element.add("child").text(name_of(child.link));
  if (type == "fixed") {
    if (!j.mimic.leader.empty())
      losses_.add(LossCode("L_MIMIC").of_data(), "joint", j.name, "a mimic of a fixed joint, without effect");
    return lose_numbers_of_fixed(j, losses_);
  }
  if (type == "ball") return lose_numbers(j);
  if (type == "universal") {
    axis(element, "axis", j, j.parts[0].axis, 0);
    axis(element, "axis2", j, j.parts[1].axis, 1);
  } else {
    axis(element, "axis", j, j.axis, 0);
  }
  if (type == "screw") {
    constexpr double turn = 2 * std::numbers::pi;
    const double pitch = j.parameters.at(0);
    element.add("screw_thread_pitch").text(number_text(read_back(pitch * turn, pitch, [](double text) {
      return text / turn;
    })));
  }
  lose_effects(j);
}

/// SDF says nothing of motors: readers take them where they do by default.
void SdfWriter::motors() {
  for (const JointDescription& j : plain_.robot.joints) {
    if (j.type == "fixed" || !joint_name_.contains(j.name) || has_motor(j) == has_motor_by_default(j)) continue;
    losses_.add("L_MOTOR", "joint", j.name, has_motor(j) ? "that it has a motor" : "that it has no motor");
  }
  for (const MotorDescription& m : plain_.robot.motors)
    losses_.add("L_MOTOR", "motor", m.name, "a motor" + (m.joint.empty() ? "" : " on joint " + m.joint));
  const bool several =
      std::count_if(written_.begin(), written_.end(), [](const Written& w) { return w.carrier < 0 && !w.still; }) > 1;
  for (const Written& w : written_) {
    if (w.carrier >= 0 || w.still) continue;
    const std::string read = several ? w.name + "_root" : "root_joint";
    const JointDescription* const j = plain_.carrier_of(w.link->name);
    if (j && j->name != read)
      losses_.add("L_NAME", "joint", j->name, "its name: a link that floats has no joint",
                  "the name " + read + ", which zwang gives it");
    if (j && has_motor(*j)) losses_.add("L_MOTOR", "joint", j->name, "that it has a motor");
  }
}

}  // namespace zwang::io
